"""The page behind a number of a run's board: what it means, and the conversations it was made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.core.measures import Measure, Scale
from interplay.reporting.cells import interval, written
from interplay.reporting.pages.boards import id_of
from interplay.reporting.pages.ranks import Place, main_measure
from interplay.running.comparing import Group
from interplay.running.results import USAGE, options_of
from interplay.store.behind import Behind, Measured, Spoiled, Used
from interplay.store.browsing import PAGE
from interplay.store.records import Run

# columns that are called otherwise than the measure they are the mean of
CALLED_OTHERWISE = {"aggregate": "final", "refusal_ratio": "refused", "all": "rating"}
LARGEST_SKIP = 10_000_000
Kind = Literal["measure", "made of", "rank", "usage", "void", "unscored", "count"]
METHODS = {
    "t": "t interval of a mean",
    "wilson": "Wilson's interval of a share",
    "clustered wilson": "Wilson's interval of a share, clustered",
    "one-way t": "t interval of a mean, clustered in one way",
    "two-way t": "t interval of a mean, clustered in two ways",
    "korn-graubard": "Korn and Graubard's interval of a share, clustered",
    "clustered mover": "interval of a ratio from the intervals of its parts, clustered",
    "clustered bootstrap": "bootstrap interval, whole clusters drawn again",
    "clustered dirichlet": "interval of shares that add up to one, clustered",
    "none": "no interval: too little to tell",
}
PLAIN: Mapping[Kind, str] = {
    "rank": "A place among the models of this board. It moves when other models join, and models whose intervals "
    "overlap may change places if all was played again.",
    "usage": "A sum over all calls of the model's conversations. Below, the conversations that took most.",
    "void": "A share of all conversations of this model. Void ones came to nothing: they are left out of the means, "
    "and never counted as zero.",
    "unscored": "A share of the verdicts that were asked for. A verdict that was not given is left out of the means, "
    "and never counted as zero.",
    "count": "A count, no score. Below, the conversations that were scored.",
    "made of": "This number is made of several conversations together, by the rule above. Below, what each of the "
    "model's conversations came to by {measure}.",
    "measure": "Below, what each of the model's conversations came to.",
}
WITHOUT_PARTS = "This number is made of many conversations together, by the rule above."


@dataclass(frozen=True)
class Question:
    """A number of a run's board that somebody wants explained."""

    run: Run
    benchmark: Benchmark
    board: Board
    model: str
    column: Column
    cell: Cell


def question(run: Run, benchmark: Benchmark, board: Board, model: str, key: str) -> Question | None:
    """The number in the row of this model and the column of this key; None where there is none."""
    column = next((one for one in board.columns[1:] if one.key == key), None)
    row = next((row for row in board.rows if str(row.get("model")) == model), None)
    if column is None or row is None or column.kind == "text":
        return None
    return Question(run, benchmark, board, model, column, row[key])


def kind_of(column: Column, measure: Measure | None, is_its_own: bool) -> Kind:
    """What there is to list behind a number."""
    if column.key == "rank":
        return "rank"
    if column.key in {one.key for one in USAGE}:
        return "usage"
    if column.key in ("void", "unscored"):
        return "void" if column.key == "void" else "unscored"
    if column.kind == "count" and not is_its_own:
        return "count"
    return "measure" if is_its_own or measure is None else "made of"


def measure_behind(column: Column, benchmark: Benchmark, behind: Behind) -> tuple[Measure | None, bool]:
    """What the model's conversations are listed by, and whether the number is just that over all of them.

    A column is called as its measure is, or as a score that conversations have; else its conversations are listed by
    what models are compared by.
    """
    measures = benchmark.measures(options_of(behind.run, benchmark))
    known = {one.name: one for one in measures}
    name = CALLED_OTHERWISE.get(column.key, column.key)
    if name in known:
        return known[name], True
    sources = behind.score_names().get(name)
    if sources:
        by: Literal["judges", "rule"] = (
            "judges" if set(sources) <= set(behind.run.extent["judges"]) else "rule"
        )
        ends = column.scale or (0.0, 1.0 if column.kind == "share" else float("inf"))
        return Measure(name, column.meaning, Scale(*ends, whole=False), by), True
    return next(iter(measures), None), False


@dataclass(frozen=True)
class Told:
    """A conversation in the list behind a number."""

    number: int
    label: str
    repeat: int
    cells: tuple[str, ...]  # of the list's columns


@dataclass(frozen=True)
class Listed:
    """What is listed behind a number, a page of it."""

    head: tuple[str, ...]
    rows: tuple[Told, ...]
    has_more: bool
    is_text: bool = False  # its cells are words


@dataclass(frozen=True)
class Seen:
    """Which page of the list is seen, and from which end."""

    highest: bool = False  # else the lowest come first
    skip: int = 0


def page(
    asked: Question, behind: Behind, listed: Listed, seen: Seen, place: Place | None = None
) -> dict[str, Any]:
    """What the page shows; place is where the model stands, where that is known."""
    measure, is_its_own = measure_behind(asked.column, asked.benchmark, behind)
    kind = kind_of(asked.column, measure, is_its_own)
    name = measure.name.replace("_", " ") if measure else ""
    is_by_main = measure is not None and measure == main_measure(asked.run, asked.benchmark)
    return {
        "title": f"{asked.column.title} of {asked.model}",
        "here": "home",
        "asked": asked,
        "run": asked.run,
        "value": written(asked.column, asked.cell),
        "facts": facts_of(asked),
        "method": METHODS.get(asked.cell.method, asked.cell.method)
        if isinstance(asked.cell, Estimate)
        else "",
        "judged": [note for note in asked.board.notes if note.startswith(f"Run {asked.run.id}: ")],
        "place": place if is_by_main and kind in ("measure", "made of", "rank", "count") else None,
        "kind": kind,
        "plain": WITHOUT_PARTS if kind == "measure" and measure is None else PLAIN[kind].format(measure=name),
        "measure": measure if kind in ("measure", "made of", "rank", "count") else None,
        "failures": behind.failures() if kind == "void" else {},
        "listed": listed,
        "is_seated": bool(behind.subjects),  # else others' conversations tell of the model
        "highest": seen.highest,
        "skip": seen.skip,
        "size": PAGE,
    }


def facts_of(asked: Question) -> list[tuple[str, str]]:
    """What stands behind the number, in a few words each."""
    found, cell = [], asked.cell
    if isinstance(cell, Estimate):
        found.append(("95% interval", interval(asked.column, cell) or "none"))
        found.append(("made of", f"{cell.n:,} value{'s' if cell.n != 1 else ''}"))
        if cell.clusters:
            found.append(("in clusters", " and ".join(f"{count:,}" for count in cell.clusters)))
    row = next(row for row in asked.board.rows if str(row.get("model")) == asked.model)
    for column in asked.board.columns:
        if column.key in ("n", "void", "unscored") and column.key != asked.column.key:
            found.append(
                (
                    "scored conversations" if column.key == "n" else column.key,
                    written(column, row[column.key]),
                )
            )
    return found


@dataclass(frozen=True)
class Elsewhere:
    """The same number on the board of all runs that can be compared."""

    id: str  # of the group
    value: str
    interval: str
    runs: tuple[Run, ...]
    others: tuple[Run, ...]  # that measured the model too


def elsewhere(asked: Question, groups: Sequence[Group]) -> Elsewhere | None:
    """Where the run shares a board with others, the number there; None where it stands alone."""
    group = next((one for one in groups if any(run.id == asked.run.id for run in one.runs)), None)
    if group is None or len(group.runs) < 2:
        return None
    there = question(asked.run, asked.benchmark, group.board, asked.model, asked.column.key)
    if there is None:
        return None
    others = tuple(
        run for run in group.runs if run.id != asked.run.id and asked.model in run.identity["models"]
    )
    written_there = written(there.column, there.cell), interval(there.column, there.cell)
    return Elsewhere(id_of(group), *written_there, group.runs, others)


def list_behind(column: Column, benchmark: Benchmark, behind: Behind, seen: Seen) -> Listed:
    """A page of the list. One more is asked for, to see whether there is more."""
    measure, is_its_own = measure_behind(column, benchmark, behind)
    kind, more = kind_of(column, measure, is_its_own), PAGE + 1
    if kind == "void":
        return _spoiled(behind.void(skip=seen.skip, size=more))
    if kind == "unscored":
        return _spoiled(behind.unjudged(skip=seen.skip, size=more), with_judge=True)
    if kind == "usage":
        return _used(behind.most_used(skip=seen.skip, size=more))
    if measure is None:
        return Listed((), (), False)
    found = behind.by_measure(measure, ascending=not seen.highest, skip=seen.skip, size=more)
    return _measured(found, measure)


def _measured(found: Sequence[Measured], measure: Measure) -> Listed:
    """Each conversation's value, and judge by judge where there are several."""
    by_judge = [measure.by_source(one.scores) for one in found]
    judges = sorted({judge for said in by_judge for judge in said}) if measure.by == "judges" else []
    shown = judges if len(judges) > 1 else []
    rows = [
        Told(
            one.number, one.label, one.repeat,
            (figure(one.value, measure.scale), *(figure(said.get(judge), measure.scale) for judge in shown)),
        )
        for one, said in zip(found, by_judge, strict=True)
    ]  # fmt: skip
    return Listed((measure.name.replace("_", " "), *shown), tuple(rows[:PAGE]), len(rows) > PAGE)


def _spoiled(found: Sequence[Spoiled], *, with_judge: bool = False) -> Listed:
    rows = [
        Told(
            one.number,
            one.label,
            one.repeat,
            (*([one.judge] if with_judge else []), one.failure, one.detail[:300]),
        )
        for one in found
    ]
    head = (*(["judge"] if with_judge else []), "failure", "what happened")
    return Listed(head, tuple(rows[:PAGE]), len(rows) > PAGE, is_text=True)


def _used(found: Sequence[Used]) -> Listed:
    rows = [
        Told(one.number, one.label, one.repeat,
             (f"{one.tokens:,}", "unknown" if one.cost is None else f"{one.cost:,.4f}"))
        for one in found
    ]  # fmt: skip
    return Listed(("tokens", "cost $"), tuple(rows[:PAGE]), len(rows) > PAGE)


def figure(value: float | None, scale: Scale) -> str:
    """A conversation's value; yes and no where the scale is that."""
    if value is None:
        return "–"
    if scale.is_yes_or_no and value in (0, 1):
        return "yes" if value else "no"
    return f"{value:,.2f}".removesuffix(".00") if scale.high == float("inf") else f"{value:.2f}"
