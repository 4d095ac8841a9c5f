"""Correlations against worked cases and scipy, and the coverage of their intervals."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from interplay.core.board import Estimate
from interplay.statistics.correlation import pearson, ranks, spearman

Correlation = Callable[[Sequence[float], Sequence[float]], Estimate]
both = pytest.mark.parametrize("correlation", [pearson, spearman])


def interval(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


class TestPearson:
    def test_hand_worked(self) -> None:
        # Deviations -2 -1 0 1 2 and -1 -2 1 0 2: 8 / 10. atanh .8 is log 3, and five pairs leave 1 / sqrt 2.
        estimate = pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
        assert estimate.value == pytest.approx(0.8)
        half = 1.959964 / math.sqrt(2)
        assert interval(estimate) == pytest.approx(
            (math.tanh(math.log(3) - half), math.tanh(math.log(3) + half)), abs=1e-6
        )
        assert (estimate.n, estimate.clusters, estimate.method) == (5, (), "fisher")

    def test_agrees_with_scipy(self) -> None:
        rng = np.random.default_rng(1)
        x = rng.normal(size=30)
        y = x + rng.normal(size=30)
        expected = stats.pearsonr(x, y)
        estimate = pearson(x.tolist(), y.tolist(), confidence=0.9)
        assert estimate.value == pytest.approx(expected.statistic)
        assert interval(estimate) == pytest.approx(tuple(expected.confidence_interval(0.9)))

    def test_scale_and_place_do_not_matter(self) -> None:
        x, y = [1.0, 4.0, 2.0, 8.0, 5.0], [2.0, 3.0, 1.0, 9.0, 2.0]
        for factor in (1e-200, 1e200, -3.0):
            moved = pearson([factor * value for value in x], y).value
            assert moved == pytest.approx(math.copysign(1, factor) * (pearson(x, y).value or 0))


class TestSpearman:
    def test_hand_worked(self) -> None:
        # One pair of neighbours changed: 1 - 6 x 2 / (5 x 24) = .9, whatever the values. atanh .9 is
        # log(19) / 2, and the variance (1 + .9^2 / 2) / 2.
        estimate = spearman([1, 10, 20, 70, 300], [0.1, 0.2, 0.4, 0.3, 0.5])
        assert estimate.value == pytest.approx(0.9)
        half = 1.959964 * math.sqrt(1.405 / 2)
        centre = math.log(19) / 2
        assert interval(estimate) == pytest.approx(
            (math.tanh(centre - half), math.tanh(centre + half)), abs=1e-6
        )
        assert (estimate.n, estimate.method) == (5, "bonett-wright")

    def test_ties_have_their_average_rank(self) -> None:
        assert ranks([3.0, 1.0, 3.0, 2.0, 3.0]) == [4.0, 1.0, 4.0, 2.0, 4.0]
        assert ranks([]) == []
        rng = np.random.default_rng(2)
        x, y = rng.integers(0, 4, 40).tolist(), rng.integers(0, 3, 40).tolist()
        assert spearman(x, y).value == pytest.approx(stats.spearmanr(x, y).statistic)
        assert ranks(x) == stats.rankdata(x).tolist()

    def test_an_outlier_counts_by_its_rank_alone(self) -> None:
        x, y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 3.0, 2.0, 5.0, 4.0, 6.0]
        assert spearman(x, [*y[:-1], 1e9]) == spearman(x, y)


class TestUndefined:
    @both
    def test_nothing_to_correlate(self, correlation: Correlation) -> None:
        assert correlation([], []) == Estimate(None, None, None, 0)
        assert correlation([1, 2], [2, 1]) == Estimate(None, None, None, 2)
        assert correlation([1, 2, 3, 4], [5, 5, 5, 5]) == Estimate(None, None, None, 4)
        assert correlation([0.0] * 5, [1, 2, 3, 4, 5]) == Estimate(None, None, None, 5)

    @both
    def test_three_pairs_have_no_interval(self, correlation: Correlation) -> None:
        estimate = correlation([1, 2, 3], [1, 3, 2])
        assert estimate.value == pytest.approx(0.5)
        assert (estimate.low, estimate.high, estimate.n, estimate.method) == (None, None, 3, "none")

    @both
    @pytest.mark.parametrize("slope", [0.1, -0.7])
    def test_an_exact_line_is_no_certainty(self, correlation: Correlation, slope: float) -> None:
        x = [0.1, 0.2, 0.3, 0.7, 0.9]
        estimate = correlation(x, [slope * value + 0.3 for value in x])
        assert estimate == Estimate(math.copysign(1, slope), None, None, 5)

    @both
    def test_refusals(self, correlation: Correlation) -> None:
        with pytest.raises(ValueError, match="3 values on one side but 2"):
            correlation([1, 2, 3], [1, 2])
        with pytest.raises(ValueError, match="finite"):
            correlation([1, 2, math.nan], [1, 2, 3])
        with pytest.raises(ValueError, match="confidence"):
            correlation([1, 2, 4], [1, 3, 2], confidence=95)  # type: ignore[call-arg]


pairs = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=20)


@both
@given(data=pairs, chance=st.randoms(use_true_random=False))
def test_neither_order_nor_sides_show(correlation: Correlation, data: list[tuple[int, int]], chance) -> None:
    x, y = zip(*data, strict=True)
    other_x, other_y = zip(*chance.sample(data, len(data)), strict=True)
    estimate = correlation(x, y)
    assert correlation(other_x, other_y) == estimate
    assert correlation(y, x) == estimate
    if estimate.value is not None:
        assert -1 <= estimate.value <= 1
    if estimate.low is not None:
        assert -1 <= estimate.low < estimate.value < estimate.high <= 1


def samples(n: int, rho: float, seeds: int) -> list[tuple[list[float], list[float]]]:
    """Normal pairs of this correlation."""
    drawn = []
    for seed in range(seeds):
        x, noise = np.random.default_rng(seed).normal(size=(2, n))
        drawn.append((x.tolist(), (rho * x + math.sqrt(1 - rho**2) * noise).tolist()))
    return drawn


def of_ranks(rho: float) -> float:
    """Spearman's correlation of normal pairs whose Pearson's is rho."""
    return 6 / math.pi * math.asin(rho / 2)


def coverage(correlation: Correlation, n: int, rho: float, seeds: int) -> float:
    truth = rho if correlation is pearson else of_ranks(rho)
    found = [correlation(*sample) for sample in samples(n, rho, seeds)]
    ends = [interval(estimate) for estimate in found if estimate.low is not None]
    return sum(low <= truth <= high for low, high in ends) / len(ends)


def plain_coverage(n: int, rho: float, seeds: int) -> float:
    """The naive way: the correlation and 1.96 of its large-sample standard errors."""
    found = np.array([pearson(*sample).value for sample in samples(n, rho, seeds)])
    return float(np.mean(np.abs(found - rho) <= 1.96 * (1 - found**2) / math.sqrt(n - 1)))


def fisher_coverage_of_ranks(n: int, rho: float, seeds: int) -> float:
    """The naive way: ranks taken for normal values, with Fisher's variance."""
    found = [pearson(ranks(x), ranks(y)) for x, y in samples(n, rho, seeds)]
    ends = [interval(estimate) for estimate in found if estimate.low is not None]
    return sum(low <= of_ranks(rho) <= high for low, high in ends) / len(ends)


class TestCoverage:
    @both
    @pytest.mark.parametrize("rho", [0.0, 0.9])
    def test_a_few_samples(self, correlation: Correlation, rho: float) -> None:
        assert 0.925 <= coverage(correlation, 20, rho, 600) <= 0.98

    def test_large_sample_errors_do_not_cover_small_samples(self) -> None:
        assert plain_coverage(10, 0.6, 600) < 0.88

    def test_fisher_s_variance_does_not_cover_ranks(self) -> None:
        assert fisher_coverage_of_ranks(20, 0.9, 600) < 0.93


@pytest.mark.slow
class TestCoverageOver2000Seeds:
    @both
    @pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.9])
    @pytest.mark.parametrize("n", [10, 20, 45, 200])
    def test_intervals_cover(self, correlation: Correlation, n: int, rho: float) -> None:
        # Measured: Pearson's .944 to .958, Spearman's .950 to .970, the most at n 10 and rho 0.
        assert 0.93 <= coverage(correlation, n, rho, 2_000) <= 0.97

    def test_the_naive_ones_do_not(self) -> None:
        assert plain_coverage(10, 0.6, 2_000) < 0.87  # .846
        assert plain_coverage(20, 0.9, 2_000) < 0.92  # .899
        assert fisher_coverage_of_ranks(20, 0.9, 2_000) < 0.93  # .909
        assert fisher_coverage_of_ranks(200, 0.9, 2_000) < 0.93  # .911
