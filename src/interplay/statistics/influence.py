"""How uncertain a sum is whose parts depend on each other within clusters, in one way or two."""

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Ways = Sequence[Sequence[Hashable]]


def check_ways(n: int, ways: Ways) -> None:
    """Values are independent, or clustered in one way or two, with a label for each."""
    if len(ways) > 2:
        raise ValueError(f"values are clustered in at most two ways, not {len(ways)}")
    for way in ways:
        if len(way) != n:
            raise ValueError(f"{n} values but {len(way)} cluster labels")


def clusters_of(ways: Ways, seen: NDArray[np.bool_] | None = None) -> tuple[int, ...]:
    """How many clusters each way has, or how many of them hold an item that was seen."""
    return tuple(
        len({label for place, label in enumerate(way) if seen is None or seen[place]}) for way in ways
    )


def variance_of_sum(parts: Numbers, ways: Ways, seen: NDArray[np.bool_] | None = None) -> float:
    """The variance of the sum of parts around 0 that depend on each other only within a cluster.

    Two ways: Cameron, Gelbach and Miller (2011). Where some items were seen better than others (they carry a
    person's label), it is the number of clusters with such items that says how much is known about the
    spread. A way in which all that was seen is one cluster tells nothing and must be left out by the caller.
    """
    mask = np.ones(len(parts), dtype=bool) if seen is None else seen
    if not ways:
        count = int(mask.sum())
        return count / (count - 1) * math.fsum((parts**2).tolist())
    single = [_squares(parts, way, mask) for way in ways]
    if len(ways) == 1:
        return single[0]
    cells = _squares(parts, list(zip(*ways, strict=True)), mask)
    # Dependence in a second way cannot make a sum more certain: the larger of both is the least that is claimed.
    return max(sum(single) - cells, *single)


def smallest_step(*values: Sequence[float]) -> float | None:
    """The least distance of two values on the scale that they show; None where they are all one."""
    levels = np.unique(np.asarray([value for several in values for value in several], dtype=float))
    return float(np.diff(levels).min()) if len(levels) > 1 else None


def unseen(step: float, n: int, design: float) -> float:
    """What one item a step up and one a step down would add to the variance of a mean of n items.

    On a coarse scale, few items that differ can all happen to differ in one direction, or not to be among
    those seen. Without this the interval of a good judge would rest on the errors that the labels missed. The
    design effect is how much more uncertain clusters make the mean than independent items would.
    """
    return 2 * (step / n) ** 2 * design


def design_effect(variance: float, independent: float, n: int, clusters: Sequence[int]) -> float:
    """How much clusters add to the variance: at least nothing, at most as if all of a cluster were one item."""
    most = n / min(clusters, default=n)
    return min(max(variance / independent, 1.0), most) if independent > 0 else most


def _squares(parts: Numbers, way: Sequence[Any], seen: NDArray[np.bool_]) -> float:
    numbers = {label: number for number, label in enumerate(dict.fromkeys(way))}
    places = np.fromiter((numbers[label] for label in way), dtype=np.intp, count=len(parts))
    sums = np.bincount(places, weights=parts, minlength=len(numbers))
    count = len(np.unique(places[seen]))
    return count / (count - 1) * math.fsum((sums**2).tolist())
