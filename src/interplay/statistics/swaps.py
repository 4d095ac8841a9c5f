"""What showing two answers in both orders tells of the judge: how steady it is, and whether it favours a place."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

from interplay.core.board import Estimate
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import check_confidence, clustered_mean

ONE, TIE, OTHER = 1, 0, -1


@dataclass(frozen=True)
class Swap:
    """What a judge said of two models' answers, for the one model (ONE), the other (OTHER) or neither (TIE)."""

    shown_first: int  # where the one model's answer came first
    shown_second: int  # where it came second
    scenario: Hashable  # pairs of one scenario may depend on each other

    def __post_init__(self) -> None:
        for said in (self.shown_first, self.shown_second):
            if said not in (ONE, TIE, OTHER):
                raise ValueError(f"a verdict is 1 for the one, -1 for the other or 0 for a tie, not {said}")

    @property
    def consistent(self) -> bool:
        return self.shown_first == self.shown_second

    @property
    def result(self) -> int:
        """What both orders agree on; a tie where they do not."""
        return self.shown_first if self.consistent else TIE

    @property
    def for_the_first_shown(self) -> list[bool]:
        """Of each verdict that is no tie: did it prefer what was shown first?"""
        return [said == first for said, first in zip(self._said, (ONE, OTHER), strict=True) if said != TIE]

    @property
    def turned(self) -> bool:
        """Whether both orders were decided, for the same place and not for the same answer."""
        return not self.consistent and TIE not in self._said

    @property
    def _said(self) -> tuple[int, int]:
        return self.shown_first, self.shown_second


@dataclass(frozen=True)
class Steadiness:
    """How a judge fared when the answers changed places; every interval is clustered by scenario."""

    consistent: Estimate  # the share of pairs of which both orders say the same
    first_position: Estimate  # the share of verdicts, ties apart, for what was shown first; 0.5 without bias
    turned_to_first: (
        Estimate  # of pairs decided for one place in both orders, the share where it was the first
    )
    tied: Estimate  # the share of pairs that no answer won in both orders
    tied_by_order: Estimate  # of these, the share where the orders disagree: no ties the judge ever called


def steadiness(swaps: Sequence[Swap], *, confidence: float = 0.95) -> Steadiness:
    def share(of: Sequence[Swap], counts: Callable[[Swap], bool]) -> Estimate:
        return clustered_rate(
            [counts(one) for one in of], [one.scenario for one in of], confidence=confidence
        )

    turned = [one for one in swaps if one.turned]
    tied = [one for one in swaps if one.result == TIE]
    return Steadiness(
        consistent=share(swaps, lambda one: one.consistent),
        first_position=_first_position(swaps, confidence),
        turned_to_first=share(turned, lambda one: one.shown_first == ONE),
        tied=share(swaps, lambda one: one.result == TIE),
        tied_by_order=share(tied, lambda one: not one.consistent),
    )


def _first_position(swaps: Sequence[Swap], confidence: float) -> Estimate:
    """The share of verdicts for what was shown first, with a t interval wherever that stays between 0 and 1.

    The two orders of a pair pull apart, for an answer that is better wins in both places. The share is
    then better known than from as many verdicts on their own, which is the most that clustered_rate grants.
    """
    chosen = [(first, one.scenario) for one in swaps for first in one.for_the_first_shown]
    firsts, scenarios = [first for first, _ in chosen], [scenario for _, scenario in chosen]
    if len(set(firsts)) == 2:
        found = clustered_mean(firsts, scenarios, confidence=confidence)
        if found.low is not None and found.high is not None and 0 < found.low < found.high < 1:
            return found
    return clustered_rate(firsts, scenarios, confidence=confidence)


def win_rate(swaps: Sequence[Swap], *, confidence: float = 0.95) -> Estimate:
    """How often the one model wins in both orders, a tie being half a win; clustered by scenario.

    A judge that favours a place makes ties of close pairs, so the rate comes nearer to one half; it never
    changes sides.
    """
    check_confidence(confidence)
    points = [(one.result + 1) / 2 for one in swaps]
    scenarios = [one.scenario for one in swaps]
    if len(set(points)) == 1:
        return _all_alike(points[0], scenarios, confidence)
    found = clustered_mean(points, scenarios, confidence=confidence)
    if found.low is None or found.high is None:
        return found
    return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))


def _all_alike(points: float, scenarios: Sequence[Hashable], confidence: float) -> Estimate:
    """Where every pair came to the same there is no spread to see, but others may still come to something else."""
    share = clustered_rate([True] * len(scenarios), scenarios, confidence=confidence)
    if share.low is None:
        return replace(share, value=points)
    furthest = (1 - share.low) * (0.5 if points == 0.5 else 1.0)
    return replace(share, value=points, low=max(0.0, points - furthest), high=min(1.0, points + furthest))
