"""Boards and their estimates: scaled, moved, and written as plain JSON."""

import json

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.core.board import Board, Cell, Column, Estimate, place_by

NUMBERS = st.floats(-100, 100)
ANY_NUMBER = st.none() | st.floats(allow_nan=False) | st.integers()
TEXTS = st.text(st.characters(exclude_categories=()))  # lone surrogates too
ESTIMATES = st.builds(
    Estimate, ANY_NUMBER, ANY_NUMBER, ANY_NUMBER, st.integers(0), st.lists(st.integers(0)).map(tuple), TEXTS
)
COLUMNS = st.builds(
    Column,
    *(TEXTS, TEXTS, TEXTS),
    st.sampled_from(["text", "count", "score", "share", "amount", "money", "chance"]),
    st.none() | st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)),
    *(st.booleans(), st.booleans()),
)
ROWS = st.lists(st.dictionaries(TEXTS, ESTIMATES | ANY_NUMBER | TEXTS, max_size=4), max_size=3)
NOTES = st.lists(TEXTS, max_size=2)


def boards(parts: st.SearchStrategy[list[Board]]) -> st.SearchStrategy[Board]:
    columns = st.lists(COLUMNS, max_size=3)
    tuples = [strategy.map(tuple) for strategy in (columns, ROWS, NOTES, parts)]
    return st.builds(Board, TEXTS, *tuples, st.booleans())


BOARDS = boards(st.lists(boards(st.just([])), max_size=2))
ESTIMATE = Estimate(4.0, 3.0, 4.5, 64, (8, 8), "two-way t")
NOTHING = Estimate(None, None, None, 0)


@given(NUMBERS, NUMBERS)
def test_an_estimate_on_another_scale_or_moved_keeps_what_it_rests_on(factor: float, number: float) -> None:
    for found in (ESTIMATE.times(factor), ESTIMATE.plus(number)):
        assert (found.n, found.clusters, found.method) == (64, (8, 8), "two-way t")
    assert ESTIMATE.times(factor).value == 4.0 * factor
    moved = ESTIMATE.plus(number)
    assert (moved.value, moved.low, moved.high) == (4.0 + number, 3.0 + number, 4.5 + number)


def test_where_there_is_nothing_to_estimate_from_there_is_nothing_after_either() -> None:
    assert NOTHING.times(2) == NOTHING.plus(2) == NOTHING
    half = Estimate(4.0, None, None, 1)
    assert half.plus(-1.5) == Estimate(2.5, None, None, 1)
    assert half.times(0.5) == Estimate(2.0, None, None, 1)


def test_a_board_as_json_has_every_cell_with_all_that_it_rests_on() -> None:
    columns = (Column("model", "model", "who", "text"), Column("score", "score", "how good", "score"))
    board = Board(
        "title", columns, ({"model": "a", "score": ESTIMATE}, {"model": "b", "score": None}), ("note",)
    )

    assert json.loads(json.dumps(board.as_json())) == {
        "title": "title",
        "rows": [
            {
                "model": "a",
                "score": {
                    "value": 4.0, "low": 3.0, "high": 4.5, "n": 64, "clusters": [8, 8], "method": "two-way t",
                },
            },
            {"model": "b", "score": None},
        ],
        "columns": {"model": "who", "score": "how good"},
        "notes": ["note"],
        "parts": [],
    }  # fmt: skip


def test_a_board_as_json_has_its_further_tables() -> None:
    columns = (Column("model", "model", "who", "text"),)
    part = Board("part", columns, ({"model": "a"},))
    whole = Board("whole", columns, ({"model": "a"},), parts=(part,))

    assert whole.as_json()["parts"] == [part.as_json()]


def test_a_shaded_cell_stands_between_the_lowest_and_the_highest_of_all_shaded_columns() -> None:
    name, plain = Column("model", "model", "who", "text"), Column("n", "n", "how many", "count")
    food, travel = (Column(key, key, "how good", "score", heat=True) for key in ("food", "travel"))
    rows = (
        {"model": "a", "n": 100, "food": 0.2, "travel": 0.6},
        {"model": "b", "n": 100, "food": None, "travel": ESTIMATE},
    )
    board = Board("title", (name, plain, food, travel), rows)

    assert board.warmth(food, 0.2) == 0.0
    assert board.warmth(travel, ESTIMATE) == 1.0
    assert board.warmth(travel, 2.1) == pytest.approx(0.5)
    assert board.warmth(food, None) is None
    assert board.warmth(plain, 100) is None
    alone = Board("title", (name, food), rows[:1])
    assert alone.warmth(food, 0.2) == 0.5


def test_rows_stand_best_first_equals_share_a_place_and_nothing_has_none() -> None:
    rows: list[dict[str, Cell]] = [
        {"model": "none", "score": Estimate(None, None, None, 0)},
        {"model": "low", "score": Estimate(-1.0, None, None, 1)},
        {"model": "b", "score": Estimate(2.0, None, None, 1)},
        {"model": "a", "score": Estimate(2.0, None, None, 1)},
    ]
    place_by(rows, "score")
    assert [(row["model"], row["rank"]) for row in rows] == [("a", 1), ("b", 1), ("low", 3), ("none", None)]


@given(BOARDS)
def test_a_board_comes_back_from_its_record_as_it_was(board: Board) -> None:
    again = Board.from_record(json.loads(json.dumps(board.record())))
    assert again == board
    assert repr(again) == repr(board)  # also the order of rows, and a whole number is no other
    assert again.as_json() == board.as_json()


def test_numbers_of_numpy_are_kept_as_plain_ones() -> None:
    row = {
        "a": numpy.int64(3),
        "b": numpy.float64(0.1),
        "c": Estimate(numpy.float64(1), None, None, 2, (numpy.int64(4),)),
    }
    board = Board("title", (), (row,))
    again = Board.from_record(json.loads(json.dumps(board.record())))
    assert again == board
    assert again.rows[0]["c"] == Estimate(1.0, None, None, 2, (4,))
