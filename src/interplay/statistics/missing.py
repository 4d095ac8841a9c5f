"""Means and rates of which a part is missing, between the worst and the best that it could have been."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import clustered_mean, mean, rate

HALVINGS = 60  # of the way between two quantiles, down to the last bit


@dataclass(frozen=True)
class Bounds:
    """What is known of a mean of which a part is missing, whatever became of that part.

    The mean lies between lowest, every missing value at the scale's low end, and highest, at its high end.
    The interval from low to high holds the mean of what was sampled from, with the confidence asked for;
    it is None where either end has none.
    """

    lowest: float | None
    highest: float | None
    low: float | None
    high: float | None
    n: int  # the missing among them
    missing: int
    clusters: tuple[int, ...] = ()
    method: str = "none"


def bounds(
    values: Sequence[float | None],
    scale: tuple[float, float],
    *ways: Sequence[Hashable],
    confidence: float = 0.95,
) -> Bounds:
    """The mean of values between the ends of a scale, None being missing, clustered in up to two ways."""
    least, most = scale
    if not least < most:
        raise ValueError(f"a scale runs from its low end to its high end, not from {least} to {most}")
    for value in values:
        if value is not None and not least <= value <= most:
            raise ValueError(f"{value} is not on the scale from {least} to {most}")

    def end(filled: float, share: float) -> Estimate:
        whole = [filled if value is None else value for value in values]
        return clustered_mean(whole, *ways, confidence=share) if ways else mean(whole, confidence=share)

    return _between(end, scale, sum(value is None for value in values), confidence)


def rate_bounds(
    successes: Sequence[bool | None], way: Sequence[Hashable] | None = None, *, confidence: float = 0.95
) -> Bounds:
    """The rate of successes, None being missing, independent or clustered in one way."""

    def end(filled: float, share: float) -> Estimate:
        whole = [bool(filled) if success is None else success for success in successes]
        if way is None:
            return rate(sum(whole), len(whole), confidence=share)
        return clustered_rate(whole, way, confidence=share)

    return _between(end, (0.0, 1.0), sum(success is None for success in successes), confidence)


def _between(
    end: Callable[[float, float], Estimate], scale: tuple[float, float], missing: int, confidence: float
) -> Bounds:
    """Both ends, and the interval of Imbens and Manski (2004) around them.

    The mean cannot be near both ends if these are far apart, so that on either side only one tail can be
    missed: each end then reaches as far as a one-sided bound does. As the ends come together the reach grows
    to that of the ordinary interval. It never leaves the scale, on which the mean is known to lie.
    """
    if not 0.5 < confidence < 1:
        raise ValueError(f"confidence must lie between one half and 1, not {confidence}")
    lower = end(scale[0], confidence)
    upper = end(scale[1], confidence) if missing else lower
    found = Bounds(lower.value, upper.value, None, None, lower.n, missing, lower.clusters)
    halves = [_half(estimate) for estimate in (lower, upper)]
    if lower.value is None or upper.value is None or None in halves:
        return found
    widest = max(half for half in halves if half is not None)
    each = _confidence_of_each(upper.value - lower.value, widest, _freedom(lower), confidence)
    if each != confidence:
        lower, upper = end(scale[0], each), end(scale[1], each)
    low, high = _within(scale, lower.low), _within(scale, upper.high)
    return replace(found, low=low, high=high, method=f"bounds by {lower.method}")


def _confidence_of_each(apart: float, half: float, freedom: int | None, confidence: float) -> float:
    """The confidence of the interval at either end with which both together have the one asked for.

    Half is what the wider interval reaches at that confidence. With a reach of so many standard errors on
    both sides, a mean at one end is missed below it, or above it beyond the other end as well.
    """
    most = _quantile((1 + confidence) / 2, freedom)
    less, more = _quantile(confidence, freedom), most
    if not apart:
        return confidence
    gap = most * apart / half if half else math.inf
    for _ in range(HALVINGS):
        tried = (less + more) / 2
        if _share_below(tried + gap, freedom) - _share_below(-tried, freedom) < confidence:
            less = tried
        else:
            more = tried
    return 1 - 2 * _share_below(-more, freedom)


def _freedom(estimate: Estimate) -> int | None:
    """The degrees of freedom of the interval's t; None where it is by the normal distribution."""
    if estimate.method == "wilson":
        return None
    return min((count for count in estimate.clusters if count > 1), default=estimate.n) - 1


def _quantile(share: float, freedom: int | None) -> float:
    return float(special.ndtri(share) if freedom is None else special.stdtrit(freedom, share))


def _share_below(quantile: float, freedom: int | None) -> float:
    return float(special.ndtr(quantile) if freedom is None else special.stdtr(freedom, quantile))


def _half(estimate: Estimate) -> float | None:
    return None if estimate.low is None or estimate.high is None else (estimate.high - estimate.low) / 2


def _within(scale: tuple[float, float], number: float | None) -> float | None:
    return None if number is None else min(max(number, scale[0]), scale[1])
