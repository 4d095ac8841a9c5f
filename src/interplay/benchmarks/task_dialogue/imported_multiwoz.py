"""MultiWOZ's dialogues, in which people played both sides: its own file, or the unified form of ConvLab-3."""

import json
from collections.abc import Iterator, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from interplay.benchmarks.task_dialogue.city import City, has_rows, read_city
from interplay.benchmarks.task_dialogue.dialogue import UNTOLD
from interplay.benchmarks.task_dialogue.goals import Goal, content_of_multiwoz, marked, told_goal
from interplay.benchmarks.task_dialogue.imported import Held, conversation, exchanges_of
from interplay.benchmarks.task_dialogue.protocol import BOT, SYSTEM, USER
from interplay.benchmarks.task_dialogue.scenarios import city_folder
from interplay.core.failures import Mistake, why
from interplay.core.import_files import LARGEST_FILE, LONGEST_ROW, Row, Skipped, Unfit
from interplay.core.importing import Imported, Importer, Reading, each, text_in
from interplay.core.wire import clean

WIZARD, VISITOR = "people/wizard", "people/visitor"  # who wrote these dialogues, by what MultiWOZ calls them
CHUNK = 1_000_000  # characters that are read at once


def read(reading: Reading) -> Iterator[Imported | Skipped]:
    """Every dialogue of a file; what the system said is held against the database, where there is one."""
    model, city = reading.model or WIZARD, _city(reading)

    def dialogue(row: Row) -> Iterator[Imported | Skipped]:
        yield conversation(_held(row), row.where, model, VISITOR, city)

    yield from each(entries_in(reading.path), dialogue)


def _city(reading: Reading) -> City | None:
    """The database that is named, or that lies beside the dialogues, as MultiWOZ is packed."""
    if reading.data is not None:
        if not reading.data.is_dir():
            raise Mistake(f"{reading.data} is no folder with a database, such as restaurant_db.json")
        return read_city(city_folder(reading.data))
    beside = city_folder(reading.path.parent)
    return read_city(beside) if has_rows(beside) else None


def _held(row: Row) -> Held:
    entry = row.value
    if not isinstance(entry, Mapping):
        raise Unfit("it is no object")
    turns, log = entry.get("turns"), entry.get("log")
    if isinstance(turns, list):
        goal = _unified_goal(entry)
        exchanges, closing = exchanges_of([_unified_turn(turn, at) for at, turn in enumerate(turns, 1)])
    elif isinstance(log, list):
        goal = _goal(row.where, entry.get("goal"))
        exchanges, closing = exchanges_of([_turn(turn, at) for at, turn in enumerate(log)])
    else:
        raise Unfit("it has no log of turns, as MultiWOZ's dialogues have")
    return Held(goal, exchanges, UNTOLD, closing)


def _goal(name: str, goal: Any) -> Goal:
    try:
        goal = _cleaned(goal)
    except RecursionError:
        raise Unfit("its goal is nested too deeply") from None
    if isinstance(goal, dict) and isinstance(goal.get("message"), str):
        goal["message"] = [goal["message"]]
    try:
        return told_goal(content_of_multiwoz(name.removesuffix(".json"), goal, "its goal"), "its goal")
    except Mistake as problem:
        raise Unfit(str(problem)) from problem


def _cleaned(value: Any) -> Any:
    """The same value with texts that a store can hold."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    if isinstance(value, Mapping):
        return {clean(name): _cleaned(one) for name, one in value.items()}
    return value


def _turn(turn: Any, at: int) -> tuple[str, str]:
    """What one side said; only the system's turns say what is known by then."""
    if not isinstance(turn, Mapping):
        raise Unfit(f"log[{at}] is no object")
    side = SYSTEM if at % 2 else USER
    if side == USER and turn.get("metadata"):
        raise Unfit(f"log[{at}] should be the user's, and has the metadata of a system's turn")
    return side, text_in(turn.get("text"), f"log[{at}].text", may_be_empty=side == SYSTEM)


def _unified_goal(entry: Mapping[str, Any]) -> Goal:
    """A goal in words alone: the unified form has no first wishes and bookings apart from the last."""
    goal = entry.get("goal")
    words = text_in(goal.get("description") if isinstance(goal, Mapping) else None, "goal.description")
    name = text_in(entry.get("original_id", entry.get("dialogue_id")), "dialogue_id", longest=200)
    content = {"id": name.removesuffix(".json"), "goal": {}, "message": [marked(words)]}
    try:
        return told_goal(content, "its goal")
    except Mistake as problem:
        raise Unfit(str(problem)) from problem


def _unified_turn(turn: Any, number: int) -> tuple[str, str]:
    speaker = turn.get("speaker") if isinstance(turn, Mapping) else None
    if speaker not in (USER, SYSTEM):
        raise Unfit(f"turn {number} must have {USER} or {SYSTEM} as its speaker, not {str(speaker)[:60]!r}")
    return speaker, text_in(turn.get("utterance"), f"turn {number}", may_be_empty=speaker == SYSTEM)


def entries_in(path: Path) -> Iterator[Row | Skipped]:
    """The entries of a JSON object or list one by one: MultiWOZ's file is too large to be held as a whole."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise Mistake(f"{path} is larger than {LARGEST_FILE:,} bytes")
        with path.open(encoding="utf-8-sig") as file:
            yield from _Entries(file).each(path)
    except OSError as error:
        raise Mistake(f"{path} cannot be read: {why(error)}") from error


class _Entries:
    """Reads a JSON object or list as far as its next entry."""

    def __init__(self, file: TextIOWrapper):
        self._file = file
        self._text, self._at = "", 0
        self._odd: list[str] = []  # what the entry that is being read has, and JSON should not
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_constant=self._no_number, parse_int=self._whole_number
        )

    def each(self, path: Path) -> Iterator[Row | Skipped]:
        where = "the beginning"
        try:
            begins = self._next()
            if begins not in ("{", "["):
                raise Mistake(f"{path} is no JSON object or list of dialogues")
            names: set[str] = set()
            number, ends = 0, {"{": "}", "[": "]"}[begins]
            while self._goes_on(ends, first=number == 0):
                number += 1
                name = self._name() if begins == "{" else f"entry {number}"
                value, where = self._value(), name
                odd = "its name is there twice" if name in names else next(iter(self._odd), "")
                names.add(name)
                self._odd.clear()
                yield Skipped(name, odd) if odd else Row(name, value)
            self._ends()
        except UnicodeDecodeError:
            yield Skipped(f"after {where}", "it is no UTF-8 text, and nothing from there on is read")
        except (Unfit, RecursionError):
            yield Skipped(f"after {where}", "it is no JSON, and nothing from there on is read")

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self._odd.append("it has a name twice in one object")
        return found

    def _no_number(self, name: str) -> None:
        self._odd.append(f"{name} in it is no number")

    def _whole_number(self, digits: str) -> int:
        try:
            return int(digits)
        except ValueError:  # Python reads no more than some thousand digits
            self._odd.append("a number in it is too long")
            return 0

    def _goes_on(self, ends: str, *, first: bool) -> bool:
        """Is there another entry? Then it is next."""
        found = self._next()
        if found == ends:
            return False
        if not first and found != ",":
            raise Unfit
        if first:
            self._at -= 1
        return True

    def _ends(self) -> None:
        """Is there nothing more? Whatever stands after a JSON text is none."""
        while self._text[self._at :].isspace() or self._at == len(self._text):
            self._at = len(self._text)
            if not self._more():
                return
        raise Unfit

    def _name(self) -> str:
        name = self._value()
        if not isinstance(name, str) or self._next() != ":":
            raise Unfit
        return clean(name)

    def _next(self) -> str:
        """The next character that is no blank."""
        while True:
            while self._at < len(self._text):
                self._at += 1
                if not self._text[self._at - 1].isspace():
                    return self._text[self._at - 1]
            if not self._more():
                raise Unfit

    def _value(self) -> Any:
        self._next()
        self._at -= 1
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError:
                if len(self._text) - self._at > LONGEST_ROW or not self._more():
                    raise Unfit from None
                self._odd.clear()
                continue
            self._at = end
            return value

    def _more(self) -> bool:
        chunk = self._file.read(CHUNK)
        self._text, self._at = self._text[self._at :] + chunk, 0
        return bool(chunk)


MULTIWOZ = Importer(
    name="multiwoz",
    meaning=f"MultiWOZ 2.x (data.json, or ConvLab-3's dialogues.json); the system is {WIZARD} unless --model says",
    read=read,
    options={"system": BOT},
    remarks=(
        "People wrote both sides of MultiWOZ's dialogues. What was booked, and so success of goals with a booking, is "
        "for judges to say; inform and request are told by the database where it lies beside the file (or --data "
        "FOLDER): a place counts as offered where it is named.",
    ),
)
