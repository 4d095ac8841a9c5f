"""Means and rates with intervals that keep their promise at small n and under clustering."""

import math
import sys
from collections import defaultdict
from collections.abc import Hashable, Sequence

from scipy import special

from interplay.core.board import Estimate


def mean(values: Sequence[float], *, confidence: float = 0.95) -> Estimate:
    """The mean of independent values, with a t interval."""
    _check_confidence(confidence)
    numbers = _finite(values)
    n = len(numbers)
    if n < 2:
        return _without_interval(numbers, ())
    variance = _variance(_deviations(numbers), range(n))
    return _t_interval(numbers, variance, n - 1, (), "t", confidence)


def rate(successes: int, n: int, *, confidence: float = 0.95) -> Estimate:
    """The rate of independent successes, with a Wilson interval."""
    _check_confidence(confidence)
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes out of {n} is not a rate")
    if n == 0:
        return Estimate(None, None, None, 0, (), "none")
    z = float(special.ndtri((1 + confidence) / 2))
    low, high = _wilson_low(successes, n, z), 1 - _wilson_low(n - successes, n, z)
    return Estimate(successes / n, low, high, n, (), "wilson")


def clustered_mean(values: Sequence[float], *ways: Sequence[Hashable], confidence: float = 0.95) -> Estimate:
    """The mean of values that depend on each other within a cluster of one way, or of either of two.

    Two ways: Cameron, Gelbach and Miller (2011). Adding the variances of both ways counts the pairs of values
    that share both clusters twice, so the variance of their cells is taken off once. The quantile is that of
    t with (fewest clusters - 1) degrees of freedom: what is learnt about the spread between clusters comes
    from that many cluster sums, however many values each holds, and the normal quantile covers too little.

    A way with a single cluster says nothing about its spread and is left out: the interval then speaks of
    that cluster alone. With no way left there is no interval, rather than one that treats values as
    independent.
    """
    _check_confidence(confidence)
    numbers = _finite(values)
    _check_ways(len(numbers), ways)
    clusters = tuple(len(set(way)) for way in ways)
    usable = [way for way, count in zip(ways, clusters, strict=True) if count > 1]
    if not usable:
        return _without_interval(numbers, clusters)
    deviations = _deviations(numbers)
    variance = (
        _two_way_variance(deviations, *usable) if len(usable) == 2 else _variance(deviations, usable[0])
    )
    if _cancelled(variance, numbers, deviations):
        return _without_interval(numbers, clusters)
    freedom = min(count for count in clusters if count > 1) - 1
    method = "two-way t" if len(usable) == 2 else "one-way t"
    return _t_interval(numbers, variance, freedom, clusters, method, confidence)


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")


def _check_ways(n: int, ways: tuple[Sequence[Hashable], ...]) -> None:
    if len(ways) not in (1, 2):
        raise ValueError(f"values are clustered in one way or two, not {len(ways)}")
    for way in ways:
        if len(way) != n:
            raise ValueError(f"{n} values but {len(way)} cluster labels")


def _finite(values: Sequence[float]) -> list[float]:
    numbers = [float(value) for value in values]
    if not all(map(math.isfinite, numbers)):
        raise ValueError("values must be finite: a missing value is counted apart, not averaged")
    return numbers


def _average(numbers: list[float]) -> float:
    # fsum rounds once, so the order of the values cannot show in the last bit. The clamp keeps the mean of
    # equal values at that very value; adding 0.0 turns -0.0 into 0.0.
    average = math.fsum(numbers) / len(numbers) + 0.0
    return min(max(average, min(numbers)), max(numbers)) + 0.0


def _deviations(numbers: list[float]) -> list[float]:
    average = _average(numbers)
    return [number - average for number in numbers]


def _variance(deviations: list[float], way: Sequence[Hashable]) -> float:
    """The variance of the mean when only values of the same cluster depend on each other."""
    members: defaultdict[Hashable, list[float]] = defaultdict(list)
    for deviation, label in zip(deviations, way, strict=True):
        members[label].append(deviation)
    count = len(members)
    squares = math.fsum(math.fsum(cluster) ** 2 for cluster in members.values())
    return count / (count - 1) * squares / len(deviations) ** 2


def _two_way_variance(
    deviations: list[float], first: Sequence[Hashable], second: Sequence[Hashable]
) -> float:
    one, other = _variance(deviations, first), _variance(deviations, second)
    cells = _variance(deviations, list(zip(first, second, strict=True)))
    # The difference can come out negative, or below what one way alone shows; dependence in a second way
    # cannot make the mean more certain, so the larger one-way variance is the least we claim.
    return max(one + other - cells, one, other)


def _cancelled(variance: float, numbers: list[float], deviations: list[float]) -> bool:
    """Whether the values differ yet their cluster sums do not, beyond rounding.

    4, 5, 5, 4 on a 2 x 2 design has equal sums in both ways: an accident of a coarse scale, and no proof that
    the mean is known exactly.
    """
    rounding = (4 * sys.float_info.epsilon * max(map(abs, numbers))) ** 2
    return variance <= rounding < _variance(deviations, range(len(deviations)))


def _t_interval(
    numbers: list[float],
    variance: float,
    freedom: int,
    clusters: tuple[int, ...],
    method: str,
    confidence: float,
) -> Estimate:
    value = _average(numbers)
    half = float(special.stdtrit(freedom, (1 + confidence) / 2)) * math.sqrt(variance)
    return Estimate(value, value - half, value + half, len(numbers), clusters, method)


def _without_interval(numbers: list[float], clusters: tuple[int, ...]) -> Estimate:
    return Estimate(_average(numbers) if numbers else None, None, None, len(numbers), clusters, "none")


def _wilson_low(successes: int, n: int, z: float) -> float:
    # The smaller root as (product of the roots) / (larger root): exactly 0 at no successes, where the
    # difference of two near-equal terms would leave a rounding error on either side of 0.
    share = successes / n
    half = z * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    return share**2 / (share + z**2 / (2 * n) + half)
