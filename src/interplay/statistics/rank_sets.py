"""Which of many models are shown to differ, and between which ranks each of them must lie."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from interplay.statistics.comparing import (
    Codes,
    Compared,
    benjamini_hochberg,
    cluster_codes,
    coded_difference,
    holm,
)
from interplay.statistics.intervals import check_confidence, finite

Unit = TypeVar("Unit", bound=Hashable)
Numbers = NDArray[np.float64]

EQUAL = 1e-12  # of the larger: scores no further apart differ by the rounding of a mean alone


@dataclass(frozen=True)
class Pair:
    """How far the first model is above the second on the units that both have.

    The interval and its p-value are this pair's alone. What may be claimed of one pair among many hangs on
    Holm's p-value, what is worth a look on that of Benjamini and Hochberg; where the units of a pair are too
    few to ask there is none.
    """

    first: str
    second: str
    compared: Compared
    holm: float | None
    benjamini_hochberg: float | None


def all_pairs(
    values: Mapping[str, Mapping[Unit, float]],
    ways: Mapping[Unit, tuple[Hashable, ...]] | None = None,
    *,
    confidence: float = 0.95,
) -> list[Pair]:
    """Every two models compared on the units that both have: values[model][unit].

    The clusters of a unit stand in ways[unit], none, one or two of them and the same number for every unit.
    A pair that cannot be asked still counts among the comparisons, as one that shows nothing: which pairs are
    asked may hang on their values, and must not make the others easier to claim.
    """
    check_confidence(confidence)
    units = list(dict.fromkeys(unit for own in values.values() for unit in own))
    codes = _codes(units, ways)
    table = _table(values, units)
    named = list(combinations(values, 2))
    compared = [
        _compared(table[one], table[other], codes, confidence)
        for one, other in combinations(range(len(table)), 2)
    ]
    p_values = [1.0 if each.p_value is None else each.p_value for each in compared]
    adjusted = zip(holm(p_values), benjamini_hochberg(p_values), strict=True)
    return [
        Pair(*names, each, *((None, None) if each.p_value is None else both))
        for names, each, both in zip(named, compared, adjusted, strict=True)
    ]


def claims(pairs: Collection[Pair], *, error: float = 0.05) -> set[tuple[str, str]]:
    """The (loser, winner) of every pair that may be claimed, with all of them right but for this chance."""
    found = set()
    for pair in pairs:
        apart = pair.compared.difference.value
        if apart and pair.holm is not None and pair.holm <= error:
            found.add((pair.second, pair.first) if apart > 0 else (pair.first, pair.second))
    return found


def rank_sets(models: Collection[str], worse: Collection[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """The best and the worst rank that each model can have, given who is shown to be worse than whom.

    Each pair in worse is (loser, winner). If they are all true, every model's rank lies in its set, whoever
    of those not told apart is in truth the better: the sets are right together as often as the claims are.
    """
    pairs = set(worse)
    for loser, winner in pairs:
        if loser == winner or (winner, loser) in pairs:
            raise ValueError(f"{loser!r} cannot be both worse and better than {winner!r}")
        if unknown := {loser, winner}.difference(models):
            raise ValueError(f"{min(unknown)!r} is not among the models")
    beaten_by = dict.fromkeys(models, 0)
    above = dict.fromkeys(models, 0)
    for loser, winner in pairs:
        beaten_by[loser] += 1
        above[winner] += 1
    return {model: (1 + beaten_by[model], len(beaten_by) - above[model]) for model in beaten_by}


def _codes(units: Sequence[Unit], ways: Mapping[Unit, tuple[Hashable, ...]] | None) -> list[Codes]:
    if ways is None or not units:
        return []
    if without := [unit for unit in units if unit not in ways]:
        raise ValueError(f"the unit {without[0]!r} has no clusters")
    labels = [ways[unit] for unit in units]
    if len(set(map(len, labels))) > 1:
        raise ValueError("every unit must be clustered in the same number of ways")
    return cluster_codes(list(zip(*labels, strict=True)))


def _table(values: Mapping[str, Mapping[Unit, float]], units: Sequence[Unit]) -> Numbers:
    """One row for each model and one column for each unit, nan where it has no value."""
    places = {unit: place for place, unit in enumerate(units)}
    table = np.full((len(values), len(units)), np.nan)
    for row, own in zip(table, values.values(), strict=True):
        row[[places[unit] for unit in own]] = finite(list(own.values()))
    return table


def _compared(first: Numbers, second: Numbers, codes: Sequence[Codes], confidence: float) -> Compared:
    both = ~np.isnan(first) & ~np.isnan(second)
    one, other = first[both], second[both]
    apart = one - other
    apart[np.abs(apart) <= EQUAL * np.maximum(np.abs(one), np.abs(other))] = 0.0
    return coded_difference(apart, [way[both] for way in codes], confidence)
