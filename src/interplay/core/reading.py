"""Reading JSON out of what a model wrote."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from json_repair import repair_json

from interplay.core.failures import Unreadable
from interplay.core.wire import split_reasoning

LONGEST_JSON = 200_000
LONGEST_MEND = 12_000  # mending takes time that grows with the square of the text
MOST_STARTS = 1_000  # braces at which an object is looked for, and fields that a reply may name
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_QUOTES = "\"'“”‘’"
_QUOTE = rf"(?:\\{{0,8}}[{_QUOTES}]|\\{{1,8}}u(?:0022|0027|201[89cd]))"
_FIELD = re.compile(rf"{_QUOTE}((?:\w|\\{{1,8}}u[0-9a-f]{{4}}){{1,100}}){_QUOTE}(\s*):", re.IGNORECASE)
_ESCAPE = re.compile(r"\\+u([0-9a-f]{4})", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"[\w.+-]{1,20}")


@dataclass(frozen=True)
class _Found:
    """A JSON object, where in its text it stands, and whether it had to be mended."""

    value: dict[str, Any]
    start: int
    end: int
    mended: bool = False


def json_objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects that stand in a text side by side, mended where a comma or quote is out of place."""
    text, _ = split_reasoning(text[:LONGEST_JSON])
    return _values(_objects(text))


def own_objects(text: str, names: Collection[str]) -> list[dict[str, Any]]:
    """The JSON objects in which a text itself gives these fields, whatever else it quotes; or Unreadable.

    A mended object counts only if its fields are named in quotes, each once, before the value that was read: a
    text that is quoted with such names defused can then neither pass for an object nor lend one a value.
    """
    text, _ = split_reasoning(text[:LONGEST_JSON])
    whole = _whole_object(text)
    if whole is not None and text.count(":") <= MOST_STARTS:  # so it cannot name more fields than that
        return [whole]
    named = list(islice(fields_named(text, names), MOST_STARTS + 1))
    if len(named) > MOST_STARTS:
        raise several_objects()
    sound = _sound_objects(text)
    # A brace or quote left open before an object does not hide it; one that is closed after it may hold it.
    if sound and _all_within(named, sound) and "}" not in text[sound[-1].end :]:
        return _values(sound)
    own = [one for one in _objects(text) if not one.mended or _within(named, one)]
    for one in own:
        if one.mended and not _is_named_once(text, one, _within(named, one), names):
            raise several_objects()
    apart = {field_name(field).lower() for field in named if not _all_within([field], own)}
    if any(apart & one.value.keys() for one in own):
        raise several_objects()
    return _values(own)


def several_objects() -> Unreadable:
    return Unreadable("Your reply holds several different JSON objects. Reply with one JSON object.")


def fields_named(text: str, names: Collection[str]) -> Iterator[re.Match[str]]:
    """Where a text names one of these as JSON does: in quotes, before a colon; escapes are what they stand for."""
    wanted = {name.lower() for name in names}
    return (found for found in _FIELD.finditer(text) if field_name(found).lower() in wanted)


def field_name(found: re.Match[str]) -> str:
    """The name itself, without escapes."""
    return _ESCAPE.sub(lambda escape: chr(int(escape.group(1), 16)), found.group(1))


def _within(named: Sequence[re.Match[str]], one: _Found) -> list[re.Match[str]]:
    return [field for field in named if one.start <= field.start() < one.end]


def _all_within(named: Sequence[re.Match[str]], found: Sequence[_Found]) -> bool:
    return all(any(one.start <= field.start() < one.end for one in found) for field in named)


def _is_named_once(text: str, one: _Found, named: Sequence[re.Match[str]], names: Collection[str]) -> bool:
    """Is every field that a mended object gives named once, just before its value?"""
    given = sorted(name for name in names if name in one.value)
    if sorted(map(field_name, named)) != given:
        return False
    return all(_follows(one.value[field_name(field)], text[field.end() : one.end]) for field in named)


def _follows(value: Any, text: str) -> bool:
    """Does the text begin with this value? Of long texts, lists and objects nobody asks."""
    plain = json.dumps(value) if isinstance(value, bool | int | float) else value
    plain = plain.strip() if isinstance(plain, str) else ""
    if not _PLAIN_WORD.fullmatch(plain):
        return True
    begin = re.match(rf"[\s\\{_QUOTES}+]*([\w.+-]*)", text)
    return begin is not None and begin.group(1).lower() == plain.lower().lstrip("+")


def _values(found: Sequence[_Found]) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = []
    for one in found:
        if one.value not in values:
            values.append(one.value)
    return values


def _objects(text: str) -> list[_Found]:
    whole = _parse(text.strip())
    if whole is not None:
        return [_Found(whole, 0, len(text))]
    pieces = _braced(text)
    if not any(_parse(text[start:end]) for start, end in pieces) and "{" in text:
        # Quotes that are out of place can hide where an object ends: both readings must then say the same.
        first, last = text.find("{"), text.rfind("}")
        pieces.append((first, last + 1 if last > first else len(text)))
    found = []
    for start, end in pieces:
        sound = _parse(text[start:end])
        read = sound or _mend(text[start:end])
        if read is not None:
            found.append(_Found(read, start, end, mended=not sound))
    return found


def _sound_objects(text: str) -> list[_Found]:
    """The objects that are JSON as they stand, outermost first, whatever stands before them."""
    found: list[_Found] = []
    place = text.find("{")
    for _ in range(MOST_STARTS):
        if place < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, place)
            found.append(_Found(value, place, end))
            place = text.find("{", end)
        except (ValueError, RecursionError, Unreadable):
            place = text.find("{", place + 1)
    return found


def _parse(text: str) -> dict[str, Any] | None:
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _whole_object(text: str) -> dict[str, Any] | None:
    """The object that a text is, with nothing before or after it; the rule, and quickly found."""
    try:
        return _parse(text.strip())
    except Unreadable:  # it contradicts itself
        return None


def _without_contradiction(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found and found[name] != value:
            raise Unreadable(
                f"Your reply gives {name[:100]} twice, with different values. Give each field once."
            )
        found[name] = value
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_without_contradiction)


def _mend(text: str) -> dict[str, Any] | None:
    if len(text) > LONGEST_MEND or not re.search(r"[\"'\w]\s*:", text):  # {note} is a stray brace, no object
        return None
    try:
        value = repair_json(text, return_objects=True)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not value or _numbers(json.dumps(value)) != _numbers(text):
        return None  # mending may move a comma or a quote, but not lose a number
    return value


def _numbers(text: str) -> list[str]:
    """The numbers that stand outside strings, in order."""
    outside, quote, escaped = [], "", False
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote and not escaped else quote
            escaped = character == "\\" and not escaped
        elif character == '"' or (character == "'" and not text[place - 1 : place].isalnum()):
            quote = character
        else:
            outside.append(character)
    return _NUMBER.findall("".join(outside))


def _braced(text: str) -> list[tuple[int, int]]:
    """Where the outermost {...} groups begin and end, with braces inside strings passed over."""
    groups, depth, start, in_string, escaped = [], 0, 0, False, False
    for place, character in enumerate(text):
        if in_string:
            in_string = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"' and depth:
            in_string = True
        elif character == "{":
            start = place if depth == 0 else start
            depth += 1
        elif character == "}" and depth:
            depth -= 1
            if depth == 0:
                groups.append((start, place + 1))
    return groups
