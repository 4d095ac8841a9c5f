"""How two measures of the same things go together, with intervals."""

import math
from collections.abc import Sequence

from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.intervals import check_confidence, finite


def pearson(x: Sequence[float], y: Sequence[float], *, confidence: float = 0.95) -> Estimate:
    """Pearson's correlation with Fisher's interval.

    None where there are fewer than three pairs or one side does not vary. No interval for fewer than four
    pairs, nor at -1 and 1, where Fisher's would claim that as many pairs as there are make the truth certain.
    """
    first, second = _paired(x, y)
    return _with_interval(_correlation(first, second), len(first), 0.0, "fisher", confidence)


def spearman(x: Sequence[float], y: Sequence[float], *, confidence: float = 0.95) -> Estimate:
    """Spearman's rank correlation, ties at their average rank, with the interval of Bonett and Wright (2000).

    None, and without an interval, where Pearson's is.
    """
    first, second = _paired(x, y)
    value = _correlation(ranks(first), ranks(second))
    return _with_interval(value, len(first), 0.5, "bonett-wright", confidence)


def ranks(values: Sequence[float]) -> list[float]:
    """The place of each value from the smallest, counted from 1; equal values share their average place."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    places = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            places[place] = (start + 1 + end) / 2
        start = end
    return places


def _paired(x: Sequence[float], y: Sequence[float]) -> tuple[list[float], list[float]]:
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values on one side but {len(y)} on the other")
    return finite(x), finite(y)


def _correlation(x: list[float], y: list[float]) -> float | None:
    if len(x) < 3:
        return None
    first, second = _scaled(x), _scaled(y)
    if first is None or second is None:
        return None
    together = math.fsum(one * other for one, other in zip(first, second, strict=True))
    # Rounding leaves exact lines a hair short of 1, or past it.
    return math.copysign(1.0, together) if abs(together) > 1 - 1e-12 else together


def _scaled(values: list[float]) -> list[float] | None:
    """The deviations from the mean over their length, or None where there is none beyond rounding."""
    largest = max(map(abs, values)) or 1.0
    shares = [value / largest for value in values]  # so that no square runs out of range
    average = math.fsum(shares) / len(shares)
    deviations = [share - average for share in shares]
    length = math.sqrt(math.fsum(deviation**2 for deviation in deviations))
    if min(values) == max(values) or length <= 1e-15 * len(values):
        return None
    return [deviation / length for deviation in deviations]


def _with_interval(value: float | None, n: int, extra: float, method: str, confidence: float) -> Estimate:
    """Fisher's interval on the scale of atanh, with this much of the squared correlation as extra variance."""
    check_confidence(confidence)
    if value is None or n < 4 or abs(value) == 1:
        return Estimate(value, None, None, n, (), "none")
    half = float(special.ndtri((1 + confidence) / 2)) * math.sqrt((1 + extra * value**2) / (n - 3))
    centre = math.atanh(value)
    return Estimate(value, math.tanh(centre - half), math.tanh(centre + half), n, (), method)
