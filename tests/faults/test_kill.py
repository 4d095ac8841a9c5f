"""kill -9 at any event of the server's ledger loses nothing and pays for nothing twice but what was in flight."""

from random import Random

import pytest

from tests.faults.harness import Job

LIMIT = 3


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    made = Job(tmp_path_factory.mktemp("killed"), LIMIT)
    made.undisturbed()
    assert made.calls == LIMIT * (4 + 4 + 2)
    return made


@pytest.mark.fault("kill -9")
@pytest.mark.parametrize("part", range(20))
def test_a_kill_at_the_kth_ledger_event(job: Job, part: int) -> None:
    events = 2 * job.calls  # a request and a reply each
    job.killed_at([1 + part * (events - 1) // 19], f"once-{part}")


@pytest.mark.fault("chains of kills", times=10)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.soak)])
def test_a_chain_of_ten_kills_on_one_run(job: Job, seed: int) -> None:
    rng = Random(seed)
    job.killed_at([rng.randint(1, 9) for _ in range(10)], f"chain-{seed}")


@pytest.fixture(scope="module")
def long_job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    made = Job(tmp_path_factory.mktemp("long"), 8)
    made.undisturbed()
    return made


@pytest.mark.fault("kill -9", times=20)
@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_two_hundred_kills(long_job: Job, part: int) -> None:
    rng = Random(f"kills {part}")
    for number in range(20):
        long_job.killed_at([rng.randint(1, 2 * long_job.calls)], f"soak-{part}-{number}")


@pytest.mark.fault("chains of kills", times=10)
@pytest.mark.soak
@pytest.mark.parametrize("part", range(20))
def test_twenty_chains_of_ten_kills(long_job: Job, part: int) -> None:
    rng = Random(f"chains {part}")
    long_job.killed_at([rng.randint(1, 20) for _ in range(10)], f"chain-{part}")
