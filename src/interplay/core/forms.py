"""Forms: what a reply must look like, as a JSON schema, and the reader that checks it.

The checker is ours because its messages are shown to models, and so are part of a record that must replay.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Generic, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints

from interplay.core.failures import Mistake, Unreadable
from interplay.core.reading import json_objects, own_objects, several_objects
from interplay.core.wire import Reply, clean

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Schema = Mapping[str, Any]
LONGEST_TEXT = 100_000
_PLAIN_JSON = json.JSONEncoder(ensure_ascii=False)
_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class Range:
    """Annotated[int, Range(1, 5)]: the bounds of a number."""

    low: float
    high: float


@dataclass(frozen=True)
class Longest:
    """Annotated[str, Longest(300, least=1)]: the most and the least characters of a text."""

    characters: int
    least: int = 0


@dataclass(frozen=True)
class Understood(Generic[T_co]):
    """A reply that was read: its value, and how it stands in the speaker's own view."""

    value: T_co
    spoken: str


class Form(Protocol[T_co]):
    """A shape that replies can be read by."""

    @property
    def schema(self) -> Schema | None: ...

    def read(self, reply: Reply) -> Understood[T_co]: ...


@dataclass(frozen=True)
class Text:
    """The form of free text."""

    may_be_empty: bool = False
    longest: int = LONGEST_TEXT
    schema: Schema | None = None

    def read(self, reply: Reply) -> Understood[str]:
        text = reply.text.strip()[: self.longest]
        if not text and not self.may_be_empty:
            raise Unreadable("Your reply was empty. Write your reply.")
        return Understood(text, text)


@dataclass(frozen=True)
class JsonForm(Generic[T]):
    """The form of a JSON object: a schema, and how a checked object becomes a value."""

    schema: Schema
    build: Callable[[dict[str, Any]], T]
    exact: bool = False  # of verdicts: no other fields, and read so that nothing that is quoted can stand in

    def read(self, reply: Reply) -> Understood[T]:
        if reply.stop == "length":
            raise Unreadable("Your reply was cut off. Write a shorter one, as one JSON object.")
        value, data = self._the_one_that_fits(reply.text)
        return Understood(value, _PLAIN_JSON.encode(data))

    def _the_one_that_fits(self, text: str) -> tuple[T, dict[str, Any]]:
        fitting: list[tuple[T, dict[str, Any]]] = []
        complaint: Unreadable | None = None
        rivals = False  # an object that was meant to fit and does not: which one counts would be a guess
        for found in own_objects(text, self.schema["properties"]) if self.exact else json_objects(text):
            try:
                data = check(self.schema, found, exact=self.exact)
                fitting.append((self.build(data), data))
            except Unreadable as problem:
                meant = bool(found.keys() & self.schema["properties"].keys())
                complaint = problem if meant or complaint is None else complaint
                rivals = rivals or meant
        if not fitting:
            raise complaint or Unreadable("Your reply holds no JSON object. Reply with one JSON object.")
        if rivals or any(data != fitting[0][1] for _, data in fitting[1:]):
            raise several_objects()
        return fitting[0]


def check(schema: Schema, value: Any, where: str = "", exact: bool = False) -> Any:
    """The value, brought to its plain type, or Unreadable with a message in our words."""
    if "enum" in schema:
        return _one_of(schema["enum"], value, where)
    if schema["type"] == "object":
        return _check_object(schema, value, where, exact)
    if schema["type"] == "array":
        return _check_array(schema, value, where, exact)
    return _CHECKS[schema["type"]](schema, value, where)


def _check_object(schema: Schema, value: Any, where: str, exact: bool) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(where, "must be a JSON object")
    for name in value:
        if exact and name not in schema["properties"]:
            raise _wrong(f"{where}.{name[:100]}" if where else name[:100], "is not part of it")
    found = {}
    for name, inner in schema["properties"].items():
        path = f"{where}.{name}" if where else name
        if name in value:
            found[name] = check(inner, value[name], path, exact)
        elif name in schema["required"]:
            raise _wrong(path, "is missing")
    return found


def _check_array(schema: Schema, value: Any, where: str, exact: bool) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(where, "must be a JSON array")
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    if len(value) < least or (most is not None and len(value) > most):
        wanted = f"exactly {least}" if least == most else f"{least} to {most or 'any number of'}"
        raise _wrong(where, f"must have {wanted} entries, not {len(value)}")
    return [check(schema["items"], item, f"{where}[{i}]", exact) for i, item in enumerate(value)]


def _check_string(schema: Schema, value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _wrong(where, "must be a string")
    if len(value.strip()) < schema.get("minLength", 0):
        raise _wrong(where, "must not be empty")
    # A long explanation is cut, not refused: its length is no reason to pay for the reply again.
    return clean(value[: schema.get("maxLength", LONGEST_TEXT)])


def _check_integer(schema: Schema, value: Any, where: str) -> int:
    number = _check_number(schema, value, where)
    if number != int(number):
        raise _wrong(where, f"must be a whole number{_bounds(schema)}")
    return int(number)


def _check_number(schema: Schema, value: Any, where: str) -> float:
    if isinstance(value, str) and _PLAIN_NUMBER.fullmatch(
        value.strip()
    ):  # "4" is a 4; "4/5" or "four" is not
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        raise _wrong(where, f"must be a number{_bounds(schema)}")
    if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        raise _wrong(where, f"must be a number{_bounds(schema)}")
    return value


def _is_finite(number: float) -> bool:
    return isinstance(number, int) or math.isfinite(number)


def _check_boolean(_schema: Schema, value: Any, where: str) -> bool:
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    if not isinstance(value, bool):
        raise _wrong(where, "must be true or false")
    return value


_CHECKS: dict[str, Callable[[Schema, Any, str], Any]] = {
    "string": _check_string,
    "integer": _check_integer,
    "number": _check_number,
    "boolean": _check_boolean,
}


def _one_of(allowed: list[Any], value: Any, where: str) -> Any:
    if value not in allowed or isinstance(value, bool):
        raise _wrong(where, "must be one of " + ", ".join(json.dumps(option) for option in allowed))
    return value


def _bounds(schema: Schema) -> str:
    if "minimum" in schema and "maximum" in schema:
        return f" from {schema['minimum']} to {schema['maximum']}"
    return ""


def _wrong(where: str, what: str) -> Unreadable:
    return Unreadable(f"Your reply does not fit the form: {where or 'the reply'} {what}.")


@cache
def form_of(kind: type[T]) -> JsonForm[T]:
    """The form of a dataclass whose fields are texts, numbers, booleans, literals, lists and dataclasses."""
    return JsonForm(schema_of(kind), lambda data: build(kind, data))


def schema_of(kind: Any) -> dict[str, Any]:
    """The JSON schema of a type, with its fields in the order they are written."""
    if get_origin(kind) is Annotated:
        inner, *marks = get_args(kind)
        return schema_of(inner) | {key: value for mark in marks for key, value in _bounds_of(mark).items()}
    if get_origin(kind) is Literal:
        return schema_of(type(get_args(kind)[0])) | {"enum": list(get_args(kind))}
    if get_origin(kind) in (list, tuple):
        return {"type": "array", "items": schema_of(get_args(kind)[0])}
    if is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        names = [field.name for field in fields(kind)]
        return object_schema({name: schema_of(hints[name]) for name in names})
    plain = {str: "string", int: "integer", float: "number", bool: "boolean"}
    return {"type": plain[kind]}


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object in which every property must be present and no other may be."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _bounds_of(mark: Any) -> dict[str, Any]:
    if isinstance(mark, Range):
        return {"minimum": mark.low, "maximum": mark.high}
    if isinstance(mark, Longest):
        return {"maxLength": mark.characters} | ({"minLength": mark.least} if mark.least else {})
    raise TypeError(f"a form knows Range and Longest, not {mark!r}")


def build(kind: Any, data: Any) -> Any:
    """A value of this type from plain JSON that fits it, as a record does unless the type was edited since."""
    try:
        return _builder(kind)(data)
    except (KeyError, TypeError) as error:
        name = getattr(kind, "__name__", str(kind))
        raise Mistake(
            f"what is recorded has not the parts that {name} has now ({error}); play it anew with --new all, or undo "
            "the change"
        ) from error


@cache
def _builder(kind: Any) -> Callable[[Any], Any]:
    if get_origin(kind) is Annotated:
        return _builder(get_args(kind)[0])
    if get_origin(kind) in (list, tuple):
        of_item, whole = _builder(get_args(kind)[0]), get_origin(kind)
        return lambda data: whole(of_item(item) for item in data)
    if is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        parts = {field.name: _builder(hints[field.name]) for field in fields(kind)}
        return lambda data: kind(**{name: parts[name](value) for name, value in data.items()})  # type: ignore[operator]
    return lambda data: data
