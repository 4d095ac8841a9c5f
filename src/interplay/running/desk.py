"""The desk of a recorded conversation: what the record has is read from it, the rest is sent and recorded."""

import json
from collections.abc import Callable
from inspect import isawaitable
from typing import Any

from interplay.core.failures import Divergence
from interplay.core.wire import Reply, Request, Step, canonical
from interplay.running.sending import Call, Send
from interplay.store.journal import Journal, Question, Recall
from interplay.store.records import Records

SHOWN = 60


class RecordedDesk:
    """Answers the steps of one stage of one conversation."""

    def __init__(self, recall: Recall, journal: Journal, records: Records, send: Callable[[str], Send]):
        self._recall = recall
        self._journal = journal
        self._records = records
        self._send = send

    async def reply(self, step: Step, request: Request) -> Reply:
        recorded = self._recall.finished.get(step)
        asked = recorded or self._recall.waiting.get(step)
        if asked is not None and asked.digest != request.digest:
            raise Divergence(f"{step}: {self._what_changed(asked, request)}")
        if recorded is not None:
            return recorded.reply
        attempt = self._recall.attempts.get(step, 0)
        return await self._send(request.model)(Call(self._recall.conversation, step, attempt, request))

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        if step not in self._recall.facts:
            made = make()
            value = json.loads(
                canonical(await made if isawaitable(made) else made)
            )  # as a replay will read it
            await self._journal.keep_fact(self._recall.conversation, step, value)
            self._recall.facts[step] = value
        return self._recall.facts[step]

    def _what_changed(self, recorded: Question, request: Request) -> str:
        if recorded.settings != request.settings_digest:
            before = self._records.settings(recorded.settings)
            now = {"model": request.model, "sampling": request.sampling.settings(), "schema": request.schema}
            names = [key for key in now if json.dumps(before.get(key)) != json.dumps(now[key])]
            return f"its {' and '.join(names)} changed since it was recorded"
        before_messages, now_messages = self._records.thread(recorded.thread), request.thread.messages()
        for number, (before_one, now_one) in enumerate(zip(before_messages, now_messages, strict=False), 1):
            if before_one != now_one:
                was, is_ = _where_they_part(before_one.text, now_one.text)
                told = f"message {number} ({before_one.role}) was recorded as {was!r} and is now {is_!r}"
                return told if before_one.role == now_one.role else f"{told}, from {now_one.role}"
        return f"{len(before_messages)} messages were recorded and there are now {len(now_messages)}"


def _where_they_part(before: str, now: str) -> tuple[str, str]:
    shorter = min(len(before), len(now))
    same = next((place for place in range(shorter) if before[place] != now[place]), shorter)
    start = max(0, same - 10)
    return before[start : start + SHOWN], now[start : start + SHOWN]
