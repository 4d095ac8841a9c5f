"""Pairs of labels for tests of agreement, and the measures that are tested alike."""

from collections.abc import Callable, Sequence
from typing import Any

from interplay.core.board import Estimate
from interplay.statistics.agreement import (
    Drawing,
    Pairs,
    f1,
    kappa,
    matthews,
    rank_correlation,
    weighted_kappa,
)

Agreement = Callable[[Pairs, Drawing], Estimate]
OF_YES_OR_NO: list[Agreement] = [f1, kappa, matthews]
ON_A_SCALE: list[Agreement] = [
    lambda pairs, drawing: weighted_kappa(pairs, drawing, levels=range(1, 6)),
    lambda pairs, drawing: rank_correlation(pairs, drawing, levels=range(1, 6)),
]


def pairs_of(table: Sequence[Sequence[int]], levels: Sequence[Any] = (False, True)) -> Pairs:
    """Pairs that make this table, the judge's label by row and that of people by column."""
    said = [
        (levels[row], levels[column])
        for row, cells in enumerate(table)
        for column, count in enumerate(cells)
        for _ in range(count)
    ]
    return Pairs([one for one, _ in said], [other for _, other in said])


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high
