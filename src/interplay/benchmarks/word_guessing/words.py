"""Pairs of secret words, and the files they come from."""

import csv
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake, nearest, why
from interplay.core.files import text_of
from interplay.core.wire import clean

FOLDER = Path(str(files(__package__)))
GENERAL = "general"
TOPICS = (
    "business",
    "education",
    "entertainment",
    "food",
    "health",
    "politics",
    "science",
    "sports",
    "technology",
    "travel",
)
LARGEST_FILE = 10_000_000
LONGEST_TEXT = 60  # characters of a word or an alias
MOST_ALIASES = 20
_KEYS = ("a", "b", "a_also", "b_also", "topic")


@dataclass(frozen=True)
class Word:
    """A secret word, and what else is taken for it."""

    text: str
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (self.text, *self.also)


@dataclass(frozen=True)
class Pair:
    """Two words that are similar but not the same, and the list that they belong to."""

    topic: str
    a: Word
    b: Word

    def __str__(self) -> str:
        return f"{self.a.text} / {self.b.text}"

    @property
    def words(self) -> tuple[Word, Word]:
        return self.a, self.b

    def content(self) -> dict[str, Any]:
        """As a scenario has it."""
        return {
            "topic": self.topic,
            "a": {"text": self.a.text, "also": list(self.a.also)},
            "b": {"text": self.b.text, "also": list(self.b.also)},
        }


@cache
def shipped(topic: str) -> tuple[Pair, ...]:
    """A list of ours."""
    return tuple(read_pairs(FOLDER / "data" / f"{topic}.toml"))


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a file: .toml as ours are, or .csv with columns a and b, and a_also, b_also, topic where known."""
    if path.suffix.lower() == ".csv":
        return [_pair(row, f"{path}, line {line}", path.stem) for line, row in _csv_rows(path)]
    if path.suffix.lower() != ".toml":
        raise Mistake(f"word pairs are read from a .toml or a .csv file, not {path}")
    try:
        found = tomllib.loads(text_of(path, LARGEST_FILE))
    except (ValueError, RecursionError) as error:
        raise Mistake(f"{path} is no TOML: {why(error)}") from error
    pairs = found.get("pairs")
    if not isinstance(pairs, list) or not pairs:
        raise Mistake(f'{path} has no pairs; write them as pairs = [{{ a = "bread", b = "cake" }}]')
    topic = found.get("topic", path.stem)
    if not isinstance(topic, str) or not topic.strip():
        raise Mistake(f"{path}: topic must be a text")
    return [_pair(entry, f"{path}, pair {number}", topic) for number, entry in enumerate(pairs, 1)]


def _csv_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(text_of(path, LARGEST_FILE).splitlines(), strict=True)
    try:
        for key in reader.fieldnames or ():
            if key not in _KEYS:
                raise Mistake(f"{path} has a column {key!r}; {nearest(key, _KEYS)}")
        count = 0
        for row in reader:
            if None in row:
                raise Mistake(f"{path}, line {reader.line_num} has more cells than there are columns")
            count += 1
            yield reader.line_num, _from_cells(row)
    except csv.Error as error:
        raise Mistake(f"{path}, line {reader.line_num} is no CSV: {error}") from error
    if not count:
        raise Mistake(f"{path} has no pairs; its first line is a,b and every other has two words")


def _from_cells(row: Mapping[str, str | None]) -> dict[str, Any]:
    """A row as a pair of our own files has it; aliases are parted by semicolons."""
    found: dict[str, Any] = {key: value for key, value in row.items() if value}
    for key in ("a_also", "b_also"):
        if key in found:
            found[key] = [part for part in found[key].split(";") if part.strip()]
    return found


def _pair(entry: Any, where: str, topic: str) -> Pair:
    if not isinstance(entry, Mapping):
        raise Mistake(f'{where} is written as {{ a = "bread", b = "cake" }}, not {entry!r}')
    for key in entry:
        if key not in _KEYS:
            raise Mistake(f"{where} has {key!r}; {nearest(str(key), _KEYS)}")
    a, b = (
        Word(_word(entry.get(key), f"{where}: {key}"), _aliases(entry.get(f"{key}_also", ()), where))
        for key in ("a", "b")
    )
    return Pair(_word(entry.get("topic", topic), f"{where}: topic"), a, b)


def _aliases(found: Any, where: str) -> tuple[str, ...]:
    if not isinstance(found, Sequence) or isinstance(found, str) or len(found) > MOST_ALIASES:
        raise Mistake(f"{where}: aliases are a list of at most {MOST_ALIASES} texts")
    return tuple(_word(one, f"{where}: an alias") for one in found)


def _word(found: Any, where: str) -> str:
    """A text in one line, as it will be shown and compared."""
    if not isinstance(found, str):
        raise Mistake(f"{where} must be a text, not {'nothing' if found is None else repr(found)}")
    text = " ".join(clean(found).split())
    letters = any(character.isalnum() for character in text)
    if not letters or not text.isprintable() or len(text) > LONGEST_TEXT:
        shown = repr(found if len(found) <= LONGEST_TEXT else found[:LONGEST_TEXT] + "...")
        raise Mistake(
            f"{where} must have 1 to {LONGEST_TEXT} printable characters and a letter among them, not {shown}"
        )
    return text
