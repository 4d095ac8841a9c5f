"""The checks of characters and situations: each finds its defect, and leaves what is sound alone."""

from dataclasses import replace
from typing import Any

import pytest

from interplay.benchmarks.role_play.cards import Character, Situation
from interplay.benchmarks.role_play.checks import (
    MOST_LIKENESS,
    Shelf,
    about_character,
    about_situation,
    likeness,
    runs_of,
    share_in_script,
    stems_of,
)
from tests.benchmarks.pieces import SPOILED, character, situation


def card(draft: dict[str, Any]) -> Character:
    lines = [line for line in draft["example"].splitlines() if line]
    kept = {key: value for key, value in draft.items() if key != "secret"}
    return Character(**{**kept, "example": "\n".join(lines)})


def scene(draft: dict[str, Any], turns: int = 4) -> Situation:
    return Situation(draft["id"], draft["text"], turns)


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("seed", range(20))
def test_a_sound_piece_has_no_complaint(language: str, seed: int) -> None:
    draft = character(str(seed), language)
    assert about_character(card(draft), language, draft["secret"]) == []
    assert about_situation(scene(situation(str(seed), language)), language) == []


@pytest.mark.parametrize("kind", SPOILED)
def test_every_defect_of_a_character_is_found_and_named(kind: str) -> None:
    spoil, complaint = SPOILED[kind]
    draft = spoil(character("x"))
    found = about_character(card(draft), "en", draft["secret"])
    assert any(complaint in one for one in found), found


@pytest.mark.parametrize(
    "change, complaint",
    [
        ({"text": "You wait."}, "the text has 2 words, not 35 to 120"),
        ({"text": "You " + "walk " * 130}, "the text has 131 words"),
        ({"text": "Somebody " + "walks " * 40}, "does not address the user as you"),
        ({"text": "You " + "идёшь " * 40}, "not in Latin letters"),
        ({"text": "You " + "talk to {{char}} " * 20}, "marks of a template"),
        ({"text": "You " + "\u200bwalk " * 40}, "control characters"),
        ({"turns": 5}, "it has 5 turns, not 4 or 8"),
    ],
)
def test_every_defect_of_a_situation_is_found_and_named(change: dict[str, Any], complaint: str) -> None:
    found = about_situation(replace(scene(situation("x")), **change), "en")
    assert any(complaint in one for one in found), found


@pytest.mark.parametrize("text", ["Ты ждёшь", "Вы ждёте", "Тебе скучно", "О твоих делах", "Ваш черёд"])
def test_russian_addresses_its_reader_in_many_forms(text: str) -> None:
    told = replace(scene(situation("x", "ru")), text=f"{text} {'лодка ' * 40}")
    assert about_situation(told, "ru") == []
    mute = replace(told, text=told.text.replace(text, "Твёрдо вымокла вата"))
    assert about_situation(mute, "ru") == ["the text does not address the user as you"]


def test_what_introduces_the_character_may_stand_in_card_and_summary() -> None:
    draft = character("x")
    name = draft["name"]
    introduced = f"{name} is a keeper of bees"
    draft |= {
        "persona": f"{introduced}. {draft['persona']}",
        "summary": f"{introduced}, not far from the old mill.",
    }
    assert about_character(card(draft), "en", draft["secret"]) == []


def test_a_name_is_found_whatever_its_ending() -> None:
    draft = character("x", "ru")
    draft |= {"name": "Инга Коробочка", "example": ""}
    draft["persona"] = draft["persona"] + " Это письмо об Инге."
    draft["summary"] = "Про Коробочку, которая живёт у самой реки и печёт пироги."
    assert about_character(card(draft), "ru", draft["secret"]) == []
    draft["summary"] = "Про соседку, которая живёт у самой реки и печёт пироги."
    assert about_character(card(draft), "ru") == ["the name does not appear in the summary"]


def test_the_share_of_a_script_counts_letters_alone() -> None:
    assert share_in_script("12:30, a café by the Seine!", "en") == 1.0
    assert share_in_script("Ёлка стоит у окна, 12:30", "ru") == 1.0
    assert share_in_script("half of it, половина", "ru") == pytest.approx(8 / 16)
    assert share_in_script("SOS!", "ru") == 1.0  # too few letters to say


def test_runs_see_through_case_and_punctuation() -> None:
    assert runs_of("One, two; THREE.", 2) == {("one", "two"), ("two", "three")}
    assert runs_of("Ещё раз", 2) == {("еще", "раз")}
    assert runs_of("too short", 3) == set()


REWORDED = (
    "You lost your umbrella on the ferry and are sure that the character has it. Ask politely at first, then demand to "
    "look behind the curtain, and describe the handle in more detail each time. In the last message give up, or accept "
    "another umbrella in its place.",
    "Your umbrella was lost on the ferry, and you are certain the character is keeping it. Begin by asking politely; "
    "later demand a look behind the curtain, each time describing the handle in greater detail. Finally give up in the "
    "last message or accept some other umbrella instead.",
)


def test_a_reworded_text_is_much_alike_and_another_one_is_not() -> None:
    one, other = (stems_of(text) for text in REWORDED)
    assert likeness(one, other) > MOST_LIKENESS
    assert likeness(one, one) == 1.0
    assert likeness(stems_of(situation("a")["text"]), stems_of(situation("b")["text"])) < 0.1
    assert likeness(frozenset(), frozenset()) == 0.0


def test_a_shelf_refuses_what_is_there_already() -> None:
    first, second = card(character("a")), card(character("b"))
    shelf = Shelf([first])
    assert shelf.about(second) == []
    assert shelf.about(replace(second, id=first.id)) == [f"{first.id!r} is the id of another one"]
    assert shelf.about(replace(second, name=first.name.upper())) == [f"its name is that of {first.id}"]
    assert shelf.about(replace(first, id="other", name="Else")) == [
        f"it is much like {first.id}",
        f"it shares 12 words in a row with {first.id}",
    ]
    shelf.put(second)
    assert shelf.about(second)[0] == f"{second.id!r} is the id of another one"


def test_a_shelf_compares_texts_across_kinds_and_likeness_within_one() -> None:
    there = card(character("a"))
    told = Situation("told", f"You {there.persona}", 4)
    assert Shelf([there]).about(told) == [f"it shares 12 words in a row with {there.id}"]
    one, other = (Situation(f"umbrella-{number}", text, 4) for number, text in enumerate(REWORDED))
    assert Shelf([one]).about(other) == ["it is much like umbrella-0"]


@pytest.mark.parametrize("id", ["", "Two-Words", "two words", "-two", "два-слова", "two--words"])
def test_an_id_is_small_letters_and_digits_with_hyphens(id: str) -> None:
    assert Shelf().about(Situation(id, "x", 4)) == ["the id is not small letters and digits with hyphens"]
