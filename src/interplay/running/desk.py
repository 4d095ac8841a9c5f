"""The desk of a recorded conversation: what the record has is read from it, the rest is sent and recorded."""

import json
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any

from interplay.core.failures import Divergence
from interplay.core.wire import Reply, Request, Step, canonical
from interplay.running.book import Book
from interplay.running.divergence import Explain
from interplay.running.sending import Call, Send
from interplay.store.journal import Recall


class RecordedDesk:
    """Answers the steps of one stage of one conversation."""

    def __init__(self, recall: Recall, book: Book, explain: Explain, send: Callable[[str], Send]):
        self._recall = recall
        self._book = book
        self._explain = explain
        self._send = send

    async def reply(self, step: Step, request: Request) -> Reply:
        if not self._recall.attempts:  # nothing was ever asked here
            return await self._ask(step, 0, request)
        recorded = self._recall.finished.get(step)
        asked = recorded or self._recall.waiting.get(step)
        if asked is not None and asked.digest != request.digest:
            raise Divergence(f"{step}: {await self._explain(asked, request)}")
        if recorded is not None:
            return recorded.reply
        return await self._ask(step, self._recall.attempts.get(step, 0), request)

    def _ask(self, step: Step, attempt: int, request: Request) -> Awaitable[Reply]:
        return self._send(request.model)(Call(self._recall.conversation, step, attempt, request))

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        if step not in self._recall.facts:
            made = make()
            value = json.loads(
                canonical(await made if isawaitable(made) else made)
            )  # as a replay will read it
            await self._book.keep_fact(self._recall.conversation, step, value)
            self._recall.facts[step] = value
        return self._recall.facts[step]
