"""Boards: rows of numbers one can defend, with what must stand beside them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
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
    kind: Literal["text", "count", "score", "share", "amount", "money", "chance"]
    scale: tuple[float, float] | None = None
    detail: bool = False  # may be left out where there is little room
    heat: bool = False  # its cells are shaded, lowest to highest over all such columns of the table


@dataclass(frozen=True)
class Board:
    """A table of results: its rows are ranked best first, its notes say what a reader must know."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Cell], ...]
    notes: tuple[str, ...] = ()
    parts: tuple["Board", ...] = ()  # further tables of the same results
    cloud: bool = False  # its rows are words with a count: where there is room, drawn by how often they came

    def warmth(self, column: Column, cell: "Cell") -> float | None:
        """Where a shaded cell stands between the lowest (0) and the highest (1); None where it is not shaded."""
        if not column.heat or (here := _number(cell)) is None:
            return None
        cells = [_number(row[other.key]) for row in self.rows for other in self.columns if other.heat]
        known = [number for number in cells if number is not None]
        low, high = min(known), max(known)
        return (here - low) / (high - low) if high > low else 0.5

    def as_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "rows": [{key: _plain(cell) for key, cell in row.items()} for row in self.rows],
            "columns": {column.key: column.meaning for column in self.columns},
            "notes": list(self.notes),
            "parts": [part.as_json() for part in self.parts],
        }

    def record(self) -> dict[str, Any]:
        """All of the board as JSON has it, from which `from_record` makes an equal one."""
        return {
            "title": self.title,
            "columns": [asdict(column) for column in self.columns],
            "rows": [{key: _kept(_plain(cell)) for key, cell in row.items()} for row in self.rows],
            "notes": list(self.notes),
            "parts": [part.record() for part in self.parts],
            "cloud": self.cloud,
        }

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> "Board":
        """The board of which this is the record."""
        return Board(
            title=record["title"],
            columns=tuple(
                Column(**{**column, "scale": tuple(column["scale"]) if column["scale"] else None})
                for column in record["columns"]
            ),
            rows=tuple({key: _cell(kept) for key, kept in row.items()} for row in record["rows"]),
            notes=tuple(record["notes"]),
            parts=tuple(Board.from_record(part) for part in record["parts"]),
            cloud=record["cloud"],
        )


def _number(cell: Cell) -> float | None:
    found = cell.value if isinstance(cell, Estimate) else cell
    return None if isinstance(found, str) else found


def level(cell: Cell) -> float:
    """What a row is ordered by: the estimate's value, or less than any where there is none."""
    return cell.value if isinstance(cell, Estimate) and cell.value is not None else float("-inf")


def place_by(rows: list[dict[str, Cell]], key: str, *, less_is_better: bool = False) -> None:
    """Order rows of models, best first, and give each its rank; equal values share a place, none has none."""

    def height(row: Mapping[str, Cell]) -> float:
        found = level(row[key])
        return -found if less_is_better and found > float("-inf") else found

    rows.sort(key=lambda row: (-height(row), str(row["model"])))
    for row in rows:
        better = sum(height(other) > height(row) for other in rows)
        row["rank"] = better + 1 if height(row) > float("-inf") else None


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


def _kept(found: Any) -> Any:
    """A cell as JSON has it; numbers of numpy's, which are none to JSON, become plain ones."""
    if isinstance(found, dict):
        return {key: _kept(value) for key, value in found.items()}
    if isinstance(found, list):
        return [_kept(value) for value in found]
    return found.item() if hasattr(found, "item") else found


def _cell(kept: Any) -> Cell:
    if isinstance(kept, dict):
        return Estimate(**{**kept, "clusters": tuple(kept["clusters"])})
    found: Cell = kept
    return found
