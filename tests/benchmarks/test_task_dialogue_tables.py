"""The tables of task dialogue against a computation by hand, and where there is little or nothing to tell."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.dialogue import Dialogue
from interplay.benchmarks.task_dialogue.goals import goal_of
from interplay.benchmarks.task_dialogue.judges import RATINGS
from interplay.benchmarks.task_dialogue.scenarios import scenarios
from interplay.benchmarks.task_dialogue.tables import summarize
from interplay.core.benchmark import Played, Scenario, Verdict
from interplay.core.board import Board, Cell, Estimate
from tests.benchmarks.held import OPTIONS, held_by_rule

GOALS = scenarios({}).scenarios[:4]
ENDED = {
    (goal.id, right): held_by_rule(goal.content, {**OPTIONS, "slot_error": "0" if right else "100"})
    for goal in GOALS
    for right in (True, False)
}


def board(played: Sequence[Played]) -> Board:
    return summarize(played, {"human": ""})


def part(found: Board, title: str) -> Board:
    return next(one for one in found.parts if one.title == title)


def value(row: Mapping[str, Cell], key: str) -> float | None:
    cell = row[key]
    assert isinstance(cell, Estimate)
    return cell.value


def verdict(judge: str, goal: Scenario, completed: bool, rating: int, said: int) -> Verdict:
    phrases: list[dict[str, Any]] = [
        {"phrase": phrase, "turn": int(number < said)}
        for number, phrase in enumerate(goal_of(goal.content).phrases)
    ]
    ratings = dict.fromkeys(RATINGS, rating)
    return Verdict(judge, "rubric", {"completed": completed, "phrases": phrases, **ratings})


def judged(goal: Scenario, repeat: int, right: bool) -> Played:
    """Two judges, of whom one is always content, and a third who never answers in form."""
    verdicts = (
        verdict("strict", goal, right, 3, 1),
        verdict("kind", goal, True, 1, 2),
        Verdict("mute", "rubric", None, "judge error"),
    )
    return Played(goal, "m", repeat, ENDED[goal.id, right], verdicts=verdicts)


REPEATS = ((True, True, False), (True, True, True), (False, False, False), (True, False))


@pytest.fixture
def repeated() -> Board:
    played = [
        judged(goal, repeat, right)
        for goal, rights in zip(GOALS, REPEATS, strict=True)
        for repeat, right in enumerate(rights)
    ]
    return board([*played, Played(GOALS[3], "m", 2, failure="simulator error")])


def test_the_first_table_is_what_one_gets_by_hand(repeated: Board) -> None:
    (row,) = repeated.rows
    assert (row["n"], row["void"], row["unscored"]) == (11, 1 / 12, 11 / 33)
    assert value(row, "success") == pytest.approx(6 / 11)
    assert value(row, "completed") == pytest.approx((6 + 5 * 0.5) / 11)
    assert value(row, "naturalness_user") == pytest.approx(2)
    phrases = [len(goal_of(goal.content).phrases) for goal in GOALS]
    shares = [len(rights) * 1.5 / count for rights, count in zip(REPEATS, phrases, strict=True)]
    assert value(row, "user_agent") == pytest.approx(sum(shares) / 11)


def test_pass_k_is_what_one_gets_by_hand(repeated: Board) -> None:
    for row in part(repeated, "Again and again").rows:
        assert value(row, "k1") == pytest.approx((2 / 3 + 1 + 0 + 1 / 2) / 4)
        assert value(row, "k2") == pytest.approx((1 / 3 + 1 + 0 + 0) / 4)
        assert value(row, "k3") == pytest.approx((0 + 1 + 0) / 3)  # of goals that were played three times


def test_every_dialogue_is_in_the_table_of_endings(repeated: Board) -> None:
    (row,) = part(repeated, "How dialogues ended").rows
    ends = ("completed", "gave up", "loop", "cap", "simulator error", "system error", "other")
    counts = [row[end] for end in ends]
    assert all(isinstance(count, int) for count in counts)
    assert sum(int(str(count)) for count in counts) == row["all"] == 12
    assert row["judge error"] == 11


def test_where_nothing_was_played_or_all_is_void_there_are_no_numbers() -> None:
    assert board([]).rows == ()
    found = board([Played(goal, "m", 0, failure="system error") for goal in GOALS])
    (row,) = found.rows
    assert (row["n"], row["void"], row["rank"], value(row, "success")) == (0, 1.0, None, None)
    (ends,) = part(found, "How dialogues ended").rows
    assert (ends["system error"], ends["all"]) == (4, 4)


def test_a_bot_is_not_ranked_by_what_nobody_can_tell() -> None:
    def elsewhere(one: Dialogue) -> Dialogue:
        return replace(one, has_office=False, bookings=())

    own = [Played(goal, "own", 0, ENDED[goal.id, True]) for goal in GOALS]
    bot = [Played(goal, "bot", 0, elsewhere(ENDED[goal.id, True])) for goal in GOALS]
    found = board([*own, *bot])
    assert [(row["model"], row["rank"]) for row in found.rows] == [("own", 1), ("bot", None)]
    assert any("books elsewhere" in note for note in found.notes)


def test_columns_of_judges_are_there_where_somebody_judged(repeated: Board) -> None:
    alone = board([Played(GOALS[0], "m", 0, ENDED[GOALS[0].id, True])])
    for found, is_judged in ((repeated, True), (alone, False)):
        for table in (found, part(found, "By kind of goal")):
            assert ("completed" in [column.key for column in table.columns]) is is_judged
