"""Means and rates with intervals that keep their promise at small n and under clustering."""

import math
import sys
from collections import defaultdict
from collections.abc import Hashable, Sequence

from interplay.core.board import Estimate
from interplay.statistics import special


def mean(values: Sequence[float], *, confidence: float = 0.95) -> Estimate:
    """The mean of independent values, with a t interval."""
    check_confidence(confidence)
    numbers = finite(values)
    n = len(numbers)
    if n < 2:
        return _without_interval(numbers, ())
    variance = _plain_variance(_deviations(numbers))
    return _t_interval(numbers, variance, n - 1, (), "t", confidence)


def rate(successes: int, n: int, *, confidence: float = 0.95) -> Estimate:
    """The rate of independent successes, with a Wilson interval."""
    check_confidence(confidence)
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
    check_confidence(confidence)
    numbers = finite(values)
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


def macro_mean(groups: Sequence[Sequence[float]], *, confidence: float = 0.95) -> Estimate:
    """The mean over groups of each group's mean of independent values, with Satterthwaite's t interval.

    Every group weighs the same, however many values it holds, and the groups themselves are given: the
    interval speaks of new values in these groups, not of other groups.

    A group of one value borrows its spread from the others, as their pooled variance: too little where it
    would vary more than they do. Where every group holds one value, the values are taken as one sample: the
    spread between groups is then in the interval, which can only widen it.
    """
    check_confidence(confidence)
    samples = samples_of(groups)
    if len(samples) < 2:
        return mean(samples[0] if samples else [], confidence=confidence)
    numbers = [number for sample in samples for number in sample]
    parts = variance_parts(samples)
    value, variance = _average([_average(sample) for sample in samples]), math.fsum(parts)
    if _cancelled(variance, numbers, _deviations(numbers)):
        return Estimate(value, None, None, len(numbers), (), "none")
    freedom = _satterthwaite(parts, [len(sample) - 1 for sample in samples])
    half = float(special.stdtrit(freedom, (1 + confidence) / 2)) * math.sqrt(variance)
    return Estimate(value, value - half, value + half, len(numbers), (), "macro t")


def samples_of(groups: Sequence[Sequence[float]]) -> list[list[float]]:
    """The groups that hold values, or all values as one group where each of them holds a single value."""
    samples = [sample for sample in map(finite, groups) if sample]
    if all(len(sample) == 1 for sample in samples):
        together = [sample[0] for sample in samples]
        return [together] if together else []
    return samples


def variance_parts(samples: list[list[float]]) -> list[float]:
    """What the groups add, one by one, to the variance of the mean of their means."""
    weights = spread_weights([len(sample) for sample in samples])
    return [weight * spread(sample) for weight, sample in zip(weights, samples, strict=True)]


def spread_weights(sizes: Sequence[int]) -> list[float]:
    """How much of each group's variance is in the variance of the mean of the groups' means.

    A group of one value adds the pooled variance, which is a sum of the others' variances: their weights
    carry it.
    """
    alone = sum(size == 1 for size in sizes)
    freedom = sum(size - 1 for size in sizes)
    return [
        (1 / size + alone * (size - 1) / freedom) / len(sizes) ** 2 if size > 1 else 0.0 for size in sizes
    ]


def check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")


def check_draws(draws: int) -> None:
    if draws < 1:
        raise ValueError(f"a bootstrap takes at least one draw, not {draws}")


def _check_ways(n: int, ways: tuple[Sequence[Hashable], ...]) -> None:
    if len(ways) not in (1, 2):
        raise ValueError(f"values are clustered in one way or two, not {len(ways)}")
    for way in ways:
        if len(way) != n:
            raise ValueError(f"{n} values but {len(way)} cluster labels")


def finite(values: Sequence[float]) -> list[float]:
    """The values as numbers, none of them missing."""
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


def _plain_variance(deviations: list[float]) -> float:
    """The same where every value is a cluster of its own."""
    n = len(deviations)
    return n / (n - 1) * math.fsum(deviation**2 for deviation in deviations) / n**2


def spread(numbers: list[float]) -> float:
    """The variance of the values themselves; 0 for a single one, which has none to show."""
    if len(numbers) < 2:
        return 0.0
    return math.fsum(deviation**2 for deviation in _deviations(numbers)) / (len(numbers) - 1)


def _satterthwaite(parts: list[float], freedoms: list[int]) -> float:
    """The degrees of freedom of a sum of independent variances; their sum where nothing varies."""
    total = math.fsum(parts)
    if total == 0:
        return float(sum(freedoms))
    return 1 / math.fsum((part / total) ** 2 / own for part, own in zip(parts, freedoms, strict=True) if own)


def _two_way_variance(
    deviations: list[float], first: Sequence[Hashable], second: Sequence[Hashable]
) -> float:
    one, other = _variance(deviations, first), _variance(deviations, second)
    cells = _variance(deviations, list(zip(first, second, strict=True)))
    # The difference can come out negative, or below what one way alone shows; dependence in a second way
    # cannot make the mean more certain, so the larger one-way variance is the least we claim.
    return max(one + other - cells, one, other)


def _cancelled(variance: float, numbers: list[float], deviations: list[float]) -> bool:
    """Whether the values differ yet what the variance is made of does not, beyond rounding.

    4, 5, 5, 4 on a 2 x 2 design has equal sums in both ways, and 4, 4 and 5, 5 in two groups do not differ
    within either: an accident of a coarse scale, and no proof that the mean is known exactly.
    """
    return is_rounding(variance, numbers) and not is_rounding(_plain_variance(deviations), numbers)


def is_rounding(variance: float, numbers: list[float]) -> bool:
    """Whether a variance of the mean is no more than rounding makes of equal values."""
    return variance <= (4 * sys.float_info.epsilon * max(map(abs, numbers))) ** 2


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
