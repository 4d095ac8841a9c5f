"""Where the variance of scores comes from: the subjects, or what they were measured with.

Every factor is taken as a draw of levels from many: these judges stand for judges. The components are those that make
the sums of squares come out as expected (Henderson's first method): the analysis of variance where the design is
balanced, and unbiased where it is not. For their intervals each sum of squares is divided by drawn chi-square numbers,
as it would be spread were the effects normal (generalised intervals). Resampling scenarios would show nothing of how
little three judges tell of judges.
"""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.intervals import check_confidence, check_draws, finite

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
Terms = Mapping[str, tuple[str, ...]]

RESIDUAL = "residual"
IN_RESIDUAL = "none: one value for each level, so not told apart from the residual"
METHOD, CLIPPED = "moments, generalised interval", "moments, generalised interval; below 0, given as 0"
# How much of two factors may be the same: 0 where they are crossed evenly, 1 where each level of one meets one level of
# the other. Beyond a quarter the few values that set them apart would decide which of them has the variance.
TOGETHER = 0.25


@dataclass(frozen=True)
class Score:
    """One value and the level of every factor that it was measured at."""

    value: float
    levels: Mapping[str, Hashable]


@dataclass(frozen=True)
class Component:
    """What one source adds to the variance of a single score, and which share of the whole that is."""

    factors: tuple[str, ...]
    averaged: tuple[str, ...]  # of these, what surely makes it smaller in a mean where there are more levels
    variance: Estimate
    share: Estimate


def usual_terms(factors: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The sources that a run can have, of these factors: subject, simulator, judge, scenario and repeat.

    A repeat is a conversation of its own: what it adds is told apart from the residual where several judges rate it.
    """
    terms: dict[str, tuple[str, ...]] = {
        name: (name,) for name in ("subject", "simulator", "judge", "scenario") if name in factors
    }
    if {"subject", "scenario"} <= set(factors):
        terms["subject x scenario"] = ("subject", "scenario")
    if "repeat" in factors:
        conversation = [name for name in ("subject", "simulator", "scenario") if name in factors]
        terms["repeat"] = (*conversation, "repeat")
    return terms


def variance_components(
    scores: Sequence[Score], terms: Terms, *, seed: int, draws: int = 4_000, confidence: float = 0.95
) -> dict[str, Component]:
    """Each source's component with its share, and the residual's; those that cannot be told apart have no value.

    Sources that (almost) always change together are given as one besides, under both names. Estimates below 0,
    which chance makes of small components, are given as 0, and `method` says so.
    """
    check_confidence(confidence)
    check_draws(draws)
    if RESIDUAL in terms:
        raise ValueError(f"{RESIDUAL!r} is what no source explains, and no source")
    values = np.array(finite([score.value for score in scores]))
    known, refused = _told_apart([_Source(name, of, of, _places(scores, of)) for name, of in terms.items()])
    refusals = {source.name: source.nothing(reason) for source, reason in refused}
    everything = _Source(RESIDUAL, (), (), np.arange(len(scores)))
    if len(scores) < 2:
        return refusals | {RESIDUAL: everything.nothing("none: too few values")}
    squares = _sums_of_squares(values, [*known, everything])
    if squares.alike or squares.freedom.min() < 1:
        why = "none: no variation" if squares.alike else "none: too few values"
        return {source.name: source.nothing(why) for source in squares.sources} | refusals
    drawing = np.random.default_rng(seed).chisquare(squares.freedom, (draws, len(squares.sources)))
    return _components(squares, drawing, confidence) | refusals


@dataclass(frozen=True)
class Precision:
    """How well a study would measure."""

    mean: float  # the width of the interval of a subject's mean
    difference: float  # of the difference of two subjects who meet the same scenarios, judges and simulators
    dependability: float | None  # the share of the variance of such means that is the subjects' own


def foreseen(
    components: Mapping[str, Component],
    counts: Mapping[str, int],
    *,
    subject: str = "subject",
    fixed: Collection[str] = (),
    confidence: float = 0.95,
) -> Precision:
    """The precision with so many levels of each factor for every subject, all crossed (a D study).

    The intervals speak of other scenarios and judges as well, but of these levels alone for fixed factors. The
    components are taken as known. What could not be told apart from the residual is taken to be all of it, so that more
    judges do not seem to make up for few scenarios; a source without a value is taken to add nothing.
    """
    check_confidence(confidence)
    asked = {factor for part in components.values() for factor in part.factors} - {subject}
    if joint := [name for name, part in components.items() if subject in part.factors and not part.averaged]:
        raise ValueError(f"no study can tell what is the subjects' own of {joint[0]!r}")
    if missing := sorted(name for name in asked if counts.get(name, 0) < 1):
        raise ValueError(f"how many levels of {missing[0]!r} there would be must be a number from 1")
    within = [{*part.factors} for part in components.values() if part.variance.method == IN_RESIDUAL]
    own = mean = difference = 0.0
    for name, part in components.items():
        residual, variance = name == RESIDUAL, part.variance.value or 0.0
        averaged = asked.intersection(*within) if residual else {*part.averaged} - {subject}
        error = variance / math.prod(counts[factor] for factor in averaged)
        if part.factors == (subject,):
            own = variance
        elif residual or not {*part.factors} <= {subject, *fixed}:
            mean += error
            difference += 2 * error if residual or subject in part.factors else 0.0
    reach = 2 * float(special.ndtri((1 + confidence) / 2))
    dependability = own / (own + mean) if own + mean else None
    return Precision(reach * math.sqrt(mean), reach * math.sqrt(difference), dependability)


@dataclass(frozen=True, eq=False)
class _Source:
    """A source of variance: which of its levels each value belongs to."""

    name: str
    factors: tuple[str, ...]
    averaged: tuple[str, ...]
    places: Places

    @property
    def n(self) -> int:
        return len(self.places)

    @property
    def levels(self) -> int:
        return int(self.places.max(initial=-1)) + 1

    def tells(self, other: "_Source") -> bool:
        """Whether a level of this source always comes with the same level of the other."""
        return len(np.unique(self.places * other.levels + other.places)) == self.levels

    def same_as(self, other: "_Source") -> bool:
        return self.levels == other.levels and self.tells(other)

    def goes_with(self, other: "_Source") -> bool:
        """Whether both are the same, or much of either shows between the levels of the other."""
        if self.tells(other) or other.tells(self):
            return self.same_as(other)  # else one is within the other, and a finer source
        shown = _expected(self, other) * _expected(other, self)
        return shown > TOGETHER * _expected(self, self) * _expected(other, other)

    def nothing(self, reason: str) -> Component:
        bare = Estimate(None, None, None, self.n, (), reason)
        return Component(self.factors, self.averaged, bare, bare)


def _expected(between: _Source, source: _Source) -> float:
    """How often a source's component is in the sum of squares between levels, about the mean."""
    cells, counts = np.unique(between.places * source.levels + source.places, return_counts=True)
    sizes = np.bincount(between.places)[cells // source.levels]
    evenly = float(np.sum(np.bincount(source.places).astype(float) ** 2)) / source.n
    return float(np.sum(counts**2 / sizes)) - evenly


def _places(scores: Sequence[Score], factors: Iterable[str]) -> Places:
    """Which level of a source each value belongs to."""
    names: dict[tuple[Hashable, ...], int] = {}
    chosen = tuple(factors)
    try:
        return np.array(
            [names.setdefault(tuple(score.levels[each] for each in chosen), len(names)) for score in scores],
            dtype=np.intp,
        )
    except KeyError as missing:
        raise ValueError(f"a score has no level of {missing.args[0]!r}") from None


def _told_apart(sources: Sequence[_Source]) -> tuple[list[_Source], list[tuple[_Source, str]]]:
    """The sources that have a component of their own, coarse ones first, and why the others have none."""
    refused = [(source, "none: a single level") for source in sources if source.levels < 2]
    refused += [(source, IN_RESIDUAL) for source in sources if 2 <= source.levels == source.n]
    known = []
    for group in _together([source for source in sources if 2 <= source.levels < source.n]):
        for source in group if len(group) > 1 else ():
            others = [other for other in group if other is not source]
            often = "always" if all(source.same_as(other) for other in others) else "almost always"
            names = " and ".join(other.name for other in others)
            refused.append((source, f"none: {often} changes together with {names}"))
        whole = _as_one(group)
        if whole.levels < whole.n:
            known.append(whole)
    return sorted(known, key=lambda source: source.levels), refused


def _together(sources: Sequence[_Source]) -> list[list[_Source]]:
    """The sources in groups of those that change together, directly or through others."""
    groups: list[list[_Source]] = []
    for source in sources:
        linked = [group for group in groups if any(source.goes_with(other) for other in group)]
        groups = [group for group in groups if group not in linked]
        groups.append([*(other for group in linked for other in group), source])
    return groups


def _as_one(group: Sequence[_Source]) -> _Source:
    """What changes where any of these changes, so that their variance does not fall to others."""
    if len(group) == 1:
        return group[0]
    factors = dict.fromkeys(factor for source in group for factor in source.factors)
    shared = tuple(factor for factor in factors if all(factor in source.averaged for source in group))
    places = np.unique(np.column_stack([source.places for source in group]), axis=0, return_inverse=True)[1]
    name = " = ".join(source.name for source in group)
    return _Source(name, tuple(factors), shared, places.astype(np.intp).ravel())


@dataclass(frozen=True)
class _Squares:
    """Sums of squares, one for each source, and what each is expected to be made of."""

    sources: tuple[_Source, ...]
    sums: Numbers
    freedom: Numbers
    makeup: Numbers  # rows: sums of squares; columns: how much of each component is in them
    alike: bool  # all values, but for rounding


def _sums_of_squares(values: Numbers, sources: Sequence[_Source]) -> _Squares:
    """Between the levels of each source, less what coarser sources that its levels tell have already."""
    deviations = values - values.mean()
    count = len(sources)
    sums, freedom, makeup = np.zeros(count), np.zeros(count), np.zeros((count, count))
    for row, own in enumerate(sources):
        sums[row] = float(np.sum(np.bincount(own.places, deviations) ** 2 / np.bincount(own.places)))
        freedom[row] = own.levels - 1
        makeup[row] = [_expected(own, other) for other in sources]
        for coarser in range(row):
            if own.tells(sources[coarser]):
                sums[row] -= sums[coarser]
                freedom[row] -= freedom[coarser]
                makeup[row] -= makeup[coarser]
    alike = float(np.abs(deviations).max()) <= 1e-12 * float(np.abs(values).max())
    return _Squares(tuple(sources), sums, freedom, makeup, alike)


def _components(squares: _Squares, drawing: Numbers, confidence: float) -> dict[str, Component]:
    raw = np.linalg.solve(squares.makeup, squares.sums)
    variances = np.maximum(raw, 0.0)
    # In an uneven design a difference of squares can come out below 0, where there is next to nothing.
    sums = np.maximum(squares.sums, 0.0) * squares.freedom / drawing
    drawn = np.maximum(np.linalg.solve(squares.makeup, sums.T).T, 0.0)
    shares = drawn / np.maximum(drawn.sum(axis=1, keepdims=True), 1e-300)
    found = {}
    for place, source in enumerate(squares.sources):
        method = CLIPPED if raw[place] < 0 else METHOD
        clusters = () if source.name == RESIDUAL else (source.levels,)
        variance, share = float(variances[place]), float(variances[place] / variances.sum())
        found[source.name] = Component(
            source.factors,
            source.averaged,
            Estimate(variance, *_ends(drawn[:, place], variance, confidence), source.n, clusters, method),
            Estimate(share, *_ends(shares[:, place], share, confidence), source.n, clusters, method),
        )
    return found


def _ends(drawn: Numbers, value: float, confidence: float) -> tuple[float, float]:
    share = (1 - confidence) / 2
    low, high = np.quantile(drawn, (share, 1 - share)).tolist()
    return min(low, value), max(high, value)
