"""Agreement against worked cases and canonical data."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from interplay.core.board import Estimate
from interplay.statistics.agreement import (
    Drawing,
    Measure,
    Pairs,
    accuracy,
    f1,
    kappa,
    krippendorff,
    matthews,
    rank_correlation,
    weighted_kappa,
)
from tests.statistics.labelled_pairs import OF_YES_OR_NO, ON_A_SCALE, Agreement, ends, pairs_of

DRAWING = Drawing(0)
LIGHT = Drawing(0, draws=400)
# Both say yes 26 times, the judge alone 2, people alone 3, neither 19.
PAPER = pairs_of([[19, 3], [2, 26]])


class TestThePapersTable:
    def test_values(self) -> None:
        assert accuracy(PAPER).value == 0.9
        assert f1(PAPER, DRAWING).value == pytest.approx(52 / 57)
        assert f1(PAPER, DRAWING).value == pytest.approx(0.9123, abs=5e-5)
        assert kappa(PAPER, DRAWING).value == pytest.approx(0.7961, abs=5e-5)
        assert matthews(PAPER, DRAWING).value == pytest.approx(0.7967, abs=5e-5)

    def test_intervals(self) -> None:
        assert ends(accuracy(PAPER)) == pytest.approx((0.7864, 0.9565), abs=1e-4)
        assert ends(f1(PAPER, DRAWING)) == pytest.approx((0.795, 0.962), abs=0.005)
        assert ends(kappa(PAPER, DRAWING)) == pytest.approx((0.55, 0.91), abs=0.01)
        assert ends(matthews(PAPER, DRAWING)) == pytest.approx((0.56, 0.91), abs=0.01)

    def test_what_they_say_of_themselves(self) -> None:
        assert accuracy(PAPER).method == "wilson"
        for agreement in OF_YES_OR_NO:
            estimate = agreement(PAPER, DRAWING)
            assert (estimate.n, estimate.clusters, estimate.method) == (50, (), "dirichlet")

    def test_more_confidence_is_wider_and_more_pairs_narrower(self) -> None:
        low, high = ends(kappa(PAPER, DRAWING))
        wide = ends(kappa(PAPER, Drawing(0, confidence=0.99)))
        narrow = ends(kappa(pairs_of([[190, 30], [20, 260]]), DRAWING))
        assert wide[0] < low < narrow[0] < 0.7961 < narrow[1] < high < wide[1]

    def test_the_seed_alone_decides_the_draws(self) -> None:
        assert kappa(PAPER, Drawing(4)) == kappa(PAPER, Drawing(4))
        assert kappa(PAPER, Drawing(4)) != kappa(PAPER, Drawing(5))


class TestOnAScale:
    def test_weighted_kappa_is_as_worked_by_hand(self) -> None:
        # Squared differences 0 0 1 1, so 2 / 4; any of 1 2 3 3 and any of 1 2 2 4 make 11 + 5 + 7 + 7, so 30 / 16.
        found = weighted_kappa(Pairs([1, 2, 3, 3], [1, 2, 2, 4]), DRAWING)
        assert found.value == pytest.approx(11 / 15)

    def test_unused_levels_change_no_value(self) -> None:
        pairs = Pairs([1, 2, 3, 3, 2], [1, 2, 2, 4, 2])
        assert weighted_kappa(pairs, LIGHT, levels=range(1, 11)).value == pytest.approx(
            weighted_kappa(pairs, LIGHT).value
        )

    def test_values_between_levels_count_by_their_distance(self) -> None:
        """What the mean of three judges is held to."""
        near = weighted_kappa(Pairs([1.0, 2.25, 4.0, 5.0], [1, 2, 4, 5]), LIGHT, levels=range(1, 6))
        far = weighted_kappa(Pairs([1.0, 2.75, 4.0, 5.0], [1, 2, 4, 5]), LIGHT, levels=range(1, 6))
        assert near.value is not None and far.value is not None
        assert 1 > near.value > far.value

    def test_rank_correlation_is_spearman_s(self) -> None:
        rng = np.random.default_rng(3)
        x, y = rng.integers(1, 6, 60).tolist(), rng.integers(1, 4, 60).tolist()
        assert rank_correlation(Pairs(x, y), LIGHT).value == pytest.approx(stats.spearmanr(x, y).statistic)

    def test_kappa_of_several_classes(self) -> None:
        # 8 of 10 alike; by chance .4 x .4 + .3 x .2 + .3 x .4 = .34.
        found = kappa(Pairs([*"aaaabbbccc"], [*"aaacabbccc"]), DRAWING)
        assert found.value == pytest.approx(0.46 / 0.66)
        low, high = ends(found)
        assert 0 < low < 0.69 < high < 1


class TestDegenerate:
    @pytest.mark.parametrize("agreement", [*OF_YES_OR_NO])
    def test_nothing_at_all(self, agreement: Agreement) -> None:
        assert agreement(Pairs([], []), LIGHT) == Estimate(None, None, None, 0, (), "none: fewer than two")
        assert accuracy(Pairs([], [])).value is None

    @pytest.mark.parametrize("agreement", ON_A_SCALE)
    def test_nothing_at_all_on_a_scale(self, agreement: Agreement) -> None:
        found = agreement(Pairs([], []), LIGHT)
        assert (found.value, found.low, found.high, found.method[:5]) == (None, None, None, "none:")

    def test_one_class_only(self) -> None:
        yes, no = Pairs([True] * 9, [True] * 9), Pairs([False] * 9, [False] * 9)
        undefined = Estimate(None, None, None, 9, (), "none: no variation")
        assert kappa(yes, LIGHT) == kappa(no, LIGHT) == undefined
        assert matthews(yes, LIGHT) == matthews(no, LIGHT) == f1(no, LIGHT) == undefined
        assert f1(yes, LIGHT).value == 1.0
        for agreement in ON_A_SCALE:
            assert agreement(Pairs([4] * 9, [4] * 9), LIGHT) == undefined

    def test_one_side_never_varies(self) -> None:
        pairs = Pairs([True] * 10, [True] * 6 + [False] * 4)
        assert matthews(pairs, LIGHT).value is None
        assert rank_correlation(Pairs([3] * 5, [1, 2, 3, 4, 5]), LIGHT).value is None
        low, high = ends(kappa(pairs, LIGHT))
        assert kappa(pairs, LIGHT).value == 0.0
        assert low < 0 < high

    def test_one_pair_has_no_interval(self) -> None:
        assert f1(Pairs([True], [True]), LIGHT) == Estimate(1.0, None, None, 1, (), "none: fewer than two")
        assert kappa(Pairs([True], [False]), LIGHT) == Estimate(
            0.0, None, None, 1, (), "none: fewer than two"
        )
        assert rank_correlation(Pairs([1, 2], [1, 2]), LIGHT).method == "none: fewer than three"

    def test_one_cluster_has_no_interval(self) -> None:
        found = kappa(Pairs(PAPER.judge, PAPER.people, ["all"] * 50), LIGHT)
        assert found == Estimate(found.value, None, None, 50, (1,), "none: a single cluster")
        assert found.value == pytest.approx(0.7961, abs=5e-5)

    def test_perfect_agreement_is_no_certainty(self) -> None:
        pairs = pairs_of([[25, 0], [0, 25]])
        for agreement in OF_YES_OR_NO:
            low, high = ends(agreement(pairs, DRAWING))
            assert 0.8 < low < 0.95
            assert high == agreement(pairs, DRAWING).value == 1.0

    @pytest.mark.parametrize(
        "broken, what",
        [
            (lambda: Pairs([True], []), "1 labels of the judge but 0 of people"),
            (lambda: Pairs([True], [True], []), "1 pairs but 0 cluster labels"),
            (lambda: f1(Pairs([1], [0]), LIGHT), "True or False here, not 1"),
            (lambda: matthews(Pairs(["yes"], ["no"]), LIGHT), "True or False here, not 'yes'"),
            (lambda: weighted_kappa(Pairs(["a"], ["b"]), LIGHT), "must be numbers"),
            (lambda: weighted_kappa(Pairs([math.nan], [1]), LIGHT), "finite"),
            (lambda: kappa(Pairs(["a"], [1]), LIGHT), "of one kind"),
            (lambda: Drawing(0, draws=0), "at least one draw"),
            (lambda: Drawing(0, confidence=95), "confidence"),
            (lambda: krippendorff([[-1, 2]], LIGHT, measure="ratio"), "no values below 0"),
        ],
    )
    def test_refusals(self, broken: Callable[[], object], what: str) -> None:
        with pytest.raises(ValueError, match=what):
            broken()


answers = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=25)
marks = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=25)


def holds_for_any(agreement: Agreement, said: list[tuple[Any, Any]], chance: Any) -> None:
    one, other = zip(*said, strict=True)
    again, too = zip(*chance.sample(said, len(said)), strict=True)
    found = agreement(Pairs(one, other), LIGHT)
    assert agreement(Pairs(again, too), LIGHT) == found
    assert agreement(Pairs(other, one), LIGHT) == found
    if found.value is None:
        assert (found.low, found.high) == (None, None)
        assert found.method.startswith("none: ")
    else:
        assert -1 <= found.value <= 1
    if found.low is not None:
        assert found.high is not None and found.value is not None
        assert -1 <= found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize("agreement", OF_YES_OR_NO)
@given(said=answers, chance=st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_neither_order_nor_sides_show_of_yes_or_no(agreement: Agreement, said: Any, chance: Any) -> None:
    holds_for_any(agreement, said, chance)


@pytest.mark.parametrize("agreement", [kappa, *ON_A_SCALE])
@given(said=marks, chance=st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_neither_order_nor_sides_show_on_a_scale(agreement: Agreement, said: Any, chance: Any) -> None:
    holds_for_any(agreement, said, chance)


@given(said=answers)
@settings(max_examples=40, deadline=None)
def test_yes_and_no_may_change_places(said: list[tuple[bool, bool]]) -> None:
    """Kappa and Matthews have no positive class; values that are ranks of yes and no are correlated as they are."""
    one, other = [one for one, _ in said], [other for _, other in said]
    turned = Pairs([not label for label in one], [not label for label in other])
    for agreement in (kappa, matthews):
        before, after = agreement(Pairs(one, other), LIGHT).value, agreement(turned, LIGHT).value
        assert before == pytest.approx(after, abs=1e-12) if before is not None else after is None
    if len(said) > 2:
        ranked = rank_correlation(Pairs(one, other), LIGHT).value
        assert ranked == pytest.approx(matthews(Pairs(one, other), LIGHT).value, abs=1e-9)


@given(
    said=st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 4)), min_size=2, max_size=20),
    chance=st.randoms(use_true_random=False),
)
@settings(max_examples=40, deadline=None)
def test_neither_order_nor_names_of_clusters_show(said: list[tuple[bool, bool, int]], chance: Any) -> None:
    one, other, ways = zip(*said, strict=True)
    again, too, moved = zip(*chance.sample(said, len(said)), strict=True)
    found = kappa(Pairs(one, other, ways), LIGHT)
    assert kappa(Pairs(again, too, [f"cluster {way}" for way in moved]), LIGHT) == found
    assert found.clusters == (len(set(ways)),)


class TestClusters:
    def test_twins_tell_nothing_new(self) -> None:
        """Each pair twice, in one cluster: the interval is that of the pairs, not of twice as many."""
        twins = Pairs([*PAPER.judge] * 2, [*PAPER.people] * 2, [*range(50)] * 2)
        assert ends(kappa(twins, DRAWING)) == pytest.approx(ends(kappa(PAPER, DRAWING)), abs=0.015)
        assert kappa(twins, DRAWING).method == "clustered dirichlet"

    def test_perfect_agreement_counts_each_cluster_once(self) -> None:
        sides = [True, False] * 25
        few = kappa(Pairs(sides, sides, [place // 10 for place in range(50)]), DRAWING)
        many = kappa(Pairs(sides, sides, list(range(50))), DRAWING)
        assert ends(few)[0] < 0.3 < 0.8 < ends(many)[0]

    def test_accuracy_has_the_clustered_rate(self) -> None:
        found = accuracy(Pairs(PAPER.judge, PAPER.people, [place // 2 for place in range(50)]))
        assert (found.method, found.clusters) == ("clustered wilson", (25,))


# Four raters and twelve items, as Krippendorff (2011) counts them.
_ = None
CANONICAL = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]


class TestKrippendorff:
    @pytest.mark.parametrize(
        "measure, value", [("nominal", 0.7434), ("ordinal", 0.8154), ("interval", 0.8491), ("ratio", 0.7974)]
    )
    def test_canonical_data(self, measure: Measure, value: float) -> None:
        found = krippendorff(list(zip(*CANONICAL, strict=True)), DRAWING, measure=measure)
        assert found.value == pytest.approx(value, abs=5e-5)
        assert found.n == 11  # the item of a single value is no part of it
        low, high = ends(found)
        assert 0.3 < low < value < high < 1

    def test_of_two_raters_by_hand(self) -> None:
        # Values 1 1 1 0 0 0 and two of six in an item that differs: 1 - 5 x (2 / 6) / (18 / 6) = 4 / 9.
        found = krippendorff([[1, 1], [1, 0], [0, 0]], LIGHT)
        assert found.value == pytest.approx(4 / 9)

    def test_order_and_what_is_missing_do_not_show(self) -> None:
        items = [list(item) for item in zip(*CANONICAL, strict=True)]
        turned = [[value for value in item[::-1] if value is not None] for item in items[::-1]]
        assert krippendorff(turned, LIGHT, measure="ordinal") == krippendorff(items, LIGHT, measure="ordinal")

    def test_texts_have_no_order_of_their_own(self) -> None:
        named = [[None if value is None else f"class {6 - value}" for value in row] for row in CANONICAL]
        found = krippendorff(list(zip(*named, strict=True)), LIGHT)
        assert found.value == pytest.approx(0.7434, abs=5e-5)

    def test_degenerate(self) -> None:
        assert krippendorff([], LIGHT) == Estimate(None, None, None, 0, (), "none: fewer than two")
        assert krippendorff([[1, None], [2]], LIGHT) == Estimate(
            None, None, None, 0, (), "none: fewer than two"
        )
        assert krippendorff([[3, 3]] * 9, LIGHT) == Estimate(None, None, None, 9, (), "none: no variation")
        alone = krippendorff([[1, 2]], LIGHT)
        assert (alone.value, alone.low, alone.method) == (0.0, None, "none: fewer than two")

    def test_perfect_agreement_is_no_certainty(self) -> None:
        found = krippendorff([[1, 1, 1], [2, 2, 2]] * 20, DRAWING)
        low, high = ends(found)
        assert found.value == high == 1.0
        assert 0.8 < low < 0.99
