"""A connection to a PostgreSQL server: as much of apsw's as is used here, and its errors in words."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from interplay.core.failures import Mistake, StoreTrouble
from interplay.store.dialect import for_postgres, values_for_postgres
from interplay.store.places import SHAPE, Server

try:
    import psycopg as psycopg  # for who imports it from here, after it was found to be there
    from psycopg import errors as errors
    from psycopg.abc import Buffer
    from psycopg.adapt import AdaptersMap
    from psycopg.types.bool import BoolDumper
    from psycopg.types.numeric import Int2Dumper
    from psycopg.types.string import StrDumperUnknown
except ImportError as error:
    raise Mistake(
        f'a store on a server needs a driver ({error}): pip install "interplay[postgres]"'
    ) from error

Raw = psycopg.Connection[Any]
SCHEMA = "interplay"
OLDEST = 140_000  # the server's version, as it tells it
TO_CONNECT = 10  # seconds
TO_COME_BACK = 10.0  # seconds, for who only reads
BETWEEN_TRIES = 0.25
AT_ONCE = 2_000  # rows of a large result that are fetched together
# a peer that is gone is found out within half a minute, on either side
_KEEPALIVES = {"keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
_SETTINGS = (
    f"SET search_path TO {SCHEMA}; SET client_min_messages TO warning; SET jit TO off; SET idle_session_timeout TO 0;"
    " SET tcp_keepalives_idle TO 10; SET tcp_keepalives_interval TO 5; SET tcp_keepalives_count TO 3;"
    # what was acknowledged is on disk
    " SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
)
_HARMLESS = ("SELECT", "WITH", "BEGIN")  # done twice, it is as if it was done once
_SHUTTING_DOWN = "57P"  # how such errors of the server begin
_IN_TRANSACTION = (
    psycopg.pq.TransactionStatus.ACTIVE,
    psycopg.pq.TransactionStatus.INTRANS,
    psycopg.pq.TransactionStatus.INERROR,
)


class Unreachable(Mistake):
    """No connection is to be had; later there may be one."""

    @property
    def is_for_good(self) -> bool:
        """Is the database itself gone?"""
        return "does not exist" in str(self)


class Found(psycopg.Cursor[Any]):
    """What a statement found."""

    @property
    def get(self) -> Any:
        """The one value of the one row; None where there is no row."""
        row = self.fetchone()
        return None if row is None else row[0] if len(row) == 1 else row


class Connection:
    """As much of apsw's connection as is used here, over one connection to a server."""

    def __init__(self, raw: Raw, reopen: Callable[[], Raw] | None = None):
        self.raw = raw
        self._reopen = (
            reopen  # what is only read is asked again by a new connection; None where that would be wrong
        )
        self._changes = 0
        self._all_changes = 0
        self._streams = 0

    @property
    def in_transaction(self) -> bool:
        return self.raw.info.transaction_status in _IN_TRANSACTION

    @property
    def is_lost(self) -> bool:
        return self.raw.closed

    def is_lost_by(self, error: psycopg.Error) -> bool:
        """Is the connection gone, or told by this error that it is about to be?"""
        return self.is_lost or (error.sqlstate or "").startswith(_SHUTTING_DOWN)

    def execute(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> Found:
        can_be_asked_again = not self.in_transaction and query.lstrip().startswith(_HARMLESS)
        try:
            return self._execute(query, values)
        except psycopg.Error as error:
            if not self.is_lost_by(error) or not can_be_asked_again or self._reopen is None:
                raise
        self._connect_again(self._reopen)
        return self._execute(query, values)

    def _execute(self, query: str, values: Sequence[Any] | Mapping[str, Any]) -> Found:
        cursor = Found(self.raw)
        cursor.execute(for_postgres(query), values_for_postgres(query, values), binary=True)
        self._count(cursor)
        return cursor

    def _connect_again(self, reopen: Callable[[], Raw]) -> None:
        """A server that starts again is waited for a while."""
        deadline = time.monotonic() + TO_COME_BACK
        self.raw.close()
        while True:
            try:
                self.raw = reopen()
                return
            except Mistake as mistake:
                if time.monotonic() > deadline:
                    raise StoreTrouble(str(mistake)) from mistake
            time.sleep(BETWEEN_TRIES)

    def executemany(self, query: str, values: Sequence[Sequence[Any]]) -> list[Any]:
        """The same statement with one set of values after another; what it returned, where it does."""
        if not values:
            return []
        cursor, returns = Found(self.raw), " RETURNING " in query
        cursor.executemany(for_postgres(query), values, returning=returns)
        self._count(cursor)
        if not returns:
            return []
        rows = cursor.fetchall()
        while cursor.nextset():
            rows += cursor.fetchall()
        return rows

    def _count(self, cursor: Found) -> None:
        if not (cursor.statusmessage or "").startswith("SELECT"):
            self._changes = max(cursor.rowcount, 0)
            self._all_changes += self._changes

    def stream(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a large result, some at a time; other statements may come between."""
        held = not self.in_transaction  # else it would end with its own statement
        self._streams += 1
        if held:
            self.execute("SELECT 1")  # a connection that was lost meanwhile is found out here
        with self.raw.cursor(name=f"interplay_{self._streams}", withhold=held) as cursor:
            cursor.itersize = AT_ONCE
            cursor.execute(for_postgres(query), values_for_postgres(query, values), binary=True)
            yield from cursor

    def changes(self) -> int:
        """Rows that the newest statement changed."""
        return self._changes

    def total_changes(self) -> int:
        return self._all_changes

    def close(self) -> None:
        self.raw.close()


class _CleanText(StrDumperUnknown):
    """Text as the server takes it: without NUL and lone surrogates, which are cleaned off before, as a rule."""

    def dump(self, obj: str) -> Buffer | None:
        found = obj.encode("utf-8", "replace")
        return found.replace(b"\0", b"\xef\xbf\xbd") if b"\0" in found else found


class _BoolAsNumber(BoolDumper):
    """SQLite has no truth values, only 0 and 1, and the tables are the same."""

    oid = Int2Dumper.oid

    def dump(self, obj: bool) -> Buffer | None:
        return b"1" if obj else b"0"


def _adapters() -> AdaptersMap:
    made = AdaptersMap(psycopg.adapters)
    made.register_dumper(str, _CleanText)
    made.register_dumper(bool, _BoolAsNumber)
    return made


_ADAPTERS = _adapters()


def open_raw(server: Server) -> Raw:
    """A connection to the database as it is, tables or not; a Mistake where there is none to be had."""
    try:
        given = psycopg.conninfo.conninfo_to_dict(server.url)
    except psycopg.ProgrammingError:
        raise Mistake(f"the URL of the store cannot be read; it is {SHAPE}") from None
    usual = {"connect_timeout": TO_CONNECT, "application_name": "interplay", **_KEEPALIVES}
    settings: Mapping[str, Any] = {**usual, **given, "client_encoding": "utf8"}
    try:
        raw: Raw = psycopg.connect(**settings, autocommit=True, context=_ADAPTERS)
    except psycopg.Error as error:
        raise Unreachable(f"{server} cannot be reached ({in_a_line(error, server)}); see --store") from None
    try:
        _check(raw, server)
        raw.execute(_SETTINGS)
    except BaseException:
        raw.close()
        raise
    return raw


def _check(raw: Raw, server: Server) -> None:
    if raw.info.server_version < OLDEST:
        version = raw.info.parameter_status("server_version")
        raise Mistake(f"{server} is PostgreSQL {version}, and a store needs {OLDEST // 10_000} or newer")
    if raw.info.parameter_status("server_encoding") != "UTF8":
        raise Mistake(
            f"{server} is no UTF-8 database; make another for the store: CREATE DATABASE ... ENCODING UTF8"
        )


def in_a_line(error: BaseException, server: Server) -> str:
    """What the driver says, shortened to what went wrong, with no secret in it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    told = next((line for line in lines if "FATAL" in line), lines[0])
    told = told.removeprefix("connection failed: ").rpartition("FATAL:")[2].strip()
    for secret in server.secrets:
        told = told.replace(secret, "***")
    return told


@contextmanager
def trouble_in_words(server: Server) -> Iterator[None]:
    """Turn the server's errors into one line that says what to do."""
    try:
        yield
    except (errors.DiskFull, errors.OutOfMemory) as error:
        raise StoreTrouble(
            f"no room to write {server}: {_told(error, server)}; make some and go on"
        ) from error
    except (errors.LockNotAvailable, errors.QueryCanceled, errors.DeadlockDetected) as error:
        raise StoreTrouble(f"another program holds {server} locked; close it and go on") from error
    except (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction) as error:
        raise StoreTrouble(f"{server} cannot be written ({_told(error, server)})") from error
    except (errors.UndefinedTable, errors.InvalidSchemaName) as error:
        raise StoreTrouble(
            f"the store in {server} was deleted ({_told(error, server)}); put a copy back and go on, "
            "or start anew with another --store"
        ) from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise StoreTrouble(
            f"the connection to {server} was lost ({_told(error, server)}); see to the server and go on"
        ) from error
    except psycopg.Error as error:
        raise StoreTrouble(f"{server} cannot be written or read ({_told(error, server)})") from error


def _told(error: psycopg.Error, server: Server) -> str:
    return in_a_line(error, server)
