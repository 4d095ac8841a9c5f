"""JSON is found in what models write around it, and nothing is found where there is none."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.core.reading import LONGEST_JSON, json_objects


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('{"a": 1,}', [{"a": 1}]),
        ('Sure! {"a": [1, 2,],} Hope that helps.', [{"a": [1, 2]}]),
        ('```json\n{"a": 1}\n```', [{"a": 1}]),
        ('```\n{"a": 1,}\n```\nDone.', [{"a": 1}]),
        ("{'a': 'x', 'b': 2}", [{"a": "x", "b": 2}]),
        ("{'a': 'she said \"no\"'}", [{"a": 'she said "no"'}]),
        ('{"a": "one\ntwo", "b": 2}', [{"a": "one\ntwo", "b": 2}]),
        ('Here:\n{"a": "one\ntwo"}\nBye.', [{"a": "one\ntwo"}]),
        ('{"a": "b}c{d"}', [{"a": "b}c{d"}]),
        ('x {"a": "}}", "b": "{{"} y', [{"a": "}}", "b": "{{"}]),
        ('{"a": "a \\" } quote"} after', [{"a": 'a " } quote'}]),
        ('{"a": "ends in a backslash \\\\"} {x}', [{"a": "ends in a backslash \\"}]),
        ('{"a": {"b": {"c": 1}}} tail', [{"a": {"b": {"c": 1}}}]),
        ('{"a": True, "b": None}', [{"a": True, "b": None}]),
        ('{"a": 1 // sure\n}', [{"a": 1}]),
        ('{"a": {"b": 1}', [{"a": {"b": 1}}]),
    ],
)
def test_an_object_is_read(text: str, found: list[dict[str, Any]]) -> None:
    assert json_objects(text) == found


@pytest.mark.parametrize(
    "text",
    [
        '{note} {"a": 1}',
        '{"a": 1} {note}',
        '} {"a": 1} }',
        '{} {"a": 1} {}',
        'The set {x, y} and {"a": 1} and {z}.',
        'A brace { is left open. {"a": 1}',
        '{{"a": 1}}',
        ':} {"a": 1} :}',
    ],
)
def test_stray_braces_before_and_after_are_passed_over(text: str) -> None:
    assert json_objects(text) == [{"a": 1}]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "no braces at all",
        "}",
        "{",
        "{note}",
        "{x, y} and {z}",
        "[1, 2, 3]",
        '"a string"',
        "42",
        "null",
        "a: 1, b: 2",
    ],
)
def test_where_no_object_stands_none_is_found(text: str) -> None:
    assert json_objects(text) == []


def test_objects_side_by_side_are_all_found_in_order() -> None:
    assert json_objects('{"a": 1} or rather {"a": 2,}\n{"a": 3}') == [{"a": 1}, {"a": 2}, {"a": 3}]


def test_an_object_inside_another_ones_string_is_not_one_of_its_own() -> None:
    inner = json.dumps({"score": 5})

    assert json_objects(f"Well: {json.dumps({'text': inner})}") == [{"text": inner}]


def test_a_closed_think_block_is_no_part_of_the_reply() -> None:
    assert json_objects('<think>maybe {"a": 2}?</think>\n{"a": 1}') == [{"a": 1}]


def test_an_unclosed_think_block_holds_no_reply() -> None:
    assert json_objects('<think>it could be {"a": 2}') == []


def test_a_brace_inside_a_single_quoted_string_does_not_cut_it_short_unnoticed() -> None:
    assert {"a": "smile :} bye"} in json_objects(
        "{'a': 'smile :} bye'}"
    )  # beside another reading: a form refuses both


@pytest.mark.parametrize("depth", [900, 5_000, 100_000])
@pytest.mark.parametrize(
    ("opening", "closing"),
    [("{", "}"), ('{"a":', "}"), ('{"a":[', "]}"), ("[", "]"), ("{'a':", "}"), ('{"', '"}'), ("{[", "")],
)
def test_deep_nesting_does_not_crash_the_reader(depth: int, opening: str, closing: str) -> None:
    for text in (opening * depth, opening * depth + "1" + closing * depth):
        assert all(isinstance(found, dict) for found in json_objects(text))


def test_an_object_after_a_deep_one_is_still_found() -> None:
    deep = '{"b":' * 5_000 + "1" + "}" * 5_000

    assert {"a": 1} in json_objects(f'{deep} {{"a": 1}}')


@pytest.mark.parametrize(
    "filler", ["word ", "{ ", "} ", "{} ", '" ', "{x} ", "\\", "<think>", ": ", "\n", "é{é}"], ids=repr
)
def test_a_megabyte_of_one_thing_is_read_to_its_end(filler: str) -> None:
    text = filler * (LONGEST_JSON // len(filler))

    assert all(isinstance(found, dict) for found in json_objects(text))


def test_an_object_at_the_end_of_much_prose_is_found() -> None:
    assert json_objects("word " * 39_000 + '{"a": 1}') == [{"a": 1}]


def test_a_long_string_is_read_whole() -> None:
    long = "x" * 150_000

    assert json_objects(f'Here: {{"a": "{long}"}}') == [{"a": long}]


def test_what_stands_beyond_the_longest_json_is_not_read() -> None:
    assert json_objects(" " * LONGEST_JSON + '{"a": 1}') == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PROSE = st.text(alphabet=st.characters(exclude_characters="{}"), max_size=60).filter(
    lambda text: "<" not in text  # a think block is another test's matter
)


@settings(max_examples=200)
@given(st.dictionaries(st.text(), VALUES, min_size=1, max_size=4), PROSE, PROSE, st.booleans())
def test_any_object_in_any_prose_is_read_back_equal(
    value: dict[str, Any], before: str, after: str, ascii_only: bool
) -> None:
    assert json_objects(before + json.dumps(value, ensure_ascii=ascii_only) + after) == [value]


@settings(max_examples=200)
@given(st.text(alphabet="{}[]\":,\\' \nab1<>/think", max_size=60))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    assert all(isinstance(found, dict) for found in json_objects(text))


@pytest.mark.parametrize("text", ['{"a":"' + '\\"' * 95_000, "{'a': \"" * 20_000, '{"' * 90_000 + ":"])
def test_a_reply_made_to_be_slow_is_given_up_in_time(text: str) -> None:
    assert json_objects(text) == []  # without its limit, mending these would take minutes
