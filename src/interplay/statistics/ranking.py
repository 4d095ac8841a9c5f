"""Strengths of players from games between two, with intervals over clusters of games."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.intervals import check_confidence, check_draws

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]

# Every player has also won half a game and lost half a game against an imagined player of strength 0: the
# prior of Jeffreys, were all others of that strength. One who wins every game then stays finite.
PRIOR = 0.5
CELLS = 2_000_000  # numbers held at a time, sixteen megabytes an array
SMALL = 1e-4  # in logits


@dataclass(frozen=True)
class Game:
    """One game: won is 1 where the first player won, 0 where the second did, 0.5 for a draw."""

    first: str
    second: str
    won: float
    cluster: str  # games of one cluster may depend on each other


@dataclass(frozen=True)
class _Table:
    """What each pair of players did in each cluster, sorted by pair so that a pair's rows stand together."""

    players: int
    one: Places  # of each pair
    other: Places
    starts: Places  # where each pair's rows begin
    cluster: Places  # of each row
    won: Numbers  # by the pair's first player
    lost: Numbers

    @property
    def clusters(self) -> int:
        return int(self.cluster.max()) + 1


def bradley_terry(
    games: Sequence[Game], *, seed: int, draws: int = 1_000, confidence: float = 0.95
) -> dict[str, Estimate]:
    """The players' strengths in logits, best first, summing to zero; a draw is half a win for both.

    The interval is a Bayesian bootstrap of whole clusters: each draw weighs every cluster by an exponential
    number and every half game of the prior by a gamma one, so that no draw loses a player or cuts the
    players apart. Its reach is stretched by what few clusters cost, as the quantile of t is to the normal's;
    a player met in a single cluster has none.

    Strengths of players who are not linked by games cannot be compared. The largest set of linked players is
    rated, by its own games alone; the others, or all where no set is the largest, have no value.
    """
    check_confidence(confidence)
    check_draws(draws)
    for game in games:
        _check(game)
    rated = _largest(_linked(games))
    kept = [game for game in games if game.first in rated]
    results = _rated(kept, seed, draws, confidence) if kept else {}
    met = Counter(player for game in games for player in (game.first, game.second))
    unrated = sorted(player for player in met if player not in rated)
    return results | {player: Estimate(None, None, None, met[player]) for player in unrated}


def _check(game: Game) -> None:
    if game.first == game.second:
        raise ValueError(f"{game.first!r} plays against itself")
    if game.won not in (0, 0.5, 1):
        raise ValueError(f"a game is won (1), drawn (0.5) or lost (0), not {game.won}")


def _linked(games: Sequence[Game]) -> list[set[str]]:
    """The sets of players who are linked by games, directly or through others."""
    sets: dict[str, set[str]] = {}
    for game in games:
        one, other = (sets.setdefault(player, {player}) for player in (game.first, game.second))
        if one is not other:
            one |= other
            sets.update(dict.fromkeys(other, one))
    return list({id(players): players for players in sets.values()}.values())


def _largest(sets: list[set[str]]) -> set[str]:
    most = max(map(len, sets), default=0)
    largest = [players for players in sets if len(players) == most]
    return largest[0] if len(largest) == 1 else set()


def _rated(games: Sequence[Game], seed: int, draws: int, confidence: float) -> dict[str, Estimate]:
    named = sorted({player for game in games for player in (game.first, game.second)})
    table = _table(games, named)
    fitted = _strengths(table, *_as_played(table))[0]
    # In order of strength, so that which player has which of the random numbers does not hang on names.
    strengths = dict(zip(named, fitted.tolist(), strict=True))
    players = sorted(named, key=lambda player: (-round(strengths[player], 9), player))
    drawn = _drawn(_table(games, players), np.random.default_rng(seed), draws)
    share = (1 - confidence) / 2
    lows, highs = np.quantile(drawn, (share, 1 - share), axis=0).tolist()
    met = Counter(player for game in games for player in (game.first, game.second))
    seen = {(player, game.cluster) for game in games for player in (game.first, game.second)}
    clusters = Counter(player for player, _ in seen)
    results = {}
    for player, low, high in zip(players, lows, highs, strict=True):
        value, count = strengths[player], clusters[player]
        if count < 2:
            results[player] = Estimate(value, None, None, met[player], (count,), "none")
            continue
        down, up = _reach(value - low, high - value, _stretch(count, confidence))
        ends = (value - down, value + up)
        results[player] = Estimate(value, *ends, met[player], (count,), "clustered bootstrap")
    return results


def _reach(down: float, up: float, stretch: float) -> tuple[float, float]:
    """The draws' reach on either side, stretched, with half of its skew.

    Draws lean outwards for strong and weak players more than the truth does. With all of the lean the truth
    lies inwards of the interval far too often, with none outwards; with half of it both are about as rare.
    """
    return stretch * max(0.0, 0.75 * down + 0.25 * up), stretch * max(0.0, 0.75 * up + 0.25 * down)


def _stretch(clusters: int, confidence: float) -> float:
    """How much further than the weights show an interval over so few clusters must reach.

    Exponential weights make a mean's variance smaller than the unbiased one by (n - 1) / (n + 1).
    """
    share = (1 + confidence) / 2
    quantiles = float(special.stdtrit(clusters - 1, share) / special.ndtri(share))
    return quantiles * math.sqrt((clusters + 1) / (clusters - 1))


def _table(games: Sequence[Game], players: list[str]) -> _Table:
    place = {player: number for number, player in enumerate(players)}
    tallies: defaultdict[str, defaultdict[tuple[int, int], list[float]]]
    tallies = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for game in games:
        one, other, won = place[game.first], place[game.second], game.won
        if one > other:
            one, other, won = other, one, 1 - won
        tally = tallies[game.cluster][one, other]
        tally[0] += won
        tally[1] += 1 - won
    # Clusters in order of what happened in them, so that their names cannot show either.
    contents = sorted(
        sorted((*pair, *tally) for pair, tally in cluster.items()) for cluster in tallies.values()
    )
    rows = sorted(
        (one, other, number, won, lost)
        for number, content in enumerate(contents)
        for one, other, won, lost in content
    )
    ones, others, clusters, wins, losses = (np.array(column) for column in zip(*rows, strict=True))
    starts = np.flatnonzero(np.r_[True, (np.diff(ones) != 0) | (np.diff(others) != 0)])
    return _Table(len(players), ones[starts], others[starts], starts, clusters, wins, losses)


def _as_played(table: _Table) -> tuple[Numbers, Numbers, Numbers]:
    even = np.ones((1, table.clusters))
    return *_weighed(table, even), np.full((1, 2, table.players), PRIOR)


def _weighed(table: _Table, weights: Numbers) -> tuple[Numbers, Numbers]:
    """What each pair's first player won and lost in all, under each row of weights."""
    spread = weights[:, table.cluster]
    won = np.add.reduceat(spread * table.won, table.starts, axis=1)
    return won, np.add.reduceat(spread * table.lost, table.starts, axis=1)


def _drawn(table: _Table, rng: np.random.Generator, draws: int) -> Numbers:
    """Strengths fitted to clusters of random weight, one row for each draw."""
    rows = max(1, CELLS // max(len(table.cluster), table.players**2))
    parts = []
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        weights = rng.standard_exponential((count, table.clusters))
        # A gamma number of shape 1/2 comes arbitrarily near to 0, where a strength could run away.
        prior = np.maximum(rng.standard_gamma(PRIOR, (count, 2, table.players)), 1e-6)
        parts.append(_strengths(table, *_weighed(table, weights), prior))
    return np.concatenate(parts)


def _strengths(table: _Table, won: Numbers, lost: Numbers, prior: Numbers) -> Numbers:
    """The strengths that make each row of results most probable, by Newton's method."""
    one, other, pairs = table.one, table.other, np.arange(len(table.one))
    sign = np.zeros((len(pairs), table.players))
    sign[pairs, one], sign[pairs, other] = 1.0, -1.0
    diagonal = np.arange(table.players)
    strengths = np.zeros((len(won), table.players))
    before = math.inf
    for _ in range(1_000):
        # Winning and losing have a term each: 1 - expit(x) would round a near-certain player's slope away.
        apart = strengths[:, one] - strengths[:, other]
        win, lose = special.expit(apart), special.expit(-apart)
        above, below = special.expit(strengths), special.expit(-strengths)
        slope = (won * lose - lost * win) @ sign + prior[:, 0] * below - prior[:, 1] * above
        bend = (won + lost) * win * lose
        curve = np.zeros((len(won), table.players, table.players))
        curve[:, one, other] = curve[:, other, one] = -bend
        curve[:, diagonal, diagonal] = bend @ np.abs(sign) + prior.sum(axis=1) * above * below
        step = np.linalg.solve(curve, slope[..., np.newaxis])[..., 0]
        reach = np.maximum(2 * np.abs(step).max(axis=1, keepdims=True), 1e-300)
        # Steps of this length cannot overshoot: the third derivative of the logistic is below the second.
        strengths += step * np.log1p(reach) / reach
        if before < SMALL and reach.max() < SMALL:  # each step squares what is left to go
            return np.asarray(strengths - strengths.mean(axis=1, keepdims=True))
        before = float(reach.max())
    raise ArithmeticError("the strengths did not settle")
