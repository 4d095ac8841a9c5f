"""Linear and logistic regression with errors that hold where values of one cluster depend on each other."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from interplay.core.board import Estimate
from interplay.statistics import special

Numbers = NDArray[np.float64]

SAME = 1e-8  # of a column's length: what is left of one that the others make up
SETTLED = 1e-8  # in logits
# A coefficient that a prior of one hundred-millionth moves by half a logit against one of a ten-thousandth is held by
# the prior alone; where the data hold it, the two agree to the third place.
WEAK, WEAKER, MOVED = 1e-4, 1e-8, 0.5


@dataclass(frozen=True)
class Fit:
    """Coefficients with their variances (nan: not to be known); loose ones are held by the prior alone."""

    values: Numbers
    variances: Numbers
    loose: NDArray[np.bool_]
    n: int
    clusters: int
    light: "Fit | None" = None  # where some are loose: the same with each cluster weighing as one value

    def estimate(self, place: int, confidence: float, method: str) -> Estimate:
        """One coefficient with a t interval over clusters; no interval from fewer than two."""
        value = float(self.values[place])
        if self.clusters < 2:
            return Estimate(value, None, None, self.n, (self.clusters,), "none: a single cluster")
        if math.isnan(self.variances[place]):
            return Estimate(value, None, None, self.n, (self.clusters,), "none: rests on a single cluster")
        low, high = self._ends(place, confidence)
        if self.light and self.loose[place]:
            lighter = self.light._ends(place, confidence)
            low, high = min(low, lighter[0]), max(high, lighter[1])
        return Estimate(value, low, high, self.n, (self.clusters,), method)

    def _ends(self, place: int, confidence: float) -> tuple[float, float]:
        reach = float(special.stdtrit(self.clusters - 1, (1 + confidence) / 2))
        value, half = float(self.values[place]), reach * math.sqrt(float(self.variances[place]))
        return value - half, value + half


def told_apart(column: Numbers, others: Numbers) -> bool:
    """Whether a column says something that no sum of the other columns says."""
    length = float(np.linalg.norm(column))
    if length == 0:
        return False
    if others.shape[1] == 0:
        return True
    made_up = others @ np.linalg.lstsq(others, column, rcond=None)[0]
    return float(np.linalg.norm(column - made_up)) > SAME * length


def independent(columns: Numbers) -> Numbers:
    """The columns without those that earlier ones make up."""
    kept = np.empty((len(columns), 0))
    for column in columns.T:
        if told_apart(column, kept):
            kept = np.column_stack([kept, column])
    return kept


def least_squares(columns: Numbers, response: Numbers, clusters: Sequence[Hashable]) -> Fit:
    """The linear fit; columns must be independent of each other."""
    values: Numbers = np.asarray(np.linalg.solve(columns.T @ columns, columns.T @ response), dtype=np.float64)
    slopes = columns * (response - columns @ values)[:, np.newaxis]
    variances = _left_out(slopes, columns, np.ones(len(response)), clusters)
    loose = np.zeros(len(values), dtype=np.bool_)
    return Fit(values, variances, loose, len(response), len(set(clusters)))


def logistic(columns: Numbers, won: Numbers, clusters: Sequence[Hashable]) -> Fit:
    """The logistic fit with Firth's prior, which is less biased than without and finite for every outcome.

    The spread between clusters says nothing of a coefficient that the data leave open, such as the intercept
    where everything was won. Its interval reaches as far as the fit's own and that of a fit in which each
    cluster weighs as one value.
    """
    values, count = _firth(columns, won), len(set(clusters))
    line = columns @ values
    slopes = columns * (won - special.expit(line))[:, np.newaxis]
    variances = _left_out(slopes, columns, special.expit(line) * special.expit(-line), clusters)
    loose = np.abs(_ridged(columns, won, WEAKER) - _ridged(columns, won, WEAK)) > MOVED
    if not loose.any():
        return Fit(values, variances, loose, len(won), count)
    weight = count / len(won)
    weighed = _firth(columns, won, weight)
    own, light = (
        np.diag(np.linalg.inv(share * _information(columns, fitted)))
        for share, fitted in ((1.0, values), (weight, weighed))
    )
    variances = np.where(loose, own, variances)
    return Fit(values, variances, loose, len(won), count, Fit(weighed, light, ~loose, len(won), count))


def _left_out(slopes: Numbers, columns: Numbers, weights: Numbers, clusters: Sequence[Hashable]) -> Numbers:
    """The variances of the coefficients, from how far each would move if a cluster were left out (CR3).

    The plain sandwich (CR1) takes a cluster's residuals for its errors, though the fit has drawn near to the clusters
    that weigh most: with a dozen of them its intervals cover 91 to 94% of the time, these 94 to 95%. A coefficient
    that could not be fitted without one of the clusters has no variance (nan).
    """
    names = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    places = np.array([names[name] for name in clusters], dtype=np.intp)
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], np.arange(len(names)))
    sums = np.add.reduceat(slopes[order], starts)
    parts = np.stack(
        [
            (rows * own[:, np.newaxis]).T @ rows
            for rows, own in zip(
                np.split(columns[order], starts[1:]), np.split(weights[order], starts[1:]), strict=True
            )
        ]
    )
    # Scaled, so that what counts as nothing left does not hang on a column's unit.
    scale = 1 / np.sqrt(np.diag(parts.sum(axis=0)))
    roots, axes = np.linalg.eigh((parts.sum(axis=0) - parts) * np.outer(scale, scale))
    gone = roots < SAME
    inverse = np.where(gone, 0.0, 1 / np.where(gone, 1.0, roots))
    turned = np.einsum("gji,gj->gi", axes, sums * scale)
    moves = np.einsum("gij,gj->gi", axes, inverse * turned) * scale
    lost = (np.einsum("gij,gj->gi", axes**2, gone.astype(float)) > SAME).any(axis=0)
    count = len(names)
    return np.where(lost, np.nan, (count - 1) / count * np.einsum("gi,gi->i", moves, moves))


def _firth(columns: Numbers, won: Numbers, weight: float = 1.0) -> Numbers:
    """The coefficients under the prior of Jeffreys, by Newton's method with steps that only ever climb."""
    values: Numbers = np.zeros(columns.shape[1])
    height = _height(columns, won, weight, values)
    for _ in range(1_000):
        line = columns @ values
        chances = special.expit(line)
        weights = chances * special.expit(-line)
        back = np.linalg.solve(_information(columns, values), columns.T)
        leverage = weights * np.einsum("ij,ji->i", columns, back)
        slope = columns.T @ (weight * (won - chances) + leverage * (0.5 - chances))
        # The prior acts as so many more values, half of them won: they bend the curve as the others do.
        curve = (columns * (weights * (weight + leverage))[:, np.newaxis]).T @ columns
        step: Numbers = np.asarray(np.linalg.solve(curve, slope), dtype=np.float64)
        far = float(np.abs(step).max())
        step = step / max(1.0, far)
        while (reached := _height(columns, won, weight, values + step)) < height and far > SETTLED:
            step, far = step / 2, far / 2
        values, height = values + step, reached
        if far <= SETTLED:
            return values
    raise ArithmeticError("the coefficients did not settle")


def _height(columns: Numbers, won: Numbers, weight: float, values: Numbers) -> float:
    """The logarithm of the likelihood times the prior."""
    line = columns @ values
    likely = won @ special.log_expit(line) + (1 - won) @ special.log_expit(-line)
    return float(weight * likely + 0.5 * np.linalg.slogdet(_information(columns, values))[1])


def _information(columns: Numbers, values: Numbers) -> Numbers:
    line = columns @ values
    weights = special.expit(line) * special.expit(-line)
    return np.asarray((columns * weights[:, np.newaxis]).T @ columns)


def _ridged(columns: Numbers, won: Numbers, prior: float) -> Numbers:
    """The coefficients under a normal prior of this precision."""
    values = np.zeros(columns.shape[1])
    hold = prior * np.eye(len(values))
    for _ in range(1_000):
        line = columns @ values
        weights = special.expit(line) * special.expit(-line)
        # Winning and losing have a term each: 1 - expit(x) would round a near-certain outcome's slope away.
        slope = columns.T @ (won * special.expit(-line) - (1 - won) * special.expit(line)) - prior * values
        step = np.linalg.solve((columns * weights[:, np.newaxis]).T @ columns + hold, slope)
        reach = float(np.abs(columns @ step).max())
        # Steps of this length cannot overshoot: the third derivative of the logistic is below the second.
        values = values + step * (math.log1p(reach) / reach if reach else 1.0)
        if float(np.abs(step).max()) < MOVED / 1_000:
            return values
    raise ArithmeticError("the coefficients did not settle")
