"""Intervals of F-scores and gaps: how often they hold the truth over many simulated tables, and edge cases."""

from collections.abc import Mapping
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from interplay.benchmarks.social_interaction.gap import Counts, Tally
from interplay.benchmarks.social_interaction.gap_intervals import (
    difference_of,
    f1_of,
    gap_of,
    precision_of,
    recall_of,
)
from interplay.core.board import Estimate

Readers = tuple[float, float]  # how well the reader of real play reads, and that of a model's, in logits
EQUAL, NEAR, FAR, HOPELESS = (-0.5, -0.5), (-0.3, -1.2), (-0.8, -3.0), (-0.8, -5.5)


def simulated(rng: np.random.Generator, readers: Readers, sessions: int) -> np.ndarray:
    """What each reader had right, named and might have named in each session.

    Sessions have nine windows on average. Some windows and some sessions are easier for both readers, and some
    sessions for one of them; readers name none, one or two.
    """
    sizes = 1 + rng.poisson(8, sessions)
    way = np.repeat(np.arange(sessions), sizes)
    easier = rng.normal(0, 0.5, sessions)[way] + rng.normal(0, 1, len(way))
    found = np.zeros((2, sessions, 3), int)
    for reader, ability in enumerate(readers):
        named = rng.choice(3, p=(0.05, 0.8, 0.15), size=len(way))
        own = rng.normal(0, 0.5, sessions)[way]
        right = (rng.random(len(way)) < special.expit(ability + easier + own)) & (named > 0)
        for place, values in enumerate((right, named, np.ones(len(way)))):
            found[reader, :, place] = np.bincount(way, weights=values, minlength=sessions)
    return found


@cache
def truth(readers: Readers) -> tuple[float, float]:
    """The F-scores of both readers over very many sessions."""
    one, other = f_scores(simulated(np.random.default_rng(1), readers, 100_000).sum(axis=1))
    return float(one), float(other)


def f_scores(counts: np.ndarray) -> np.ndarray:
    return np.asarray(2 * counts[..., 0] / (counts[..., 1] + counts[..., 2]))


def tally(counts: np.ndarray) -> Tally:
    by_session = {f"{number:03}": Counts(*map(int, row)) for number, row in enumerate(counts)}
    return Tally(by_session, int(counts[:, 2].sum()))


def holds(estimate: Estimate, true: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= true <= estimate.high


def coverage(readers: Readers, sessions: int, seeds: int) -> Mapping[str, float]:
    """How often each interval holds the truth."""
    f_r, f_g = truth(readers)
    held = []
    for seed in range(seeds):
        real, generated = map(tally, simulated(np.random.default_rng((7, seed)), readers, sessions))
        held.append(
            (
                holds(f1_of(real), f_r),
                holds(f1_of(generated), f_g),
                holds(gap_of(real, generated), abs(f_r - f_g) / (f_r + f_g)),
                holds(difference_of(generated, real), f_g - f_r),
            )
        )
    shares = np.mean(held, axis=0).tolist()
    return dict(zip(("f_r", "f_g", "gap", "difference"), shares, strict=True))


def percentiles(readers: Readers, sessions: int, seeds: int, *, signed: bool) -> float:
    """How often percentiles of gaps over resampled sessions hold the true gap."""
    f_r, f_g = truth(readers)
    true = (f_r - f_g) / (f_r + f_g)
    held = 0
    for seed in range(seeds):
        rng = np.random.default_rng((7, seed))
        counts = simulated(rng, readers, sessions)
        times = rng.multinomial(sessions, np.full(sessions, 1 / sessions), 500)
        real, generated = f_scores(np.einsum("ds,rsk->rdk", times, counts))
        gaps = (real - generated) / np.maximum(real + generated, 1e-9)  # 0 where nothing is right in a draw
        low, high = np.quantile(gaps if signed else np.abs(gaps), (0.025, 0.975))
        held += low <= (true if signed else abs(true)) <= high
    return held / seeds


class TestCoverage:
    @pytest.mark.parametrize("sessions", [60, 20])
    @pytest.mark.parametrize("readers", [EQUAL, NEAR])
    def test_intervals_hold_the_truth_about_as_often_as_they_say(
        self, readers: Readers, sessions: int
    ) -> None:
        for share in coverage(readers, sessions, 700).values():
            assert 0.93 <= share <= 0.975

    def test_percentiles_of_resampled_sessions_would_not(self) -> None:
        assert percentiles(EQUAL, 20, 300, signed=False) < 0.1  # no gap below 0 is ever drawn
        assert percentiles(HOPELESS, 20, 300, signed=True) < 0.85  # often nothing is right, in any draw
        assert coverage(HOPELESS, 20, 300)["gap"] >= 0.93

    @pytest.mark.slow
    @pytest.mark.parametrize("sessions", [60, 20, 8])
    @pytest.mark.parametrize("readers", [EQUAL, NEAR, FAR, HOPELESS])
    def test_over_many_seeds(self, readers: Readers, sessions: int) -> None:
        for share in coverage(readers, sessions, 2_000).values():
            assert 0.93 <= share <= 0.99  # the fewer sessions, the more is left open

    @pytest.mark.slow
    def test_four_sessions_are_too_few_for_much_and_still_claim_little_too_much(self) -> None:
        for readers in (EQUAL, NEAR, FAR, HOPELESS):
            assert min(coverage(readers, 4, 2_000).values()) >= 0.9
            assert percentiles(readers, 4, 1_000, signed=True) < 0.85


def of(*rows: tuple[int, int, int]) -> Tally:
    return Tally({str(number): Counts(*row) for number, row in enumerate(rows)}, sum(row[2] for row in rows))


GOOD, MIDDLING = of((3, 4, 4), (2, 4, 4), (4, 4, 4)), of((1, 4, 4), (2, 3, 4), (2, 5, 4))
HELPLESS = of((0, 4, 4), (0, 4, 4), (0, 4, 4))
COUNTS = st.builds(
    lambda right, extra, missed: (right, right + extra, right + missed), *[st.integers(0, 6)] * 3
)
ROWS = st.lists(st.tuples(COUNTS, COUNTS), min_size=2, max_size=8)


class TestEstimates:
    def test_an_f_score_is_micro_over_sessions(self) -> None:
        f1, precision, recall = f1_of(MIDDLING), precision_of(MIDDLING), recall_of(MIDDLING)
        assert (f1.value, f1.n, f1.clusters) == (pytest.approx(10 / 24), 12, (3,))
        assert (precision.value, precision.n) == (pytest.approx(5 / 12), 12)
        assert (recall.value, recall.n) == (pytest.approx(5 / 12), 12)

    def test_with_one_name_for_each_check_it_has_the_interval_of_their_share(self) -> None:
        even = of(
            *[(3, 4, 4)] * 10
        )  # sessions do not differ: 40 values and not the 80 that were named and are true
        found, share = f1_of(even), recall_of(even)
        assert (found.value, found.low, found.high) == pytest.approx((share.value, share.low, share.high))

    def test_the_gap_of_the_f_scores(self) -> None:
        found = gap_of(GOOD, MIDDLING)
        assert found.value == pytest.approx((9 / 12 - 5 / 12) / (9 / 12 + 5 / 12))
        assert (found.n, found.clusters, found.method) == (12, (3,), "clustered mover")

    def test_a_reader_that_had_nothing_right_is_not_known_exactly(self) -> None:
        f1, apart = f1_of(HELPLESS), gap_of(GOOD, HELPLESS)
        assert (f1.value, f1.low) == (0.0, 0.0)
        assert f1.high is not None and f1.high > 0.3
        assert (apart.value, apart.high) == (1.0, 1.0)
        assert apart.low is not None and apart.low < 0.5

    def test_two_readers_with_nothing_right_have_no_gap(self) -> None:
        assert gap_of(HELPLESS, HELPLESS) == Estimate(None, None, None, 12, (3,), "none")
        assert difference_of(HELPLESS, HELPLESS).value == 0

    def test_readers_that_go_up_and_down_together_are_compared_more_closely(self) -> None:
        turned = of((4, 4, 4), (3, 4, 4), (2, 4, 4))  # as good over all, in other sessions
        for compare in (gap_of, difference_of):
            same, other = compare(GOOD, GOOD), compare(GOOD, turned)
            assert same.value == other.value == 0
            assert same.low is not None and same.high is not None and other.high is not None
            assert same.low <= 0 < same.high < 0.8 * other.high

    def test_one_session_has_no_interval(self) -> None:
        one, other = of((3, 4, 4)), of((1, 4, 4))
        for found, value in (
            (f1_of(one), 0.75),
            (gap_of(one, other), 0.5),
            (difference_of(other, one), -0.5),
        ):
            assert (found.value, found.low, found.high, found.method) == (value, None, None, "none")

    def test_nothing_to_name_or_nothing_read_has_no_f_score(self) -> None:
        empty, untrue = Tally({}, 0), of((0, 2, 0), (0, 1, 0))
        assert f1_of(empty) == Estimate(None, None, None, 0, (0,), "none")
        assert f1_of(untrue) == Estimate(None, None, None, 0, (2,), "none")
        assert (
            gap_of(empty, empty).value
            is gap_of(untrue, GOOD).value
            is difference_of(empty, empty).value
            is None
        )

    @given(ROWS)
    def test_whose_play_is_whose_turns_nothing_but_the_sign(
        self, rows: list[tuple[tuple[int, int, int], tuple[int, int, int]]]
    ) -> None:
        real, generated = (of(*side) for side in zip(*rows, strict=True))
        one, other = gap_of(real, generated), gap_of(generated, real)
        assert one.value == other.value
        if one.low is not None and one.high is not None and one.value is not None:
            assert 0 <= one.low <= one.value <= one.high <= 1 + 1e-12
            assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-6)
        apart, turned = difference_of(real, generated), difference_of(generated, real)
        if apart.low is not None and turned.high is not None and apart.value is not None:
            assert apart.value == -(turned.value or 0.0)
            assert apart.low == pytest.approx(-turned.high, abs=1e-9)

    @given(ROWS)
    def test_the_order_of_sessions_does_not_show(
        self, rows: list[tuple[tuple[int, int, int], tuple[int, int, int]]]
    ) -> None:
        real, generated = (of(*side) for side in zip(*rows, strict=True))
        turned = [Tally(dict(reversed(one.by_session.items())), one.windows) for one in (real, generated)]
        assert gap_of(*turned) == gap_of(real, generated)
        assert difference_of(*turned) == difference_of(real, generated)
