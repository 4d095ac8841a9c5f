"""Numbers in charts: cells that can be drawn, and axes that fit them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log, log10
from typing import Any

from interplay.core.board import Board, Cell, Column, Estimate
from interplay.reporting.cells import interval, within, written
from interplay.reporting.charts.chart import WIDTH
from interplay.reporting.charts.words import breadth

LARGEST = 1e12  # what is larger is no number that anybody measured
LEAST_DIFFERENCE = 1e-9  # of numbers on one axis: what is nearer is in one place
MOST_TICKS = 5
_TICK_GAP = 10  # pixels
LEAST_SPAN = 0.25  # of a scale: less of it would make small differences look large
Row = Mapping[str, Cell]


@dataclass(frozen=True)
class Point:
    """A number with its interval, kept within its scale, and the row that it stands in."""

    name: str  # in full
    value: float
    low: float | None
    high: float | None
    written: str
    interval: str

    @property
    def ends(self) -> list[float]:
        return [end for end in (self.low, self.value, self.high) if end is not None]

    @property
    def told(self) -> str:
        """The number in words."""
        return f"{self.written} ({self.interval})" if self.low is not None else self.written


@dataclass(frozen=True)
class Axis:
    """From where to where an axis goes, where its ticks are and how they are written."""

    low: float
    high: float
    ticks: tuple[float, ...]
    format: str
    is_log: bool = False

    @property
    def scale(self) -> dict[str, Any]:
        kind = "log" if self.is_log else "linear"
        return {"type": kind, "domain": [self.low, self.high], "nice": False, "zero": False}

    def share(self, number: float) -> float:
        """How far along the axis a number stands, from 0 to 1."""
        if self.is_log:
            return log(number / self.low) / log(self.high / self.low)
        return (number - self.low) / (self.high - self.low)

    def at(self, share: float) -> float:
        """The number that stands so far along the axis."""
        if self.is_log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)

    def drawn(self, title: str | None, **more: Any) -> dict[str, Any]:
        return {"values": list(self.ticks), "format": self.format, "title": title, **more}


def number_of(cell: Cell) -> float | None:
    """The number of a cell, where it has one that can be drawn."""
    found = cell.value if isinstance(cell, Estimate) else cell
    if found is None or isinstance(found, str) or not isfinite(found) or abs(found) > LARGEST:
        return None
    return float(found)


def column_of(board: Board, *keys: str) -> Column | None:
    """The first of these columns that the board has, with a number in it."""
    by_key = {column.key: column for column in board.columns}
    return next((by_key[key] for key in keys if key in by_key and has_numbers(board, by_key[key])), None)


def has_numbers(board: Board, column: Column) -> bool:
    return any(number_of(row.get(column.key)) is not None for row in board.rows)


def has_columns(board: Board, keys: Sequence[str]) -> bool:
    return {column.key for column in board.columns}.issuperset(keys)


def table_with(board: Board, keys: Sequence[str], without: Sequence[str] = ()) -> Board | None:
    """The first table that has these columns, and none of others: the board itself, or one of its parts."""
    every = (board, *board.parts, *(inner for part in board.parts for inner in part.parts))
    fitting = (one for one in every if has_columns(one, keys))
    return next((one for one in fitting if not any(has_columns(one, [key]) for key in without)), None)


def point(column: Column, cell: Cell, name: str) -> Point | None:
    """A cell as it is drawn; None where it has no number."""
    value = number_of(cell)
    if value is None:
        return None
    value = within(column, value)
    low = high = None
    if isinstance(cell, Estimate):
        low, high = number_of(cell.low), number_of(cell.high)
    if low is None or high is None:
        return Point(name, value, None, None, written(column, cell), "")
    low, high = min(within(column, low), value), max(within(column, high), value)
    return Point(name, value, low, high, written(column, cell), interval(column, cell))


def points(board: Board, column: Column, names: Sequence[str]) -> list[Point]:
    """The rows of a board that have a number in the column, in the board's order."""
    found = [point(column, row.get(column.key), name) for row, name in zip(board.rows, names, strict=True)]
    return [one for one in found if one is not None]


def names_of(board: Board, key: str = "model") -> list[str]:
    """What the rows are called: by this column, or by the board's first where there is no such."""
    keys = [column.key for column in board.columns]
    called = key if key in keys else next(iter(keys), key)
    return [str(row.get(called)) for row in board.rows]


def axis(column: Column, numbers: Sequence[float], *, zero: bool = False, room: float = WIDTH) -> Axis:
    """An axis for some numbers of a column: as much of its scale as they need, and no less than a part of it."""
    scale = column.scale or ((0.0, 1.0) if column.kind == "share" else None)
    low, high = min(numbers), max(numbers)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if scale is not None:
        low, high = _widened(low, high, LEAST_SPAN * (scale[1] - scale[0]), scale)
    if high - low <= LEAST_DIFFERENCE * max(1.0, abs(low), abs(high)):
        around = max(0.1 * abs(low), 1.0)
        low, high, scale = low - around, high + around, None
    found = _ticked(column, low, high, scale, MOST_TICKS)
    for most in range(MOST_TICKS - 1, 0, -1):
        if _takes(found) <= room:
            break
        found = _ticked(column, low, high, scale, most)
    return found


def _ticked(column: Column, low: float, high: float, scale: tuple[float, float] | None, most: int) -> Axis:
    """The axis with about so many steps, which it begins and ends with where its scale lets it."""
    step = nice_step((high - low) / most)
    low, high = step * floor(low / step + 1e-9), step * ceil(high / step - 1e-9)
    if scale is not None:
        low, high = max(low, scale[0]), min(high, scale[1])
    places = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
    decimals = _decimals(step * 100 if column.kind == "share" else step)
    form = f".{decimals}%" if column.kind == "share" else f",.{decimals}f"
    return Axis(round(low, 12), round(high, 12), tuple(round(place * step, 12) for place in places), form)


def _takes(found: Axis) -> float:
    """How many pixels the words of its ticks take, with room between them."""
    return sum(breadth(format(tick, found.format), 12) + _TICK_GAP for tick in found.ticks)


def _widened(low: float, high: float, least: float, scale: tuple[float, float]) -> tuple[float, float]:
    """The span, made as wide as it must be at least, without leaving the scale."""
    lacking = max(0.0, least - (high - low))
    low, high = low - lacking / 2, high + lacking / 2
    over, under = max(0.0, high - scale[1]), max(0.0, scale[0] - low)
    return max(scale[0], low - over), min(scale[1], high + under)


def nice_step(step: float) -> float:
    """The nearest step, upwards, that people count in."""
    size = 10.0 ** floor(log10(step))
    return next(found for factor in (1, 2, 2.5, 5, 10) if (found := factor * size) >= step * (1 - 1e-9))


def _decimals(step: float) -> int:
    return next((places for places in range(9) if abs(round(step, places) - step) < step * 1e-6), 9)


def log_ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """Ticks of a logarithmic axis: 1, 2 and 5 of every power of ten, or only the powers where those are many."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        found = [factor * 10.0**power for power in powers for factor in factors]
        kept = tuple(one for one in found if low * (1 - 1e-9) <= one <= high * (1 + 1e-9))
        if len(kept) <= most:
            return kept
    return kept[:: ceil(len(kept) / most)]
