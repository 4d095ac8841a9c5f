"""kill -9 of one of several worker processes, and of the process that drives them: nothing lost, nothing paid twice."""

import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from interplay.models.loopback import Event, Loopback, serving
from tests.faults.harness import (
    PATIENCE,
    Job,
    Killer,
    allowed,
    check_record,
    finish,
    finished_rows,
    in_flight,
    start,
)
from tests.running.job import answer, command

LIMIT = 6
WORKERS = 2
TO_END = 10.0  # seconds that a worker has, once nobody drives it

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="needs /proc, to find the workers"
)


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """Undisturbed, and played by one process alone."""
    made = Job(tmp_path_factory.mktemp("calm"), LIMIT)
    made.undisturbed()
    return made


def line_of(url: str, store: Path) -> list[str]:
    return command(url, store, limit=LIMIT, more=("--workers", str(WORKERS)))


def workers_of(driver: int) -> list[int]:
    """The processes that a driver has started and that are alive."""
    with suppress(OSError):
        found = Path(f"/proc/{driver}/task/{driver}/children").read_text().split()
        return [pid for pid in map(int, found) if is_alive(pid)]
    return []


def is_alive(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    return False


def all_workers_of(driver: int) -> list[int]:
    """The workers of a driver, once all are there."""
    deadline = time.monotonic() + PATIENCE
    while len(found := workers_of(driver)) < WORKERS:
        assert time.monotonic() < deadline, "the workers were not started"
        time.sleep(0.005)
    return found


def wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + allowed(TO_END)
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, "a process outlives what ends it"
        time.sleep(0.005)


@dataclass
class WorkerKiller:
    """Kills one of a driver's workers at each of these events of the ledger."""

    events: set[int]
    rng: Random
    driver: int = 0
    seen: int = 0
    killed: list[int] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        self.seen += 1
        if self.seen in self.events:
            pid = self.rng.choice(workers_of(self.driver))
            os.kill(pid, signal.SIGKILL)
            wait_until_gone([pid])  # no event happens between the kill and the death
            self.killed.append(pid)


def check_with_a_worker_killed(job: Job, store: Path, events: set[int], seed: int) -> None:
    """The run goes on by itself and comes to the undisturbed table."""
    killer = WorkerKiller(events, Random(seed))
    loopback = Loopback(answer, latency=0.02, jitter=0.02, seed=seed, watch=killer)
    with serving(loopback) as url:
        process = start(line_of(url, store))
        killer.driver = process.pid
        code, out, err = finish(process)
    assert code == 0, err
    assert len(killer.killed) == len(events), "nobody was killed: it says nothing"
    assert "ended before their time" in err
    assert "Traceback" not in err
    assert out == job.table, "the table differs from the undisturbed run's"
    assert loopback.calls - job.calls <= in_flight(store), "more was paid for again than was in flight"
    assert len(finished_rows(store)) == job.calls
    check_record(store)


@pytest.mark.fault("worker killed", times=2)
def test_workers_that_are_killed_are_replaced_and_the_run_goes_on(job: Job, tmp_path: Path) -> None:
    check_with_a_worker_killed(job, tmp_path / "a.db", {9, 61}, 1)


@pytest.mark.soak
@pytest.mark.fault("worker killed", times=2)
@pytest.mark.parametrize("seed", range(2, 22))
def test_workers_that_are_killed_anywhere(job: Job, tmp_path: Path, seed: int) -> None:
    events = set(Random(seed).sample(range(1, 2 * job.calls - 20), 2))
    check_with_a_worker_killed(job, tmp_path / "a.db", events, seed)


def check_with_the_driver_killed(job: Job, store: Path, events: list[int], seed: int) -> None:
    """Its workers end with it; the same command comes to the undisturbed table."""
    killer, kept = Killer(), finished_rows(store)
    loopback = Loopback(answer, latency=0.02, jitter=0.02, seed=seed, watch=killer)
    with serving(loopback) as url:
        for at in events:
            killer.aim(at)
            killer.process = process = start(line_of(url, store))
            workers = all_workers_of(process.pid)
            killer.started.set()
            code, _, err = finish(process)
            assert code == -signal.SIGKILL, err
            wait_until_gone(workers)
            assert kept <= finished_rows(store), "a finished row was lost"
            kept = finished_rows(store)
        killer.aim(0)
        code, out, err = finish(start(line_of(url, store)))
    assert code == 0, err
    assert kept <= finished_rows(store), "a finished row was lost"
    assert out == job.table, "the table differs from the undisturbed run's"
    assert loopback.calls - job.calls <= in_flight(store), "more was paid for again than was in flight"
    check_record(store)


@pytest.mark.fault("driver with workers killed", times=2)
def test_a_driver_that_is_killed_takes_its_workers_with_it(job: Job, tmp_path: Path) -> None:
    check_with_the_driver_killed(job, tmp_path / "a.db", [23, 40], 1)


@pytest.mark.soak
@pytest.mark.fault("driver with workers killed", times=4)
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_driver_that_is_killed_anywhere(job: Job, tmp_path: Path, seed: int) -> None:
    rng = Random(seed)
    check_with_the_driver_killed(job, tmp_path / "a.db", [rng.randint(1, 24) for _ in range(4)], seed)


@pytest.mark.fault("Ctrl-C once, SIGTERM")
def test_ctrl_c_stops_the_driver_and_its_workers_and_loses_nothing(job: Job, tmp_path: Path) -> None:
    store, come = tmp_path / "a.db", threading.Event()
    loopback = Loopback(answer, latency=0.05, watch=lambda event: come.set() if loopback.calls > 8 else None)
    with serving(loopback) as url:
        process = start(line_of(url, store))
        assert come.wait(PATIENCE)
        workers = all_workers_of(process.pid)
        process.send_signal(signal.SIGINT)
        code, _, err = finish(process)
        assert code == 130, err
        assert "The same command goes on." in err
        assert "Traceback" not in err
        wait_until_gone(workers)
        assert in_flight(store) == 0
        assert len(finished_rows(store)) == loopback.calls
        code, out, err = finish(start(line_of(url, store)))
    assert (code, out) == (0, job.table), err
    assert loopback.calls == job.calls
