"""Files of characters and situations: small good ones, and ones with a slip each with what must be said of it."""

import json
from collections.abc import Mapping
from typing import Any

import tomli_w

from interplay.benchmarks.role_play.card_files import LARGEST_FILE, LONGEST_TEXT, MOST

Content = Mapping[str, Any] | bytes
CHARACTER = {
    "name": "Odo",
    "summary": "Odo keeps a lighthouse.",
    "persona": "You keep a light that nobody needs, and you know it.",
}
SITUATION = {"text": "Ask Odo for the way, and do not believe the answer.", "turns": 2}
OURS: Mapping[str, Any] = {"characters": [CHARACTER], "situations": [SITUATION]}
AUTHORS: Mapping[str, Any] = {
    "en": {
        "characters": [{"char_name": "Odo", "summary": "A keeper.", "system_prompt": "You keep a light."}],
        "situations": [{"text": "Ask for the way.", "num_turns": 2, "tags": ["lost"]}],
    }
}


def character(**changes: Any) -> dict[str, Any]:
    """A good file whose only character is changed; None takes a key away."""
    return {**OURS, "characters": [_changed(CHARACTER, changes)]}


def situation(**changes: Any) -> dict[str, Any]:
    return {**OURS, "situations": [_changed(SITUATION, changes)]}


def theirs(part: str, **changes: Any) -> dict[str, Any]:
    """The authors' shape, with its only character or situation changed."""
    english = AUTHORS["en"]
    return {"en": {**english, part: [_changed(english[part][0], changes)]}}


def _changed(entry: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**entry, **changes}.items() if value is not None}


def as_file(content: Content, kind: str) -> bytes:
    if isinstance(content, bytes):
        return content
    return (tomli_w.dumps(dict(content)) if kind == "toml" else json.dumps(content)).encode()


_ENTRIES = f"needs 1 to {MOST} characters, each with its own keys"
_PLACES = f"needs 1 to {MOST} situations, each with its own keys"
_TURNS = "situations, number 1: turns is a whole number from 1 to 100, not "
_TOO_LONG = f"must be a text of at most {LONGEST_TEXT:,} characters"

# The kind of file, what is in it, and a part of the complaint.
MISTAKES: dict[str, tuple[str, Content, str]] = {
    "not TOML": ("toml", b"[[characters]", "cannot be read: "),
    "not JSON": ("json", b"{'en': 1}", "cannot be read: "),
    "not UTF-8 in TOML": ("toml", b'a = "\xff"', "cannot be read: 'utf-8' codec can't decode"),
    "not UTF-8 in JSON": ("json", b'{"a": "\xff"}', "cannot be read: 'utf-8' codec can't decode"),
    "nested too deeply": ("json", b"[" * 200_000, "cannot be read: "),
    "nested too deeply in TOML": ("toml", b"a = " + b"[" * 200_000, "cannot be read: "),
    "empty JSON": ("json", b"", "cannot be read: "),
    "too large": ("json", b" " * (LARGEST_FILE + 1), f"is larger than {LARGEST_FILE:,} bytes"),
    "JSON that is a list": ("json", b"[]", "must hold characters and situations"),
    "JSON that is a text": ("json", b'"en"', "must hold characters and situations"),
    "empty TOML": ("toml", b"", _ENTRIES),
    "another language": ("toml", {**OURS, "language": "ru"}, "is in 'ru'; play it with --language ru"),
    "a language that is not there": ("json", {"ru": AUTHORS["en"]}, "has no language 'en'; there is ru"),
    "a language that is misspelt": ("json", {"eng": AUTHORS["en"]}, "has no language 'en'; did you mean 'eng'?"),
    "a language that is a list": ("json", {"en": [1]}, _ENTRIES),
    "no characters": ("toml", {"situations": [SITUATION]}, _ENTRIES),
    "characters of none": ("json", {**OURS, "characters": []}, _ENTRIES),
    "characters as names": ("toml", {**OURS, "characters": ["Odo"]}, _ENTRIES),
    "characters as a table": ("toml", {**OURS, "characters": CHARACTER}, _ENTRIES),
    "too many characters": ("json", {**OURS, "characters": [CHARACTER] * (MOST + 1)}, _ENTRIES),
    "no situations": ("toml", {"characters": [CHARACTER]}, _PLACES),
    "situations as a text": ("json", {**OURS, "situations": "any"}, _PLACES),
    "too many situations": ("json", {**OURS, "situations": [SITUATION] * (MOST + 1)}, _PLACES),
    "no name": ("toml", character(name=None), "characters, number 1: name is missing"),
    "blank name": ("toml", character(name=" \n"), "characters, number 1: name is missing"),
    "name that is a number": ("toml", character(name=7), f"characters, number 1: name {_TOO_LONG}"),
    "name that is a list": ("json", character(name=["Odo"]), f"characters, number 1: name {_TOO_LONG}"),
    "no persona": ("toml", character(persona=None), "characters, number 1: persona is missing"),
    "empty persona": ("json", character(persona=""), "characters, number 1: persona is missing"),
    "long persona": ("toml", character(persona="x" * (LONGEST_TEXT + 1)), f"number 1: persona {_TOO_LONG}"),
    "greeting that is a number": ("toml", character(greeting=1), f"characters, number 1: greeting {_TOO_LONG}"),
    "second of two characters": (
        "toml",
        {**OURS, "characters": [CHARACTER, {"name": "Ida"}]},
        "characters, number 2: persona is missing",
    ),
    "no text": ("toml", situation(text=None), "situations, number 1: text is missing"),
    "no turns": ("toml", situation(turns=None), f"{_TURNS}None"),
    "no turn at all": ("toml", situation(turns=0), f"{_TURNS}0"),
    "too many turns": ("toml", situation(turns=101), f"{_TURNS}101"),
    "turns in words": ("toml", situation(turns="4"), f"{_TURNS}'4'"),
    "half a turn": ("toml", situation(turns=4.5), f"{_TURNS}4.5"),
    "turns that are true": ("toml", situation(turns=True), f"{_TURNS}True"),
    "two characters of an id": (
        "toml",
        {**OURS, "characters": [{**CHARACTER, "id": "odo"}] * 2},
        "two characters are called 'odo'; give each an id of its own",
    ),
    "two situations of an id": (
        "toml",
        {**OURS, "situations": [{**SITUATION, "id": "way"}] * 2},
        "two situations are called 'way'; give each an id of its own",
    ),
    "no summary": ("toml", character(summary=None), "Odo has no summary, which is all that the user of version 2"),
    "theirs without a name": ("json", theirs("characters", char_name=None), "number 1: char_name is missing"),
    "theirs without a card": ("json", theirs("characters", system_prompt=""), "number 1: system_prompt is missing"),
    "theirs with odd turns": ("json", theirs("situations", num_turns="many"), "num_turns is a whole number from 1"),
    "theirs without a text": ("json", theirs("situations", text=None), "situations, number 1: text is missing"),
}  # fmt: skip
