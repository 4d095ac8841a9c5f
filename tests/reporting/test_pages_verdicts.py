"""Judges side by side: answers with their explanations, scales, and who is far apart."""

import pytest

from interplay.core.measures import YES_OR_NO, Scale
from interplay.reporting.pages.verdicts import (
    Column,
    Known,
    answers_in,
    apart,
    by_turn,
    panel_of,
    score_table,
    shade,
)

KNOWN = Known({"fluency": Scale(1, 5), "rating": Scale(1, 10)}, {"fluency": "It reads well."})
ONE, TWO = Column("a/one"), Column("b/two")


def test_an_answer_comes_with_its_own_explanation() -> None:
    data = {
        "is_refusal_explanation": "No.",
        "is_refusal": False,
        "fluency_explanation": "Well.",
        "fluency_score": 4,
    }
    assert answers_in(data) == ({"is_refusal": (False, "No."), "fluency": (4, "Well.")}, {})
    assert answers_in({"explanation": "Good.", "rating": 7}) == ({"rating": (7, "Good.")}, {})
    assert answers_in({"feedback": "Done.", "completed": 1, "phrases": [{"turn": 1}]}) == (
        {"completed": (1, "Done.")},
        {"phrases": [{"turn": 1}]},
    )
    assert answers_in({"explanation": "Only words."}) == ({"explanation": ("", "Only words.")}, {})
    assert answers_in({}) == ({}, {})


def test_judges_stand_side_by_side_and_one_that_said_nothing_has_a_gap() -> None:
    panel = panel_of([(ONE, {"fluency_score": 5}), (TWO, None)], KNOWN)
    assert [column.short for column in panel.columns] == ["one", "two"]
    (row,) = panel.rows
    assert (row.name, row.meaning) == ("fluency", "It reads well.")
    assert row.said[0] is not None and (row.said[0].text, row.said[0].shade) == ("5", 10)
    assert row.said[1] is None
    assert not panel.is_apart


def test_names_that_would_be_the_same_stay_whole() -> None:
    panel = panel_of([(Column("a/judge"), {}), (Column("b/judge"), {})], KNOWN)
    assert [column.short for column in panel.columns] == ["a/judge", "b/judge"]


@pytest.mark.parametrize(
    ("values", "scale", "expected"),
    [
        ([1, 3], Scale(1, 5), "2 apart"),
        ([1, 2], Scale(1, 5), ""),
        ([4, 1, 4], Scale(1, 5), "3 apart"),
        ([5, 8], Scale(1, 10), ""),
        ([4, 8], Scale(1, 10), "4 apart"),
        ([True, False], YES_OR_NO, "split"),
        ([1, 0], YES_OR_NO, "split"),
        ([1, 1], YES_OR_NO, ""),
        ([1, 5], None, ""),
        ([1], Scale(1, 5), ""),
        (["x", "y"], Scale(1, 5), ""),
    ],
)
def test_judges_that_are_far_apart_are_told(values: list[object], scale: Scale | None, expected: str) -> None:
    assert apart(values, scale) == expected


def test_a_value_off_its_scale_is_at_its_end() -> None:
    assert shade(99, Scale(1, 5)) == 10 and shade(-3, Scale(1, 5)) == 0
    assert shade(True, Scale(1, 5)) is None and shade("4", Scale(1, 5)) is None and shade(4, None) is None


def test_verdicts_on_turns_are_told_turn_by_turn() -> None:
    first = {"turns": [{"fluency_score": 1}, {"fluency_score": 2}]}
    second = {"turns": [{"fluency_score": 4}]}
    found = by_turn([(ONE, first), (TWO, second)], KNOWN)
    assert [[one and one.text for one in panel.rows[0].said] for panel in found] == [["1", "4"], ["2", None]]
    assert [panel.is_apart for panel in found] == [True, False]
    assert by_turn([(ONE, {"rating": 1})], KNOWN) == []
    assert by_turn([(ONE, {"turns": ["odd"]})], KNOWN) == []


def test_fields_that_are_no_single_answer_are_kept_unless_shown_elsewhere() -> None:
    data = {"rating": 5, "points": ["a"], "phrases": []}
    assert panel_of([(ONE, data)], KNOWN, ("phrases",)).rest == (("a/one", {"points": ["a"]}),)


def test_scores_of_judges_and_of_rules_stand_apart() -> None:
    scores = [("fluency", "a/one", 4.0), ("fluency", "b/two", 1.5), ("length", "rule: characters", 70.0)]
    panel, by_rule = score_table(scores, ["a/one", "b/two"], KNOWN)
    assert [one and one.text for one in panel.rows[0].said] == ["4", "1.5"]
    assert panel.rows[0].apart == "2.5 apart"
    assert by_rule == [("length", 70.0, "rule: characters")]
