"""The benchmarks as tasks of Inspect's, over HTTP on loopback: the same bots come to the same numbers as in a run."""

import asyncio
import gc
import warnings
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import Any, TypeVar

import inspect_ai
import pytest
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, get_model
from inspect_ai.scorer import Scorer

from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Estimate
from interplay.core.trials import Trial
from interplay.models.connecting import Directory
from interplay.models.loopback import Asked, Loopback, Script, serving
from interplay.running.engine import Engine
from interplay.running.how import How
from interplay.running.looping import carried_out
from interplay.running.results import board_of, judged_of
from interplay.running.spec import make_spec
from interplay.running.tally import Tally
from interplay.running.validating import by_endpoint_name
from interplay.store.records import Records

# Inspect's own call of the library that retries for it.
pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning")
T = TypeVar("T")
SEED = 3
KEY_POINTS = 5  # of social_interaction, unless an option says


@dataclass(frozen=True)
class Inspector:
    """Evaluates tasks with Inspect, whose every model is a bot behind one endpoint."""

    url: str
    folder: Path

    made: list[Model] = field(default_factory=list)

    def model(self, name: str | Model, **settings: Any) -> Model:
        """A model of Inspect's own openai provider, at our endpoint."""
        if isinstance(name, Model) or name == "none":
            return get_model(name)
        remote: dict[str, Any] = {"base_url": self.url, "api_key": "none", "responses_api": False}
        self.made.append(get_model(name, memoize=False, **remote, **settings))
        return self.made[-1]

    def evaluates(
        self, task: Any, model: str, roles: Mapping[str, Sequence[str | Model]] | None = None, **more: Any
    ) -> EvalLog:
        cast = {role: [self.model(one) for one in named] for role, named in (roles or {}).items()}
        settings = {"limit": 2, "epochs": 1, "log_dir": str(self.folder), **more}
        [log] = self._waits_for(
            inspect_ai.eval_async(task, model=self.model(model), model_roles=cast, **settings)
        )
        return log

    def judges_again(self, log: EvalLog, scorer: Scorer, judge: str) -> EvalLog:
        judges = {"judge": self.model(judge)}
        return self._waits_for(inspect_ai.score_async(log, [scorer], model_roles=judges, action="overwrite"))

    def _waits_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Inspect leaves connections and streams open: they are closed here, and not in another test."""

        async def closing() -> T:
            try:
                return await work
            finally:
                while self.made:
                    await self.made.pop().api.aclose()

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.freeze()  # what was there before need not be gone through
            done = asyncio.run(closing())
            gc.collect()
            gc.unfreeze()
        return done


@contextmanager
def inspecting(scripts: Mapping[str, Script] | Script, folder: Path) -> Iterator[tuple[Inspector, Loopback]]:
    loopback = Loopback(scripts)
    with serving(loopback) as url:
        yield Inspector(url, folder), loopback


def heard_by_a_bot(script: Script) -> Script:
    """What Inspect asks, as our bots know it: it says developer, and its schemas do not say how many of something."""

    def answer(asked: Asked) -> Any:
        plain = tuple(
            {**message, "role": "system"} if message["role"] == "developer" else message
            for message in asked.messages
        )
        if asked.schema and "points" in asked.schema["properties"]:
            asked.schema["properties"]["points"].setdefault("maxItems", KEY_POINTS)
        return script(replace(asked, messages=plain))

    return answer


def numbers_of(log: EvalLog) -> dict[str, float]:
    """The board as Inspect's log has it."""
    assert log.status == "success", log.error
    assert log.results is not None
    found = [score for score in log.results.scores if score.name == "verdicts" and score.metrics]
    assert len(found) == 1
    return {name: metric.value for name, metric in found[0].metrics.items()}


def row_of(board: Board, model: str) -> dict[str, float]:
    """The same of our own board: every number of a model's row, with its interval."""
    [row] = [row for row in board.rows if row["model"] == model]
    found: dict[str, float] = {}
    for column in board.columns:
        cell = row.get(column.key)
        if isinstance(cell, Estimate):
            ends = {"": cell.value, "_low": cell.low, "_high": cell.high, "_n": cell.n}
            found |= {f"{column.key}{end}": float(value) for end, value in ends.items() if value is not None}
        elif isinstance(cell, int | float):
            found[column.key] = float(cell)
    return {name: found[name] for name in found if name not in ("rank", "tokens", "cost")}


@dataclass(frozen=True)
class Ran:
    """A run by our own engine."""

    board: Board
    scores: dict[str, dict[tuple[str, str, str], float]]  # by scenario: (name, source, model)


def run_by_us(benchmark: Benchmark, trial: Trial, folder: Path, limit: int) -> Ran:
    with serving(Loopback(by_endpoint_name(trial.scripts(SEED)))) as url:
        settings = {"models": trial.models, "roles": trial.roles, "options": trial.options}
        spec = make_spec(benchmark, **settings, seed=SEED, limit=limit, epochs=1)
        how = How(folder / "interplay.db", Directory(base_url=url, environment={}), 8)
        run = carried_out(Engine(benchmark, spec, how, Tally()).carry_out())
    with Records(how.store) as records:
        found = records.find(run.id)
        scores = {
            one.row.scenario.label: {(s.name, s.source, s.model): s.value for s in one.scores}
            for one in judged_of(records, found, benchmark)
        }
        return Ran(board_of(records, found, benchmark), scores)


@dataclass(frozen=True)
class Case:
    """A trial of a benchmark, in small: so many of its models sit down together."""

    trial: str
    options: Mapping[str, str]
    models: int = 1
    limit: int = 1


CASES = {
    "pingpong": Case("players with faults", {"turns": "3"}, limit=2),
    "simulbench": Case("simulators that err", {}, limit=2),
    "age": Case("describers against a listener", {}, limit=2),
    "word_guessing": Case("guessers half a logit apart", {"rounds": "2"}, models=4),
    "tod": Case("systems that mishear", {"exchanges": "4"}),
    "anteval": Case("who tells a part", {"moves": "8"}),
}


@pytest.mark.parametrize("name", CASES)
def test_inspect_s_numbers_are_those_of_a_run(name: str, tmp_path: Path) -> None:
    """The board with its intervals, and every score of every conversation, judge by judge."""
    benchmark, case = find(name), CASES[name]
    [trial] = [trial for trial in benchmark.trials if trial.name == case.trial]
    trial = replace(trial, options={**trial.options, **case.options}, models=trial.models[: case.models])
    ours = run_by_us(benchmark, trial, tmp_path, case.limit)
    measured, *others = trial.models
    roles = {**trial.roles, **({"player": others} if others else {})}
    scripts = {key: heard_by_a_bot(one) for key, one in by_endpoint_name(trial.scripts(SEED)).items()}
    with inspecting(scripts, tmp_path) as (inspector, _):
        typed = {**trial.options, "seed": SEED}
        log = inspector.evaluates(f"interplay/{name}", measured, roles, limit=case.limit, task_args=typed)
    expected = row_of(ours.board, measured)
    for other in others:
        expected |= {f"{other} {key}": value for key, value in row_of(ours.board, other).items()}
    assert numbers_of(log) == expected
    scored = {
        str(sample.id): {(s["name"], s["source"], s["model"]): s["value"] for s in _scores(sample)}
        for sample in log.samples or []
    }
    assert scored == ours.scores
    first = benchmark.measures(benchmark.settle(trial.options))[0]
    values = [sample.scores["verdicts"].value[first.name] for sample in log.samples or []]
    assert len(values) == case.limit
    assert not all(map(isnan, values))


def _scores(sample: Any) -> list[dict[str, Any]]:
    return list(sample.scores["verdicts"].metadata["scores"])
