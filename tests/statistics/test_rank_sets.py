"""Every pair of many models, and the ranks that remain possible: worked cases, refusals, and a few boards."""

import math
import random
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.core.board import Estimate
from interplay.statistics.comparing import Compared, benjamini_hochberg, clustered_difference, holm
from interplay.statistics.rank_sets import Pair, all_pairs, claims, rank_sets
from tests.statistics.crossed import BY_CHARACTER, SUITED, UNITS, WAYS, table_of


class TestRankSets:
    def test_hand_worked(self) -> None:
        # a above c and d, b above d: nothing is known of a and b, or of c and its neighbours but a.
        worse = {("c", "a"), ("d", "a"), ("d", "b")}
        assert rank_sets("abcd", worse) == {"a": (1, 2), "b": (1, 3), "c": (2, 4), "d": (3, 4)}

    def test_nothing_shown_leaves_every_rank_and_everything_one(self) -> None:
        assert rank_sets("abc", set()) == {"a": (1, 3), "b": (1, 3), "c": (1, 3)}
        chain = [("b", "a"), ("c", "a"), ("c", "b")]
        assert rank_sets("abc", chain) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
        assert rank_sets("a", []) == {"a": (1, 1)}
        assert rank_sets("", []) == {}

    def test_a_claim_made_twice_counts_once(self) -> None:
        assert rank_sets("ab", [("b", "a"), ("b", "a")]) == {"a": (1, 1), "b": (2, 2)}

    @pytest.mark.parametrize(
        ("worse", "message"),
        [
            ([("a", "a")], "'a' cannot be both worse and better than 'a'"),
            ([("a", "b"), ("b", "a")], "cannot be both worse and better"),
            ([("a", "z")], "'z' is not among the models"),
        ],
    )
    def test_refusals(self, worse: list[tuple[str, str]], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            rank_sets("abc", worse)

    @given(st.permutations("abcdefg"), st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))))
    def test_true_claims_never_exclude_the_true_rank(
        self, order: list[str], pairs: set[tuple[int, int]]
    ) -> None:
        worse = {(order[loser], order[winner]) for loser, winner in pairs if winner < loser}
        sets = rank_sets("abcdefg", worse)
        assert all(sets[model][0] <= rank <= sets[model][1] for rank, model in enumerate(order, start=1))


class TestAllPairs:
    def test_every_pair_is_the_clustered_difference_adjusted_over_all(self) -> None:
        table = table_of(SUITED.scores(np.random.default_rng(1), [3.0, 3.4, 3.8, 4.2]))
        pairs = all_pairs(table, WAYS, confidence=0.9)
        assert [(pair.first, pair.second) for pair in pairs] == list(combinations(table, 2))
        characters, situations = zip(*UNITS, strict=True)
        for pair in pairs:
            apart = [table[pair.first][unit] - table[pair.second][unit] for unit in UNITS]
            assert pair.compared == clustered_difference(apart, characters, situations, confidence=0.9)
        p_values = [pair.compared.p_value or 0.0 for pair in pairs]
        assert [pair.holm for pair in pairs] == holm(p_values)
        assert [pair.benjamini_hochberg for pair in pairs] == benjamini_hochberg(p_values)

    def test_only_units_that_both_have_are_compared(self) -> None:
        values = {
            "one": {"p": 1.0, "q": 2.0, "r": 5.0, "s": 1.0},
            "two": {"q": 1.0, "r": 3.0, "s": 1.5, "t": 9.0},
        }
        (pair,) = all_pairs(values, {unit: (unit in "qr",) for unit in "pqrst"})
        expected = clustered_difference([1.0, 2.0, -0.5], [True, True, False])
        assert pair == Pair("one", "two", expected, expected.p_value, expected.p_value)

    def test_units_without_clusters(self) -> None:
        values = {"one": {1: 0.5, 2: 0.75, 3: 1.0}, "two": {1: 0.25, 2: 0.25, 3: 0.5}}
        expected = clustered_difference([0.25, 0.5, 0.5])
        assert (
            all_pairs(values)[0].compared == all_pairs(values, {1: (), 2: (), 3: ()})[0].compared == expected
        )

    def test_a_pair_that_cannot_be_asked_has_no_p_value_and_still_counts(self) -> None:
        values = {
            "one": {1: 0.5, 2: 0.75, 3: 1.0},
            "two": {1: 0.25, 2: 0.25, 3: 0.5},
            "three": {9: 1.0},
            "four": {},
        }
        asked, *others = all_pairs(values)
        assert asked.compared.p_value is not None
        assert asked.holm == pytest.approx(6 * asked.compared.p_value)
        assert asked.benjamini_hochberg == pytest.approx(6 * asked.compared.p_value)
        assert {(pair.compared.p_value, pair.holm, pair.benjamini_hochberg) for pair in others} == {
            (None,) * 3
        }
        assert [pair.compared.difference.value for pair in others] == [None] * 5

    def test_scores_that_are_equal_but_for_rounding_are_equal(self) -> None:
        values = {"one": dict.fromkeys(range(9), 0.1 + 0.2), "two": dict.fromkeys(range(9), 0.3)}
        (pair,) = all_pairs(values)
        assert (pair.compared.difference.value, pair.compared.p_value) == (0.0, 1.0)

    def test_neither_the_order_of_units_nor_of_models_shows(self) -> None:
        table = table_of(SUITED.scores(np.random.default_rng(2), [3.0, 3.4, 3.8]))
        chance = random.Random(1)
        mixed = {
            model: dict(chance.sample(list(own.items()), len(own))) for model, own in reversed(table.items())
        }
        there = {(pair.first, pair.second): pair for pair in all_pairs(table, WAYS)}
        back = {(pair.second, pair.first): pair for pair in all_pairs(mixed, WAYS)}
        assert there.keys() == back.keys()
        for names, pair in there.items():
            turned = back[names].compared.difference.times(-1)
            assert pair.compared.difference.low == pytest.approx(turned.high)
            assert (pair.holm, pair.benjamini_hochberg) == pytest.approx(
                (back[names].holm, back[names].benjamini_hochberg)
            )
        assert claims(list(there.values())) == claims(list(back.values()))

    def test_no_model_or_one_has_no_pairs(self) -> None:
        assert all_pairs({}) == all_pairs({"one": {1: 2.0}}, {1: ("a",)}) == []

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: all_pairs({"one": {1: math.nan}, "two": {1: 1.0}}), "finite"),
            (
                lambda: all_pairs({"one": {1: 1.0}, "two": {2: 1.0}}, {1: ("a",)}),
                "the unit 2 has no clusters",
            ),
            (lambda: all_pairs({"one": {1: 1.0, 2: 1.0}}, {1: ("a",), 2: ("a", "b")}), "same number of ways"),
            (lambda: all_pairs({"one": {1: 1.0}}, {1: ("a", "b", "c")}), "two ways at most"),
            (lambda: all_pairs({}, confidence=2), "confidence"),
        ],
    )
    def test_refusals(self, call: Callable[[], list[Pair]], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            call()

    def test_thirty_models_on_five_thousand_units(self) -> None:
        # One model is better by a fifth of a point on units of one point's spread: shown against all others.
        rng = np.random.default_rng(1)
        scores = rng.normal(0, 1, (30, 5_000)) + np.r_[0.2, np.zeros(29)][:, np.newaxis]
        values = {f"{row:02}": dict(enumerate(own.tolist())) for row, own in enumerate(scores)}
        pairs = all_pairs(values, {unit: (unit // 71, unit % 71) for unit in range(5_000)})
        assert len(pairs) == 435
        assert claims(pairs) == {(f"{other:02}", "00") for other in range(1, 30)}


class TestClaims:
    def test_the_loser_comes_first_and_holm_decides(self) -> None:
        table = {
            "low": {1: 1.0, 2: 1.2, 3: 1.1, 4: 0.9},
            "high": {1: 3.0, 2: 3.1, 3: 3.3, 4: 2.8},
            "near": {1: 3.1, 2: 2.9, 3: 3.5, 4: 2.9},
        }
        pairs = all_pairs(table)
        assert claims(pairs) == {("low", "high"), ("low", "near")}
        assert claims(pairs, error=1e-9) == set()
        assert rank_sets(table, claims(pairs)) == {"low": (3, 3), "high": (1, 2), "near": (1, 2)}

    def test_what_is_worth_a_look_is_not_yet_a_claim(self) -> None:
        apart = [Compared(Estimate(value, None, None, 9), p) for value, p in ((0.4, 0.03), (-0.5, 0.001))]
        browsed = [Pair("a", "b", apart[0], 0.06, 0.045), Pair("a", "c", apart[1], 0.003, 0.003)]
        assert claims(browsed) == {("a", "c")}
        assert claims(browsed, error=0.06) == {("b", "a"), ("a", "c")}

    def test_a_pair_that_was_not_asked_or_does_not_differ_claims_nothing(self) -> None:
        assert claims(all_pairs({"one": {1: 1.0}, "two": {1: 2.0}}), error=1.0) == set()
        same = dict.fromkeys(range(9), 1.0)
        assert claims(all_pairs({"one": same, "two": same}), error=1.0) == set()


def test_a_hundred_boards_of_equal_models() -> None:
    # The 400 and 2,000 boards of test_rank_sets_coverage in short.
    without = claimed = 0
    for seed in range(100):
        pairs = all_pairs(table_of(BY_CHARACTER.scores(np.random.default_rng(seed), [3.6] * 12)), WAYS)
        without += any((pair.compared.p_value or 1) <= 0.05 for pair in pairs)
        claimed += bool(claims(pairs))
    assert without > 65
    assert claimed <= 8
