"""Information exchange precision with intervals, and corrected for the errors that a matcher makes on planted lists.

A known point that a player has learned is paired with probability t, one that it has not with probability f. So the
share of paired points is p = q t + (1 - q) f, and the share of learned ones q = (p - f) / (t - f): Rogan and Gladen's
correction. It takes planted lists to be as hard as real ones: of what was not said, half is wrong in a planted list and
half is not in it at all, and f is over both. What was lost in summing an answer up stays lost.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

import numpy as np
from numpy.typing import NDArray

from interplay.benchmarks.social_interaction.planting import ABSENT, SAID, WRONG
from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import check_confidence, check_draws

Numbers = NDArray[np.float64]
SEED = 0  # the same record gives the same board
DRAWS = 10_000
CHUNK = 500_000  # numbers held at a time
CLEARLY = 0.1  # the least that t - f must be, at the low end of its interval
PERCENT = 100.0
UNTRIED = "none: no planted list"
BLUNT = "none: the matcher hardly tells said from unsaid"
EXACT, DRAWN = "korn-graubard", "rogan-gladen draws"


@dataclass(frozen=True)
class Found:
    """How many of the key points one judge found that one player of a session has learned."""

    judge: str
    player: str
    points: int
    of: int
    session: Hashable
    piece: Hashable  # of knowledge: sessions about the same one depend on each other

    @property
    def share(self) -> float:
        return self.points / self.of


@dataclass(frozen=True)
class Tried:
    """One known point of a planted list before one judge."""

    judge: str
    piece: Hashable
    kind: str  # SAID, WRONG or ABSENT
    is_paired: bool
    is_right: bool = False  # paired with the statement that is about it


@dataclass(frozen=True)
class Matcher:
    """A judge as a matcher of key points, by its planted lists."""

    judge: str
    tried: tuple[Tried, ...]

    @property
    def said(self) -> list[Tried]:
        return self.of(SAID)

    @property
    def unsaid(self) -> list[Tried]:
        return self.of(WRONG, ABSENT)

    def of(self, *kinds: str) -> list[Tried]:
        return [one for one in self.tried if one.kind in kinds]

    def found(self) -> Estimate:
        """t: of points that were said, the share that was paired, with whatever: that is what IEP counts."""
        return _rate(self.said, [one.is_paired for one in self.said])

    def rightly(self) -> Estimate:
        """Of points that were said, the share that was paired with the statement that says it."""
        return _rate(self.said, [one.is_paired and one.is_right for one in self.said])

    def false(self, *kinds: str) -> Estimate:
        """f: of points that the list has wrong or not at all, or of one kind of these, the share that was paired."""
        tried = self.of(*kinds) if kinds else self.unsaid
        return _rate(tried, [one.is_paired for one in tried])


def _rate(tried: Sequence[Tried], successes: Sequence[bool]) -> Estimate:
    return clustered_rate(successes, [one.piece for one in tried])


def matchers_of(tried: Iterable[Tried]) -> dict[str, Matcher]:
    """Every judge with its planted lists, whichever model's session they came with."""
    by_judge: defaultdict[str, list[Tried]] = defaultdict(list)
    for one in tried:
        by_judge[one.judge].append(one)
    return {judge: Matcher(judge, tuple(mine)) for judge, mine in sorted(by_judge.items())}


def iep(found: Sequence[Found], confidence: float = 0.95) -> Estimate:
    """The mean over sessions and players in percent; of several judges on one player, their mean counts.

    Players and judges of a session are in one cluster, and so are sessions about one piece of knowledge. The interval
    is Korn and Graubard's: Clopper and Pearson's at the number of independent points that leave as much doubt as the
    spread between clusters does. Near 0, where weak models are, it comes closest to its promise: at an IEP of 2.7 in 30
    sessions it covers the truth 92% of the time, Wilson's at the same number 90%, a symmetric one 84%.
    """
    check_confidence(confidence)
    by_player: defaultdict[tuple[Hashable, str], list[Found]] = defaultdict(list)
    for one in found:
        by_player[one.session, one.player].append(one)
    values = [_average([one.share for one in mine]) for mine in by_player.values()]
    way = _way([mine[0] for mine in by_player.values()])
    n, clusters = len(values), len(set(way))
    if clusters < 2:
        value = PERCENT * _average(values) if values else None
        return Estimate(value, None, None, n, (clusters,), "none")
    mean = _average(values)
    points = sum(mine[0].of for mine in by_player.values())
    ends = _exact(mean, _weight(_pulls(values, way), mean, points, confidence), confidence)
    return Estimate(mean, *ends, n, (clusters,), EXACT).times(PERCENT)


@dataclass(frozen=True)
class Correction:
    """Takes the errors of matchers off; how often the draws of an interval are made, and from which seed."""

    matchers: Mapping[str, Matcher]
    seed: int = SEED
    draws: int = DRAWS
    confidence: float = 0.95
    _rates_of: dict[str, tuple[Numbers, Numbers]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_draws(self.draws)
        check_confidence(self.confidence)

    def reason(self, judge: str) -> str:
        """Why a judge's word cannot be corrected; empty where it can."""
        matcher = self.matchers.get(judge)
        if matcher is None or not matcher.said or not matcher.unsaid:
            return UNTRIED
        found, false = self._rates(judge)
        return "" if float(np.quantile(found - false, (1 - self.confidence) / 2)) > CLEARLY else BLUNT

    def corrected(self, found: Sequence[Found]) -> Estimate:
        """The IEP in percent, each judge's own errors taken off; judges who cannot be corrected are left out.

        The interval is of draws from beta distributions: of each matcher's t and f, and of what each judge found. The
        latter move together as judges do from cluster to cluster.
        """
        reasons = {judge: self.reason(judge) for judge in sorted({one.judge for one in found})}
        judges = [judge for judge, reason in reasons.items() if not reason]
        if not judges:
            return Estimate(None, None, None, len(found), (), next(iter(reasons.values()), "none"))
        by_judge = [[one for one in found if one.judge == judge] for judge in judges]
        mine = [one for group in by_judge for one in group]
        players, clusters = len({(one.session, one.player) for one in mine}), len(set(_way(mine)))
        value = _average([self._undone(judge, group) for judge, group in zip(judges, by_judge, strict=True)])
        plain = Estimate(value, None, None, players, (clusters,), "none")
        if clusters < 2:
            return plain.times(PERCENT)
        rates = np.stack([np.stack(self._rates(judge)) for judge in judges])
        shares = self._shares(mine, judges)
        drawn = np.clip((shares - rates[:, 1]) / (rates[:, 0] - rates[:, 1]), 0.0, 1.0).mean(axis=0)
        rest = (1 - self.confidence) / 2
        low, high = np.quantile(drawn, (rest, 1 - rest)).tolist()
        return replace(plain, low=min(low, value), high=max(high, value), method=DRAWN).times(PERCENT)

    def _undone(self, judge: str, found: Sequence[Found]) -> float:
        matcher = self.matchers[judge]
        t, f = (_average([float(one.is_paired) for one in group]) for group in (matcher.said, matcher.unsaid))
        return min(1.0, max(0.0, (_average([one.share for one in found]) - f) / (t - f)))

    def _rates(self, judge: str) -> tuple[Numbers, Numbers]:
        """Draws of t and f; t - f is kept from coming so near to 0 that a quotient could be anything."""
        if judge not in self._rates_of:
            rng = np.random.default_rng([self.seed, 1, sorted(self.matchers).index(judge)])
            matcher = self.matchers[judge]
            found, false = self._rate(matcher.said, rng), self._rate(matcher.unsaid, rng)
            self._rates_of[judge] = (np.maximum(found, false + CLEARLY / 10), false)
        return self._rates_of[judge]

    def _rate(self, tried: Sequence[Tried], rng: np.random.Generator) -> Numbers:
        values = [float(one.is_paired) for one in tried]
        pulls = _pulls(values, [one.piece for one in tried])
        return rng.beta(*self._shapes(pulls, _average(values), len(values)), self.draws)

    def _shapes(self, pulls: Numbers, share: float, points: int) -> tuple[float, float]:
        """Jeffreys' posterior at the effective number of points, fewer of them where there are few clusters."""
        weight = _weight(pulls, share, points, self.confidence)
        return weight * share + 0.5, weight * (1 - share) + 0.5

    def _shares(self, found: Sequence[Found], judges: Sequence[str]) -> Numbers:
        """Draws of what each judge finds; a cluster that pulls two judges the same way does so in every draw."""
        way = _way(found)
        clusters = sorted(set(way), key=repr)  # the order of the record must not show
        rng = np.random.default_rng([self.seed, 2])
        columns, shapes = [], []
        for judge in judges:
            mine = [(one, label) for one, label in zip(found, way, strict=True) if one.judge == judge]
            values = [one.share for one, _ in mine]
            pulls = _pulls(values, [label for _, label in mine], clusters)
            shapes.append(self._shapes(pulls, _average(values), sum(one.of for one, _ in mine)))
            size = math.sqrt(fsum((pulls**2).tolist()))
            columns.append(pulls / size if size > 0 else np.full(len(pulls), 1 / math.sqrt(len(pulls))))
        directions = np.stack(columns, axis=1)
        rows = max(1, CHUNK // len(clusters))
        normal = [
            rng.standard_normal((min(rows, self.draws - start), len(clusters))) @ directions
            for start in range(0, self.draws, rows)
        ]
        levels = special.ndtr(np.concatenate(normal)).T
        return np.stack(
            [special.betaincinv(*pair, level) for pair, level in zip(shapes, levels, strict=True)]
        )


def _average(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def way_of(places: Sequence[tuple[Hashable, Hashable]]) -> list[Hashable]:
    """By what values are clustered, of their pieces and sessions: by piece, or by session where there is one piece."""
    pieces = [piece for piece, _ in places]
    return pieces if len(set(pieces)) > 1 else [session for _, session in places]


def _way(found: Sequence[Found]) -> list[Hashable]:
    return way_of([(one.piece, one.session) for one in found])


def _pulls(values: Sequence[float], way: Sequence[Hashable], clusters: Sequence[Hashable] = ()) -> Numbers:
    """How far each cluster pulls the mean off."""
    rows = {label: number for number, label in enumerate(clusters or dict.fromkeys(way))}
    mean = _average(values)
    pulls = np.zeros(len(rows))
    for value, label in zip(values, way, strict=True):
        pulls[rows[label]] += (value - mean) / len(values)
    return pulls


def _weight(pulls: Numbers, share: float, points: int, confidence: float) -> float:
    """How many independent points leave as much doubt; one for each cluster where no spread can be seen.

    They are fewer where there are few clusters: as the quantile of t asks for, whose degrees of freedom are one less.
    """
    count, alone = len(pulls), share * (1 - share)
    level = (1 + confidence) / 2
    few = (float(special.ndtri(level)) / float(special.stdtrit(max(1, count - 1), level))) ** 2
    if alone <= 0 or count < 2:
        return count * few
    variance = count / (count - 1) * fsum((pulls**2).tolist())
    return few * (float(points) if variance * points <= alone else alone / variance)


def _exact(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Clopper and Pearson's interval, of a number of values that need not be whole."""
    rest, hits = (1 - confidence) / 2, share * n
    low = float(special.betaincinv(hits, n - hits + 1, rest)) if hits > 0 else 0.0
    high = float(special.betaincinv(hits + 1, n - hits, 1 - rest)) if hits < n else 1.0
    return low, high


def bounds(shares: Sequence[float], missing: int) -> tuple[float, float] | None:
    """The least and the most that a mean could be, in percent, if so many missing values were all 0, or all 1."""
    count = len(shares) + missing
    if not count:
        return None
    return PERCENT * fsum(shares) / count, PERCENT * (fsum(shares) + missing) / count
