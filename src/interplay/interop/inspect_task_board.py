"""The scores of a conversation and the board of all, as Inspect has them: values by name, with their intervals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import fsum, nan
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Value, metric

from interplay.benchmarks import find_playable
from interplay.core.benchmark import Benchmark, Options, Played, Scenario, Verdict
from interplay.core.board import Board, Cell, Estimate
from interplay.core.forms import build

KEPT_AS = "interplay"  # in a sample's store, and in the metadata of its score


def scenario_of(metadata: Mapping[str, Any]) -> Scenario:
    """The scenario of a sample."""
    return Scenario(metadata["scenario"], metadata["label"])


def score_of(
    benchmark: Benchmark,
    options: Options,
    kept: Mapping[str, Any],
    outcome: Any,
    verdicts: Sequence[Verdict],
) -> Score:
    """All that a conversation came to; what there is no number for is NaN, which Inspect leaves out of every mean."""
    found = [] if outcome is None else benchmark.score(outcome, verdicts, options)
    mine = [score for score in found if (score.model or kept["model"]) == kept["model"]]
    by_judge = {measure.name: measure.by_source(mine) for measure in benchmark.measures(options)}
    values = {name: fsum(by.values()) / len(by) if by else nan for name, by in by_judge.items()}
    lost = [verdict for verdict in verdicts if verdict.failure]
    return Score(
        value=values,
        explanation="\n".join(_told(kept, by_judge, lost)),
        reason=kept.get("failure") or (lost[0].failure if lost and len(lost) == len(verdicts) else None),
        metadata={
            KEPT_AS: {**kept, "verdicts": [asdict(verdict) for verdict in verdicts]},
            "scores": [asdict(score) for score in found],
        },
    )


def _told(
    kept: Mapping[str, Any], by_judge: Mapping[str, Mapping[str, float]], lost: Sequence[Verdict]
) -> Iterator[str]:
    """Where each number comes from, and why there is none."""
    if kept.get("failure"):
        yield f"Void, and no zero: {kept['failure']} ({kept['detail']})."
    for name, values in by_judge.items():
        if values:
            yield f"{name}: {', '.join(f'{value:.4g} by {source}' for source, value in values.items())}"
    for verdict in lost:
        yield f"No verdict by {verdict.judge}: {verdict.failure} ({verdict.detail})."


@metric(scores="unreduced")
def board(benchmark: str, options: Mapping[str, str]) -> Metric:
    """The benchmark's own board: each number of the measured model's row, with its 95% interval."""
    found = find_playable(benchmark)
    settled = found.settle(options)

    def of_all(scores: list[SampleScore]) -> Value:
        played = [_played(found, one) for one in scores]
        if not played:
            return {}
        return dict(_numbers(found.summarize(played, settled), _kept(scores[0])["model"]))

    return of_all


def _kept(one: SampleScore) -> Mapping[str, Any]:
    kept: Mapping[str, Any] = (one.score.metadata or {})[KEPT_AS]
    return kept


def _played(benchmark: Benchmark, one: SampleScore) -> Played:
    """A sample as the pure functions of a benchmark work on it."""
    kept = _kept(one)
    return Played(
        scenario=scenario_of(one.sample_metadata or {}),
        subject=kept["subject"],
        repeat=kept["repeat"],
        outcome=build(benchmark.outcome, kept["outcome"]) if "outcome" in kept else None,
        failure=kept.get("failure", ""),
        detail=kept.get("detail", ""),
        verdicts=tuple(Verdict(**verdict) for verdict in kept["verdicts"]),
        cast=kept["cast"],
    )


def _numbers(found: Board, measured: str) -> Iterator[tuple[str, float]]:
    """The rows of a board as names and numbers; of others at the same table, under their models' names."""
    for row in sorted(found.rows, key=lambda row: row["model"] != measured):
        before = "" if row["model"] == measured else f"{row['model']} "
        for column in found.columns:
            if column.key not in ("model", "rank"):
                for after, number in _parts(row.get(column.key)):
                    yield f"{before}{column.key}{after}", float(number)


def _parts(cell: Cell) -> Iterator[tuple[str, float]]:
    if isinstance(cell, Estimate):
        ends = (("", cell.value), ("_low", cell.low), ("_high", cell.high), ("_n", cell.n))
        yield from ((name, number) for name, number in ends if number is not None)
    elif cell is not None and not isinstance(cell, str):
        yield "", cell
