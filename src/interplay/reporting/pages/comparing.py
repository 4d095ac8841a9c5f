"""Two models on the same scenarios: what may be claimed, where they differ most, and their words side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from interplay.analysis.comparison import ERROR, compare, comparison_board
from interplay.core.benchmark import Benchmark, Verdict
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.core.failures import Mistake
from interplay.core.measures import Measure
from interplay.reporting.cells import interval, written
from interplay.reporting.pages.listing import Marks, in_figures
from interplay.reporting.pages.verdicts import Column as Judge
from interplay.reporting.pages.verdicts import Known, Panel, by_turn, failure_of, panel_of
from interplay.statistics.rank_sets import all_pairs
from interplay.store.browsing import Shared
from interplay.store.records import ConversationRow, Records, Run

PAGE = 50
TOGETHER = "Looked at together with all {pairs} pairs of models of this run (Holm)."
ALONE = (
    "This pair by itself, from the means of scenarios. Among all models of the run: interplay compare {run}"
)


@dataclass(frozen=True)
class Difference:
    """How far the first of two models is above the second, over all scenarios that both have, and what of it holds."""

    estimate: Estimate
    claim: str  # a sentence
    basis: str  # what the claim was looked at with
    chance: float | None  # of a difference as large where there is none

    def shown(self, measure: Measure) -> str:
        return written(_column(measure), self.estimate)

    def interval(self, measure: Measure) -> str:
        return interval(_column(measure), self.estimate)

    @property
    def chance_shown(self) -> str:
        return "" if self.chance is None else written(_CHANCE, self.chance)


_CHANCE = Column("p", "p", "", "chance")


def _column(measure: Measure) -> Column:
    width = measure.scale.high - measure.scale.low
    return Column("difference", "difference", measure.meaning, "score", (-width, width))


def pairs_board(records: Records, run: Run, benchmark: Benchmark, measure: Measure) -> Board | None:
    """All pairs of models of a run by one measure; None where there is nothing to compare. It reads all of the run."""
    try:
        return comparison_board(compare(records, [run], benchmark, measure)).parts[0]
    except Mistake:
        return None


def difference_on(board: Board, first: str, second: str) -> Difference | None:
    """What the board of all pairs has of these two; None where it has nothing."""
    for row in board.rows:
        found = row["difference"]
        if {row["first"], row["second"]} == {first, second} and isinstance(found, Estimate):
            estimate = found if row["first"] == first else _turned(found)
            chance = _number(row["holm"])
            claim = _claim(str(row["first"]), str(row["second"]), str(row["claim"]), chance)
            return Difference(estimate, claim, TOGETHER.format(pairs=len(board.rows)), chance)
    return None


def difference_of(
    shared: Sequence[Shared], chosen: "Chosen", measure: Measure, ways: Mapping[str, tuple[str, ...]]
) -> Difference:
    """The same from the means of scenarios, of these two alone: for runs that are too large to read for it.

    ways has the clusters of every scenario, by its id.
    """
    two = (chosen.first, chosen.second)
    values = {
        chosen.first: {one.scenario: one.first for one in shared},
        chosen.second: {one.scenario: one.second for one in shared},
    }
    pair = all_pairs(values, ways)[0]
    estimate, chance = pair.compared.difference, pair.compared.p_value
    ahead = ((estimate.value or 0.0) > 0) != measure.less_is_better
    better, other = two if ahead else two[::-1]
    holds = chance is not None and chance <= ERROR and bool(estimate.value)
    return Difference(
        estimate,
        _claim(better, other, "yes" if holds else "", chance),
        ALONE.format(run=chosen.run.id),
        chance,
    )


def _claim(better: str, other: str, claim: str, chance: float | None) -> str:
    if chance is None:
        return "There is too little in common to claim anything."
    if not claim:
        return "It may not be claimed that either is better: a difference like this can well be chance."
    if claim == "yes":
        return f"It may be claimed that {better} is better than {other}."
    return f"It may be claimed that {better} is better than {other}, {claim.removeprefix('yes, ')}."


def _turned(found: Estimate) -> Estimate:
    other = found.times(-1.0)
    return Estimate(other.value, other.high, other.low, found.n, found.clusters, found.method)


def _number(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None


@dataclass(frozen=True)
class Chosen:
    """What is compared: two models of a run, by one measure."""

    run: Run
    models: tuple[str, ...]  # all that could be chosen
    measures: tuple[Measure, ...]
    first: str
    second: str
    measure: Measure | None


def page(
    chosen: Chosen, difference: Difference | None, shared: Sequence[Shared], skip: int
) -> dict[str, Any]:
    """Where two models differ most; some of the scenarios that both have, from the one with so many before it."""
    return {
        "title": "Two models on the same scenarios",
        "here": "home",
        "run": chosen.run,
        "chosen": chosen,
        "difference": difference,
        "rows": shared[skip : skip + PAGE],
        "count": len(shared),
        "skip": skip,
        "newer": max(0, skip - PAGE) if skip else None,
        "older": skip + PAGE if skip + PAGE < len(shared) else None,
        "widest": max((abs(one.difference) for one in shared), default=0.0),
        "in_figures": in_figures,
    }


@dataclass(frozen=True)
class Side:
    """One of two models' conversations of a scenario."""

    model: str
    row: ConversationRow | None  # None where it has none
    others: tuple[int, ...]  # further ones of the same scenario and repeat, at other tables
    marks: Marks
    subjects: tuple[str, ...]  # its seats
    whole: Panel  # what judges said of all of it
    turns: tuple[Panel, ...]  # and of one turn after the other


def side_of(
    model: str,
    rows: Sequence[ConversationRow],
    marks: Marks,
    verdicts: Sequence[Verdict],
    chosen: Chosen,
    roles: Sequence[str],
) -> Side:
    """What a model did with a scenario; the first of its conversations is shown, others are named."""
    scales = {one.name: one.scale for one in chosen.measures}
    known = Known(scales, {one.name: one.meaning for one in chosen.measures})
    given = [(Judge(one.judge, failure_of(one)), one.data) for one in verdicts]
    row = rows[0] if rows else None
    return Side(
        model=model,
        row=row,
        others=tuple(one.number for one in rows[1:]),
        marks=marks,
        subjects=seats_of(row, model, roles) if row else (),
        whole=panel_of(given, known, ("turns",)),
        turns=tuple(by_turn(given, known)),
    )


def side_by_side(
    chosen: Chosen, scenario: str, label: str, repeat: int, repeats: Sequence[int], sides: Sequence[Side]
) -> dict[str, Any]:
    """The conversations of two models on one scenario."""
    return {
        "title": f"{label}, side by side",
        "here": "home",
        "run": chosen.run,
        "chosen": chosen,
        "scenario": scenario,
        "label": label,
        "repeat": repeat,
        "repeats": repeats,
        "sides": sides,
        "marks": [
            (measure, [_mark(measure, side) for side in sides])
            for measure in chosen.measures
            if any(measure.name in side.marks for side in sides)
        ],
    }


def _mark(measure: Measure, side: Side) -> str:
    return in_figures(measure, side.marks[measure.name]) if measure.name in side.marks else "–"


def seats_of(row: ConversationRow, model: str, roles: Sequence[str]) -> tuple[str, ...]:
    """The seats in which a model is measured: ROLE, ROLE 2, ROLE 3."""
    mine = {role for role in roles if row.cast.get(role) == model} or set(roles)
    spoke = dict.fromkeys(line.source for line in row.lines)
    return tuple(seat for seat in spoke if seat.partition(" ")[0] in mine)
