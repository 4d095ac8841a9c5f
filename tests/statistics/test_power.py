"""What a design can show: the formula against tables, and against simulated experiments."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from interplay.statistics.power import detectable_difference

SEEDS = 2000


def test_64_dialogues_on_a_5_point_scale_can_show_a_sixth_of_a_point() -> None:
    assert detectable_difference(0.5, 64) == pytest.approx(0.175, abs=0.0005)


@pytest.mark.parametrize(
    "error, power, z",
    [(0.05, 0.8, 1.95996 + 0.84162), (0.05, 0.9, 1.95996 + 1.28155), (0.01, 0.8, 2.57583 + 0.84162)],
)
def test_the_textbook_s_quantiles(error: float, power: float, z: float) -> None:
    assert detectable_difference(1.0, 1, error=error, power=power) == pytest.approx(z, abs=1e-4)


def test_it_shrinks_with_the_root_of_n_and_grows_with_the_spread() -> None:
    assert detectable_difference(1.0, 400) == pytest.approx(detectable_difference(1.0, 100) / 2)
    assert detectable_difference(3.0, 50) == pytest.approx(3 * detectable_difference(1.0, 50))
    assert detectable_difference(0.0, 50) == 0.0
    assert detectable_difference(1.0, 50, power=0.9) > detectable_difference(1.0, 50)
    assert detectable_difference(1.0, 50, error=0.01) > detectable_difference(1.0, 50)


def share_seen(difference: float, spread: float, n: int) -> float:
    """The share of experiments in which a paired t test sees this true difference."""
    rng = np.random.default_rng(20)
    scenarios = rng.normal(3.0, 2.0, (SEEDS, n))  # some scenarios are harder, for both models alike
    each = spread / np.sqrt(2)
    one = scenarios + rng.normal(0.0, each, (SEEDS, n))
    other = scenarios + rng.normal(difference, each, (SEEDS, n))
    return float(np.mean(ttest_rel(one, other, axis=1).pvalue < 0.05))


@pytest.mark.parametrize("n", [64, 200])
def test_the_difference_is_seen_four_times_in_five(n: int) -> None:
    shown = detectable_difference(0.7, n)
    assert share_seen(shown, 0.7, n) == pytest.approx(0.8, abs=0.04)
    assert share_seen(shown / 2, 0.7, n) < 0.4
    assert share_seen(0.0, 0.7, n) == pytest.approx(0.05, abs=0.02)
