"""One connection, one thread: writes that arrive together are committed together, in order."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast

import apsw

from interplay.core.failures import StoreTrouble
from interplay.store.beats import beat
from interplay.store.database import WAIT_FOR_A_LOCK, Whereabouts, connect, let_go, trouble_in_words

T = TypeVar("T")
MANY = 4  # writes at once: then it pays to wait a moment for more, as a commit costs more than a write
GATHERING = 0.001  # seconds
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
        self._runs: set[int] = set()

    def beats_for(self, run: int) -> None:
        """From now on every commit that changes something is counted as a change of this run."""
        self._runs.add(run)

    async def write(self, write: Callable[[apsw.Connection], T]) -> T:
        """Do this write and wait until it is on disk; it happens even if the waiter is cancelled."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((write, done))
        if self._draining is None or self._draining.done():
            self._draining = asyncio.create_task(self._drain())
        return cast(T, await done)

    async def _drain(self) -> None:
        while self._waiting:
            if self._busy:
                await asyncio.sleep(GATHERING)
            batch: list[tuple[Write, asyncio.Future[Any]]] = []
            try:
                if not self._begin_at_once():
                    await self._in_thread(self._begin)
                batch, self._waiting = self._waiting, []  # with what came while we waited for the lock
                self._busy = len(batch) >= MANY
                results = self._do([write for write, _ in batch])
                await self._in_thread(self._commit)
            except Exception as error:  # noqa: BLE001  # handed on to everyone who waits for this batch
                if not batch:
                    batch, self._waiting = self._waiting, []
                for _, done in batch:
                    if not done.done():
                        done.set_exception(error)
                        done.exception()  # a waiter that was cancelled will not look
            else:
                for (_, done), result in zip(batch, results, strict=True):
                    if not done.done():
                        done.set_result(result)

    async def _in_thread(self, step: Callable[[], None]) -> None:
        """What may have to wait, for a lock or for the disk, does so in the thread."""
        await asyncio.get_running_loop().run_in_executor(self._thread, step)

    def _begin_at_once(self) -> bool:
        """Begin if nobody else is writing, which is the rule."""
        self._whereabouts.check()
        self.connection.set_busy_timeout(0)
        try:
            with trouble_in_words(self.path):
                self.connection.execute("BEGIN IMMEDIATE")
            return True
        except StoreTrouble:
            return False  # the thread will wait, or find out what is wrong
        finally:
            self.connection.set_busy_timeout(WAIT_FOR_A_LOCK)

    def _begin(self) -> None:
        self._whereabouts.check()
        with trouble_in_words(self.path):
            self.connection.execute("BEGIN IMMEDIATE")

    def _do(self, writes: list[Write]) -> list[Any]:
        """The writes, in the loop's own thread: they hold the lock already, and two threads would only take turns."""
        with trouble_in_words(self.path):
            try:
                before = self.connection.total_changes()
                results = [write(self.connection) for write in writes]
                if self.connection.total_changes() > before:
                    for run in self._runs:
                        beat(self.connection, run)
                return results
            except BaseException:
                self._undo()
                raise

    def _commit(self) -> None:
        with trouble_in_words(self.path):
            try:
                self.connection.execute("COMMIT")
            except BaseException:
                self._undo()
                raise

    def _undo(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    async def close(self) -> None:
        """Write what is waiting, then let go of the file; it happens even if the waiter is cancelled."""
        await asyncio.shield(self._close())

    async def _close(self) -> None:
        while self._draining is not None and not self._draining.done():
            await asyncio.wait([self._draining])
        await asyncio.to_thread(self._thread.shutdown)
        let_go(self.connection, self.path)
