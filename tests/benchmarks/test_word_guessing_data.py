"""The word lists that ship: their sizes, and that every pair passes the checks."""

import tomllib
from collections import Counter

import pytest

from interplay.benchmarks.word_guessing.checks import Shelf, is_unwelcome, unfit, unplayable
from interplay.benchmarks.word_guessing.matching import ALIKE, alike, names, says
from interplay.benchmarks.word_guessing.words import FOLDER, GENERAL, TOPICS, Pair, Word, shipped

LISTS = (GENERAL, *TOPICS)
ALL = [pair for topic in LISTS for pair in shipped(topic)]


def test_eleven_lists_of_the_papers_sizes() -> None:
    assert len(LISTS) == 11
    assert {path.stem for path in (FOLDER / "data").glob("*.toml")} >= set(LISTS)
    assert len(shipped(GENERAL)) == 45
    for topic in TOPICS:
        assert 49 <= len(shipped(topic)) <= 60
        assert {pair.topic for pair in shipped(topic)} == {topic}
    assert len(ALL) >= 531


def test_every_list_has_a_canary_of_its_own() -> None:
    lists = [
        tomllib.loads((FOLDER / "data" / f"{topic}.toml").read_text(encoding="utf-8")) for topic in LISTS
    ]
    assert all(one["canary"].startswith(f"INTERPLAY CANARY word_guessing {one['topic']} ") for one in lists)
    assert all(one["meaning"] for one in lists)
    assert len({one["canary"] for one in lists}) == 11


def test_every_pair_can_be_played_and_is_fit() -> None:
    found = {str(pair): [*unplayable(pair), *unfit(pair)] for pair in ALL}
    assert {pair: complaints for pair, complaints in found.items() if complaints} == {}


def test_no_word_or_other_name_is_there_twice() -> None:
    shelf, found = Shelf(), []
    for pair in ALL:
        found += shelf.about(pair)
        shelf.put(pair)
    assert found == []


def test_names_are_found_and_never_taken_for_the_other_word() -> None:
    for pair in ALL:
        for own, target in (pair.words, pair.words[::-1]):
            assert all(names(name, target, own) for name in target.names)
            assert not any(names(name, target, own) for name in own.names)
            assert not says(target.text, own), f"{target.text} says {own.text}"


def test_the_lists_are_varied() -> None:
    """No opening word stands in more than a handful of pairs, and words differ in length."""
    first = Counter(word.text.split()[0] for pair in ALL for word in pair.words)
    assert max(first.values()) <= 6
    lengths = [len(word.text) for pair in ALL for word in pair.words]
    assert min(lengths) <= 4
    assert max(lengths) >= 15
    assert sum(bool(word.also) for pair in ALL for word in pair.words) > 200


@pytest.mark.parametrize(
    ("a", "b"),
    [("seal", "sea lion"), ("tomato", "potato"), ("mouse", "mice"), ("ice cream", "icecream")],
)
def test_words_that_cannot_be_told_apart_are_refused(a: str, b: str) -> None:
    assert unplayable(Pair("topic", Word(a), Word(b)))


def test_an_alias_may_not_be_like_the_other_word() -> None:
    assert alike("loaf", "leaf") > ALIKE
    assert not unplayable(Pair("topic", Word("bread"), Word("leaf")))
    assert unplayable(Pair("topic", Word("bread", ("loaf",)), Word("leaf")))


@pytest.mark.parametrize(
    ("pair", "complaint"),
    [
        (Pair("t", Word("Paris"), Word("bridge")), "lower-case"),
        (Pair("t", Word("ox"), Word("bridge")), "3 to 30 characters"),
        (Pair("t", Word("one two three four"), Word("bridge")), "more than 3 words"),
        (Pair("t", Word("savings account"), Word("current account")), "both words have account"),
        (Pair("t", Word("bastard"), Word("bridge")), "may offend"),
        (Pair("t", Word("tower", ("bastards",)), Word("bridge")), "may offend"),
    ],
)
def test_what_is_not_fit(pair: Pair, complaint: str) -> None:
    assert any(complaint in found for found in unfit(pair))


def test_ordinary_words_are_welcome() -> None:
    assert not is_unwelcome("classic assassin of Scunthorpe cocktail")


def test_a_shelf_knows_forms_spellings_and_other_names() -> None:
    shelf = Shelf([Pair("food", Word("ice cream"), Word("mouse", ("rodent",)))])
    assert shelf.about(Pair("t", Word("icecreams"), Word("bridge")))
    assert shelf.about(Pair("t", Word("mice"), Word("bridge")))
    assert shelf.about(Pair("t", Word("tower", ("Rodents",)), Word("bridge")))
    assert not shelf.about(Pair("t", Word("cream"), Word("bridge")))
    assert shelf.about(Pair("t", Word("tower"), Word("towers")))


def test_words_that_share_a_verb_are_not_one_word() -> None:
    shelf = Shelf([Pair("t", Word("rose"), Word("tulip")), Pair("t", Word("saw"), Word("hammer"))])
    assert not shelf.about(Pair("t", Word("rise"), Word("fall")))
    assert shelf.about(Pair("t", Word("Roses"), Word("fall")))
