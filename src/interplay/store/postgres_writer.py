"""Writing a run to a PostgreSQL store: batches in a thread, each committed once, whatever becomes of connections."""

import time
from functools import partial
from typing import Any, cast

import apsw
import psycopg
from psycopg import errors

from interplay.core.failures import StoreTrouble
from interplay.store.beats import beat
from interplay.store.gathering import Gathering, Write
from interplay.store.places import Server
from interplay.store.postgres import connect, share
from interplay.store.postgres_connection import Connection, Unreachable, trouble_in_words
from interplay.store.postgres_lock import ServerLock, gone

MOST_TRIES = 50  # of a batch that others were in the way of
UNDER_WAY = 0.05  # seconds between two looks at a commit whose end is not known
_AGAIN = (errors.DeadlockDetected, errors.SerializationFailure)


class ServerWriter(Gathering):
    """Takes writes from one event loop; an awaited write is committed, and committed once."""

    def __init__(self, server: Server, held: ServerLock | None = None):
        super().__init__()
        self.path = server
        self._held = held
        self._own = None if held else Connection(connect(server, create=True).raw)
        self._number: str | None = (
            None  # of the transaction that changes something, from just before its commit
        )

    @property
    def connection(self) -> Connection:
        found = self._held.connection if self._held else self._own
        assert found is not None, "a writer has the lock's connection, or its own"  # noqa: S101  # told to mypy
        return found

    async def _write_all(self, writes: list[Write]) -> list[Any]:
        """One batch, until it is committed, in the thread; each statement is a way to the server and back."""
        return await self._in_thread(partial(self._in_turn, writes))

    def _in_turn(self, writes: list[Write]) -> list[Any]:
        if self._held is None:
            return self._until_committed(writes)
        with self._held.turn:
            return self._until_committed(writes)

    def _until_committed(self, writes: list[Write]) -> list[Any]:
        with trouble_in_words(self.path):
            for _ in range(MOST_TRIES):
                results: list[Any] = []
                self._number = None
                try:
                    self._transact(writes, results)
                    return results
                except _AGAIN:
                    self._undo()
                except psycopg.Error as error:
                    if not self.connection.is_lost_by(error):
                        self._undo()
                        raise
                    if self._came_through():
                        return results
                except BaseException:
                    self._undo()
                    raise
        raise StoreTrouble(
            f"others who write {self.path} are in the way again and again; the same command goes on"
        )

    def _transact(self, writes: list[Write], results: list[Any]) -> None:
        connection = self.connection
        connection.execute("BEGIN")
        share(connection)
        before = connection.total_changes()
        results.extend(write(cast(apsw.Connection, connection)) for write in writes)
        if connection.total_changes() > before:
            for run in self._runs:
                beat(cast(apsw.Connection, connection), run)
            if self._held:
                self._held.renew_if_due()
            self._number = str(connection.execute("SELECT CAST(pg_current_xact_id() AS TEXT)").get)
        connection.execute("COMMIT")

    def _mend(self) -> None:
        """A new connection in the place of the lost one, with the run's lock where we had it."""
        if self._held:
            self._held.mend()
            return
        try:
            self._own = Connection(connect(self.path, create=False).raw)
        except Unreachable as error:
            raise gone(self.path, error) from error

    def _came_through(self) -> bool:
        """Did the transaction commit whose end we did not hear of? The server knows by its number."""
        while True:
            self._mend()
            if self._number is None:
                return False  # nothing was to be changed, or it was lost before its commit
            try:
                while (status := self._status(self._number)) == "in progress":
                    time.sleep(UNDER_WAY)
                return status == "committed"
            except psycopg.Error as error:
                if not self.connection.is_lost_by(error):
                    raise

    def _status(self, number: str) -> str | None:
        found: str | None = self.connection.execute("SELECT pg_xact_status(?::xid8)", (number,)).get
        return found

    def _undo(self) -> None:
        if not self.connection.is_lost and self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def _let_go(self) -> None:
        if self._own:
            self._own.close()
