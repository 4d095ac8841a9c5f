"""How numbers are written."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.core.board import Column, Estimate
from interplay.reporting.cells import NOTHING, half_width, interval, within, written


def column(kind: Any, scale: tuple[float, float] | None = None) -> Column:
    return Column("key", "title", "meaning", kind, scale)


@pytest.mark.parametrize(
    "kind, cell, text",
    [
        ("text", "openai/a", "openai/a"),
        ("count", 1234, "1,234"),
        ("count", None, NOTHING),
        ("score", 3.14159, "3.14"),
        ("score", Estimate(4.5, 4.0, 5.0, 9), "4.50"),
        ("score", Estimate(None, None, None, 0), NOTHING),
        ("share", 0, "0%"),
        ("share", 1, "100%"),
        ("share", 0.5, "50%"),
        ("share", 0.9, "90%"),
        ("share", 0.013, "1.3%"),
        ("share", 0.987, "98.7%"),
        ("amount", 1234.6, "1,235"),
        ("money", 1234.5, "1,234.50"),
        ("money", 0.0, "0.00"),
        ("money", None, "unknown"),
        ("chance", 0.0004, "<0.001"),
        ("chance", 0.001, "0.001"),
        ("chance", 0.0456, "0.046"),
        ("chance", 1.0, "1.000"),
        ("chance", None, NOTHING),
    ],
)
def test_a_cell_is_written_by_its_kind(kind: str, cell: Any, text: str) -> None:
    assert written(column(kind), cell) == text


@pytest.mark.parametrize(
    "kind, scale, cell, text",
    [
        ("score", (1, 5), Estimate(4.8, 4.5, 5.2, 9), "4.50–5.00"),
        ("score", (1, 5), Estimate(1.1, 0.3, 1.9, 9), "1.00–1.90"),
        ("score", None, Estimate(4.8, -4.5, 5.2, 9), "-4.50 to 5.20"),
        ("share", None, Estimate(0.1, -0.02, 0.204, 9), "0–20%"),
        ("score", (1, 5), Estimate(4.0, None, None, 1), "no interval"),
        ("score", (1, 5), Estimate(None, None, None, 0), ""),
        ("score", (1, 5), 4.0, ""),
        ("text", None, "a", ""),
        ("count", None, None, ""),
    ],
)
def test_an_interval_keeps_within_its_scale(kind: str, scale: Any, cell: Any, text: str) -> None:
    assert interval(column(kind, scale), cell) == text


@pytest.mark.parametrize(
    "kind, cell, text",
    [
        ("score", Estimate(4.0, 3.5, 4.5, 9), "±0.50"),
        ("share", Estimate(0.5, 0.25, 0.75, 9), "25–75%"),
        ("score", Estimate(4.0, None, None, 1), "±?"),
        ("score", Estimate(0.8, -0.5, 0.9, 4), "-0.50 to 0.90"),
        ("score", 4.0, ""),
    ],
)
def test_where_there_is_little_room_half_the_width_stands_for_the_interval(
    kind: str, cell: Any, text: str
) -> None:
    assert half_width(column(kind), cell) == text


@given(st.floats(allow_nan=False))
def test_no_number_leaves_its_scale(number: float) -> None:
    assert 1 <= within(column("score", (1, 5)), number) <= 5
    assert 0 <= within(column("share"), number) <= 1
    assert within(column("score"), number) == number
