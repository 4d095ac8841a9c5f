"""A store in a PostgreSQL database: its tables, its transactions, and bringing it up to date."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from interplay.core.failures import Mistake
from interplay.store.dialect import tables_for_postgres
from interplay.store.places import Server
from interplay.store.postgres_connection import (
    SCHEMA,
    Connection,
    errors,
    open_raw,
    psycopg,
    trouble_in_words,
)
from interplay.store.schema import MIGRATIONS

# only here: the version of the tables, and who writes which run
_OWN = """
CREATE TABLE meta (program TEXT NOT NULL, version BIGINT NOT NULL);
INSERT INTO meta VALUES ('interplay', 0);
CREATE TABLE leases (
    run TEXT COLLATE "C" PRIMARY KEY,
    holder TEXT NOT NULL,            -- process and machine, for people
    token TEXT NOT NULL,             -- of one holding: whoever takes the run after it has another
    since TIMESTAMPTZ NOT NULL,
    until TIMESTAMPTZ NOT NULL       -- renewed as long as the holder lives; all times are the server's
);
"""


def key_of(*what: str) -> int:
    """The number of an advisory lock of ours."""
    text = "\0".join((SCHEMA, *what)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)


MAKING = key_of("schema")  # held while tables are made
SWEEPING = key_of("sweep")  # shared by all who write; alone is who deletes what nobody needs any more
TURN = key_of("turn")  # short transactions take turns, as they do in SQLite


def connect(server: Server, *, create: bool) -> Connection:
    """A connection to the store in this database, of the newest version."""
    connection = Connection(open_raw(server), lambda: open_raw(server))
    try:
        with trouble_in_words(server):
            _bring_up_to_date(connection, server, create=create)
    except BaseException:
        connection.close()
        raise
    return connection


def has_store(server: Server) -> bool:
    connection = Connection(open_raw(server))
    try:
        with trouble_in_words(server):
            return _version(connection, server) is not None
    finally:
        connection.close()


def _version(connection: Connection, server: Server) -> int | None:
    """The version of the tables; None where there are none."""
    try:
        row = connection.execute("SELECT program, version FROM meta").fetchone()
    except errors.UndefinedTable:
        row = None
    except errors.UndefinedColumn:
        raise _of_another_program(server) from None
    if row is None or row[0] != "interplay":
        others = "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace(?)"
        if connection.execute(others, (SCHEMA,)).get:
            raise _of_another_program(server)
        return None
    return int(row[1])


def _of_another_program(server: Server) -> Mistake:
    return Mistake(
        f"the schema {SCHEMA} of {server} is of another program; name another database with --store"
    )


def _bring_up_to_date(connection: Connection, server: Server, *, create: bool) -> None:
    version = _version(connection, server)
    if version is None and not create:
        raise Mistake(f"there is no store at {server}; name one with --store, or start a run here")
    if version is not None and version > len(MIGRATIONS):
        raise Mistake(f"{server} was written by a newer Interplay; update with pip install -U interplay")
    if version == len(MIGRATIONS):
        return
    with connection.raw.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(?)", (MAKING,))
        version = _version_now(connection)
        if version is None:
            connection.raw.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}".encode())
            connection.raw.execute(_OWN)
        for step in MIGRATIONS[version or 0 :]:
            connection.raw.execute(tables_for_postgres(step).encode())
        connection.execute("UPDATE meta SET version = ?", (len(MIGRATIONS),))


def _version_now(connection: Connection) -> int | None:
    """Asked again under the lock: two processes may open a new store at once."""
    if connection.execute("SELECT to_regclass(?)", (f"{SCHEMA}.meta",)).get is None:
        return None
    return int(connection.execute("SELECT version FROM meta").get)


@contextmanager
def writing(connection: Connection, *, in_turn: bool = True) -> Iterator[None]:
    """A transaction; short ones take turns."""
    connection.execute("BEGIN")
    written = False
    try:
        share(connection)
        if in_turn:
            connection.execute("SELECT pg_advisory_xact_lock(?)", (TURN,))
        yield
        written = True
    finally:
        if written or not connection.is_lost:
            connection.execute("COMMIT" if written else "ROLLBACK")


def share(connection: Connection) -> None:
    """Write beside others, and not while somebody sweeps."""
    connection.execute("SELECT pg_advisory_xact_lock_shared(?)", (SWEEPING,))


def sweep(connection: Connection) -> None:
    """Write alone for the rest of the transaction, with room to compare everything with everything."""
    connection.execute("SELECT pg_advisory_xact_lock(?)", (SWEEPING,))
    connection.execute("SET LOCAL work_mem TO '512MB'")


@contextmanager
def snapshot(connection: Connection) -> Iterator[None]:
    """Everything within is read from the same state."""
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    try:
        yield
    finally:
        if not connection.is_lost:
            connection.execute("ROLLBACK")


@contextmanager
def patience(connection: Connection, milliseconds: int) -> Iterator[None]:
    """Wait so long, and not longer, for others who write."""
    connection.execute(f"SET lock_timeout TO {int(milliseconds)}")
    try:
        yield
    finally:
        with suppress(psycopg.Error):
            connection.execute("SET lock_timeout TO 0")


def integrity(connection: Connection) -> str:
    """Is all there that rows refer to? "ok" is good; the pages of its files are the server's own business."""
    lacking = {
        "messages": "calls WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.digest = calls.thread)",
        "settings": "calls WHERE NOT EXISTS (SELECT 1 FROM settings s WHERE s.digest = calls.settings)",
        "scenarios": "conversations c WHERE NOT EXISTS (SELECT 1 FROM scenarios s WHERE s.id = c.scenario)",
    }
    counts = {what: connection.execute(f"SELECT count(*) FROM {rows}").get for what, rows in lacking.items()}  # noqa: S608  # our own names
    return ", ".join(f"{count} {what} are lacking" for what, count in counts.items() if count) or "ok"
