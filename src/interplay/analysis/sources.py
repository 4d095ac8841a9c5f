"""Sources of variance: how much of what scores differ by is the models', and how much what they were measured with."""

from collections.abc import Mapping, Sequence

from interplay.analysis.entries import Entry, entries_of, told_of_missing
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Cell, Column
from interplay.core.failures import Mistake
from interplay.core.measures import Measure
from interplay.running.comparing import comparability
from interplay.running.results import options_of
from interplay.statistics.variance import (
    IN_RESIDUAL,
    RESIDUAL,
    Component,
    Precision,
    Score,
    foreseen,
    usual_terms,
    variance_components,
)
from interplay.store.records import Records, Run

SEED = 0
MEANINGS = {
    "subject": "the models that are measured",
    "simulator": "who plays the other roles",
    "judge": "a judge's own level",
    "scenario": "what is played, whoever plays it",
    "subject x scenario": "what suits one model and not another",
    "repeat": "the same again, another time",
    RESIDUAL: "all else: judges on single conversations, and what repeats would tell apart",
}
OF_SOURCES = (
    Column("source", "source", "where scores differ from each other", "text"),
    Column("share", "share", "of the variance of a single score", "share"),
    Column("variance", "variance", "the same in points squared", "score"),
    Column("levels", "levels", "how many there are of it here", "count"),
    Column("meaning", "what it is", "in words", "text"),
)
OF_PLANS = (
    Column("plan", "plan", "what is measured with", "text"),
    Column("mean", "interval", "width of the 95% interval of one model's mean, of other scenarios and judges too",
           "score"),
    Column("difference", "difference", "the same of the difference of two models on the same scenarios", "score"),
    Column("dependability", "dependable", "share of the variance of such means that is the models' own", "share"),
)  # fmt: skip


def variance_board(records: Records, runs: Sequence[Run], benchmark: Benchmark, measure: Measure) -> Board:
    """The shares of all sources, and what more scenarios, judges or repeats would do."""
    _check_alike(records, runs, benchmark)
    entries = [
        (run, one) for run in runs for one in entries_of(records, [run], benchmark, measure, words=False)
    ]
    simulators = {
        run.id: [
            role.name for role in benchmark.roles(options_of(run, benchmark)) if role.kind == "simulator"
        ]
        for run in runs
    }
    scores = [score for run, entry in entries for score in _scores(entry, simulators[run.id])]
    if not scores:
        raise Mistake(f"{', '.join(run.id for run in runs)} has no score by {measure.name} yet")
    levels = {
        name: len({score.levels[name] for score in scores})
        for name in ("subject", "simulator", "judge", "scenario", "repeat")
    }
    factors = [name for name, count in levels.items() if count > 1]
    found = variance_components(scores, usual_terms(factors), seed=SEED)
    rows = [_row(name, part, levels) for name, part in found.items()]
    rows.sort(
        key=lambda row: (
            list(MEANINGS).index(str(row["source"])) if row["source"] in MEANINGS else len(MEANINGS)
        )
    )
    notes = [
        *told_of_missing([entry for _, entry in entries]),
        *(f"One {name} alone: what it adds cannot be seen." for name, count in levels.items() if count == 1),
        *_reasons(found),
        "Each source is taken as a draw from many: these scenarios stand for scenarios, these judges for judges.",
    ]
    plans = _plans(found, {name: levels[name] for name in factors if name != "subject"})
    title = f"Where {measure.name} differs, {benchmark.name}"
    return Board(title, OF_SOURCES, tuple(rows), tuple(notes), (plans,) if plans else ())


def _check_alike(records: Records, runs: Sequence[Run], benchmark: Benchmark) -> None:
    """Runs may differ in who plays and judges; what else they differ in would be taken for that."""
    first, *others = [comparability(records, run, benchmark) for run in runs]
    for run, other in zip(runs[1:], others, strict=True):
        if unlike := [part for part in ("options", "rubric", "prompts") if first[part] != other[part]]:
            raise Mistake(
                f"{run.id} differs from {runs[0].id} in its {', '.join(unlike)}, which would count as the simulator's "
                "part; take runs that differ in models, simulators and judges alone"
            )


def _scores(entry: Entry, simulators: Sequence[str]) -> list[Score]:
    known = {
        "subject": entry.model,
        "simulator": tuple(entry.cast[role] for role in simulators if role in entry.cast),
        "scenario": entry.scenario.id,
        "repeat": entry.repeat,
    }
    return [Score(value, {**known, "judge": judge}) for judge, value in entry.values.items()]


def _row(name: str, part: Component, levels: Mapping[str, int]) -> dict[str, Cell]:
    return {
        "source": name,
        "share": part.share,
        "variance": part.variance,
        "levels": levels.get(name),
        "meaning": MEANINGS.get(name, "these always change together here"),
    }


def _reasons(found: Mapping[str, Component]) -> list[str]:
    return [
        f"No share for {name}: {part.share.method.removeprefix('none: ')}."
        for name, part in found.items()
        if part.share.value is None
    ]


def _plans(found: Mapping[str, Component], counts: Mapping[str, int]) -> Board | None:
    """What the design shows, and what it would with twice as many of one thing."""
    unknown = [part for part in found.values() if part.variance.value is None]
    if any(part.variance.method != IN_RESIDUAL for part in unknown) or not counts:
        return None
    if len(found) - len(unknown) < 2:  # all that is known is the residual
        return None
    many = "subject" in found  # of one model alone, what is the models' own cannot be seen
    tried = {"as it is": dict(counts)}
    for name in counts:
        tried[f"twice the {name}s"] = {**counts, name: 2 * counts[name]}
    rows = [{"plan": plan, **_precision(foreseen(found, levels), many)} for plan, levels in tried.items()]
    return Board("What more of it would do", OF_PLANS, tuple(rows))


def _precision(found: Precision, many: bool) -> dict[str, Cell]:
    dependability = found.dependability if many else None
    return {"mean": found.mean, "difference": found.difference, "dependability": dependability}
