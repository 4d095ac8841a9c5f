"""Simulation tasks: what a model is told to be, and the files they come from."""

import csv
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake, nearest, why
from interplay.core.files import text_of
from interplay.core.wire import clean

FOLDER = Path(str(files(__package__)))
STATELESS, STATEFUL = KINDS = ("stateless", "stateful")
LARGEST_FILE = 50_000_000
LONGEST_DESCRIPTION = 8_000  # characters
LONGEST_RECORD = 1_000  # lines, of a .csv file
_KEYS = ("id", "name", "kind", "request", "description", "keeps")


@dataclass(frozen=True)
class Task:
    """An interface that a model is to be, with its first request at the end of the description."""

    id: str
    name: str
    kind: str
    request: str  # what every request of the user is
    description: str
    keeps: tuple[str, ...] = ()  # what a correct answer must keep to


def read_tasks(path: Path) -> list[Task]:
    """The tasks of a file: .toml as ours are, or .jsonl as the authors'."""
    if path.suffix.lower() == ".jsonl":
        if any(key in row for _, row in json_lines(path)[:1] for key in ("dialogue_history", "history")):
            raise Mistake(f"{path} holds scripts, not tasks: interplay run simulation --data {path}")
        found = [_authors_task(row, f"{path}, line {line}") for line, row in json_lines(path)]
    elif path.suffix.lower() == ".toml":
        found = [_task(entry, f"{path}, task {n}") for n, entry in enumerate(_entries(path), 1)]
    else:
        raise Mistake(f"tasks are read from a .toml or a .jsonl file, not {path}")
    if not found:
        raise Mistake(f"{path} has no tasks")
    seen: set[str] = set()
    for task in found:
        if task.id in seen:
            raise Mistake(f"{path}: the task {task.id!r} is there twice")
        seen.add(task.id)
    return found


def _entries(path: Path) -> list[Any]:
    try:
        entries = tomllib.loads(text_of(path, LARGEST_FILE)).get("tasks", [])
    except tomllib.TOMLDecodeError as error:
        raise Mistake(f"{path} is no TOML: {error}") from error
    if not isinstance(entries, list):
        raise Mistake(f"{path}: tasks are written as [[tasks]] tables")
    return entries


def _task(entry: Any, where: str) -> Task:
    if not isinstance(entry, Mapping):
        raise Mistake(f"{where} is written as a [[tasks]] table")
    for key in entry:
        if key not in _KEYS:
            raise Mistake(f"{where} has {key!r}; {nearest(str(key), _KEYS)}")
    keeps = entry.get("keeps", [])
    if not isinstance(keeps, list):
        raise Mistake(f"{where}: keeps is a list of texts")
    name = text_in(entry, "name", where)
    return Task(
        id=text_in(entry, "id", where),
        name=name,
        kind=kind_in(entry, "kind", where),
        request=text_in(entry, "request", f"{where} ({name})"),
        description=text_in(entry, "description", f"{where} ({name})"),
        keeps=tuple(_text(one, f"{where} ({name}): keeps") for one in keeps),
    )


def _authors_task(row: Mapping[str, Any], where: str) -> Task:
    return Task(
        id=text_in(row, "id", where),
        name=text_in(row, "act", where),
        kind=kind_in(row, "type", where),
        request=text_in(row, "request_type", where),
        description=text_in(row, "task_description", where),
    )


def read_prompt_rows(path: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """The rows (act, prompt) of a .csv file of community prompts, and a remark on each row that is no such row."""
    records = _csv_records(text_of(path, LARGEST_FILE).split("\n"))
    heading = next(records, (1, ()))[1]
    if heading is None or [name.strip().lower() for name in heading] != ["act", "prompt"]:
        raise Mistake(f"{path} is no file of prompts: its first line must be act,prompt")
    rows: list[tuple[str, str]] = []
    remarks = []
    for number, (line, fields) in enumerate(records, 1):
        texts = [clean(text).strip() for text in fields or ()]
        if len(texts) == 2 and all(texts):
            rows.append((texts[0], texts[1]))
        else:
            trouble = (
                "its quotes do not match"
                if fields is None
                else f"it has {sum(map(bool, texts))} texts, not 2"
            )
            remarks.append(f"{path}, row {number} (line {line}) is left out: {trouble}")
    return rows, remarks


def _csv_records(lines: Sequence[str]) -> Iterator[tuple[int, list[str] | None]]:
    """The records of a .csv file with the line that each begins on; None for one whose quotes do not match.

    What follows such a record is read as if it were not there, so that one bad quote costs one row.
    """
    place = 0
    while place < len(lines):
        end = _end_of_quotes(lines, place)
        fields = None if end is None else _fields("\n".join(lines[place:end]))
        if fields != []:
            yield place + 1, fields
        place = end if fields is not None and end is not None else place + 1


def _end_of_quotes(lines: Sequence[str], start: int) -> int | None:
    """The line after the one on which all quotes are closed that were opened from this one on; None if none is."""
    quotes = 0
    for place in range(start, min(start + LONGEST_RECORD, len(lines))):
        quotes += lines[place].count('"')
        if quotes % 2 == 0:
            return place + 1
    return None


def _fields(record: str) -> list[str] | None:
    try:
        return next(csv.reader(record.splitlines(keepends=True), strict=True), [])
    except csv.Error:
        return None


def json_lines(path: Path) -> list[tuple[int, Mapping[str, Any]]]:
    """The objects of a .jsonl file, each with the number of its line."""
    found = []
    for number, line in enumerate(text_of(path, LARGEST_FILE).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise Mistake(f"{path}, line {number} is no JSON: {why(error)}") from error
        if not isinstance(row, Mapping):
            raise Mistake(f"{path}, line {number} is no JSON object")
        found.append((number, row))
    return found


def kind_in(entry: Mapping[str, Any], key: str, where: str) -> str:
    kind = text_in(entry, key, where)
    if kind not in KINDS:
        raise Mistake(f"{where}: {key} is {' or '.join(KINDS)}, not {kind!r}")
    return kind


def text_in(entry: Mapping[str, Any], key: str, where: str) -> str:
    return _text(entry.get(key), f"{where}: {key}")


def _text(found: Any, where: str) -> str:
    if not isinstance(found, str) or not found.strip():
        raise Mistake(f"{where} must be a text, not {'nothing' if found is None else repr(found)[:80]}")
    if len(found) > LONGEST_DESCRIPTION:
        raise Mistake(f"{where} has {len(found):,} characters, and {LONGEST_DESCRIPTION:,} are the most")
    return clean(found).strip()
