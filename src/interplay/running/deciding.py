"""Deciding: a run that stops as soon as it is plain which model is better, with the error rate kept all the while.

Scenarios come in an order drawn at random, and count in that order, whichever is done first. What two models come to on
one scenario is one result, its repeats and judges together. It says which model is better on scenarios like these, with
an error of at most 5% over all pairs of models and all looks (statistics.sequences).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import fsum
from random import Random
from typing import Any

from interplay.core.benchmark import Benchmark, Options, Pairing, Verdict
from interplay.core.failures import Mistake
from interplay.core.measures import Measure
from interplay.running.pairing import item_of, rivals
from interplay.running.plan import Plan, Work
from interplay.running.results import judged_in
from interplay.statistics.sequences import MeanSequence, WinSequence
from interplay.store.records import Records, Run

CONFIDENCE = 0.95
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
        value = self.sequence.estimate.value
        return self.names[::-1] if value is not None and value < self.middle else self.names

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
    look: Callable[[str], Results]
    what: str  # that is looked at
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
        self.left[work.place.scenario.id] -= 1
        self._advance()

    def _advance(self) -> None:
        while self.seen < len(self.order) and not self.is_decided and not self.left[self.order[self.seen]]:
            found = self.look(self.order[self.seen])
            for bout in self.bouts:
                if bout.names in found:
                    bout.sequence.add(found[bout.names])
            self.seen += 1

    @property
    def is_decided(self) -> bool:
        return all(bout.sequence.decided for bout in self.bouts)

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
    if not pairs and (not benchmark.measures(options) or not benchmark.spread(options)):
        raise Mistake(
            f"{benchmark.name} gives no score to single conversations here, so that nothing can be decided early"
        )


def drawn(scenarios: Iterable[str], seed: int) -> list[str]:
    """The scenarios in an order drawn at random."""
    order = sorted(scenarios)
    Random(f"{seed}/until decided").shuffle(order)  # noqa: S311  # draws an order, guards nothing
    return order


@dataclass(frozen=True)
class Judged:
    """A run as it is judged by this start."""

    run: Run
    benchmark: Benchmark
    options: Options
    rubric: str


def watch_scores(records: Records, judged: Judged, order: Sequence[str], models: Sequence[str]) -> Watch:
    """Models are compared by the benchmark's first measure."""
    measure = judged.benchmark.measures(judged.options)[0]
    width = measure.scale.high - measure.scale.low
    pairs = list(combinations(sorted(models), 2))
    bouts = [
        Bout(two, MeanSequence(-width, width, confidence=CONFIDENCE, comparisons=len(pairs))) for two in pairs
    ]

    def look(scenario: str) -> Results:
        values = _values(records, judged, measure, scenario)
        return {
            (one, other): values[one] - values[other]
            for one, other in pairs
            if one in values and other in values
        }

    return Watch(bouts, order, look, measure.name)


def _values(records: Records, judged: Judged, measure: Measure, scenario: str) -> dict[str, float]:
    """What each model comes to on a scenario: the mean over repeats, of the mean over judges."""
    found: dict[str, list[float]] = {}
    numbers = records.numbers(judged.run, scenario)
    for one in judged_in(records, judged.benchmark, judged.options, judged.rubric, numbers):
        for model in {score.model or one.row.subject for score in one.scores}:
            mine = [score for score in one.scores if (score.model or one.row.subject) == model]
            said = measure.by_source(mine)
            if said:
                found.setdefault(model, []).append(fsum(said.values()) / len(said))
    return {model: fsum(values) / len(values) for model, values in found.items()}


def watch_pairs(
    records: Records, run: Run, pairing: Pairing, order: Sequence[str], models: Sequence[str]
) -> Watch:
    """Models are compared by what judges say of two conversations side by side, in both orders."""
    pairs = list(combinations(sorted(models), 2))
    bouts = [Bout(two, WinSequence(confidence=CONFIDENCE, comparisons=len(pairs))) for two in pairs]

    def look(scenario: str) -> Results:
        rows = [records.conversation(number) for number in records.numbers(run, scenario)]
        sums: dict[Two, list[int]] = {}
        for one, other in rivals(rows, models):
            sides = [
                _said(records.verdicts_of(shown.number), item_of(shown.number, beside.number), pairing)
                for shown, beside in ((one, other), (other, one))
            ]
            results = [_both(said, sides[1][judge]) for judge, said in sides[0].items() if judge in sides[1]]
            if results:
                sums.setdefault((one.subject, other.subject), []).append(_majority(results))
        return {two: (1 + _sign(sum(results))) / 2 for two, results in sums.items()}

    return Watch(bouts, order, look, "which of two is better")


def _said(verdicts: Iterable[tuple[str, Verdict]], item: str, pairing: Pairing) -> dict[str, int]:
    """What each judge said of an ordered pair: 1 for what was shown first, -1 for the other, 0 for a tie."""
    return {
        verdict.judge: pairing.preferred(verdict.data)
        for about, verdict in verdicts
        if about == item and verdict.rubric == pairing.digest and verdict.data is not None
    }


def _both(shown_first: int, shown_second: int) -> int:
    """What a judge found of the one that was shown first at first: what both orders agree on, else a tie."""
    return shown_first if shown_first == -shown_second else 0


def _majority(results: Sequence[int]) -> int:
    return next((one for one in (1, -1) if 2 * results.count(one) > len(results)), 0)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
