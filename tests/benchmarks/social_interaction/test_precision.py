"""Precision: values by hand, intervals that cover the truth as often as they say, and others that do not."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.benchmarks.social_interaction.planting import ABSENT, CHANCES, KINDS, SAID, WRONG
from interplay.benchmarks.social_interaction.precision import (
    BLUNT,
    UNTRIED,
    Correction,
    Found,
    Tried,
    bounds,
    iep,
    matchers_of,
)
from interplay.core.board import Estimate
from interplay.statistics.intervals import clustered_mean, mean, rate

K = 5


def found(
    points: int, session: int = 0, judge: str = "j", player: str = "p", piece: int | None = None
) -> Found:
    return Found(judge, player, points, K, session, session if piece is None else piece)


def tries(
    judge: str = "j", said: Sequence[int] = (), wrong: Sequence[int] = (), pieces: int = 4
) -> list[Tried]:
    """So many paired of so many points that were said, and that were wrong, spread over some pieces."""
    found = []
    for kind, (paired, count) in ((SAID, said or (0, 0)), (WRONG, wrong or (0, 0))):
        for number in range(count):
            found.append(Tried(judge, number % pieces, kind, number < paired, number < paired))
    return found


def correction(*tried: Sequence[Tried], **more: int) -> Correction:
    return Correction(matchers_of([one for each in tried for one in each]), **more)


def test_iep_is_the_mean_over_sessions_and_players_in_percent() -> None:
    entries = [
        found(5, 1, player="a"),
        found(3, 1, player="b"),
        found(1, 2, player="a"),
        found(0, 2, player="b"),
    ]
    estimate = iep(entries)
    assert estimate.value == pytest.approx(45.0)
    assert (estimate.n, estimate.clusters) == (4, (2,))


def test_of_several_judges_the_mean_counts_also_where_one_is_missing() -> None:
    entries = [found(5, 1), found(1, 1, "k"), found(0, 2)]
    assert iep(entries).value == pytest.approx((60 + 0) / 2)
    assert iep(entries).n == 2


def test_judges_and_players_add_no_certainty() -> None:
    lone = [found(points, number) for number, points in enumerate((5, 4, 1, 0, 3, 2))]
    many = [replace(one, judge=judge, player=player) for one in lone for judge in "jkl" for player in "abc"]
    assert iep(many).low == pytest.approx(iep(lone).low)
    assert iep(many).high == pytest.approx(iep(lone).high)


def test_sessions_about_one_piece_are_one_cluster_unless_all_are() -> None:
    entries = [found(points, number, piece=number // 2) for number, points in enumerate((5, 5, 1, 1, 3, 3))]
    assert iep(entries).clusters == (3,)
    assert iep([replace(one, piece=0) for one in entries]).clusters == (6,)


def test_without_anything_there_is_no_value_and_of_one_session_no_interval() -> None:
    assert iep([]) == Estimate(None, None, None, 0, (0,), "none")
    assert iep([found(3)]) == Estimate(60.0, None, None, 1, (1,), "none")


def test_no_point_in_twenty_sessions_is_not_proof_of_none() -> None:
    estimate = iep([found(0, number) for number in range(20)])
    assert (estimate.value, estimate.low) == (0.0, 0.0)
    assert estimate.high is not None
    assert 10 < estimate.high < 25
    other = iep([found(K, number) for number in range(20)])
    assert (other.value, other.high) == (100.0, 100.0)
    assert other.low == pytest.approx(100 - estimate.high)


@given(st.lists(st.tuples(st.integers(0, K), st.integers(0, 8)), min_size=1, max_size=40))
def test_iep_stays_within_its_scale_and_its_interval_around_it(entries: list[tuple[int, int]]) -> None:
    estimate = iep([found(points, session, player=str(n)) for n, (points, session) in enumerate(entries)])
    assert estimate.value is not None
    assert 0 <= estimate.value <= 100
    if estimate.low is not None and estimate.high is not None:
        assert -1e-9 <= estimate.low <= estimate.value + 1e-9
        assert estimate.value - 1e-9 <= estimate.high <= 100 + 1e-9


def test_the_errors_of_a_matcher_by_hand() -> None:
    entries = [
        Tried("j", "x", SAID, True, True),
        Tried("j", "x", SAID, True, False),
        Tried("j", "y", SAID, False, False),
        Tried("j", "y", SAID, True, True),
        Tried("j", "y", WRONG, True, True),
        Tried("j", "z", WRONG, False, False),
        Tried("j", "z", ABSENT, False, False),
        Tried("j", "z", ABSENT, False, False),
    ]
    matcher = matchers_of(entries)["j"]
    assert matcher.found().value == 0.75
    assert matcher.rightly().value == 0.5
    assert matcher.false().value == 0.25, "over what is wrong and what is absent"
    assert (matcher.false(WRONG).value, matcher.false(ABSENT).value) == (0.5, 0.0)
    assert (matcher.found().n, matcher.false().n) == (4, 4)


def test_the_correction_by_hand_for_each_judge_and_then_over_judges() -> None:
    fix = correction(tries("j", (80, 100), (10, 100)), tries("k", (90, 100), (0, 100)))
    entries = [found(points, number) for number, points in enumerate((5, 2, 2, 1))]  # half
    assert fix.corrected(entries).value == pytest.approx(100 * (0.5 - 0.1) / 0.7)
    both = [*entries, *(replace(one, judge="k") for one in entries)]
    assert fix.corrected(both).value == pytest.approx(100 * ((0.5 - 0.1) / 0.7 + 0.5 / 0.9) / 2)
    assert fix.corrected(both).n == 4


@pytest.mark.parametrize(("points", "value"), [(0, 0.0), (5, 100.0)])
def test_the_correction_is_clipped(points: int, value: float) -> None:
    estimate = correction(tries("j", (80, 100), (10, 100))).corrected([found(points, n) for n in range(9)])
    assert estimate.value == value
    assert estimate.low is not None
    assert estimate.high is not None
    assert 0 <= estimate.low <= value <= estimate.high <= 100


@pytest.mark.parametrize(
    ("tried", "reason"),
    [
        ([], UNTRIED),
        (tries("j", said=(5, 5)), UNTRIED),
        (tries("j", wrong=(0, 5)), UNTRIED),
        (tries("k", (80, 100), (10, 100)), UNTRIED),
        (tries("j", (50, 100), (50, 100)), BLUNT),
        (tries("j", (10, 100), (90, 100)), BLUNT),
        (tries("j", (3, 4), (1, 4)), BLUNT),
        (tries("j", (60, 100), (40, 100)), BLUNT),
    ],
)
def test_a_matcher_that_was_not_tried_or_cannot_tell_corrects_nothing(
    tried: list[Tried], reason: str
) -> None:
    fix = correction(tried)
    assert fix.reason("j") == reason
    estimate = fix.corrected([found(3, n) for n in range(9)])
    assert (estimate.value, estimate.low, estimate.method) == (None, None, reason)


def test_a_judge_that_cannot_be_corrected_is_left_out_of_several() -> None:
    fix = correction(tries("j", (80, 100), (10, 100)), tries("k", (50, 100), (50, 100)))
    entries = [found(points, number) for number, points in enumerate((5, 2, 2, 1))]
    both = [*entries, *(replace(one, judge="k", points=0) for one in entries)]
    assert fix.corrected(both) == fix.corrected(entries)


def test_a_perfect_matcher_leaves_the_value_and_widens_the_interval_a_little() -> None:
    entries = [found(points, number) for number, points in enumerate((5, 4, 3, 2, 1) * 12)]
    plain, fixed = iep(entries), correction(tries("j", (300, 300), (0, 300), pieces=60)).corrected(entries)
    assert fixed.value == pytest.approx(plain.value)
    assert None not in (plain.low, plain.high, fixed.low, fixed.high)
    assert fixed.high - fixed.low > 0.97 * (plain.high - plain.low)  # type: ignore[operator]
    assert fixed.high - fixed.low < 1.2 * (plain.high - plain.low)  # type: ignore[operator]


def test_fewer_planted_lists_leave_more_doubt() -> None:
    entries = [found(points, number) for number, points in enumerate((5, 4, 3, 2, 1) * 12)]
    widths = []
    for size in (20, 100, 400):
        said, wrong = (round(0.8 * size), size), (round(0.1 * size), size)
        estimate = correction(tries("j", said, wrong, pieces=min(64, size // 2))).corrected(entries)
        widths.append(estimate.high - estimate.low)  # type: ignore[operator]
    assert widths[0] > widths[1] > widths[2]


def test_the_same_seed_gives_the_same_interval_whatever_the_order() -> None:
    entries = [found(points, number) for number, points in enumerate((5, 4, 3, 2, 1))]
    tried = tries("j", (80, 100), (10, 100))
    once, again = (correction(tried).corrected(some) for some in (entries, entries[::-1]))
    assert correction(tried).corrected(entries) == once
    assert (again.low, again.high) == (pytest.approx(once.low), pytest.approx(once.high))
    assert correction(tried, seed=1).corrected(entries).low != correction(tried).corrected(entries).low


def test_of_one_session_there_is_a_value_without_an_interval() -> None:
    estimate = correction(tries("j", (80, 100), (10, 100))).corrected([found(3)])
    assert estimate.value == pytest.approx(100 * (0.6 - 0.1) / 0.7)
    assert (estimate.low, estimate.high, estimate.clusters) == (None, None, (1,))


def test_bounds_take_what_is_missing_for_nothing_or_for_all() -> None:
    assert bounds([0.5, 1.0], 2) == (37.5, 87.5)
    assert bounds([], 3) == (0.0, 100.0)
    assert bounds([], 0) is None


class World:
    """Sessions and planted lists whose truth is known: what players learn differs from session to session."""

    def __init__(self, seed: int, sessions: int, share: float, found: float = 0.85, false: float = 0.1):
        rng = np.random.default_rng(seed)
        self.found: list[Found] = []
        self.tried: list[Tried] = []
        for session in range(sessions):
            here = rng.beta(3 * share, 3 * (1 - share))
            for player in "abc":
                learned = rng.random(K) < here
                paired = rng.random(K) < np.where(learned, found, false)
                self.found.append(Found("j", player, int(paired.sum()), K, session, session))
            piece = int(rng.integers(64))
            hits = rng.beta(20 * found, 20 * (1 - found)), rng.beta(20 * false, 20 * (1 - false))
            for kind in rng.choice(KINDS, K, p=CHANCES).tolist():
                paired_too = bool(rng.random() < hits[0 if kind == SAID else 1])
                self.tried.append(Tried("j", piece, kind, paired_too, paired_too and kind != ABSENT))


def covers(estimate: Estimate, truth: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high


def coverage_of_iep(seeds: int, sessions: int, share: float) -> tuple[float, float, float]:
    """Of our interval, of one over players as if independent, and of Wilson's over points as if independent."""
    truth = 100 * (0.85 * share + 0.1 * (1 - share))
    hits = np.zeros(3)
    for seed in range(seeds):
        entries = World(seed, sessions, share).found
        points = sum(one.points for one in entries)
        plain = mean([100 * one.share for one in entries]), rate(points, K * len(entries)).times(100)
        hits += [covers(iep(entries), truth), *(covers(one, truth) for one in plain)]
    over_players, over_points = (hits / seeds)[1:].tolist()
    return float(hits[0] / seeds), over_players, over_points


def coverage_corrected(seeds: int, sessions: int, share: float) -> tuple[float, float, float]:
    """Of our interval, of the uncorrected one, and of one that takes the matcher's errors as known."""
    truth, hits, usable = 100 * share, np.zeros(3), 0
    for seed in range(seeds):
        world = World(seed, sessions, share)
        fix = Correction(matchers_of(world.tried), draws=2_000)
        plain, corrected = iep(world.found), fix.corrected(world.found)
        if corrected.value is None:
            continue
        usable += 1
        t, f = (one.value or 0.0 for one in (fix.matchers["j"].found(), fix.matchers["j"].false()))
        certain = plain.plus(-100 * f).times(1 / (t - f))
        hits += [covers(corrected, truth), covers(plain, truth), covers(certain, truth)]
    assert usable > 0.9 * seeds
    own, uncorrected, as_known = (hits / usable).tolist()
    return own, uncorrected, as_known


@pytest.mark.parametrize(("sessions", "share"), [(60, 0.55), (20, 0.55), (60, 0.3)])
def test_the_clustered_interval_covers_and_those_that_count_players_or_points_alone_do_not(
    sessions: int, share: float
) -> None:
    own, over_players, over_points = coverage_of_iep(300, sessions, share)
    assert own >= 0.92  # 300 seeds: 0.95 less 2.4 standard errors
    assert over_players < own - 0.02
    assert over_points < own - 0.04


def test_near_nothing_the_interval_covers_more_often_than_a_symmetric_one() -> None:
    truth, hits = 100 * (0.85 * 0.03 + 0.002 * 0.97), np.zeros(2)
    for seed in range(300):
        entries = World(seed, 30, 0.03, false=0.002).found
        symmetric = clustered_mean([100 * one.share for one in entries], [one.session for one in entries])
        hits += [covers(iep(entries), truth), covers(symmetric, truth)]
    own, other = (hits / 300).tolist()
    assert own >= 0.9
    assert other < own - 0.05


@pytest.mark.parametrize(("sessions", "share"), [(60, 0.55), (20, 0.55)])
def test_the_corrected_interval_covers_and_those_that_do_not_doubt_the_matcher_do_not(
    sessions: int, share: float
) -> None:
    own, uncorrected, as_known = coverage_corrected(200, sessions, share)
    assert own >= 0.915
    assert uncorrected < own - 0.03
    assert as_known < own - 0.02


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [20, 60, 200])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.55, 0.9])
def test_coverage_over_two_thousand_seeds(sessions: int, share: float) -> None:
    own, over_players, over_points = coverage_of_iep(2_000, sessions, share)
    assert 0.93 <= own <= 0.98
    assert max(over_players, over_points) < own
    corrected, uncorrected, as_known = coverage_corrected(2_000, sessions, share)
    assert 0.93 <= corrected <= 0.985
    assert min(uncorrected, as_known) < 0.93
