"""What people say of conversations: labels from a file, brought to what was played, and settled."""

import csv
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

from interplay.core.benchmark import Played
from interplay.core.failures import Mistake, nearest, why
from interplay.core.files import text_of
from interplay.core.measures import Scale
from interplay.core.wire import canonical, clean

SETTLED = "settled"  # the rater of a row that says what came of discussing an item
PANEL = "the panel"
LARGEST_FILE = 50_000_000
LONGEST_NAME = 200
LEAST_OF_ID = 6  # characters of a scenario's id that are enough, where no other begins with them
_OF_ITEM, _SAID = ("conversation", "scenario", "model", "repeat"), ("rater", "criterion", "value")
FIELDS = (*_OF_ITEM, *_SAID, "when", "drawn")
FOR_READING = ("scale", "text")  # of a sheet for raters: there to be read, and not to be said
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
# An apostrophe that is written so that no program takes a cell for a formula.
_DEFUSED = re.compile(r"(^|[\n;])'(?=\s*[=+\-@＝＋－＠])")

Item = tuple[int, str, str, int]  # how a label names a conversation


@dataclass(frozen=True)
class Label:
    """What one rater said of one conversation by one criterion, and where it is written."""

    file: str
    line: int
    rater: str
    criterion: str
    value: float
    conversation: int = 0  # its number in the record; 0 where scenario and model name it
    scenario: str = ""  # its label, its id or the beginning of it
    model: str = ""
    repeat: int = 0  # from 1; 0 where there is one
    when: str = ""
    drawn: str = ""  # how the conversation was chosen for labelling

    @property
    def where(self) -> str:
        return f"{self.file}, line {self.line}" if self.line else self.file  # where the record has it whole

    @property
    def item(self) -> Item:
        return self.conversation, self.scenario, self.model, self.repeat


def read_labels(path: str, criteria: Mapping[str, Scale]) -> str:
    """A user's .csv or .jsonl file of labels, checked, as a board keeps it."""
    labels, _ = labels_of_file(path, criteria)
    kept = [{name: value for name, value in asdict(label).items() if name != "file"} for label in labels]
    return canonical({"file": Path(path).name, "rows": kept})


def labels_of_file(path: str, criteria: Mapping[str, Scale], rater: str = "") -> tuple[list[Label], int]:
    """The labels of a .csv or .jsonl file, checked, and how many rows of a sheet have no value yet.

    A row that names no rater is by the one who is named here.
    """
    file = Path(path)
    if file.suffix.lower() not in (".csv", ".jsonl"):
        raise Mistake(f"labels are read from a .csv or a .jsonl file, not {path}")
    rows = list(_csv_rows(file) if file.suffix.lower() == ".csv" else _json_rows(file))
    said = [(line, row) for line, row in rows if row.get("value") or not _is_of_sheet(row)]
    by = {"rater": rater} if rater else {}
    labels = [
        _label(row if row.get("rater") else {**row, **by}, file.name, line, f"{path}, line {line}", criteria)
        for line, row in said
    ]
    if not labels:
        raise Mistake(f"{path} has no labels")
    _refuse_twice(labels, path)
    return labels, len(rows) - len(said)


def _is_of_sheet(row: Mapping[str, str]) -> bool:
    """Was this row given out to be filled in?"""
    return bool(row.get("drawn")) and "scale" in row


def labels_in(kept: str) -> list[Label]:
    """The labels that a record keeps; none where it keeps nothing."""
    if not kept:
        return []
    found = json.loads(kept)
    return [Label(file=found["file"], **row) for row in found["rows"]]


def _refuse_twice(labels: Sequence[Label], path: str) -> None:
    seen: dict[Any, Label] = {}
    for label in labels:
        before = seen.setdefault((label.item, label.rater, label.criterion), label)
        if before is not label:
            raise Mistake(f"{path}, line {label.line}: {_twice(label, before)}")


def _twice(label: Label, before: Label) -> str:
    return f"{label.rater!r} has said {label.criterion!r} of this conversation on line {before.line} already"


def _csv_rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    csv.field_size_limit(LARGEST_FILE)  # a cell of a sheet has a whole conversation
    reader = csv.reader(io.StringIO(text_of(path, LARGEST_FILE), newline=""), strict=True)
    columns: list[str] = []
    try:
        for cells in reader:
            texts = [_DEFUSED.sub(r"\1", clean(cell).strip()) for cell in cells]
            if not any(texts):
                continue
            if not columns:
                columns = _heading([text.lower() for text in texts], f"{path}, line {reader.line_num}")
                continue
            if len(texts) != len(columns):
                raise Mistake(f"{path}, line {reader.line_num} has {len(texts)} cells, not {len(columns)}")
            yield reader.line_num, dict(zip(columns, texts, strict=True))
    except csv.Error as error:
        raise Mistake(f"{path}, line {reader.line_num} is no line of a .csv file: {error}") from error
    if not columns:
        raise Mistake(f"{path} is empty; its first line must be {','.join((*_OF_ITEM[1:3], *_SAID))}")


def _heading(columns: list[str], where: str) -> list[str]:
    for number, column in enumerate(columns):
        if column not in (*FIELDS, *FOR_READING):
            raise Mistake(f"{where} has the column {column[:80]!r}; {nearest(column, FIELDS)}")
        if column in columns[:number]:
            raise Mistake(f"{where} has the column {column} twice")
    for column in _SAID:
        if column not in columns:
            raise Mistake(f"{where} lacks the column {column}")
    if not {"conversation", "scenario"} & set(columns):
        raise Mistake(f"{where} lacks a column conversation or scenario")
    return columns


def _json_rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    for line, text in enumerate(text_of(path, LARGEST_FILE).split("\n"), 1):
        if not text.strip():
            continue
        where = f"{path}, line {line}"
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise Mistake(f"{where} is no JSON: {why(error)}") from error
        if not isinstance(row, dict):
            raise Mistake(f"{where} is no JSON object")
        yield line, {key: _plain(key, value, where) for key, value in row.items()}


def _plain(key: str, value: Any, where: str) -> str:
    """A JSON value as somebody would type it into a cell."""
    if key not in (*FIELDS, *FOR_READING):
        raise Mistake(f"{where} has {key[:80]!r}; {nearest(key, FIELDS)}")
    if isinstance(value, list | dict):
        raise Mistake(f"{where}: {key} is a text or a number, not a {type(value).__name__}")
    if isinstance(value, float):
        value = int(value) if value.is_integer() else format(Decimal(str(value)), "f")
    return "" if value is None else clean(str(value)).strip()


def _label(row: Mapping[str, str], file: str, line: int, where: str, criteria: Mapping[str, Scale]) -> Label:
    for name in _SAID:
        if not row.get(name):
            raise Mistake(f"{where}: {name} is empty")
    for name in ("rater", "when", "drawn"):
        if not row.get(name, "").isprintable() or len(row.get(name, "")) > LONGEST_NAME:
            raise Mistake(f"{where}: {name} is at most {LONGEST_NAME} characters that can be seen")
    scale = criteria.get(row["criterion"])
    if scale is None:
        raise Mistake(
            f"{where}: there is no criterion {row['criterion'][:80]!r}; {nearest(row['criterion'], criteria)}"
        )
    value = scale.read(row["value"])
    if value is None:
        raise Mistake(f"{where}: {row['criterion']} is {scale}, not {row['value'][:80]!r}")
    conversation, repeat = (
        _number(row.get(name, ""), f"{where}: {name}") for name in ("conversation", "repeat")
    )
    scenario, model = row.get("scenario", ""), row.get("model", "")
    if not conversation and not scenario:
        raise Mistake(f"{where} names neither a conversation nor a scenario")
    if not conversation and not model:
        raise Mistake(f"{where}: model is empty; with a scenario goes the model that played it")
    named = (conversation, scenario, model, repeat)
    return Label(
        file, line, row["rater"], row["criterion"], value, *named, row.get("when", ""), row.get("drawn", "")
    )


def _number(text: str, where: str) -> int:
    if text and not _NUMBER.fullmatch(text):
        raise Mistake(f"{where} is a whole number from 1, not {text[:80]!r}")
    return int(text or 0)


class Stray(Exception):
    """Something was said of a conversation that is not here; why."""


class Places:
    """Finds the conversation that a person means, by what is easy to write down."""

    def __init__(self, played: Sequence[Played], what: str = "conversation of", done: str = "played"):
        self._what, self._done = what, done
        self._ids = sorted({one.scenario.id for one in played})
        self._models = sorted({one.subject for one in played})
        self._labelled: defaultdict[str, set[str]] = defaultdict(set)
        self._places: dict[
            tuple[str, str], dict[int, list[int]]
        ] = {}  # by scenario and model, then by repeat
        for place, one in enumerate(played):
            self._labelled[clean(one.scenario.label).strip()].add(one.scenario.id)
            by_repeat = self._places.setdefault((one.scenario.id, one.subject), {})
            by_repeat.setdefault(one.repeat + 1, []).append(place)

    def scenario(self, name: str, where: str) -> str:
        """The id of the scenario of this label, or whose id begins so; raises Stray, or a Mistake of several."""
        called = self._labelled.get(name, set())
        if len(called) > 1:
            raise Mistake(
                f"{where}: {len(called)} scenarios are called {name[:80]!r}; write the beginning of its id"
            )
        if called:
            return next(iter(called))
        begin = name.lower() if len(name) >= LEAST_OF_ID else "no id"
        ids = [id for id in self._ids if id.startswith(begin)]
        if len(ids) > 1:
            raise Mistake(f"{where}: {len(ids)} scenarios begin with {name[:80]!r}; write more of the id")
        if not ids:
            close = nearest(name, self._labelled)
            raise Stray(
                f"there is no scenario {name[:80]!r} here" + (f"; {close}" if close[-1] == "?" else "")
            )
        return ids[0]

    def model(self, name: str) -> None:
        if name not in self._models:
            raise Stray(f"there is no model {name[:80]!r} here; {nearest(name, self._models)}")

    def place(self, scenario: str, model: str, repeat: int, where: str, name: str) -> int:
        """Which conversation it is, of a scenario's id and a model; raises as above."""
        by_repeat = self._places.get((scenario, model), {})
        if not repeat and len(by_repeat) > 1:
            raise Mistake(
                f"{where}: the model {self._done} this several times; a column repeat must say which time"
            )
        places = by_repeat.get(repeat or min(by_repeat, default=0), [])
        if not places:
            raise Stray(f"{model} has no such {self._what} {name[:80]!r}")
        if len(places) > 1:
            raise Mistake(f"{where}: several runs have this {self._what.split()[0]}; show them one by one")
        return places[0]


@dataclass(frozen=True)
class Matched:
    """Labels, named by scenario id, model and repeat, with the conversations they are of; and those of none."""

    pairs: tuple[tuple[Label, Played], ...]
    strays: tuple[tuple[Label, str], ...]


def numbers_of(
    labels: Sequence[Label], played: Sequence[Played], numbers: Sequence[int]
) -> list["int | Stray"]:
    """The number, in the record, of the conversation that each label is of; or why it is of none."""
    places, by_number = Places(played), {number: place for place, number in enumerate(numbers)}
    found: list[int | Stray] = []
    seen: dict[Any, Label] = {}
    for label in labels:
        try:
            number = numbers[_place(label, played, places, by_number)]
        except Stray as stray:
            found.append(stray)
            continue
        before = seen.setdefault((number, label.rater, label.criterion), label)
        if before is not label:  # the same conversation under two names
            raise Mistake(f"{label.where}: {_twice(label, before)}")
        found.append(number)
    return found


def matched(labels: Sequence[Label], played: Sequence[Played], numbers: Sequence[int] = ()) -> Matched:
    """Bring labels to what was played; numbers are those of the conversations in the record, where they are known."""
    places, by_number = Places(played), {number: place for place, number in enumerate(numbers)}
    pairs: list[tuple[Label, Played]] = []
    strays: list[tuple[Label, str]] = []
    seen: dict[Any, Label] = {}
    for label in labels:
        try:
            one = played[_place(label, played, places, by_number)]
        except Stray as stray:
            strays.append((label, str(stray)))
            continue
        known = replace(
            label, conversation=0, scenario=one.scenario.id, model=one.subject, repeat=one.repeat + 1
        )
        before = seen.setdefault((known.item, label.rater, label.criterion), label)
        if before is not label:  # the same conversation under two names
            raise Mistake(f"{label.where}: {_twice(label, before)}")
        pairs.append((known, one))
    return Matched(tuple(pairs), tuple(strays))


def _place(label: Label, played: Sequence[Played], places: Places, by_number: Mapping[int, int]) -> int:
    """By its number, where it has one and numbers are known; else by its names."""
    number = label.conversation
    if number in by_number:
        _check_names(label, played[by_number[number]])
        return by_number[number]
    if number and by_number:
        raise Stray(f"no conversation {number} is here")
    if not label.scenario or not label.model:
        raise Stray(f"no conversation {number} is known here by its number; name its scenario and model")
    id = places.scenario(label.scenario, label.where)
    places.model(label.model)
    return places.place(id, label.model, label.repeat, label.where, label.scenario)


def _check_names(label: Label, one: Played) -> None:
    """Raise Stray where what is said beside a conversation's number is of another, as in the file of another store."""
    by_id = len(label.scenario) >= LEAST_OF_ID and one.scenario.id.startswith(label.scenario.lower())
    named = (
        ("scenario", "" if by_id else label.scenario, one.scenario.label),
        ("model", label.model, one.subject),
        ("repeat", str(label.repeat or ""), str(one.repeat + 1)),
    )
    for what, said, here in named:
        if said and _letters(said) != _letters(here):
            raise Stray(
                f"conversation {label.conversation} has the {what} {here[:80]!r} here, not {said[:80]!r}"
            )


def _letters(text: str) -> str:
    """What a text is known by, however a program for tables has spaced or quoted it."""
    return re.sub(r"\W", "", text) or text.strip()


@dataclass(frozen=True)
class Settled:
    """What people say of each conversation by each criterion, once several of them are heard."""

    values: Mapping[tuple[Item, str], float]
    tied: tuple[tuple[Item, str], ...]
    discussed: int  # settled by discussion


def settled(labels: Sequence[Label], graded: Container[str] = ()) -> Settled:
    """The value that more than half of an item's raters gave, else of a graded criterion the median, else a tie.

    A tie is left out, and listed. A row of the rater SETTLED goes before all others.
    """
    given: defaultdict[tuple[Item, str], dict[str, float]] = defaultdict(dict)
    for label in labels:
        given[label.item, label.criterion][label.rater] = label.value
    values: dict[tuple[Item, str], float] = {}
    tied = []
    for key, by_rater in given.items():
        value, most = Counter(by_rater.values()).most_common(1)[0]
        if SETTLED in by_rater:
            values[key] = by_rater[SETTLED]
        elif 2 * most > len(by_rater):
            values[key] = value
        elif key[1] in graded:
            values[key] = median(by_rater.values())
        else:
            tied.append(key)
    return Settled(values, tuple(tied), sum(SETTLED in by_rater for by_rater in given.values()))
