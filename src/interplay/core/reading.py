"""Reading JSON out of what a model wrote."""

import json
import re
from typing import Any

from json_repair import repair_json

from interplay.core.wire import split_reasoning

LONGEST_JSON = 1_000_000


def json_objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects that stand in a text side by side, mended where a comma or quote is out of place."""
    text, _ = split_reasoning(text[:LONGEST_JSON])
    whole = _parse(text.strip())
    if whole is not None:
        return [whole]
    found = [parsed for piece in _braced(text) if (parsed := _parse(piece) or _mend(piece)) is not None]
    if found:
        return found
    first, last = text.find("{"), text.rfind("}")
    if first < 0:
        return []
    mended = _mend(text[first : last + 1] if last > first else text[first:])
    return [mended] if mended is not None else []


def _parse(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _mend(text: str) -> dict[str, Any] | None:
    if not re.search(r"[\"'\w]\s*:", text):  # {note} or {} is a stray brace, not an object
        return None
    try:
        value = repair_json(text, return_objects=True)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value else None


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
