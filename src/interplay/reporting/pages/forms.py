"""Fields for a form that a person fills in where a model would write JSON, and the JSON of what they filled in."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

Schema = Mapping[str, Any]
Kind = Literal["line", "text", "choice", "number", "whole", "yes", "list", "rows", "json"]
SHORT = 120  # characters: a longer text gets a larger field
PREFIX = "say."  # before the names of fields
DEEPEST = 4
ROWS = 6  # of a list of entries, where nothing says how many there may be
MOST_ROWS = 30
IN_A_ROW = ("line", "text", "choice", "whole", "number")


@dataclass(frozen=True)
class Blank:
    """One field of a form that is to be filled in."""

    name: str  # of the field on the page
    title: str
    kind: Kind
    hint: str = ""
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    longest: int | None = None
    required: bool = True  # something must be filled in
    left_out: bool = False  # where nothing is filled in, the JSON need not have it
    group: str = ""  # the title of the object that it is part of
    rows: tuple["Row", ...] = ()  # of a list of entries


@dataclass(frozen=True)
class Row:
    """One entry of a list: a title of its own where its first field is a number that is given, and its other fields."""

    title: str
    given: tuple[str, int] | None
    blanks: tuple[Blank, ...]


def blanks_of(schema: Schema) -> list[Blank]:
    """The fields of a schema; one for JSON as a whole where it cannot be taken apart."""
    found = list(_blanks(schema, (), True)) if schema.get("type") == "object" else []
    if found and all(blank.kind != "json" for blank in found):
        return found
    return [
        Blank(f"{PREFIX}json", "your reply as JSON", "json", json.dumps(schema, indent=1, ensure_ascii=False))
    ]


def _blanks(schema: Schema, path: tuple[str, ...], needed: bool) -> Iterator[Blank]:
    if schema.get("type") == "object" and "enum" not in schema and len(path) < DEEPEST:
        for name, part in schema.get("properties", {}).items():
            yield from _blanks(part, (*path, name), needed and name in schema.get("required", ()))
        return
    blank = _blank(schema, ".".join(path), needed)
    if any("." in name for name in path):  # the fields' names could not be told apart
        blank = replace(blank, kind="json")
    yield replace(blank, title=_title(path[-1]) if path else "", group=", ".join(map(_title, path[:-1])))


def _title(name: str) -> str:
    return name.replace("_", " ")


def _blank(schema: Schema, path: str, needed: bool) -> Blank:
    found = _kind_of(schema, path)
    may_be_empty = found.kind in ("line", "text", "list", "yes", "rows") and not found.required
    return replace(found, required=needed and not may_be_empty, left_out=not needed)


def _kind_of(schema: Schema, path: str) -> Blank:
    """A field for a schema; required where it may not be left empty."""
    name, hint = f"{PREFIX}{path}", str(schema.get("description", ""))
    blank = Blank(name, _title(path), "json", hint)
    if "enum" in schema:
        is_plain = schema["enum"] and all(isinstance(one, str) and one for one in schema["enum"])
        return replace(blank, kind="choice", choices=tuple(schema["enum"])) if is_plain else blank
    low, high = schema.get("minimum"), schema.get("maximum")
    match schema.get("type"):
        case "string":
            longest = schema.get("maxLength")
            kind: Kind = "line" if longest and longest <= SHORT else "text"
            return replace(blank, kind=kind, longest=longest, required=schema.get("minLength", 0) > 0)
        case "integer":
            return replace(blank, kind="whole", low=low, high=high)
        case "number":
            return replace(blank, kind="number", low=low, high=high)
        case "boolean":
            return replace(blank, kind="yes", required=False)
        case "array" if schema.get("items", {}).get("type") == "string" and "enum" not in schema["items"]:
            required = schema.get("minItems", 0) > 0
            return replace(blank, kind="list", hint=hint or "one on each line", required=required)
        case "array" if schema.get("items", {}).get("type") == "object" and not schema.get("minItems"):
            rows = tuple(_rows(schema, path))
            is_plain = not any("." in name for name in schema["items"].get("properties", {}))
            if is_plain and rows and rows[0].blanks and all(one.kind in IN_A_ROW for one in rows[0].blanks):
                hint = hint or "what you leave is left out"
                return replace(blank, kind="rows", hint=hint, required=False, rows=rows)
    return blank


def _rows(schema: Schema, path: str) -> Iterator[Row]:
    """Empty entries of a list; one for each number where entries are of things that are counted."""
    properties: Mapping[str, Schema] = schema["items"].get("properties", {})
    first, counted = next(iter(properties.items()), ("", {}))
    is_counted = counted.get("type") == "integer" and {"minimum", "maximum"} <= counted.keys()
    low, high = (int(counted.get(end, 0)) for end in ("minimum", "maximum"))
    is_counted = is_counted and high - low < MOST_ROWS
    numbers = range(low, high + 1) if is_counted else range(1, min(schema.get("maxItems", ROWS), ROWS) + 1)
    for place, number in enumerate(numbers):
        others = [one for one in properties if one != first or not is_counted]
        blanks = [
            replace(_kind_of(properties[one], f"{path}.{place}.{one}"), title=_title(one), required=False)
            for one in others
        ]
        title = _title(f"{first} {number}") if is_counted else str(number)
        yield Row(title, (first, number) if is_counted else None, tuple(blanks))


def text_of(schema: Schema, filled: Mapping[str, str]) -> str:
    """The JSON that a model would have written; what was left empty and need not be there is left out."""
    blanks = blanks_of(schema)
    if blanks[0].kind == "json":
        return filled.get(blanks[0].name, "")
    found = _frame(schema)
    for blank in blanks:
        value = _entries(blank, filled) if blank.rows else _value(blank, filled.get(blank.name, ""))
        if value is not None and not (blank.left_out and value in ("", [])):
            _put(found, blank.name.removeprefix(PREFIX).split("."), value)
    return json.dumps(found, ensure_ascii=False)


def _frame(schema: Schema) -> dict[str, Any]:
    """The objects that must be there even if nothing in them is filled in."""
    parts = {name: schema.get("properties", {}).get(name, {}) for name in schema.get("required", ())}
    return {name: _frame(part) for name, part in parts.items() if part.get("type") == "object"}


def _entries(blank: Blank, filled: Mapping[str, str]) -> list[dict[str, Any]]:
    """The entries of a list in which something was filled in."""
    found = []
    for row in blank.rows:
        values = {one.name.rpartition(".")[2]: _value(one, filled.get(one.name, "")) for one in row.blanks}
        if any(value not in (None, "") for value in values.values()):
            given = dict([row.given]) if row.given else {}
            found.append(given | {name: value for name, value in values.items() if value is not None})
    return found


def _put(found: dict[str, Any], path: list[str], value: Any) -> None:
    for part in path[:-1]:
        found = found.setdefault(part, {})
    found[path[-1]] = value


def _value(blank: Blank, text: str) -> Any:
    match blank.kind:
        case "yes":
            return bool(text)
        case "list":
            return [line.strip() for line in text.splitlines() if line.strip()]
        case "whole" | "number":
            return _number(text.strip()) if text.strip() else None
        case "choice":
            return text or None
    return text


def _number(text: str) -> float | str:
    """A number; what is none stays as it is, and the reader of the move says what is wrong."""
    try:
        found = float(text)
    except ValueError:
        return text
    if found != found or found in (float("inf"), float("-inf")):
        return text
    return int(found) if found.is_integer() else found
