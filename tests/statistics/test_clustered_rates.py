"""Rates under clustering: the interval keeps its promise where those for means and for independent values do not."""

from collections.abc import Callable
from itertools import chain, repeat
from math import isclose

import numpy as np
import pytest

from interplay.core.board import Estimate
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import clustered_mean, rate

Interval = Callable[[list[bool], list[int]], Estimate]


def as_mean(successes: list[bool], way: list[int]) -> Estimate:
    return clustered_mean([float(one) for one in successes], way)


def as_independent(successes: list[bool], way: list[int]) -> Estimate:
    return rate(sum(successes), len(successes))


def coverage(interval: Interval, share: float, correlation: float, clusters: int, seeds: int = 2000) -> float:
    """How often the interval holds the true share: clusters of 1 to 6 values that are alike by a beta distribution."""
    rng = np.random.default_rng(7)
    alike = 1 / correlation - 1
    held = 0
    for _ in range(seeds):
        sizes = rng.integers(1, 7, clusters)
        shares = rng.beta(share * alike, (1 - share) * alike, clusters)
        way = list(chain.from_iterable(repeat(label, size) for label, size in enumerate(sizes)))
        successes = [bool(one) for one in rng.random(len(way)) < np.repeat(shares, sizes)]
        found = interval(successes, way)
        held += found.low is not None and found.high is not None and found.low <= share <= found.high
    return held / seeds


@pytest.mark.parametrize(("share", "correlation"), [(0.5, 0.05), (0.5, 0.3), (0.8, 0.3), (0.9, 0.1)])
def test_the_interval_holds_the_true_share_as_often_as_it_says(share: float, correlation: float) -> None:
    assert 0.93 <= coverage(clustered_rate, share, correlation, 60) <= 0.975


def test_taken_as_independent_or_as_a_mean_it_would_not() -> None:
    assert coverage(as_independent, 0.8, 0.3, 60) < 0.88
    assert coverage(as_mean, 0.95, 0.3, 15) < 0.85
    assert coverage(clustered_rate, 0.95, 0.3, 15) >= 0.93


def test_independent_values_have_nearly_wilson_s_interval() -> None:
    successes = [place % 3 == 0 for place in range(300)]
    found, wilson = clustered_rate(successes, list(range(300))), rate(100, 300)
    assert (found.value, found.n, found.clusters) == (wilson.value, 300, (300,))
    assert found.low == pytest.approx(wilson.low, abs=0.001)
    assert found.high == pytest.approx(wilson.high, abs=0.001)


@pytest.mark.parametrize("success", [True, False])
def test_where_all_or_none_succeed_each_cluster_counts_once(success: bool) -> None:
    found = clustered_rate([success] * 100, [place % 10 for place in range(100)])
    assert found.value == float(success)
    assert found.low is not None and found.high is not None
    assert isclose(found.high - found.low, 0.338, abs_tol=0.001)  # of 10 values by t, and not of 100
    assert (found.high if success else found.low) == float(success)


def test_it_is_never_narrower_than_of_independent_values() -> None:
    balanced = clustered_rate([place % 2 == 0 for place in range(100)], [place // 2 for place in range(100)])
    alone = rate(50, 100)
    assert balanced.low is not None and alone.low is not None
    assert 0 < balanced.low <= alone.low


def test_one_cluster_says_nothing_of_its_spread_and_no_value_nothing_at_all() -> None:
    assert clustered_rate([True, False], ["a", "a"]) == Estimate(0.5, None, None, 2, (1,), "none")
    assert clustered_rate([], []) == Estimate(None, None, None, 0, (0,), "none")


def test_labels_that_are_missing_are_refused() -> None:
    with pytest.raises(ValueError, match="2 values but 1 cluster labels"):
        clustered_rate([True, False], ["a"])
    with pytest.raises(ValueError, match="confidence"):
        clustered_rate([True], ["a"], confidence=1.0)
