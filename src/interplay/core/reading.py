"""Reading JSON out of what a model wrote."""

import json
import re
from typing import Any

from json_repair import repair_json

from interplay.core.failures import Unreadable
from interplay.core.wire import split_reasoning

LONGEST_JSON = 200_000
LONGEST_MEND = 12_000  # mending takes time that grows with the square of the text
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def json_objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects that stand in a text side by side, mended where a comma or quote is out of place."""
    text, _ = split_reasoning(text[:LONGEST_JSON])
    whole = _parse(text.strip())
    if whole is not None:
        return [whole]
    pieces = _braced(text)
    if not any(_parse(piece) for piece in pieces) and "{" in text:
        # Quotes that are out of place can hide where an object ends: both readings must then say the same.
        first, last = text.find("{"), text.rfind("}")
        pieces.append(text[first : last + 1] if last > first else text[first:])
    found: list[dict[str, Any]] = []
    for piece in pieces:
        read = _parse(piece) or _mend(piece)
        if read is not None and read not in found:
            found.append(read)
    return found


def _parse(text: str) -> dict[str, Any] | None:
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


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


def _braced(text: str) -> list[str]:
    """The outermost {...} groups, with braces inside strings passed over."""
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
                groups.append(text[start : place + 1])
    return groups
