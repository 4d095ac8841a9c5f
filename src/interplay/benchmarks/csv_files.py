"""Users' .csv files: rows by named columns, with the line that each stands on."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from interplay.core.failures import Mistake, nearest
from interplay.core.files import text_of
from interplay.core.wire import clean

SHOWN = 80  # characters of a name that is wrong
Row = tuple[int, dict[str, str]]  # the line and its cells


def rows_of(path: Path, columns: Sequence[str], needed: Sequence[str], largest: int) -> list[Row]:
    """The rows below the heading; a column that nobody knows, or one that lacks, is a mistake."""
    reader = csv.reader(io.StringIO(text_of(path, largest), newline=""), strict=True)
    try:
        lines = [(reader.line_num, [clean(cell).strip() for cell in cells]) for cells in reader]
    except csv.Error as error:
        raise Mistake(f"{path}, line {reader.line_num} is no line of a .csv file: {error}") from error
    lines = [(line, cells) for line, cells in lines if any(cells)]
    if not lines:
        raise Mistake(f"{path} is empty; its first line must be {','.join(columns)} or part of it")
    heading = _heading(lines[0][1], f"{path}, line {lines[0][0]}", columns, needed)
    found = []
    for line, cells in lines[1:]:
        if len(cells) != len(heading):
            raise Mistake(f"{path}, line {line} has {len(cells)} cells, not {len(heading)}")
        found.append((line, dict(zip(heading, cells, strict=True))))
    return found


def _heading(cells: Sequence[str], where: str, columns: Sequence[str], needed: Sequence[str]) -> list[str]:
    found = [cell.lower() for cell in cells]
    for number, column in enumerate(found):
        if column not in columns:
            raise Mistake(f"{where} has the column {column[:SHOWN]!r}; {nearest(column[:SHOWN], columns)}")
        if column in found[:number]:
            raise Mistake(f"{where} has the column {column} twice")
    for column in needed:
        if column not in found:
            raise Mistake(f"{where} lacks the column {column}")
    return found
