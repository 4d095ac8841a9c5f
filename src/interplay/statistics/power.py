"""What a design can show, before anything is spent on it."""

from math import sqrt

from scipy.special import ndtri


def detectable_difference(spread: float, n: int, *, error: float = 0.05, power: float = 0.8) -> float:
    """The smallest true difference of two means over n paired scenarios that a test sees with this power.

    Spread is the standard deviation of the paired differences; the test is two-sided.
    """
    return float((ndtri(1 - error / 2) + ndtri(power)) * spread / sqrt(n))
