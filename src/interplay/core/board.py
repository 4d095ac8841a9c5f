"""Boards: rows of numbers one can defend, with what must stand beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal


@dataclass(frozen=True)
class Estimate:
    """A number with its interval; None where there is nothing to estimate from, or no interval to give."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: tuple[int, ...] = ()  # how many in each way; () where the values were taken as independent
    method: str = "none"

    def times(self, factor: float) -> "Estimate":
        """The same estimate on another scale."""

        def scaled(number: float | None) -> float | None:
            return None if number is None else number * factor

        return replace(self, value=scaled(self.value), low=scaled(self.low), high=scaled(self.high))

    def plus(self, number: float) -> "Estimate":
        """The same estimate, moved."""

        def moved(end: float | None) -> float | None:
            return None if end is None else end + number

        return replace(self, value=moved(self.value), low=moved(self.low), high=moved(self.high))


Cell = Estimate | float | int | str | None


@dataclass(frozen=True)
class Column:
    """One column of a board: its key, its heading, what it means, and how it is printed."""

    key: str
    title: str
    meaning: str
    kind: Literal["text", "count", "score", "share", "amount", "money"]
    scale: tuple[float, float] | None = None
    detail: bool = False  # may be left out where there is little room


@dataclass(frozen=True)
class Board:
    """A table of results: its rows are ranked best first, its notes say what a reader must know."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Cell], ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "rows": [{key: _plain(cell) for key, cell in row.items()} for row in self.rows],
            "columns": {column.key: column.meaning for column in self.columns},
            "notes": list(self.notes),
        }


def _plain(cell: Cell) -> Any:
    if not isinstance(cell, Estimate):
        return cell
    return {
        "value": cell.value,
        "low": cell.low,
        "high": cell.high,
        "n": cell.n,
        "clusters": list(cell.clusters),
        "method": cell.method,
    }
