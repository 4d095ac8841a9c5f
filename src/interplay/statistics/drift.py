"""Whether values of the same items differ between two times, or between a judge and people."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.influence import (
    Numbers,
    Ways,
    check_ways,
    clusters_of,
    design_effect,
    smallest_step,
    unseen,
    variance_of_sum,
)
from interplay.statistics.intervals import check_confidence, finite
from interplay.statistics.power import detectable_difference

POWER = 0.8  # how often a shift that counts as visible is seen


@dataclass(frozen=True)
class Shift:
    """How far the second values lie above the first, and what so many items could have shown.

    The interval leaves out 0 exactly where the p-value is at most 1 - confidence. Visible is the true shift
    that a test at this confidence sees in four of five repetitions.
    """

    difference: Estimate
    p_value: float | None
    visible: float | None

    @property
    def shown(self) -> bool:
        """Whether the interval leaves out 0."""
        low, high = self.difference.low, self.difference.high
        return low is not None and high is not None and not low <= 0 <= high


def shift(
    before: Sequence[float],
    after: Sequence[float],
    *ways: Sequence[Hashable],
    confidence: float = 0.95,
) -> Shift:
    """The mean of after - before over the same items, by a paired t test, clustered in up to two ways.

    Frozen anchors judged at two times show a judge's drift; labelled items show its bias against people. Both
    must be on one scale. What an item is like cancels out, so that the doubt is the judge's own and not that
    between items. The variance allows for one item a step up and one a step down that were not seen (the
    scale's smallest step): of 120 anchors of which four changed, all four go one way in one case of eight,
    and a plain t test would call it drift. With it, few changes of a step are called drift where the exact
    sign test calls them so.
    """
    check_confidence(confidence)
    if len(before) != len(after):
        raise ValueError(f"{len(before)} values before but {len(after)} after")
    check_ways(len(before), ways)
    differences = np.asarray(finite(after)) - np.asarray(finite(before))
    n, clusters = len(differences), clusters_of(ways)
    if n == 0:
        return Shift(Estimate(None, None, None, 0, clusters, "none"), None, None)
    value = math.fsum(differences.tolist()) / n + 0.0
    usable = [way for way, count in zip(ways, clusters, strict=True) if count > 1]
    step = smallest_step(before, after)
    if n < 2 or step is None or (ways and not usable):
        return Shift(Estimate(value, None, None, n, clusters, "none"), None, None)
    error = math.sqrt(_variance((differences - value) / n, usable, step))
    freedom = min([count for count in clusters if count > 1], default=n) - 1
    half = float(special.stdtrit(freedom, (1 + confidence) / 2)) * error
    estimate = Estimate(value, value - half, value + half, n, clusters, _method(len(usable)))
    p_value = float(2 * special.stdtr(freedom, -abs(value) / error))
    return Shift(estimate, p_value, _visible(error * math.sqrt(n), n, freedom, confidence))


def _variance(parts: Numbers, ways: Ways, step: float) -> float:
    n, variance = len(parts), variance_of_sum(parts, ways)
    design = design_effect(variance, variance_of_sum(parts, ()), n, clusters_of(ways))
    return variance + unseen(step, n, design)


def _visible(spread: float, n: int, freedom: int, confidence: float) -> float | None:
    """None at a confidence so low that a test errs more often than it should see."""
    if 1 - confidence >= POWER:
        return None
    return detectable_difference(spread, n, error=1 - confidence, power=POWER, freedom=freedom)


def _method(ways: int) -> str:
    return ("paired t", "one-way paired t", "two-way paired t")[ways]
