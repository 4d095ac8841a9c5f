"""How a text is cut into words, and which words are forms of one another."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.benchmarks.word_guessing.lexicon import (
    bases,
    is_form_of,
    is_word,
    placed,
    plain,
    same_phrase,
    same_word,
    spelled_out,
    tokens,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Bread, a cake!", ["the", "bread", "a", "cake"]),
        ("ice-cream_cone", ["ice", "cream", "cone"]),
        ("driver's, drivers', the driver’s", ["driver", "drivers", "the", "driver"]),
        ("d'oeuvre d’œuvre", ["d'oeuvre", "d'oeuvre"]),
        ("Café CAFE\u0301 ｃａｆｅ", ["cafe", "cafe", "cafe"]),
        ("so\u00adft ze\u200bro", ["soft", "zero"]),
        ("salt&pepper", ["salt", "and", "pepper"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("... !", []),
    ],
)
def test_words_are_folded(text: str, found: list[str]) -> None:
    assert tokens(text) == found


@pytest.mark.parametrize(
    ("text", "compared"),
    [("The Bread.", "bread"), ("an apple a day", "apple day"), ("The", "the"), ("A-the", "a the"), ("", "")],
)
def test_articles_do_not_count_unless_there_is_nothing_else(text: str, compared: str) -> None:
    assert plain(text) == compared


@given(st.text(st.characters()))
def test_places_are_those_of_the_text(text: str) -> None:
    found = placed(text)
    assert [token for token, _, _ in found] == tokens(text)
    assert all(0 <= start < end <= len(text) for _, start, end in found)
    assert [start for _, start, _ in found] == sorted(start for _, start, _ in found)


@given(st.text("abcdeÀéîõü'’ -", max_size=30))
def test_a_text_has_the_same_words_composed_or_not_and_in_capitals(text: str) -> None:
    assert tokens(text) == tokens(unicodedata.normalize("NFD", text)) == tokens(text.upper())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mice", "mouse"),
        ("leaves", "leaf"),
        ("leaves", "leave"),
        ("sneezing", "sneeze"),
        ("sneezed", "sneeze"),
        ("swimming", "swim"),
        ("noodle", "noodles"),
        ("die", "dice"),
        ("smartphones", "smartphone"),
        ("letterboxes", "letterbox"),
        ("chatbots", "chatbot"),
    ],
)
def test_forms_of_a_word(one: str, other: str) -> None:
    assert is_form_of(one, other)
    assert same_word(one, other) and same_word(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rise", "rose"),
        ("dove", "dive"),
        ("wound", "wind"),
        ("bore", "bear"),
        ("bread", "beard"),
        ("bu", "bus"),
    ],
)
def test_words_that_are_no_forms_of_each_other(one: str, other: str) -> None:
    assert not is_form_of(one, other)
    assert not same_word(one, other) and not same_word(other, one)


def test_a_base_is_a_form_only_one_way_where_it_is_another_noun() -> None:
    assert is_form_of("boxing", "box")
    assert not is_form_of("box", "boxing")
    assert same_word("box", "boxing")


@given(st.text())
def test_every_text_is_a_form_of_itself(token: str) -> None:
    assert token in bases(token)
    assert is_form_of(token, token)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (["ice", "creams"], ["ice", "cream"], True),
        (["icecream"], ["ice", "cream"], True),
        (["rain", "coats"], ["raincoat"], True),
        (["cream", "ice"], ["ice", "cream"], False),
        ([], ["bread"], False),
        ([], [], True),
        (["bread", "knife"], ["bread"], False),
    ],
)
def test_a_phrase_is_the_same_however_it_is_parted(one: list[str], other: list[str], same: bool) -> None:
    assert same_phrase(one, other) is same


@pytest.mark.parametrize("token", ["bread", "breads", "mice", "colour", "beard", "donut"])
def test_words_are_words(token: str) -> None:
    assert is_word(token)


@pytest.mark.parametrize("token", ["braed", "umbrela", "recieve", "", "x" * 10_000])
def test_slips_are_no_words(token: str) -> None:
    assert not is_word(token)


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("b r e a d", ["bread"]),
        ("it is b-r-e-a-d or c.a.k.e", ["bread", "cake"]),
        ("a cake", []),
        ("is a b r", ["abr"]),
        ("", []),
    ],
)
def test_single_letters_in_a_row_spell_something(text: str, runs: list[str]) -> None:
    assert spelled_out(tokens(text)) == runs
