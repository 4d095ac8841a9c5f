"""The script that rehearses any benchmark: the same answer to the same request, fitting its schema."""

import json
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.models.loopback import Asked, rehearse


def asked_for(schema: Any, model: str = "m", number: int = 1, text: str = "Hello") -> Asked:
    return Asked(model, ({"role": "user", "content": text},), {}, number, schema)


def test_a_rehearsal_depends_on_content_alone() -> None:
    assert rehearse(asked_for(None)) == rehearse(asked_for(None, number=7))
    said = {rehearse(asked_for(None, text=str(number))) for number in range(50)}
    assert len(said) > 40
    assert rehearse(asked_for(None, model="a")) != rehearse(asked_for(None, model="b"))


def test_a_rehearsal_leaves_the_shared_random_state_alone() -> None:
    before = random.getstate()
    rehearse(asked_for({"type": "array", "items": {"type": "number"}}))
    assert random.getstate() == before


def test_a_rehearsal_never_refuses() -> None:
    boolean = {"type": "boolean"}
    names = ("is_refusal", "Refusal", "has_refusal_in_it")
    inner = {
        "type": "object",
        "properties": dict.fromkeys(names, boolean) | {"refusals": {"items": boolean}},
    }
    schema = {"type": "array", "minItems": 1, "items": inner}
    for number in range(30):
        for filled in json.loads(rehearse(asked_for(schema, text=str(number)))):
            assert not any(filled[name] for name in names)
            assert not any(filled["refusals"])


def test_a_rehearsal_fills_references_choices_and_recursion() -> None:
    node = {
        "type": "object",
        "properties": {
            "kind": {"const": "node"},
            "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 2},
            "note": {"type": ["string", "null"], "maxLength": 5},
        },
        "required": ["kind", "next", "extra"],
    }
    schema = {"$defs": {"node": node}, "allOf": [{"$ref": "#/$defs/node"}]}
    for number in range(20):
        filled = json.loads(rehearse(asked_for(schema, text=str(number))))
        assert list(filled) == ["kind", "next", "children", "note", "extra"]
        assert filled["kind"] == "node"
        assert filled["note"] is None or len(filled["note"]) <= 5


def fits(value: Any, schema: dict[str, Any]) -> bool:
    if "enum" in schema:
        return value in schema["enum"]
    match schema["type"]:
        case "object":
            inner = schema["properties"]
            return list(value) == list(inner) and all(fits(value[key], inner[key]) for key in inner)
        case "array":
            in_size = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
            return in_size and all(fits(item, schema["items"]) for item in value)
        case "string":
            in_size = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
            return isinstance(value, str) and in_size
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return type(value) is int and in_range(value, schema)
        case kind:
            assert kind == "number"
            return type(value) in (int, float) and in_range(value, schema)


def in_range(value: float, schema: dict[str, Any]) -> bool:
    inside = schema.get("minimum", value) <= value <= schema.get("maximum", value)
    apart = schema.get("exclusiveMinimum", value - 1) < value < schema.get("exclusiveMaximum", value + 1)
    return bool(inside and apart)


def bounds(low: str, high: str, values: st.SearchStrategy[Any], gap: int = 0) -> st.SearchStrategy[Any]:
    def name(pair: tuple[Any, Any]) -> dict[str, Any]:
        return {low: min(pair), high: max(pair) + gap}

    both = st.tuples(values, values).map(name)
    one = st.tuples(st.sampled_from([low, high]), values).map(lambda pair: dict([pair]))
    return st.one_of(both, one, st.just({}))


def typed(kind: str, limits: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return limits.map(lambda more: {"type": kind, **more})


SIZES = st.integers(0, 4)
WHOLES = st.integers(-1000, 1000)
FLOATS = st.floats(-1000, 1000)
LEAVES = st.one_of(
    typed("integer", bounds("minimum", "maximum", WHOLES)),
    typed("integer", bounds("minimum", "maximum", FLOATS, gap=1)),
    typed("integer", bounds("exclusiveMinimum", "exclusiveMaximum", WHOLES, gap=2)),
    typed("number", bounds("minimum", "maximum", FLOATS)),
    typed("number", bounds("exclusiveMinimum", "exclusiveMaximum", FLOATS, gap=1)),
    typed("string", bounds("minLength", "maxLength", st.integers(0, 200))),
    st.just({"type": "boolean"}),
    st.lists(st.one_of(st.text(max_size=4), st.integers()), min_size=1, max_size=4).map(
        lambda e: {"enum": e}
    ),
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.dictionaries(st.text(max_size=6), inner, max_size=4).map(
            lambda properties: {"type": "object", "properties": properties}
        ),
        st.tuples(inner, bounds("minItems", "maxItems", SIZES)).map(
            lambda pair: {"type": "array", "items": pair[0], **pair[1]}
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(schema=SCHEMAS, text=st.text(max_size=5))
def test_a_rehearsal_fits_its_schema(schema: dict[str, Any], text: str) -> None:
    said = rehearse(asked_for(schema, text=text))
    assert said == rehearse(asked_for(schema, text=text, number=2))
    assert fits(json.loads(said), schema) or deep(schema)


def deep(schema: dict[str, Any], level: int = 0) -> bool:
    """Whether it goes so deep that properties which nobody requires are left out."""
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return level > 6 or any(deep(part, level + 1) for part in inner)
