"""Tables on pages: bars, shades, links behind numbers, and all text as text."""

import re
from collections.abc import Mapping

import pytest

from interplay.core.board import Board, Cell, Column, Estimate
from interplay.reporting.pages.drawing import assets, environment
from interplay.reporting.pages.tables import SHADES, Drawn, plain
from tests.reporting.test_html import ALL_AT_ONCE, LOADING, Page

MODEL = Column("model", "model", "who", "text")
SCORE = Column("score", "score", "how good", "score", (1.0, 5.0))
DETAIL = Column("more", "more", "detail", "score", (1.0, 5.0), detail=True)


def board_of(*cells: Cell, column: Column = SCORE) -> Board:
    rows = tuple({"model": f"m{at}", column.key: cell} for at, cell in enumerate(cells))
    return Board("A board", (MODEL, column), rows)


def table(board: Board, **given: object) -> str:
    made = environment().get_template("tables.html").module
    return str(made.table(board, "Leaderboard", **given))  # type: ignore[attr-defined]


def test_bars_stand_between_the_lowest_and_the_highest_end() -> None:
    board = board_of(Estimate(2.0, 1.0, 3.0, 9), Estimate(4.0, 3.0, 7.0, 9))
    drawn = Drawn(board)
    low, high = (drawn.bar(SCORE, row["score"]) for row in board.rows)
    assert low is not None
    assert high is not None
    assert (low.left, low.value, low.width) == (4.0, 27.0, 46.0)
    assert (high.left, high.value, high.width) == (50.0, 73.0, 46.0), "an interval ends where the scale does"


def test_a_point_can_be_seen_and_stays_on_the_bar() -> None:
    drawn = Drawn(board_of(Estimate(5.0, 5.0, 5.0, 9)))
    found = drawn.bar(SCORE, Estimate(5.0, 5.0, 5.0, 9))
    assert found is not None
    assert found.width > 0
    assert 0 <= found.left <= found.left + found.width <= 100


@pytest.mark.parametrize(
    "board",
    [
        board_of(),
        board_of(None, 3.0, "x"),
        board_of(Estimate(None, None, None, 0)),
        board_of(Estimate(0.5, 0.4, 0.6, 9), column=Column("share", "share", "a part", "share")),
        board_of(
            Estimate(3.0, 2.0, 4.0, 9), column=Column("warm", "warm", "w", "score", (1.0, 5.0), heat=True)
        ),
    ],
)
def test_what_has_no_scale_or_no_interval_has_no_bar(board: Board) -> None:
    drawn = Drawn(board)
    assert not drawn.has_bars
    assert "<svg" not in table(board)


def test_shades_go_from_the_lowest_to_the_highest_of_all_shaded_columns() -> None:
    columns = tuple(Column(key, key, "w", "score", (0.0, 1.0), heat=True) for key in ("a", "b"))
    board = Board(
        "A board",
        (MODEL, *columns),
        ({"model": "m", "a": 0.2, "b": 0.8}, {"model": "n", "a": 0.5, "b": None}),
    )
    drawn = Drawn(board)
    shades = [drawn.warmth(column, row[column.key]) for row in board.rows for column in columns]
    assert shades == [0, SHADES, SHADES // 2, None]
    style = assets()["style.css"][0].decode()
    assert set(re.findall(r"\.warm-(\d+) ", style)) == {str(shade) for shade in range(SHADES + 1)}


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        (Estimate(1.5, 1.0, 2.0, 3), "1.5"),
        (Estimate(None, None, None, 0), ""),
        (None, ""),
        (7, "7"),
        ("x", "x"),
    ],
)
def test_cells_are_sorted_by_their_value(cell: Cell, told: str) -> None:
    assert plain(cell) == told


def test_numbers_are_links_where_there_is_something_behind_them() -> None:
    def explain(row: Mapping[str, Cell], column: Column) -> str:
        return f"/numbers/{row['model']}/?a=1&b=2" if row["model"] == "m0" else ""

    page = Page(table(board_of(1.0, 2.0), explain=explain))
    assert [attributes["href"] for tag, attributes in page.tags if tag == "a"] == ["/numbers/m0/?a=1&b=2"]


def test_what_scripts_need_is_there_only_where_it_is_asked_for() -> None:
    board = Board("A board", (MODEL, SCORE, DETAIL), ({"model": "m", "score": 1.0, "more": 2.0},))
    assert "data-sorts" not in table(board)
    page = Page(table(board, sorts=True))
    heads = [attributes for tag, attributes in page.tags if tag == "th" and attributes["scope"] == "col"]
    assert [head["data-key"] for head in heads] == ["model", "score", "more"]
    assert ["detail" in (head["class"] or "").split() for head in heads] == [False, False, True]
    assert [attributes["data-value"] for tag, attributes in page.tags if tag == "td"] == ["1.0", "2.0"]


def test_hostile_text_stays_text() -> None:
    column = Column("x", ALL_AT_ONCE, ALL_AT_ONCE, "text")
    board = Board(
        ALL_AT_ONCE, (MODEL, column), ({"model": ALL_AT_ONCE, "x": ALL_AT_ONCE},), (ALL_AT_ONCE,), cloud=False
    )
    made = environment().get_template("tables.html").module
    for text in (table(board, sorts=True), str(made.part(board))):  # type: ignore[attr-defined]
        page = Page(text)
        assert not {tag for tag, _ in page.tags} & LOADING
        assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
        assert ALL_AT_ONCE in page.text
