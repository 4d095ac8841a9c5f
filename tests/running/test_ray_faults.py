"""A worker, a node, the driver of a run on Ray is killed: nothing finished is lost, and only what was in flight is paid
for again; the server's ledger is the oracle."""

import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interplay.models.loopback import Event, Loopback, serving
from tests.faults.harness import (
    Job,
    Killer,
    check_record,
    finish,
    finished_rows,
    in_flight,
    start,
)
from tests.running.job import answer, command
from tests.running.ray_cluster import RayCluster, cluster_of, descendants, gone_within, kill_an_actor

LIMIT = 6
LATENCY = 0.02


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    """Two nodes with one processor each."""
    with cluster_of(1, 1) as made:
        yield made


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    made = Job(tmp_path_factory.mktemp("calm"), LIMIT)
    made.undisturbed()
    return made


@dataclass
class Trouble:
    """Does something at each of these events of the ledger; where it came to nothing, at the next one."""

    at: list[int]
    cause: Callable[[int], bool]
    seen: int = 0
    caused: int = 0
    due: list[int] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        self.seen += 1
        if self.seen in self.at:
            self.due.append(self.seen)
        if self.due and self.cause(self.due[0]):
            self.due.pop(0)
            self.caused += 1


def check_ended(job: Job, store: Path, loopback: Loopback, out: str) -> None:
    """What must hold after every fault."""
    check_record(store)
    assert out == job.table, "the table differs from the undisturbed run's"
    assert len(finished_rows(store)) == job.calls, "every step has its finished row"
    assert loopback.calls - job.calls <= in_flight(store), "more was paid for again than was in flight"


def disturbed(job: Job, cluster: RayCluster, store: Path, trouble: Trouble) -> str:
    """The job on the cluster, disturbed; what it said."""
    loopback = Loopback(answer, latency=LATENCY, jitter=LATENCY, seed=trouble.at[0], watch=trouble)
    with serving(loopback) as url:
        more = ("--on", "ray", "--ray-address", cluster.address)
        line = command(url, store, limit=LIMIT, more=more)
        code, out, err = finish(start(line, **cluster.environment), 240)
    assert code == 0, err
    assert trouble.caused == len(trouble.at), "not all that was to happen did"
    check_ended(job, store, loopback, out)
    return err


def kill_workers(job: Job, cluster: RayCluster, store: Path, at: list[int]) -> None:
    trouble = Trouble(at, lambda turn: kill_an_actor(cluster.process.pid, turn))
    err = disturbed(job, cluster, store, trouble)
    told = re.search(r"^(\d+) worker processes ended before their time; others went on", err, re.MULTILINE)
    assert told is not None
    assert 1 <= int(told[1]) <= len(at)  # one that had not begun to play is not missed


@pytest.mark.fault("Ray worker killed", times=3)
def test_workers_are_killed_one_after_the_other(job: Job, cluster: RayCluster, tmp_path: Path) -> None:
    kill_workers(job, cluster, tmp_path / "a.db", [9, 30, 71])


@pytest.mark.fault("Ray worker killed", times=40)
@pytest.mark.soak
def test_forty_workers_are_killed(job: Job, cluster: RayCluster, tmp_path: Path) -> None:
    rng = Random(40)
    for number in range(10):
        at = sorted(rng.sample(range(2, 2 * job.calls - 20), 4))
        kill_workers(job, cluster, tmp_path / f"{number}.db", at)


def lose_a_node(job: Job, cluster: RayCluster, store: Path, at: int) -> None:
    def lose(_: int) -> bool:
        cluster.lose_a_node()
        return True

    try:
        err = disturbed(job, cluster, store, Trouble([at], lose))
    finally:
        cluster.add_a_node(1)
    assert "1 worker processes ended before their time" in err


@pytest.mark.fault("Ray node killed")
def test_a_node_is_killed_and_the_other_goes_on(job: Job, cluster: RayCluster, tmp_path: Path) -> None:
    lose_a_node(job, cluster, tmp_path / "a.db", 40)


@pytest.mark.fault("Ray node killed", times=10)
@pytest.mark.soak
def test_ten_nodes_are_killed(job: Job, cluster: RayCluster, tmp_path: Path) -> None:
    for number in range(10):
        lose_a_node(job, cluster, tmp_path / f"{number}.db", 3 + number * (2 * job.calls - 30) // 9)


@dataclass
class Bereaving(Killer):
    """Kills a driver, and remembers what it had started."""

    beside: set[int] = field(default_factory=set)

    def __call__(self, event: Event) -> None:
        if self.seen + 1 == self.at:
            self.started.wait(60)
            assert self.process is not None
            self.beside = descendants(self.process.pid)
        super().__call__(event)


def kill_drivers(job: Job, cluster: RayCluster, store: Path, events: list[int]) -> None:
    killer = Bereaving()
    loopback = Loopback(answer, latency=LATENCY, jitter=LATENCY, seed=events[0], watch=killer)
    own = store.with_suffix(".ray")  # where Ray would keep a cluster that nobody asked for
    own.mkdir()
    environment = {**cluster.environment, "RAY_TMPDIR": str(own)}
    kept: set[tuple[Any, ...]] = set()
    with serving(loopback) as url:
        more = ("--on", "ray", "--ray-address", cluster.address)
        line = command(url, store, limit=LIMIT, more=more)
        for at in events:
            killer.aim(at)
            killer.process = start(line, **environment)
            killer.started.set()
            code, _, err = finish(killer.process)
            assert (code, err) == (-signal.SIGKILL, "")
            assert gone_within(killer.beside, 20), "a process of the driver's outlived it"
            assert gone_within(set(cluster.actors()), 20), "workers outlived the driver that they play for"
            now = finished_rows(store)
            assert kept <= now, "a finished row was lost"
            kept = now
        killer.aim(0)
        code, out, err = finish(start(line, **environment))
    assert code == 0, err
    assert kept <= finished_rows(store), "a finished row was lost"
    check_ended(job, store, loopback, out)
    assert not list(own.iterdir()), "a cluster was started beside the one that is named"


@pytest.mark.fault("Ray driver killed")
def test_the_driver_is_killed_and_the_same_command_goes_on(
    job: Job, cluster: RayCluster, tmp_path: Path
) -> None:
    kill_drivers(job, cluster, tmp_path / "a.db", [33])


@pytest.mark.fault("Ray driver killed", times=20)
@pytest.mark.soak
def test_twenty_drivers_are_killed(job: Job, cluster: RayCluster, tmp_path: Path) -> None:
    rng = Random(20)
    for number in range(5):
        kill_drivers(job, cluster, tmp_path / f"{number}.db", [rng.randint(1, 28) for _ in range(4)])


@pytest.mark.fault("Ray driver killed")
@pytest.mark.soak
def test_a_cluster_that_was_started_for_the_run_dies_with_its_driver(job: Job, tmp_path: Path) -> None:
    store, seen, driver = tmp_path / "a.db", set[int](), list[int]()

    def look(event: Event) -> None:
        if driver:
            seen.update(descendants(driver[0]))
        killer(event)

    killer = Killer()
    killer.aim(20)
    loopback = Loopback(answer, latency=LATENCY, watch=look)
    with serving(loopback) as url:
        line = command(url, store, limit=LIMIT, more=("--on", "ray"))
        killer.process = start(line)
        driver.append(killer.process.pid)
        killer.started.set()
        assert finish(killer.process)[0] == -signal.SIGKILL
        assert len(seen) > 4
        assert gone_within(seen, 20), "the cluster was left running"
        driver.clear()
        code, out, err = finish(start(line))
    assert code == 0, err
    check_ended(job, store, loopback, out)
