"""Intervals against hand-worked cases, tables, and the coverage they promise."""

import math
import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from interplay.statistics.intervals import Estimate, clustered_mean, macro_mean, mean, rate
from tests.statistics.experiments import Pairing, spread_over

SEEDS = 2_000


def interval(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def around(value: float, half: float) -> tuple[float, float]:
    return pytest.approx((value - half, value + half), rel=1e-9)  # type: ignore[return-value]


class TestMean:
    def test_hand_worked(self) -> None:
        # 1 2 3 4: sd sqrt(5/3), standard error sqrt(5/12), t(3) = 3.182446.
        estimate = mean([1, 2, 3, 4])
        assert (estimate.value, estimate.n, estimate.clusters, estimate.method) == (2.5, 4, (), "t")
        assert interval(estimate) == pytest.approx((2.5 - 2.0542598, 2.5 + 2.0542598), abs=1e-6)

    def test_agrees_with_scipy_at_another_confidence(self) -> None:
        values = [0.3, 1.7, 2.2, 9.1, 4.4]
        expected = stats.t.interval(0.9, 4, loc=np.mean(values), scale=stats.sem(values))
        assert interval(mean(values, confidence=0.9)) == pytest.approx(expected)

    def test_too_little_to_go_on(self) -> None:
        assert mean([]) == Estimate(None, None, None, 0, (), "none")
        assert mean([3]) == Estimate(3.0, None, None, 1, (), "none")

    def test_equal_values_have_no_width(self) -> None:
        assert mean([0.1] * 7) == Estimate(0.1, 0.1, 0.1, 7, (), "t")

    def test_is_not_clipped_to_the_scale(self) -> None:
        assert interval(mean([5, 5, 4]))[1] > 5


class TestRate:
    @pytest.mark.parametrize(
        ("successes", "n", "low", "high"),
        [  # Newcombe (1998), Statistics in Medicine 17, table I, method 3
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0000, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ],
    )
    def test_published_table(self, successes: int, n: int, low: float, high: float) -> None:
        estimate = rate(successes, n)
        assert (estimate.value, estimate.n, estimate.method) == (successes / n, n, "wilson")
        assert interval(estimate) == pytest.approx((low, high), abs=5e-5)

    def test_agrees_with_scipy(self) -> None:
        for successes in range(13):
            expected = stats.binomtest(successes, 12).proportion_ci(0.99, method="wilson")
            assert interval(rate(successes, 12, confidence=0.99)) == pytest.approx(tuple(expected), abs=1e-12)

    def test_stays_exactly_within_zero_and_one(self) -> None:
        assert all(rate(0, n).low == 0.0 and rate(n, n).high == 1.0 for n in range(1, 200))

    def test_nothing_tried(self) -> None:
        assert rate(0, 0) == Estimate(None, None, None, 0, (), "none")

    @pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (0, -1)])
    def test_impossible_counts(self, successes: int, n: int) -> None:
        with pytest.raises(ValueError, match="not a rate"):
            rate(successes, n)


class TestOneWay:
    def test_hand_worked(self) -> None:
        # Mean 3; cluster sums of deviations -3, -1, 4; 3/2 x 26 / 36; t(2) = 4.302653.
        estimate = clustered_mean([1, 2, 2, 3, 4, 6], list("aabbcc"))
        assert (estimate.value, estimate.n, estimate.clusters, estimate.method) == (3.0, 6, (3,), "one-way t")
        assert interval(estimate) == pytest.approx(
            (3 - 4.302653 * math.sqrt(13 / 12), 3 + 4.302653 * math.sqrt(13 / 12)), abs=1e-5
        )

    def test_repeating_every_value_within_its_cluster_teaches_nothing(self) -> None:
        values, labels = [1.0, 4.0, 2.0, 7.0], list("abcd")
        assert interval(clustered_mean(values * 5, labels * 5)) == pytest.approx(interval(mean(values)))

    def test_clusters_of_one_give_the_plain_t_interval(self) -> None:
        values = [0.1, 0.7, 0.2, 0.9]
        assert interval(clustered_mean(values, range(4))) == interval(mean(values))


class TestTwoWay:
    def test_hand_worked(self) -> None:
        # 2 x 2 of 1 2 / 3 6, mean 3, deviations -2 -1 / 0 3.
        # Rows -3, 3: 2 x 18 / 16. Columns -2, 2: 2 x 8 / 16. Cells: 4/3 x 14 / 16.
        # 9/4 + 1 - 7/6 = 25/12 is below the rows' 9/4, so 9/4; t(1) = 12.706205.
        estimate = clustered_mean([1, 2, 3, 6], list("aabb"), list("xyxy"))
        assert (estimate.value, estimate.n, estimate.clusters, estimate.method) == (
            3.0,
            4,
            (2, 2),
            "two-way t",
        )
        assert interval(estimate) == pytest.approx((3 - 12.706205 * 1.5, 3 + 12.706205 * 1.5), abs=1e-5)

    def test_hand_worked_where_both_ways_add(self) -> None:
        # 2 x 2 of 1 2 / 2 3, mean 2. Rows and columns 2 x 2 / 16 each, cells 4/3 x 2 / 16.
        # 1/4 + 1/4 - 1/6 = 1/3.
        estimate = clustered_mean([1, 2, 2, 3], list("aabb"), list("xyxy"))
        half = 12.706205 / math.sqrt(3)
        assert interval(estimate) == pytest.approx((2 - half, 2 + half), abs=1e-5)

    def test_negative_variance_gives_way_to_the_larger_one_way_variance(self) -> None:
        # 2 x 2 of 0 4 / 5 0: rows and columns 2 x .5 / 16 each, cells 4/3 x 20.75 / 16: far below 0.
        values, rows, columns = [0, 4, 5, 0], list("aabb"), list("xyxy")
        one, other = clustered_mean(values, rows), clustered_mean(values, columns)
        both = clustered_mean(values, rows, columns)
        assert interval(both) == max(interval(one), interval(other), key=lambda ends: ends[1] - ends[0])

    def test_sums_that_cancel_give_no_interval_rather_than_certainty(self) -> None:
        estimate = clustered_mean([0.4, 0.5, 0.5, 0.4], list("aabb"), list("xyxy"))
        assert estimate == Estimate(0.45, None, None, 4, (2, 2), "none")
        assert clustered_mean([0.1, 0.7, 0.7, 0.1], list("aabb")).low is None

    def test_diagonal_design_is_the_plain_t_interval(self) -> None:
        values = [0.3, 1.7, 2.2, 9.1, 4.4]
        estimate = clustered_mean(values, range(5), list("vwxyz"))
        assert interval(estimate) == interval(mean(values))
        assert estimate.clusters == (5, 5)

    def test_a_way_nested_in_the_other_changes_nothing(self) -> None:
        values, sessions, turns = [1.0, 2.0, 2.5, 3.0, 4.0, 6.0], list("aabbcc"), range(6)
        nested = clustered_mean(values, sessions, turns)
        assert interval(nested) == around(nested.value or 0, half_width(clustered_mean(values, sessions)))

    def test_ways_can_be_swapped(self) -> None:
        values, rows, columns = [1.0, 2.0, 2.0, 5.0, 3.0, 3.5], list("aabbcc"), list("xyxyxy")
        assert interval(clustered_mean(values, rows, columns)) == interval(
            clustered_mean(values, columns, rows)
        )


def half_width(estimate: Estimate) -> float:
    low, high = interval(estimate)
    return (high - low) / 2


class TestMacroMean:
    def test_hand_worked(self) -> None:
        # Means 2 and 6, variances 2 and 12: (2/2 + 12/3) / 4 = 5/4 from parts of 1/4 and 1 with 1 and 2
        # degrees of freedom: (5/4)^2 / (1/16 + 1/2) = 25/9, where t is 3.331 (between t(2) and t(3)).
        estimate = macro_mean([[1, 3], [], [2, 8, 8]])
        assert (estimate.value, estimate.n, estimate.clusters, estimate.method) == (4.0, 5, (), "macro t")
        half = stats.t.ppf(0.975, 25 / 9) * math.sqrt(5 / 4)
        assert interval(estimate) == around(4.0, half)

    def test_two_groups_of_one_size_are_welch_s_test(self) -> None:
        one, other = [1.0, 4.0, 2.0, 7.0], [0.5, 0.7, 0.6, 0.1]
        welch = stats.ttest_ind(one, other, equal_var=False).confidence_interval()
        difference = macro_mean([[2 * value for value in one], [-2 * value for value in other]])
        assert interval(difference) == pytest.approx(tuple(welch))

    def test_a_group_of_one_borrows_the_pooled_variance(self) -> None:
        # Pooled (1 x 2 + 2 x 12) / 3 = 26/3: the parts are 2 (1/2 + 1/3) / 9 and 12 (1/3 + 2/3) / 9.
        estimate = macro_mean([[1, 3], [2, 8, 8], [4]])
        assert (estimate.value, estimate.n) == (4.0, 6)
        parts, freedoms = (2 * (1 / 2 + 1 / 3) / 9, 12 / 9), (1, 2)
        freedom = sum(parts) ** 2 / sum(part**2 / own for part, own in zip(parts, freedoms, strict=True))
        assert interval(estimate) == around(4.0, stats.t.ppf(0.975, freedom) * math.sqrt(sum(parts)))
        assert sum(parts) == pytest.approx((2 / 2 + 12 / 3 + 26 / 3) / 9)

    def test_one_group_or_one_value_in_each_is_the_plain_t_mean(self) -> None:
        values = [0.3, 1.7, 2.2, 9.1, 4.4]
        assert macro_mean([values]) == macro_mean([[], values]) == mean(values)
        assert macro_mean([[value] for value in values]) == mean(values)

    def test_every_group_weighs_the_same(self) -> None:
        assert macro_mean([[1.0] * 99, [0.0, 0.0]]).value == 0.5

    def test_too_little_to_go_on(self) -> None:
        assert macro_mean([]) == macro_mean([[], []]) == Estimate(None, None, None, 0, (), "none")
        assert macro_mean([[], [3]]) == Estimate(3.0, None, None, 1, (), "none")

    def test_groups_without_a_spread_of_their_own_are_not_certain(self) -> None:
        assert macro_mean([[1, 1], [0, 0]]) == Estimate(0.5, None, None, 4, (), "none")
        assert macro_mean([[0.2, 0.2], [0.9], [0.4]]).low is None
        assert macro_mean([[0.1, 0.1], [0.1] * 3, [0.1]]) == Estimate(0.1, 0.1, 0.1, 6, (), "macro t")

    def test_covers_where_the_mean_over_all_values_does_not(self) -> None:
        # A model's scores, as differences from one that never guesses; half of the word pairs are of the
        # hardest topic. Over 2,000 seeds .954, and .531 over all values.
        model, sizes = Pairing(0.3, 1e-12), [45, *spread_over(45, 9)]
        runs = [model.differences(np.random.default_rng(seed), sizes) for seed in range(600)]
        macro = [interval(macro_mean(groups)) for groups in runs]
        plain = [interval(mean([value for group in groups for value in group])) for groups in runs]
        truth = model.truth(10)
        assert 0.93 <= sum(low <= truth <= high for low, high in macro) / 600 <= 0.97
        assert sum(low <= truth <= high for low, high in plain) / 600 < 0.60


class TestTooFewClusters:
    def test_nothing_to_estimate_from(self) -> None:
        assert clustered_mean([], []) == Estimate(None, None, None, 0, (0,), "none")
        assert clustered_mean([], [], []) == Estimate(None, None, None, 0, (0, 0), "none")

    def test_one_value(self) -> None:
        assert clustered_mean([4], ["a"], ["x"]) == Estimate(4.0, None, None, 1, (1, 1), "none")

    def test_one_cluster_has_no_interval(self) -> None:
        assert clustered_mean([1, 2, 3], list("aaa")) == Estimate(2.0, None, None, 3, (1,), "none")
        assert clustered_mean([1, 2, 3], list("aaa"), list("xxx")).method == "none"

    def test_equal_values_in_one_cluster_are_not_certain(self) -> None:
        assert clustered_mean([2, 2, 2], list("aaa")).low is None

    def test_one_cluster_in_one_way_leaves_the_other(self) -> None:
        values, character, situations = [1.0, 2.0, 4.0, 5.0], list("aaaa"), list("xxyz")
        expected = clustered_mean(values, situations)
        for ways, clusters in (((character, situations), (1, 3)), ((situations, character), (3, 1))):
            estimate = clustered_mean(values, *ways)
            assert interval(estimate) == interval(expected)
            assert (estimate.clusters, estimate.method) == (clusters, "one-way t")

    def test_equal_values_over_clusters_have_no_width(self) -> None:
        estimate = clustered_mean([0.1] * 6, list("aabbcc"), list("xyxyxy"))
        assert estimate == Estimate(0.1, 0.1, 0.1, 6, (3, 2), "two-way t")


class TestRefusals:
    @pytest.mark.parametrize("ways", [([1],), ([1, 2], [1]), ([1, 2, 3], [1, 2])])
    def test_unequal_lengths(self, ways: tuple[list[int], ...]) -> None:
        with pytest.raises(ValueError, match=r"2 values but [13] cluster labels"):
            clustered_mean([1, 2], *ways)

    @pytest.mark.parametrize("ways", [(), ([1, 2], [1, 2], [1, 2])])
    def test_ways_other_than_one_or_two(self, ways: tuple[list[int], ...]) -> None:
        with pytest.raises(ValueError, match="one way or two"):
            clustered_mean([1, 2], *ways)

    @pytest.mark.parametrize("missing", [math.nan, math.inf, -math.inf])
    def test_values_that_are_not_numbers(self, missing: float) -> None:
        with pytest.raises(ValueError, match="finite"):
            mean([1, missing])
        with pytest.raises(ValueError, match="finite"):
            clustered_mean([1, missing], [1, 2])

    @pytest.mark.parametrize("confidence", [0, 1, 95, -0.5, math.nan])
    def test_confidence_that_is_no_share(self, confidence: float) -> None:
        calls: list[Callable[[], Estimate]] = [
            lambda: mean([1, 2], confidence=confidence),
            lambda: rate(1, 2, confidence=confidence),
            lambda: clustered_mean([1, 2], [1, 2], confidence=confidence),
        ]
        for call in calls:
            with pytest.raises(ValueError, match="confidence"):
                call()


Row = tuple[float, str, int]
rows = st.lists(
    st.tuples(st.floats(-1e6, 1e6), st.sampled_from("abcd"), st.integers(0, 3)), min_size=1, max_size=40
)


def estimates(data: Sequence[Row]) -> str:
    # repr tells -0.0 from 0.0 and shows every bit of a float, which == does not.
    values, first, second = zip(*data, strict=True)
    groups = [[value for value, label, _ in data if label == group] for group in sorted(set(first))]
    grouped = macro_mean(groups), macro_mean(groups[::-1])
    return repr((mean(values), clustered_mean(values, first), clustered_mean(values, first, second), grouped))


@settings(deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_order_never_shows(data: list[Row], chance: random.Random) -> None:
    shuffled = chance.sample(data, len(data))
    assert estimates(shuffled) == estimates(data)


@settings(deadline=None)
@given(rows)
def test_two_ways_are_never_surer_than_one(data: list[Row]) -> None:
    values, first, second = zip(*data, strict=True)
    both = clustered_mean(values, first, second)
    for way in (first, second):
        one = clustered_mean(values, way)
        if both.low is not None and one.low is not None:
            assert half_width(both) >= half_width(one) * (1 - 1e-9) - 1e-9


@dataclass(frozen=True)
class Spread:
    """Standard deviations on a 5-point scale, about 1 in all.

    Of the variance a tenth lies between characters, a tenth between situations, a sixth between dialogues
    beyond these, and the rest between turns, the judge's noise included.
    """

    character: float = 0.32
    situation: float = 0.32
    dialogue: float = 0.42
    turn: float = 0.80


CHARACTERS, SITUATIONS, TURNS, TRUTH = 8, 8, 4, 3.6


def crossed_scores(rng: np.random.Generator, spread: Spread) -> np.ndarray:
    """One run's scores, character x situation x turn."""
    return (
        TRUTH
        + rng.normal(0, spread.character, (CHARACTERS, 1, 1))
        + rng.normal(0, spread.situation, (1, SITUATIONS, 1))
        + rng.normal(0, spread.dialogue, (CHARACTERS, SITUATIONS, 1))
        + rng.normal(0, spread.turn, (CHARACTERS, SITUATIONS, TURNS))
    )


def over_turns(scores: np.ndarray) -> Estimate:
    return mean(scores.ravel().tolist())


def over_dialogues(scores: np.ndarray) -> Estimate:
    return mean(scores.mean(axis=2).ravel().tolist())


def over_characters(scores: np.ndarray) -> Estimate:
    characters: list[Hashable] = np.indices(scores.shape)[0].ravel().tolist()
    return clustered_mean(scores.ravel().tolist(), characters)


def two_way(scores: np.ndarray) -> Estimate:
    characters, situations, _ = np.indices(scores.shape).reshape(3, -1).tolist()
    return clustered_mean(scores.ravel().tolist(), characters, situations)


def coverage(runs: list[np.ndarray], estimate: Callable[[np.ndarray], Estimate]) -> float:
    ends = [interval(estimate(scores)) for scores in runs]
    return sum(low <= TRUTH <= high for low, high in ends) / len(ends)


@pytest.fixture(scope="module")
def role_play() -> list[np.ndarray]:
    return [crossed_scores(np.random.default_rng(seed), Spread()) for seed in range(SEEDS)]


class TestCrossedCoverage:
    def test_two_way_covers(self, role_play: list[np.ndarray]) -> None:
        assert 0.93 <= coverage(role_play, two_way) <= 0.985

    def test_turns_taken_as_independent_do_not(self, role_play: list[np.ndarray]) -> None:
        assert coverage(role_play, over_turns) < 0.65

    def test_dialogues_taken_as_independent_do_not(self, role_play: list[np.ndarray]) -> None:
        assert coverage(role_play, over_dialogues) < 0.80

    def test_one_way_of_two_is_not_enough(self, role_play: list[np.ndarray]) -> None:
        assert coverage(role_play, over_characters) < 0.93


def clt(successes: int, n: int) -> tuple[float, float]:
    share = successes / n
    half = 1.959964 * math.sqrt(share * (1 - share) / n)
    return share - half, share + half


def exact_coverage(method: Callable[[int, int], tuple[float, float]], n: int, truth: float) -> float:
    covering = [k for k in range(n + 1) if method(k, n)[0] <= truth <= method(k, n)[1]]
    return float(np.sum(stats.binom.pmf(covering, n, truth)))


def wilson(successes: int, n: int) -> tuple[float, float]:
    return interval(rate(successes, n))


@pytest.mark.parametrize(("n", "clt_at_most"), [(20, 0.65), (64, 0.84)])
def test_wilson_covers_high_rates_where_the_clt_does_not(n: int, clt_at_most: float) -> None:
    assert 0.92 <= exact_coverage(wilson, n, 0.95) <= 0.965
    assert exact_coverage(clt, n, 0.95) < clt_at_most
