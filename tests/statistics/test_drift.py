"""Shifts between two times of the same judge: errors at 5%, what so many anchors see, and what fails to."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel

from interplay.statistics.comparing import sign_test
from interplay.statistics.drift import shift
from interplay.statistics.power import detectable_difference

ANCHORS = 120
SPREAD = 0.6256  # of the change of one anchor's value: .44 of noise at either time
Test = Callable[[list[float], list[float]], bool]


def anchors(rng: np.random.Generator, moved: float) -> tuple[list[float], list[float]]:
    """Grades around 1 to 5 that a judge gave at two times, with noise of its own at each."""
    levels = rng.integers(1, 6, ANCHORS).astype(float)
    noise = rng.normal(0, SPREAD / np.sqrt(2), (2, ANCHORS))
    return (levels + noise[0]).tolist(), (levels + moved + noise[1]).tolist()


def few_changes(rng: np.random.Generator, share: float = 0.04) -> tuple[list[float], list[float]]:
    """Whole grades of a judge that repeats itself but for a few anchors, which go up or down alike."""
    levels = rng.integers(2, 5, ANCHORS).astype(float)
    changes = np.where(rng.random(ANCHORS) < share, rng.choice([-1.0, 1.0], ANCHORS), 0.0)
    return levels.tolist(), (levels + changes).tolist()


def in_scenarios(rng: np.random.Generator, *, known: bool) -> bool:
    """Whether drift is seen where there is none but for changes that an anchor's scenario shares."""
    way = np.repeat(np.arange(20), 6)
    levels = rng.normal(3, 1, len(way))
    after = levels + rng.normal(0, 0.4, 20)[way] + rng.normal(0, 0.4, len(way))
    return shift(levels.tolist(), after.tolist(), *([way.tolist()] if known else [])).shown


def ours(before: list[float], after: list[float]) -> bool:
    return shift(before, after).shown


def unpaired(before: list[float], after: list[float]) -> bool:
    return bool(ttest_ind(before, after).pvalue < 0.05)


def plain(before: list[float], after: list[float]) -> bool:
    return bool(before != after and ttest_rel(before, after).pvalue < 0.05)


def seen(test: Test, moved: float, seeds: int) -> float:
    rng = np.random.default_rng(51)
    return float(np.mean([test(*anchors(rng, moved)) for _ in range(seeds)]))


def false_alarms(test: Test, seeds: int) -> float:
    rng = np.random.default_rng(52)
    return float(np.mean([test(*few_changes(rng)) for _ in range(seeds)]))


class TestShift:
    def test_agrees_with_the_paired_t_test(self) -> None:
        before, after = anchors(np.random.default_rng(1), 0.1)
        expected = ttest_rel(after, before)
        found = shift(before, after)
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-3)
        interval = expected.confidence_interval(0.95)
        assert (found.difference.low, found.difference.high) == pytest.approx(
            (interval.low, interval.high), rel=1e-3
        )
        assert (found.difference.n, found.difference.method) == (ANCHORS, "paired t")

    @pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
    def test_the_interval_leaves_out_0_where_the_p_value_is_small(self, confidence: float) -> None:
        rng = np.random.default_rng(2)
        for moved in np.linspace(0, 0.3, 40):
            found = shift(*anchors(rng, moved), confidence=confidence)
            assert found.p_value is not None
            assert found.shown == (found.p_value <= 1 - confidence)

    def test_turning_time_turns_the_interval(self) -> None:
        before, after = anchors(np.random.default_rng(3), 0.1)
        one, other = shift(before, after), shift(after, before)
        assert one.p_value == pytest.approx(other.p_value)
        assert (one.difference.value, one.difference.low) == pytest.approx(
            (-(other.difference.value or 0), -(other.difference.high or 0))
        )

    def test_distinct_clusters_are_no_clusters(self) -> None:
        before, after = few_changes(np.random.default_rng(4))
        one, other = shift(before, after), shift(before, after, range(ANCHORS), range(ANCHORS))
        assert one.p_value == pytest.approx(other.p_value)
        assert other.difference.clusters == (ANCHORS, ANCHORS)
        assert other.difference.method == "two-way paired t"

    def test_a_judge_that_repeats_itself_has_not_drifted(self) -> None:
        levels = [1.0, 2.0, 3.0, 4.0] * 30
        found = shift(levels, levels)
        assert (found.difference.value, found.p_value, found.shown) == (0, 1, False)
        assert found.difference.high == pytest.approx(1.98 * np.sqrt(2) / ANCHORS, rel=1e-3)

    @pytest.mark.parametrize("changes", [4, 5])
    def test_a_few_anchors_that_went_one_way_are_no_drift(self, changes: int) -> None:
        """They do in one case of 8, or of 16, where up and down are as likely: too often for a test at 5%."""
        before = [1.0, 2.0, 3.0] * 40
        after = [one + (place < changes) for place, one in enumerate(before)]
        assert plain(before, after)
        assert not ours(before, after)

    @pytest.mark.parametrize("changes", range(1, 13))
    def test_few_changes_are_judged_as_the_exact_sign_test_does(self, changes: int) -> None:
        before = [1.0, 2.0, 3.0] * 40
        for up in range(changes + 1):
            moved = [1.0] * up + [-1.0] * (changes - up) + [0.0] * (ANCHORS - changes)
            after = [one + by for one, by in zip(before, moved, strict=True)]
            assert ours(before, after) == (sign_test(up, changes - up) <= 0.05)

    def test_one_that_moved_every_anchor_alike_has(self) -> None:
        found = shift([1.0, 2.0, 3.0] * 10, [2.0, 3.0, 4.0] * 10)
        assert found.difference.value == 1
        assert found.shown

    def test_little_to_go_by(self) -> None:
        for found in (
            shift([], []),
            shift([1], [2]),
            shift([3, 3, 3], [3, 3, 3]),
            shift([1, 2], [2, 2], "aa"),
        ):
            assert (found.p_value, found.visible, found.difference.low, found.shown) == (
                None,
                None,
                None,
                False,
            )
        assert shift([1, 2, 3], [2, 3, 3], confidence=0.1).visible is None

    def test_what_does_not_fit_is_refused(self) -> None:
        with pytest.raises(ValueError, match="2 values before but 1 after"):
            shift([1, 2], [1])
        with pytest.raises(ValueError, match="finite"):
            shift([1, 2], [1, float("inf")])
        with pytest.raises(ValueError, match="cluster labels"):
            shift([1, 2], [1, 3], ["a"])


class TestWhatAnchorsSee:
    def test_120_anchors_see_a_shift_of_016(self) -> None:
        assert detectable_difference(SPREAD, ANCHORS) == pytest.approx(0.16, abs=0.0005)
        found = [shift(*anchors(np.random.default_rng(seed), 0.0)).visible or 0.0 for seed in range(100)]
        assert np.mean(found) == pytest.approx(0.161, abs=0.003)

    def test_it_is_seen_four_times_in_five(self) -> None:
        assert seen(ours, 0.16, 600) == pytest.approx(0.8, abs=0.05)

    def test_unpaired_means_see_next_to_nothing(self) -> None:
        assert seen(unpaired, 0.16, 300) < 0.2

    def test_errors_in_one_of_twenty(self) -> None:
        assert seen(ours, 0.0, 600) == pytest.approx(0.05, abs=0.025)

    def test_clusters_are_counted(self) -> None:
        rng = np.random.default_rng(53)
        assert np.mean([in_scenarios(rng, known=True) for _ in range(300)]) <= 0.085
        assert np.mean([in_scenarios(rng, known=False) for _ in range(300)]) > 0.2


@pytest.mark.slow
class TestOverManySeeds:
    def test_errors_and_power(self) -> None:
        assert seen(ours, 0.0, 4_000) == pytest.approx(0.05, abs=0.012)
        assert seen(ours, 0.16, 4_000) == pytest.approx(0.8, abs=0.025)
        assert seen(unpaired, 0.16, 2_000) < 0.2
        assert seen(unpaired, 0.0, 2_000) < 0.01

    def test_few_changes_raise_no_alarm(self) -> None:
        assert false_alarms(ours, 4_000) <= 0.055

    def test_clusters_are_counted(self) -> None:
        rng = np.random.default_rng(54)
        assert np.mean([in_scenarios(rng, known=True) for _ in range(2_000)]) == pytest.approx(
            0.05, abs=0.015
        )
        assert np.mean([in_scenarios(rng, known=False) for _ in range(2_000)]) > 0.2
