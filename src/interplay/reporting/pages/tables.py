"""What tables on pages draw beside their numbers: bars of intervals, shades, sizes of words."""

from dataclasses import dataclass

from interplay.core.board import Board, Cell, Column, Estimate
from interplay.reporting.cells import within

SIZES = 5  # of the words of a cloud; the style sheet has as many
SHADES = 10  # of heat; the style sheet has as many


@dataclass(frozen=True)
class Bar:
    """Where value and interval stand between the column's lowest and highest end, in percent."""

    value: float
    left: float
    width: float


def bar(board: Board, column: Column, cell: Cell) -> Bar | None:
    """The bar of a cell; None where it has none."""
    if column.heat or not isinstance(cell, Estimate) or cell.value is None or column.scale is None:
        return None
    ends = [end for row in board.rows for end in _ends(column, row[column.key])]
    low, high = min(ends), max(ends)
    room = (high - low) or 1.0

    def place(number: float) -> float:
        return round(4 + 92 * (number - low) / room, 2)

    left, right = _ends(column, cell)
    return Bar(place(within(column, cell.value)), place(left), round(max(place(right) - place(left), 1.0), 2))


def has_bars(board: Board) -> bool:
    """Is there a bar to explain on the board?"""
    return any(
        bar(board, column, row[column.key]) is not None for row in board.rows for column in board.columns[1:]
    )


def _ends(column: Column, cell: Cell) -> tuple[float, ...]:
    if not isinstance(cell, Estimate) or cell.value is None:
        return ()
    low, high = (cell.value if end is None else end for end in (cell.low, cell.high))
    return within(column, low), within(column, high)


def warmth(board: Board, column: Column, cell: Cell) -> int | None:
    """How warm a shaded cell is, from 0 to SHADES; None where it is not shaded."""
    found = board.warmth(column, cell)
    return None if found is None else round(SHADES * found)


def cloud(board: Board) -> list[tuple[str, int]]:
    """The words of a board that is a cloud, by the alphabet, each with its size from 1 to SIZES.

    Sizes follow the square root of the count, so that the area of a word grows as its count does; where all counts are
    equal, all words have the size in the middle.
    """
    if not board.cloud:
        return []
    roots = {str(row["word"]): _count(row["count"]) ** 0.5 for row in board.rows}
    low, high = min(roots.values(), default=0.0), max(roots.values(), default=0.0)

    def size(root: float) -> int:
        return 1 + round((SIZES - 1) * ((root - low) / (high - low) if high > low else 0.5))

    return [(word, size(roots[word])) for word in sorted(roots)]


def _count(cell: Cell) -> int:
    return max(0, cell) if isinstance(cell, int) else 0


def plain(cell: Cell) -> str:
    """What a cell is sorted by: its number, or its text; empty where there is nothing."""
    found = cell.value if isinstance(cell, Estimate) else cell
    return "" if found is None else str(found)
