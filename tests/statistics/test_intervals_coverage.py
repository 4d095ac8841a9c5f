"""The coverage of means at small n and in crossed designs, and of the intervals that fail there."""

import math

import numpy as np
import pytest

from interplay.statistics.intervals import mean
from tests.statistics.test_intervals import (
    SEEDS,
    TRUTH,
    Spread,
    coverage,
    crossed_scores,
    interval,
    over_dialogues,
    over_turns,
    two_way,
)


def test_a_crossed_design_needs_both_of_its_ways() -> None:
    # 8 characters x 8 situations x 4 turns; measured .511, .695 and .962.
    runs = [crossed_scores(np.random.default_rng(seed), Spread()) for seed in range(SEEDS)]
    assert coverage(runs, over_turns) == pytest.approx(0.52, abs=0.02)
    assert coverage(runs, over_dialogues) == pytest.approx(0.69, abs=0.02)
    assert coverage(runs, two_way) == pytest.approx(0.96, abs=0.01)


@pytest.mark.parametrize(("n", "normal_at_most"), [(5, 0.90), (10, 0.93)])
def test_t_covers_means_of_few_values_where_the_normal_quantile_does_not(
    n: int, normal_at_most: float
) -> None:
    # Measured .951 and .882 at n 5, .958 and .926 at n 10.
    by_t = by_normal = 0
    for seed in range(SEEDS):
        values = np.random.default_rng(seed).normal(TRUTH, 1.0, n)
        low, high = interval(mean(values.tolist()))
        by_t += low <= TRUTH <= high
        by_normal += abs(values.mean() - TRUTH) <= 1.959964 * values.std(ddof=1) / math.sqrt(n)
    assert 0.93 <= by_t / SEEDS <= 0.97
    assert by_normal / SEEDS < normal_at_most
