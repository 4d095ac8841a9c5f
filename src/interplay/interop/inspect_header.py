"""The head of a log of Inspect: what the run is, who sat in which role, what the board says, what it used."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from importlib.metadata import version
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalPlan,
    EvalPlanStep,
    EvalResults,
    EvalScore,
    EvalSpec,
    EvalStats,
    HeadlineMetric,
)
from inspect_ai.model import GenerateConfig, ModelConfig

from interplay.core.board import Board, Cell, Column, Estimate
from interplay.interop.inspect_calls import JUDGE, Calls
from interplay.interop.inspect_usage import Usage
from interplay.interop.inspect_values import id_of, plain, task_id
from interplay.running.pairing import judges_of_pairs
from interplay.store.browsing import TOGETHER
from interplay.store.records import ConversationRow, Run

BOARD = "board"


@dataclass
class Seen:
    """What the head of a log tells of its conversations, gathered while they are written."""

    usage: Usage = field(default_factory=Usage)
    sample_ids: dict[str, None] = field(default_factory=dict)  # in order, each once
    states: dict[str, int] = field(default_factory=dict)
    cast: dict[str, dict[str, None]] = field(default_factory=dict)  # the models of each role
    sampling: dict[tuple[str, str], dict[str, GenerateConfig]] = field(default_factory=dict)
    moments: list[datetime] = field(default_factory=list)  # the first and the last

    def look(self, row: ConversationRow, calls: Calls, id: str) -> None:
        """Take in one conversation."""
        self.usage.add(calls.all)
        self.sample_ids[id] = None
        self.states[row.state] = self.states.get(row.state, 0) + 1
        for role, model in row.cast.items():
            self.cast.setdefault(role, {})[model] = None
        for call in calls.all:
            self.cast.setdefault(call.role, {})[call.model] = None
            config = calls.sampling(call)
            self.sampling.setdefault((call.role, call.model), {})[config.model_dump_json()] = config
            moments = (*self.moments, call.began, call.ended)
            self.moments = [min(moments), max(moments)]

    def model_roles(self) -> dict[str, ModelConfig | list[ModelConfig]]:
        """Who sat in each role, sampled in every way that was used."""
        found: dict[str, ModelConfig | list[ModelConfig]] = {}
        for role, models in sorted(self.cast.items()):
            configs = [config for model in models for config in self._configs(role, model)]
            found[role] = configs[0] if len(configs) == 1 else configs
        return found

    def _configs(self, role: str, model: str) -> Iterator[ModelConfig]:
        for config in self.sampling.get((role, model), {"": GenerateConfig()}).values():
            yield ModelConfig(model=model, config=config)


def header_of(run: Run, subject: str, options: Mapping[str, str], board: Board, seen: Seen) -> EvalLog:
    """All of a log but its samples."""
    for judge in (*run.extent["judges"], *judges_of_pairs(run)):
        seen.cast.setdefault(JUDGE, {})[judge] = None
    return EvalLog(
        status="cancelled" if seen.states.get("open") else "success",
        eval=_spec(run, subject, options, seen),
        plan=EvalPlan(steps=[EvalPlanStep(solver=_task(run), params=plain(options))]),
        results=_results(board, subject, seen),
        stats=EvalStats(
            started_at=seen.moments[0].isoformat() if seen.moments else "",
            completed_at=seen.moments[1].isoformat() if seen.moments else "",
            model_usage=seen.usage.by_model,
            role_usage=seen.usage.by_role,
        ),
    )


def _task(run: Run) -> str:
    return f"interplay/{run.benchmark}"


def _spec(run: Run, subject: str, options: Mapping[str, str], seen: Seen) -> EvalSpec:
    sampled = [
        config
        for (_, model), configs in seen.sampling.items()
        if model == subject
        for config in configs.values()
    ]
    return EvalSpec(
        eval_id=id_of(run.id, run.created, "eval", subject),
        run_id=run.id,
        created=run.created,
        task=_task(run),
        task_id=task_id(run.id, run.created, subject),
        task_args=plain(options),
        task_args_passed=plain(run.identity["options"]),
        tags=[plain(run.name)] if run.name else None,
        dataset=EvalDataset(
            name=run.benchmark, samples=len(seen.sample_ids), sample_ids=list(seen.sample_ids), shuffled=False
        ),
        model=plain(subject),
        model_generate_config=sampled[0] if len(sampled) == 1 else GenerateConfig(),
        model_roles=seen.model_roles(),
        config=EvalConfig(limit=run.extent["limit"], epochs=run.extent["epochs"], fail_on_error=False),
        packages={"interplay": version("interplay")},
        metadata=plain(
            {
                "run": run.id,
                "name": run.name,
                "benchmark": run.benchmark,
                "identity": run.identity,
                "extent": run.extent,
            }
        ),
    )


def _results(board: Board, subject: str, seen: Seen) -> EvalResults:
    """The board's numbers of the model, and the whole board beside them: a rank means nothing without the others."""
    scores = list(_board_scores(board, subject))
    leading = [(score, first) for score in scores if (first := _first_estimate(score))]
    return EvalResults(
        total_samples=sum(seen.states.values()),
        completed_samples=seen.states.get("done", 0),
        scores=scores,
        headline=HeadlineMetric(scorer=BOARD, score=leading[0][0].name, metric=leading[0][1])
        if leading
        else None,
        metadata={"notes": plain(board.notes), "board": plain(board.as_json())},
    )


def _first_estimate(score: EvalScore) -> str:
    return next((name for name, metric in score.metrics.items() if "low" in (metric.metadata or {})), "")


def _board_scores(board: Board, subject: str) -> Iterator[EvalScore]:
    """A score for each row of the board that tells of the model, or of those who sat together under this name."""
    together = subject.split(TOGETHER)
    for row in board.rows:
        model = str(row.get("subject", row["model"]))
        if model == subject or model in together:
            metrics = {
                column.key: metric
                for column in board.columns
                if (metric := _metric(column, row.get(column.key)))
            }
            words = {
                column.key: plain(row[column.key])
                for column in board.columns
                if isinstance(row.get(column.key), str)
            }
            name = BOARD if model == subject else model
            yield EvalScore(name=plain(name), scorer=BOARD, metrics=metrics, metadata=words)


def _metric(column: Column, cell: Cell) -> EvalMetric | None:
    """A number of the board with its interval; None where there is none, which is no zero."""
    told: dict[str, Any] = {"title": column.title, "meaning": column.meaning, "kind": column.kind}
    if isinstance(cell, Estimate):
        told |= asdict(cell)
        cell = told.pop("value")
    if not isinstance(cell, int | float) or plain(cell) is None:
        return None
    return EvalMetric(name=column.key, value=cell, metadata=plain(told))
