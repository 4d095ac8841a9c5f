"""Scenarios out of a TOML file: the one that ships, or a user's own in its place."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from interplay.core.benchmark import Material, Options, Scenario
from interplay.core.failures import Mistake, nearest
from interplay.core.files import text_of

LARGEST_FILE = 20_000_000  # bytes
_CALLED = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list of texts",
}
Scenarios = Callable[[Options, Path | None], Material]


def scenarios_in(path: Path, table: str, fields: Mapping[str, type], label: str) -> Scenarios:
    """The scenarios of a file with a [[table]] for each, all with these fields; `label` is the field that names it."""

    def scenarios(options: Options, data: Path | None = None) -> Material:
        return Material(tuple(_read(data or path, table, fields, label)))

    return scenarios


def fixed(scenarios: Sequence[Scenario]) -> Scenarios:
    """Scenarios that are what they are: a user has no data to put in their place."""

    def material(options: Options, data: Path | None = None) -> Material:
        if data is not None:
            raise Mistake(f"{data}: this benchmark brings its own scenarios and takes no --data")
        return Material(tuple(scenarios))

    return material


def _read(path: Path, table: str, fields: Mapping[str, type], label: str) -> list[Scenario]:
    try:
        entries = tomllib.loads(text_of(path, LARGEST_FILE)).get(table)
    except (ValueError, RecursionError) as error:
        raise Mistake(f"{path} cannot be read: {error}") from error
    if not isinstance(entries, list) or not entries:
        raise Mistake(f"{path} holds no scenario; one begins with [[{table}]]")
    found: dict[str, Scenario] = {}
    for number, entry in enumerate(entries, 1):
        where = f"{path}, {table} {number}"
        scenario = Scenario(_checked(entry, fields, where), str(entry.get(label, "")))
        if scenario.id in found:
            raise Mistake(f"{where} is there twice; take one of them out")
        found[scenario.id] = scenario
    return list(found.values())


def _checked(entry: Any, fields: Mapping[str, type], where: str) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise Mistake(f"{where} is no table of fields")
    for name in entry:
        if name not in fields:
            raise Mistake(f"{where} has a field {name!r} that nobody reads; {nearest(name, fields)}")
    for name, kind in fields.items():
        if name not in entry:
            raise Mistake(f"{where} lacks {name!r}, {_CALLED.get(kind, kind.__name__)}")
        if not _fits(entry[name], kind):
            raise Mistake(f"{where}: {name!r} must be {_CALLED.get(kind, kind.__name__)}")
    return {name: entry[name] for name in fields}


def _fits(value: Any, kind: type) -> bool:
    if kind is list:
        return isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value)
    if kind is str:
        return isinstance(value, str) and bool(value.strip())
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is kind
