"""Forms: the schema of a dataclass, and a reader that takes what fits and refuses the rest in our own words."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.core.failures import Unreadable
from interplay.core.forms import (
    LONGEST_TEXT,
    JsonForm,
    Longest,
    Range,
    Text,
    build,
    check,
    form_of,
    object_schema,
    schema_of,
)
from interplay.core.wire import Reply


@dataclass(frozen=True)
class Guess:
    reason: Annotated[str, Longest(20)]
    word: str


@dataclass(frozen=True)
class Report:
    mood: Literal["good", "bad"]
    score: Annotated[int, Range(1, 5)]
    share: float
    done: bool
    guesses: list[Guess]
    tags: tuple[str, ...]


SCORE = {"type": "integer", "minimum": 1, "maximum": 5}
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
DONE = {"type": "boolean"}
STORABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\0")


def read(form: Any, text: str, stop: str = "stop") -> Any:
    return form.read(Reply(text, stop=stop)).value


def test_a_dataclass_becomes_a_schema_with_its_fields_in_order() -> None:
    guess = {
        "type": "object",
        "properties": {"reason": {"type": "string", "maxLength": 20}, "word": {"type": "string"}},
        "required": ["reason", "word"],
        "additionalProperties": False,
    }
    properties = {
        "mood": {"type": "string", "enum": ["good", "bad"]},
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
        "share": {"type": "number"},
        "done": {"type": "boolean"},
        "guesses": {"type": "array", "items": guess},
        "tags": {"type": "array", "items": {"type": "string"}},
    }
    schema = schema_of(Report)

    assert schema == object_schema(properties)
    assert list(schema["properties"]) == list(properties)


def test_a_reply_that_fits_becomes_the_dataclass() -> None:
    data = {
        "mood": "good",
        "score": 4,
        "share": 0.5,
        "done": True,
        "guesses": [{"reason": "round", "word": "ball"}],
        "tags": ["a", "b"],
    }

    assert read(form_of(Report), f"Here you go: {json.dumps(data)}") == Report(
        "good", 4, 0.5, True, [Guess("round", "ball")], ("a", "b")
    )


def test_a_mark_that_forms_do_not_know_is_an_error_of_the_author() -> None:
    with pytest.raises(TypeError, match="Range and Longest"):
        schema_of(Annotated[int, "one to five"])


@given(st.text(STORABLE, max_size=20), st.text(STORABLE), st.integers(1, 5), st.booleans())
def test_what_is_built_from_a_checked_object_is_what_was_written(
    reason: str, word: str, score: int, done: bool
) -> None:
    report = Report("bad", score, 0.25, done, [Guess(reason, word)], (word,))
    data = {
        "mood": "bad",
        "score": score,
        "share": 0.25,
        "done": done,
        "guesses": [{"reason": reason, "word": word}],
        "tags": [word],
    }

    assert build(Report, check(schema_of(Report), data)) == report


@pytest.mark.parametrize("bad, good", [("\0", "\ufffd"), ("\ud83d", "?"), ("\udc00", "?")], ids=ascii)
def test_characters_that_no_store_can_hold_are_replaced(bad: str, good: str) -> None:
    data = {"reason": f"a{bad}b", "word": bad}
    understood = form_of(Guess).read(Reply(json.dumps(data), stop="stop"))

    clean = understood.value == Guess(f"a{good}b", good)
    assert clean  # by itself: no report of a test can hold a lone surrogate
    assert json.loads(understood.spoken) == {"reason": f"a{good}b", "word": good}


@pytest.mark.parametrize("value", [4, 4.0, "4", " 4 ", "4.0"])
def test_a_whole_number_is_read_also_from_a_string(value: Any) -> None:
    found = check(SCORE, value)

    assert found == 4
    assert type(found) is int


@pytest.mark.parametrize(
    "value",
    [
        9,
        0,
        -4,
        4.5,
        "4.5",
        "4/5",
        "4 of 5",
        "four",
        "",
        "４",
        True,
        False,
        None,
        [4],
        {"score": 4},
        float("nan"),
        "nan",
        float("inf"),
        "inf",
        10**400,
    ],
    ids=repr,
)
def test_anything_else_is_no_score_from_one_to_five(value: Any) -> None:
    with pytest.raises(Unreadable, match=r"score must be a (whole )?number from 1 to 5\."):
        check(SCORE, value, "score")


@pytest.mark.parametrize("value", [float("nan"), "nan", True, "1/2", None, 1.01, -0.01])
def test_anything_else_is_no_share(value: Any) -> None:
    with pytest.raises(Unreadable, match="share must be a number from 0 to 1"):
        check(SHARE, value, "share")


@pytest.mark.parametrize(("value", "number"), [(0.25, 0.25), ("0.25", 0.25), (1, 1), (0, 0)])
def test_a_share_is_read_also_from_a_string(value: Any, number: float) -> None:
    assert check(SHARE, value) == number


@pytest.mark.parametrize("value", [float("nan"), "nan"])
@pytest.mark.parametrize("kind", ["number", "integer"])
def test_not_a_number_is_refused_without_bounds_too(kind: str, value: Any) -> None:
    with pytest.raises(Unreadable, match="must be a number"):
        check({"type": kind}, value)


@pytest.mark.parametrize("kind", ["number", "integer"])
def test_infinity_is_refused_without_bounds_too(kind: str) -> None:
    form = JsonForm(object_schema({"count": {"type": kind}}), lambda data: data["count"])

    with pytest.raises(Unreadable, match="count must be a"):
        read(form, '{"count": 1e999}')


def test_an_underscore_in_a_number_is_refused() -> None:
    with pytest.raises(Unreadable):
        check(SCORE, "0_4")


@pytest.mark.parametrize(
    ("value", "truth"),
    [(True, True), (False, False), ("true", True), ("false", False), (" False ", False), ("TRUE", True)],
)
def test_true_and_false_are_read_also_from_strings(value: Any, truth: bool) -> None:
    assert check(DONE, value) is truth


@pytest.mark.parametrize("value", ["maybe", "", "yes", "no", "0", 0, 1, None, [], "truely"])
def test_anything_else_is_neither_true_nor_false(value: Any) -> None:
    with pytest.raises(Unreadable, match="done must be true or false"):
        check(DONE, value, "done")


@pytest.mark.parametrize("value", ["Good", "", "ugly", True, 1, None, ["good"], {"good": 1}])
def test_only_the_words_of_a_literal_are_read(value: Any) -> None:
    schema = schema_of(Literal["good", "bad"])

    assert check(schema, "good") == "good"
    with pytest.raises(Unreadable, match='must be one of "good", "bad"'):
        check(schema, value)


@pytest.mark.parametrize("value", [None, 4, True, ["a"], {"a": 1}])
def test_only_a_string_is_a_string(value: Any) -> None:
    with pytest.raises(Unreadable, match="word must be a string"):
        check({"type": "string"}, value, "word")


def test_a_long_string_is_cut_and_not_refused() -> None:
    assert check({"type": "string", "maxLength": 5}, "abcdefgh") == "abcde"
    assert len(check({"type": "string"}, "x" * (LONGEST_TEXT + 1))) == LONGEST_TEXT


@pytest.mark.parametrize("value", ["", "  \n"])
def test_an_empty_string_is_refused_where_the_form_asks_for_one(value: str) -> None:
    assert check({"type": "string"}, value) == value
    with pytest.raises(Unreadable, match="must not be empty"):
        check({"type": "string", "minLength": 1}, value)


def test_arrays_are_counted_and_their_items_checked() -> None:
    pair = {"type": "array", "items": SCORE, "minItems": 2, "maxItems": 2}

    assert check(pair, ["4", 5]) == [4, 5]
    with pytest.raises(Unreadable, match=r"scores must have exactly 2 entries, not 1"):
        check(pair, [4], "scores")
    with pytest.raises(Unreadable, match=r"scores\[1\] must be a number from 1 to 5"):
        check(pair, [4, 9], "scores")
    with pytest.raises(Unreadable, match="must be a JSON array"):
        check(pair, {"0": 4, "1": 5}, "scores")
    with pytest.raises(Unreadable, match="must have 0 to 1 entries, not 2"):
        check({"type": "array", "items": SCORE, "maxItems": 1}, [4, 4])


def test_a_missing_field_is_named_by_its_path() -> None:
    schema = object_schema({"turn": object_schema({"score": SCORE})})

    with pytest.raises(Unreadable, match=r"turn\.score is missing"):
        check(schema, {"turn": {}})
    with pytest.raises(Unreadable, match="turn must be a JSON object"):
        check(schema, {"turn": 4})


def test_a_loose_form_passes_unknown_fields_over() -> None:
    form = form_of(Guess)

    assert read(form, '{"reason": "r", "word": "w", "confidence": 9}') == Guess("r", "w")


def exact_form() -> JsonForm[dict[str, Any]]:
    schema = object_schema({"turn": object_schema({"score": SCORE})})
    return JsonForm(schema, lambda data: data, exact=True)


def test_an_exact_form_refuses_unknown_fields() -> None:
    assert read(exact_form(), '{"turn": {"score": 4}}') == {"turn": {"score": 4}}
    with pytest.raises(Unreadable, match="overall is not part of it"):
        read(exact_form(), '{"turn": {"score": 4}, "overall": 5}')


def test_an_exact_form_refuses_unknown_fields_further_in() -> None:
    with pytest.raises(Unreadable, match="is not part of it"):
        read(exact_form(), '{"turn": {"score": 4, "final_score": 1}}')


def test_a_field_that_is_given_twice_with_different_values_is_refused() -> None:
    with pytest.raises(Unreadable):
        read(exact_form(), '{"turn": {"score": 4, "score": 1}}')


def test_two_different_fitting_objects_are_refused() -> None:
    with pytest.raises(Unreadable, match="several different JSON objects"):
        read(form_of(Guess), '{"reason": "r", "word": "a"} or {"reason": "r", "word": "b"}')


def test_two_equal_fitting_objects_are_one() -> None:
    twice = '{"reason": "r", "word": "a"} that is: {"word": "a", "reason": "r",}'

    assert read(form_of(Guess), twice) == Guess("r", "a")


def test_an_object_that_does_not_fit_beside_one_that_does_is_passed_over() -> None:
    assert read(form_of(Guess), '{"plan": "think"} {"reason": "r", "word": "a"}') == Guess("r", "a")


def test_the_complaint_is_about_the_last_object_that_was_meant_where_none_fits() -> None:
    with pytest.raises(Unreadable, match="reason is missing"):
        read(form_of(Guess), '{"reason": "r"} {"word": "a"}')


def test_a_reply_without_an_object_is_told_so() -> None:
    with pytest.raises(Unreadable, match="holds no JSON object"):
        read(form_of(Guess), "a ball, because it is round")


def test_a_reply_that_was_cut_off_is_refused_even_if_it_could_be_mended() -> None:
    text = '{"reason": "r", "word": "a"}'

    assert read(form_of(Guess), text) == Guess("r", "a")
    with pytest.raises(Unreadable, match="cut off"):
        read(form_of(Guess), text, stop="length")


def test_what_a_seat_remembers_of_its_reply_is_the_checked_object_alone() -> None:
    reply = Reply('<think>hm</think> Sure: {"reason": "ü", "word": "a", "x": 1,} bye', stop="stop")

    assert form_of(Guess).read(reply).spoken == '{"reason": "ü", "word": "a"}'


def test_free_text_is_stripped_and_cut_and_must_not_be_empty() -> None:
    assert read(Text(), "  hello \n") == "hello"
    assert read(Text(longest=3), "hello") == "hel"
    with pytest.raises(Unreadable, match="empty"):
        read(Text(), " \n ")


def test_free_text_may_be_empty_where_the_protocol_says_so_and_may_be_cut_off() -> None:
    assert read(Text(may_be_empty=True), "  ") == ""
    assert read(Text(), "half a sen", stop="length") == "half a sen"


@given(st.text(max_size=50))
def test_no_reply_makes_a_form_fail_with_anything_but_unreadable(text: str) -> None:
    try:
        assert isinstance(read(form_of(Guess), text), Guess)
    except Unreadable as problem:
        assert str(problem).startswith("Your reply")
