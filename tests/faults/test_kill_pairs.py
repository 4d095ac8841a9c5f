"""kill -9 while pairs are compared: no verdict is lost, none is paid for twice but what was in flight."""

import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import apsw
import pytest

from interplay.models.loopback import Loopback, serving
from tests.cli.duelists import MODELS, SCRIPTS, answers, write_scripts
from tests.faults.harness import Killer, check_record, finish, in_flight, start, start_anew

CALLS = 2 * 3 * SCRIPTS * 2  # orders, pairs, scripts, judges


def compare(url: str, store: Path) -> list[str]:
    judges = ("--model-role", "judge=openai/fair", "--model-role", "judge=openai/first")
    return ["pair", "last", *judges, "--base-url", url, "--store", str(store), "--json"]


def compared(store: Path) -> set[tuple[Any, ...]]:
    """Every answered call of a comparison, under its whole address, and every verdict."""
    with_store = apsw.Connection(str(store))
    try:
        calls = "SELECT conversation, stage, item, participant, step, text, hex(raw) FROM calls"
        given = set(with_store.execute(calls + " WHERE stage LIKE 'pair %' AND state = 'done'"))
        verdicts = "SELECT conversation, item, judge, rubric, data FROM verdicts WHERE failure = ''"
        return given | set(with_store.execute(verdicts))
    finally:
        with_store.close()


@dataclass
class Comparison:
    """A run that is played once and copied; every copy is compared, disturbed or not."""

    folder: Path
    table: str = ""

    def prepare(self) -> None:
        with serving(Loopback(answers)) as url:
            cast = [part for name in MODELS for part in ("--model", name)]
            data = str(write_scripts(self.folder))
            where = ["--base-url", url, "--store", str(self.folder / "played.db"), "--json"]
            line = ["run", "simulation", "--data", data, *cast, "--model-role", "judge=openai/fair"]
            code, _, err = finish(start([*line, *where]))
        assert code == 0, err
        loopback = Loopback(answers)
        with serving(loopback) as url:
            code, self.table, err = finish(start_anew(compare(url, self.copy("calm"))))
        assert code == 0, err
        assert loopback.calls == CALLS

    def copy(self, name: str) -> Path:
        return Path(shutil.copy(self.folder / "played.db", self.folder / f"{name}.db"))

    def killed_at(self, events: list[int], name: str) -> None:
        """Kill at each of these events in turn, then let it finish."""
        store, killer = self.copy(name), Killer()
        loopback = Loopback(answers, latency=0.002, jitter=0.004, seed=events[0], watch=killer)
        kept: set[tuple[Any, ...]] = set()
        with serving(loopback) as url:
            for at in events:
                killer.aim(at)
                killer.process = start(compare(url, store))
                killer.started.set()
                code, _, err = finish(killer.process)
                assert code == -signal.SIGKILL, err
                now = compared(store)
                assert kept <= now, "a verdict or a finished call was lost"
                kept = now
            killer.aim(0)
            code, out, err = finish(start(compare(url, store)))
        assert code == 0, err
        assert kept <= compared(store)
        check_record(store)
        assert out == self.table, "the table differs from the undisturbed one"
        assert loopback.calls - CALLS <= in_flight(store), "more was paid for again than was in flight"


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    made = Comparison(tmp_path_factory.mktemp("pairs"))
    made.prepare()
    return made


@pytest.mark.fault("kill -9")
@pytest.mark.parametrize("at", [1, 2, 40, 107, 108, 2 * CALLS - 40])
def test_a_kill_at_the_kth_ledger_event(comparison: Comparison, at: int) -> None:
    comparison.killed_at([at], f"once-{at}")


@pytest.mark.fault("chains of kills", times=5)
def test_a_chain_of_kills_on_one_comparison(comparison: Comparison) -> None:
    rng = Random(5)
    comparison.killed_at([rng.randint(1, 30) for _ in range(5)], "chain")


@pytest.mark.fault("kill -9", times=50)
@pytest.mark.soak
def test_fifty_kills(comparison: Comparison) -> None:
    rng = Random(50)
    for number in range(50):
        comparison.killed_at([rng.randint(1, 2 * CALLS - 40)], f"soak-{number}")
