"""The rows of a file that came from elsewhere: lines of JSON one by one, or one JSON value as a whole."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from interplay.core.failures import Mistake, why

LARGEST_FILE = 1_000_000_000  # bytes, of rows that are read one by one
LARGEST_WHOLE = 200_000_000  # bytes of one JSON value, which is in memory as a whole
LONGEST_ROW = 20_000_000  # bytes
LINES = (".jsonl", ".ndjson")  # how the name of a file ends that has a row on each line
THE_FILE = "the file"
_POINTER = b"version https://git-lfs"


@dataclass(frozen=True)
class Row:
    """One row of a file, and where it stands there."""

    where: str  # as in line 3, entry 3, or the file
    value: Any


@dataclass(frozen=True)
class Skipped:
    """A part of a file that is not taken in, and why; nothing is guessed."""

    where: str
    why: str


class Unfit(Exception):
    """A row that does not fit its format; the text says in what."""


def rows_in(path: Path) -> Iterator[Row | Skipped]:
    """The rows of a file: its lines, the entries of its list, or the file itself where it is one object.

    A line that is no JSON is skipped; a file that is none as a whole is a Mistake.
    """
    size = _size(path)
    if path.suffix.lower() in LINES or (size > LARGEST_WHOLE and _begins_with_a_row(path)):
        yield from _lines(path)
        return
    if size > LARGEST_WHOLE:
        raise Mistake(
            f"{path} is one JSON value of more than {LARGEST_WHOLE:,} bytes; with a row on each line it may have "
            f"{LARGEST_FILE:,}"
        )
    try:
        value = parsed(_bytes(path))
    except Unfit as problem:
        if not _begins_with_a_row(path):
            raise Mistake(f"{path} cannot be read: {problem}") from None
        yield from _lines(path)
        return
    if isinstance(value, list):
        yield from (Row(f"entry {place}", entry) for place, entry in enumerate(value, 1))
    else:
        yield Row(THE_FILE, value)


def parsed(text: bytes) -> Any:
    """The value of a JSON text; what JSON does not have, or has in two ways, is Unfit."""
    try:
        return _DECODER.decode(text.decode("utf-8-sig"))
    except RecursionError:
        raise Unfit("its JSON is nested too deeply") from None
    except UnicodeDecodeError:
        raise Unfit("it is no UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise Unfit(
            f"it is no JSON ({error.msg.lower()}, line {error.lineno} column {error.colno})"
        ) from None
    except ValueError as error:
        raise Unfit(f"it is no JSON ({error})") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:60]!r} is there twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)


def _size(path: Path) -> int:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            if file.read(len(_POINTER)) == _POINTER:
                raise Mistake(f"{path} only points at a file that Git LFS keeps; fetch it with: git lfs pull")
    except OSError as error:
        raise Mistake(f"{path} cannot be read: {why(error)}") from error
    if size > LARGEST_FILE:
        raise Mistake(f"{path} is larger than {LARGEST_FILE:,} bytes; import it in parts")
    return size


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Mistake(f"{path} cannot be read: {why(error)}") from error


def _begins_with_a_row(path: Path) -> bool:
    """Is the first line a JSON object by itself?"""
    first = next(_lines(path), None)
    return isinstance(first, Row) and isinstance(first.value, dict)


def _lines(path: Path) -> Iterator[Row | Skipped]:
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST_ROW + 1):
                number += 1
                if len(line) > LONGEST_ROW:
                    _to_the_end(file, line)
                    yield Skipped(f"line {number}", f"it is longer than {LONGEST_ROW:,} bytes")
                elif line.strip():
                    yield _row(f"line {number}", line)
    except OSError as error:
        raise Mistake(f"{path} cannot be read: {why(error)}") from error


def _to_the_end(file: BinaryIO, line: bytes) -> None:
    """Read on to the end of a line that is too long."""
    while line and not line.endswith(b"\n"):
        line = file.readline(LONGEST_ROW)


def _row(where: str, line: bytes) -> Row | Skipped:
    try:
        return Row(where, parsed(line))
    except Unfit as problem:
        return Skipped(where, str(problem))
