"""What a design can show: the formulas against tables, each other, and simulated experiments."""

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import nct, t, ttest_rel

from interplay.statistics.comparing import clustered_difference, holm, student_t_test
from interplay.statistics.power import (
    design_effect,
    detectable_difference,
    detectable_paired_rates,
    detectable_rates,
    effective_n,
    n_needed,
    n_needed_by_t,
    n_needed_for_paired_rates,
    n_needed_for_rates,
    reach,
    scenarios_needed,
)

SEEDS = 2000


def test_64_dialogues_on_a_5_point_scale_can_show_a_sixth_of_a_point() -> None:
    # Two-sided .05, power .8: the paired differences of dialogues then spread by half a point.
    assert detectable_difference(0.5, 64) == pytest.approx(0.175, abs=0.0005)
    assert 0.175 * math.sqrt(64) / reach() == pytest.approx(0.5, abs=0.001)


def test_ten_models_within_a_sixth_of_a_point_need_more_than_64_dialogues() -> None:
    assert n_needed(0.17, 0.5) == 68
    assert n_needed(0.17, 0.5, comparisons=45) == 146


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


class TestReach:
    def test_several_comparisons_share_the_error(self) -> None:
        assert reach(comparisons=66) == reach(error=0.05 / 66)
        assert reach(comparisons=66) == pytest.approx(3.3677 + 0.8416, abs=1e-3)  # normal quantiles

    @pytest.mark.parametrize("freedom", [1, 3, 7, 63])
    @pytest.mark.parametrize("comparisons", [1, 66])
    def test_by_t_the_noncentral_distribution_gives_the_power(self, freedom: int, comparisons: int) -> None:
        far = reach(freedom=freedom, comparisons=comparisons)
        critical = t.ppf(1 - 0.025 / comparisons, freedom)
        assert nct.sf(critical, freedom, far) == pytest.approx(0.8, abs=1e-4)

    def test_few_degrees_of_freedom_cost_and_many_do_not(self) -> None:
        assert reach(freedom=7) > reach(freedom=30) > reach(freedom=1_000) > reach()
        assert reach(freedom=1e6) == pytest.approx(reach(), abs=1e-4)

    def test_two_clusters_and_many_comparisons_reach_far_and_at_once(self) -> None:
        # t(1) has .0005 / 2 above 1,273.24; its standard error is |Z|, of which .8 lies below 1.28155.
        assert reach(freedom=1, comparisons=100) == pytest.approx(1_273.24 * 1.28155, rel=1e-4)
        within, beyond = (reach(freedom=1, error=2 * math.atan(1 / far) / math.pi) for far in (999, 1_001))
        assert beyond / within == pytest.approx(1_001 / 999, rel=1e-4)
        assert math.isfinite(reach(freedom=1, error=0.001, comparisons=10_000))

    def test_as_other_programs_answer(self) -> None:
        # A paired t test of .5 standard deviations: 33.36713 pairs by R's power.t.test, so 34.
        assert detectable_difference(1.0, 33.36713, freedom=32.36713) == pytest.approx(0.5, abs=1e-5)
        assert n_needed_by_t(0.5, 1.0) == 34


refusals = [
    (lambda: reach(error=0.0), "power must lie between"),
    (lambda: reach(power=1.0), "power must lie between"),
    (lambda: reach(error=0.5, power=0.4), "power must lie between"),
    (lambda: reach(comparisons=0), "at least one comparison"),
    (lambda: reach(freedom=0), "degrees of freedom"),
    (lambda: detectable_difference(1.0, 0), "n must be above 0"),
    (lambda: n_needed(0.0, 1.0), "the difference must be above 0"),
    (lambda: effective_n(10, 0, 0.5), "at least once"),
    (lambda: design_effect(2, 1.5), "correlation"),
    (lambda: detectable_paired_rates(1.2, 10), "discordant must lie between 0 and 1"),
    (lambda: n_needed_for_paired_rates(0.3, 0.2), "rates cannot differ by 0.3"),
    (lambda: n_needed_for_rates(0.3, 0.3), "do not differ"),
    (lambda: n_needed_for_rates(0.3, 1.3), "a rate must lie between 0 and 1"),
    (lambda: detectable_rates(math.nan, 10), "between 0 and 1"),
]


@pytest.mark.parametrize(("call", "message"), refusals)
def test_refusals(call: Callable[[], float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


sizes, spreads = st.integers(2, 100_000), st.floats(0.01, 10)
freedoms = st.one_of(st.none(), st.integers(1, 200))
comparisons = st.integers(1, 435)


class TestInverses:
    @given(sizes, spreads, freedoms, comparisons)
    def test_means(self, n: int, spread: float, freedom: int | None, comparisons: int) -> None:
        shown = detectable_difference(spread, n, freedom=freedom, comparisons=comparisons)
        assert n_needed(shown, spread, freedom=freedom, comparisons=comparisons) == n
        # A hair less cannot be shown by n.
        assert n_needed(shown * (1 - 1e-3 / n), spread, freedom=freedom, comparisons=comparisons) == n + 1

    @given(st.integers(2, 400), spreads, comparisons)
    def test_means_by_t(self, n: int, spread: float, comparisons: int) -> None:
        shown = detectable_difference(spread, n, freedom=n - 1, comparisons=comparisons)
        assert n_needed_by_t(shown, spread, comparisons=comparisons) == n
        assert n_needed_by_t(shown * 0.9999, spread, comparisons=comparisons) == n + 1

    @given(st.floats(0.001, 1), st.floats(0.01, 1), comparisons)
    def test_paired_rates(self, difference: float, discordant: float, comparisons: int) -> None:
        assume(difference <= discordant and difference < 1)
        n = n_needed_for_paired_rates(difference, discordant, comparisons=comparisons)
        shown = detectable_paired_rates(discordant, n, comparisons=comparisons)
        assert shown is not None and shown <= difference * (1 + 1e-6)
        if n > 1:
            fewer = detectable_paired_rates(discordant, n - 1, comparisons=comparisons)
            assert fewer is None or fewer > difference
        assert n_needed_for_paired_rates(shown, discordant, comparisons=comparisons) == n

    @given(st.floats(0, 1), st.floats(0.001, 1), comparisons)
    def test_independent_rates(self, rate: float, difference: float, comparisons: int) -> None:
        assume(rate + difference <= 1 and difference < 1)
        n = n_needed_for_rates(rate, rate + difference, comparisons=comparisons)
        assert n == n_needed_for_rates(1 - rate, 1 - rate - difference, comparisons=comparisons)
        shown = detectable_rates(rate, n, comparisons=comparisons)
        assert shown is not None and shown <= difference * (1 + 1e-6)
        if n > 1:
            fewer = detectable_rates(rate, n - 1, comparisons=comparisons)
            assert fewer is None or fewer > difference

    @given(st.integers(1, 10_000), st.integers(1, 50), st.floats(0, 1))
    def test_repeats(self, scenarios: int, repeats: int, correlation: float) -> None:
        effective = effective_n(scenarios, repeats, correlation)
        assert scenarios_needed(effective, repeats, correlation) == scenarios
        assert scenarios * (1 - 1e-9) <= effective <= scenarios * repeats


class TestRates:
    def test_hand_worked(self) -> None:
        # 7.849 (.25 + .24) / .01 = 384.6 for .5 and .6; 7.849 (.3 - .01) / .01 = 227.6 for .1 of .3.
        assert n_needed_for_rates(0.5, 0.6) == 385
        assert n_needed_for_paired_rates(0.1, 0.3) == 228

    def test_some_differences_cannot_be_seen(self) -> None:
        assert detectable_paired_rates(0.1, 20) is None
        assert detectable_paired_rates(0.0, 20) is None
        assert detectable_rates(0.9, 20) is None
        assert detectable_rates(1.0, 20) is None
        assert detectable_rates(0.0, 20) is not None

    def test_pairs_that_agree_more_often_show_more(self) -> None:
        # At rates near a half, pairs that have nothing in common are discordant half of the time.
        alone, paired = detectable_rates(0.45, 200), detectable_paired_rates(0.2, 200)
        assert alone is not None and paired is not None
        assert paired < 0.7 * alone
        assert detectable_paired_rates(0.5, 200) == pytest.approx(alone, rel=0.03)


def seen(differences: np.ndarray, *ways: list[int], error: float = 0.05) -> float:
    """The share of experiments, one in a row, in which a difference above 0 is claimed."""
    found = 0
    for row in differences.tolist():
        compared = clustered_difference(row, *ways)
        assert compared.p_value is not None and compared.difference.value is not None
        found += compared.p_value <= error and compared.difference.value > 0
    return found / len(differences)


class TestSimulated:
    """Of 2,000 experiments a share of .8 sees the difference that was planned for, and not without the plan's care."""

    def test_few_clusters(self) -> None:
        # Eight characters of eight situations; a dialogue differs by 1 between characters and by 1 within.
        rng, way = np.random.default_rng(21), np.repeat(np.arange(8), 8).tolist()
        noise = np.repeat(rng.normal(0, 1, (SEEDS, 8)), 8, axis=1) + rng.normal(0, 1, (SEEDS, 64))
        spread = math.sqrt(1 + 1 / 8)  # of a character's mean
        planned, by_normal = (detectable_difference(spread, 8, freedom=freedom) for freedom in (7, None))
        assert seen(noise + planned, way) == pytest.approx(0.8, abs=0.03)
        assert seen(noise + by_normal, way) < 0.72
        assert n_needed_by_t(planned, spread) == 8 > n_needed(planned, spread)
        # 64 dialogues taken as independent would promise far more than is seen.
        assert seen(noise + detectable_difference(math.sqrt(2), 64), way) < 0.25

    def test_repeats_that_are_alike(self) -> None:
        rng, way = np.random.default_rng(22), np.repeat(np.arange(40), 3).tolist()
        shared = np.repeat(rng.normal(0, math.sqrt(0.6), (SEEDS, 40)), 3, axis=1)
        noise = shared + rng.normal(0, math.sqrt(0.4), (SEEDS, 120))
        planned = detectable_difference(1.0, effective_n(40, 3, 0.6), freedom=39)
        assert seen(noise + planned, way) == pytest.approx(0.8, abs=0.03)
        assert seen(noise + detectable_difference(1.0, 120), way) < 0.6

    def test_many_comparisons(self) -> None:
        # One of twelve models is better; each of its pairs is to be seen after Holm's adjustment.
        pairs = np.transpose(list(combinations(range(12), 2)))
        planned, alone = (detectable_difference(0.5, 64, comparisons=many, freedom=63) for many in (66, 1))
        shares = {planned: 0.0, alone: 0.0}
        for better in shares:
            rng = np.random.default_rng(23)
            for _ in range(300):
                models = rng.normal(0, 0.5 / math.sqrt(2), (12, 64))
                models[0] += better
                p_values = ttest_rel(models[pairs[0]], models[pairs[1]], axis=1).pvalue.tolist()
                shares[better] += float(np.mean(np.array(holm(p_values))[:11] <= 0.05)) / 300
        assert 0.77 <= shares[planned] <= 0.87  # Bonferroni's share is the least that Holm gives
        assert shares[alone] < 0.35

    @pytest.mark.parametrize("n", [100, 300])
    def test_paired_rates(self, n: int) -> None:
        shown = detectable_paired_rates(0.3, n)
        assert shown is not None
        rng = np.random.default_rng(24)
        chances = [(0.3 + shown) / 2, (0.3 - shown) / 2, 0.7]
        assert seen(rng.choice([1.0, -1.0, 0.0], (SEEDS, n), p=chances)) == pytest.approx(0.8, abs=0.03)

    @pytest.mark.parametrize(("rate", "n"), [(0.5, 150), (0.2, 150), (0.05, 200)])
    def test_independent_rates(self, rate: float, n: int) -> None:
        shown = detectable_rates(rate, n)
        assert shown is not None
        rng = np.random.default_rng(25)
        one, other = rng.random((SEEDS, n)) < rate, rng.random((SEEDS, n)) < rate + shown
        found = sum(student_t_test(*pair) <= 0.05 for pair in zip(one.tolist(), other.tolist(), strict=True))
        assert found / SEEDS == pytest.approx(0.8, abs=0.03)
