"""A model that is a function: for tests, for bots with a planted ability, for trying a protocol out."""

import asyncio
import inspect
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from interplay.core.wire import Message, Reply, Request, clean
from interplay.models.calling import CallFailed
from interplay.models.hiding import Secrets, keys_in
from interplay.models.prices import FREE, Price

LONGEST_ERROR = 300
LONGEST_SEARCHED = 20_000
Said = str | Reply
Script = Callable[[Sequence[Message]], Said | Awaitable[Said]]


class Scripted:
    """Answers each request with what the script makes of its messages."""

    most_connections: int | None = None
    price: Price | None = FREE
    remembers = False
    ignores: frozenset[str] = frozenset()

    def __init__(self, name: str, script: Script, *, in_thread: bool = False):
        """In a thread, a function that takes its time does not hold up everything else."""
        self.name = name
        self.endpoint = name
        self.script = script
        self._in_thread = in_thread and not inspect.iscoroutinefunction(script)

    async def check(self) -> None:
        pass

    async def reply(self, request: Request) -> Reply:
        messages = request.thread.messages()
        try:
            said = (
                await asyncio.to_thread(self.script, messages) if self._in_thread else self.script(messages)
            )
            if inspect.isawaitable(said):
                said = await said
        except CallFailed:
            raise
        except (Exception, SystemExit) as error:  # not our code: whatever it raises is a system that broke
            raise CallFailed("broken", _in_words(error)) from error
        if not isinstance(said, str | Reply):
            raise CallFailed("malformed", f"the function gave back {type(said).__name__}, not a text")
        reply = said if isinstance(said, Reply) else Reply(said, stop="stop", version=self.name, cost=0.0)
        return replace(reply, text=clean(reply.text))

    async def close(self) -> None:
        pass


def _in_words(error: BaseException) -> str:
    """What broke; an exception may repeat a key, which must reach no record."""
    text = clean(f"{type(error).__name__}: {error}")[:LONGEST_SEARCHED]
    hidden = Secrets(keys_in(os.environ)).out_of_part(text.encode()).decode("utf-8", "replace")
    return hidden[:LONGEST_ERROR]
