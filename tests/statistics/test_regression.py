"""Regressions by hand and against general optimisers, and what they say where the data say nothing."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

from interplay.statistics.regression import independent, least_squares, logistic, told_apart


def drawn(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray, list[int]]:
    rng = np.random.default_rng(seed)
    columns = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    won = (rng.random(n) < special.expit(columns @ [0.3, 1.0, -0.5])).astype(float)
    return columns, won, (np.arange(n) // 3).tolist()


class TestLogistic:
    def test_an_intercept_has_half_a_game_won_and_half_a_game_lost(self) -> None:
        fit = logistic(np.ones((10, 1)), np.array([1.0] * 7 + [0.0] * 3), list(range(10)))
        assert fit.values[0] == pytest.approx(math.log(7.5 / 3.5))

    def test_the_values_maximise_the_likelihood_times_the_root_of_the_information(self) -> None:
        columns, won, clusters = drawn(1)

        def height(values: np.ndarray) -> float:
            line = columns @ values
            weights = special.expit(line) * special.expit(-line)
            likely = np.sum(won * special.log_expit(line) + (1 - won) * special.log_expit(-line))
            return -float(likely + 0.5 * np.linalg.slogdet((columns.T * weights) @ columns)[1])

        best = optimize.minimize(height, np.zeros(3), tol=1e-10).x
        assert logistic(columns, won, clusters).values == pytest.approx(best, abs=1e-5)

    def test_without_clusters_the_variance_is_the_model_s(self) -> None:
        columns, won, _ = drawn(2, n=4_000)
        fit = logistic(columns, won, list(range(4_000)))
        weights = special.expit(columns @ fit.values) * special.expit(-(columns @ fit.values))
        assert fit.variances == pytest.approx(
            np.diag(np.linalg.inv((columns.T * weights) @ columns)), rel=0.08
        )

    def test_copies_in_a_cluster_add_nothing_but_rows(self) -> None:
        columns, won, _ = drawn(3)
        alone = logistic(columns, won, list(range(60)))
        copied = logistic(np.tile(columns, (5, 1)), np.tile(won, 5), list(range(60)) * 5)
        assert np.sqrt(copied.variances) == pytest.approx(np.sqrt(alone.variances), rel=0.25)
        assert not copied.loose.any()

    def test_one_who_always_wins_has_a_wide_interval_from_its_clusters_alone(self) -> None:
        few, many = (
            logistic(np.ones((60, 1)), np.ones(60), [row % clusters for row in range(60)])
            for clusters in (6, 60)
        )
        assert few.loose.all() and many.loose.all()
        assert few.values[0] == many.values[0] == pytest.approx(math.log(60.5 / 0.5))
        assert few.light is not None
        assert few.light.values[0] == pytest.approx(math.log(6.5 / 0.5))
        narrow, wide = (fit.estimate(0, 0.95, "") for fit in (many, few))
        assert narrow.low is not None and wide.low is not None
        assert wide.low < 0 < 1.5 < narrow.low

    @given(st.integers(0, 10_000), st.integers(2, 6), st.sampled_from([0.0, 1.0, 20.0]))
    @settings(deadline=None, max_examples=60)
    def test_every_outcome_has_finite_values(self, seed: int, width: int, slope: float) -> None:
        rng = np.random.default_rng(seed)
        columns = np.column_stack([np.ones(4 * width), rng.choice([-1.0, 0.0, 1.0], (4 * width, width - 1))])
        columns = independent(columns)
        won = (rng.random(len(columns)) < special.expit(slope * columns[:, -1])).astype(float)
        fit = logistic(columns, won, (np.arange(len(columns)) // 2).tolist())
        assert np.abs(fit.values).max() < 30
        assert not (fit.variances[~fit.loose] < 0).any()


class TestLeastSquares:
    def test_a_mean_has_the_interval_of_t(self) -> None:
        values = np.array([1.0, 2.0, 4.0, 3.0, 7.0])
        found = least_squares(np.ones((5, 1)), values, list("abcde")).estimate(0, 0.95, "t")
        low, high = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
        assert (found.value, found.low, found.high) == pytest.approx((values.mean(), low, high))
        assert (found.n, found.clusters, found.method) == (5, (5,), "t")

    def test_the_variance_is_that_of_leaving_clusters_out(self) -> None:
        rng = np.random.default_rng(4)
        columns, response = rng.normal(size=(40, 3)), rng.normal(size=40)
        clusters = np.arange(40) // 5
        fit = least_squares(columns, response, clusters.tolist())
        moves = [
            np.linalg.lstsq(columns[clusters != each], response[clusters != each], rcond=None)[0] - fit.values
            for each in range(8)
        ]
        assert fit.variances == pytest.approx(7 / 8 * np.sum(np.square(moves), axis=0))

    def test_units_do_not_show(self) -> None:
        rng = np.random.default_rng(5)
        columns, response = rng.normal(size=(40, 2)), rng.normal(size=40)
        clusters = (np.arange(40) // 4).tolist()
        plain, scaled = (least_squares(columns * [unit, 1], response, clusters) for unit in (1.0, 1e-7))
        assert scaled.values * [1e-7, 1] == pytest.approx(plain.values)
        assert scaled.variances * [1e-14, 1] == pytest.approx(plain.variances)

    def test_what_rests_on_one_cluster_has_no_interval(self) -> None:
        columns = np.column_stack([np.ones(6), [0, 0, 0, 0, 1, 0]])
        fit = least_squares(columns, np.array([1.0, 2, 1, 3, 5, 2]), list("aabbcc"))
        assert fit.estimate(0, 0.95, "t").method == "t"
        alone = fit.estimate(1, 0.95, "t")
        assert (alone.low, alone.high, alone.method) == (None, None, "none: rests on a single cluster")
        assert alone.value == pytest.approx(5 - 9 / 5)
        whole = least_squares(columns, np.arange(6.0), list("aaaaaa")).estimate(0, 0.95, "t")
        assert (whole.low, whole.method) == (None, "none: a single cluster")


class TestColumns:
    def test_told_apart(self) -> None:
        one, other = np.array([1.0, 1, 0, 0]), np.array([0.0, 0, 1, 1])
        both = np.column_stack([one, other])
        assert not told_apart(np.ones(4), both)
        assert not told_apart(np.zeros(4), both)
        assert told_apart(np.array([1.0, 1, 1, 1 + 1e-6]), both)
        assert told_apart(one, np.empty((4, 0)))

    def test_independent_ones_are_the_first(self) -> None:
        columns = np.array([[1.0, 1, 0, 2], [1, 1, 0, 2], [1, 0, 1, 5]])
        assert independent(columns).tolist() == [[1, 1], [1, 1], [1, 0]]
