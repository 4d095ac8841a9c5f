"""Variances of clustered sums, against the clustered mean and by hand."""

import numpy as np
import pytest
from scipy import special

from interplay.statistics.influence import (
    check_ways,
    clusters_of,
    design_effect,
    smallest_step,
    unseen,
    variance_of_sum,
)
from interplay.statistics.intervals import clustered_mean


@pytest.mark.parametrize("ways", [1, 2])
def test_it_is_the_variance_of_the_clustered_mean(ways: int) -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=60)
    labels = [rng.integers(0, count, 60).tolist() for count in (7, 9)][:ways]
    expected = clustered_mean(values.tolist(), *labels)
    variance = variance_of_sum((values - values.mean()) / 60, labels)
    half = special.stdtrit(6, 0.975) * np.sqrt(variance)
    assert expected.high == pytest.approx(values.mean() + half)


def test_distinct_clusters_are_no_clusters() -> None:
    parts = np.array([0.1, -0.3, 0.25, -0.05])
    alone = variance_of_sum(parts, ())
    assert alone == pytest.approx(4 / 3 * (parts**2).sum())
    assert variance_of_sum(parts, [list("abcd")]) == pytest.approx(alone)
    assert variance_of_sum(parts, [list("abcd"), list("efgh")]) == pytest.approx(alone)


def test_the_clusters_that_were_seen_say_how_much_is_known() -> None:
    parts = np.array([0.1, -0.3, 0.25, -0.05])
    seen = np.array([True, True, False, False])
    assert variance_of_sum(parts, (), seen) == pytest.approx(2 * (parts**2).sum())
    assert clusters_of([["a", "a", "b", "c"]], seen) == (1,)
    assert clusters_of([["a", "a", "b", "c"]]) == (3,)


def test_steps() -> None:
    assert smallest_step([1, 5], [2.5, 2.5]) == 1.5
    assert smallest_step([3, 3], [3]) is None
    assert smallest_step([]) is None
    assert unseen(0.5, 10, 1.0) == pytest.approx(0.05**2 + 0.05**2)


def test_clusters_add_at_least_nothing_and_at_most_their_size() -> None:
    assert design_effect(0.01, 0.02, 100, [20]) == 1.0
    assert design_effect(0.05, 0.02, 100, [20]) == 2.5
    assert design_effect(0.50, 0.02, 100, [20, 50]) == 5.0
    assert design_effect(0.0, 0.0, 100, [20]) == 5.0  # nothing varies: each cluster counts as one item
    assert design_effect(0.0, 0.0, 100, []) == 1.0


def test_ways_must_fit() -> None:
    with pytest.raises(ValueError, match="3 values but 2 cluster labels"):
        check_ways(3, [["a", "b"]])
    with pytest.raises(ValueError, match="at most two ways"):
        check_ways(1, [["a"], ["a"], ["a"]])
