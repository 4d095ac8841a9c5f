"""Scores of a session: what players learned, by judges; and how everybody moved, by rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from rapidfuzz.fuzz import ratio

from interplay.benchmarks.social_interaction.protocol import NPC, PASS, PLAYER, Move, Session
from interplay.benchmarks.social_interaction.scenarios import EXCHANGE
from interplay.core.benchmark import Options, Scenario, Score, Verdict
from interplay.core.measures import Measure, Scale

# A move repeats itself where its words, in small letters and evenly spaced, are those of any earlier move of the same
# seat, or nearly those of one of the seat's last few. Nearly: rapidfuzz's ratio, 0 to 100, which a changed name or
# number in a short sentence does not reach; farther back only the same words count, since people come back to things.
NEARLY = 95.0
LAST_FEW = 6
RULES = {
    "passes": "rule: share of moves in which the turn was passed",
    "empty": "rule: share of moves that promise words and have none",
    "repeated": "rule: share of moves that say again what the same seat did and said before",
    "length": "rule: mean characters of moves with words",
}
SHARES = ("passes", "empty", "repeated")


@dataclass(frozen=True)
class Habits:
    """How often moves of some seats were what, and how long those with words are together."""

    moves: int = 0
    passes: int = 0
    empty: int = 0
    repeated: int = 0
    worded: int = 0
    characters: int = 0

    def __add__(self, other: "Habits") -> "Habits":
        return Habits(*(mine + theirs for mine, theirs in zip(_counts(self), _counts(other), strict=True)))


def _counts(habits: Habits) -> tuple[int, ...]:
    return (
        habits.moves,
        habits.passes,
        habits.empty,
        habits.repeated,
        habits.worded,
        habits.characters,
    )


def measures(options: Options) -> tuple[Measure, ...]:
    """Of an exchange what the players learned; what intentions come to is no number of a single session."""
    share = Scale(0, 1, whole=False)
    habits = [
        Measure(name, RULES[name].removeprefix("rule: "), share, "rule", less_is_better=True)
        for name in SHARES
    ]
    learned = Measure("iep", "share of the key points that a player learned, mean over players", share)
    return (learned, *habits) if options["scene"] == EXCHANGE else tuple(habits)


def ways(scenario: Scenario) -> tuple[str]:
    """Sessions about one piece of knowledge may depend on each other; else every scenario stands by itself."""
    knowledge = scenario.content.get("knowledge")
    return (knowledge["title"] if knowledge else scenario.id,)


def score(outcome: Session, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """The scores of one session: by rule, and after an exchange what each judge found of each player."""
    found = []
    for role, before in ((PLAYER, ""), (NPC, f"{NPC} ")):
        numbers = shares_of(habits_of(outcome, role))
        found += [Score(before + name, value, RULES[name]) for name, value in numbers.items()]
    given = [(one.judge, precision_of(one.data)) for one in verdicts if one.data is not None]
    for judge, by_seat in given:
        found += [Score(f"iep {seat}", value, judge) for seat, value in by_seat.items()]
        if by_seat:
            found.append(Score("iep", fsum(by_seat.values()) / len(by_seat), judge))
    return found


def precision_of(verdict: Mapping[str, Any]) -> dict[str, float]:
    """The share of key points that each player has learned, by seat."""
    count = len(verdict["known"])
    return {one["seat"]: len(one["pairs"]) / count for one in verdict["players"]}


def session_iep(verdicts: Sequence[Verdict]) -> float | None:
    """The mean over players and judges; None where no judge gave a verdict."""
    by_judge = [list(precision_of(one.data).values()) for one in verdicts if one.data is not None]
    means = [fsum(values) / len(values) for values in by_judge if values]
    return fsum(means) / len(means) if means else None


def habits_of(outcome: Session, role: str) -> Habits:
    """How the seats of a role moved."""
    return sum(
        (
            _habits([move for move in outcome.moves if move.seat == one.seat])
            for one in outcome.seats
            if one.role == role
        ),
        Habits(),
    )


def shares_of(habits: Habits) -> dict[str, float]:
    """The numbers of RULES; one is not there where there is nothing to take it of."""
    if not habits.moves:
        return {}
    found = {name: getattr(habits, name) / habits.moves for name in SHARES}
    return {**found, "length": habits.characters / habits.worded} if habits.worded else found


def _habits(moves: Sequence[Move]) -> Habits:
    """Of the moves of one seat, in order."""
    worded = [text for text in map(_plain, moves) if text]
    return Habits(
        moves=len(moves),
        passes=sum(move.kind == PASS for move in moves),
        empty=sum(move.is_empty for move in moves),
        repeated=sum(_is_repeat(worded[:place], text) for place, text in enumerate(worded)),
        worded=len(worded),
        characters=sum(len(move.act) + len(move.say) for move in moves),
    )


def _plain(move: Move) -> str:
    return " ".join(f"{move.act} {move.say}".casefold().split())


def _is_repeat(before: Sequence[str], text: str) -> bool:
    return text in before or any(ratio(text, one) >= NEARLY for one in before[-LAST_FEW:])
