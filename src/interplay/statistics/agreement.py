"""How far a judge and people agree, and people among themselves, with intervals that hold at fifty items.

The intervals are quantiles of tables drawn around the one that was counted: each cell is a gamma number whose shape is
the cell's count and a part of the PRIOR, one pair that agrees and one that does not. For yes and no that is half a pair
in each of four cells, Jeffreys' prior. Resampling the pairs cannot draw a disagreement that happened not to be among
them: at a kappa of .96 and fifty pairs its intervals, percentile or BCa, cover the truth 60 to 63% of the time.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import check_confidence, check_draws, finite, rate

Numbers = NDArray[np.float64]
Statistic = Callable[
    [Numbers], Numbers
]  # of tables, the last two axes of an array; nan where it is undefined
Label = bool | int | float | str
Measure = Literal["nominal", "ordinal", "interval", "ratio"]

PRIOR = 1.0  # pairs that agree, and as many that do not
NEAR = 3  # on a scale, the pairs that do not agree are mostly neighbours: 1 / distance to this power
CELLS = 500_000  # numbers held at a time, four megabytes an array
MOST = 20 * CELLS  # numbers drawn for an interval; fewer draws of large tables, but never below 1,000
MOST_LEVELS = 100
STEP = 1e-5  # of a numeric derivative
UNDEFINED, FEW, ONE_CLUSTER = "none: no variation", "none: fewer than two", "none: a single cluster"
DRAWN, DRAWN_BY_CLUSTER = "dirichlet", "clustered dirichlet"


@dataclass(frozen=True)
class Pairs:
    """What a judge and people said of the same items; items of one cluster may depend on each other."""

    judge: Sequence[Label]
    people: Sequence[Label]
    clusters: Sequence[Hashable] | None = None

    def __post_init__(self) -> None:
        if len(self.judge) != len(self.people):
            raise ValueError(f"{len(self.judge)} labels of the judge but {len(self.people)} of people")
        if self.clusters is not None and len(self.clusters) != len(self.judge):
            raise ValueError(f"{len(self.judge)} pairs but {len(self.clusters)} cluster labels")


@dataclass(frozen=True)
class Drawing:
    """How an interval is drawn."""

    seed: int
    draws: int = 10_000
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_draws(self.draws)
        check_confidence(self.confidence)

    def quantiles(self, drawn: Numbers, value: float) -> tuple[float, float]:
        """Both ends, never on one side of the value: the prior pulls them away from perfect agreement."""
        share = (1 - self.confidence) / 2
        low, high = np.quantile(drawn[np.isfinite(drawn)], (share, 1 - share)).tolist()
        return min(low, value), max(high, value)

    def shrink(self, count: int) -> float:
        """The part of the data that leaves as much doubt as t with (count - 1) degrees of freedom asks for."""
        share = (1 + self.confidence) / 2
        return float(special.ndtri(share) / special.stdtrit(count - 1, share)) ** 2


def accuracy(pairs: Pairs, *, confidence: float = 0.95) -> Estimate:
    """The share of items on which both say the same, with Wilson's interval, or the clustered one."""
    same = [one == other for one, other in zip(pairs.judge, pairs.people, strict=True)]
    if pairs.clusters is not None:
        return clustered_rate(same, pairs.clusters, confidence=confidence)
    return rate(sum(same), len(same), confidence=confidence)


def f1(pairs: Pairs, drawing: Drawing) -> Estimate:
    """The harmonic mean of precision and recall of yes; undefined where nobody ever said yes."""
    return _estimate(_yes_or_no(pairs), (False, True), _f1, drawing)


def matthews(pairs: Pairs, drawing: Drawing) -> Estimate:
    """The correlation of yes and no; undefined where one side always says the same."""
    return _estimate(_yes_or_no(pairs), (False, True), _matthews, drawing)


def kappa(pairs: Pairs, drawing: Drawing, *, levels: Sequence[Label] = ()) -> Estimate:
    """Cohen's kappa, all disagreements alike; undefined where both always say the same one thing.

    The levels are the classes there are, where more may come than were seen.
    """
    known = _levels(pairs, levels)
    return _estimate(pairs, known, _kappa(1.0 - np.eye(len(known))), drawing)


def weighted_kappa(pairs: Pairs, drawing: Drawing, *, levels: Sequence[float] = ()) -> Estimate:
    """Cohen's kappa of numbers, disagreements weighed by the square of their difference."""
    known = _numbers(pairs, levels)
    apart = np.subtract.outer(np.asarray(known), np.asarray(known)) ** 2
    return _estimate(pairs, known, _kappa(apart), drawing, ordered=True)


def rank_correlation(pairs: Pairs, drawing: Drawing, *, levels: Sequence[float] = ()) -> Estimate:
    """Spearman's correlation on a scale of few levels; undefined where one side always says the same.

    Intervals made for values without ties, as correlation.spearman has, cover as little as 42% of the time where judge
    and people nearly always choose the same of a few levels.
    """
    known = _numbers(pairs, levels)
    if len(pairs.judge) < 3:  # two ranks are always a line
        return Estimate(None, None, None, len(pairs.judge), _counted(pairs), "none: fewer than three")
    return _estimate(pairs, known, _spearman, drawing, ordered=True)


def _yes_or_no(pairs: Pairs) -> Pairs:
    for label in (*pairs.judge, *pairs.people):
        if not isinstance(label, bool | np.bool_):
            raise ValueError(f"labels must be True or False here, not {label!r}")
    return pairs


def _levels(pairs: Pairs, given: Sequence[Label]) -> tuple[Label, ...]:
    found = {*given, *pairs.judge, *pairs.people}
    try:
        return tuple(sorted(found))
    except TypeError:
        raise ValueError("labels must be of one kind, numbers or texts") from None


def _numbers(pairs: Pairs, given: Sequence[float]) -> tuple[float, ...]:
    said = (*given, *pairs.judge, *pairs.people)
    if not all(isinstance(label, int | float) for label in said):
        raise ValueError("labels on a scale must be numbers")
    levels = tuple(sorted(set(finite([float(label) for label in said]))))
    if len(levels) > MOST_LEVELS:
        raise ValueError(f"{len(levels)} levels are no scale of few; correlate such numbers")
    return levels


def _counted(pairs: Pairs) -> tuple[int, ...]:
    return () if pairs.clusters is None else (len(set(pairs.clusters)),)


def _estimate(
    pairs: Pairs, levels: Sequence[Label], statistic: Statistic, drawing: Drawing, ordered: bool = False
) -> Estimate:
    tables = _tables(pairs, levels)
    table = tables.sum(axis=0)
    n, clusters = len(pairs.judge), _counted(pairs)
    value = float(statistic(table)) if n else math.nan
    if not math.isfinite(value):
        return Estimate(None, None, None, n, clusters, UNDEFINED if n > 1 else FEW)
    if n < 2 or clusters == (1,):
        return Estimate(value, None, None, n, clusters, FEW if n < 2 else ONE_CLUSTER)
    weight = 1.0 if pairs.clusters is None else _weight(tables, statistic)
    weight *= drawing.shrink(clusters[0] if clusters else n)
    drawn = _drawn(weight * table + _prior(len(levels), ordered), statistic, drawing)
    ends = drawing.quantiles(drawn, value)
    return Estimate(value, *ends, n, clusters, DRAWN_BY_CLUSTER if clusters else DRAWN)


def _tables(pairs: Pairs, levels: Sequence[Label]) -> Numbers:
    """How often each pair of labels came, in each cluster; a single table where there are none.

    Which side is whose cannot show in any of the statistics: the larger of the two ways to lay them out is taken.
    """
    place = {level: number for number, level in enumerate(levels)}
    labels = pairs.clusters if pairs.clusters is not None else [0] * len(pairs.judge)
    names = {name: number for number, name in enumerate(dict.fromkeys(labels))}
    tables = np.zeros((max(1, len(names)), len(levels), len(levels)))
    for one, other, name in zip(pairs.judge, pairs.people, labels, strict=True):
        tables[names[name], place[one], place[other]] += 1
    turned = np.ascontiguousarray(tables.transpose(0, 2, 1))  # so that sums round alike
    return tables if tables.sum(axis=0).ravel().tolist() >= turned.sum(axis=0).ravel().tolist() else turned


def _prior(count: int, ordered: bool) -> Numbers:
    """The pair that agrees spread over all levels, and the one that does not over all ways not to."""
    if count < 2:
        return np.full((count, count), PRIOR)
    apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count))).astype(float)
    differing = np.where(apart > 0, np.maximum(apart, 1.0) ** (-NEAR if ordered else 0), 0.0)
    return np.asarray(PRIOR * (np.eye(count) / count + differing / differing.sum()))


def _weight(tables: Numbers, statistic: Statistic) -> float:
    """How many independent pairs leave as much doubt as one of these does, by the spread between clusters.

    At most one; and one for each cluster where no spread can be seen, as under perfect agreement.
    """
    table = tables.sum(axis=0)
    n, count = float(table.sum()), len(tables)
    shares = table / n
    pulls = np.zeros_like(shares)
    for cell in zip(*np.nonzero(table), strict=True):
        change = -shares
        change[cell] += 1.0
        pulls[cell] = (statistic(shares + STEP * change) - statistic(shares - STEP * change)) / (2 * STEP)
    alone = math.fsum((shares * pulls**2).ravel())
    sums = np.einsum("gij,ij->g", tables, pulls)
    together = count / (count - 1) * math.fsum(sums**2) / n
    if not math.isfinite(alone) or alone <= 1e-12:
        return count / n
    return min(1.0, alone / together) if together > 0 else 1.0


def _drawn(shapes: Numbers, statistic: Statistic, drawing: Drawing) -> Numbers:
    rng = np.random.default_rng(drawing.seed)
    rows = max(1, CELLS // shapes.size)
    draws = min(drawing.draws, max(1_000, MOST // shapes.size))
    parts = []
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        parts.append(statistic(rng.standard_gamma(shapes, size=(count, *shapes.shape))))
    return np.concatenate(parts)


def _quotient(above: Numbers, below: Numbers) -> Numbers:
    """One over the other, and nan where there is nothing to divide by."""
    there = below > 0
    return np.where(there, above / np.where(there, below, 1.0), np.nan)


def _f1(tables: Numbers) -> Numbers:
    both = 2 * tables[..., 1, 1]
    return _quotient(both, both + tables[..., 0, 1] + tables[..., 1, 0])


def _matthews(tables: Numbers) -> Numbers:
    tables = tables / tables.sum(axis=(-1, -2), keepdims=True)
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    above = tables[..., 0, 0] * tables[..., 1, 1] - tables[..., 0, 1] * tables[..., 1, 0]
    return np.clip(_quotient(above, np.sqrt(rows.prod(axis=-1) * columns.prod(axis=-1))), -1.0, 1.0)


def _kappa(weights: Numbers) -> Statistic:
    """One less the disagreement there is over the one there would be by chance."""

    def statistic(tables: Numbers) -> Numbers:
        tables = tables / tables.sum(axis=(-1, -2), keepdims=True)
        found = np.einsum("...ij,ij->...", tables, weights)
        chance = np.einsum("...i,ij,...j->...", tables.sum(axis=-1), weights, tables.sum(axis=-2))
        return 1 - _quotient(found, chance)

    return statistic


def _spearman(tables: Numbers) -> Numbers:
    tables = tables / tables.sum(axis=(-1, -2), keepdims=True)
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    one, other = _ranks(rows), _ranks(columns)
    above = np.einsum("...ij,...i,...j->...", tables, one, other)
    spread = (rows * one**2).sum(axis=-1) * (columns * other**2).sum(axis=-1)
    below = np.where(spread < 1e-20, 0.0, np.sqrt(spread))
    return np.clip(_quotient(above, below), -1.0, 1.0)


def _ranks(shares: Numbers) -> Numbers:
    """The average rank of each level, as a share, about the middle."""
    return np.asarray(np.cumsum(shares, axis=-1) - shares / 2 - 0.5)


@dataclass(frozen=True)
class _Rated:
    """Items with the values that raters gave them, as Krippendorff counts pairs of values within an item."""

    levels: tuple[Label, ...]
    measure: Measure
    kinds: Numbers = field(repr=False)  # of the items that differ, the table of each
    counts: Numbers = field(repr=False)  # how often each came

    def disagreement(self, shares: Numbers) -> Numbers:
        """How far any two levels are apart, under these shares of the levels."""
        if self.measure == "nominal":
            return 1.0 - np.eye(len(self.levels))
        if self.measure == "ordinal":
            ranks = _ranks(shares)
            return np.asarray((ranks[..., :, np.newaxis] - ranks[..., np.newaxis, :]) ** 2)
        values = np.asarray(self.levels, dtype=float)
        apart, sums = np.subtract.outer(values, values), np.add.outer(values, values)
        if self.measure == "ratio":
            apart = np.where(sums > 0, apart / np.where(sums > 0, sums, 1.0), 0.0)
        return np.asarray(apart**2)

    def alpha(self, tables: Numbers, less: float = 0.0) -> Numbers:
        """One less the disagreement within items over the one between any two values; less than all, of few."""
        total = tables.sum(axis=(-1, -2))
        shares = tables.sum(axis=-1) / total[..., np.newaxis]
        apart = np.broadcast_to(self.disagreement(shares), tables.shape)
        found = np.einsum("...ij,...ij->...", tables, apart) / total
        chance = np.einsum("...i,...j,...ij->...", shares, shares, apart)
        return 1 - _quotient(found * (1 - less / total), np.where(chance > 1e-15, chance, 0.0))


def krippendorff(
    items: Sequence[Sequence[Label | None]],
    drawing: Drawing,
    *,
    measure: Measure = "nominal",
    levels: Sequence[Label] = (),
) -> Estimate:
    """Krippendorff's alpha among raters: the values of each item, None where a rater gave none.

    Items are drawn with gamma weights, each as a whole, beside one item on which all agree and one with a single
    dissenter. An item with fewer than two values is no part of it; undefined where all values are equal.
    """
    rated = _rated(items, measure, levels)
    n = int(rated.counts.sum())
    if n == 0:
        return Estimate(None, None, None, 0, (), FEW)
    table = np.einsum("k,kij->ij", rated.counts, rated.kinds)
    value = float(rated.alpha(table, 1.0))
    if not math.isfinite(value):
        return Estimate(None, None, None, n, (), UNDEFINED)
    if n < 2:
        return Estimate(value, None, None, n, (), FEW)
    return Estimate(value, *drawing.quantiles(_redrawn(rated, n, drawing), value), n, (), DRAWN)


def _rated(items: Sequence[Sequence[Label | None]], measure: Measure, levels: Sequence[Label]) -> _Rated:
    given = [[value for value in item if value is not None] for item in items]
    given = [item for item in given if len(item) > 1]
    said = Pairs([value for item in given for value in item], [value for item in given for value in item])
    known: tuple[Label, ...] = _levels(said, levels)
    if measure in ("interval", "ratio"):
        known = _numbers(said, levels)  # type: ignore[arg-type]  # refuses texts
        if measure == "ratio" and known and float(known[0]) < 0:
            raise ValueError("a ratio scale has no values below 0")
    place = {level: number for number, level in enumerate(known)}
    kinds = Counter(tuple(sorted(place[value] for value in item)) for item in given)
    tables = []
    for kind in sorted(kinds):
        times = np.bincount(np.asarray(kind), minlength=len(known)).astype(float)
        tables.append((np.outer(times, times) - np.diag(times)) / (len(kind) - 1))
    counts = np.array([float(kinds[kind]) for kind in sorted(kinds)])
    return _Rated(known, measure, np.array(tables), counts)


def _redrawn(rated: _Rated, n: int, drawing: Drawing) -> Numbers:
    """Alpha of tables drawn item by item, with the two items of the prior."""
    rng, count = np.random.default_rng(drawing.seed), len(rated.levels)
    raters = float(np.einsum("k,kij->", rated.counts, rated.kinds)) / n
    prior = _prior(count, ordered=rated.measure != "nominal")
    agreed, differing = np.diag(prior), 2 * np.triu(prior, 1)
    shapes = rated.counts * drawing.shrink(n)
    flat = rated.kinds.reshape(len(shapes), -1)
    upper, eye = np.triu(np.ones((count, count)), 1), np.eye(count)
    rows = max(1, CELLS // max(count**2, len(shapes)))
    parts = []
    for start in range(0, drawing.draws, rows):
        size = min(rows, drawing.draws - start)
        tables = (rng.standard_gamma(shapes, (size, len(shapes))) @ flat).reshape(size, count, count)
        alike = raters * rng.standard_gamma(agreed, (size, count))
        # One dissenter among m raters makes two values' worth of disagreement; the others agree with each other.
        apart = rng.standard_gamma(np.maximum(differing, 1e-12), (size, count, count)) * upper
        alike += (raters - 2) / 2 * (apart.sum(axis=1) + apart.sum(axis=2))
        tables += apart + apart.transpose(0, 2, 1) + alike[:, :, np.newaxis] * eye
        parts.append(rated.alpha(tables))
    return np.concatenate(parts)
