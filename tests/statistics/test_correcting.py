"""Corrected means by hand and by their laws; how often they hold the truth is in the coverage tests."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

from interplay.core.board import Estimate
from interplay.statistics.correcting import (
    Labels,
    correct,
    effective_labels,
    judge_bias,
    judge_only,
    people_only,
    prediction_powered,
    rogan_gladen,
)
from interplay.statistics.intervals import clustered_mean, mean, rate
from tests.statistics.labelled_runs import Correlated, Crossed, Graded, InScenarios, YesOrNo

Means = Callable[[Labels], Estimate]


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def value(estimate: Estimate) -> float:
    assert estimate.value is not None
    return estimate.value


def run(seed: int = 5) -> Labels:
    return Graded(0.6, 0.3, items=200, labels=40)(np.random.default_rng(seed))


class TestPredictionPowered:
    def test_of_yes_and_no_it_weighs_what_the_judge_called_yes_and_no(self) -> None:
        # Six of ten are yes to the judge. Of the labelled ones people agree with 2 of 3 yes and 2 of 3 no:
        # .6 x 2/3 + .4 x 1/3.
        judge = [1, 1, 1, 0, 0, 0, 1, 1, 1, 0]
        people = [1, 1, 0, 0, 0, 1, None, None, None, None]
        found = prediction_powered(Labels(judge, people, yes_or_no=True))
        assert found.value == pytest.approx(0.6 * 2 / 3 + 0.4 / 3)
        assert (found.n, found.clusters, found.method) == (6, (), "ppi++ wilson")

    def test_its_variance_is_that_of_residuals_and_of_the_judge(self) -> None:
        # Where the labelled items have the judge's mean, nothing is owed to lambda but a degree of freedom.
        rng = np.random.default_rng(2)
        judge = rng.normal(size=60)
        judge = np.concatenate([judge, -judge])
        people = 2 * judge[:60] + rng.normal(size=60)
        judge[:60] -= judge[:60].mean()
        judge[60:] -= judge[60:].mean()
        labels = Labels(judge.tolist(), [*people.tolist(), *[None] * 60])
        slope, at = np.polyfit(judge[:60], people, 1)
        residuals = people - at - slope * judge[:60]
        parts = slope * judge / 120
        parts[:60] += residuals / 60 * np.sqrt(59 / 58)
        half = special.stdtrit(59, 0.975) * np.sqrt(60 / 59 * (parts**2).sum())
        found = prediction_powered(labels)
        assert found.value == pytest.approx(people.mean())
        assert ends(found) == pytest.approx((people.mean() - half, people.mean() + half), rel=1e-3)

    def test_labels_far_from_the_judge_s_mean_say_less(self) -> None:
        # The variance of a line's height where the run's mean lies: s^2 (1 / n + distance^2 / squares).
        rng = np.random.default_rng(10)
        shown, hidden = rng.normal(size=400), rng.normal(3.0, 1.0, 20_000)
        people = shown + rng.normal(size=400)
        labels = Labels([*shown.tolist(), *hidden.tolist()], [*people.tolist(), *[None] * 20_000])
        off = shown - shown.mean()
        slope = (off * people).sum() / (off**2).sum()
        spread = ((people - people.mean() - slope * off) ** 2).sum() / 398
        away = np.mean(labels.judge) - shown.mean()
        variance = spread * (1 / 400 + away**2 / (off**2).sum()) + slope**2 * np.var(labels.judge) / 20_400
        low, high = ends(prediction_powered(labels))
        assert (high - low) / 2 == pytest.approx(special.stdtrit(399, 0.975) * np.sqrt(variance), rel=0.05)

    def test_a_lenient_judge_is_brought_down(self) -> None:
        found = correct(YesOrNo(0.5, 0.98, 0.6, items=5_000, labels=500)(np.random.default_rng(1)))
        assert value(found.judge) == pytest.approx(0.69, abs=0.03)
        assert value(found.together) == pytest.approx(0.5, abs=0.06)
        assert found.flagged
        assert ends(found.judge)[0] > 0.6

    @pytest.mark.parametrize("means", [prediction_powered, people_only])
    def test_the_judge_s_scale_does_not_matter(self, means: Means) -> None:
        labels = run()
        other = Labels([100 - 7 * one for one in labels.judge], labels.people)
        assert ends(means(other)) == pytest.approx(ends(means(labels)))

    @pytest.mark.parametrize("means", [prediction_powered, people_only, judge_only])
    def test_people_s_scale_carries_over(self, means: Means) -> None:
        labels = run()
        moved = Labels([3 * one + 1 for one in labels.judge], [one and 3 * one + 1 for one in labels.people])
        assert ends(means(moved)) == pytest.approx(tuple(3 * one + 1 for one in ends(means(labels))))

    @pytest.mark.parametrize("yes_or_no", [False, True])
    @pytest.mark.parametrize("ways", [1, 2])
    def test_distinct_clusters_are_no_clusters(self, ways: int, yes_or_no: bool) -> None:
        labels = YesOrNo(0.4, 0.9, 0.8, items=150, labels=50)(np.random.default_rng(3))
        labels = Labels(labels.judge, labels.people, yes_or_no=yes_or_no)
        distinct = Labels(labels.judge, labels.people, (range(150),) * ways, yes_or_no)
        assert ends(prediction_powered(distinct)) == pytest.approx(ends(prediction_powered(labels)))
        assert effective_labels(distinct) == pytest.approx(effective_labels(labels))

    @pytest.mark.parametrize("design", [InScenarios(12, 20, 80), Crossed(6, 5, 90)])
    def test_clusters_widen_the_interval(self, design: InScenarios | Crossed) -> None:
        labels = design(np.random.default_rng(4))
        low, high = ends(prediction_powered(labels))
        alone = ends(prediction_powered(Labels(labels.judge, labels.people, yes_or_no=labels.yes_or_no)))
        assert high - low > 1.2 * (alone[1] - alone[0])
        assert prediction_powered(labels).clusters == labels.clusters

    def test_the_order_of_items_does_not_matter(self) -> None:
        labels = InScenarios(12, 20, 80)(np.random.default_rng(4))
        order = np.random.default_rng(6).permutation(len(labels.judge)).tolist()
        turned = Labels(
            [labels.judge[place] for place in order],
            [labels.people[place] for place in order],
            ([labels.ways[0][place] for place in order],),
            yes_or_no=True,
        )
        assert ends(prediction_powered(turned)) == pytest.approx(ends(prediction_powered(labels)))

    def test_labels_on_every_item_leave_the_doubt_of_the_population(self) -> None:
        """The mean of these items is then known, but not that of conversations like them."""
        full = Graded(0.6, 0.3, items=200, labels=200)(np.random.default_rng(7))
        together, people = prediction_powered(full), people_only(full)
        assert together.value == pytest.approx(value(people))
        assert ends(together) == pytest.approx(ends(people), abs=0.01)
        assert effective_labels(full) == pytest.approx(200, rel=0.01)

    def test_more_unlabelled_items_help_up_to_a_point(self) -> None:
        few, many = (
            np.median([effective_labels(Correlated(0.8, items)(rng)) or 0.0 for _ in range(40)])
            for items, rng in ((100, np.random.default_rng(8)), (3_000, np.random.default_rng(8)))
        )
        # (1 - .64) / 50 + .64 / items, over 1 / 50
        assert few == pytest.approx(1 / (0.36 / 50 + 0.64 / 100), rel=0.1)
        assert many == pytest.approx(1 / (0.36 / 50 + 0.64 / 3_000), rel=0.1)

    def test_a_rate_stays_between_0_and_1(self) -> None:
        judge = [0.1, 0.2, 0.3, 0.9, *[0.95] * 40]
        people = [0.0, 0.0, 1.0, 1.0, *[None] * 40]
        found = prediction_powered(Labels(judge, people, yes_or_no=True))
        low, high = ends(found)
        assert 0 <= low <= value(found) <= high <= 1

    def test_a_perfect_judge_on_few_labels_is_not_certain(self) -> None:
        judge = [1.0, 0.0] * 200
        people = [*judge[:30], *[None] * 370]
        low, high = ends(prediction_powered(Labels(judge, people, yes_or_no=True)))
        assert high - low > 0.09  # two errors in 30 would have gone unseen one time in eight
        assert (effective_labels(Labels(judge, people, yes_or_no=True)) or 0) < 400


class TestLittleToGoBy:
    def test_a_judge_that_always_says_the_same_leaves_people_s_mean(self) -> None:
        labels = Labels([1.0] * 50, [*[1.0, 0.0] * 10, *[None] * 30], yes_or_no=True)
        assert prediction_powered(labels) == people_only(labels) == rate(10, 20)
        assert effective_labels(labels) == 20

    def test_no_labels(self) -> None:
        found = correct(Labels([1.0, 2.0, 3.0], [None] * 3))
        assert found.together == Estimate(None, None, None, 0)
        assert found.people.value is None
        assert found.judge == mean([1, 2, 3])
        assert (found.effective, found.flagged) == (None, False)

    def test_nothing_at_all(self) -> None:
        assert correct(Labels([], [])).together.value is None
        assert correct(Labels([], [], ([],), yes_or_no=True)).judge.value is None

    def test_three_labels_make_no_interval(self) -> None:
        found = prediction_powered(Labels([1, 2, 3, 4], [1, 3, 3, None]))
        assert (found.value, found.low, found.method) == (
            pytest.approx(7 / 3 + 1 / 2),
            None,
            "none: too few labels",
        )

    def test_labels_of_one_cluster_make_no_interval(self) -> None:
        labels = Labels([1, 2, 3, 4, 5], [1, 3, 3, 5, None], (["a"] * 4 + ["b"],))
        assert prediction_powered(labels).method == "none: a single cluster"
        assert effective_labels(labels) is None

    def test_people_who_always_say_the_same_on_an_unknown_scale_make_no_interval(self) -> None:
        found = prediction_powered(Labels([1, 2, 3, 4, 5], [4, 4, 4, 4, None]))
        assert (found.value, found.low, found.method) == (4.0, None, "none: no variation")

    def test_people_who_always_say_no_leave_what_their_labels_leave(self) -> None:
        found = prediction_powered(Labels([1.0, 0.0] * 50, [*[0.0] * 40, *[None] * 60], yes_or_no=True))
        assert found.value == 0
        assert ends(found) == pytest.approx(ends(rate(0, 40)), abs=0.01)

    def test_what_does_not_fit_is_refused(self) -> None:
        with pytest.raises(ValueError, match="2 items of the judge but 1 of people"):
            Labels([1, 2], [1])
        with pytest.raises(ValueError, match="must be 1 or 0"):
            Labels([1, 2], [2, None], yes_or_no=True)
        with pytest.raises(ValueError, match="finite"):
            Labels([1, float("nan")], [1, None])
        with pytest.raises(ValueError, match="2 values but 1 cluster labels"):
            Labels([1, 2], [1, None], (["a"],))
        with pytest.raises(ValueError, match="confidence"):
            prediction_powered(run(), confidence=1.0)


class TestTheOtherMeans:
    def test_they_are_the_plain_ones(self) -> None:
        labels = run()
        said = [one for one in labels.people if one is not None]
        assert judge_only(labels) == mean(labels.judge)
        assert people_only(labels, confidence=0.9) == mean(said, confidence=0.9)
        two = Crossed(6, 5, 90)(np.random.default_rng(4))
        assert judge_only(two) == clustered_mean(two.judge, *two.ways)

    def test_a_judge_that_gives_chances_has_a_mean_and_people_a_rate(self) -> None:
        labels = Labels([0.2, 0.7, 0.9, 0.4], [0, 1, 1, None], yes_or_no=True)
        assert judge_only(labels).method == "t"
        assert people_only(labels) == rate(2, 3)

    def test_rates_in_scenarios(self) -> None:
        labels = InScenarios(12, 20, 80)(np.random.default_rng(4))
        assert judge_only(labels).method == people_only(labels).method == "clustered wilson"
        assert people_only(labels).n == 80


class TestJudgeBias:
    def test_it_is_the_judge_less_people_on_what_both_saw(self) -> None:
        judge, people = [5, 4, 4, 5, 3, 1, 1], [4, 4, 3, 3, 3, None, None]
        found = judge_bias(Labels(judge, people))
        assert found.difference.value == pytest.approx(4 / 5)
        assert found.difference.n == 5

    def test_a_fair_judge_is_flagged_one_time_in_twenty_at_most(self) -> None:
        rng = np.random.default_rng(9)
        fair = YesOrNo(0.5, 0.9, 0.9, items=100, labels=100)
        assert sum(judge_bias(fair(rng)).shown for _ in range(400)) <= 0.075 * 400


class TestRoganGladen:
    def test_by_hand(self) -> None:
        # (.69 + .6 - 1) / (.98 + .6 - 1) = .5
        found = rogan_gladen((690, 1000), (49, 50), (30, 50))
        assert found.value == pytest.approx(0.5)
        assert (found.n, found.method) == (1000, "rogan-gladen")
        low, high = ends(found)
        assert low < 0.5 < high

    def test_its_ends_are_the_last_rates_that_the_counts_do_not_contradict(self) -> None:
        said, hit, spared = 691 / 1002, 50 / 52, 31 / 52
        rates = np.linspace(0, 1, 100_001)
        apart = said - rates * hit - (1 - rates) * (1 - spared)
        variance = said * (1 - said) / 1002 + rates**2 * hit * (1 - hit) / 52
        variance += (1 - rates) ** 2 * spared * (1 - spared) / 52
        inside = rates[np.abs(apart) <= 1.959964 * np.sqrt(variance)]
        assert ends(rogan_gladen((690, 1000), (49, 50), (30, 50))) == pytest.approx(
            (inside[0], inside[-1]), abs=2e-5
        )

    def test_a_judge_known_to_be_right_leaves_its_own_rate(self) -> None:
        found = rogan_gladen((300, 1000), (10**7, 10**7), (10**7, 10**7))
        assert found.value == pytest.approx(0.3)
        assert ends(found) == pytest.approx(ends(rate(300, 1000)), abs=0.001)

    def test_what_the_judge_adds_by_mistake_is_cut_at_0(self) -> None:
        found = rogan_gladen((300, 1000), (45, 50), (30, 50))
        assert found.value == 0
        assert ends(found)[0] == 0
        assert ends(rogan_gladen((950, 1000), (40, 50), (40, 50)))[1] == 1

    def test_turning_yes_and_no_turns_the_interval(self) -> None:
        low, high = ends(rogan_gladen((690, 1000), (49, 50), (30, 50)))
        assert ends(rogan_gladen((310, 1000), (30, 50), (49, 50))) == pytest.approx((1 - high, 1 - low))

    @pytest.mark.parametrize("sensitivity, specificity", [((25, 50), (25, 50)), ((10, 50), (20, 50))])
    def test_a_judge_no_better_than_chance_says_nothing(
        self, sensitivity: tuple[int, int], specificity: tuple[int, int]
    ) -> None:
        found = rogan_gladen((690, 1000), sensitivity, specificity)
        assert (found.value, found.low, found.high) == (None, None, None)
        assert found.method == "none: the judge is no better than chance"

    def test_one_that_may_be_no_better_leaves_everything_open(self) -> None:
        assert ends(rogan_gladen((500, 1000), (6, 10), (6, 10))) == (0, 1)

    def test_counts_must_be_of_something(self) -> None:
        with pytest.raises(ValueError, match="specificity: 0 of 0"):
            rogan_gladen((1, 2), (1, 2), (0, 0))
        with pytest.raises(ValueError, match="yes: 3 of 2"):
            rogan_gladen((3, 2), (1, 2), (1, 2))
