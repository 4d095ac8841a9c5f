"""--workers: real processes, killed at any event of the ledger, and gone when their driver is."""

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from interplay.models.loopback import Event, Loopback, serving
from tests.faults.harness import PATIENCE, Killer, check_record, finish, finished_rows, in_flight, start
from tests.running.job import answer, command

LIMIT = 6


def children_of(process: int) -> list[int]:
    """The processes that a process started and that are there."""
    try:
        return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until_gone(processes: list[int]) -> None:
    deadline = time.monotonic() + PATIENCE
    while any(map(is_alive, processes)):
        assert time.monotonic() < deadline, "a worker outlived its driver"
        time.sleep(0.02)


@dataclass
class WorkerKiller:
    """Kills a worker process of a driver at each of these events of the ledger."""

    at: set[int]
    seen: int = 0
    killed: int = 0
    process: subprocess.Popen[bytes] | None = None
    started: threading.Event = field(default_factory=threading.Event)

    def __call__(self, event: Event) -> None:
        self.seen += 1
        if self.seen in self.at:
            self.started.wait(PATIENCE)
            assert self.process is not None
            alive = [one for one in children_of(self.process.pid) if is_alive(one)]
            os.kill(alive[0], signal.SIGKILL)
            self.killed += 1


@dataclass(frozen=True)
class Calm:
    table: str
    calls: int


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Calm:
    """The undisturbed twin, by one process alone."""
    loopback = Loopback(answer)
    with serving(loopback) as url:
        line = command(url, tmp_path_factory.mktemp("calm") / "a.db", limit=LIMIT)
        code, out, err = finish(start(line))
    assert code == 0, err
    return Calm(out, loopback.calls)


def with_workers(url: str, store: Path) -> list[str]:
    return command(url, store, limit=LIMIT, more=("--workers", "2"))


@pytest.mark.parametrize("at", [{1}, {9, 40}])
def test_killed_workers_are_replaced_and_nothing_is_lost_or_paid_for_twice(
    tmp_path: Path, calm: Calm, at: set[int]
) -> None:
    killer = WorkerKiller(at)
    loopback = Loopback(answer, latency=0.01, jitter=0.01, seed=2, watch=killer)
    with serving(loopback) as url:
        killer.process = start(with_workers(url, tmp_path / "a.db"))
        killer.started.set()
        code, out, err = finish(killer.process)
    assert (code, killer.killed) == (0, len(at)), err
    assert f"{len(at)} worker processes ended before their time; others went on" in err
    assert out == calm.table
    check_record(tmp_path / "a.db")
    assert loopback.calls - calm.calls <= in_flight(tmp_path / "a.db")


@pytest.mark.parametrize("at", [3, 50])
def test_a_killed_driver_takes_its_workers_along_and_the_same_command_goes_on(
    tmp_path: Path, calm: Calm, at: int
) -> None:
    store, killer = tmp_path / "a.db", Killer()
    workers: list[int] = []

    def watch(event: Event) -> None:
        if killer.process is not None and not workers:
            workers.extend(children_of(killer.process.pid))
        killer(event)

    loopback = Loopback(answer, latency=0.01, jitter=0.01, seed=at, watch=watch)
    with serving(loopback) as url:
        killer.aim(at)
        killer.process = start(with_workers(url, store))
        killer.started.set()
        code, _, _ = finish(killer.process)
        assert code == -signal.SIGKILL
        assert len(workers) == 2
        until_gone(workers)
        kept = finished_rows(store)
        killer.aim(0)
        code, out, err = finish(start(with_workers(url, store)))
    assert code == 0, err
    assert kept <= finished_rows(store)
    assert out == calm.table
    check_record(store)
    assert loopback.calls - calm.calls <= in_flight(store)


def test_ctrl_c_at_the_terminal_stops_the_driver_and_its_workers_and_loses_nothing(
    tmp_path: Path, calm: Calm
) -> None:
    store, come = tmp_path / "a.db", threading.Event()
    loopback = Loopback(answer, latency=0.05, watch=lambda event: come.set() if loopback.calls > 8 else None)
    with serving(loopback) as url:
        process = start(with_workers(url, store))
        assert come.wait(PATIENCE)
        workers = children_of(process.pid)
        process.send_signal(signal.SIGINT)
        code, _, err = finish(process)
        assert code == 130, err
        assert "The same command goes on." in err
        assert "Traceback" not in err
        until_gone(workers)
        assert in_flight(store) == 0
        assert len(finished_rows(store)) == loopback.calls
        code, out, err = finish(start(with_workers(url, store)))
    assert (code, out) == (0, calm.table), err
    assert loopback.calls == calm.calls
