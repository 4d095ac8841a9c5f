"""Skills' own words are masked in all forms, and ordinary words are not."""

import re

import pytest

from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.benchmarks.social_interaction.form import (
    MASK,
    NAMES,
    OWN_WORDS,
    brought_to_form,
    masked,
)
from interplay.benchmarks.social_interaction.windows import Intention, Turn, Window

OWN = re.findall(
    r"\w+",
    """
    acrobatics acrobatic acrobat acrobats acrobatically arcana arcane arcanum arcanist arcanists
    athletics athlete athletes athletic athletically athleticism unathletic deception deceptions
    deceptive deceptively deceive deceived deceives deceiver deceivers deceiving deceit deceits
    deceitful history histories historic historical historically historian historians prehistoric
    insight insights insightful insightfully intimidation intimidate intimidated intimidates
    intimidating intimidatingly intimidator unintimidated investigation investigations investigate
    investigated investigating investigative investigator investigatory medicine medicines medic
    medics medical medically medicinal medication medicated paramedic nature natures natural
    naturally naturalist unnatural supernatural naturalness perception perceptions perceptive
    perceptively perceive perceived perceives perceiving perceptible imperceptible imperceptibly
    performance performances perform performs performed performing performer performers performative
    persuasion persuade persuaded persuades persuading persuasive persuasively persuader
    persuasiveness religion religions religious religiously irreligious sleight sleights stealth
    stealthy stealthily stealthier stealthed survival survive survived survives surviving survivor
    survivors survivalist
    """,
)
ORDINARY = re.findall(
    r"\w+",
    """
    surgeon natal signature native nurture prenatal sacrilege relic immediate median mediocre
    dedicate decent decency perch perfume perspire person pursue story storied sight insist inside
    intimate timid invest vest steal stealing wealth slight sly animal hand animals handle revive
    vivid arc arcade archive atlas acre crowd preform platform informer
    """,
)


@pytest.mark.parametrize("word", OWN)
def test_a_skills_own_word_is_masked_in_all_forms(word: str) -> None:
    for spelled in (word, word.upper(), word.title(), f"_{word}_", f"({word})", f"{word}'s", f"self-{word}"):
        assert word not in masked(f"A {spelled} it is").lower()
        assert masked(f"A {spelled}, it is").startswith(("A ___", "A (___", "A self-___"))


@pytest.mark.parametrize("skill", SKILLS)
def test_every_skill_is_masked_by_its_name(skill: str) -> None:
    assert skill in OWN_WORDS
    assert masked(f"Roll {skill}, now") == masked(f"Roll {skill.title()}, now") == f"Roll {MASK}, now"
    joined = masked(f"Roll {skill.replace(' ', '_')}, now")
    assert re.fullmatch(r"Roll ___+, now", joined)


@pytest.mark.parametrize(
    "words", ["animal handling", "Animal-handler", "animal handlers", "handling animals", "handle animals"]
)
def test_animal_handling_is_masked_in_both_orders(words: str) -> None:
    assert masked(f"by {words} alone") == "by ___ alone"


def test_ordinary_words_are_kept() -> None:
    assert masked(" ".join(ORDINARY)) == " ".join(ORDINARY)


def test_masks_are_put_into_every_text_and_not_into_names() -> None:
    turns = (Turn(("Nature",), "Hm."), Turn(("BEN",), "Will you persuade HISTORY?"))
    one = Window("w-1", "w", turns, (Intention("Nature", "stealth"),))
    formed = brought_to_form(one)
    assert formed.turns[-1].text == "Will you ___ ___?"
    assert formed.intentions[0].character == formed.turns[0].speakers[0] in NAMES
