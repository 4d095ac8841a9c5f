"""Biases of judges: planted ones recovered, what cannot be told apart refused, and naive ways that are fooled."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from interplay.core.board import Estimate
from interplay.statistics.bias import (
    ALONE,
    LINEAR,
    LOGISTIC,
    WITHOUT_SPREAD,
    Comparison,
    Rating,
    pairwise_bias,
    rating_bias,
    rating_trend,
)
from tests.statistics.judged import Leaning, Taste, compared, rated

PANEL = (Taste("ant", 0.3, 0.25, 0.5, -0.4), Taste("bee", -0.2, 0.0, 0.7, 0.0), Taste("people"))


def value(estimate: Estimate) -> float:
    assert estimate.value is not None
    return estimate.value


def nothing(estimate: Estimate) -> str:
    """Why there is no number, and not even an interval."""
    assert (estimate.value, estimate.low, estimate.high) == (None, None, None)
    return estimate.method


class TestPairwise:
    def test_planted_biases_are_recovered(self) -> None:
        found = pairwise_bias(compared(np.random.default_rng(1), 1_500, Leaning()))
        assert value(found.position) == pytest.approx(0.5, abs=0.03)
        assert value(found.length) == pytest.approx(0.4, abs=0.05)
        assert value(found.same_family) == pytest.approx(0.6, abs=0.04)
        assert found.position.method == LOGISTIC
        assert (found.position.n, found.position.clusters, found.ties) == (60_000, (1_500,), 0)
        assert found.ratio == pytest.approx(2.3, abs=0.1)

    def test_none_is_found_where_none_is(self) -> None:
        found = pairwise_bias(compared(np.random.default_rng(2), 300, Leaning(0, 0, 0)))
        for estimate in (found.position, found.length, found.same_family):
            assert estimate.low is not None and estimate.high is not None
            assert estimate.low < 0 < estimate.high

    def test_ties_are_left_out_for_halves_would_hide_the_bias(self) -> None:
        rows = compared(np.random.default_rng(3), 400, Leaning(ties=3.0))
        found = pairwise_bias(rows)
        assert 0.4 * len(rows) < found.ties < 0.7 * len(rows)
        assert found.position.n == len(rows) - found.ties
        assert value(found.position) == pytest.approx(0.5, abs=0.09)
        halves = [
            replace(row, won=half) for row in rows for half in ([0, 1] if row.won == 0.5 else [row.won] * 2)
        ]
        assert value(pairwise_bias(halves).position) < 0.35

    def test_turning_every_pair_turns_the_position_alone(self) -> None:
        rows = compared(np.random.default_rng(4), 20, Leaning(), both_orders=False)
        rows += [_turned(row) for row in rows[::3]]
        one, other = pairwise_bias(rows), pairwise_bias([_turned(row) for row in rows])
        assert value(other.position) == pytest.approx(-value(one.position), abs=1e-6)
        assert value(other.length) == pytest.approx(value(one.length), abs=1e-6)
        assert value(other.same_family) == pytest.approx(value(one.same_family), abs=1e-6)

    def test_one_order_of_two_models_tells_nothing_of_the_position(self) -> None:
        rows = [
            row
            for row in compared(np.random.default_rng(5), 40, Leaning(), both_orders=False, judges=["cow"])
            if (row.first, row.second) == ("ant 1", "bee 1")
        ]
        found = pairwise_bias(rows)
        assert nothing(found.position) == "none: place and strength always go together; show both orders"
        assert found.length.value is not None
        assert nothing(found.same_family) == "none: no answer sets the judge's family apart"

    def test_a_single_judge_tells_nothing_of_its_family(self) -> None:
        found = pairwise_bias(compared(np.random.default_rng(6), 30, Leaning(), judges=["ant"]))
        assert "family and strength always go together" in nothing(found.same_family)
        assert found.position.value is not None

    def test_what_is_refused_sways_nothing(self) -> None:
        # The family is a sum of strengths: with it or without, the others' estimates are the same.
        rows = compared(np.random.default_rng(7), 30, Leaning(), judges=["ant"])
        without = pairwise_bias([replace(row, own=(False, False)) for row in rows])
        assert pairwise_bias(rows).position == without.position

    def test_equal_lengths(self) -> None:
        rows = compared(np.random.default_rng(8), 20, Leaning())
        found = pairwise_bias([replace(row, lengths=(0, 0)) for row in rows])
        assert nothing(found.length) == "none: all answers are equally long"
        assert found.ratio is None

    def test_length_that_goes_with_the_place(self) -> None:
        rows = compared(np.random.default_rng(9), 20, Leaning())
        found = pairwise_bias([replace(row, lengths=(200, 100)) for row in rows])
        assert nothing(found.length) == nothing(found.position)
        assert "another effect" in nothing(found.length)

    def test_a_judge_that_always_picks_the_first_is_finite(self) -> None:
        rows = [replace(row, won=1.0) for row in compared(np.random.default_rng(10), 30, Leaning())]
        found = pairwise_bias(rows).position
        assert found.method == WITHOUT_SPREAD
        assert found.low is not None and found.high is not None
        assert 0.5 < found.low < value(found) < found.high < 15

    def test_a_model_that_always_wins_hides_no_bias(self) -> None:
        rows = [
            replace(row, won=float(row.first == "ant 1")) if "ant 1" in (row.first, row.second) else row
            for row in compared(np.random.default_rng(11), 300, Leaning())
        ]
        found = pairwise_bias(rows)
        assert found.position.method == LOGISTIC
        assert value(found.position) == pytest.approx(0.5, abs=0.12)

    def test_nothing_or_too_little(self) -> None:
        assert nothing(pairwise_bias([]).position) == "none: no verdict for either answer"
        row = compared(np.random.default_rng(12), 1, Leaning())[0]
        assert nothing(pairwise_bias([replace(row, won=0.5)]).length) == "none: no verdict for either answer"
        assert nothing(pairwise_bias([replace(row, won=1.0)]).position) == "none: too few for so many effects"

    def test_refusals(self) -> None:
        row = Comparison("a", "b", 1, (1, 1), (False, False), 0)
        with pytest.raises(ValueError, match="win"):
            pairwise_bias([replace(row, won=0.3)])
        with pytest.raises(ValueError, match="two models"):
            pairwise_bias([replace(row, second="a")])
        with pytest.raises(ValueError, match="confidence"):
            pairwise_bias([], confidence=2)


def _turned(row: Comparison) -> Comparison:
    return Comparison(row.second, row.first, 1 - row.won, row.lengths[::-1], row.own[::-1], row.scenario)


class TestRatings:
    @pytest.mark.parametrize("against", [(), ("people",), ("bee",)])
    def test_planted_biases_are_recovered(self, against: Sequence[str]) -> None:
        ratings = rated(np.random.default_rng(1), 1_500, PANEL, missing=0.2)
        found = rating_bias(ratings, "ant", against=against)
        assert value(found.length) == pytest.approx(0.25, abs=0.06)
        assert value(found.same_family) == pytest.approx(0.5, abs=0.09)
        assert value(found.refusal) == pytest.approx(-0.4, abs=0.09)
        assert found.length.method == LINEAR
        assert found.ratio == pytest.approx(1.8, abs=0.1)

    def test_two_judges_who_favour_their_own_are_not_doubled(self) -> None:
        # cow's answers are nobody's own: without them each judge's leaning could not be told from the other's.
        ratings = rated(np.random.default_rng(2), 600, PANEL)
        assert value(rating_bias(ratings, "ant", against=["bee"]).same_family) == pytest.approx(0.5, abs=0.15)
        theirs = [one for one in ratings if not one.model.startswith("cow")]
        alone = rating_bias(theirs, "ant", against=["bee"])
        assert "another effect" in nothing(alone.same_family)
        assert alone.length.value is not None

    def test_n_counts_the_judge_s_own_ratings_that_others_share(self) -> None:
        ratings = rated(np.random.default_rng(3), 30, PANEL)
        mine = [one for one in ratings if one.judge == "ant"]
        others = [one for one in ratings if one.judge == "people" and one.scenario != 7]
        found = rating_bias(mine + others, "ant")
        assert (found.length.n, found.length.clusters) == (29 * 5, (29,))

    def test_nobody_else_rated_the_same(self) -> None:
        ratings = [one for one in rated(np.random.default_rng(4), 30, PANEL) if one.judge == "ant"]
        found = rating_bias(ratings, "ant")
        for estimate in (found.length, found.same_family, found.refusal):
            assert nothing(estimate) == "none: nobody else rated the same answers"

    def test_what_does_not_vary(self) -> None:
        ratings = [
            replace(one, length=80, own=False, refused=True)
            for one in rated(np.random.default_rng(5), 10, PANEL)
        ]
        found = rating_bias(ratings, "ant")
        assert nothing(found.length) == "none: all answers are equally long"
        assert nothing(found.same_family) == "none: no answer sets the judge's family apart"
        assert nothing(found.refusal) == "none: all answers or none refuse"

    def test_effects_that_go_together(self) -> None:
        ratings = [replace(one, refused=one.model.startswith("ant")) for one in self._against_people()]
        found = rating_bias(ratings, "ant")
        assert "another effect" in nothing(found.same_family)
        assert "another effect" in nothing(found.refusal)
        assert found.length.value is not None

    def test_a_missing_number_is_refused(self) -> None:
        ratings = self._against_people()
        with pytest.raises(ValueError, match="finite"):
            rating_bias([replace(ratings[0], value=math.nan), *ratings[1:]], "ant")

    @staticmethod
    def _against_people() -> list[Rating]:
        return rated(np.random.default_rng(6), 20, (PANEL[0], PANEL[2]))


class TestTrends:
    def test_merit_is_in_them(self) -> None:
        # Worth 0.3 more for a standard deviation of length, 1 less for a refusal, besides the judge's own taste.
        found = rating_trend(rated(np.random.default_rng(7), 1_500, PANEL), "ant")
        assert value(found.length) == pytest.approx(0.55, abs=0.06)
        assert value(found.refusal) == pytest.approx(-1.4, abs=0.06)
        assert found.length.method == ALONE
        assert nothing(found.same_family) == "none: nobody else rated the same answers"

    def test_lengths_that_differ_between_scenarios_alone(self) -> None:
        ratings = [
            replace(one, length=101 + 7 * int(str(one.scenario)), refused=str(one.scenario) in "3579")
            for one in rated(np.random.default_rng(8), 30, PANEL)
        ]
        found = rating_trend(ratings, "ant")
        assert "held fixed" in nothing(found.length)
        assert "held fixed" in nothing(found.refusal)

    def test_no_judge_of_that_name(self) -> None:
        assert rating_trend([], "ant").length.value is None
