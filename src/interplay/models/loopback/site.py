"""An application on a port of 127.0.0.1, which ends without leaving a connection behind."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web


class Site:
    """A server of our own in the running loop; drop, if given, ends what is still being answered."""

    def __init__(self, runner: web.AppRunner, listener: socket.socket) -> None:
        self._runner = runner
        self._listener = listener
        self.port: int = listener.getsockname()[1]

    @classmethod
    async def start(cls, app: web.Application, port: int = 0) -> "Site":
        # A short shutdown_timeout, because 0 would mean to wait for ever.
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.01)
        await runner.setup()
        try:
            listener = socket.create_server(("127.0.0.1", port), backlog=4096)
            await web.SockSite(runner, listener, backlog=4096).start()
        except OSError:
            await runner.cleanup()
            raise
        return cls(runner, listener)

    async def stop(self, drop: Callable[[], Awaitable[None]] | None = None) -> None:
        """End at once, with the connections just accepted and those that have bytes to write."""
        asyncio.get_running_loop().remove_reader(self._listener)
        await _a_few_rounds()  # until a connection just accepted is known to the server
        handlers = self._runner.server.connections if self._runner.server else []
        transports = [handler.transport for handler in handlers if handler.transport]
        if drop:
            await drop()
        await self._runner.cleanup()
        for transport in transports:
            transport.abort()
        await _a_few_rounds()  # until the sockets are closed


async def _a_few_rounds() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@contextmanager
def in_a_thread(name: str) -> Iterator[Callable[[Any], Any]]:
    """A loop in a thread of its own: what is given runs a coroutine there and gives its result."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name=name, daemon=True)
    thread.start()
    try:
        yield lambda coroutine: asyncio.run_coroutine_threadsafe(coroutine, loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
