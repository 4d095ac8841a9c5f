"""Deciding: a run that stops as soon as it is plain which model is better, with the error rate kept all the while.

Scenarios come in an order drawn at random, and count in that order, whichever is done first. What two models come to on
one scenario is one result, its repeats and judges together; where it comes to none, as with a void conversation, it is
passed over. It says which model is better on scenarios like these, with an error of at most 5% over all pairs of models
and all looks (statistics.sequences).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import fsum
from random import Random
from typing import Any

from interplay.core.benchmark import Benchmark, Options, Pairing, Verdict
from interplay.core.failures import Cancelled, Mistake, OverBudget
from interplay.core.measures import Measure
from interplay.running.decided import DRAWN
from interplay.running.pairing import item_of, pairing_of, rivals
from interplay.running.plan import Plan, Work
from interplay.running.results import judged_in
from interplay.statistics.sequences import MeanSequence, WinSequence
from interplay.statistics.swaps import Swap
from interplay.store.records import ConversationRow, Records, Run

CONFIDENCE = 0.95
SHORT = 12  # letters of a scenario's id, which tell the scenarios of a run apart
BROKEN_OFF = (Cancelled.name, OverBudget.name)  # a start ended in the middle; another goes on
Two = tuple[str, str]
Results = Mapping[Two, float]  # what two models come to on one scenario, for the first of them


@dataclass(frozen=True)
class Bout:
    """Two models, and what is known of them so far."""

    names: Two
    sequence: WinSequence | MeanSequence

    @property
    def ahead(self) -> Two:
        """The better one first, by what was seen."""
        return self.names[::-1] if self._is_second_ahead else self.names

    @property
    def interval(self) -> tuple[float, float] | None:
        """What holds at any time of looking, for the one that is ahead."""
        found = self.sequence.estimate
        if found.low is None or found.high is None:
            return None
        if self._is_second_ahead:
            return 2 * self.middle - found.high, 2 * self.middle - found.low
        return found.low, found.high

    @property
    def _is_second_ahead(self) -> bool:
        """By the interval where that says it, as what was decided stays decided; else by what was seen."""
        found = self.sequence.estimate
        if found.high is not None and found.high <= self.middle:
            return True
        return found.value is not None and found.value < self.middle

    @property
    def middle(self) -> float:
        """What two models come to that are equally good."""
        return 0.5 if isinstance(self.sequence, WinSequence) else 0.0

    def as_json(self) -> dict[str, Any]:
        found = self.sequence.estimate
        return {
            "models": list(self.names),
            "decided": self.sequence.decided,
            "p": self.sequence.p_value,
            "value": found.value,
            "low": found.low,
            "high": found.high,
            "n": found.n,
        }


@dataclass
class Watch:
    """Looks at scenarios in their order as they are done, until every pair of models is decided."""

    bouts: Sequence[Bout]
    order: Sequence[str]  # ids of scenarios
    look: Callable[[str], Results | None]  # None where something of the scenario was broken off
    what: str  # that is looked at
    before: Sequence[str] = ()  # scenarios that were drawn by earlier starts, as the record keeps them
    left: Counter[str] = field(default_factory=Counter)  # works by scenario
    seen: int = 0  # scenarios, from the first

    def planned(self, plan: Plan) -> Plan:
        """The plan in the order of the scenarios; what is done already is looked at."""
        place = {id: number for number, id in enumerate(self.order)}
        works = sorted(plan.works, key=lambda work: place[work.place.scenario.id])
        self.left = Counter(work.place.scenario.id for work in works)
        self._advance()
        return replace(plan, works=tuple(works))

    def done(self, work: Work) -> None:
        """A work has come to its end; what is next in the order is looked at, as far as all of it has."""
        self.left[work.place.scenario.id] -= 1
        self._advance()

    def _advance(self) -> None:
        while self.seen < len(self.order) and not self.is_decided and not self.left[self.order[self.seen]]:
            found = self.look(self.order[self.seen])
            if found is None:
                return  # to pass over it would count what another start counts otherwise
            for bout in self.bouts:
                if bout.names in found:
                    bout.sequence.add(found[bout.names])
            self.seen += 1

    @property
    def is_decided(self) -> bool:
        return all(bout.sequence.decided for bout in self.bouts)

    @property
    def drawn(self) -> list[str]:
        """The order as the record keeps it for starts to come, in short."""
        return list(dict.fromkeys([*self.before, *(id[:SHORT] for id in self.order)]))

    def as_json(self) -> dict[str, Any]:
        """As the record keeps it."""
        return {
            "by": self.what,
            "decided": self.is_decided,
            "seen": self.seen,
            "of": len(self.order),
            "pairs": [bout.as_json() for bout in self.bouts],
        }


def check_deciding(benchmark: Benchmark, models: Sequence[str], options: Options, pairs: bool) -> None:
    """Raise a Mistake where there is nothing that could be decided."""
    if len(models) < 2:
        raise Mistake("--until-decided is about which model is better: name two or more with --model")
    measures = benchmark.measures(options)
    if not pairs and (not measures or not benchmark.spread(options)):
        raise Mistake(
            f"{benchmark.name} gives no score to single conversations here, so that nothing can be decided early"
        )
    if not pairs and measures[0].less_is_better:
        raise Mistake(
            f"{benchmark.name} is measured by what there should be little of: --until-decided is not for that"
        )


def drawn(scenarios: Iterable[str], seed: int, before: Sequence[str] = ()) -> list[str]:
    """The scenarios in an order drawn at random; those that were drawn before come first, as they came then.

    So a run that grows is looked at further: to draw all anew would be another chance to be wrong.
    """
    place = {short: number for number, short in enumerate(before)}
    there = set(scenarios)
    known = sorted((id for id in there if id[:SHORT] in place), key=lambda id: place[id[:SHORT]])
    new = sorted(there.difference(known))
    Random(f"{seed}/until decided").shuffle(new)  # noqa: S311  # draws an order, guards nothing
    return [*known, *new]


@dataclass(frozen=True)
class JudgedRun:
    """A run as it is judged by this start."""

    run: Run
    benchmark: Benchmark
    options: Options
    rubric: str
    epochs: int

    @property
    def drawn(self) -> tuple[str, ...]:
        """The scenarios that earlier starts have drawn, in their order."""
        return tuple(self.run.extent.get(DRAWN, ()))

    def order(self, scenarios: Iterable[str]) -> list[str]:
        return drawn(scenarios, self.run.identity["seed"], self.drawn)


def watch_scores(
    records: Records, judged: JudgedRun, scenarios: Iterable[str], models: Sequence[str]
) -> Watch:
    """Models are compared by the benchmark's first measure."""
    measure = judged.benchmark.measures(judged.options)[0]
    width = measure.scale.high - measure.scale.low
    pairs = list(combinations(sorted(models), 2))
    bouts = [
        Bout(two, MeanSequence(-width, width, confidence=CONFIDENCE, comparisons=len(pairs))) for two in pairs
    ]

    def look(scenario: str) -> Results | None:
        values = _values(records, judged, measure, scenario)
        if values is None:
            return None
        return {
            (one, other): values[one] - values[other]
            for one, other in pairs
            if one in values and other in values
        }

    return Watch(bouts, judged.order(scenarios), look, measure.name, judged.drawn)


def _values(records: Records, judged: JudgedRun, measure: Measure, scenario: str) -> dict[str, float] | None:
    """What each model comes to on a scenario: the mean over repeats, of the mean over judges."""
    found: dict[str, list[float]] = {}
    numbers = records.numbers(judged.run, scenario)
    settled = (judged.benchmark, judged.options, judged.rubric)
    for one in judged_in(records, *settled, numbers, lines=False):
        if one.row.repeat >= judged.epochs:
            continue  # of another start, which went further and may not have come to its end
        verdicts = [verdict for item, verdict in one.verdicts if not item]
        if _is_broken_off(one.row, verdicts, judged.rubric):
            return None
        for model in {score.model or one.row.subject for score in one.scores}:
            mine = [score for score in one.scores if (score.model or one.row.subject) == model]
            said = measure.by_source(mine)
            if said:
                found.setdefault(model, []).append(fsum(said.values()) / len(said))
    return {model: fsum(values) / len(values) for model, values in found.items()}


def _is_broken_off(row: ConversationRow, verdicts: Iterable[Verdict], rubric: str) -> bool:
    told = [verdict.failure for verdict in verdicts if verdict.rubric == rubric]
    return row.state == "open" or any(failure in BROKEN_OFF for failure in (row.failure, *told))


def watch_pairs(records: Records, judged: JudgedRun, models: Sequence[str]) -> Watch:
    """Models are compared by what judges say of two conversations side by side, in both orders."""
    pairing = pairing_of(judged.benchmark)(judged.options)
    met = {one.scenario.id for one, _ in rivals(records.each(judged.run), models)}
    pairs = list(combinations(sorted(models), 2))
    bouts = [Bout(two, WinSequence(confidence=CONFIDENCE, comparisons=len(pairs))) for two in pairs]

    def look(scenario: str) -> Results | None:
        rows = [records.conversation(number) for number in records.numbers(judged.run, scenario)]
        sums: dict[Two, list[int]] = {}
        for one, other in rivals(rows, models):
            sides: list[dict[str, int]] = []
            for shown, beside in ((one, other), (other, one)):
                item = item_of(shown.number, beside.number)
                verdicts = [said for about, said in records.verdicts_of(shown.number) if about == item]
                if _is_broken_off(shown, verdicts, judged.rubric):
                    return None
                sides.append(_said(verdicts, judged.rubric, pairing))
            results = [
                Swap(said, -sides[1][judge], scenario).result
                for judge, said in sides[0].items()
                if judge in sides[1]
            ]
            if results:
                sums.setdefault((one.subject, other.subject), []).append(_majority(results))
        return {two: (1 + _sign(sum(results))) / 2 for two, results in sums.items()}

    return Watch(bouts, judged.order(met), look, "which of two is better", judged.drawn)


def _said(verdicts: Iterable[Verdict], rubric: str, pairing: Pairing) -> dict[str, int]:
    """What each judge said of an ordered pair: 1 for what was shown first, -1 for the other, 0 for a tie."""
    return {
        verdict.judge: pairing.preferred(verdict.data)
        for verdict in verdicts
        if verdict.rubric == rubric and verdict.data is not None
    }


def _majority(results: Sequence[int]) -> int:
    return next((one for one in (1, -1) if 2 * results.count(one) > len(results)), 0)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
