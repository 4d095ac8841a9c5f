"""What it takes for the end of an interval to reach a bound."""

import pytest

from interplay.core.board import Estimate
from interplay.statistics.bounds import fewest_scenarios, is_in_reach, n_to_clear
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import mean, rate

CLUSTERED = "clustered wilson"


@pytest.mark.parametrize("bound", [0.5, 0.8, 0.9, 0.99])
def test_the_fewest_scenarios_do_and_one_less_does_not(bound: float) -> None:
    for method in ("wilson", CLUSTERED):
        n = fewest_scenarios(bound, lower=True, method=method)
        assert is_in_reach(bound, n, lower=True, method=method)
        assert not is_in_reach(bound, n - 1, lower=True, method=method)
    assert (
        clustered_rate([True] * n, range(n)).low >= bound > clustered_rate([True] * (n - 1), range(n - 1)).low
    )


def test_rates_that_should_be_low_take_as_many_as_those_that_should_be_high() -> None:
    for method in ("wilson", CLUSTERED):
        high = fewest_scenarios(0.8, lower=True, method=method)
        assert fewest_scenarios(0.2, lower=False, method=method) == high
    assert fewest_scenarios(0.8, lower=True, method="wilson") == 16  # 1 / (1 + 1.96 ** 2 / n) >= 0.8
    assert rate(16, 16).low >= 0.8 > rate(15, 15).low


def test_no_number_of_scenarios_shows_that_a_rate_is_1_or_0() -> None:
    assert fewest_scenarios(1.0, lower=True, method="wilson") == 0
    assert fewest_scenarios(0.0, lower=False, method="wilson") == 0


def test_twice_the_distance_takes_a_quarter_of_the_values() -> None:
    estimate = Estimate(0.85, 0.75, 0.95, 50)
    near, far = n_to_clear(estimate, 0.825), n_to_clear(estimate, 0.8)
    assert near is not None and far is not None
    assert near == pytest.approx(4 * far, rel=0.02)
    assert far == pytest.approx(
        50 * (2.80 * 0.1 / 1.96 / 0.05) ** 2, rel=0.01
    )  # by the power of 4 times in 5


def test_what_has_no_interval_or_lies_at_the_bound_tells_nothing() -> None:
    assert n_to_clear(mean([1.0]), 0.8) is None
    assert n_to_clear(mean([]), 0.8) is None
    assert n_to_clear(Estimate(0.8, 0.7, 0.9, 50), 0.8) is None


def test_it_always_takes_more_than_there_were() -> None:
    assert n_to_clear(Estimate(0.99, 0.79, 1.0, 20), 0.8) == 21
