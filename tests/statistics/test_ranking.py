"""Strengths: worked cases, symmetries, planted strengths recovered, and the coverage of their intervals."""

import math
import random
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from scipy.optimize import brentq

from interplay.core.board import Estimate
from interplay.statistics.ranking import Game, bradley_terry


def one_each(games: list[tuple[str, str, float]]) -> list[Game]:
    """Games of which each is a cluster of its own."""
    return [Game(*game, cluster=str(number)) for number, game in enumerate(games)]


def played(
    rng: np.random.Generator, strengths: np.ndarray, word_pairs: int, shared: float, times: int = 1
) -> list[Game]:
    """Every two players meet on every word pair, in games that share what the pair holds for each player.

    A word pair suits some players better: that part of a game's luck is the same in all of its games. Luck
    is standard normal in each game, so a game alone is won by the logistic chance of the strengths.
    """
    one, other = np.transpose(list(combinations(range(len(strengths)), 2)))
    suits = rng.normal(size=(word_pairs, len(strengths)))
    common = (suits[:, one] - suits[:, other]) / math.sqrt(2)
    own = rng.normal(size=(word_pairs, len(one), times))
    luck = math.sqrt(shared) * common[..., np.newaxis] + math.sqrt(1 - shared) * own
    won = special.ndtr(luck) < special.expit(strengths[one] - strengths[other])[:, np.newaxis]
    return [
        Game(f"player {one[pair]}", f"player {other[pair]}", float(won[word, pair, time]), f"pair {word}")
        for word, pair, time in np.ndindex(won.shape)
    ]


def values(results: dict[str, Estimate]) -> dict[str, float]:
    return {player: estimate.value for player, estimate in results.items() if estimate.value is not None}


class TestStrengths:
    def test_two_players_with_the_prior(self) -> None:
        # By symmetry the strengths are b and -b. Three wins of four, and half a game won and half a game lost
        # against strength 0: the slope 3 F(-2b) - F(2b) + F(-b)/2 - F(b)/2 is 0 at the answer.
        def slope(b: float) -> float:
            return (
                3 * special.expit(-2 * b) - special.expit(2 * b) + (special.expit(-b) - special.expit(b)) / 2
            )

        results = bradley_terry(one_each([("a", "b", 1)] * 3 + [("a", "b", 0)]), seed=1)
        assert values(results)["a"] == pytest.approx(brentq(slope, 0, 5), abs=1e-9)
        assert values(results)["b"] == pytest.approx(-values(results)["a"])

    def test_many_games_outweigh_the_prior(self) -> None:
        # a beats b 3 : 1, b beats c 2 : 1 and a beats c 6 : 1: log 3 and log 2 apart, and summing to zero.
        odds = {("a", "b"): (3, 1), ("b", "c"): (2, 1), ("a", "c"): (6, 1)}
        games = [
            (*pair, won)
            for pair, counts in odds.items()
            for won, count in zip((1, 0), counts, strict=True)
            for _ in range(420 * count)
        ]
        found = values(bradley_terry(one_each(games), seed=1, draws=10))
        b = (math.log(2) - math.log(3)) / 3
        expected = {"a": b + math.log(3), "b": b, "c": b - math.log(2)}
        assert found == pytest.approx(expected, abs=0.002)

    def test_draws_are_half_a_win_for_both(self) -> None:
        half = one_each([("a", "b", 0.5)] * 4)
        split = one_each([("a", "b", 1), ("a", "b", 0)] * 2)
        assert values(bradley_terry(half, seed=1)) == pytest.approx({"a": 0.0, "b": 0.0}, abs=1e-12)
        assert values(bradley_terry(split, seed=1)) == pytest.approx({"a": 0.0, "b": 0.0}, abs=1e-12)
        mixed = one_each([("a", "b", 0.5), ("a", "b", 0.5), ("a", "b", 1)])
        counted = one_each([("a", "b", 1), ("a", "b", 0), ("a", "b", 1)])
        assert values(bradley_terry(mixed, seed=1)) == pytest.approx(values(bradley_terry(counted, seed=1)))

    def test_what_stands_beside_a_strength(self) -> None:
        games = [
            Game("a", "b", 1, "x"),
            Game("a", "b", 0, "x"),
            Game("b", "a", 0, "y"),
            Game("c", "a", 0, "y"),
        ]
        results = bradley_terry(games, seed=1)
        assert list(results) == ["a", "b", "c"]  # best first
        a, _, c = results.values()
        assert (a.n, a.clusters, a.method) == (4, (2,), "clustered bootstrap")
        assert a.low is not None and a.value is not None and a.high is not None
        assert a.low < a.value < a.high
        assert (c.n, c.clusters, c.method, c.low, c.high) == (1, (1,), "none", None, None)

    def test_few_clusters_reach_as_far_as_t(self) -> None:
        # Eight word pairs, 200 games each, of which the shares won are these; by the delta method the logit's
        # error is that of their mean over p (1 - p), and each strength is half of the logit.
        shares = np.array([0.40, 0.44, 0.46, 0.49, 0.51, 0.54, 0.56, 0.60])
        games = [
            Game("a", "b", float(number < 200 * share), f"{share}")
            for share in shares
            for number in range(200)
        ]
        a = bradley_terry(games, seed=1, draws=4_000)["a"]
        expected = stats.t.ppf(0.975, 7) * stats.sem(shares) / 0.25 / 2
        assert a.low is not None and a.high is not None
        assert (a.high - a.low) / 2 == pytest.approx(expected, rel=0.08)

    def test_one_who_wins_every_game_is_finite_and_open_upwards(self) -> None:
        few, many = (
            bradley_terry(
                one_each([("a", "b", 1), ("b", "c", 1), ("c", "b", 1), ("a", "c", 1)] * times), seed=1
            )
            for times in (5, 50)
        )
        assert 1 < values(few)["a"] < values(many)["a"] < 6
        best = few["a"]
        assert best.low is not None and best.value is not None and best.high is not None
        assert best.high - best.value > 1.5 * (best.value - best.low) > 0.5

    def test_a_side_that_always_loses_settles_after_many_games(self) -> None:
        # Two even pairs of which one never wins against the other; nothing but the prior holds them together.
        games = [("a", "b", 1), ("a", "b", 0), ("c", "d", 1), ("c", "d", 0), ("a", "c", 1), ("b", "d", 1)]
        results = bradley_terry([Game(*game, cluster="x") for game in games * 20_000], seed=1, draws=50)
        assert values(results)["a"] - values(results)["c"] > 8


class TestLinks:
    def test_nobody(self) -> None:
        assert bradley_terry([], seed=1) == {}

    def test_the_largest_set_is_rated_by_its_own_games(self) -> None:
        main = [("a", "b", 1.0), ("b", "c", 1.0), ("c", "a", 1.0), ("a", "b", 0.5)]
        apart = [("y", "z", 1.0), ("y", "z", 1.0)]
        together = bradley_terry(one_each(main + apart), seed=1)
        assert {name: together[name] for name in "abc"} == bradley_terry(one_each(main), seed=1)
        assert together["y"] == together["z"] == Estimate(None, None, None, 2)
        assert list(together)[3:] == ["y", "z"]

    def test_sets_of_one_size_are_not_rated_at_all(self) -> None:
        results = bradley_terry(one_each([("a", "b", 1), ("c", "d", 1), ("a", "b", 0)]), seed=1)
        assert {name: (each.value, each.n) for name, each in results.items()} == {
            "a": (None, 2),
            "b": (None, 2),
            "c": (None, 1),
            "d": (None, 1),
        }

    def test_one_game_links_two_sets(self) -> None:
        games = [("a", "b", 1), ("c", "d", 1), ("e", "f", 1), ("b", "c", 1), ("f", "a", 0.5)]
        assert len(values(bradley_terry(one_each(games), seed=1))) == 6


class TestRefusals:
    @pytest.mark.parametrize("won", [-1, 0.25, 2, math.nan])
    def test_results_that_are_none(self, won: float) -> None:
        with pytest.raises(ValueError, match="won"):
            bradley_terry([Game("a", "b", won, "x")], seed=1)

    def test_a_player_against_itself(self) -> None:
        with pytest.raises(ValueError, match="itself"):
            bradley_terry([Game("a", "a", 1, "x")], seed=1)

    def test_no_draws_or_no_confidence(self) -> None:
        with pytest.raises(ValueError, match="at least one draw"):
            bradley_terry([Game("a", "b", 1, "x")], seed=1, draws=0)
        with pytest.raises(ValueError, match="confidence"):
            bradley_terry([Game("a", "b", 1, "x")], seed=1, confidence=95)


class TestSymmetries:
    games = played(np.random.default_rng(7), np.array([-0.6, -0.1, 0.2, 0.5]), 15, 0.5)

    def test_order_of_games_and_sides(self) -> None:
        shuffled = random.Random(1).sample(self.games, len(self.games))
        turned = [Game(game.second, game.first, 1 - game.won, game.cluster) for game in shuffled]
        assert repr(bradley_terry(turned, seed=3)) == repr(bradley_terry(self.games, seed=3))

    def test_names_of_players_and_clusters(self) -> None:
        names = {"player 0": "zoe", "player 1": "ada", "player 2": "yan", "player 3": "bob"}
        renamed = [
            Game(names[game.first], names[game.second], game.won, game.cluster[::-1]) for game in self.games
        ]
        results = bradley_terry(renamed, seed=3)
        for player, estimate in bradley_terry(self.games, seed=3).items():
            other = results[names[player]]
            assert (other.value, other.low, other.high) == pytest.approx(
                (estimate.value, estimate.low, estimate.high), abs=1e-7
            )

    def test_seeds(self) -> None:
        one, same, other = (bradley_terry(self.games, seed=seed) for seed in (1, 1, 2))
        assert one == same
        assert values(one) == values(other)
        assert one["player 0"].low != other["player 0"].low
        assert one["player 0"].low == pytest.approx(other["player 0"].low, abs=0.1)


players = st.sampled_from("abcde")
some_games = st.lists(
    st.builds(Game, players, players, st.sampled_from([0, 0.5, 1]), st.sampled_from("uvwxyz")).filter(
        lambda game: game.first != game.second
    ),
    max_size=25,
)


@settings(deadline=None, max_examples=60)
@given(some_games)
def test_any_results_give_finite_strengths_that_sum_to_zero(games: list[Game]) -> None:
    results = bradley_terry(games, seed=1, draws=50)
    assert set(results) == {player for game in games for player in (game.first, game.second)}
    assert math.fsum(values(results).values()) == pytest.approx(0, abs=1e-9)
    for estimate in results.values():
        if estimate.low is not None:
            assert estimate.value is not None and estimate.high is not None
            assert math.isfinite(estimate.low) and math.isfinite(estimate.high)
            assert estimate.low <= estimate.value <= estimate.high


def recovered(seeds: int) -> tuple[float, float]:
    """Kendall's tau with the planted strengths, and the largest bias of a player's strength.

    Twelve players a quarter of a logit apart, every two of them on each of 480 word pairs.
    """
    planted = np.linspace(-1.375, 1.375, 12)
    taus, errors = [], []
    for seed in range(seeds):
        games = played(np.random.default_rng(seed), planted, 480, 0.5)
        found = values(bradley_terry(games, seed=seed, draws=1))
        strengths = [found[f"player {number}"] for number in range(12)]
        taus.append(stats.kendalltau(planted, strengths).statistic)
        errors.append(np.subtract(strengths, planted))
    return float(np.mean(taus)), float(np.abs(np.mean(errors, axis=0)).max())


def test_planted_strengths_are_recovered() -> None:
    tau, bias = recovered(2)
    assert tau >= 0.99
    assert bias < 0.1


@dataclass(frozen=True)
class Design:
    """Planted strengths, on so many word pairs, with this share of luck in common, each game so many times."""

    planted: tuple[float, ...]
    word_pairs: int
    shared: float
    times: int = 1

    def coverage(self, seeds: int, *, clustered: bool = True) -> float:
        """How often a player's interval holds its strength."""
        held = []
        for seed in range(seeds):
            games = played(
                np.random.default_rng(seed), np.array(self.planted), self.word_pairs, self.shared, self.times
            )
            if not clustered:
                games = one_each([(game.first, game.second, game.won) for game in games])
            results = bradley_terry(games, seed=seed, draws=400)
            for number, truth in enumerate(self.planted):
                estimate = results[f"player {number}"]
                assert estimate.low is not None and estimate.high is not None
                held.append(estimate.low <= truth <= estimate.high)
        return sum(held) / len(held)


NEAR, WIDE = (-0.9, -0.3, 0.3, 0.9), (-3.0, -1.0, 1.0, 3.0)
RUNGS = (-1.25, -0.75, -0.25, 0.25, 0.75, 1.25)
REPEATED = Design(NEAR, 45, 0.8, times=3)


class TestCoverage:
    def test_clusters_cover(self) -> None:
        assert 0.92 <= REPEATED.coverage(100) <= 0.98

    def test_games_of_one_word_pair_taken_as_independent_do_not(self) -> None:
        assert REPEATED.coverage(40, clustered=False) < 0.80


@pytest.mark.slow
class TestCoverageOver2000Seeds:
    @pytest.mark.parametrize(
        "design",
        [
            Design(NEAR, 20, 0.5),  # .958
            Design(NEAR, 45, 0.0),  # .950
            Design(NEAR, 45, 0.5),  # .953
            REPEATED,  # .948
            Design(WIDE, 45, 0.5),  # .959
            Design(RUNGS, 45, 0.5),  # .948
            Design(RUNGS, 200, 0.5),  # .947
        ],
    )
    def test_clusters_cover(self, design: Design) -> None:
        assert 0.93 <= design.coverage(2_000) <= 0.97

    def test_planted_strengths_are_recovered(self) -> None:
        tau, bias = recovered(100)
        assert tau >= 0.99
        assert bias < 0.02

    def test_few_word_pairs_and_distant_players_err_on_the_careful_side(self) -> None:
        assert 0.95 <= Design(WIDE, 20, 0.5).coverage(2_000) <= 0.99  # .980
        assert 0.94 <= Design(NEAR, 10, 0.5).coverage(2_000) <= 0.98  # .967

    def test_a_player_who_never_wins_leaves_the_others_covered(self) -> None:
        assert 0.94 <= Design((-6.0, 1.7, 2.0, 2.3), 45, 0.5).coverage(2_000) <= 0.98  # .966

    @pytest.mark.parametrize(("design", "at_most"), [(REPEATED, 0.75), (Design(NEAR, 45, 0.5), 0.93)])
    def test_games_of_one_word_pair_taken_as_independent_do_not(self, design: Design, at_most: float) -> None:
        assert design.coverage(2_000, clustered=False) < at_most  # .698 and .921
