"""The shapes that bots are known to speak in: what one is sent, and what its user hears of its answer."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

PLAIN, RASA = "plain", "rasa"
ALL_ITEMS = "*"
BETWEEN_MESSAGES = "\n\n"
_RASA_PATH = "/webhooks/rest/webhook"
_PARTS = ("text", "image", "attachment", "buttons", "custom")  # of a message of Rasa's
_NUMBER = re.compile(r"-?[0-9]{1,9}")
_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    type(None): "null",
}


class Unexpected(Exception):
    """An answer that is not of its shape; the text says what was expected."""


@dataclass(frozen=True)
class Shape:
    """What a bot is sent, with the places of a mapping in it, and the reader of its answer."""

    request: Mapping[str, Any]
    read: Callable[[Any], str]  # raises Unexpected


def shape_at(url: str) -> str:
    """The name of the shape that a bot at this URL speaks in, as far as the URL can tell."""
    path = re.split("[?#]", url, maxsplit=1)[0].rstrip("/")
    return RASA if path.endswith(_RASA_PATH) else PLAIN


def read_path(answer: Any, path: str) -> str:
    """The texts at a path such as choices.0.message.content; * takes all items of a list."""
    try:
        return BETWEEN_MESSAGES.join(_texts_at(answer, path.split("."), skip=False))
    except _NoText:
        raise Unexpected(f"the answer has no text at {path}") from None


class _NoText(Exception):
    """Where a text should be there is none."""


def _texts_at(value: Any, steps: list[str], skip: bool) -> list[str]:
    """The texts at the end of a path; what is not there is skipped among the items of a list, else missed."""
    if value is None and skip:
        return []
    if not steps:
        if isinstance(value, str):
            return [value]
        raise _NoText
    step, *rest = steps
    if step == ALL_ITEMS and isinstance(value, list):
        return [text for item in value for text in _texts_at(item, rest, skip=True)]
    if isinstance(value, Mapping):
        return _texts_at(value.get(step), rest, skip)
    if isinstance(value, list) and _NUMBER.fullmatch(step):
        number = int(step)
        return _texts_at(value[number] if -len(value) <= number < len(value) else None, rest, skip)
    raise _NoText


def read_rasa(answer: Any) -> str:
    """All that a list of Rasa's messages says, in their order; nothing where the bot is silent."""
    if not isinstance(answer, list):
        raise Unexpected(f"the answer should be a list of messages, as Rasa's is, not {_kind(answer)}")
    messages = ("\n".join(_heard(f"message {at} of the answer", one)) for at, one in enumerate(answer, 1))
    return BETWEEN_MESSAGES.join(message for message in messages if message)


def _heard(where: str, message: Any) -> Iterator[str]:
    """What a user sees of one message. A custom part is for a program, and the user sees nothing of it."""
    if not isinstance(message, dict):
        raise Unexpected(f"{where} should be an object with a text, not {_kind(message)}")
    if message.keys().isdisjoint(_PARTS):  # else a bot of another shape would pass for a silent one
        raise Unexpected(f"{where} should have one of {', '.join(_PARTS)}, and has none")
    if (text := _part(where, message, "text", str)) and text.strip():
        yield text
    if _part(where, message, "image", str):
        yield "[image]"
    if message.get("attachment"):
        yield "[attachment]"
    titles = [_title(where, button) for button in _part(where, message, "buttons", list) or []]
    if shown := " | ".join(title for title in titles if title):
        yield f"[buttons: {shown}]"


def _part(where: str, message: Mapping[str, Any], name: str, wanted: type) -> Any:
    value = message.get(name)
    if value is not None and not isinstance(value, wanted):
        raise Unexpected(f"{name} of {where} should be {_KINDS[wanted]}, not {_kind(value)}")
    return value


def _title(where: str, button: Any) -> str:
    """The title of a button, on one line."""
    title = button.get("title") if isinstance(button, dict) else None
    if not isinstance(title, str):
        raise Unexpected(f"a button of {where} should be an object with a title that is a text")
    return " ".join(title.split())


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "something else")


SHAPES = {
    PLAIN: Shape({"session": "{{session}}", "text": "{{text}}"}, lambda answer: read_path(answer, "text")),
    RASA: Shape({"sender": "{{session}}", "message": "{{text}}"}, read_rasa),
}
