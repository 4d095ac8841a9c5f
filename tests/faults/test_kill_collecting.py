"""kill -9 in every stage from tasks to scores: resumed, each comes to what it comes to undisturbed."""

import json
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interplay.models.loopback import Loopback, serving
from tests.benchmarks.dialogue_bots import SCRIPTS
from tests.faults.harness import (
    Killer,
    Process,
    Recorded,
    check_record,
    finish,
    finished_rows,
    in_flight,
    start,
    start_anew,
)

STAGES = ("collect", "extract", "run")
TASKS = 10
JUDGES = ("judge", "judge-2", "judge-3")
FEWEST = 20  # calls of a stage, so that there is something to disturb


@dataclass
class Pipeline:
    """Three stages in one store, and what each of them left behind undisturbed."""

    folder: Path
    told: dict[str, Any] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    disturbed: int = 0

    def line(self, stage: str, url: str, name: str) -> list[str]:
        where = ["--base-url", url, "--store", str(self.store(name)), "--json"]
        match stage:
            case "collect":
                cast = ["--model", "openai/sim", "--model-role", "user=openai/user"]
                # the bots say the same in every repeat, which would give the same scripts again
                return ["collect", "simulation", *cast, "--limit", str(TASKS), "--epochs", "1", *where]
            case "extract":
                judges = [part for name in JUDGES for part in ("--model-role", f"judge=openai/{name}")]
                return ["extract", "last", *judges, "--out", str(self.scripts(name)), *where]
            case _:
                cast = ["--model", "openai/tested", "--model-role", "judge=openai/rater"]
                return ["run", "simulation", *cast, "--data", str(self.scripts("calm")), *where]

    def store(self, name: str) -> Path:
        return self.folder / f"{name}.db"

    def scripts(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"

    def undisturbed(self) -> None:
        for stage in STAGES:
            loopback = Loopback(SCRIPTS)
            with serving(loopback) as url:
                self.told[stage] = self.finished(stage, url, "calm", start_anew)
            self.calls[stage] = loopback.calls
            shutil.copy(self.store("calm"), self.store(f"after {stage}"))

    def finished(self, stage: str, url: str, name: str, begin: Callable[[list[str]], Process] = start) -> Any:
        """What a stage prints when it is let be; where the file is makes no difference."""
        code, out, err = finish(begin(self.line(stage, url, name)))
        assert code == 0, err
        return {key: value for key, value in json.loads(out).items() if key != "file"}

    def killed_at(self, stage: str, events: list[int]) -> str:
        """Kill a stage at each of these events in turn, then let it finish; the name of what it left behind."""
        self.disturbed += 1
        name = f"{stage}-{self.disturbed}"  # of its own, however often a stage is killed at the same event
        if stage != STAGES[0]:
            shutil.copy(self.store(f"after {STAGES[STAGES.index(stage) - 1]}"), self.store(name))
        killer = Killer()
        loopback = Loopback(SCRIPTS, latency=0.002, jitter=0.004, seed=events[0], watch=killer)
        kept: set[tuple[Any, ...]] = set()
        with serving(loopback) as url:
            for at in events:
                killer.aim(at)
                killer.process = start(self.line(stage, url, name))
                killer.started.set()
                code, _, err = finish(killer.process)
                if code == 0 and kept:
                    break  # where kills come late, little is left for the last of them
                assert code == -signal.SIGKILL, err
                assert not self.scripts(name).exists(), "a part of the scripts was written"
                now = finished_rows(self.store(name))
                assert kept <= now, "a finished row was lost"
                kept = now
            killer.aim(0)
            told = self.finished(stage, url, name)
        assert kept <= finished_rows(self.store(name)), "a finished row was lost"
        check_record(self.store(name))
        assert told == self.told[stage], "the stage came to something else than undisturbed"
        assert loopback.calls - self.calls[stage] <= in_flight(self.store(name))
        return name


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    made = Pipeline(tmp_path_factory.mktemp("stages"))
    made.undisturbed()
    assert made.calls["collect"] == TASKS * (4 + 3)
    assert made.calls["extract"] == TASKS * len(JUDGES)
    assert min(made.calls.values()) >= FEWEST
    return made


@pytest.mark.fault("kill -9")
@pytest.mark.parametrize("part", [0.0, 0.5, 0.95])
@pytest.mark.parametrize("stage", STAGES)
def test_a_kill_at_the_kth_ledger_event(pipeline: Pipeline, stage: str, part: float) -> None:
    at = 1 + int(part * 2 * pipeline.calls[stage])  # a request and a reply each
    name = pipeline.killed_at(stage, [at])
    if stage == "extract":
        assert pipeline.scripts(name).read_bytes() == pipeline.scripts("calm").read_bytes()


@pytest.mark.fault("chains of kills", times=5)
def test_a_chain_of_kills_while_dialogues_are_collected_leaves_the_same_scripts(pipeline: Pipeline) -> None:
    rng = Random(3)
    name = pipeline.killed_at("collect", [rng.randint(1, 40) for _ in range(5)])
    with serving(Loopback(SCRIPTS)) as url:
        assert pipeline.finished("extract", url, name) == pipeline.told["extract"]
    assert pipeline.scripts(name).read_bytes() == pipeline.scripts("calm").read_bytes()


@pytest.mark.fault("chains of kills", times=5)
def test_a_chain_of_kills_while_dialogues_are_judged_leaves_the_same_scripts(pipeline: Pipeline) -> None:
    name = pipeline.killed_at("extract", [9, 2, 11, 1, 5])
    assert pipeline.scripts(name).read_bytes() == pipeline.scripts("calm").read_bytes()


@pytest.mark.fault("kill -9")
@pytest.mark.soak
@pytest.mark.parametrize("stage", STAGES)
def test_a_kill_at_every_third_event(pipeline: Pipeline, stage: str, record_property: Recorded) -> None:
    events = range(1, 2 * pipeline.calls[stage] - 5, 3)
    for at in events:
        pipeline.killed_at(stage, [at])
    record_property("times", len(events))
