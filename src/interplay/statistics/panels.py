"""How far the judges of a panel err together, and so how much a panel is worth."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.influence import Numbers
from interplay.statistics.intervals import check_confidence, finite

NO_VARIATION, NO_SPREAD, FEW = "none: no variation", "none: too few errors", "none: fewer than four"
METHOD = "jackknife t"
Covariance = Callable[
    [Numbers], Numbers
]  # of covariance matrices, the last two axes; nan where it is undefined


@dataclass(frozen=True)
class Pair:
    """How far two judges, by their places in the panel, err together."""

    first: int
    second: int
    correlation: Estimate


@dataclass(frozen=True)
class Panel:
    """How far judges err together.

    The relative variance is that of the panel's mean error over that of one judge's: 1 / judges where they
    err independently, 1 where they all err as one. Its inverse is how many independent judges are worth as
    much.
    """

    judges: int
    pairs: tuple[Pair, ...]
    correlation: Estimate
    relative_variance: Estimate
    effective: Estimate


def panel(
    judges: Sequence[Sequence[float]],
    people: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    confidence: float = 0.95,
) -> Panel:
    """How far judges err together on the same items, an error being the judge's value less people's.

    The correlation of the panel is the mean covariance of two judges' errors over the mean variance of one's:
    the mean of the pairs' correlations where all judges err as widely, and otherwise the number that makes (1
    + (k - 1) r) / k the relative variance. A judge's constant leniency is no part of it: averaging takes that
    away from nobody. Where people's value is one person's, that person's own errors are in all judges' errors
    and raise the correlation. Intervals leave out one item, or one cluster, at a time, on the scale on which
    the variance does not depend on the correlation; intervals made for normal errors are too short for the
    few and large errors of a coarse scale.
    """
    check_confidence(confidence)
    values = _table(judges)
    if len(people) != values.shape[1]:
        raise ValueError(f"{values.shape[1]} items but {len(people)} values of people")
    errors = values - np.asarray(finite(people))
    left = _LeftOut(errors, _largest(values), clusters)
    k = len(values)
    correlation = left.estimate(_together, _Scale(k), confidence)
    relative = correlation.times((k - 1) / k).plus(1 / k)
    return Panel(k, _pairs(left, confidence), correlation, relative, _inverse(relative))


def pairs_apart(
    judges: Sequence[Sequence[float]],
    clusters: Sequence[Hashable] | None = None,
    *,
    confidence: float = 0.95,
) -> tuple[Pair, ...]:
    """Which judges err together more than others, where no person's value is known.

    A judge's deviation from the mean of all others stands for its error. What all judges get wrong alike is
    in that mean as well and cancels out, so these correlations lie around -1 / (judges - 1) whether the panel
    errs together or not. They tell pairs apart, and never how far the panel as a whole can be trusted: that
    takes people. In a panel of four or fewer, two that err together make the rest seem to.
    """
    check_confidence(confidence)
    values = _table(judges)
    k = len(values)
    if k < 3:
        raise ValueError("with two judges and no person, each is the other's only measure: it takes three")
    others = (values.sum(axis=0) - values) / (k - 1)
    return _pairs(_LeftOut(values - others, _largest(values), clusters), confidence)


def relative_variance(judges: int, correlation: float) -> float:
    """The variance of the mean of so many judges over one judge's, where any two err with this correlation."""
    least = -1 / (judges - 1) if judges > 1 else -1.0
    if judges < 1 or not least <= correlation <= 1:
        raise ValueError(f"{judges} judges cannot all correlate at {correlation}")
    return (1 + (judges - 1) * correlation) / judges


def _table(judges: Sequence[Sequence[float]]) -> Numbers:
    if len(judges) < 2:
        raise ValueError("a panel has at least two judges")
    if len({len(values) for values in judges}) > 1:
        raise ValueError("all judges of a panel must have judged the same items")
    return np.array([finite(values) for values in judges])


def _largest(values: Numbers) -> float:
    return float(np.abs(values).max(initial=0.0)) or 1.0


@dataclass(frozen=True)
class _Scale:
    """Where a correlation of so many judges has a variance that does not depend on it (Fisher)."""

    judges: int

    def of(self, r: Numbers) -> Numbers:
        return np.asarray(np.log((1 + (self.judges - 1) * r) / (1 - r)) / 2)

    def back(self, z: float) -> float:
        grown = math.exp(2 * min(max(z, -300.0), 300.0))  # beyond that it is an end, and would overflow
        return (grown - 1) / (grown + self.judges - 1)


class _LeftOut:
    """Covariances of the judges' errors over all items, and over all but one cluster of them."""

    def __init__(self, errors: Numbers, largest: float, clusters: Sequence[Hashable] | None) -> None:
        self.judges, self.n = errors.shape
        labels = list(range(self.n)) if clusters is None else list(clusters)
        if len(labels) != self.n:
            raise ValueError(f"{self.n} items but {len(labels)} cluster labels")
        names = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        places = np.array([names[label] for label in labels], dtype=np.intp)
        self.count = len(names)
        self.clusters = () if clusters is None else (self.count,)
        centred = errors / largest  # of all values: so that what is no more than rounding can be told
        centred = centred - centred.mean(axis=1, keepdims=True) if self.n else centred
        firsts = np.zeros((self.count, self.judges))
        squares = np.zeros((self.count, self.judges, self.judges))
        np.add.at(firsts, places, centred.T)
        np.add.at(squares, places, np.einsum("ji,li->ijl", centred, centred))
        sizes = np.bincount(places, minlength=self.count).astype(float)
        self.all = _covariance(squares.sum(axis=0), firsts.sum(axis=0), float(self.n))
        self.without = _covariance(squares.sum(axis=0) - squares, firsts.sum(axis=0) - firsts, self.n - sizes)

    def estimate(self, statistic: Covariance, scale: _Scale, confidence: float) -> Estimate:
        if self.n == 0 or self.count < 4:
            return Estimate(None, None, None, self.n, self.clusters, FEW)
        value = float(statistic(self.all))
        if not math.isfinite(value):
            return Estimate(None, None, None, self.n, self.clusters, NO_VARIATION)
        left = statistic(self.without)
        least = -1 / (scale.judges - 1)
        inside = np.isfinite(left) & (left > least + 1e-9) & (left < 1 - 1e-9)
        if not inside.all() or not least + 1e-9 < value < 1 - 1e-9:
            return Estimate(value, None, None, self.n, self.clusters, NO_SPREAD)
        moved = scale.of(left)
        error = math.sqrt((self.count - 1) * float(np.var(moved)))
        half = float(special.stdtrit(self.count - 1, (1 + confidence) / 2)) * error
        centre = float(scale.of(np.asarray(value)))
        ends = scale.back(centre - half), scale.back(centre + half)
        return Estimate(value, *ends, self.n, self.clusters, METHOD)


def _covariance(squares: Numbers, firsts: Numbers, n: float | Numbers) -> Numbers:
    count = np.maximum(np.asarray(n), 1.0)[..., np.newaxis]
    means = firsts / count
    outer = means[..., :, np.newaxis] * means[..., np.newaxis, :]
    return np.asarray(squares / count[..., np.newaxis] - outer)


def _together(covariance: Numbers) -> Numbers:
    """The mean covariance of two judges over the mean variance of one."""
    k = covariance.shape[-1]
    own = np.trace(covariance, axis1=-2, axis2=-1)
    shared = covariance.sum(axis=(-2, -1)) - own
    there = own > 1e-15
    return np.where(there, shared / (k - 1) / np.where(there, own, 1.0), np.nan)


def _between(first: int, second: int) -> Covariance:
    def correlation(covariance: Numbers) -> Numbers:
        spreads = covariance[..., first, first] * covariance[..., second, second]
        there = spreads > 1e-30
        return np.where(
            there, covariance[..., first, second] / np.sqrt(np.where(there, spreads, 1.0)), np.nan
        )

    return correlation


def _pairs(left: _LeftOut, confidence: float) -> tuple[Pair, ...]:
    return tuple(
        Pair(one, other, left.estimate(_between(one, other), _Scale(2), confidence))
        for one, other in combinations(range(left.judges), 2)
    )


def _inverse(relative: Estimate) -> Estimate:
    """One over a variance; without what would have to be said of a variance of nothing."""
    value, low, high = relative.value, relative.low, relative.high
    if value is None or value < 1e-9:
        return Estimate(None, None, None, relative.n, relative.clusters, relative.method)
    if low is None or high is None or low < 1e-9:
        return Estimate(1 / value, None, None, relative.n, relative.clusters, relative.method)
    return Estimate(1 / value, 1 / high, 1 / low, relative.n, relative.clusters, relative.method)
