"""Pairs: two models' conversations of one scenario, shown to judges side by side in both orders."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from interplay.core.benchmark import Benchmark, Duel, Options, Pairing, Scenario, Span, Verdict
from interplay.core.conversation import Conversation
from interplay.core.failures import Mistake
from interplay.core.forms import build
from interplay.running.plan import Plan, Work, missing_of
from interplay.running.reach import Reach
from interplay.store.journal import Place
from interplay.store.records import ConversationRow, Run

KEPT_AS = "pairs"  # in a run's extent: who compared, and by which prompts
SPREAD = 1.0  # at most, of what a pair comes to: won is 1, tied 0, lost -1
Verdicts = Mapping[tuple[int, str], Sequence[Verdict]]  # by conversation and item
Two = tuple[ConversationRow, ConversationRow]


@dataclass(frozen=True)
class SideBySide:
    """A pairing as a judging step: what it judges is two outcomes, in the order in which they are shown."""

    pairing: Pairing

    @property
    def name(self) -> str:
        return self.pairing.name

    @property
    def digest(self) -> str:
        return self.pairing.digest

    def calls(self, scenario: Scenario, cast: Mapping[str, str], judge: str) -> Span:
        return self.pairing.calls(scenario, judge)

    async def __call__(self, talk: Conversation, outcome: tuple[Any, Any]) -> Mapping[str, Any]:
        return await self.pairing(talk, *outcome)


def pairing_of(benchmark: Benchmark) -> Callable[[Options], Pairing]:
    """How the judges of a benchmark compare, or a Mistake where they do not."""
    if benchmark.pairing is None:
        raise Mistake(
            f"the judges of {benchmark.name} compare no pairs; interplay judge scores each by itself"
        )
    return benchmark.pairing


def item_of(first: int, second: int) -> str:
    """The ordered pair of two conversations, as the record names it."""
    return f"{first} v {second}"


def plan_pairs(
    benchmark: Benchmark,
    rows: Iterable[ConversationRow],
    verdicts: Verdicts,
    panel: Mapping[str, Any],
    models: Iterable[str],
) -> Plan:
    """What is left to compare between these models; both orders of a pair come one after the other."""
    judges, rubric = tuple(panel["judges"]), panel["rubric"]
    outcomes: dict[int, Any] = {}
    works = []
    for one, other in rivals(rows, models):
        for first, second in ((one, other), (other, one)):
            item = item_of(first.number, second.number)
            given = _by(rubric, verdicts.get((first.number, item), ()))
            missing = missing_of(given, judges)
            if not missing:
                continue
            for row in (first, second):
                if row.number not in outcomes:
                    outcomes[row.number] = build(benchmark.outcome, row.outcome)
            place = Place(first.scenario, first.subject, first.cast, first.repeat)
            shown = (outcomes[first.number], outcomes[second.number])
            works.append(Work(place, False, missing, first.number, shown, item=item))
    return Plan(tuple(works))


def rivals(rows: Iterable[ConversationRow], models: Iterable[str]) -> list[Two]:
    """Every two of these models' finished conversations of one scenario and repeat, in the order of their names."""
    wanted = set(models)
    met: dict[tuple[int, str], list[ConversationRow]] = {}
    for row in rows:
        if row.state == "done" and row.subject in wanted:
            met.setdefault((row.repeat, row.scenario.id), []).append(row)
    return [
        two
        for place in sorted(met)
        for two in combinations(sorted(met[place], key=lambda row: row.subject), 2)
    ]


def duels_of(rows: Sequence[ConversationRow], verdicts: Verdicts, run: Run) -> dict[int, tuple[Duel, ...]]:
    """What was compared, by the number of the conversation whose model's name comes first."""
    kept = run.extent.get(KEPT_AS)
    if kept is None:
        return {}
    found: dict[int, list[Duel]] = {}
    for one, other in rivals(rows, {row.subject for row in rows}):
        first, second = (
            _by(kept["rubric"], verdicts.get((shown.number, item_of(shown.number, beside.number)), ()))
            for shown, beside in ((one, other), (other, one))
        )
        if first or second:
            found.setdefault(one.number, []).append(Duel(other.subject, first, second))
    return {number: tuple(duels) for number, duels in found.items()}


def _by(rubric: str, verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    return tuple(verdict for verdict in verdicts if verdict.rubric == rubric)


def pairs_reached(run: Run) -> dict[str, Any]:
    """How far the comparing of a run reaches: as far as the run, with judges and prompts of its own."""
    extent = run.extent
    return {"limit": extent["limit"], "epochs": extent["epochs"], **extent.get(KEPT_AS, {})}


def pairs_extended(run: Run, reach: Reach, also: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The extent of a run after it was compared."""
    kept = {name: value for name, value in reach.extent().items() if name not in ("limit", "epochs")}
    return {**run.extent, KEPT_AS: {**kept, **(also or {})}}


def judges_of_pairs(run: Run) -> tuple[str, ...]:
    """Those who compared."""
    return tuple(run.extent.get(KEPT_AS, {}).get("judges", ()))
