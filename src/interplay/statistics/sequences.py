"""Looking at results as they come in, and stopping whenever they suffice, without fooling oneself.

Both sequences bet against every possible truth: the capital won against a truth that holds is expected to stay at 1, so
that it ever reaches 1 / alpha with a chance of at most alpha, however often one looks (Ville's inequality). What has
once been ruled out stays ruled out, so intervals only shrink and p-values only fall.

Results must come from units that are independent of each other: repeats of one scenario are averaged (or, for wins,
decided by their majority) before they are added. They are added in an order that does not hang on what they are, and
the same results in another order come to other figures.

Where several pairs of models are looked at, `comparisons` says how many: each sequence then keeps its share of alpha
(Bonferroni), so that the chance of any false claim among all stays below it.
"""

import math
from collections.abc import Callable

import numpy as np

from interplay.core.board import Estimate
from interplay.statistics.intervals import check_confidence

# The mixture's weights are Beta(4, 4): most on win rates of .3 to .7. Even weights decide .8 three games earlier, but
# take a seventh longer for .6.
PRIOR = 4.0
BETS = 16  # parts of the capital that are staked on each side, evenly between none and all
CHANGED = "none: the results do not seem to come from one and the same truth"


class WinSequence:
    """The win rate among games that were decided, tested against one half, by a beta-binomial mixture.

    Ties are counted and left out. Two models are equally good where either is as likely to win a decided game,
    however many are tied, so a tie says nothing for or against; taken as half a win each, ties would only
    bring the win rate nearer to one half.
    """

    def __init__(self, *, confidence: float = 0.95, comparisons: int = 1) -> None:
        self._log_limit = _log_limit(confidence, comparisons)
        self._comparisons = comparisons
        self._log_evidence = 0.0  # the chance of the games in this order under the mixture
        self._log_most = 0.0  # the most that was ever won against one half
        self._low, self._high = 0.0, 1.0
        self.won, self.tied, self.lost = 0, 0, 0

    def add(self, won: float) -> None:
        """One more game: won (1), tied (0.5) or lost (0)."""
        if won not in (0, 0.5, 1):
            raise ValueError(f"a game is won (1), tied (0.5) or lost (0), not {won}")
        if won == 0.5:
            self.tied += 1
            return
        same = self.won if won else self.lost
        self._log_evidence += math.log((PRIOR + same) / (2 * PRIOR + self.won + self.lost))
        self.won, self.lost = self.won + (won == 1), self.lost + (won == 0)
        self._log_most = max(self._log_most, self._log_capital(0.5))
        share = self.won / (self.won + self.lost)
        if self._low < share and self._ruled_out(self._low):
            self._low = _edge(self._ruled_out, self._low, share)
        if self._high > share and self._ruled_out(self._high):
            self._high = _edge(self._ruled_out, self._high, share)

    @property
    def p_value(self) -> float:
        """That both are equally good, at any time of looking; adjusted for the comparisons."""
        return min(1.0, self._comparisons * math.exp(-self._log_most))

    @property
    def decided(self) -> bool:
        return self._log_most >= self._log_limit

    @property
    def estimate(self) -> Estimate:
        """The win rate with its interval; n counts the decided games."""
        n = self.won + self.lost
        share = self.won / n if n else None
        return _estimate(share, (self._low, self._high), n, "beta-binomial sequence")

    def _log_capital(self, rate: float) -> float:
        return self._log_evidence - _times_log(self.won, rate) - _times_log(self.lost, 1 - rate)

    def _ruled_out(self, rate: float) -> bool:
        return self._log_capital(rate) >= self._log_limit


class MeanSequence:
    """The mean of values between two bounds, such as differences of scores on a scale, by a mixture of bets.

    For each mean on a grid, several parts of a capital are staked on the values being larger, and as many on their
    being smaller (Waudby-Smith and Ramdas 2023, with fixed parts averaged in place of a plan of stakes: there is
    nothing to tune, and small as well as large differences find a part that suits them). The capital is convex in
    the mean, so that the means which are not ruled out form an interval; its ends are the nearest means of the grid
    that are ruled out, or the bounds. The bounds must hold: differences on a scale from 1 to 5 lie between -4 and 4.
    """

    def __init__(
        self,
        low: float,
        high: float,
        *,
        null: float = 0.0,
        confidence: float = 0.95,
        comparisons: int = 1,
        steps: int = 400,
    ) -> None:
        if not (math.isfinite(low) and math.isfinite(high) and low < null < high):
            raise ValueError(f"the bounds {low} and {high} must be finite, with {null} between them")
        if steps < 2:
            raise ValueError(f"a grid has at least two steps, not {steps}")
        self._log_limit = _log_limit(confidence, comparisons)
        self._comparisons = comparisons
        self._bounds, self._interval = (low, high), (low, high)
        self._n, self._sum, self._most = 0, 0.0, 1.0
        tested = (null - low) / (high - low)
        inner = np.union1d(np.arange(1, steps) / steps, [tested])
        self._grid = np.concatenate([[0.0], inner, [1.0]])
        self._null = int(np.searchsorted(inner, tested))
        parts = ((np.arange(BETS) + 0.5) / BETS)[:, np.newaxis]
        self._kept = 1 - parts
        self._stakes = np.stack([parts / inner, parts / (1 - inner)])  # on larger values, on smaller ones
        self._capital = np.ones_like(self._stakes)

    def add(self, value: float) -> None:
        """One more value."""
        low, high = self._bounds
        if not low <= value <= high:
            raise ValueError(f"{value} does not lie between {low} and {high}")
        place = (value - low) / (high - low)
        self._n, self._sum = self._n + 1, self._sum + value
        # Capital that grows out of bounds stays infinite: no stake is the whole, so none ever comes to nothing.
        with np.errstate(over="ignore", under="ignore"):
            self._capital[0] *= self._kept + place * self._stakes[0]
            self._capital[1] *= self._kept + (1 - place) * self._stakes[1]
            capital = self._capital.mean(axis=(0, 1))
        self._most = max(self._most, float(capital[self._null]))
        left = np.flatnonzero(capital < math.exp(self._log_limit))
        first, last = (left[0], left[-1]) if len(left) else (capital.argmin(), capital.argmin())
        ends = (low + (high - low) * float(self._grid[end]) for end in (first, last + 2))
        self._interval = (max(self._interval[0], next(ends)), min(self._interval[1], next(ends)))

    @property
    def p_value(self) -> float:
        """That the mean is the null's, at any time of looking; adjusted for the comparisons."""
        return min(1.0, self._comparisons / self._most)

    @property
    def decided(self) -> bool:
        return self._most >= math.exp(self._log_limit)

    @property
    def estimate(self) -> Estimate:
        """The mean so far with its interval."""
        average = self._sum / self._n if self._n else None
        return _estimate(average, self._interval, self._n, "betting sequence")


def _log_limit(confidence: float, comparisons: int) -> float:
    check_confidence(confidence)
    if comparisons < 1:
        raise ValueError(f"there is at least one comparison, not {comparisons}")
    return math.log(comparisons / (1 - confidence))


def _times_log(count: int, chance: float) -> float:
    if count == 0:
        return 0.0
    return count * math.log(chance) if chance > 0 else -math.inf


def _edge(ruled_out: Callable[[float], bool], out: float, kept: float) -> float:
    """Where what is ruled out ends, by halving; a hair on the side that is."""
    for _ in range(40):
        middle = (out + kept) / 2
        out, kept = (middle, kept) if ruled_out(middle) else (out, middle)
    return out


def _estimate(value: float | None, ends: tuple[float, float], n: int, method: str) -> Estimate:
    """The value, moved to the nearer end where earlier results have ruled it out."""
    low, high = ends
    if value is None or low > high:
        return Estimate(value, None, None, n, (), CHANGED if n else "none")
    return Estimate(min(max(value, low), high), low, high, n, (), method)
