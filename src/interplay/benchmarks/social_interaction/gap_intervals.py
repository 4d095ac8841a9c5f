"""Intervals of F-scores, of their gap and of their difference, where windows of one session are alike.

An F-score is a share: of all that was named and all that is true, it is the part that found its partner. So it
has the interval of a clustered rate, and two of them are put together by the distances to their own limits, with
how much both readers go up and down together from session to session (Zou and Donner 2008; Donner and Zou 2012).

Percentiles of resampled sessions are no match: over eight sessions they hold a middling gap in nine cases of ten,
over 20 a gap near 1 in three of four, and a reader that had nothing right would be known exactly. A gap of 0 is
next to never within percentiles of resampled gaps, none of which is negative.
"""

import math
from collections.abc import Mapping

from interplay.benchmarks.social_interaction.gap import Counts, Tally, gap
from interplay.core.board import Estimate
from interplay.statistics import special
from interplay.statistics.clustered_rates import clustered_rate

CONFIDENCE = 0.95


def f1_of(tally: Tally) -> Estimate:
    """The F-score over all windows together, with Wilson's interval at the effective number of values.

    As in a clustered rate, but that what found its partner comes in twos: there are never more values than half
    of what was named and is true.
    """
    value, sessions = tally.total.f1, len(tally.by_session)
    if value is None or sessions < 2:
        return Estimate(value, None, None, tally.windows, (sessions,), "none")
    together = tally.total.named + tally.total.true
    alone = value * (1 - value)
    squares = math.fsum(residual**2 for residual in _residuals(tally).values())
    variance = sessions / (sessions - 1) * squares / together**2
    effective = min(alone / variance if variance else math.inf, together / 2) if alone else float(sessions)
    t = float(special.stdtrit(sessions - 1, (1 + CONFIDENCE) / 2))
    ends = _wilson_low(value, effective, t), 1 - _wilson_low(1 - value, effective, t)
    return Estimate(value, *ends, tally.windows, (sessions,), "clustered wilson")


def _wilson_low(share: float, n: float, quantile: float) -> float:
    half = quantile * math.sqrt(share * (1 - share) / n + (quantile / (2 * n)) ** 2)
    return share**2 / (share + quantile**2 / (2 * n) + half)


def precision_of(tally: Tally) -> Estimate:
    """The share of the named that is right."""
    return _rate({session: (one.right, one.named) for session, one in tally.by_session.items()})


def recall_of(tally: Tally) -> Estimate:
    """The share of what there is that was named."""
    return _rate({session: (one.right, one.true) for session, one in tally.by_session.items()})


def _rate(parts: Mapping[str, tuple[int, int]]) -> Estimate:
    successes: list[bool] = []
    way: list[str] = []
    for session, (some, all_of_them) in sorted(parts.items()):
        successes += [True] * some + [False] * (all_of_them - some)
        way += [session] * all_of_them
    return clustered_rate(successes, way)


def gap_of(real: Tally, generated: Tally) -> Estimate:
    """The gap of two readers of the same windows: the distance from 0 of the signed gap, and of its interval.

    An interval that holds 0 on its signed scale begins at 0.
    """
    f_r, f_g = f1_of(real), f1_of(generated)
    found = gap(f_r.value, f_g.value)
    if found is None or f_r.low is None or f_g.low is None:
        value = None if found is None else found.value
        return Estimate(value, None, None, generated.windows, f_g.clusters, "none")
    low, high = _signed(f_r, f_g, _together(real, generated))
    near = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    far = max(abs(low), abs(high))
    ends = (min(near, found.value), max(far, found.value))  # rounding alone can leave the value outside
    return Estimate(found.value, *ends, generated.windows, f_g.clusters, "clustered mover")


def difference_of(one: Tally, other: Tally) -> Estimate:
    """How much higher the first reader's F-score is, on the same windows."""
    first, second = f1_of(one), f1_of(other)
    if first.value is None or second.value is None:
        return Estimate(None, None, None, one.windows, first.clusters, "none")
    value = first.value - second.value
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return Estimate(value, None, None, one.windows, first.clusters, "none")
    alike = _together(one, other)
    down = _joined(first.value - first.low, second.high - second.value, alike)
    up = _joined(first.high - first.value, second.value - second.low, alike)
    return Estimate(value, value - down, value + up, one.windows, first.clusters, "clustered mover")


def _joined(one: float, other: float, alike: float) -> float:
    """The distance to a limit of a difference, from those of its two sides."""
    return math.sqrt(max(0.0, one**2 + other**2 - 2 * alike * one * other))


def _signed(f_r: Estimate, f_g: Estimate, alike: float) -> tuple[float, float]:
    """The limits of (f_r - f_g) / (f_r + f_g), which falls as f_g / f_r rises: those of the ratio, turned."""
    low, high = _ratio_limits(f_g, f_r, alike)
    return (1 - high) / (1 + high) if math.isfinite(high) else -1.0, (1 - low) / (1 + low)


def _ratio_limits(above: Estimate, below: Estimate, alike: float) -> tuple[float, float]:
    """The ratios x at which a limit of above - x * below is 0; the upper one may be infinite."""
    g, g_low, g_high = _known(above)
    r, r_low, r_high = _known(below)
    # (g - x r)^2 = dg^2 + x^2 dr^2 - 2 alike x dg dr, where dg and dr are the distances to one limit of g and to
    # the other limit of r: a x^2 - 2 b x + c = 0.
    a, b, c = r_high * (2 * r - r_high), g * r - alike * (g - g_low) * (r_high - r), g_low * (2 * g - g_low)
    low = c / (b + _root(a, b, c)) if c > 0 else 0.0  # so written, it is the smaller positive root for any a
    a, b, c = r_low * (2 * r - r_low), g * r - alike * (g_high - g) * (r - r_low), g_high * (2 * g - g_high)
    return low, (b + _root(a, b, c)) / a if a > 0 else math.inf


def _root(a: float, b: float, c: float) -> float:
    return math.sqrt(max(0.0, b**2 - a * c))


def _known(estimate: Estimate) -> tuple[float, float, float]:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        raise ValueError("an estimate without an interval has no limits")
    return estimate.value, estimate.low, estimate.high


def _together(one: Tally, other: Tally) -> float:
    """The correlation of what two readers have above or below their own F-score in each session."""
    mine, theirs = _residuals(one), _residuals(other)
    spread = math.sqrt(math.fsum(x**2 for x in mine.values()) * math.fsum(x**2 for x in theirs.values()))
    if not spread:
        return 0.0
    both = math.fsum(mine[session] * theirs[session] for session in mine.keys() & theirs.keys())
    return min(1.0, max(-1.0, both / spread))


def _residuals(tally: Tally) -> dict[str, float]:
    f1 = tally.total.f1 or 0.0
    return {session: _above(one, f1) for session, one in tally.by_session.items()}


def _above(counts: Counts, f1: float) -> float:
    return 2 * counts.right - f1 * (counts.named + counts.true)
