"""A form that takes what a model plainly meant, where another spelling of the same JSON is no mistake of its own."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from interplay.core.failures import Unreadable
from interplay.core.forms import JsonForm, Schema, Understood
from interplay.core.reading import json_objects
from interplay.core.wire import Reply, split_reasoning

T = TypeVar("T")


@dataclass(frozen=True)
class Lenient(Generic[T]):
    """A form whose objects are mended before they are checked: a number for a text, a slot left out."""

    form: JsonForm[T]
    mend: Callable[[dict[str, Any]], dict[str, Any]]

    @property
    def schema(self) -> Schema:
        return self.form.schema

    def read(self, reply: Reply) -> Understood[T]:
        found = json_objects(reply.text)
        if found and _is_cut_off(reply.text):
            raise Unreadable(
                "Your reply ends before its JSON object does. Write it in full, as one JSON object."
            )
        text = "\n".join(json.dumps(self.mend(one)) for one in found) if found else reply.text
        return self.form.read(replace(reply, text=text))


def _is_cut_off(text: str) -> bool:
    """Is the end missing? What is left out may be empty here, so that half a reply would pass for a whole one."""
    text, _ = split_reasoning(text)
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text.count("{") > text.count("}")
    return False


def as_text(value: Any) -> Any:
    """A number, a truth or nothing as text; what is no text at all stays an empty list, which no form takes."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int | float) else []


def as_object(slots: Any) -> Any:
    """Slots as an object, also where they are a list of pairs, or of objects with one slot each; else what they are."""
    if not isinstance(slots, list) or not all(isinstance(one, dict) for one in slots):
        return slots
    found: dict[str, Any] = {}
    for one in slots:
        found |= {str(one["slot"]): one.get("value")} if "slot" in one else one
    return found


def pressed(name: str) -> str:
    """A name in lower case and one piece, as names are compared: leave_at is leaveAt."""
    return re.sub(r"[\W_]", "", name.casefold())
