"""What is asked of characters: the frozen ones pass, and every planted fault is found."""

from dataclasses import replace
from typing import Any

import pytest

from interplay.benchmarks.social_interaction.character_checks import (
    DESCRIPTION,
    Shelf,
    complaints,
    complaints_of_set,
    first_name,
    runs_of,
    words_of,
)
from interplay.benchmarks.social_interaction.characters import SKILLS, Character, drawn, shipped, tables

GOOD = shipped()[0]
FILLER = " ".join(f"w{number}x" for number in range(90))


def changed(old: str, new: str) -> Character:
    assert old in GOOD.description
    return replace(GOOD, description=GOOD.description.replace(old, new))


def told(text: str, number: int = 1) -> Character:
    """A character whose description has the right length and the name, and says this."""
    name = GOOD.name
    rest = [f"n{number}w{place}" for place in range(DESCRIPTION[0])]
    return replace(GOOD, description=" ".join([name, *rest[: DESCRIPTION[0] - 2], text]))


@pytest.mark.parametrize("character", shipped(), ids=lambda character: character.name)
def test_there_is_nothing_to_complain_of_a_frozen_character(character: Character) -> None:
    assert complaints(character) == []


def test_the_frozen_characters_differ_and_every_race_and_class_occurs() -> None:
    assert complaints_of_set(shipped()) == []


def test_the_frozen_characters_are_called_he_she_and_they() -> None:
    found = [{"he", "she", "they"} & set(words_of(one.description)) for one in shipped()]
    assert all(found)
    for pronoun in ("he", "she", "they"):
        assert sum(pronouns == {pronoun} for pronouns in found) >= 4


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("Gorvane", "the name has 1 words, not 2 to 5"),
        ("Gorvane One Two Three Four Five", "the name has 6 words, not 2 to 5"),
        ("Gorvane " + "A" + "b" * 40, "the name has 49 characters, not at most 40"),
        ("Gorvane Ash2", "the name is not made of letters"),
        ("Gorvane (Ash)", "the name is not made of letters"),
        ("Gorvane, Ash", "the name is not made of letters"),
        ("Gorvane  Ash", "the name is not made of letters"),
        ("gorvane Ash", "a word of the name has no capital"),
        ("Gorvane ash", "a word of the name has no capital"),
        ("of Gorvane", "a word of the name has no capital"),
        ("Old Sir", "the name is a title alone"),
        ("", "the name is a title alone"),
        ("Mabel Ashmantle", "the name does not appear in the description"),
    ],
)
def test_a_name_has_a_form(name: str, complaint: str) -> None:
    found = complaints(replace(GOOD, name=name))
    assert any(one.startswith(complaint) for one in found), found


@pytest.mark.parametrize(
    "name",
    [
        "Gorvane Ashmantle",
        "Sir Gorvane",
        "Gorvane of the Hill",
        "Gorvane O'Dell",
        "Gorvane Ash-Mantle",
        "Górvane É",
    ],
)
def test_names_of_many_forms_will_do(name: str) -> None:
    assert complaints(replace(GOOD, name=name)) == []


@pytest.mark.parametrize("words", [DESCRIPTION[0] - 1, DESCRIPTION[1] + 1])
def test_a_description_has_a_length(words: int) -> None:
    text = " ".join(["Gorvane", *FILLER.split()][:words])
    assert complaints(replace(GOOD, description=text)) == [f"the description has {words} words, not 60 to 90"]


@pytest.mark.parametrize("words", DESCRIPTION)
def test_a_description_may_be_as_short_and_as_long_as_that(words: int) -> None:
    assert complaints(replace(GOOD, description=" ".join(["Gorvane", *FILLER.split()][:words]))) == []


@pytest.mark.parametrize("skill", SKILLS)
def test_a_description_names_no_skill(skill: str) -> None:
    assert complaints(told(f"is good at {skill.title()}.")) == [f"the description names the skill {skill!r}"]


@pytest.mark.parametrize(
    "term",
    [
        "proficient",
        "proficiency",
        "lawful good",
        "chaotic-evil",
        "alignment",
        "skill checks",
        "ability score",
        "wisdom score",
        "strength of 17",
        "hit points",
        "saving throws",
        "armour class",
        "level 3",
        "third-level",
        "dungeon master",
        "npc",
        "player character",
        "2d6",
    ],
)
def test_a_description_does_not_speak_of_rules(term: str) -> None:
    assert complaints(told(f"has {term} now.")) == [f"the description speaks of rules: {term!r}"]


@pytest.mark.parametrize(
    "text",
    [
        "has the strength of ten, and wisdom beyond years.",
        "naturally survives, persuades, performs, and is at level ground.",
        "works in a silver mine, with a good score of years behind.",
        'says "You owe me" and ‘I don’t care’.',
        "says 'Trust me' to the dragon's aunt's cat.",
    ],
)
def test_plain_words_are_no_rules_and_quotations_may_address(text: str) -> None:
    assert complaints(told(text)) == []


@pytest.mark.parametrize("word", ["you", "Your", "I", "my", "our"])
def test_a_description_is_in_the_third_person(word: str) -> None:
    found = complaints(told(f"asks {word} friends."))
    assert found == [f"the description says {word!r}, and is to be in the third person"]


@pytest.mark.parametrize("mark", ["{", "[", "<", "*", "_", "#", "|"])
def test_a_description_has_no_markup(mark: str) -> None:
    assert complaints(told(f"is {mark}.")) == [
        f"the description has a mark of markup or of a template: {mark!r}"
    ]


def test_a_description_is_one_line_that_can_be_seen() -> None:
    found = complaints(changed("He talks", "He\ntalks"))
    assert found == [
        "the description has several lines",
        "the description holds characters that cannot be seen",
    ]
    assert complaints(changed("He talks", "He\u200b talks")) == [
        "the description holds characters that cannot be seen"
    ]


@pytest.mark.parametrize("part", ["trait", "ideal", "bond", "flaw"])
def test_a_description_does_not_repeat_its_attributes(part: str) -> None:
    six = " ".join(getattr(GOOD, part).split()[1:7]).upper()
    assert complaints(told(six)) == [f"the description repeats the {part} word for word"]
    assert complaints(told(" ".join(six.split()[:5]))) == []


@pytest.mark.parametrize("text", ["a bastard", "two BASTARDS", "the bastard's", "one-bastard"])
def test_unwelcome_words_are_found_in_any_form(text: str) -> None:
    assert (
        [one for one in complaints(told(text)) if one.endswith("may offend")] == complaints(told(text)) != []
    )


def test_an_unwelcome_name_is_found() -> None:
    assert "'bastard' may offend" in complaints(replace(GOOD, name="Gorvane Bastard"))


def named(name: str, number: int, **changes: Any) -> Character:
    character = replace(told("walks on.", number), name=name, **changes)
    return replace(character, description=f"n{number} {character.description}")


def test_a_set_has_no_name_and_no_first_name_twice() -> None:
    three = [named("Ada Wren", 1), named("ADA  Wren", 2), named("Dame Áda Lark", 3)]
    assert complaints_of_set(three, every_kind=False) == [
        "ADA  Wren: the name ADA  Wren is taken",
        "Dame Áda Lark: the first name is that of Ada Wren",
    ]


def test_last_names_and_titles_may_be_shared() -> None:
    three = [named("Sir Ada Wren", 1), named("Sir Bo Wren", 2), named("Wren Ada", 3)]
    assert complaints_of_set(three, every_kind=False) == []


def test_no_two_descriptions_begin_alike() -> None:
    one, other = named("Ada Wren", 1), named("Bo Lark", 2)
    one = replace(one, description="By night, the old well " + one.description)
    other = replace(other, description="By Night the old WELL " + other.description)
    assert complaints_of_set([one, other], every_kind=False) == [
        "Bo Lark: the description begins as that of Ada Wren does"
    ]
    other = replace(other, description=other.description.replace("WELL", "inn", 1))
    assert complaints_of_set([one, other], every_kind=False) == []


def test_no_two_descriptions_share_six_words_in_a_row() -> None:
    one, other = named("Ada Wren", 1), named("Bo Lark", 2)
    one = replace(one, description=one.description + " And keeps a goat named after kings")
    copied = replace(other, description=other.description + " She keeps a goat named after kings")
    assert complaints_of_set([one, copied], every_kind=False) == [
        "Bo Lark: the description has 6 words in a row from Ada Wren"
    ]
    five = replace(other, description=other.description + " She keeps a goat named after queens")
    assert complaints_of_set([one, five], every_kind=False) == []


def test_a_set_that_lacks_a_race_or_a_class_is_found_wanting() -> None:
    without = [one for one in shipped() if one.race != "gnome" and one.calling != "bard"]
    assert complaints_of_set(without) == ["nobody has the race gnome", "nobody has the class bard"]
    assert complaints_of_set(without, every_kind=False) == []
    assert len(complaints_of_set([])) == len(tables()["races"]) + len(tables()["classes"])


def test_a_new_character_is_compared_with_those_that_are_there() -> None:
    shelf = Shelf(shipped())
    fresh = drawn("fresh/1").called("Quen Attersby", told("walks on.").description)
    assert shelf.about(fresh) == []
    again = shelf.about(shipped()[7])
    assert again[0] == f"the name {shipped()[7].name} is taken"
    assert len(again) == 3
    shelf.put(fresh)
    assert shelf.about(fresh)[0] == "the name Quen Attersby is taken"


def test_a_first_name_is_no_title() -> None:
    assert first_name("Old Captain Bo Lark") == "bo"
    assert first_name("The Lady of") == ""


def test_runs_do_not_see_case_marks_accents_or_possessives() -> None:
    assert len(runs_of("The cat’s hat: réd, old and torn.")) == 2
    assert runs_of("The cat’s hat: réd, old and torn.") == runs_of("the Cat hat red old and TORN")
    assert runs_of("only five words are here") == set()
