"""The cells of a table as other programs take them: clean texts, strict JSON, times, and nobody's name unasked."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from interplay.core.people import HUMAN
from interplay.core.wire import canonical, clean
from interplay.interop.table_columns import LABELS, Column, Kind, Table
from interplay.interop.table_rows import Reading, Row

MOST_ROWS = 20_000  # that are in memory at a time
MOST_CHARACTERS = 4_000_000
_PERSON = re.compile(re.escape(HUMAN) + r"\w[\w.-]*")
_NOT_STRICT = re.compile(r"\\u|NaN|Infinity")  # an escape may stand for NUL or half a character
Cells = list[Any]


class Names:
    """Who is called what in tables: people in seats and raters are numbered, unless their names are asked for."""

    def __init__(self, reading: Reading, *, told: bool):
        self.told = told
        self._people = {} if told else _people(reading)
        self._raters = {} if told else _raters(reading)
        longest_first = sorted(self._people, key=len, reverse=True)  # ada is the beginning of adam
        self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def hide_in(self, *tables: Table) -> bool:
        """Is somebody in these tables not named?"""
        return bool(self._people or (LABELS in tables and self._raters))

    def of(self, text: str) -> str:
        """The text without the names of people who sat in seats."""
        return self._pattern.sub(lambda found: self._people[found[0]], text) if self._people else text

    def rows(self, table: Table, rows: Iterable[Row]) -> Iterator[Row]:
        if self.told or (table is not LABELS and not self._people):
            return iter(rows)
        return (self._row(table, row) for row in rows)

    def _row(self, table: Table, row: Row) -> Row:
        if table is LABELS:
            number, rater, *said, _ = row
            row = (number, self._raters[rater], *said, "")
        return tuple(self._cell(cell) for cell in row)

    def _cell(self, cell: Any) -> Any:
        if isinstance(cell, str):
            return self.of(cell)
        return [self.of(one) for one in cell] if isinstance(cell, list) else cell


def _people(reading: Reading) -> dict[str, str]:
    """The people who have a seat in a run, each with a number for a name."""
    casts = reading.records.rows(
        "SELECT DISTINCT cast_roles FROM conversations WHERE run = ?", reading.run.number
    )
    texts = [
        canonical([dict(reading.run.identity), dict(reading.run.extent)]),
        *(row[0] for row in casts),
    ]
    found = sorted({person for text in texts for person in _PERSON.findall(text)})
    return {person: f"{HUMAN}person-{number}" for number, person in enumerate(found, 1)}


def _raters(reading: Reading) -> dict[str, str]:
    rows = reading.records.rows(
        "SELECT rater FROM labels WHERE conversation IN (SELECT number FROM conversations WHERE run = ?)"
        " GROUP BY rater ORDER BY min(labels.number)",
        reading.run.number,
    )
    return {row[0]: f"rater {number}" for number, row in enumerate(rows, 1)}


def pieces(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows, as many at a time as memory should hold."""
    waiting, size = list[Row](), 0
    for row in rows:
        waiting.append(row)
        size += sum(len(cell) for cell in row if isinstance(cell, str))
        if len(waiting) >= MOST_ROWS or size >= MOST_CHARACTERS:
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting


def cells_of(table: Table, rows: list[Row]) -> list[Cells]:
    """The cells of each column of these rows, in the form of its kind."""
    if not rows:
        return [[] for _ in table.columns]
    columns = zip(table.columns, zip(*rows, strict=True), strict=True)
    return [_cells(column, found) for column, found in columns]


def _cells(column: Column, found: Iterable[Any]) -> Cells:
    form = _FORMS[column.kind]
    return [None if cell is None else form(cell) for cell in found]


def strict(text: str) -> str:
    """A JSON text that any reader takes: clean, with null for a number that JSON does not have."""
    if not _NOT_STRICT.search(text):
        return clean(text)
    return json.dumps(_strict(json.loads(text)), ensure_ascii=False, allow_nan=False)


def _strict(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {clean(key): _strict(inner) for key, inner in value.items()}
    return [_strict(inner) for inner in value] if isinstance(value, list) else value


def _texts(found: list[str]) -> list[str]:
    return [clean(text) for text in found]


_FORMS: Mapping[Kind, Callable[[Any], Any]] = {
    "text": clean,
    "texts": _texts,
    "JSON": strict,
    "whole number": int,
    "number": float,
    "yes or no": bool,
    "time": datetime.fromisoformat,
}
