"""Writing a run to a file: one connection, which writes in the loop's thread and waits for the disk in another."""

import asyncio
from pathlib import Path
from typing import Any

from interplay.core.failures import StoreTrouble
from interplay.store.beats import beat
from interplay.store.database import WAIT_FOR_A_LOCK, Whereabouts, connect, let_go, trouble_in_words
from interplay.store.gathering import Gathering, Write

MANY = 4  # writes at once: then it pays to wait a moment for more, as a commit costs more than a write
GATHERING = 0.001  # seconds


class Writer(Gathering):
    """Takes writes from one event loop; an awaited write is on disk."""

    def __init__(self, path: Path):
        super().__init__()
        self.path = path
        self.connection = connect(path, create=True)
        self._whereabouts = Whereabouts(path)
        self._busy = False

    async def _get_ready(self) -> None:
        if self._busy:
            await asyncio.sleep(GATHERING)
        if not self._begin_at_once():
            await self._in_thread(self._begin)

    async def _write_all(self, writes: list[Write]) -> list[Any]:
        self._busy = len(writes) >= MANY
        results = self._do(writes)
        await self._in_thread(self._commit)
        return results

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

    def _let_go(self) -> None:
        let_go(self.connection, self.path)
