"""What a design can show, and how much a difference costs to see, before anything is spent on it."""

import math
from typing import TypedDict, Unpack

from interplay.statistics import special

ROOM = 1e-6  # of a unit, for rounding: the n of a difference that exactly n units show is n and not n + 1

FAR = 1_000  # standard errors, beside which the one by which a mean itself is off does not show


class Asked(TypedDict, total=False):
    """What is asked of a test, by every function here as by reach; what is left out is as there."""

    error: float
    power: float
    comparisons: int
    freedom: float | None


def reach(
    *, error: float = 0.05, power: float = 0.8, comparisons: int = 1, freedom: float | None = None
) -> float:
    """How many standard errors from 0 a difference must truly lie for a two-sided test to see it.

    Seen means claimed with the right sign, in a share `power` of the experiments. Among several comparisons
    each is given error / comparisons: Bonferroni's share, of which Holm's adjustment makes the most. With
    freedom the test is by t with so many degrees of freedom, for clusters one less than the fewest of a way;
    without it by the normal distribution, which promises too much where clusters or units are few.
    """
    if not 0 < error < power < 1:
        raise ValueError(f"power must lie between the error and 1, and the error above 0: {error}, {power}")
    if comparisons < 1:
        raise ValueError(f"at least one comparison is made, not {comparisons}")
    tail = error / comparisons / 2
    if freedom is None:
        return float(special.ndtri(power) - special.ndtri(tail))
    if not freedom > 0:
        raise ValueError(f"t needs more than 0 degrees of freedom, not {freedom}")
    return _reach_by_t(float(-special.stdtrit(freedom, tail)), power, freedom)


def detectable_difference(spread: float, n: float, **asked: Unpack[Asked]) -> float:
    """The smallest true difference of two means over n paired scenarios that a test sees with this power.

    Spread is the standard deviation of the paired differences; of repeated scenarios n is effective_n.
    """
    return reach(**asked) * spread / math.sqrt(_above_zero("n", n))


def n_needed(difference: float, spread: float, **asked: Unpack[Asked]) -> int:
    """The fewest paired scenarios over which a test sees this true difference of two means.

    Freedom is given and stays as it is; where it grows with n, ask n_needed_by_t.
    """
    return _whole((reach(**asked) * spread / _above_zero("the difference", difference)) ** 2)


def n_needed_by_t(
    difference: float, spread: float, *, error: float = 0.05, power: float = 0.8, comparisons: int = 1
) -> int:
    """The fewest clusters, or independent scenarios, over which t with n - 1 degrees of freedom sees this.

    Of clusters, spread is the standard deviation of their mean differences.
    """
    asked = Asked(error=error, power=power, comparisons=comparisons)
    n = max(2, n_needed(difference, spread, **asked))  # by the normal distribution it is never more
    while detectable_difference(spread, n, **(asked | Asked(freedom=n - 1))) > difference * (1 + 1e-9):
        n += 1
    return n


def effective_n(scenarios: float, repeats: int, correlation: float) -> float:
    """How many scenarios played once show as much as these, each played so many times.

    The correlation is that of the paired differences of two repeats of a scenario: at 0 every repeat counts
    in full, at 1 none but the first.
    """
    return scenarios * repeats / design_effect(repeats, correlation)


def scenarios_needed(n: float, repeats: int, correlation: float) -> int:
    """The fewest scenarios that, each played so many times, show as much as n played once."""
    return _whole(n * design_effect(repeats, correlation) / repeats)


def design_effect(repeats: int, correlation: float) -> float:
    """By how much the repeats of a scenario, being alike, swell the variance of a mean over all of them."""
    if repeats < 1:
        raise ValueError(f"a scenario is played at least once, not {repeats} times")
    if not 0 <= correlation <= 1:
        raise ValueError(f"the correlation of repeats lies between 0 and 1, not {correlation}")
    return 1 + (repeats - 1) * correlation


def detectable_paired_rates(discordant: float, n: float, **asked: Unpack[Asked]) -> float | None:
    """The smallest true difference of two rates over n paired scenarios that a test sees with this power.

    Discordant is the share of scenarios in which one of the two succeeds and the other does not. A pair of
    outcomes differs by 1, 0 or -1, so that the variance of the differences is discordant - difference ** 2.
    None where no difference is seen: it cannot be larger than the share of discordant scenarios.
    """
    _check_share("discordant", discordant)
    far = reach(**asked)
    difference = far * math.sqrt(discordant / (_above_zero("n", n) + far**2))
    return difference if 0 < difference <= discordant else None


def n_needed_for_paired_rates(difference: float, discordant: float, **asked: Unpack[Asked]) -> int:
    """The fewest paired scenarios over which a test sees this true difference of two rates."""
    _check_share("discordant", discordant)
    if _above_zero("the difference", difference) > discordant:
        raise ValueError(
            f"rates cannot differ by {difference} where {discordant} of the pairs are discordant"
        )
    return _whole(reach(**asked) ** 2 * (discordant - difference**2) / difference**2)


def detectable_rates(rate: float, n: float, **asked: Unpack[Asked]) -> float | None:
    """How far above this rate another must truly be to be seen, each from n scenarios of its own.

    None where even a rate of 1 would not be seen. For a rate below, ask for 1 - rate.
    """
    _check_share("the rate", rate)
    far = reach(**asked) ** 2
    weight, lean = _above_zero("n", n) + far, far * (1 - 2 * rate)
    # The root of (n + far) d^2 - far (1 - 2 rate) d - 2 far rate (1 - rate), where n is what d needs.
    difference = (lean + math.sqrt(lean**2 + 8 * weight * far * rate * (1 - rate))) / (2 * weight)
    return difference if 0 < difference <= 1 - rate else None


def n_needed_for_rates(first: float, second: float, **asked: Unpack[Asked]) -> int:
    """The fewest scenarios of its own for each of two rates, for a test to see that they differ."""
    for rate in (first, second):
        _check_share("a rate", rate)
    if first == second:
        raise ValueError(f"rates of {first} and {second} do not differ")
    variance = first * (1 - first) + second * (1 - second)
    return _whole(reach(**asked) ** 2 * variance / (first - second) ** 2)


def _reach_by_t(critical: float, power: float, freedom: float) -> float:
    """How far the noncentral t must be shifted for this share of it to lie beyond a critical value."""
    if critical > FAR:
        # The spread of the standard error is all that counts, and the library's series would take minutes.
        return critical * math.sqrt(2 * float(special.gammaincinv(freedom / 2, power)) / freedom)
    return float(special.nctdtrinc(freedom, 1 - power, critical))


def _whole(n: float) -> int:
    return max(1, math.ceil(n - ROOM))


def _above_zero(name: str, number: float) -> float:
    if not number > 0:
        raise ValueError(f"{name} must be above 0, not {number}")
    return number


def _check_share(name: str, share: float) -> None:
    if not 0 <= share <= 1:
        raise ValueError(f"{name} must lie between 0 and 1, not {share}")
