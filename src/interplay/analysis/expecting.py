"""Expectations of a run: where the end of an interval must lie, and what to look at where it does not."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isclose, isfinite
from typing import Protocol

from interplay.analysis.entries import Entry, entries_of, estimated
from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Estimate
from interplay.core.failures import Mistake, nearest
from interplay.core.measures import Measure
from interplay.models.editions import BEFORE_EDITION
from interplay.models.null import NULL
from interplay.running.import_note import is_imported
from interplay.running.results import board_of, options_of
from interplay.running.spec import spec_of
from interplay.statistics.bounds import fewest_scenarios, is_in_reach, n_to_clear
from interplay.store.places import Store
from interplay.store.records import ConversationRow, Records, Run

MOST_UNSCORED = 0.1  # of the conversations that there should be
MOST_SHOWN = 5
UNPLAYED, NOT_ENDED = "not played", "not played to the end"
NO_VERDICT, NO_SCORE = "without a verdict", "without such a score"
NOT_OF_ALL = " of every judge"  # of a panel: the mean of those who are left is not what was asked for


class Recorded(Protocol):
    """A run in its store."""

    @property
    def id(self) -> str: ...

    @property
    def store(self) -> Store: ...

    @property
    def table(self) -> Mapping[str, str] | None: ...


@dataclass(frozen=True)
class Found:
    """What a run has of one model by one measure."""

    estimate: Estimate
    planned: int  # conversations
    values: Mapping[int, float]  # by conversation
    lacking: Mapping[str, int]  # conversations without a value, by the reason

    @property
    def unscored(self) -> float:
        return sum(self.lacking.values()) / self.planned if self.planned else 1.0


@dataclass(frozen=True)
class Expectation:
    """What is asked of one measure of a run: at_least looks at the lower end of the interval, at_most at the upper."""

    run: str
    store: str
    name: str
    scale: tuple[float, float] | None
    found: Mapping[str, Found]  # by model
    model: str = ""

    def of(self, model: str) -> "Expectation":
        """The same of one model, where a run has several."""
        editions = [name for name in self.found if name.startswith(model + BEFORE_EDITION)]
        if model not in self.found and len(editions) != 1:
            raise Mistake(f"run {self.run} does not measure {model!r}; {nearest(model, self.found)}")
        return replace(self, model=model if model in self.found else editions[0])

    @property
    def estimate(self) -> Estimate:
        return self._one.estimate

    @property
    def value(self) -> float | None:
        return self.estimate.value

    @property
    def n(self) -> int:
        return self.estimate.n

    def at_least(self, bound: float, *, unscored: float = MOST_UNSCORED) -> Estimate:
        """Fail unless the lower end of the 95% interval is at or above the bound.

        Also fails where a larger share of the conversations than `unscored` has no such score.
        """
        __tracebackhide__ = True  # pytest then shows the line of the test
        return self._hold(bound, unscored, lower=True)

    def at_most(self, bound: float, *, unscored: float = MOST_UNSCORED) -> Estimate:
        """Fail unless the upper end of the 95% interval is at or below the bound; else as at_least."""
        __tracebackhide__ = True
        return self._hold(bound, unscored, lower=False)

    @property
    def _one(self) -> Found:
        if self.model:
            return self.found[self.model]
        measured = [name for name in self.found if name != NULL] or list(self.found)
        if len(measured) != 1:
            named = ", ".join(f".of({name!r})" for name in measured)
            raise Mistake(f"run {self.run} measures {len(measured)} models; say which one: {named}")
        return self.found[measured[0]]

    def _hold(self, bound: float, unscored: float, *, lower: bool) -> Estimate:
        __tracebackhide__ = True
        self._check(bound, unscored)
        found = self._one
        end = found.estimate.low if lower else found.estimate.high
        holds = end is not None and (end >= bound if lower else end <= bound)
        holds = holds and not _is_without_spread(found.estimate)
        if not holds or found.unscored > unscored:
            raise AssertionError("\n  ".join(self._told(found, bound, unscored, holds=holds, lower=lower)))
        return found.estimate

    def _check(self, bound: float, unscored: float) -> None:
        low, high = self.scale or (float("-inf"), float("inf"))
        if not isfinite(bound) or not low <= bound <= high:
            raise Mistake(
                f"{self.name} lies between {low:g} and {high:g}, and so does what it is held to, not {bound}"
            )
        if not 0 <= unscored <= 1:
            raise Mistake(f"unscored is a share from 0 to 1, not {unscored}")

    def _told(
        self, found: Found, bound: float, unscored: float, *, holds: bool, lower: bool
    ) -> Iterable[str]:
        """Why it does not hold, from the number down to the conversations behind it."""
        estimate = found.estimate
        measured = self.model or next(name for name, one in self.found.items() if one is found)
        yield f"{self.name} of {measured} should be at {'least' if lower else 'most'} {bound:g} (run {self.run})"
        if not holds:
            yield _interval(estimate, bound, lower=lower)
        if found.lacking:
            allowed = f", more than the {unscored:.0%} that may be" if found.unscored > unscored else ""
            reasons = ", ".join(f"{count} {reason}" for reason, count in found.lacking.items())
            lacking = sum(found.lacking.values())
            yield f"unscored: {lacking} of {found.planned} ({found.unscored:.0%}{allowed}): {reasons}"
        if not holds:
            yield from _what_would_do(estimate, bound, lower=lower)
        yield from self._where_to_look(found.values, bound, lower=lower)

    def _where_to_look(self, values: Mapping[int, float], bound: float, *, lower: bool) -> Iterable[str]:
        there = f"--store {shlex.quote(self.store)}"
        worst = sorted(values, key=lambda number: (values[number] if lower else -values[number], number))
        wrong = [one for one in worst if (values[one] < bound if lower else values[one] > bound)]
        if wrong:
            shown = ", ".join(f"{number} ({values[number]:g})" for number in wrong[:MOST_SHOWN])
            rest = f" and {len(wrong) - MOST_SHOWN} more" if len(wrong) > MOST_SHOWN else ""
            yield f"worst conversations: {shown}{rest}"
            yield f"look at one: interplay show {self.run} --conversation {wrong[0]} {there}"
        else:
            yield f"look at it: interplay list {self.run} {there}"


def expect(run: Recorded, name: str) -> Expectation:
    """What a run found by one of its measures, or in a column of its board, to be held to a bound."""
    with Records(run.store) as records:
        row = records.find(run.id)
        benchmark = find(row.benchmark)
        board = board_of(records, row, benchmark, run.table)
        measures = {one.name: one for one in benchmark.measures(options_of(row, benchmark))}
        scales = _scales(board)
        if name not in scales and name not in measures:
            known = {*scales, *measures}
            raise Mistake(f"{benchmark.name} has no measure {name!r}; {nearest(name, known)}")
        # What is a column alone lacks at least what the first measure does.
        counted = measures.get(name) or next(iter(measures.values()), None)
        found = _found(records, row, benchmark, counted, is_asked=name in measures)
    if name in scales:
        found = {
            model: replace(found[model], estimate=cell)
            for model, cell in _cells(board, name)
            if model in found
        }
        scale = scales[name]
    else:
        scale = (measures[name].scale.low, measures[name].scale.high)
    shown = {model: replace(one, estimate=_within(scale, one.estimate)) for model, one in found.items()}
    return Expectation(row.id, str(run.store), name, scale, shown)


def _within(scale: tuple[float, float] | None, estimate: Estimate) -> Estimate:
    """The interval as a board shows it: it reaches no further than its scale."""
    if scale is None or estimate.low is None or estimate.high is None:
        return estimate
    low, high = (min(max(end, scale[0]), scale[1]) for end in (estimate.low, estimate.high))
    return replace(estimate, low=low, high=high)


def _scales(board: Board) -> dict[str, tuple[float, float] | None]:
    """The columns that hold estimates, with what their values lie between."""
    return {
        column.key: column.scale or ((0.0, 1.0) if column.kind == "share" else None)
        for column in board.columns
        if any(isinstance(row.get(column.key), Estimate) for row in board.rows)
    }


def _cells(board: Board, key: str) -> list[tuple[str, Estimate]]:
    cells = [(str(row["model"]), row[key]) for row in board.rows]
    return [(model, cell) for model, cell in cells if isinstance(cell, Estimate)]


def _found(
    records: Records, run: Run, benchmark: Benchmark, measure: Measure | None, *, is_asked: bool
) -> dict[str, Found]:
    """What there is of every model by a measure; where it is not the one that is asked for, only what is missing."""
    entries = entries_of(records, [run], benchmark, measure, words=False) if measure else []
    panel = set(run.extent["judges"]) if measure and measure.by == "judges" else set[str]()
    heard = _heard(records, run) if panel else {}
    roles = [role.name for role in benchmark.subjects(options_of(run, benchmark))]
    rows = [(row, _measured(row.cast, roles) or {row.subject}) for row in records.each(run)]
    there = Counter(model for _, models in rows for model in models)
    planned = there if is_imported(run) else _planned(run, benchmark, roles)
    found = {}
    for model, count in sorted(planned.items()):
        mine = {entry.number: entry for entry in entries if entry.model == model}
        reasons = [
            _reason(row, mine.get(row.number), is_asked)
            or _lost(mine.get(row.number), panel, heard, is_asked)
            for row, models in rows
            if model in models
        ]
        lacking = Counter(reason for reason in reasons if reason)
        if count > there[model]:
            lacking[UNPLAYED] = count - there[model]
        values = {number: one.value for number, one in mine.items() if is_asked and one.value is not None}
        estimate = estimated(list(mine.values()), measure) if measure else Estimate(None, None, None, 0)
        found[model] = Found(estimate, max(count, there[model]), values, lacking)
    return found


def _measured(cast: Mapping[str, str], roles: Iterable[str]) -> set[str]:
    return {cast[role] for role in roles if role in cast}


def _reason(row: ConversationRow, entry: Entry | None, is_asked: bool) -> str:
    """Why a conversation has no value; empty where it has one, or could have."""
    if row.state != "done":
        return NOT_ENDED + (f" ({row.failure})" if row.failure else "")
    if entry is None or entry.value is not None:
        return ""
    return NO_VERDICT if entry.state == "unjudged" else NO_SCORE if is_asked else ""


def _heard(records: Records, run: Run) -> dict[int, set[str]]:
    """Which judges gave a verdict on each conversation, by the rubric that counts."""
    return {
        number: {one.judge for one in verdicts if one.data is not None and one.rubric == run.extent["rubric"]}
        for (number, item), verdicts in records.verdicts(run).items()
        if not item
    }


def _lost(entry: Entry | None, panel: set[str], heard: Mapping[int, set[str]], is_asked: bool) -> str:
    """What a conversation lacks whose value is not of all judges: one who is lost may be the strict one."""
    if entry is None or entry.value is None:
        return ""
    if panel - heard.get(entry.number, set()):
        return NO_VERDICT + NOT_OF_ALL
    return NO_SCORE + NOT_OF_ALL if is_asked and panel - entry.values.keys() else ""


def _planned(run: Run, benchmark: Benchmark, roles: Iterable[str]) -> dict[str, int]:
    """How many conversations each model should have."""
    casts = spec_of(run.identity, run.extent).casts(benchmark)
    each = int(run.extent["limit"]) * int(run.extent["epochs"])
    tables = Counter(model for _, cast in casts for model in _measured(cast, roles))
    return {model: count * each for model, count in tables.items()}


def _is_without_spread(estimate: Estimate) -> bool:
    """Has it an interval of no width? Wilson's has one where all values are equal; others know nothing then."""
    if estimate.low is None or estimate.high is None or "wilson" in estimate.method:
        return False
    return isclose(estimate.low, estimate.high, rel_tol=1e-9, abs_tol=1e-12)


def _interval(estimate: Estimate, bound: float, *, lower: bool) -> str:
    if estimate.value is None:
        return "there is nothing to estimate it from"
    if estimate.low is None or estimate.high is None:
        return f"estimate {estimate.value:.3f} without an interval: n = {estimate.n} is too small for one"
    if _is_without_spread(estimate):
        return f"estimate {estimate.value:.3f}; all {estimate.n} values are equal: no spread to see, and so no interval"
    side = f"{'begins below' if lower else 'ends above'} {bound:g}"
    ends = f"{estimate.low:.3f} to {estimate.high:.3f}"
    return f"estimate {estimate.value:.3f}, n = {estimate.n}; the 95% interval, {ends}, {side}"


def _what_would_do(estimate: Estimate, bound: float, *, lower: bool) -> Iterable[str]:
    """How many conversations such a bound takes, where more of them would help."""
    if estimate.value is None or estimate.low is None:
        return
    if _is_without_spread(estimate):
        yield "more scenarios may differ; a share of yes or no has an interval even where all are equal"
        return
    scenarios, method = estimate.clusters[0] if estimate.clusters else estimate.n, estimate.method
    if "wilson" in method and not is_in_reach(bound, scenarios, lower=lower, method=method):
        fewest = fewest_scenarios(bound, lower=lower, method=method)
        enough = f"at least {fewest:,} are needed" if fewest else "no number of them is enough"
        yield f"{scenarios} scenarios cannot show it, even if every one of them went well: {enough}"
    needed = n_to_clear(estimate, bound)
    if needed and (estimate.value > bound if lower else estimate.value < bound):
        yield f"the estimate is on the right side: if it is true, {needed:,} conversations show that 4 times of 5"
