"""What tables on pages draw beside their numbers: bars of intervals, shades, sizes of words."""

from dataclasses import dataclass

from interplay.core.board import Board, Cell, Column, Estimate
from interplay.reporting.cells import within

SIZES = 5  # of the words of a cloud; the style sheet has as many
SHADES = 10  # of heat; the style sheet has as many
LEAST_WIDTH = 1.0  # percent: an interval that is a point can still be seen


@dataclass(frozen=True)
class Bar:
    """Where value and interval stand between the column's lowest and highest end, in percent."""

    value: float
    left: float
    width: float


class Drawn:
    """What is drawn into the cells of one board."""

    def __init__(self, board: Board):
        self.board = board
        self._reach = {column.key: _reach(board, column) for column in board.columns[1:]}

    @property
    def has_bars(self) -> bool:
        """Is there a bar to explain?"""
        return any(reach is not None for reach in self._reach.values())

    def bar(self, column: Column, cell: Cell) -> Bar | None:
        """The bar of a cell; None where it has none."""
        reach = self._reach.get(column.key)
        if reach is None or not isinstance(cell, Estimate) or cell.value is None:
            return None
        low, high = reach
        room = (high - low) or 1.0

        def place(number: float) -> float:
            return round(4 + 92 * (number - low) / room, 2)

        left, right = (place(end) for end in _ends(column, cell))
        return Bar(place(within(column, cell.value)), left, round(max(right - left, LEAST_WIDTH), 2))

    def warmth(self, column: Column, cell: Cell) -> int | None:
        """How warm a shaded cell is, from 0 to SHADES; None where it is not shaded."""
        found = self.board.warmth(column, cell)
        return None if found is None else round(SHADES * found)


def _reach(board: Board, column: Column) -> tuple[float, float] | None:
    """The lowest and the highest end of a column; None where it has no bars."""
    if column.heat or column.scale is None:
        return None
    ends = [end for row in board.rows for end in _ends(column, row[column.key])]
    return (min(ends), max(ends)) if ends else None


def _ends(column: Column, cell: Cell) -> tuple[float, ...]:
    if not isinstance(cell, Estimate) or cell.value is None:
        return ()
    low, high = (cell.value if end is None else end for end in (cell.low, cell.high))
    return within(column, low), within(column, high)


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
