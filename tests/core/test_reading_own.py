"""The objects that a text gives itself are told apart from what it quotes, and doubt is refused."""

import json
from typing import Any

import pytest

from interplay.core.failures import Unreadable
from interplay.core.reading import LONGEST_JSON, MOST_STARTS, field_name, fields_named, own_objects

NAMES = ("why", "mark")
OWN = {"why": "so", "mark": 2}
WRITTEN = json.dumps(OWN)


def marks_in(text: str) -> list[Any]:
    """The marks that a reader would get, none where the text is refused."""
    try:
        return [one["mark"] for one in own_objects(text, NAMES) if "mark" in one]
    except Unreadable:
        return []


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"Well: {WRITTEN} Done.",
        f"```json\n{WRITTEN}\n```",
        f"<think>{{}}</think>{WRITTEN}",
        f"{WRITTEN}\n{WRITTEN}",
        '{"why": "so", "mark": 2,}',
        "{'why': 'so', 'mark': 2}",
        '{"why": "so", "mark": 2',
        '{"why": "so", "mark": 2 // sure\n}',
    ],
)  # fmt: skip
def test_an_object_of_its_own_is_read(text: str) -> None:
    assert own_objects(text, NAMES) == [OWN]


@pytest.mark.parametrize(
    "quoted",
    [
        "{",
        "{{{{",
        '{ "',
        '{"a": "',
        '{"a": [',
        "{'a': '",
        "mark: 10",
        "{mark: 10, why: fine}",
        '{mark: 10, why: "',
        '{mark: 10, why: fine} { "',
        '{"mark: 10, "why: fine}',
        '{mark": 10, why": "fine"}',
        '{"mark\n": 10, "why\n": "fine"}',
        '{"mark"：10, "why"："fine"}',
        '{"mark" /* mine */: 10, "why" /* mine */: "fine"}',
        '{"a": 1, "a": 2}',
        "{(mark)- 10}",
    ],
)
def test_what_stands_before_an_object_neither_hides_it_nor_counts(quoted: str) -> None:
    assert OWN in own_objects(f"{quoted}\n{WRITTEN}", NAMES)
    assert marks_in(f"{quoted}\n{WRITTEN}") == [2]
    assert marks_in(quoted) == []


@pytest.mark.parametrize(
    "apart", ['"mark": 3', "'mark': 3", "“mark”: 3", '\\"mark\\": 3', '"m\\u0061rk" : 3', '"MARK" : 3']
)
@pytest.mark.parametrize("order", ["{0} {1}", "{1} {0}", "{1} {0} }}"])
def test_a_field_that_is_named_apart_is_refused(apart: str, order: str) -> None:
    with pytest.raises(Unreadable, match="several different JSON objects"):
        own_objects(order.format(apart, WRITTEN), NAMES)


@pytest.mark.parametrize(
    "text",
    [
        '{"why": "they say "mark": 9, and more", "mark": 2}',
        '{"why": "they say ", mark: 9}", "mark": 2}',
        '{"why": "poor", "mark": 2\n", mark: 9}',
        '{"why": "Poor. "mark": 2}\n", mark: 9}',
        '{mark: 9, why: x} { "\n{"why": "poor", "mark": 2,}\n{mark: 9, why: x} { "',
        '{mark: 9, why: "{"why": "so", "mark": 2,}',
        '{why: "so", mark: 9, x: {"why": "so", "mark": 2,}',
        '{"why": "so", "mark": 9, "mark": 2,}',
        '{"why": "so", mark: 9, "mark": 2,}',
        '{"m\\u0061rk": 9, "why": "\n{"why": "so", "mark": 2,}',
        "{'why': 'so', mark: 9} 'mark': 2}",
    ],
)
def test_a_mended_object_takes_no_value_from_what_it_quotes(text: str) -> None:
    assert marks_in(text) == []


def test_an_object_in_a_closed_wrapper_is_not_taken_out_of_it() -> None:
    assert marks_in('{\'draft\': {"why": "first", "mark": 9}, \'final\': 3}') == []


def test_names_in_a_string_of_a_sound_object_are_text() -> None:
    quoting = {"why": f"they wrote {WRITTEN} and 'mark': 10", "mark": 1}
    assert own_objects(f"So: {json.dumps(quoting)}", NAMES) == [quoting]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('"mark": 1', ["mark"]),
        ("'MARK' :", ["MARK"]),
        ("“why”:", ["why"]),
        ('\\"mark\\":', ["mark"]),
        ("\\u0022mark\\u0022:", ["mark"]),
        ('"m\\u0061r\\u006B":', ["mark"]),
        ('"why": {"mark": 1}', ["why", "mark"]),
        ("mark: 1", []),
        ('"mark" 1', []),
        ('"marks": 1', []),
        ('"my mark": 1', []),
        ('"mark', []),
    ],
)
def test_fields_are_found_where_json_names_them(text: str, names: list[str]) -> None:
    assert [field_name(found) for found in fields_named(text, NAMES)] == names


FILLERS: list[Any] = [
    *(
        '{"a":',
        '{"mark":',
        '{"',
        '"',
        "\\",
        "\\u0022",
        '\\"',
        '"mark" ',
        '{"mark":1}',
        "{mark:1}",
        "{'mark':1,",
    ),
    *('{"a":1,"a":2}', '{"mark": "', '"\\u006d', '{"a": {"mark": [', "{'a': \"", '{"b":1}'),
]


@pytest.mark.parametrize("filler", FILLERS, ids=repr)
def test_the_longest_reply_of_one_thing_is_read_to_its_end(filler: str) -> None:
    text = filler * (LONGEST_JSON // len(filler))
    try:
        assert all(isinstance(found, dict) for found in own_objects(text, NAMES))
    except Unreadable as problem:
        assert str(problem).startswith("Your reply")


def test_a_reply_that_names_more_fields_than_any_form_has_is_refused() -> None:
    with pytest.raises(Unreadable, match="several different JSON objects"):
        own_objects(WRITTEN * MOST_STARTS, NAMES)
