"""One connection, one thread: writes that arrive together are committed together, in order."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast

import apsw

from interplay.store.database import Whereabouts, connect, trouble_in_words

T = TypeVar("T")
MANY = 4  # writes at once: then it pays to wait a moment for more
GATHERING = 0.002  # seconds
Write = Callable[[apsw.Connection], Any]


class Writer:
    """Takes writes from one event loop; an awaited write is on disk."""

    def __init__(self, path: Path):
        self.path = path
        self.connection = connect(path, create=True)
        self._whereabouts = Whereabouts(path)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="interplay-store")
        self._waiting: list[tuple[Write, asyncio.Future[Any]]] = []
        self._draining: asyncio.Task[None] | None = None
        self._busy = False

    async def write(self, write: Callable[[apsw.Connection], T]) -> T:
        """Do this write and wait until it is on disk; it happens even if the waiter is cancelled."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((write, done))
        if self._draining is None or self._draining.done():
            self._draining = asyncio.create_task(self._drain())
        return cast(T, await done)

    async def _drain(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            if self._busy:
                await asyncio.sleep(GATHERING)
            batch, self._waiting = self._waiting, []
            self._busy = len(batch) >= MANY
            try:
                results = await loop.run_in_executor(
                    self._thread, self._commit, [write for write, _ in batch]
                )
            except Exception as error:  # noqa: BLE001  # handed on to everyone who waits for this batch
                for _, done in batch:
                    if not done.done():
                        done.set_exception(error)
                        done.exception()  # a waiter that was cancelled will not look
            else:
                for (_, done), result in zip(batch, results, strict=True):
                    if not done.done():
                        done.set_result(result)

    def _commit(self, writes: list[Write]) -> list[Any]:
        self._whereabouts.check()
        with trouble_in_words(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                results = [write(self.connection) for write in writes]
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
        return results

    async def close(self) -> None:
        """Write what is waiting, then let go of the file."""
        while self._draining is not None and not self._draining.done():
            await asyncio.wait([self._draining])
        await asyncio.to_thread(self._thread.shutdown)
        self.connection.close()
