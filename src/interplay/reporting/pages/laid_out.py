"""Data laid out for people: fields, tables, lists and texts, of whatever a scenario, an outcome or a verdict holds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

MOST = 200  # entries of one list or table
SHORT = 60  # characters: a text that can stand among others in a row
IN_A_CELL = 160  # characters: a text that can stand in a table
MOST_COLUMNS = 8
DEEPEST = 12  # values within values

Kind = Literal["fields", "table", "list", "row", "word", "text", "nothing"]


@dataclass(frozen=True)
class Cell:
    """One cell of a table."""

    text: str
    kind: Literal["number", "text"] = "text"


@dataclass(frozen=True)
class LaidOut:
    """One value, and how it is drawn."""

    kind: Kind
    text: str = ""
    parts: tuple[Any, ...] = ()
    head: tuple[str, ...] = ()
    left_out: int = 0


def laid_out(value: Any, depth: int = 0) -> LaidOut:
    """How a value is drawn; the parts of fields and lists are values again, until they are too deep to be drawn."""
    if depth >= DEEPEST and isinstance(value, Mapping | list | tuple):
        return LaidOut("text", _deep(value))
    if isinstance(value, Mapping):
        named = tuple((in_words(str(name)), part) for name, part in value.items() if not is_empty(part))
        return (
            LaidOut("fields", parts=named[:MOST], left_out=max(0, len(named) - MOST)) if named else _NOTHING
        )
    if isinstance(value, list | tuple):
        return _of_list([one for one in value if not is_empty(one)])
    if is_empty(value):
        return _NOTHING
    text = plain(value)
    return LaidOut("word" if len(text) <= SHORT and "\n" not in text else "text", text)


_NOTHING = LaidOut("nothing")


def _of_list(values: Sequence[Any]) -> LaidOut:
    if not values:
        return _NOTHING
    left_out = max(0, len(values) - MOST)
    values = values[:MOST]
    if all(isinstance(one, Mapping) for one in values):
        names = list(dict.fromkeys(name for one in values for name in one))
        cells = [[one.get(name) for name in names] for one in values]
        if len(names) <= MOST_COLUMNS and all(_fits_in_a_cell(cell) for row in cells for cell in row):
            rows = tuple(tuple(_cell(cell) for cell in row) for row in cells)
            return LaidOut(
                "table", parts=rows, head=tuple(in_words(str(name)) for name in names), left_out=left_out
            )
    if all(not isinstance(one, Mapping | list | tuple) for one in values):
        texts = [plain(one) for one in values]
        if all(len(text) <= SHORT and "\n" not in text for text in texts):
            return LaidOut("row", parts=tuple(texts), left_out=left_out)
    return LaidOut("list", parts=tuple(values), left_out=left_out)


def _fits_in_a_cell(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return (
            all(not isinstance(one, Mapping | list | tuple) for one in value)
            and len(_joined(value)) <= IN_A_CELL
        )
    return not isinstance(value, Mapping) and len(plain(value)) <= IN_A_CELL


def _cell(value: Any) -> Cell:
    if isinstance(value, list | tuple):
        return Cell(_joined(value))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Cell(plain(value), "number" if is_number else "text")


def _joined(values: Sequence[Any]) -> str:
    return ", ".join(plain(one) for one in values)


def is_empty(value: Any) -> bool:
    """Is there nothing to show? No, zero and False are something."""
    return value is None or (isinstance(value, str | Mapping | list | tuple) and not value)


def plain(value: Any) -> str:
    """A single value in words."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value)


def _deep(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(too deep to be shown)"


def in_words(name: str) -> str:
    """The name of a field as people write it."""
    return name.replace("_", " ")
