"""What differs between a recorded request and the one that is about to be sent, in words."""

import json
from collections.abc import Awaitable, Callable

from interplay.core.wire import Request
from interplay.store.journal import Question
from interplay.store.records import Records

SHOWN = 60
Explain = Callable[[Question, Request], Awaitable[str]]


def explained_by(records: Records) -> Explain:
    """What changed, by this record."""

    async def explain(recorded: Question, request: Request) -> str:
        return what_changed(records, recorded, request)

    return explain


def what_changed(records: Records, recorded: Question, request: Request) -> str:
    """The first thing that is not as it was recorded."""
    if recorded.settings != request.settings_digest:
        before = records.settings(recorded.settings)
        now = {"model": request.model, "sampling": request.sampling.settings(), "schema": request.schema}
        names = [key for key in now if json.dumps(before.get(key)) != json.dumps(now[key])]
        return f"its {' and '.join(names)} changed since it was recorded"
    before_messages, now_messages = records.thread(recorded.thread), request.thread.messages()
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
