"""Means and rates of a judge's many values, corrected by people's values of a few items drawn at random.

What is estimated is what people would say on average of conversations like these: of the population that the
run's items were drawn from, not of these items alone. So an interval does not shrink to nothing where people
have labelled all of them.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.drift import Shift, shift
from interplay.statistics.influence import (
    Numbers,
    check_ways,
    clusters_of,
    design_effect,
    smallest_step,
    unseen,
    variance_of_sum,
)
from interplay.statistics.intervals import check_confidence, clustered_mean, finite, mean, rate

NO_VARIATION = "none: no variation"
FEWEST = 4  # labels: two are spent on the line through them, and one more tells no spread


@dataclass(frozen=True)
class Labels:
    """The judge's value of every item of a run, and a person's of some, drawn at random without replacement.

    People's is None where no one was asked. Which items people label must not depend on what the judge, or
    they, said: labels of hand-picked items correct nothing. Items of one cluster, in up to two ways, may
    depend on each other.
    """

    judge: Sequence[float]
    people: Sequence[float | None]
    ways: tuple[Sequence[Hashable], ...] = ()
    yes_or_no: bool = False  # people's values are 1 and 0, and their mean is a rate

    def __post_init__(self) -> None:
        if len(self.judge) != len(self.people):
            raise ValueError(f"{len(self.judge)} items of the judge but {len(self.people)} of people")
        check_ways(len(self.judge), self.ways)
        finite(self.judge)
        finite(self.said)
        if self.yes_or_no and not set(self.said) <= {0.0, 1.0}:
            raise ValueError("people's values of yes or no must be 1 or 0")

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """Which items have a person's value."""
        return np.array([value is not None for value in self.people], dtype=bool)

    @cached_property
    def said(self) -> list[float]:
        """What people said, of the items that have their value."""
        return [float(value) for value in self.people if value is not None]

    @property
    def count(self) -> int:
        return len(self.said)

    @cached_property
    def clusters(self) -> tuple[int, ...]:
        """How many clusters of each way hold labels."""
        return clusters_of(self.ways, self.seen)

    def labelled(self) -> "Labels":
        """The items that people labelled, alone."""
        places = np.flatnonzero(self.seen).tolist()
        ways = tuple([way[place] for place in places] for way in self.ways)
        return replace(
            self,
            judge=[self.judge[place] for place in places],
            people=[self.people[place] for place in places],
            ways=ways,
        )


@dataclass(frozen=True)
class Correction:
    """A judge's mean as it stands, as people alone tell it, and as both together do."""

    judge: Estimate
    people: Estimate
    together: Estimate
    bias: Shift  # the judge's value less people's, on the items with both
    effective: float | None  # how many labels alone would be worth as much as these with the judge

    @property
    def flagged(self) -> bool:
        """Whether the labels show that the judge differs from people, so that its own mean misleads."""
        return self.bias.shown


def correct(labels: Labels, *, confidence: float = 0.95) -> Correction:
    """The three means of a run with a few labels, and whether the judge's own can stand."""
    return Correction(
        judge_only(labels, confidence=confidence),
        people_only(labels, confidence=confidence),
        prediction_powered(labels, confidence=confidence),
        judge_bias(labels, confidence=confidence),
        effective_labels(labels),
    )


def judge_only(labels: Labels, *, confidence: float = 0.95) -> Estimate:
    """The mean of the judge's values, as if it were never wrong: many values make it narrow, not right."""
    return _mean(labels.judge, labels, confidence)


def people_only(labels: Labels, *, confidence: float = 0.95) -> Estimate:
    """The mean of people's values, as if there were no judge."""
    return _mean(labels.said, labels.labelled(), confidence)


def judge_bias(labels: Labels, *, confidence: float = 0.95) -> Shift:
    """How far the judge lies above people on the items with both; they must speak on one scale."""
    own = labels.labelled()
    return shift(own.said, own.judge, *own.ways, confidence=confidence)


def prediction_powered(labels: Labels, *, confidence: float = 0.95) -> Estimate:
    """The mean of people's values that the judge's predict, corrected on the labels (PPI++).

    Angelopoulos, Duchi and Zrnic (2023): lambda times the judge's mean over all items, and people's values
    less lambda times the judge's over the labelled ones. The lambda that makes this least uncertain is the
    slope of people's values on the judge's, so the judge may speak on another scale, and one that says
    nothing about people changes nothing. What lambda owes to chance is in the variance: residuals carry the
    weight that the line gives them, one degree of freedom is lost, and one error of a step in each direction
    is allowed for that the labels may have missed. A rate has Wilson's interval at the number of labels that
    would leave as much doubt. Where the judge's labelled values do not vary, it is people's mean alone.
    """
    check_confidence(confidence)
    n, clusters = labels.count, labels.clusters
    line = _line(labels)
    if line is None:
        return people_only(labels, confidence=confidence)
    if n < FEWEST or (clusters and max(clusters) < 2):
        reason = "none: too few labels" if n < FEWEST else "none: a single cluster"
        return Estimate(line.value, None, None, n, clusters, reason)
    doubt = _doubt(labels, line)
    if doubt is None:
        return Estimate(line.value, None, None, n, clusters, NO_VARIATION)
    freedom = min([count for count in clusters if count > 1], default=n) - 1
    t = float(special.stdtrit(freedom, (1 + confidence) / 2))
    if labels.yes_or_no:
        low, high = _wilson(line.value, doubt.worth, t)
        return Estimate(line.value, low, high, n, clusters, "ppi++ wilson")
    half = t * math.sqrt(doubt.together)
    return Estimate(line.value, line.value - half, line.value + half, n, clusters, "ppi++ t")


def effective_labels(labels: Labels) -> float | None:
    """How many labels without a judge would leave as little doubt as these with it; None where none can be told."""
    line = _line(labels)
    if line is None:
        return float(labels.count) if labels.count else None
    if labels.count < FEWEST or (labels.clusters and max(labels.clusters) < 2):
        return None
    doubt = _doubt(labels, line)
    return None if doubt is None else labels.count * doubt.gain


def rogan_gladen(
    yes: tuple[int, int],
    sensitivity: tuple[int, int],
    specificity: tuple[int, int],
    *,
    confidence: float = 0.95,
) -> Estimate:
    """The rate of true yes behind a judge's rate of yes (Rogan and Gladen 1978), each given as (count, out of).

    Sensitivity is how many of people's yes the judge called yes, specificity how many of their no it called
    no, counted on items other than those of the rate (where they are a part of them, the interval covers a
    little more, and prediction_powered makes better use of them). The interval holds the rates that the three
    counts do not contradict: those at which the judge's rate of yes is as far from the expected one as chance
    takes it (Fieller), with one success and one failure more in each count. It is cut at 0 and 1, and is all
    between them where the judge may be no better than chance. None where the counts show it no better.
    """
    check_confidence(confidence)
    for name, (count, of) in {"yes": yes, "sensitivity": sensitivity, "specificity": specificity}.items():
        if not 0 <= count <= of or of == 0:
            raise ValueError(f"{name}: {count} of {of} is not a rate")
    said, hit, spared = (count / of for count, of in (yes, sensitivity, specificity))
    if hit + spared <= 1:
        return Estimate(None, None, None, yes[1], (), "none: the judge is no better than chance")
    value = min(max((said + spared - 1) / (hit + spared - 1), 0.0), 1.0)
    low, high = _fieller(yes, sensitivity, specificity, float(special.ndtri((1 + confidence) / 2)))
    return Estimate(value, min(low, value), max(high, value), yes[1], (), "rogan-gladen")


@dataclass(frozen=True)
class _Line:
    """The line of people's values on the judge's."""

    value: float  # at the judge's mean over all items
    slope: float
    residuals: Numbers
    weights: Numbers  # what each labelled value counts for, 1 on average


@dataclass(frozen=True)
class _Doubt:
    """The variances of the mean of people's labels alone and of the corrected mean."""

    alone: float
    together: float
    base: float  # how many independent labels those of people are worth

    @property
    def gain(self) -> float:
        return self.alone / self.together

    @property
    def worth(self) -> float:
        return self.base * self.gain


def _mean(values: Sequence[float], labels: Labels, confidence: float) -> Estimate:
    binary = labels.yes_or_no and {float(value) for value in values} <= {0.0, 1.0}
    if not binary and len(values) > 1 and len(set(values)) == 1:
        # equal grades show no spread, and no spread is no proof that there is none
        return Estimate(float(values[0]), None, None, len(values), clusters_of(labels.ways), NO_VARIATION)
    if not labels.ways:
        return (
            rate(int(sum(values)), len(values), confidence=confidence)
            if binary
            else mean(values, confidence=confidence)
        )
    if binary:
        # Wilson's interval takes one way; of two, the one that leaves more doubt.
        each = [
            clustered_rate([value > 0 for value in values], way, confidence=confidence) for way in labels.ways
        ]
        return max(each, key=lambda one: -1.0 if one.low is None or one.high is None else one.high - one.low)
    return clustered_mean(values, *labels.ways, confidence=confidence)


def _line(labels: Labels) -> _Line | None:
    """None where the labelled items give no line: there are fewer than two, or the judge says the same of all."""
    judge, people, seen = np.asarray(labels.judge, dtype=float), np.asarray(labels.said), labels.seen
    if len(people) < 2 or np.ptp(judge[seen]) <= 1e-12 * np.abs(judge[seen]).max():
        return None
    off = judge[seen] - judge[seen].mean()
    squares = math.fsum((off**2).tolist())
    slope = math.fsum((off * people).tolist()) / squares
    away = float(judge.mean() - judge[seen].mean())
    value = float(people.mean()) + slope * away
    residuals = people - people.mean() - slope * off
    weights = 1 + len(people) * off * away / squares
    return _Line(min(max(value, 0.0), 1.0) if labels.yes_or_no else value, slope, residuals, weights)


def _doubt(labels: Labels, line: _Line) -> _Doubt | None:
    """None where people's values are all one, on a scale whose step nobody knows.

    The corrected mean is a sum over all items of what each adds to it: the judge's value along the line, and
    on labelled items the residual beside it.
    """
    seen, n, people = labels.seen, labels.count, np.asarray(labels.said)
    step = 1.0 if labels.yes_or_no else smallest_step(labels.said)
    if step is None:
        return None
    told = [(way, count) for way, count in zip(labels.ways, labels.clusters, strict=True) if count > 1]
    ways = [way for way, _ in told]
    judge = np.asarray(labels.judge, dtype=float)
    parts = line.slope * (judge - judge.mean()) / len(judge)
    parts[seen] += math.sqrt((n - 1) / (n - 2)) * line.weights * line.residuals / n
    own = np.zeros(len(judge))
    own[seen] = (people - people.mean()) / n
    alone, together = (variance_of_sum(some, ways, seen) for some in (own, parts))
    plain = variance_of_sum(own, (), seen)
    design = design_effect(alone, plain, n, [count for _, count in told])
    more = unseen(step, n, design)
    return _Doubt(alone + more, together + more, n / design)


def _wilson(share: float, n: float, quantile: float) -> tuple[float, float]:
    centre = (share + quantile**2 / (2 * n)) / (1 + quantile**2 / n)
    half = quantile / (1 + quantile**2 / n) * math.sqrt(share * (1 - share) / n + (quantile / (2 * n)) ** 2)
    return max(0.0, centre - half), min(1.0, centre + half)


def _fieller(
    yes: tuple[int, int], sensitivity: tuple[int, int], specificity: tuple[int, int], quantile: float
) -> tuple[float, float]:
    """The rates at which the judge's share of yes lies within the quantile of the expected one."""
    (said, v), (hit, w), (spared, u) = (
        (share, share * (1 - share) / (of + 2))
        for share, of in (((count + 1) / (of + 2), of) for count, of in (yes, sensitivity, specificity))
    )
    # (a + b x)^2 <= q^2 (v + w x^2 + u (1 - x)^2), a quadratic in the rate x.
    a, b, q = said + spared - 1, 1 - hit - spared, quantile**2
    square, line, rest = b * b - q * (w + u), 2 * a * b + 2 * q * u, a * a - q * (v + u)
    if square <= 0:
        return 0.0, 1.0
    root = math.sqrt(max(line * line - 4 * square * rest, 0.0))
    low, high = (-line - root) / (2 * square), (-line + root) / (2 * square)
    return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)
