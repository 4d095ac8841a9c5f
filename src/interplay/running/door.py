"""A door for the processes of a run that are on other machines: whoever comes in must know the word first."""

import asyncio
import hmac
import secrets
import socket
from collections.abc import Callable
from typing import cast

from interplay.running.channel import Channel

WORD = 32  # bytes
MOST_STRANGERS = 2_000  # at once
PATIENCE = 10.0  # seconds that a stranger has to say it


class Caller:
    """Somebody who is expected, and what becomes of the connection."""

    def __init__(self, make: Callable[[], Channel]):
        self.make = make
        self.word = secrets.token_bytes(WORD)
        self.came: asyncio.Future[asyncio.Transport] = asyncio.get_running_loop().create_future()
        self.channel: Channel | None = None


class Door:
    """Listens at one port; each word opens it once."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None
        self._strangers: set[_Stranger] = set()
        self._expected: list[Caller] = []
        self.host, self.port = "", 0

    async def open(self, host: str) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._server = await asyncio.get_running_loop().create_server(
            lambda: _Stranger(self), host, 0, family=family
        )
        self.host, self.port = self._server.sockets[0].getsockname()[:2]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for one in list(self._strangers):
            one.turn_away()
        for caller in self._expected:
            caller.came.cancel()

    def expect(self, make: Callable[[], Channel]) -> Caller:
        caller = Caller(make)
        self._expected.append(caller)
        return caller

    def forget(self, caller: Caller) -> None:
        """Whoever was expected does not come any more."""
        if caller in self._expected:
            self._expected.remove(caller)

    def arrived(self, stranger: "_Stranger") -> None:
        self._strangers.add(stranger)
        if len(self._strangers) > MOST_STRANGERS:
            stranger.turn_away()

    def left(self, stranger: "_Stranger") -> None:
        self._strangers.discard(stranger)

    def who(self, word: bytes) -> Caller | None:
        """The one whose word this is; how long that takes tells nothing of the words."""
        found = None
        for caller in self._expected:
            if hmac.compare_digest(caller.word, word):
                found = caller
        if found is not None:
            self._expected.remove(found)
        return found


class _Stranger(asyncio.Protocol):
    """A connection of which nobody knows yet whose it is; it is told nothing."""

    def __init__(self, door: Door):
        self._door = door
        self._said = b""
        self._transport: asyncio.Transport
        self._limit: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        keep_alive(self._transport)
        self._limit = asyncio.get_running_loop().call_later(PATIENCE, self.turn_away)
        self._door.arrived(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._limit.cancel()
        self._door.left(self)

    def turn_away(self) -> None:
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._said += data
        if len(self._said) < WORD:
            return
        caller = self._door.who(self._said[:WORD])
        if caller is None or caller.came.done():
            self.turn_away()
            return
        self._limit.cancel()
        self._door.left(self)
        rest = self._said[WORD:]
        channel = caller.channel = caller.make()
        self._transport.set_protocol(channel)
        channel.connection_made(self._transport)
        if rest:
            channel.data_received(rest)
        caller.came.set_result(self._transport)


async def come_in(host: str, port: int, word: bytes, make: Callable[[], Channel]) -> Channel:
    """Connect to a door where one is expected."""
    transport, channel = await asyncio.get_running_loop().create_connection(make, host, port)
    transport.write(word)
    keep_alive(transport)
    return channel


def keep_alive(transport: asyncio.Transport) -> None:
    """A machine that is gone says nothing: let the system find out."""
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
