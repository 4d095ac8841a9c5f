"""What it takes for the end of an interval to reach a bound."""

from math import sqrt

from interplay.core.board import Estimate
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import rate
from interplay.statistics.power import n_needed

MOST = 100_000  # scenarios that are tried
NORMAL = 1.96  # standard errors in half an interval
PLAIN = "wilson"  # the method of rates whose values are independent


def is_in_reach(bound: float, scenarios: int, *, lower: bool, method: str) -> bool:
    """Would the lower end of a rate over so many scenarios be at the bound if all of them succeeded?

    Or the upper end, if none did.
    """
    best = _best(scenarios, lower=lower, method=method)
    end = best.low if lower else best.high
    return end is not None and (end >= bound if lower else end <= bound)


def fewest_scenarios(bound: float, *, lower: bool, method: str) -> int:
    """The fewest scenarios that would do if all of them succeeded, or none; 0 where no number does."""
    few, enough = 1, 2
    while not is_in_reach(bound, enough, lower=lower, method=method):
        few, enough = enough, enough * 2
        if few > MOST:
            return 0
    while enough - few > 1:
        middle = (few + enough) // 2
        reached = is_in_reach(bound, middle, lower=lower, method=method)
        few, enough = (few, middle) if reached else (middle, enough)
    return enough


def _best(scenarios: int, *, lower: bool, method: str) -> Estimate:
    if method == PLAIN:
        return rate(scenarios if lower else 0, scenarios)
    return clustered_rate([lower] * scenarios, range(scenarios))


def n_to_clear(estimate: Estimate, bound: float) -> int | None:
    """How many values show, 4 times of 5, that the true value is on the estimate's side of the bound, if it is true.

    They are taken to be as spread and as dependent as those of the estimate. None where it has no interval, or is at
    the bound.
    """
    if estimate.value is None or estimate.low is None or estimate.high is None or estimate.value == bound:
        return None
    spread = (estimate.high - estimate.low) / 2 / NORMAL * sqrt(estimate.n)
    return max(n_needed(abs(estimate.value - bound), spread), estimate.n + 1)
