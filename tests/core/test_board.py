"""Boards and their estimates: scaled, moved, and written as plain JSON."""

import json

from hypothesis import given
from hypothesis import strategies as st

from interplay.core.board import Board, Column, Estimate

NUMBERS = st.floats(-100, 100)
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
    }  # fmt: skip
