"""A model that is a function: for tests, for bots with a planted ability, for trying a protocol out."""

import asyncio
import inspect
import math
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from interplay.core.wire import Message, Reply, Request, clean
from interplay.models.calling import CallFailed
from interplay.models.hiding import Secrets, keys_in
from interplay.models.prices import FREE, Price

LONGEST_ERROR = 300
LONGEST_SEARCHED = 20_000
MOST_TOKENS = 10**9
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
        said = await asyncio.to_thread(self._ask, messages) if self._in_thread else self._ask(messages)
        if inspect.isawaitable(said):
            said = await _awaited(said)
        if not isinstance(said, str | Reply):
            raise CallFailed("malformed", f"the function gave back {type(said).__name__}, not a text")
        return _checked(
            said if isinstance(said, Reply) else Reply(said, stop="stop", version=self.name, cost=0.0)
        )

    def _ask(self, messages: Sequence[Message]) -> Any:
        try:
            return self.script(messages)
        except CallFailed:
            raise
        except (Exception, SystemExit, GeneratorExit, asyncio.CancelledError) as error:  # not our code
            raise CallFailed("broken", _in_words(error)) from error

    async def close(self) -> None:
        pass


async def _awaited(said: Awaitable[Any]) -> Any:
    try:
        return await said
    except CallFailed:
        raise
    except asyncio.CancelledError as error:
        this = asyncio.current_task()
        if this is not None and this.cancelling():
            raise
        raise CallFailed("broken", _in_words(error)) from error
    except (Exception, SystemExit, GeneratorExit) as error:  # not our code
        raise CallFailed("broken", _in_words(error)) from error


def _checked(reply: Reply) -> Reply:
    """The reply with texts that any store can hold, or CallFailed where a field is not what it should be."""
    texts = (reply.text, reply.reasoning, reply.stop, reply.version)
    counts = (reply.tokens_in, reply.tokens_out)
    fits = (
        all(isinstance(text, str) for text in texts)
        and all(one is None or (type(one) is int and 0 <= one <= MOST_TOKENS) for one in counts)
        and all(_is_amount(one) for one in (reply.cost, reply.latency))
        and isinstance(reply.tokens_estimated, bool)
        and isinstance(reply.raw, bytes)
    )
    if not fits:
        raise CallFailed("malformed", "the function gave back a Reply with a field of the wrong kind")
    text, reasoning, stop, version = (clean(one) for one in texts)
    return replace(reply, text=text, reasoning=reasoning, stop=stop, version=version)


def _is_amount(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or (number and math.isfinite(value) and value >= 0)


def _in_words(error: BaseException) -> str:
    """What broke; an exception may repeat a key, which must reach no record."""
    text = clean(f"{type(error).__name__}: {error}")[:LONGEST_SEARCHED]
    hidden = Secrets(keys_in(os.environ)).out_of_part(text.encode()).decode("utf-8", "replace")
    return hidden[:LONGEST_ERROR]
