"""Rates, and means that may be rates, of values that depend on each other within a cluster."""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence

from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.intervals import check_confidence, clustered_mean


def clustered_rate(
    successes: Sequence[bool], way: Sequence[Hashable], *, confidence: float = 0.95
) -> Estimate:
    """The share of successes, with Wilson's interval at the effective number of values.

    That is how many independent values would leave as much doubt as the spread between clusters does, and
    never more than there are. Where all or none succeed there is no spread to see, and each cluster counts as
    one value. The quantile is that of t with (clusters - 1) degrees of freedom, as for clustered means.
    """
    check_confidence(confidence)
    if len(successes) != len(way):
        raise ValueError(f"{len(successes)} values but {len(way)} cluster labels")
    n, clusters = len(successes), len(set(way))
    share = float(sum(successes)) / n if n else None
    if share is None or clusters < 2:
        return Estimate(share, None, None, n, (clusters,), "none")
    effective = _effective(successes, way, share)
    t = float(special.stdtrit(clusters - 1, (1 + confidence) / 2))
    low, high = _wilson_low(share, effective, t), 1 - _wilson_low(1 - share, effective, t)
    return Estimate(share, low, high, n, (clusters,), "clustered wilson")


def mean_or_rate(
    values: Sequence[float], clusters: Sequence[Sequence[Hashable]], *, is_rate: bool
) -> Estimate:
    """The mean of values, each with its clusters in one way or two; of a rate all of whose values are 0 or 1, as such.

    Wilson's interval takes one way; of two, the one that leaves more doubt.
    """
    ways = list(zip(*clusters, strict=True))
    if not ways:
        return clustered_mean([], [])
    if is_rate and set(values) <= {0.0, 1.0}:
        return max((clustered_rate([value == 1 for value in values], way) for way in ways), key=_width)
    return clustered_mean(values, *ways)


def _width(estimate: Estimate) -> float:
    return 0.0 if estimate.low is None or estimate.high is None else estimate.high - estimate.low


def _effective(successes: Sequence[bool], way: Sequence[Hashable], share: float) -> float:
    sums: defaultdict[Hashable, list[float]] = defaultdict(list)
    for success, label in zip(successes, way, strict=True):
        sums[label].append(success - share)
    n, count = len(successes), len(sums)
    alone = share * (1 - share)
    if not alone:
        return float(count)
    squares = math.fsum(math.fsum(cluster) ** 2 for cluster in sums.values())
    variance = count / (count - 1) * squares / n**2
    return float(n) if variance * n <= alone else alone / variance


def _wilson_low(share: float, n: float, quantile: float) -> float:
    half = quantile * math.sqrt(share * (1 - share) / n + (quantile / (2 * n)) ** 2)
    return share**2 / (share + quantile**2 / (2 * n) + half)
