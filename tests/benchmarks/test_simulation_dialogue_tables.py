"""The board of collected dialogues, worked out by hand."""

from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.simulation.dialogue_tables import MOST_NAMES, score, summarize
from interplay.benchmarks.simulation.dialogues import STRATEGIES, Dialogue, DialogueTurn
from interplay.benchmarks.simulation.extraction import RULE
from interplay.core.benchmark import Played, Verdict
from interplay.core.board import Board

BENCHMARK = find("simulation_dialogues")
OPTIONS = BENCHMARK.settle({})
SCENARIOS = BENCHMARK.scenarios(OPTIONS, None).scenarios


def dialogue(strategies: str, answers: str = "aaaa", other: str = "a riddle") -> Dialogue:
    """One letter a strategy: i, s, n, o; one letter an answer, - for an empty one."""
    names = dict(zip("isno", STRATEGIES, strict=True))
    texts = [text.replace("-", "") for text in answers]
    later = [
        DialogueTurn("ask" * 2, text, names[letter], other if letter == "o" else "")
        for letter, text in zip(strategies, texts[1:], strict=True)
    ]
    return Dialogue((DialogueTurn("the task" * 100, texts[0]), *later))


def verdict(turn: int | None, judge: str = "a") -> Verdict:
    data = None if turn is None else {"explanation": "so", "challenging_turn": turn}
    return Verdict(judge, "rubric", data, "" if data else "judge error")


def played(outcome: Dialogue | None, *verdicts: Verdict, task: int = 0, **more: Any) -> Played:
    return Played(SCENARIOS[task], more.pop("subject", "sim"), 0, outcome, verdicts=verdicts, **more)


def row(board: Board, place: int = 0) -> dict[str, Any]:
    found = board.rows[place]
    return {key: getattr(cell, "value", cell) for key, cell in found.items()}


def test_strategies_lengths_and_what_came_to_nothing() -> None:
    board = summarize(
        [
            played(dialogue("isn", "ab-d")),
            played(dialogue("sso", "----"), task=1),
            played(None, failure="loop"),
            played(None, failure="loop", task=1),
            played(None, failure="simulator error", task=1),
        ],
        OPTIONS,
    )
    found = row(board)
    assert found["dialogues"] == 2
    assert [found[name] for name in STRATEGIES] == pytest.approx([1 / 6, 3 / 6, 1 / 6, 1 / 6])
    assert found["request_characters"] == 6  # without the task itself
    assert found["answer_characters"] == pytest.approx(3 / 8)
    assert found["empty"] == pytest.approx(5 / 8)
    assert found["void"] == pytest.approx(3 / 5)
    assert found["causes"] == "loop 2, simulator error 1"
    assert [column.key for column in board.columns] == list(found)
    assert "challenging" not in found
    estimate = board.rows[0]["next_step"]
    assert (estimate.n, estimate.clusters) == (6, (2,))  # type: ignore[union-attr]


def test_what_judges_said_stands_beside_it_and_a_missing_verdict_is_no_0() -> None:
    board = summarize(
        [
            played(dialogue("isn"), verdict(0)),
            played(dialogue("isn"), verdict(2), task=1),
            played(dialogue("isn"), verdict(4), task=2),
            played(dialogue("isn"), verdict(None), task=3),
            played(dialogue("isn"), task=4),
        ],
        OPTIONS,
    )
    found = row(board)
    assert found["challenging"] == pytest.approx(2 / 3)
    assert (found["last_only"], found["first_chan"], found["subseq_chan"]) == (1, 2, 2)
    assert found["unjudged"] == 2
    assert [column.key for column in board.columns] == list(found)
    assert RULE not in board.notes


def test_of_several_judges_all_must_have_spoken() -> None:
    board = summarize(
        [
            played(dialogue("isn"), verdict(1), verdict(2, "b")),
            played(dialogue("isn"), verdict(0), verdict(2, "b"), task=1),
            played(dialogue("isn"), verdict(3), task=2),
        ],
        OPTIONS,
    )
    found = row(board)
    assert found["challenging"] == pytest.approx(1 / 2)
    assert (found["last_only"], found["first_chan"], found["subseq_chan"]) == (1, 1, 3)
    assert found["unjudged"] == 1
    assert RULE in board.notes


def test_every_simulator_has_a_row_of_its_own_dialogues() -> None:
    board = summarize([played(dialogue("iii"), subject="b"), played(dialogue("sss"), subject="a")], OPTIONS)
    rows = [row(board, place) for place in (0, 1)]
    assert [(one["model"], one["improvement"]) for one in rows] == [("a", 0.0), ("b", 1.0)]


def test_nothing_but_void_dialogues_and_dialogues_of_one_turn_have_a_board() -> None:
    found = row(summarize([played(None, failure="provider")], OPTIONS))
    assert (found["dialogues"], found["void"], found["next_step"], found["empty"]) == (0, 1.0, None, None)
    found = row(summarize([played(dialogue("", "a"))], BENCHMARK.settle({"turns": "1"})))
    assert (found["dialogues"], found["next_step"], found["answer_characters"]) == (1, None, 1)
    assert summarize([], OPTIONS).rows == ()


def test_the_names_of_other_strategies_are_counted() -> None:
    many = [played(dialogue("o", "aa", f"way {number}"), task=number) for number in range(MOST_NAMES + 2)]
    board = summarize(
        [*many, played(dialogue("oos", other="A Riddle")), played(dialogue("o", "aa"))], OPTIONS
    )
    (part,) = board.parts
    assert len(part.rows) == MOST_NAMES
    assert part.rows[0] == {"name": "a riddle", "requests": 3}
    assert part.notes == ("3 more names, each with no more requests than these.",)
    assert summarize([played(dialogue("isn"))], OPTIONS).parts == ()


def test_the_scores_of_a_dialogue() -> None:
    found = score(dialogue("sso", "-b-d"), [verdict(2), verdict(None, "b"), verdict(0, "c")], OPTIONS)
    assert [(one.name, one.value, one.source) for one in found] == [
        ("improvement", 0.0, "rule: requests of this strategy"),
        ("next_step", 2.0, "rule: requests of this strategy"),
        ("new_request", 0.0, "rule: requests of this strategy"),
        ("other", 1.0, "rule: requests of this strategy"),
        ("empty", 2.0, "rule: answers without text"),
        ("challenging_turn", 2.0, "a"),
        ("challenging_turn", 0.0, "c"),
    ]
