"""What theory expects of planted habits; the formulas stand here once more, apart from those that are being proven."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import fsum, nan, sqrt

from interplay.benchmarks.role_play.bots import FAULTS, REFUSALS, Judge, Player


@dataclass(frozen=True)
class Fate:
    """One way that a conversation can fare, with its chance."""

    chance: float
    gave: tuple[Judge, ...]  # those who gave a verdict
    scored: tuple[Judge, ...]  # those of them who saw no refusal
    turns: int


def fates(player: Player, panel: Sequence[Judge], turns: int) -> Iterator[Fate]:
    """All ways that a conversation of so many turns can fare: who is silent, and which refusals are in it."""
    refusals = {habit: 1 - (1 - player.rates.get(habit, 0.0)) ** turns for habit in REFUSALS}
    for silent, there in product(product((False, True), repeat=len(panel)), _subsets(refusals)):
        chance = there[0]
        for judge, is_silent in zip(panel, silent, strict=True):
            chance *= judge.silence if is_silent else 1 - judge.silence
        gave = tuple(judge for judge, is_silent in zip(panel, silent, strict=True) if not is_silent)
        scored = tuple(judge for judge in gave if not set(judge.sees) & there[1])
        yield Fate(chance, gave, scored, turns)


def _subsets(chances: Mapping[str, float]) -> Iterator[tuple[float, set[str]]]:
    for there in product((False, True), repeat=len(chances)):
        chance, found = 1.0, set()
        for (habit, rate), is_there in zip(chances.items(), there, strict=True):
            chance *= rate if is_there else 1 - rate
            found |= {habit} if is_there else set()
        yield chance, found


Moments = tuple[float, float]  # a mean and a variance


def score_of(fate: Fate, player: Player, criteria: Sequence[str]) -> Moments | None:
    """The mean of these criteria in a conversation that fared so; None where nobody scored it."""
    count = len(fate.scored)
    if not count:
        return None
    mean, variance = fsum(judge.clean for judge in fate.scored) / count, 0.0
    for name in criteria:
        rate = player.rates.get(FAULTS[name], 0.0)
        cost = fsum(judge.costs[name] for judge in fate.scored) / count / len(criteria)
        mean -= cost * rate
        variance += cost**2 * rate * (1 - rate) / fate.turns
    return mean, variance


def refusal_of(fate: Fate) -> Moments | None:
    """Whether any judge saw a refusal; None where nobody gave a verdict."""
    return (float(len(fate.scored) < len(fate.gave)), 0.0) if fate.gave else None


def mean_over(
    conversations: Sequence[Sequence[Fate]], value: Callable[[Fate], Moments | None]
) -> tuple[float, float]:
    """The mean over the conversations that have this value, and its standard error by the delta method.

    How many have it is drawn as well: the mean is a ratio of two sums over independent conversations.
    """
    terms = [
        [(fate.chance, *found) for fate in each if (found := value(fate)) is not None]
        for each in conversations
    ]
    weight = fsum(chance for each in terms for chance, _, _ in each)
    if not weight:
        return nan, nan
    mean = fsum(chance * expected for each in terms for chance, expected, _ in each) / weight
    spread = 0.0
    for each in terms:
        squares = fsum(chance * (variance + (expected - mean) ** 2) for chance, expected, variance in each)
        spread += squares - fsum(chance * (expected - mean) for chance, expected, _ in each) ** 2
    return mean, sqrt(max(0.0, spread)) / weight
