"""Conversations with verdicts made by hand, and the board they come to."""

from collections.abc import Sequence
from typing import Any

from interplay.benchmarks.role_play.protocol import Dialogue, Turn
from interplay.benchmarks.role_play.scoring import summarize
from interplay.core.benchmark import Played, Verdict
from interplay.core.board import Board
from tests.benchmarks.stage import CRITERIA, OPTIONS, SCENARIOS

Scores = tuple[int, int, int]


def verdict(judge: str, *turns: Scores, refused: Sequence[int] = ()) -> Verdict:
    """A verdict with these scores, in the order of the criteria, for each turn."""
    entries: list[dict[str, Any]] = []
    for number, scores in enumerate(turns):
        entry: dict[str, Any] = {"is_refusal_explanation": "", "is_refusal": number in refused}
        for name, value in zip(CRITERIA, scores, strict=True):
            entry |= {f"{name}_explanation": "", f"{name}_score": value}
        entries.append(entry)
    return Verdict(judge, "rubric", {"turns": entries})


def missing(judge: str) -> Verdict:
    return Verdict(judge, "rubric", None, "judge error", "no JSON")


def dialogue(*lengths: int) -> Dialogue:
    return Dialogue(tuple(Turn("hi", "x" * length) for length in lengths))


def played(place: int, *verdicts: Verdict, subject: str = "m", length: int = 100, repeat: int = 0) -> Played:
    return Played(SCENARIOS[place], subject, repeat, dialogue(length, length), verdicts=verdicts)


def void(place: int, subject: str = "m") -> Played:
    return Played(SCENARIOS[place], subject, 0, None, failure="simulator error")


def board(*conversations: Played, **options: str) -> Board:
    return summarize(conversations, OPTIONS | options)


def only_row(*conversations: Played, **options: str) -> dict[str, Any]:
    (row,) = board(*conversations, **options).rows
    return dict(row)
