"""The database of a store, one SQLite file as a rule: opening it, bringing it up to date, its errors in words."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import apsw

from interplay.core.failures import Mistake, StoreTrouble
from interplay.store import files
from interplay.store.places import Server, Store
from interplay.store.schema import MIGRATIONS

if TYPE_CHECKING:
    from interplay.store import postgres_connection

APPLICATION_ID = 0x1A7E8B1A
SMALLEST_DATABASE = 512  # bytes: anything shorter is some other file
WAIT_FOR_A_LOCK = 60_000  # milliseconds
TO_MAKE_A_STORE = 2.0  # seconds that another process may take
SAFE_SQLITE = (3, 51, 3)  # older ones can damage a WAL store that several connections write


def connect(store: Store, *, create: bool) -> apsw.Connection:
    """A connection to the store at this place, of the newest version."""
    if isinstance(store, Server):
        from interplay.store import postgres  # the driver is an extra

        return cast(apsw.Connection, postgres.connect(store, create=create))  # it does what of apsw we use
    return _open(store, create=create)


def is_of_server(connection: object) -> "TypeGuard[postgres_connection.Connection]":
    """Does the connection lead to a server, and not to a file?"""
    return not isinstance(connection, apsw.Connection)


def _open(path: Path, *, create: bool) -> apsw.Connection:
    if path.is_dir():
        raise Mistake(f"the store {path} is a folder; name a file with --store")
    if not create and files.is_empty(path) and not _comes(path, lambda: not files.is_empty(path)):
        raise Mistake(f"{path} is empty, and no store; name another file with --store")
    if path.is_file() and 0 < path.stat().st_size < SMALLEST_DATABASE:
        raise Mistake(f"{path} is no database; name another file with --store")
    if not create and not path.exists():
        raise Mistake(f"there is no store at {path}; name one with --store, or start a run here")
    check_folder(path)
    files.refuse_shortened(path)
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    with trouble_in_words(path):
        connection = apsw.Connection(os.fspath(path), flags=flags)
        connection.set_busy_timeout(WAIT_FOR_A_LOCK)
        _refuse_strangers(connection, path)
        _write_ahead(connection)
        connection.pragma("synchronous", "full")
        connection.pragma("foreign_keys", True)
        _migrate(connection, path)
    return connection


def let_go(connection: apsw.Connection, store: Store) -> None:
    """Close a connection; into a file that was cut short, nothing more is written."""
    if isinstance(store, Server):
        connection.close()
    else:
        files.close(connection, store)


def check_folder(path: Path) -> None:
    """Raise a Mistake if no store can be there for want of a folder."""
    if not path.parent.is_dir():
        raise Mistake(f"the folder of the store, {path.parent}, does not exist")


def check_new(path: Store) -> None:
    """Raise a Mistake if a new store cannot, or should not, be made here."""
    if isinstance(path, Server):
        return  # it was asked whether it has a store, and answered
    check_folder(path)
    locks = locks_of(path)
    if locks.is_dir() and any(locks.iterdir()) and not _comes(path, path.exists):
        raise Mistake(
            f"the store {path} is gone, but {locks.name} beside it says that there was one: put it back, "
            f"or remove {locks.name} to start anew"
        )


def _comes(path: Path, is_there: Callable[[], bool]) -> bool:
    """A run that starts at the same time holds its lock before its store is there: it has a moment."""
    deadline = time.monotonic() + TO_MAKE_A_STORE
    while _is_being_locked(locks_of(path)) and not is_there() and time.monotonic() < deadline:
        time.sleep(0.02)
    return is_there()


def _is_being_locked(locks: Path) -> bool:
    """Does somebody hold a lock there, or has made one just now and not yet said who it is?"""
    just_now = time.time() - TO_MAKE_A_STORE
    try:
        found = [(one.suffix == ".holder", one.stat().st_mtime) for one in locks.iterdir()]
    except OSError:
        return locks.is_dir()  # one went away meanwhile
    return any(is_held or made > just_now for is_held, made in found)


def locks_of(path: Path) -> Path:
    """The folder of a store's locks."""
    return path.with_name(path.name + ".locks")


def _write_ahead(connection: apsw.Connection) -> None:
    """Switch a new store to WAL; SQLite does not wait here for another connection, so we do."""
    deadline = time.monotonic() + WAIT_FOR_A_LOCK / 1000
    while True:
        try:
            connection.pragma("journal_mode", "wal")
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _refuse_strangers(connection: apsw.Connection, path: Path) -> None:
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if tables and connection.pragma("application_id") != APPLICATION_ID:
        raise Mistake(f"{path} is a database of another program; name another file with --store")


def _migrate(connection: apsw.Connection, path: Path) -> None:
    if connection.pragma("user_version") > len(MIGRATIONS):
        raise Mistake(f"{path} was written by a newer Interplay; update with pip install -U interplay")
    if connection.pragma("user_version") == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")  # asked again below: two processes may open a new store at once
    with connection:
        for version in range(connection.pragma("user_version"), len(MIGRATIONS)):
            connection.execute(MIGRATIONS[version])
            connection.pragma("user_version", version + 1)
        connection.pragma("application_id", APPLICATION_ID)
    connection.execute("COMMIT")


@contextmanager
def writing(connection: apsw.Connection, store: Store, *, in_turn: bool = True) -> Iterator[apsw.Connection]:
    """A short transaction: all of it is on disk when the block ends, or nothing where it raises.

    One that may be long, and reads nothing that others change, need not keep theirs waiting where the database can.
    """
    with trouble_in_words(store):
        if is_of_server(connection):
            from interplay.store import postgres

            with postgres.writing(connection, in_turn=in_turn):
                yield cast(apsw.Connection, connection)
            return
        connection.execute("BEGIN IMMEDIATE")
        written = False
        try:
            yield connection
            written = True
        finally:
            connection.execute("COMMIT" if written else "ROLLBACK")


@contextmanager
def snapshot(connection: apsw.Connection, store: Store) -> Iterator[None]:
    """Everything within is read from the same state of the store, while a run may go on."""
    if connection.in_transaction:
        yield
        return
    with trouble_in_words(store):
        if is_of_server(connection):
            from interplay.store import postgres

            with postgres.snapshot(connection):
                yield
            return
        connection.execute("BEGIN")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")


@contextmanager
def patience(connection: apsw.Connection, milliseconds: int) -> Iterator[None]:
    """Wait so long, and not longer, for others who write."""
    if is_of_server(connection):
        from interplay.store import postgres

        with postgres.patience(connection, milliseconds):
            yield
        return
    connection.set_busy_timeout(milliseconds)
    try:
        yield
    finally:
        connection.set_busy_timeout(WAIT_FOR_A_LOCK)


def streamed(connection: apsw.Connection, query: str, values: tuple[Any, ...]) -> Iterator[Any]:
    """The rows one by one, however many there are."""
    if is_of_server(connection):
        return connection.stream(query, values)
    return connection.execute(query, values)


def alone(connection: apsw.Connection) -> None:
    """For the rest of this transaction nobody else writes the store; in SQLite that is so anyway."""
    if is_of_server(connection):
        from interplay.store import postgres

        postgres.sweep(connection)


def integrity(connection: apsw.Connection) -> str:
    """What the database's own check says; "ok" is good."""
    if is_of_server(connection):
        from interplay.store import postgres

        return postgres.integrity(connection)
    return str(connection.pragma("integrity_check"))


@contextmanager
def trouble_in_words(store: Store) -> Iterator[None]:
    """Turn the database's errors into one line that says what to do."""
    if isinstance(store, Server):
        from interplay.store import postgres_connection

        with postgres_connection.trouble_in_words(store):
            yield
        return
    with _trouble_of_sqlite(store):
        yield


@contextmanager
def _trouble_of_sqlite(path: Path) -> Iterator[None]:
    try:
        yield
    except apsw.FullError as error:
        raise StoreTrouble(f"no room to write {path}: the disk is full; free some and go on") from error
    except apsw.BusyError as error:
        raise StoreTrouble(f"another program holds {path} locked; close it and go on") from error
    except apsw.NotADBError as error:
        raise Mistake(f"{path} is no Interplay store; name another file with --store") from error
    except apsw.CorruptError as error:
        raise StoreTrouble(
            f"{path} is damaged ({error}); restore a copy, or name another with --store"
        ) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StoreTrouble(f"{path} cannot be opened for writing ({error})") from error
    except apsw.IOError as error:
        raise StoreTrouble(
            f"{path} cannot be written or read ({error}); see to the disk and its limits, then go on"
        ) from error
    except apsw.Error as error:
        raise StoreTrouble(f"{path} cannot be written or read ({error})") from error


class Whereabouts:
    """Notices when the store's file was deleted, replaced or cut short behind our back."""

    def __init__(self, path: Path):
        self.path = path
        found = path.stat()
        self._identity = (found.st_dev, found.st_ino)
        self._size = found.st_size

    def check(self) -> None:
        try:
            found = self.path.stat()
        except OSError:
            raise StoreTrouble(
                f"the store {self.path} was deleted while the run was writing it; "
                "put a copy back and go on, or start anew with another --store"
            ) from None
        if (found.st_dev, found.st_ino) != self._identity or found.st_size < self._size:
            raise StoreTrouble(
                f"the store {self.path} was replaced or cut short while the run was writing it; "
                "restore a copy and go on, or start anew with another --store"
            )
        self._size = found.st_size


def sqlite_version() -> tuple[int, ...]:
    return tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
