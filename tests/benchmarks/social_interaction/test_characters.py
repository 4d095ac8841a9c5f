"""Characters: the tables, drawing from them, the frozen ones, and reading a user's file."""

import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import tomli_w

from interplay.benchmarks.social_interaction import characters
from interplay.benchmarks.social_interaction.character_checks import words_of
from interplay.benchmarks.social_interaction.characters import (
    ABILITIES,
    FOLDER,
    LONGEST_ATTRIBUTE,
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    MOST_CHARACTERS,
    SKILLS,
    Attributes,
    Character,
    drawn,
    entry_of,
    laid_out,
    read_characters,
    shipped,
    tables,
)
from interplay.benchmarks.unwelcome import is_unwelcome_word
from interplay.core.failures import Mistake
from interplay.core.forms import build

TEXTS = ("traits", "ideals", "bonds", "flaws")
LEAST = {"races": 9, "classes": 12, "backgrounds": 16, "alignments": 9} | {
    "traits": 60,
    "ideals": 40,
    "bonds": 50,
    "flaws": 50,
}
ADDRESSING = {"you", "your", "i", "my", "me", "he", "she", "his", "her", "him", "hers"}
MANY = [drawn(f"test/{number}") for number in range(3_000)]


def somebody(**changes: Any) -> dict[str, Any]:
    """The entry of a character in a file, with something changed or, where it is None, left out."""
    entry = {
        "name": "Orla Fenn",
        "race": "human",
        "calling": "ranger",
        "background": "sailor",
        "alignment": "neutral good",
        "trait": "Whistles at doors.",
        "ideal": "Every port is a home.",
        "bond": "Owes a cook a supper.",
        "flaw": "Sleeps late.",
        "abilities": dict.fromkeys(ABILITIES, 11) | {"wisdom": 15},
        "skills": ["survival", "athletics"],
        "description": "Orla Fenn reads clouds.",
    }
    return {key: value for key, value in (entry | changes).items() if value is not None}


def written(folder: Path, *entries: Any, **top: Any) -> Path:
    path = folder / "own.toml"
    path.write_text(tomli_w.dumps({"characters": list(entries), **top}), encoding="utf-8")
    return path


def test_there_are_the_eighteen_skills_and_six_abilities() -> None:
    assert len(SKILLS) == len(set(SKILLS)) == 18
    assert list(SKILLS) == sorted(SKILLS)
    assert len(ABILITIES) == len(set(ABILITIES)) == 6


@pytest.mark.parametrize("table", LEAST)
def test_a_table_is_long_enough_and_has_nothing_twice(table: str) -> None:
    entries = list(tables()[table])
    assert len(entries) >= LEAST[table]
    assert len({entry.casefold() for entry in entries}) == len(entries)


@pytest.mark.parametrize("table", TEXTS)
def test_a_text_of_a_table_is_one_sentence_about_anybody(table: str) -> None:
    for text in tables()[table]:
        assert re.fullmatch(r"[A-Z][^.!?]{15,110}\.", text), text
        words = set(words_of(text))
        assert not words & ADDRESSING, text
        assert not words & set(SKILLS), text
        assert not any(map(is_unwelcome_word, words)), text


def test_no_two_texts_of_the_tables_begin_alike() -> None:
    openings = Counter(tuple(words_of(text)[:4]) for table in TEXTS for text in tables()[table])
    assert [opening for opening, count in openings.items() if count > 1] == []


def test_classes_and_backgrounds_have_skills_that_exist_and_enough_of_them() -> None:
    given = set()
    for name, background in tables()["backgrounds"].items():
        assert set(background) == {"skills"}
        assert len(set(background["skills"]) & set(SKILLS)) == len(background["skills"]) == 2, name
        given |= set(background["skills"])
    assert given == set(SKILLS)
    for name, calling in tables()["classes"].items():
        assert set(calling) == {"abilities", "skills", "choose"}
        assert len(set(calling["abilities"]) & set(ABILITIES)) == len(calling["abilities"]) == 2, name
        assert len(set(calling["skills"]) & set(SKILLS)) == len(calling["skills"]), name
        assert 2 <= calling["choose"] <= len(calling["skills"]) - 2, name


def test_a_draw_gives_the_same_attributes_again_and_another_draw_others() -> None:
    assert drawn("a/1") == drawn("a/1")
    assert len(set(MANY)) == len(MANY)


def test_every_entry_of_every_table_is_drawn_about_as_often() -> None:
    for key, table in (("race", "races"), ("calling", "classes"), ("background", "backgrounds")):
        counts = Counter(getattr(one, key) for one in MANY)
        assert set(counts) == set(tables()[table])
        assert min(counts.values()) > 0.6 * len(MANY) / len(counts)
    for key in ("alignment", "trait", "ideal", "bond", "flaw"):
        assert {getattr(one, key) for one in MANY} == set(tables()[key + "s"])


def test_scores_are_of_four_dice_without_the_lowest() -> None:
    scores = [score for one in MANY for score in one.abilities.values()]
    assert {*scores} == set(range(3, 19))
    assert fmean(scores) == pytest.approx(15_869 / 1_296, abs=0.08)  # the mean by counting all 6^4 throws


def test_the_two_highest_scores_go_to_what_matters_to_the_class() -> None:
    for one in MANY:
        first, second = tables()["classes"][one.calling]["abilities"]
        assert tuple(one.abilities) == ABILITIES
        assert [one.abilities[first], one.abilities[second]] == sorted(one.abilities.values())[:-3:-1]


def test_the_other_scores_favour_no_ability() -> None:
    wizards = [one.abilities for one in MANY if one.calling == "wizard"]
    means = [fmean(each[ability] for each in wizards) for ability in ("strength", "dexterity", "charisma")]
    assert max(means) - min(means) < 0.8


def test_skills_are_the_backgrounds_and_some_of_the_class() -> None:
    for one in MANY:
        calling = tables()["classes"][one.calling]
        own = set(tables()["backgrounds"][one.background]["skills"])
        assert list(one.skills) == sorted(set(one.skills))
        assert own <= set(one.skills)
        assert len(set(one.skills) - own) == calling["choose"]
        assert set(one.skills) - own <= set(calling["skills"])


def test_the_frozen_characters_have_the_attributes_that_were_drawn() -> None:
    assert len(shipped()) == 72
    for number, character in enumerate(shipped(), 1):
        attributes = drawn(f"frozen/{number}")
        assert attributes.called(character.name, character.description) == character, number


def test_the_frozen_file_bears_a_canary() -> None:
    found = tomllib.loads((FOLDER / "data" / "characters.toml").read_text(encoding="utf-8"))
    assert found["canary"].startswith("INTERPLAY CANARY social_interaction characters ")


def test_a_character_can_be_looked_up_in_a_set() -> None:
    assert len({*shipped(), *shipped()}) == 72
    assert isinstance(shipped()[0], Attributes)


def test_a_character_can_be_given_another_name() -> None:
    character = shipped()[0]
    other = character.called("Orla Fenn", "Somebody else.")
    assert (other.name, other.description, other.bond) == ("Orla Fenn", "Somebody else.", character.bond)


def test_a_sheet_has_a_line_for_everything(tmp_path: Path) -> None:
    (character,) = read_characters(written(tmp_path, somebody()))
    assert laid_out(character).splitlines() == [
        "Name: Orla Fenn",
        "Race: human",
        "Class: ranger",
        "Background: sailor",
        "Alignment: neutral good",
        "Personality trait: Whistles at doors.",
        "Ideal: Every port is a home.",
        "Bond: Owes a cook a supper.",
        "Flaw: Sleeps late.",
        "Abilities: strength 11, dexterity 11, constitution 11, intelligence 11, wisdom 15, charisma 11",
        "Skills: athletics, survival",
        "Description: Orla Fenn reads clouds.",
    ]


def test_an_entry_is_read_back_as_the_same_character(tmp_path: Path) -> None:
    entries = [entry_of(character) for character in shipped()]
    assert read_characters(written(tmp_path, *entries)) == shipped()
    assert tuple(build(Character, json.loads(json.dumps(entry))) for entry in entries) == shipped()
    assert next(iter(entries[0])) == "name"


def test_texts_are_shown_in_one_line(tmp_path: Path) -> None:
    (one,) = read_characters(written(tmp_path, somebody(description="  Orla\n\treads   clouds. ")))
    assert one.description == "Orla reads clouds."


def test_skills_may_be_written_with_capitals_and_underscores(tmp_path: Path) -> None:
    (one,) = read_characters(written(tmp_path, somebody(skills=["Sleight_of_Hand", "Animal Handling"])))
    assert one.skills == ("animal handling", "sleight of hand")


def test_a_user_may_have_races_and_classes_of_their_own(tmp_path: Path) -> None:
    (one,) = read_characters(written(tmp_path, somebody(race="heron folk", calling="tea master"), canary="x"))
    assert (one.race, one.calling) == ("heron folk", "tea master")


SCORES = dict.fromkeys(ABILITIES, 10)
MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"class": "monk"}, "character 1 has 'class'; did you mean 'calling'?"),
    ({"bonds": "x"}, "character 1 has 'bonds'; did you mean 'bond'?"),
    ({"skills": ["stelth"]}, "character 1 has the skill 'stelth'; did you mean 'stealth'?"),
    (
        {"skills": ["q" * 500]},
        "character 1 has the skill '" + "q" * LONGEST_NAME + "...'; there is acrobatics",
    ),
    ({"skills": ["stealth", "Stealth"]}, "character 1 has the skill 'stealth' twice"),
    ({"skills": []}, "character 1: skills is a list of one or more names"),
    ({"skills": "stealth"}, "character 1: skills is a list of one or more names"),
    ({"skills": [3]}, "character 1: skills is a list of one or more names"),
    ({"skills": None}, "character 1: skills is a list of one or more names"),
    ({"name": None}, "character 1: name is missing"),
    ({"flaw": None}, "character 1: flaw is missing"),
    ({"description": " ... "}, "character 1: description is missing: there is no letter in it"),
    ({"ideal": 5}, "character 1: ideal must be a text in quotes"),
    ({"name": "x" * (LONGEST_NAME + 1)}, "character 1: name has 61 characters; it may have 60"),
    ({"bond": "x" * (LONGEST_ATTRIBUTE + 1)}, "character 1: bond has 401 characters; it may have 400"),
    ({"description": "x" * (LONGEST_DESCRIPTION + 1)}, "description has 4,001 characters; it may have 4,000"),
    ({"name": "Orla: Fenn"}, "character 1: the name 'Orla: Fenn' must not hold a colon"),
    ({"name": "Orla \u202eFenn"}, "character 1: name holds the unprintable character U+202E; take it out"),
    ({"abilities": None}, "character 1: abilities is a table such as { strength = 12, ... } of all six"),
    ({"abilities": SCORES | {"luck": 3}}, "character 1: abilities has 'luck'; there is charisma"),
    ({"abilities": SCORES | {"wisdom": 31}}, "character 1: wisdom must be a whole number from 1 to 30"),
    ({"abilities": SCORES | {"wisdom": True}}, "character 1: wisdom must be a whole number from 1 to 30"),
    ({"abilities": SCORES | {"wisdom": 9.5}}, "character 1: wisdom must be a whole number from 1 to 30"),
    ({"abilities": {"wisdom": 12}}, "character 1: strength must be a whole number from 1 to 30"),
]


@pytest.mark.parametrize(("changes", "message"), MISTAKES)
def test_a_mistake_in_a_file_is_said_in_one_line(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = written(tmp_path, somebody(**changes))
    with pytest.raises(Mistake) as raised:
        read_characters(path)
    assert message in str(raised.value)
    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 500 + len(str(path))


def test_two_characters_may_not_be_called_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, somebody(), somebody(name="Ada Wren"), somebody(name="ORLA  FENN"))
    with pytest.raises(Mistake, match="characters 1 and 3 are both called 'ORLA FENN'; give each a name"):
        read_characters(path)


def test_the_mistake_names_the_character_that_has_it(tmp_path: Path) -> None:
    path = written(tmp_path, somebody(), somebody(name="Ada Wren", race=None))
    with pytest.raises(Mistake, match="character 2: race is missing"):
        read_characters(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no characters; write each under its own"),
        ("characters = []", "has no characters"),
        ("characters = 3", "has no characters"),
        ("characters = ['Orla']", "character 1 must be a table of its own"),
        ("character = 3", "has 'character'; did you mean 'characters'?"),
        ("characters = [", "is no TOML: "),
        ("x = " + "[" * 5_000, "is no TOML: "),
    ],
)
def test_a_file_that_holds_something_else_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Mistake) as raised:
        read_characters(path)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_score_of_any_size_is_refused_in_one_line(tmp_path: Path) -> None:
    path = written(tmp_path, somebody())
    path.write_text(path.read_text().replace("strength = 11", "strength = 0x" + "f" * 9_000))
    with pytest.raises(Mistake, match="strength must be a whole number from 1 to 30"):
        read_characters(path)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="cannot be read"):
        read_characters(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Mistake, match="cannot be read"):
        read_characters(tmp_path / "bytes.toml")


def test_a_file_may_be_only_so_large(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * (characters.LARGEST_FILE + 1))
    with pytest.raises(Mistake, match="is larger than 10,000,000 bytes"):
        read_characters(path)


def test_a_file_may_have_only_so_many_characters(tmp_path: Path) -> None:
    path = tmp_path / "many.toml"
    path.write_text("[[characters]]\n" * (MOST_CHARACTERS + 1))
    with pytest.raises(Mistake, match="has 2,001 characters; a file may have 2,000"):
        read_characters(path)
