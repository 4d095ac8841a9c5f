"""Data laid out for people, whatever it holds."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from interplay.reporting.pages.drawing import environment
from interplay.reporting.pages.laid_out import MOST, laid_out

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


def drawn(value: Any) -> str:
    module: Any = environment().get_template("transcript.html").module
    return str(module.data(value))


def test_fields_lists_tables_and_texts_are_told_apart() -> None:
    assert laid_out({"a_b": 1, "c": ""}).parts == (("a b", 1),)
    assert laid_out([{"a": 1}, {"a": 2, "b": "x"}]).kind == "table"
    assert laid_out([{"a": 1}]).kind == "table"
    assert laid_out([{"a": {"b": 1}}, {"a": 2}]).kind == "list"
    assert laid_out(["x", "y"]).kind == "row"
    assert laid_out(["x" * 100]).kind == "list"
    assert laid_out("short").kind == "word" and laid_out("two\nlines").kind == "text"
    assert laid_out(False).text == "no" and laid_out(0).text == "0" and laid_out(0.123456).text == "0.123"
    for nothing in (None, "", [], {}, {"a": None}):
        assert laid_out(nothing).kind == "nothing"


def test_long_lists_are_cut_and_say_so() -> None:
    assert laid_out(list(range(MOST + 5))).left_out == 5
    assert "5 more are left out" in drawn(list(range(MOST + 5)))


def test_what_is_deeper_than_can_be_drawn_is_drawn_as_text() -> None:
    deep: Any = "end"
    for _ in range(60):
        deep = {"in": deep}
    assert "end" in drawn(deep)
    for _ in range(100_000):
        deep = [deep]
    assert "too deep" in drawn(deep)


@given(ANY_JSON)
def test_any_data_is_drawn_as_text(value: Any) -> None:
    found = drawn({"it": value, "<script>": "<img src=x onerror=alert(1)>"})
    assert "<script>" not in found and "<img" not in found
