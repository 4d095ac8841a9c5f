"""Sequences that may be looked at after every result: worked cases, false claims, coverage at all times, speed."""

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from interplay.core.board import Estimate
from interplay.statistics.comparing import sign_test
from interplay.statistics.sequences import MeanSequence, WinSequence

# How two models' scores on a five-point scale differ where they are equally good: half of a point's spread shared.
STEPS = np.arange(-4, 5)
EQUAL = np.array([0.001, 0.01, 0.076, 0.235, 0.356, 0.235, 0.076, 0.01, 0.001])


def of_wins(results: Iterable[float], **settings: float) -> WinSequence:
    sequence = WinSequence(**settings)  # type: ignore[arg-type]
    for result in results:
        sequence.add(result)
    return sequence


def of_values(values: Iterable[float], steps: int = 400) -> MeanSequence:
    sequence = MeanSequence(-4, 4, steps=steps)
    for value in values:
        sequence.add(value)
    return sequence


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None and estimate.high is not None
    return estimate.low, estimate.high


def leaning(by: float) -> np.ndarray:
    """The differences' chances where one model is better by so many of their standard deviations."""
    low, high = 0.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        chances = EQUAL * np.exp(middle * STEPS)
        chances /= chances.sum()
        average = chances @ STEPS
        low, high = (
            (middle, high) if average / math.sqrt(chances @ STEPS**2 - average**2) < by else (low, middle)
        )
    return chances


def decided_after(
    sequence: WinSequence | MeanSequence, results: Iterable[float], most: float = math.inf
) -> float:
    for number, result in enumerate(results, 1):
        sequence.add(result)
        if sequence.decided:
            return number
    return most


def games(rng: np.random.Generator, rate: float, most: int) -> list[float]:
    return (rng.random(most) < rate).astype(float).tolist()


def differences(rng: np.random.Generator, chances: np.ndarray, most: int) -> list[float]:
    return rng.choice(STEPS, most, p=chances / chances.sum()).astype(float).tolist()


class TestWins:
    def test_nothing_yet(self) -> None:
        sequence = WinSequence()
        assert sequence.estimate == Estimate(None, None, None, 0, (), "none")
        assert (sequence.p_value, sequence.decided) == (1.0, False)

    def test_the_capital_is_the_mixture_over_the_chance_under_one_half(self) -> None:
        sequence = of_wins([1] * 8)
        evidence = special.beta(12, 4) / special.beta(4, 4)
        assert sequence.p_value == pytest.approx(0.5**8 / evidence)
        low, high = ends(sequence.estimate)
        assert low**8 / evidence == pytest.approx(0.05, rel=1e-6)
        assert high == 1.0

    def test_it_decides_where_the_interval_leaves_out_one_half(self) -> None:
        rng = np.random.default_rng(5)
        for _ in range(50):
            sequence = WinSequence()
            for result in games(rng, 0.7, 150):
                sequence.add(result)
                low, high = ends(sequence.estimate)
                assert sequence.decided == (not low < 0.5 < high) == (sequence.p_value <= 0.05)

    def test_ties_are_counted_and_say_nothing(self) -> None:
        plain, tied = of_wins([1, 1, 0, 1]), of_wins([0.5, 1, 1, 0.5, 0, 0.5, 1])
        assert tied.estimate == plain.estimate
        assert tied.p_value == plain.p_value
        assert (tied.won, tied.tied, tied.lost) == (3, 3, 1)

    def test_what_was_ruled_out_stays_ruled_out(self) -> None:
        sequence = of_wins([1] * 30)
        p_value, (low, _) = sequence.p_value, ends(sequence.estimate)
        for _ in range(15):
            sequence.add(0)
        assert sequence.p_value == p_value
        assert sequence.decided
        assert ends(sequence.estimate)[0] == low > 0.5
        assert sequence.estimate.value == low  # 30 of 45 are less than was ruled out

    def test_a_win_rate_that_changes_on_the_way_has_no_interval(self) -> None:
        estimate = of_wins([1] * 60 + [0] * 200).estimate
        assert (estimate.low, estimate.high) == (None, None)
        assert estimate.value == pytest.approx(60 / 260)
        assert "one and the same truth" in estimate.method

    @given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=60))
    @settings(deadline=None, max_examples=50)
    def test_turning_every_result_turns_the_interval(self, results: list[float]) -> None:
        one, other = of_wins(results), of_wins([1 - result for result in results])
        assert one.p_value == pytest.approx(other.p_value)
        if one.estimate.low is not None:
            low, high = ends(one.estimate)
            assert ends(other.estimate) == pytest.approx((1 - high, 1 - low), abs=1e-9)

    def test_several_comparisons_share_alpha(self) -> None:
        results = [1.0] * 12
        alone, among = of_wins(results), of_wins(results, comparisons=10)
        assert among.p_value == pytest.approx(min(1, 10 * alone.p_value))
        assert (alone.decided, among.decided) == (True, False)
        assert among.estimate == of_wins(results, confidence=0.995).estimate

    def test_refusals(self) -> None:
        with pytest.raises(ValueError, match="tied"):
            of_wins([0.25])
        with pytest.raises(ValueError, match="confidence"):
            WinSequence(confidence=1)
        with pytest.raises(ValueError, match="at least one comparison"):
            WinSequence(comparisons=0)


class TestMeans:
    def test_nothing_yet(self) -> None:
        assert MeanSequence(-4, 4).estimate == Estimate(None, None, None, 0, (), "none")

    def test_the_capital_is_the_average_over_stakes(self) -> None:
        parts = (np.arange(16) + 0.5) / 16
        won = np.mean([(1 + parts / 2) * (1 + parts / 4), (1 - parts / 2) * (1 - parts / 4)])
        assert of_values([2, 1]).p_value == pytest.approx(1 / won)

    def test_the_null_is_tested_exactly_whatever_the_grid(self) -> None:
        values = differences(np.random.default_rng(2), leaning(0.3), 60)
        assert of_values(values, steps=3).p_value == pytest.approx(of_values(values).p_value, rel=1e-12)

    def test_the_interval_narrows_to_the_mean(self) -> None:
        low, high = ends(of_values([0.0, 1.0] * 3_000).estimate)
        assert 0.44 < low < 0.5 < high < 0.56

    def test_a_finer_grid_lies_within_a_coarser_one(self) -> None:
        values = differences(np.random.default_rng(3), EQUAL, 300)
        (low, high), (wide_low, wide_high) = (
            ends(of_values(values, steps).estimate) for steps in (1_600, 100)
        )
        assert wide_low <= low < high <= wide_high
        assert low - wide_low < 0.08 and wide_high - high < 0.08  # one step of the coarser grid

    def test_long_runs_of_the_largest_value_stay_finite(self) -> None:
        sequence = of_values([4.0] * 5_000)
        low, high = ends(sequence.estimate)
        assert (sequence.p_value, high) == (0.0, 4.0)
        assert low > 3.9
        assert ends(of_values([-4.0] * 5_000).estimate) == pytest.approx((-4.0, -low))

    def test_values_that_change_on_the_way_have_no_interval(self) -> None:
        assert of_values([2.0] * 200 + [-2.0] * 400).estimate.low is None

    def test_refusals(self) -> None:
        with pytest.raises(ValueError, match=r"4\.5 does not lie between"):
            of_values([4.5])
        with pytest.raises(ValueError, match="nan does not lie between"):
            of_values([math.nan])
        with pytest.raises(ValueError, match="must be finite"):
            MeanSequence(1, 5)
        with pytest.raises(ValueError, match="two steps"):
            MeanSequence(-1, 1, steps=1)


def false_claims(make: Callable[[], WinSequence | MeanSequence], runs: Iterable[Sequence[float]]) -> float:
    return float(np.mean([decided_after(make(), run) < math.inf for run in runs]))


def peeking(run: Sequence[float], every: int) -> bool:
    """The naive way: an ordinary test after every so many games, until one of them claims something."""
    won = np.cumsum(run)
    return any(
        sign_test(int(won[n - 1]), n - int(won[n - 1])) <= 0.05 for n in range(every, len(run) + 1, every)
    )


class TestFalseClaims:
    def test_of_wins(self) -> None:
        rng = np.random.default_rng(1)
        runs = [games(rng, 0.5, 300) for _ in range(300)]
        assert false_claims(WinSequence, runs) <= 0.05
        assert np.mean([peeking(run, 1) for run in runs]) > 0.2

    def test_of_means(self) -> None:
        rng = np.random.default_rng(2)
        runs = [differences(rng, EQUAL, 200) for _ in range(100)]
        assert false_claims(lambda: MeanSequence(-4, 4, steps=2), runs) <= 0.05

    @pytest.mark.slow
    def test_of_wins_with_a_thousand_looks(self) -> None:
        rng = np.random.default_rng(3)
        runs = [games(rng, 0.5, 1_000) for _ in range(2_000)]
        assert false_claims(WinSequence, runs) <= 0.05
        assert np.mean([peeking(run, 1) for run in runs]) > 0.35

    @pytest.mark.slow
    def test_of_means_with_a_thousand_looks(self) -> None:
        rng = np.random.default_rng(4)
        runs = [differences(rng, EQUAL, 1_000) for _ in range(2_000)]
        assert false_claims(lambda: MeanSequence(-4, 4, steps=2), runs) <= 0.05


def always_covers(sequence: WinSequence | MeanSequence, results: Iterable[float], truth: float) -> bool:
    """Whether the truth was inside at all times: intervals only shrink, so whether it is at the last."""
    for result in results:
        sequence.add(result)
    estimate = sequence.estimate
    return estimate.low is not None and estimate.low <= truth <= (estimate.high or 0.0)


class TestCoverageAtAllTimes:
    @pytest.mark.parametrize("rate", [0.3, 0.5, 0.65, 0.95])
    def test_of_wins(self, rate: float) -> None:
        rng = np.random.default_rng(5)
        runs = (games(rng, rate, 300) for _ in range(200))
        assert np.mean([always_covers(WinSequence(), run, rate) for run in runs]) >= 0.95

    @pytest.mark.slow
    @pytest.mark.parametrize("rate", [0.3, 0.5, 0.65, 0.8, 0.95])
    def test_of_wins_with_a_thousand_looks(self, rate: float) -> None:
        rng = np.random.default_rng(6)
        runs = (games(rng, rate, 1_000) for _ in range(2_000))
        assert np.mean([always_covers(WinSequence(), run, rate) for run in runs]) >= 0.95

    def test_of_means(self) -> None:
        rng, chances = np.random.default_rng(7), leaning(0.3)
        runs = (differences(rng, chances, 150) for _ in range(100))
        truth = float(chances @ STEPS)
        assert np.mean([always_covers(MeanSequence(-4, 4, steps=100), run, truth) for run in runs]) >= 0.95

    @pytest.mark.slow
    @pytest.mark.parametrize("by", [0.0, 0.3, 1.0])
    def test_of_means_with_many_looks(self, by: float) -> None:
        rng, chances = np.random.default_rng(8), leaning(by)
        runs = (differences(rng, chances, 500) for _ in range(500))
        truth = float(chances @ STEPS) / float(chances.sum())
        assert np.mean([always_covers(MeanSequence(-4, 4, steps=200), run, truth) for run in runs]) >= 0.95


class TestHowSoon:
    @pytest.mark.parametrize(("rate", "most"), [(0.65, 110), (0.7, 64), (0.8, 31)])
    def test_wins_are_decided(self, rate: float, most: int) -> None:
        rng = np.random.default_rng(9)
        after = [decided_after(WinSequence(), games(rng, rate, 600)) for _ in range(400)]
        assert 0.5 * most < median(after) <= most

    @pytest.mark.parametrize(("by", "most"), [(0.3, 120), (0.5, 60)])
    def test_differences_are_decided(self, by: float, most: int) -> None:
        rng, chances = np.random.default_rng(10), leaning(by)
        after = [
            decided_after(MeanSequence(-4, 4, steps=2), differences(rng, chances, 500)) for _ in range(100)
        ]
        assert 0.5 * most < median(after) <= most

    @pytest.mark.slow
    def test_small_differences_are_decided(self) -> None:
        rng, chances = np.random.default_rng(11), leaning(0.2)
        after = [
            decided_after(MeanSequence(-4, 4, steps=2), differences(rng, chances, 1_500)) for _ in range(500)
        ]
        assert 120 < median(after) <= 220
