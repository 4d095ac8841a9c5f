"""Differences of two models on the same units, and what remains of them when many are looked at."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.intervals import (
    check_confidence,
    check_draws,
    finite,
    is_rounding,
    macro_mean,
    samples_of,
    spread,
    spread_weights,
    variance_parts,
)

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]

# Two units drawn from two show too few spreads to studentise by: ten groups of two then cover 99% of the time
# instead of 95%. From five units on a group stands on its own.
ENOUGH = 5
CELLS = 500_000  # numbers held at a time, four megabytes an array


@dataclass(frozen=True)
class Compared:
    """A difference with its interval, and how probable one as large is where there is none.

    The p-value is None where there are too few units to ask.
    """

    difference: Estimate
    p_value: float | None


def paired_difference(
    groups: Sequence[Sequence[float]], *, seed: int, draws: int = 10_000, confidence: float = 0.95
) -> Compared:
    """The mean over groups of the mean difference on each group's units, by a studentised bootstrap.

    Each draw resamples the units inside every group and divides its difference from the estimate by its own
    standard error; the interval reaches as far as the given share of these quotients, on both sides alike.
    Draws without a spread count as infinitely far, so that few or tied units make a wide interval, or none.
    The units of a group smaller than ENOUGH are resampled from the deviations in all groups, stretched to the
    variance that they estimate. The interval leaves out 0 exactly where the p-value is at most 1 - confidence.

    No p-value can be below 1 / (draws + 1): after Holm's adjustment for m comparisons, m / (draws + 1).
    The order of groups and units does not show, and turning every sign turns the interval and nothing else.
    """
    check_draws(draws)
    samples = samples_of(groups)
    estimate = macro_mean(samples, confidence=confidence)
    bare = Estimate(estimate.value, None, None, estimate.n, (), "none")
    if estimate.value is None or estimate.n < 2:
        return Compared(bare, None)
    numbers = [number for sample in samples for number in sample]
    variance = math.fsum(variance_parts(samples))
    if is_rounding(variance, numbers):
        return Compared(bare, sign_test(sum(number > 0 for number in numbers), sum(n < 0 for n in numbers)))
    error = math.sqrt(variance)
    # A draw that equals the data but for rounding is as far as the data: hence the hair of room.
    far = (1 + 1e-9) * _quotients(_in_order(samples), variance, np.random.default_rng(seed), draws)
    p_value = (int(np.count_nonzero(far >= abs(estimate.value) / error)) + 1) / (draws + 1)
    rank = math.floor((1 - confidence) * (draws + 1) + 1e-9)
    half = float(np.partition(far, -rank)[-rank]) * error if rank else math.inf
    if not math.isfinite(half):
        return Compared(bare, p_value)
    ends = (estimate.value - half, estimate.value + half)
    return Compared(Estimate(estimate.value, *ends, estimate.n, (), "bootstrap t"), p_value)


def clustered_difference(
    differences: Sequence[float], *ways: Sequence[Hashable], confidence: float = 0.95
) -> Compared:
    """The mean difference on common units that depend on each other within a cluster of one way, or of two.

    Variance and degrees of freedom are those of clustered_mean, or of mean where no way is given, and the
    p-value is of the same t: the interval leaves out 0 exactly where it is at most 1 - confidence.

    Where no spread is to be seen, all differences being equal or all clusters' means, there is no interval.
    Each cluster of the way with the fewest then counts as one difference, each unit where there are no ways,
    and p is the sign test's. With one cluster or one unit there is nothing to ask, and no p-value.
    """
    check_confidence(confidence)
    numbers = np.asarray(finite(differences), dtype=np.float64)
    for way in ways:
        if len(way) != len(numbers):
            raise ValueError(f"{len(numbers)} differences but {len(way)} cluster labels")
    return coded_difference(numbers, cluster_codes(ways), confidence)


def cluster_codes(ways: Sequence[Sequence[Hashable]]) -> list[Codes]:
    """The labels of each way as numbers from 0, and of two ways their cells' as well."""
    if len(ways) > 2:
        raise ValueError(f"differences are clustered in two ways at most, not {len(ways)}")
    cells = [list(zip(*ways, strict=True))] if len(ways) == 2 else []
    found = []
    for column in (*ways, *cells):
        places: dict[Hashable, int] = {}
        found.append(np.array([places.setdefault(label, len(places)) for label in column], dtype=np.intp))
    return found


def coded_difference(numbers: Numbers, codes: Sequence[Codes], confidence: float) -> Compared:
    """What clustered_difference says of differences whose clusters were numbered before."""
    n, ways = len(numbers), codes[:2]
    clusters = tuple(_occurring(way) for way in ways)
    if not n:
        return Compared(Estimate(None, None, None, 0, clusters), None)
    value = min(max(math.fsum(numbers.tolist()) / n, float(numbers.min())), float(numbers.max())) + 0.0
    bare = Estimate(value, None, None, n, clusters)
    counts = [count for count in clusters if count > 1] if ways else [n]
    fewest = min(counts, default=1)
    if fewest < 2:
        return Compared(bare, None)
    # In order of size, so that the order of the units cannot show in the last bit of a sum.
    order = np.argsort(numbers, kind="stable")
    variance = _clustered_variance(numbers[order] - value, [way[order] for way in codes])
    largest = [float(np.abs(numbers).max())]
    if is_rounding(variance, largest):
        return Compared(bare, 1.0 if is_rounding(value**2, largest) else sign_test(fewest, 0))
    error, freedom = math.sqrt(variance), fewest - 1
    half = float(special.stdtrit(freedom, (1 + confidence) / 2)) * error
    method = f"{('one', 'two')[len(counts) - 1]}-way t" if ways else "t"
    difference = Estimate(value, value - half, value + half, n, clusters, method)
    return Compared(difference, float(2 * special.stdtr(freedom, -abs(value) / error)))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted so that claiming those of at most a level errs anywhere that rarely (Holm 1979)."""
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(_smallest_first(p_values)):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = least
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted so that of those at most a level about that share err (Benjamini, Hochberg 1995).

    For browsing: it lets more through than Holm's adjustment does, and some of it is expected to be wrong.
    """
    adjusted, most, count = [0.0] * len(p_values), 1.0, len(p_values)
    for rank, place in reversed(list(enumerate(_smallest_first(p_values), start=1))):
        # The largest is multiplied by 1; the max keeps rounding from making it smaller than it was.
        most = min(most, max(p_values[place], count / rank * p_values[place]))
        adjusted[place] = most
    return adjusted


def sign_test(above: int, below: int) -> float:
    """The two-sided exact p-value of as few differences against the majority's sign, where either is as likely."""
    return min(1.0, 2 * float(special.bdtr(min(above, below), above + below, 0.5)))


def student_t_test(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p-value of Student's test of two independent samples of one variance.

    Where neither sample varies, p is 1 for equal means and 0 for others, the limits of the formula. Where
    there is too little to ask, a sample being empty or both of one value, p is 1: nothing is shown.
    """
    one, other = finite(first), finite(second)
    freedom = len(one) + len(other) - 2
    if not one or not other or freedom < 1:
        return 1.0
    apart = math.fsum(one) / len(one) - math.fsum(other) / len(other)
    squares = math.fsum((len(sample) - 1) * spread(sample) for sample in (one, other))
    variance = squares / freedom * (1 / len(one) + 1 / len(other))
    if is_rounding(variance, one + other):
        return 1.0 if is_rounding(apart**2, one + other) else 0.0
    return float(2 * special.stdtr(freedom, -abs(apart) / math.sqrt(variance)))


def _smallest_first(p_values: Sequence[float]) -> list[int]:
    """The places of the p-values in order of size."""
    if not all(0 <= p_value <= 1 for p_value in p_values):
        raise ValueError("a p-value lies between 0 and 1")
    return sorted(range(len(p_values)), key=lambda place: p_values[place])


def _occurring(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _clustered_variance(deviations: Numbers, codes: Sequence[Codes]) -> float:
    """The variance of the mean, as clustered_mean has it; a way with a single cluster is left out."""
    if not codes:
        return _variance(deviations, np.arange(len(deviations)))
    one_way = [_variance(deviations, way) for way in codes[:2] if _occurring(way) > 1]
    if len(one_way) < 2:
        return one_way[0]
    return max(sum(one_way) - _variance(deviations, codes[2]), *one_way)


def _variance(deviations: Numbers, codes: Codes) -> float:
    count = _occurring(codes)
    squares = np.sort(np.bincount(codes, weights=deviations) ** 2).sum()
    return float(count / (count - 1) * squares / len(deviations) ** 2)


def _in_order(samples: list[list[float]]) -> list[list[float]]:
    """The samples in an order that neither the records' order nor which model came first can change."""
    one = sorted(sorted(sample) for sample in samples)
    other = sorted(sorted(-number for number in sample) for sample in samples)
    return max(one, other)


def _quotients(samples: list[list[float]], variance: float, rng: np.random.Generator, draws: int) -> Numbers:
    """How many of its own standard errors each draw lies from the estimate."""
    sizes = [len(sample) for sample in samples]
    deviations = [np.asarray(sample) - math.fsum(sample) / len(sample) for sample in samples]
    pool = np.concatenate([own * math.sqrt(len(own) / (len(own) - 1)) for own in deviations if len(own) > 1])
    differences, variances = np.zeros(draws), np.zeros(draws)
    for own, size, weight in zip(deviations, sizes, spread_weights(sizes), strict=True):
        source = own if size >= ENOUGH else pool
        rows = max(1, CELLS // size)
        for start in range(0, draws, rows):
            part = slice(start, min(start + rows, draws))
            drawn = source[rng.integers(len(source), size=(part.stop - start, size))]
            means = drawn.mean(axis=1)
            differences[part] += means / len(samples)
            if size > 1:
                drawn -= means[:, np.newaxis]
                variances[part] += weight / (size - 1) * np.einsum("ij,ij->i", drawn, drawn)
    flat = variances <= 1e-24 * variance
    differences[np.abs(differences) <= 1e-12 * math.sqrt(variance)] = 0.0
    quotients = np.abs(differences) / np.sqrt(np.where(flat, 1.0, variances))
    return np.where(flat & (differences != 0), np.inf, quotients)
