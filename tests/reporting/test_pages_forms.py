"""Fields where a model would write JSON, and the JSON of what was filled in."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.core.forms import JsonForm
from interplay.core.wire import Reply
from interplay.reporting.pages.forms import PREFIX, Blank, blanks_of, text_of


def of(required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    """The schema of an object; all of its properties are required unless some are named."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties] if required is None else required,
        "additionalProperties": False,
    }


def only(**properties: Any) -> Blank:
    [blank] = blanks_of(of(**properties))
    return blank


TEXT = {"type": "string"}
WHOLE = {"type": "integer", "minimum": 1, "maximum": 10}
STATE = {"type": "string", "enum": ["open", "done"]}
GOALS = {
    "type": "array",
    "maxItems": 30,
    "items": of(sub_goal={"type": "integer", "minimum": 1, "maximum": 3}, state=STATE),
}


@pytest.mark.parametrize(
    "schema, kind",
    [
        ({"type": "string", "maxLength": 60}, "line"),
        ({"type": "string", "maxLength": 600}, "text"),
        (TEXT, "text"),
        (STATE, "choice"),
        (WHOLE, "whole"),
        ({"type": "number"}, "number"),
        ({"type": "boolean"}, "yes"),
        ({"type": "array", "items": TEXT}, "list"),
        (GOALS, "rows"),
    ],
)
def test_every_kind_of_value_has_its_field(schema: dict[str, Any], kind: str) -> None:
    blank = only(next_utterance=schema)
    assert (blank.kind, blank.title, blank.name) == (kind, "next utterance", f"{PREFIX}next_utterance")


def test_bounds_choices_and_descriptions_are_shown() -> None:
    assert (only(score=WHOLE).low, only(score=WHOLE).high) == (1, 10)
    assert only(state={**STATE, "description": "where it stands"}).hint == "where it stands"
    assert only(state=STATE).choices == ("open", "done")
    assert only(clue={**TEXT, "maxLength": 240}).longest == 240


def test_what_may_be_left_empty_is_not_asked_for() -> None:
    assert not only(thought=TEXT).required
    assert only(clue={**TEXT, "minLength": 1}).required
    assert only(score=WHOLE).required
    assert not only(flag={"type": "boolean"}).required
    assert not only(names={"type": "array", "items": TEXT}).required
    assert only(names={"type": "array", "items": TEXT, "minItems": 1}).required
    assert not blanks_of(of([], score=WHOLE))[0].required


def test_an_object_within_is_a_group_of_its_own() -> None:
    schema = of(action=STATE, wanted_slots=of(price_range=TEXT, area=TEXT))
    assert [(blank.group, blank.title) for blank in blanks_of(schema)] == [
        ("", "action"),
        ("wanted slots", "price range"),
        ("wanted slots", "area"),
    ]
    filled = {"say.action": "open", "say.wanted_slots.area": "west"}
    assert json.loads(text_of(schema, filled)) == {
        "action": "open",
        "wanted_slots": {"price_range": "", "area": "west"},
    }


def test_an_object_that_must_be_there_is_there_although_nothing_in_it_must() -> None:
    schema = of(slots=of([], area=TEXT, day=TEXT))
    assert json.loads(text_of(schema, {})) == {"slots": {}}
    assert json.loads(text_of(schema, {"say.slots.day": "monday"})) == {"slots": {"day": "monday"}}
    assert json.loads(text_of(of([], slots=of(area=TEXT)), {})) == {}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": TEXT},
        of(either={"anyOf": [TEXT, WHOLE]}),
        of(level={"enum": [1, 2, 3]}),
        of(level={"enum": ["", "some"]}),
        of(pairs={"type": "array", "items": {"type": "array", "items": WHOLE}}),
        of(points={"type": "array", "items": of(a=TEXT), "minItems": 2}),
        of(**{"a.b": TEXT}),
        of(rows={"type": "array", "items": of(**{"a.b": TEXT})}),
        of(a=of(b=of(c=of(d=of(e=TEXT))))),
        of(),
    ],
)
def test_what_cannot_be_taken_apart_is_written_as_json_with_its_form_beside_it(
    schema: dict[str, Any],
) -> None:
    [blank] = blanks_of(schema)
    assert blank.kind == "json"
    assert json.loads(blank.hint) == schema
    assert text_of(schema, {blank.name: '{"a": 1}'}) == '{"a": 1}'
    assert text_of(schema, {}) == ""


def test_entries_of_things_that_are_counted_have_a_line_each() -> None:
    schema = of(updates=GOALS)
    [blank] = blanks_of(schema)
    assert [row.title for row in blank.rows] == ["sub goal 1", "sub goal 2", "sub goal 3"]
    assert [[one.title for one in row.blanks] for row in blank.rows] == [["state"]] * 3
    assert json.loads(text_of(schema, {})) == {"updates": []}
    assert json.loads(text_of(schema, {"say.updates.1.state": "done"})) == {
        "updates": [{"sub_goal": 2, "state": "done"}]
    }


def test_all_that_is_counted_can_be_chosen_or_numbers_are_typed() -> None:
    def counted(most: int, items: int) -> Blank:
        number = {"type": "integer", "minimum": 1, "maximum": most}
        return only(goals={"type": "array", "maxItems": items, "items": of(goal=number, state=STATE)})

    assert len(counted(20, 5).rows) == 20  # whoever fills in more than five is told so
    typed = counted(200, 30).rows
    assert [one.kind for one in typed[0].blanks] == ["whole", "choice"]


def test_entries_of_other_things_are_a_few_empty_lines() -> None:
    schema = of(slots={"type": "array", "maxItems": 20, "items": of(slot=TEXT, value=TEXT)})
    [blank] = blanks_of(schema)
    assert len(blank.rows) == 6
    filled = {"say.slots.0.slot": "area", "say.slots.0.value": "west", "say.slots.4.slot": "day"}
    assert json.loads(text_of(schema, filled)) == {
        "slots": [{"slot": "area", "value": "west"}, {"slot": "day", "value": ""}]
    }


@pytest.mark.parametrize(
    "typed, value",
    [("3", 3), (" 3 ", 3), ("3.0", 3), ("2.5", 2.5), ("-1", -1), ("", None), ("three", "three"),
     ("nan", "nan"), ("inf", "inf"), ("1e999", "1e999")],
)  # fmt: skip
def test_numbers_are_read_and_what_is_none_is_left_to_who_checks_the_move(typed: str, value: Any) -> None:
    found = json.loads(text_of(of(score={"type": "number"}), {"say.score": typed}))
    assert found == ({} if value is None else {"score": value})


def test_lists_are_lines_and_a_mark_is_yes() -> None:
    schema = of(names={"type": "array", "items": TEXT}, sure={"type": "boolean"})
    filled = {"say.names": " ada \n\nbob\r\n", "say.sure": "yes"}
    assert json.loads(text_of(schema, filled)) == {"names": ["ada", "bob"], "sure": True}
    assert json.loads(text_of(schema, {})) == {"names": [], "sure": False}


def test_what_need_not_be_there_and_is_empty_is_left_out() -> None:
    schema = of(["say"], say=TEXT, aside=TEXT, names={"type": "array", "items": TEXT}, mood=STATE)
    assert json.loads(text_of(schema, {"say.say": ""})) == {"say": ""}
    assert json.loads(text_of(schema, {"say.aside": "psst"})) == {"say": "", "aside": "psst"}


LEAVES = st.sampled_from(
    [
        TEXT,
        {**TEXT, "maxLength": 40},
        STATE,
        WHOLE,
        {"type": "boolean"},
        {"type": "array", "items": TEXT},
        GOALS,
    ]
)
NAMES = st.text("abcdefgh_", min_size=1, max_size=6)
SCHEMAS = st.recursive(
    st.dictionaries(NAMES, LEAVES, min_size=1, max_size=4).map(lambda found: of(**found)),
    lambda inner: st.dictionaries(NAMES, st.one_of(LEAVES, inner), min_size=1, max_size=4).map(
        lambda found: of(**found)
    ),
    max_leaves=4,
)


@settings(max_examples=80, deadline=None)
@given(SCHEMAS, st.data())
def test_whatever_is_filled_in_by_the_rules_of_the_fields_fits_the_form(
    schema: dict[str, Any], data: st.DataObject
) -> None:
    blanks = blanks_of(schema)
    if blanks[0].kind == "json":
        return  # too deep to be taken apart
    words = st.text('abc äß"\\{}\n\u202e', max_size=30)
    filled = {}
    in_rows = [one for blank in blanks for row in blank.rows for one in row.blanks]
    for blank in [*blanks, *in_rows]:
        if blank.choices:
            filled[blank.name] = data.draw(st.sampled_from(blank.choices))
        elif blank.kind == "whole":
            assert blank.low is not None and blank.high is not None
            filled[blank.name] = str(data.draw(st.integers(int(blank.low), int(blank.high))))
        elif not blank.rows:
            filled[blank.name] = data.draw(words)
    read = JsonForm(schema, dict).read(Reply(text_of(schema, filled), stop="stop"))
    for blank in blanks:
        here: Any = read.value
        for part in blank.name.removeprefix(PREFIX).split("."):
            here = here[part]
        if blank.kind in ("text", "choice"):
            assert here == filled[blank.name]
