"""Words in charts: fit to be drawn, cut in the middle, and told apart."""

import unicodedata
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.reporting.cells import NOTHING
from interplay.reporting.charts.words import (
    MOST_CHARACTERS,
    MOST_TOLD,
    breadth,
    distinct,
    drawable,
    in_full,
    listed,
    plain,
    short,
)

ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=80)


@given(ANY_TEXT)
def test_whatever_is_drawn_is_text_of_xml_on_one_line(text: str) -> None:
    found = plain(text)
    found.encode()  # no half of a pair
    escaped = found.replace("&", "&amp;").replace("<", "&lt;")
    assert ElementTree.fromstring(f"<a>{escaped}</a>").text == found
    assert not any(unicodedata.category(character) in ("Cc", "Zl", "Zp", "Cs") for character in found)


@pytest.mark.parametrize(
    "text, found",
    [
        ("a\x00b\x1b[31mc", "ab[31mc"),
        ("a\ud800b", "ab"),
        ("\u202eevil\u2066 \u200fname", "evil name"),
        ("\ufffe\uffff\ufeff", NOTHING),
        (" two\r\n lines\t\u2028here ", "two lines here"),
        ("", NOTHING),
        ("a" + "\u0301" * 50 + "b\u0301", "a" + "\u0301" * 3 + "b\u0301"),
        ("<b>'\"&", "<b>'\"&"),
        ("שלום 🙂", "שלום 🙂"),
    ],
)
def test_what_cannot_be_drawn_or_turns_text_is_taken_out(text: str, found: str) -> None:
    assert plain(text) == found
    assert drawable(found) == found


def test_a_long_name_loses_its_middle() -> None:
    assert short("openai/gpt") == "openai/gpt"
    name = "openai/gpt-with-a-name-that-goes-on-and-on-2024-07-18"
    assert short(name) == "openai/gpt-with-a-na…n-and-on-2024-07-18"
    assert len(short("x" * 10_000, 1000)) == MOST_CHARACTERS


@given(ANY_TEXT, st.floats(20, 400))
def test_a_name_keeps_to_its_room(text: str, room: float) -> None:
    found = short(text, room)
    assert len(found) <= MOST_CHARACTERS
    assert breadth(found) <= room or len(found) <= 2


def test_broad_characters_take_more_room() -> None:
    assert breadth("語" * 10) > breadth("m" * 10) > breadth("a" * 10) > breadth("i" * 10)
    assert len(short("語" * 100, 100)) < len(short("i" * 100, 100))


def test_names_are_told_in_full_unless_they_are_no_names() -> None:
    name = "a" * MOST_TOLD
    assert in_full(name) == name
    assert len(in_full(name + "a")) == MOST_TOLD + 1 and "…" in in_full(name + "a")


def test_labels_that_are_alike_are_numbered() -> None:
    assert distinct(["a", "b", "a", "a", "a (2)"]) == ["a", "b", "a (2)", "a (3)", "a (2) (2)"]


def test_words_in_a_row() -> None:
    assert (listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])) == ("a", "a and b", "a, b and c")
