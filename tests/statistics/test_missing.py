"""Bounds for what is missing: worked cases, limits, and coverage where what is missing is not so by chance."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import clustered_mean, mean, rate
from interplay.statistics.missing import Bounds, bounds, rate_bounds

SEEDS = 2_000
SCALE = (1.0, 5.0)
Scores = list[float | None]


def interval(found: Bounds) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


class TestBounds:
    def test_hand_worked(self) -> None:
        # 3 3 4 4 and four missing, at 1 or at 5: means 2.25 and 4.25, sums of squares 13.5 and 5.5, standard
        # errors sqrt(13.5 / 56) and sqrt(5.5 / 56). Four of the wider ones apart, each end reaches as far as a
        # one-sided bound does: t(7) = 1.895, and a hair more.
        found = bounds([3, None, None, 3, 4, None, 4, None], SCALE)
        assert (found.lowest, found.highest, found.n, found.missing) == (2.25, 4.25, 8, 4)
        assert (found.clusters, found.method) == ((), "bounds by t")
        low, high = interval(found)
        assert low == pytest.approx(2.25 - 1.895 * math.sqrt(13.5 / 56), abs=0.01)
        assert high == pytest.approx(4.25 + 1.895 * math.sqrt(5.5 / 56), abs=0.01)

    def test_solves_the_equation_of_imbens_and_manski(self) -> None:
        values: Scores = [2.0, 3.0, 4.0] * 10 + [None] * 3
        found = bounds(values, SCALE)
        lower, upper = ([end if value is None else value for value in values] for end in SCALE)
        reach = (np.mean(lower) - interval(found)[0]) / stats.sem(lower)
        apart = (np.mean(upper) - np.mean(lower)) / max(stats.sem(lower), stats.sem(upper))
        assert (interval(found)[1] - np.mean(upper)) / stats.sem(upper) == pytest.approx(reach)
        assert special.stdtr(32, reach + apart) - special.stdtr(32, -reach) == pytest.approx(0.95)
        assert stats.t.ppf(0.95, 32) < reach < stats.t.ppf(0.975, 32)

    def test_nothing_missing_is_the_ordinary_interval(self) -> None:
        values, way = [3.0, 4.0, 2.0, 4.0, 3.0, 3.0], list("aabbcc")
        plain, clustered = mean(values), clustered_mean(values, way)
        assert interval(bounds(values, SCALE)) == (plain.low, plain.high)
        assert interval(bounds(values, SCALE, way)) == (clustered.low, clustered.high)
        assert bounds(values, SCALE, way).clusters == (3,)
        found = bounds(values, SCALE)
        assert (found.lowest, found.highest, found.missing) == (plain.value, plain.value, 0)

    def test_far_ends_reach_as_one_sided_bounds_do(self) -> None:
        values: Scores = [2.0, 4.0] * 200 + [None] * 400
        lower = [1.0 if value is None else value for value in values]
        one_sided = np.mean(lower) - stats.t.ppf(0.95, 799) * stats.sem(lower)
        assert interval(bounds(values, SCALE))[0] == pytest.approx(one_sided, rel=1e-9)

    def test_the_interval_stays_on_the_scale(self) -> None:
        assert interval(bounds([1, 5, None, None, None], SCALE)) == SCALE

    def test_differences_have_a_scale_of_both_signs(self) -> None:
        found = bounds([1.0, 0.0, None, 2.0], (-4.0, 4.0))
        assert (found.lowest, found.highest) == (-0.25, 1.75)

    def test_too_little_to_go_on(self) -> None:
        assert bounds([], SCALE) == Bounds(None, None, None, None, 0, 0)
        assert bounds([None], SCALE) == Bounds(1.0, 5.0, None, None, 1, 1)
        assert bounds([2.0, None], SCALE, "aa") == Bounds(1.5, 3.5, None, None, 2, 1, (1,))

    def test_all_missing_leaves_the_whole_scale(self) -> None:
        assert interval(bounds([None] * 5, SCALE)) == SCALE

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: bounds([1, 6], SCALE), "6 is not on the scale from 1.0 to 5.0"),
            (lambda: bounds([1, math.nan], SCALE), "nan is not on the scale"),
            (lambda: bounds([1], (5, 1)), "not from 5 to 1"),
            (lambda: bounds([1, 2], SCALE, "a"), "2 values but 1 cluster labels"),
            (lambda: bounds([1, 2], SCALE, confidence=0.5), "between one half and 1"),
            (lambda: rate_bounds([True, None], confidence=1.0), "between one half and 1"),
        ],
    )
    def test_refusals(self, call: Callable[[], Bounds], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            call()

    @given(st.lists(st.one_of(st.none(), st.sampled_from([1.0, 2.0, 3.5, 5.0])), min_size=2, max_size=25))
    def test_holds_its_own_ends_and_a_value_made_known_never_widens_them(self, values: Scores) -> None:
        found = bounds(values, SCALE)
        assert found.lowest is not None and found.highest is not None
        low, high = interval(found)
        assert 1.0 <= low <= found.lowest <= found.highest <= high <= 5.0
        if None in values:
            known = list(values)
            known[known.index(None)] = 3.5
            told = bounds(known, SCALE)
            assert told.lowest is not None and told.highest is not None
            assert found.lowest <= told.lowest and told.highest <= found.highest


class TestRateBounds:
    def test_ends_and_their_interval(self) -> None:
        found = rate_bounds([True] * 30 + [False] * 20 + [None] * 50)
        assert (found.lowest, found.highest, found.n, found.missing) == (0.3, 0.8, 100, 50)
        low, high = interval(found)  # half of a hundred missing: each end is a one-sided bound
        assert (low, high) == pytest.approx(
            (rate(30, 100, confidence=0.9).low, rate(80, 100, confidence=0.9).high)
        )
        assert found.method == "bounds by wilson"

    def test_nothing_missing_is_the_ordinary_interval(self) -> None:
        successes, way = [True, False, True, True, True, False], list("aabbcc")
        plain, clustered = rate(4, 6), clustered_rate(successes, way)
        assert interval(rate_bounds(successes)) == (plain.low, plain.high)
        assert interval(rate_bounds(successes, way)) == (clustered.low, clustered.high)

    def test_all_that_is_known_succeeded(self) -> None:
        found = rate_bounds([True] * 18 + [None] * 2)
        low, high = interval(found)
        assert (found.lowest, found.highest, high) == (0.9, 1.0, 1.0)
        assert low < 0.8

    def test_too_little_to_go_on(self) -> None:
        assert rate_bounds([]) == Bounds(None, None, None, None, 0, 0)
        assert rate_bounds([True, None], "aa") == Bounds(0.5, 1.0, None, None, 2, 1, (1,))


# How often each of five points is given, and how often it then goes unscored: a fifth in all.
CHANCES = (0.2, 0.1, 0.2, 0.3, 0.2)
LOWEST, LEANING, HIGHEST = (1.0, 0, 0, 0, 0), (0.5, 0.4, 0.2, 0.05, 0.05), (0, 0, 0, 0, 1.0)
TRUTH = sum(point * chance for point, chance in enumerate(CHANCES, start=1))


def held(unscored: Sequence[float], n: int, interval_of: Callable[[Scores], tuple[float, float]]) -> float:
    """How often an interval holds the mean of all points, scored or not."""
    found = 0
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        points = rng.choice(np.arange(1, 6), n, p=CHANCES)
        gone = rng.random(n) < np.array(unscored)[points - 1]
        scores = [None if out else float(point) for point, out in zip(points, gone, strict=True)]
        low, high = interval_of(scores)
        found += low <= TRUTH <= high
    return found / SEEDS


def bounded(scores: Scores) -> tuple[float, float]:
    return interval(bounds(scores, SCALE))


def left_out(scores: Scores) -> tuple[float, float]:
    """The naive way: the mean of what was scored."""
    estimate = mean([score for score in scores if score is not None])
    assert estimate.low is not None and estimate.high is not None
    return estimate.low, estimate.high


class TestCoverage:
    """Over 2,000 seeds, bounded and left out.

    | n   | LOWEST    | LEANING   | HIGHEST   |
    |-----|-----------|-----------|-----------|
    | 20  | .943 .431 | .989 .816 | .961 .762 |
    | 64  | .943 .021 | .998 .594 | .951 .255 |
    | 200 | .941 .000 | 1.00 .149 | .947 .002 |
    """

    @pytest.mark.parametrize("n", [20, 64])
    @pytest.mark.parametrize("unscored", [LOWEST, HIGHEST])
    def test_the_truth_at_an_end_is_held_as_often_as_promised(
        self, unscored: Sequence[float], n: int
    ) -> None:
        assert 0.93 <= held(unscored, n, bounded) <= 0.97

    def test_the_truth_between_the_ends_is_held_more_often(self) -> None:
        assert held(LEANING, 64, bounded) > 0.97

    def test_leaving_out_what_is_missing_does_not_cover(self) -> None:
        assert held(LOWEST, 64, left_out) < 0.05
        assert held(LEANING, 64, left_out) < 0.65

    def test_clusters(self) -> None:
        # Twelve characters in six dialogues each; the worst go unscored. Measured: .961, .847 and .781.
        way = np.repeat(np.arange(12), 6).tolist()
        clustered = independent = dropped = 0
        for seed in range(SEEDS):
            rng = np.random.default_rng(seed)
            latent = 3 + rng.normal(0, 0.7, (12, 1)) + rng.normal(0, 1, (12, 6))
            points = np.clip(np.rint(latent), 1, 5).ravel().tolist()  # 3 on average, by symmetry
            scores: Scores = [None if point == 1 else point for point in points]
            kept = [(point, label) for point, label in zip(points, way, strict=True) if point != 1]
            naive = clustered_mean(*map(list, zip(*kept, strict=True)))
            ends = [interval(bounds(scores, SCALE, way)), interval(bounds(scores, SCALE))]
            clustered, independent = (
                count + (low <= 3 <= high)
                for count, (low, high) in zip((clustered, independent), ends, strict=True)
            )
            dropped += naive.low is not None and naive.high is not None and naive.low <= 3 <= naive.high
        assert 0.93 <= clustered / SEEDS <= 0.97
        assert independent / SEEDS < 0.90
        assert dropped / SEEDS < 0.85

    @pytest.mark.parametrize(("n", "naive_at_most"), [(64, 0.45), (200, 0.03)])
    def test_rates(self, n: int, naive_at_most: float) -> None:
        # Six of ten succeed, and half of the failures go unscored.
        covered = naive = 0
        for seed in range(SEEDS):
            rng = np.random.default_rng(seed)
            succeeded = rng.random(n) < 0.6
            gone = ~succeeded & (rng.random(n) < 0.5)
            low, high = interval(
                rate_bounds([None if out else bool(own) for own, out in zip(succeeded, gone, strict=True)])
            )
            scored = rate(int(succeeded.sum()), int(n - gone.sum()))
            assert scored.low is not None and scored.high is not None
            covered += low <= 0.6 <= high
            naive += scored.low <= 0.6 <= scored.high
        assert 0.93 <= covered / SEEDS <= 0.97
        assert naive / SEEDS < naive_at_most
