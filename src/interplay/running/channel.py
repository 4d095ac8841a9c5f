"""A channel between two processes of one run: calls in both directions, many at once, each answered or failed."""

import asyncio
import struct
from collections.abc import Callable, Coroutine, Sequence
from contextvars import Context
from itertools import count
from typing import Any, cast

import msgspec

from interplay.core.failures import (
    FAILURES,
    Divergence,
    Failure,
    InterplayError,
    Mistake,
    Parked,
    RunLocked,
    StoreTrouble,
)
from interplay.models.calling import CallFailed

LARGEST = 256_000_000  # bytes of one message: more is no message of ours
_CALL, _ANSWER, _ERROR = range(3)
_HEAD = struct.Struct(">I")
_TOLD: dict[str, type[InterplayError]] = {
    kind.__name__: kind for kind in (Divergence, Mistake, StoreTrouble, RunLocked)
}
Serve = Callable[[str, list[Any]], Coroutine[Any, Any, Any]]


class ChannelClosed(InterplayError):
    """The process at the other end is gone, or has let go."""


class Channel(asyncio.Protocol):
    """One end. What the other end calls is served by one task each, in the context that its body belongs to."""

    def __init__(self, serve: Serve, context_of: Callable[[list[Any]], Context | None] = lambda body: None):
        self._serve = serve
        self._context_of = context_of
        self._pack = msgspec.msgpack.Encoder(enc_hook=_plain).encode
        self._unpack = msgspec.msgpack.Decoder().decode
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._numbers = count()
        self._received = bytearray()
        self._unsent: list[bytes] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._transport: asyncio.Transport | None = None
        self._loop = asyncio.get_running_loop()
        self.closed = asyncio.Event()

    def call(self, verb: str, *body: Any) -> "asyncio.Future[Any]":
        """Ask the other end to do something; what it comes to."""
        future: asyncio.Future[Any] = self._loop.create_future()
        if self.closed.is_set():
            future.set_exception(ChannelClosed("the other process is gone"))
            return future
        number = next(self._numbers)
        self._send((_CALL, number, verb, body))
        self._waiting[number] = future
        return future

    def tell(self, verb: str, *body: Any) -> None:
        """The same, where nobody waits for what it comes to."""
        self.call(verb, *body).add_done_callback(_looked_at)

    def close(self) -> None:
        """Let go, when all that was said is on its way."""
        self._flush()
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(ChannelClosed("the other process is gone"))
                future.exception()  # whoever was cancelled will not look
        for task in self._tasks:
            task.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        begin, view = 0, memoryview(self._received)
        try:
            while len(view) - begin >= _HEAD.size:
                (size,) = _HEAD.unpack_from(view, begin)
                if size > LARGEST:
                    self._abort()
                    return
                end = begin + _HEAD.size + size
                if len(view) < end:
                    break
                self._take(view[begin + _HEAD.size : end])
                begin = end
        finally:
            view.release()
        del self._received[:begin]

    def _take(self, message: memoryview) -> None:
        try:
            kind, number, *rest = self._unpack(message)
        except (msgspec.DecodeError, ValueError, TypeError):
            self._abort()
            return
        finally:
            message.release()
        if kind == _CALL:
            verb, body = rest
            task = self._loop.create_task(
                self._answer(number, verb, body), context=self._context_of(body) or None
            )
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return
        future = self._waiting.pop(number, None)
        if future is None or future.done():
            return
        if kind == _ANSWER:
            future.set_result(rest[0])
        else:
            future.set_exception(_error_from(rest[0]))

    async def _answer(self, number: int, verb: str, body: list[Any]) -> None:
        try:
            came_to = await self._serve(verb, body)
        except Exception as error:  # noqa: BLE001  # handed on to whoever called, as what it is
            self._send((_ERROR, number, _packed(error)))
        else:
            try:
                self._send((_ANSWER, number, came_to))
            except (TypeError, ValueError, OverflowError) as error:  # nothing that a message can hold
                self._send((_ERROR, number, _packed(error)))

    def _send(self, message: Sequence[Any]) -> None:
        """All that is said in one turn of the loop goes out together."""
        if self.closed.is_set():
            return
        packed = self._pack(message)
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent += (_HEAD.pack(len(packed)), packed)

    def _flush(self) -> None:
        if self._transport is not None and self._unsent and not self.closed.is_set():
            unsent, self._unsent = self._unsent, []
            self._transport.write(b"".join(unsent))

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()


def _looked_at(future: "asyncio.Future[Any]") -> None:
    if not future.cancelled():
        future.exception()


def _plain(value: Any) -> Any:
    """A text or number of a kind of its own, as a user's function may give back, as what it is."""
    for kind in (str, float, int, bytes):
        if isinstance(value, kind):
            return kind(value)  # type: ignore[arg-type]  # it is one
    raise TypeError(f"no message can hold {type(value).__name__}")


def _packed(error: Exception) -> list[Any]:
    """An error as it travels."""
    if isinstance(error, CallFailed):
        return ["call failed", error.cause, error.detail, error.raw, error.after]
    if isinstance(error, Parked):
        return ["parked", error.seat, error.person]
    if isinstance(error, Failure):
        return ["failure", error.name, str(error)]
    for kind in type(error).__mro__:
        if _TOLD.get(kind.__name__) is kind:
            return [kind.__name__, str(error)]
    return ["fault", ascii(f"{type(error).__name__}: {error}")[1:-1]]


def _error_from(packed: list[Any]) -> Exception:
    kind, *rest = packed
    if kind == "call failed":
        cause, detail, raw, after = rest
        return CallFailed(cause, detail, raw=raw, after=after)
    if kind == "parked":
        return Parked(*rest)
    if kind == "failure":
        return FAILURES[rest[0]](rest[1])
    if kind in _TOLD:
        return _TOLD[kind](rest[0])
    return RuntimeError(f"in a worker process: {rest[0]}")
