"""Numbers in charts: what can be drawn, and axes that fit."""

from math import inf, nan
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from interplay.core.board import Board, Column, Estimate
from interplay.reporting.charts.numbers import (
    Axis,
    axis,
    column_of,
    log_ticks,
    names_of,
    nice_step,
    number_of,
    point,
    table_with,
)

RATING = Column("rating", "rating", "", "score", (1.0, 5.0))
SHARE = Column("share", "share", "", "share")
FREE = Column("free", "free", "", "score")
MODEL = Column("model", "model", "", "text")


@pytest.mark.parametrize(
    "cell, number",
    [
        (3, 3.0),
        (Estimate(2.5, 1.0, 4.0, 3), 2.5),
        (Estimate(None, None, None, 0), None),
        (None, None),
        ("3", None),
        (nan, None),
        (inf, None),
        (1e300, None),
    ],
)
def test_only_numbers_that_can_be_drawn_are_numbers(cell: Any, number: float | None) -> None:
    assert number_of(cell) == number


def test_a_point_keeps_within_its_scale_and_is_written_as_in_the_table() -> None:
    found = point(RATING, Estimate(4.8, 4.2, 5.6, 9), "m")
    assert found is not None
    assert (found.low, found.high, found.written, found.told) == (4.2, 5.0, "4.80", "4.80 (4.20–5.00)")
    alone = point(SHARE, Estimate(0.5, None, None, 1), "m")
    assert alone is not None
    assert (alone.low, alone.ends, alone.told) == (None, [0.5], "50%")


@pytest.mark.parametrize(
    "column, numbers, zero, ends, ticks",
    [
        (
            RATING,
            [4.0, 4.1],
            False,
            (3.4, 4.6),
            (3.4, 3.6, 3.8, 4.0, 4.2, 4.4, 4.6),
        ),  # a part of the scale at least
        (RATING, [4.9, 5.0], False, (4.0, 5.0), (4.0, 4.2, 4.4, 4.6, 4.8, 5.0)),  # and never beyond it
        (RATING, [1.0, 5.0], False, (1.0, 5.0), (1.0, 2.0, 3.0, 4.0, 5.0)),
        (SHARE, [0.31, 0.74], False, (0.3, 0.8), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)),
        (SHARE, [0.31, 0.74], True, (0.0, 0.8), (0.0, 0.2, 0.4, 0.6, 0.8)),
        (FREE, [-1.2, 0.4], False, (-1.5, 0.5), (-1.5, -1.0, -0.5, 0.0, 0.5)),
    ],
)
def test_an_axis_shows_as_much_of_its_scale_as_is_needed(
    column: Column, numbers: list[float], zero: bool, ends: tuple[float, float], ticks: tuple[float, ...]
) -> None:
    found = axis(column, numbers, zero=zero)
    assert (found.low, found.high) == pytest.approx(ends)
    assert found.ticks == pytest.approx(ticks)


def test_ticks_are_written_with_the_decimals_that_tell_them_apart() -> None:
    assert axis(RATING, [4.0, 4.1]).format == ",.1f"
    assert axis(FREE, [0.0, 0.2]).format == ",.2f"
    assert axis(SHARE, [0.0, 1.0]).format == ".0%"
    assert axis(FREE, [0.0, 3000.0]).format == ",.0f"


def test_where_there_is_little_room_there_are_few_ticks() -> None:
    assert len(axis(RATING, [3.1, 4.9], room=80).ticks) < len(axis(RATING, [3.1, 4.9]).ticks)
    assert axis(FREE, [0.001, 0.002], room=10).ticks


numbers = st.floats(-1e12, 1e12)


@given(st.lists(numbers, min_size=1, max_size=6), st.booleans(), st.floats(20, 420))
def test_an_axis_holds_all_its_numbers(found: list[float], zero: bool, room: float) -> None:
    on = axis(FREE, found, zero=zero, room=room)
    reach = 1e-6 * max(1.0, *map(abs, found))
    assert on.low - reach <= min(found) and max(found) <= on.high + reach
    assert on.low < on.high and len(on.ticks) <= 9
    assert all(first < second for first, second in zip(on.ticks, on.ticks[1:], strict=False))


@given(st.lists(st.floats(1, 5), min_size=1, max_size=6))
def test_an_axis_never_leaves_its_scale(found: list[float]) -> None:
    on = axis(RATING, found)
    assert 1 <= on.low <= min(found) + 1e-9 and max(found) - 1e-9 <= on.high <= 5


@given(st.floats(1e-9, 1e9))
def test_steps_are_those_that_people_count_in(step: float) -> None:
    found = nice_step(step)
    assert step * (1 - 1e-6) <= found <= 2.6 * step
    assert f"{found:.1e}".split("e")[0] in ("1.0", "2.0", "2.5", "5.0")


@given(st.floats(1e-6, 1e6), st.floats(1.5, 1e9))
def test_ticks_by_powers_of_ten_are_few_and_within(low: float, times: float) -> None:
    ticks = log_ticks(low, low * times)
    assert len(ticks) <= 6
    assert all(low * 0.99 <= tick <= low * times * 1.01 for tick in ticks)
    assert ticks or times < 5


@given(st.booleans(), st.floats(0, 1))
def test_places_on_an_axis_and_back(is_log: bool, share: float) -> None:
    on = Axis(0.5, 32.0, (), "", is_log)
    assert on.share(on.at(share)) == pytest.approx(share, abs=1e-9)
    assert (on.at(0), on.at(1)) == pytest.approx((0.5, 32.0))


def test_tables_are_found_by_their_columns() -> None:
    inner = Board("inner", (MODEL, FREE), ())
    part = Board("part", (MODEL, SHARE), (), parts=(inner,))
    board = Board("board", (MODEL, RATING), ({"model": "m", "rating": None},), parts=(part,))
    assert table_with(board, ["rating"]) is board
    assert table_with(board, ["share"]) is part
    assert table_with(board, ["model"], without=["rating", "share"]) is inner
    assert table_with(board, ["nothing"]) is None
    assert column_of(board, "rating") is None  # it has no number
    assert names_of(board) == names_of(board, "no such") == ["m"]


@given(st.floats(0, 1), st.floats(0, 1))
def test_intervals_always_hold_their_value(one: float, other: float) -> None:
    assume(one <= other)
    for value in (one, other, (one + other) / 2):
        found = point(SHARE, Estimate(value, one, other, 2), "m")
        assert found is not None and found.low is not None and found.high is not None
        assert found.low <= found.value <= found.high
