"""Entries: what can be asked of the server, by whom and with what; routes, checks and the API are made of this list."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from starlette.responses import Response

from interplay.store.passes import Pass
from interplay.web.shapes import ERROR, LATER

if TYPE_CHECKING:
    from interplay.web.site import Site

Who = Literal["nobody", "owner", "rater", "player"]
LONGEST_WORD = 300  # of a parameter, unless it says more


class NotThere(Exception):
    """Nothing is at this address; the text says what was looked for."""


@dataclass(frozen=True)
class Visit:
    """One request, as a handler needs it."""

    site: "Site"
    guest: Pass | None  # who asks; None is nobody in particular
    path: Mapping[str, Any]
    query: Mapping[str, str]
    form: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    port: int = 0

    def said(self, name: str) -> str:
        """What a field of the form holds; empty where it is not there."""
        return self.form.get(name, ("",))[0]


Handler = Callable[[Visit], Response]  # called in a thread of its own


@dataclass(frozen=True)
class Field:
    """A parameter of the query or of a form."""

    name: str
    meaning: str
    most: int = LONGEST_WORD  # characters
    required: bool = False
    choices: tuple[str, ...] = ()
    number: tuple[int, int] | None = None
    many: bool = False


@dataclass(frozen=True)
class Entry:
    """Something that can be asked for at a path, and who may ask."""

    method: Literal["GET", "POST"]
    path: str
    who: frozenset[Who]
    handler: Handler
    meaning: str
    query: tuple[Field, ...] = ()
    form: tuple[Field, ...] = ()
    answers: str = "text/html"
    gives: Mapping[str, Any] | None = None  # the shape of an answer in JSON

    @property
    def is_api(self) -> bool:
        return self.answers == "application/json"


OWNER: frozenset[Who] = frozenset({"owner"})
RATER: frozenset[Who] = frozenset({"rater"})
PLAYER: frozenset[Who] = frozenset({"player"})
ANYONE: frozenset[Who] = frozenset({"nobody", "owner", "rater", "player"})
_CONVERTER = re.compile(r"\{(\w+)(?::(\w+))?\}")


def openapi(entries: Sequence[Entry]) -> dict[str, Any]:
    """The entries as an OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for entry in entries:
        plain = _CONVERTER.sub(lambda found: "{" + found.group(1) + "}", entry.path)
        paths.setdefault(plain, {})[entry.method.lower()] = _operation(entry)
    return {
        "openapi": "3.0.3",
        "info": {"title": "Interplay", "version": "1"},
        "paths": paths,
    }


def _operation(entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = {
        "summary": entry.meaning,
        "parameters": [
            *(_in_path(name, kind) for name, kind in _CONVERTER.findall(entry.path)),
            *(_in_query(one) for one in entry.query),
        ],
        "responses": {
            "200": {"description": "found", "content": {entry.answers: _shaped(entry.gives)}},
            "303": {"description": "done; see there"},
            "4XX": {"description": "refused, with the reason"},
        },
    }
    if entry.is_api:
        found["responses"] = {
            "200": found["responses"]["200"],
            "202": {"description": "being computed; ask again", "content": {entry.answers: _shaped(LATER)}},
            "4XX": {"description": "refused, with the reason", "content": {entry.answers: _shaped(ERROR)}},
            "503": {"description": "the store cannot be read", "content": {entry.answers: _shaped(ERROR)}},
        }
    if entry.method == "POST":
        body = {
            "type": "object",
            "properties": {one.name: _schema(one) for one in entry.form},
            "required": [one.name for one in entry.form if one.required],
        }
        found["requestBody"] = {"content": {"application/x-www-form-urlencoded": {"schema": body}}}
    return found


def _shaped(shape: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"schema": shape} if shape else {}


def _in_path(name: str, kind: str) -> dict[str, Any]:
    schema = {"type": "integer", "minimum": 0} if kind == "int" else {"type": "string", "minLength": 1}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _in_query(one: Field) -> dict[str, Any]:
    return {
        "name": one.name,
        "in": "query",
        "required": one.required,
        "description": one.meaning,
        "schema": _schema(one),
    }


def _schema(one: Field) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "string", "maxLength": one.most}
    if one.choices:
        found = {"type": "string", "enum": list(one.choices)}
    elif one.number:
        found = {"type": "integer", "minimum": one.number[0], "maximum": one.number[1]}
    return {"type": "array", "items": found} if one.many else found
