"""The lock of a run in a PostgreSQL store: held by a connection, and dies with it; and the lease that tells of it."""

import os
import re
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import psycopg

from interplay.core.failures import Mistake, RunLocked, StoreTrouble
from interplay.store.places import Server
from interplay.store.postgres import connect, key_of
from interplay.store.postgres_connection import (
    BETWEEN_TRIES,
    Connection,
    Unreachable,
    in_a_line,
    open_raw,
    trouble_in_words,
)

LEASE = 60  # seconds
RENEWAL = 20.0  # seconds between two renewals
TO_NOTICE = 1.5  # seconds that the server may take to find a dead holder's connection closed
TO_MEND = 60.0  # seconds in which a lost connection may come back
_UNTIL = f"now() + interval '{LEASE} seconds'"
_TAKE = (
    f"INSERT INTO leases (run, holder, token, since, until) VALUES (?,?,?, now(), {_UNTIL})"  # noqa: S608  # our own names
    " ON CONFLICT (run) DO UPDATE"
    " SET holder = excluded.holder, token = excluded.token, since = excluded.since, until = excluded.until"
)
_RENEW = f"UPDATE leases SET until = {_UNTIL} WHERE run = ? AND token = ?"  # noqa: S608  # our own names
_HERE = socket.gethostname()
_HELD_BY = """
SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND ((CAST(classid AS BIGINT) << 32) | CAST(objid AS BIGINT)) = ?
"""


class ServerLock:
    """The lock of a run, while it is held: the connection that holds it, which its writer writes through."""

    def __init__(self, server: Server, run: str):
        self.server = server
        self.run = run
        self.turn = threading.RLock()  # whoever uses the connection
        self.connection = Connection(connect(server, create=True).raw)
        self._key = key_of("run", run)
        self._token = secrets.token_hex(8)
        self._renewed = time.monotonic()
        self._ended = threading.Event()
        try:
            with trouble_in_words(server):
                self._lock()
                self._take()
        except BaseException:
            self.connection.close()
            raise
        self._renewing = threading.Thread(target=self._keep_renewing, daemon=True)
        self._renewing.start()

    def _lock(self) -> None:
        """Lock the run, or say who has it; one who was killed a moment ago is waited for until the server knows."""
        deadline = time.monotonic() + TO_NOTICE
        while not self._try_lock(self.connection):
            holder = _holder(self.connection, self.run)
            if not _was_killed(holder) or time.monotonic() > deadline:
                raise locked(self.run, holder)
            time.sleep(BETWEEN_TRIES / 10)

    def _try_lock(self, connection: Connection) -> bool:
        return bool(connection.execute("SELECT pg_try_advisory_lock(?)", (self._key,)).get)

    def _take(self) -> None:
        holder = f"process {os.getpid()} on {_HERE}"
        self.connection.execute(_TAKE, (self.run, holder, self._token))

    def renew_if_due(self) -> None:
        """Tell others that we live, every now and then; within a transaction or by itself."""
        if time.monotonic() >= self._renewed + RENEWAL:
            self.connection.execute(_RENEW, (self.run, self._token))
            self._renewed = time.monotonic()

    def _keep_renewing(self) -> None:
        """While nothing is written, the lease is renewed all the same; who writes next finds out what is wrong."""
        while not self._ended.wait(RENEWAL / 4):
            with self.turn, suppress(psycopg.Error, Mistake, StoreTrouble, RunLocked):
                if self.connection.is_lost:
                    self.mend(0.0)
                else:
                    self.renew_if_due()

    def mend(self, patience: float = TO_MEND) -> None:
        """Hold the lock again by a new connection, after the old one was lost.

        Raises RunLocked where another has the run, or had it meanwhile; StoreTrouble where no connection comes.
        """
        deadline = time.monotonic() + patience
        self.connection.close()
        while True:
            try:
                return self._hold_again()
            except (psycopg.Error, Unreachable, _OurOwn) as error:
                for_good = isinstance(error, Unreachable) and error.is_for_good
                if for_good or time.monotonic() >= deadline:
                    raise gone(self.server, error) from error
            time.sleep(BETWEEN_TRIES)

    def _hold_again(self) -> None:
        fresh = Connection(open_raw(self.server))
        try:
            if not self._try_lock(fresh):
                if _token(fresh, self.run) != self._token:
                    raise locked(self.run, _holder(fresh, self.run))
                # the server has not noticed yet that our old connection is gone
                fresh.execute(f"SELECT pg_terminate_backend(pid) FROM ({_HELD_BY}) AS ours", (self._key,))  # noqa: S608  # our own names
                raise _OurOwn("the server takes the lost connection for a good one")
            if _token(fresh, self.run) != self._token:
                raise RunLocked(
                    f"run {self.run} was written by another process while the connection to {self.server} was lost; "
                    "nothing more was written here, and the same command goes on"
                )
        except BaseException:
            fresh.close()
            raise
        self.connection = fresh
        self._renewed = 0.0

    def release(self) -> None:
        self._ended.set()
        self._renewing.join()
        with suppress(psycopg.Error):
            self.connection.execute("DELETE FROM leases WHERE run = ? AND token = ?", (self.run, self._token))
        self.connection.close()  # and the lock goes with it


class _OurOwn(Exception):
    """The lock is held by a connection of ours that is lost."""


def locked(run: str, holder: str) -> RunLocked:
    named = f" ({holder})" if holder else ""
    return RunLocked(f"run {run} is being written by another process{named}; wait for it, or stop it first")


def gone(server: Server, error: BaseException) -> StoreTrouble:
    told = str(error) if isinstance(error, Mistake) else f"{server}: {in_a_line(error, server)}"
    return StoreTrouble(
        f"the connection to the store was lost and does not come back ({told}); "
        "what was written is there: see to the server, then the same command goes on"
    )


@contextmanager
def server_lock(server: Server, run: str) -> Iterator[ServerLock]:
    """Hold the lock of a run, or say at once who does."""
    held = ServerLock(server, run)
    try:
        yield held
    finally:
        held.release()


def _was_killed(holder: str) -> bool:
    """Is it known of a holder on this machine that its process is gone?"""
    found = re.match(r"process (\d+) on (.*?)(, not heard.*)?$", holder)
    if found is None or found[2] != _HERE:
        return False
    try:
        os.kill(int(found[1]), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _token(connection: Connection, run: str) -> str | None:
    found: str | None = connection.execute("SELECT token FROM leases WHERE run = ?", (run,)).get
    return found


def _holder(connection: Connection, run: str) -> str:
    row = connection.execute(
        "SELECT holder, until, now() > until FROM leases WHERE run = ?", (run,)
    ).fetchone()
    if row is None:
        return ""
    holder, until, is_over = row
    return (
        f"{holder}, not heard of since {until.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if is_over else str(holder)
    )


def holder_at(server: Server, run: str) -> str:
    """Who writes a run now, on whatever machine; empty where nobody does."""
    connection = connect(server, create=False)
    try:
        with trouble_in_words(server):
            is_held = connection.execute(_HELD_BY, (key_of("run", run),)).fetchone() is not None
            return _holder(connection, run) or "another process" if is_held else ""
    finally:
        connection.close()


def held_since(server: Server, run: str) -> datetime | None:
    """When whoever holds a run took it, by the server's clock; None where nobody does."""
    connection = connect(server, create=False)
    try:
        with trouble_in_words(server):
            found: datetime | None = connection.execute("SELECT since FROM leases WHERE run = ?", (run,)).get
            return found
    finally:
        connection.close()
