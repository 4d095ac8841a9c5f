"""Paired comparisons: worked cases and symmetries."""

import math
import random
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from interplay.core.board import Estimate
from interplay.statistics.comparing import (
    Compared,
    benjamini_hochberg,
    clustered_difference,
    holm,
    paired_difference,
    student_t_test,
)
from interplay.statistics.intervals import clustered_mean, mean
from tests.statistics.experiments import Pairing, spread_over

Groups = list[list[float]]


def ends(compared: Compared) -> tuple[float, float]:
    assert compared.difference.low is not None
    assert compared.difference.high is not None
    return compared.difference.low, compared.difference.high


class TestPairedDifference:
    def test_is_the_mean_of_the_groups_means(self) -> None:
        compared = paired_difference([[0.1, 0.3, 0.2, 0.6, 0.3], [], [0.0, 0.4]], seed=1)
        low, high = ends(compared)
        assert compared.difference.value == pytest.approx(0.25)
        assert (low + high) / 2 == pytest.approx(0.25)
        assert (compared.difference.n, compared.difference.clusters) == (7, ())
        assert compared.difference.method == "bootstrap t"

    def test_many_even_differences_give_the_t_interval(self) -> None:
        values = np.random.default_rng(3).normal(0.4, 1.0, 400).tolist()
        t = stats.ttest_1samp(values, 0.0)
        compared = paired_difference([values], seed=2)
        assert ends(compared) == pytest.approx(tuple(t.confidence_interval()), abs=0.01)
        shifted = [value - np.mean(values) + 0.09 for value in values]
        expected = stats.ttest_1samp(shifted, 0.0).pvalue
        assert paired_difference([shifted], seed=2).p_value == pytest.approx(expected, abs=0.015)

    def test_ten_even_differences_reach_as_far_as_t(self) -> None:
        # Without studentising they would reach 1.86 standard errors, as the normal's 1.96 of a short variance.
        values = stats.norm.ppf((np.arange(10) + 0.5) / 10).tolist()
        expected = stats.t.ppf(0.975, 9) * stats.sem(values)
        assert ends(paired_difference([values], seed=1))[1] == pytest.approx(expected, rel=0.08)

    def test_nothing_or_one_unit(self) -> None:
        for groups in ([], [[], []]):
            assert paired_difference(groups, seed=1) == Compared(Estimate(None, None, None, 0), None)
        assert paired_difference([[], [0.5]], seed=1) == Compared(Estimate(0.5, None, None, 1), None)

    @pytest.mark.parametrize(
        ("groups", "value", "p_value"),
        [
            ([[0.5, 0.5, 0.5]], 0.5, 0.25),  # three signs alike: 2 x 1/8
            ([[-1.0] * 10], -1.0, 2 / 2**10),
            ([[0.0, 0.0], [0.0] * 5], 0.0, 1.0),
            ([[0.2, 0.2], [0.4, 0.4], [-0.6, -0.6]], 0.0, 2 * 22 / 64),  # 2 or fewer of 6 below
            ([[0.3 - 0.1, 0.2, 0.2]], 0.2, 0.25),  # 0.3 - 0.1 is 0.2 but for rounding
        ],
    )
    def test_without_a_spread_p_is_the_sign_test_s_and_there_is_no_interval(
        self, groups: Groups, value: float, p_value: float
    ) -> None:
        compared = paired_difference(groups, seed=1)
        assert compared.difference.value == pytest.approx(value)
        assert (compared.difference.low, compared.difference.method) == (None, "none")
        assert compared.p_value == pytest.approx(p_value)

    def test_two_units_show_nothing(self) -> None:
        compared = paired_difference([[0.5, 0.6]], seed=1)
        assert compared.difference == Estimate(0.55, None, None, 2)
        assert compared.p_value == pytest.approx(0.5, abs=0.03)  # both draws the same unit: half of the time

    def test_one_unit_in_each_group_is_one_sample(self) -> None:
        values = [0.1, 0.5, -0.2, 0.4, 0.3, 0.0, 0.2, 0.6]
        assert paired_difference([[value] for value in values], seed=4) == paired_difference([values], seed=4)

    def test_a_seed_gives_one_answer_and_another_seed_nearly_the_same(self) -> None:
        groups = Pairing(0.3, 0.5).differences(np.random.default_rng(0), [20, 20])
        assert paired_difference(groups, seed=5) == paired_difference(groups, seed=5)
        assert ends(paired_difference(groups, seed=5)) != ends(paired_difference(groups, seed=6))
        assert ends(paired_difference(groups, seed=5)) == pytest.approx(
            ends(paired_difference(groups, seed=6)), abs=0.01
        )

    def test_the_p_value_is_never_zero(self) -> None:
        values = np.random.default_rng(1).normal(10, 1, 50).tolist()
        assert paired_difference([values], seed=1, draws=999).p_value == 1 / 1000

    def test_more_confidence_reaches_further_and_too_few_draws_reach_nowhere(self) -> None:
        groups = Pairing(0.3, 0.5).differences(np.random.default_rng(0), [20, 20])
        sure, surer = (ends(paired_difference(groups, seed=5, confidence=share)) for share in (0.9, 0.99))
        assert surer[0] < sure[0] < sure[1] < surer[1]
        assert paired_difference(groups, seed=5, draws=18).difference.low is None

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: paired_difference([[0.1, math.nan]], seed=1), "finite"),
            (lambda: paired_difference([[0.1, 0.2]], seed=1, draws=0), "at least one draw"),
            (lambda: paired_difference([[0.1, 0.2]], seed=1, confidence=95), "confidence"),
        ],
    )
    def test_refusals(self, call: Callable[[], Compared], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            call()

    @pytest.mark.parametrize("topics", [1, 10])
    def test_486_units_need_little_memory(self, topics: int) -> None:
        groups = Pairing(0.3, 0.5).differences(np.random.default_rng(0), spread_over(486, topics))
        tracemalloc.start()
        paired_difference(groups, seed=1)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 50_000_000


scores = st.sampled_from([0.0, 0.387, 0.431, 0.5, 0.631, 1.0])
differences = st.builds(lambda one, other: one - other, scores, scores)
some_groups = st.lists(st.lists(differences, max_size=8), max_size=5)


@settings(deadline=None, max_examples=60)
@given(some_groups, st.randoms(use_true_random=False))
def test_neither_order_nor_which_model_came_first_shows(groups: Groups, chance: object) -> None:
    compared = paired_difference(groups, seed=1, draws=199)
    shuffled = [chance.sample(group, len(group)) for group in groups]  # type: ignore[attr-defined]
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert repr(paired_difference(shuffled, seed=1, draws=199)) == repr(compared)
    turned = paired_difference([[-value for value in group] for group in groups], seed=1, draws=199)
    there, back = compared.difference, turned.difference.times(-1)
    assert (turned.p_value, back.value, back.low, back.high) == (
        compared.p_value,
        there.value,
        there.high,
        there.low,
    )


@settings(deadline=None, max_examples=100)
@given(some_groups)
def test_the_interval_leaves_out_zero_exactly_where_p_is_small(groups: Groups) -> None:
    compared = paired_difference(groups, seed=1, draws=199, confidence=0.9)
    if compared.difference.low is not None:
        low, high = ends(compared)
        assert compared.p_value is not None
        assert (low <= 0 <= high) == (compared.p_value > 0.1)


class TestClusteredDifference:
    def test_hand_worked(self) -> None:
        # Mean 3; cluster sums of deviations -3, -1, 4; 3/2 x 26 / 36 = 13/12, so t = 3 / sqrt(13/12) = 2.882
        # with 2 degrees of freedom, where p is 1 - t / sqrt(2 + t^2).
        compared = clustered_difference([1, 2, 2, 3, 4, 6], list("aabbcc"))
        t = 3 / math.sqrt(13 / 12)
        assert compared.p_value == pytest.approx(1 - t / math.sqrt(2 + t**2))
        assert compared.difference == near(clustered_mean([1, 2, 2, 3, 4, 6], list("aabbcc")))
        assert compared.difference.method == "one-way t"

    def test_without_ways_it_is_the_paired_t_test(self) -> None:
        values = np.random.default_rng(3).normal(0.4, 1.0, 12).tolist()
        compared, t = clustered_difference(values, confidence=0.9), stats.ttest_1samp(values, 0.0)
        assert ends(compared) == pytest.approx(tuple(t.confidence_interval(0.9)))
        assert compared.p_value == pytest.approx(t.pvalue)
        assert (compared.difference.clusters, compared.difference.method) == ((), "t")

    def test_a_way_of_one_cluster_is_left_out(self) -> None:
        values, situations = [1.0, 2.0, 4.0, 5.0], list("xxyz")
        compared = clustered_difference(values, list("aaaa"), situations)
        alone = clustered_difference(values, situations)
        assert (ends(compared), compared.p_value) == (ends(alone), alone.p_value)
        assert (compared.difference.clusters, compared.difference.method) == ((1, 3), "one-way t")

    @pytest.mark.parametrize(
        ("differences", "ways", "clusters"),
        [([], (), ()), ([], ([], []), (0, 0)), ([0.5], (), ()), ([0.5, 0.7], ("aa",), (1,))],
    )
    def test_too_little_to_ask(
        self, differences: list[float], ways: tuple[str, ...], clusters: tuple[int, ...]
    ) -> None:
        value = sum(differences) / len(differences) if differences else None
        expected = Compared(Estimate(value, None, None, len(differences), clusters), None)
        assert clustered_difference(differences, *ways) == expected

    @pytest.mark.parametrize(
        ("differences", "ways", "p_value"),
        [
            ([0.5] * 6, (), 2 / 2**6),
            ([-0.5] * 6, ("aabbcc",), 2 / 2**3),  # three clusters of one sign
            ([0.5] * 6, ("aabbcc", "xyxyxy"), 2 / 2**2),  # the way with fewer clusters
            ([0.5] * 6, ("aaaaaa", "xyzxyz"), 2 / 2**3),  # that has more than one
            ([0.3 - 0.1, 0.2, 0.2], (), 2 / 2**3),  # 0.2 but for rounding
            ([0.0] * 6, ("aabbcc",), 1.0),
            ([0.4, 0.5, 0.5, 0.4], ("aabb", "xyxy"), 2 / 2**2),  # the clusters' means are equal
            ([0.4, -0.4, -0.4, 0.4], ("aabb", "xyxy"), 1.0),
        ],
    )
    def test_without_a_spread_each_cluster_is_one_sign(
        self, differences: list[float], ways: tuple[str, ...], p_value: float
    ) -> None:
        compared = clustered_difference(differences, *ways)
        assert compared.p_value == pytest.approx(p_value)
        assert (compared.difference.low, compared.difference.method) == (None, "none")
        assert compared.difference.value == pytest.approx(sum(differences) / len(differences), abs=1e-15)

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: clustered_difference([0.1, math.nan]), "finite"),
            (lambda: clustered_difference([0.1, 0.2], "a"), "2 differences but 1 cluster labels"),
            (lambda: clustered_difference([0.1], "a", "b", "c"), "two ways at most, not 3"),
            (lambda: clustered_difference([0.1, 0.2], confidence=95), "confidence"),
        ],
    )
    def test_refusals(self, call: Callable[[], Compared], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            call()


def near(estimate: Estimate) -> Estimate:
    """An estimate that equals another but for rounding."""

    def roughly(number: float | None) -> float | None:
        return None if number is None else pytest.approx(number, rel=1e-9, abs=1e-12)

    ends_of = (roughly(estimate.value), roughly(estimate.low), roughly(estimate.high))
    return Estimate(*ends_of, estimate.n, estimate.clusters, estimate.method)


Row = tuple[float, str, int]
some_rows = st.lists(st.tuples(differences, st.sampled_from("abcde"), st.integers(0, 4)), max_size=30)


def in_all_ways(data: list[Row], confidence: float = 0.9) -> list[Compared]:
    """The differences compared without clusters, in one way and in two."""
    values, first, second = zip(*data, strict=True) if data else ((), (), ())
    return [
        clustered_difference(values, *ways, confidence=confidence) for ways in ((), (first,), (first, second))
    ]


@settings(deadline=None)
@given(some_rows)
def test_the_interval_is_that_of_the_mean_wherever_there_is_a_spread(data: list[Row]) -> None:
    values, first, second = zip(*data, strict=True) if data else ((), (), ())
    means = [mean(values), clustered_mean(values, first), clustered_mean(values, first, second)]
    for compared, expected in zip(in_all_ways(data, 0.95), means, strict=True):
        flat = expected.low is not None and expected.high == pytest.approx(expected.low, abs=1e-12)
        if flat:
            assert compared.difference.low is None
        else:
            assert compared.difference == near(expected)


@settings(deadline=None)
@given(some_rows)
def test_the_clustered_interval_leaves_out_zero_exactly_where_p_is_small(data: list[Row]) -> None:
    for compared in in_all_ways(data):
        if compared.difference.low is not None:
            low, high = ends(compared)
            assert compared.p_value is not None
            assert (low <= 0 <= high) == (compared.p_value > 0.1)


@settings(deadline=None)
@given(some_rows, st.randoms(use_true_random=False))
def test_the_order_of_units_never_shows_and_turning_signs_turns_the_interval(
    data: list[Row], chance: random.Random
) -> None:
    there = in_all_ways(data)
    assert repr(in_all_ways(chance.sample(data, len(data)))) == repr(there)
    turned = in_all_ways([(-value, first, second) for value, first, second in data])
    for one, other in zip(there, turned, strict=True):
        back = other.difference.times(-1)
        assert one.difference == near(
            Estimate(back.value, back.high, back.low, back.n, back.clusters, back.method)
        )
        assert (one.p_value is None) == (other.p_value is None)
        assert one.p_value is None or other.p_value == pytest.approx(one.p_value)


class TestHolm:
    def test_hand_worked(self) -> None:
        # Sorted .01 .02 .03 .04 by 4 3 2 1: .04 .06 .06 .04, and no smaller than those before.
        assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])

    def test_is_capped_and_keeps_its_place(self) -> None:
        assert holm([0.6, 0.001, 0.5]) == pytest.approx([1.0, 0.003, 1.0])
        assert holm([]) == []
        assert holm([0.2]) == [0.2]
        assert holm([0.0, 0.0, 1.0]) == [0.0, 0.0, 1.0]

    @given(st.lists(st.floats(0, 1), max_size=20))
    def test_order_is_kept_and_nothing_gets_smaller(self, p_values: list[float]) -> None:
        adjusted = holm(p_values)
        assert all(before <= after <= 1 for before, after in zip(p_values, adjusted, strict=True))
        pairs = list(zip(p_values, adjusted, strict=True))
        assert all(one[1] <= other[1] for one in pairs for other in pairs if one[0] <= other[0])

    @pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan])
    def test_what_is_no_p_value_is_refused(self, wrong: float) -> None:
        with pytest.raises(ValueError, match="between 0 and 1"):
            holm([0.5, wrong])


class TestBenjaminiHochberg:
    def test_hand_worked(self) -> None:
        # Sorted .01 .02 .03 .5 by 4 4/2 4/3 1: .04 .04 .04 .5.
        assert benjamini_hochberg([0.03, 0.5, 0.01, 0.02]) == pytest.approx([0.04, 0.5, 0.04, 0.04])
        # Sorted .01 .04 .045 by 3 3/2 1: .03 .06 .045, and no larger than those after.
        assert benjamini_hochberg([0.04, 0.01, 0.045]) == pytest.approx([0.045, 0.03, 0.045])

    def test_its_authors_example(self) -> None:
        # Benjamini and Hochberg (1995), section 4.1: 4 of 15 at .05, where Holm's adjustment keeps 3.
        small = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
        p_values = [*small, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
        assert sum(p_value <= 0.05 for p_value in benjamini_hochberg(p_values)) == 4
        assert sum(p_value <= 0.05 for p_value in holm(p_values)) == 3

    @given(st.lists(st.floats(0, 1), max_size=20))
    def test_agrees_with_scipy_and_is_never_stricter_than_holm(self, p_values: list[float]) -> None:
        adjusted = benjamini_hochberg(p_values)
        expected = stats.false_discovery_control(p_values).tolist() if p_values else []
        assert adjusted == pytest.approx(expected)
        pairs = zip(p_values, adjusted, strict=True)
        assert all(before <= after <= 1 for before, after in pairs)
        limits = zip(adjusted, holm(p_values), strict=True)
        assert all(after <= strict * (1 + 1e-12) for after, strict in limits)

    @pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan])
    def test_what_is_no_p_value_is_refused(self, wrong: float) -> None:
        with pytest.raises(ValueError, match="between 0 and 1"):
            benjamini_hochberg([0.5, wrong])


class TestStudent:
    def test_hand_worked(self) -> None:
        # 1 2 3 and 4 5 6: pooled variance 1, standard error sqrt(2/3), t = -3.674 with 4 degrees of freedom.
        assert student_t_test([1, 2, 3], [4, 5, 6]) == pytest.approx(0.0213, abs=5e-5)

    def test_agrees_with_scipy_at_unequal_sizes(self) -> None:
        rng = np.random.default_rng(4)
        for size in (1, 2, 5, 30):
            one, other = rng.normal(0, 1, size).tolist(), rng.normal(0.5, 2, 12).tolist()
            assert student_t_test(one, other) == pytest.approx(stats.ttest_ind(one, other).pvalue, rel=1e-9)
            assert student_t_test(one, other) == student_t_test(other, one)

    def test_samples_that_do_not_vary(self) -> None:
        assert student_t_test([0.3, 0.3], [0.3, 0.1 + 0.2]) == 1.0
        assert student_t_test([0.3, 0.3], [0.4, 0.4]) == 0.0
        assert student_t_test([0.0, 0.0], [0.0]) == 1.0

    @pytest.mark.parametrize(("first", "second"), [([], [1, 2]), ([1, 2], []), ([1], [2]), ([], [])])
    def test_too_little_to_ask_shows_nothing(self, first: list[float], second: list[float]) -> None:
        assert student_t_test(first, second) == 1.0

    def test_missing_values_are_refused(self) -> None:
        with pytest.raises(ValueError, match="finite"):
            student_t_test([1, math.nan], [1, 2])
