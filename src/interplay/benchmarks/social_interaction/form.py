"""One form for all play: neutral names, shuffled in every window, and no word that is a skill's own."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random

from interplay.benchmarks.social_interaction.windows import Intention, Turn, Window

MASTER = "Game master"
MASK = "___"
NAMES = (
    "Ash", "Brook", "Clay", "Drew", "Ellis", "Flynn", "Gale", "Harley", "Indigo", "Jules", "Kit", "Lane",
    "Marlow", "Nico", "Oakley", "Perry", "Quill", "Reese", "Sage", "Tatum", "Umber", "Vesper", "Wren", "Yael",
)  # fmt: skip
# A skill's own word and what is made of it; as a plain word it may mean something else, and is masked all the same.
OWN_WORDS = {
    "acrobatics": r"acrobat(?:s|ics?|ically)?",
    "animal handling": r"animal[ -]handl(?:ing|ers?)",
    "arcana": r"arcan(?:a|e|um|ist)",
    "athletics": r"athlet(?:es?|ics?|ically|icism)",
    "deception": r"dece(?:ptions?|ptive(?:ly)?|ive[sdr]?|iving)|deceit(?:ful(?:ly)?)?",
    "history": r"histor(?:y|ies|ic|ical|ically|ians?)",
    "insight": r"insight(?:s|ful|fully)?",
    "intimidation": r"intimidat(?:e[sd]?|ing|ingly|ions?)",
    "investigation": r"investigat(?:e[sd]?|ing|ions?|ive|ors?)",
    "medicine": r"medic(?:s|ines?|inal|inally|al|ally)?",
    "nature": r"natur(?:e|es|al|ally|alists?)",
    "perception": r"perce(?:ptions?|ptive(?:ly)?|ive[sd]?|iving)",
    "performance": r"perform(?:s|ed|ing|ances?|ers?)?",
    "persuasion": r"persua(?:de[sd]?|ding|sions?|sive(?:ly)?)",
    "religion": r"religio(?:ns?|us|usly)",
    "sleight of hand": r"sleights?(?:[ -]of[ -]hands?)?",
    "stealth": r"stealth(?:y|ily|ed|ing)?",
    "survival": r"surviv(?:al|alists?|e[sd]?|ing|ors?)",
}
_OWN_WORDS = re.compile(rf"\b(?:{'|'.join(OWN_WORDS.values())})\b", re.IGNORECASE)


def masked(text: str) -> str:
    """The text with every skill's own word taken out."""
    return _OWN_WORDS.sub(MASK, text)


def brought_to_form(window: Window, also: Mapping[str, Sequence[str]] | None = None) -> Window:
    """The window with names that say nothing, drawn by its id, and no skill's own word.

    Others' ways to be named, such as a first name, are given for each name that a speaker has.
    """
    renamed = _renamed(window)
    spellings: dict[str, str] = {}
    for name, new in renamed.items():
        for spelling in (name, *(also or {}).get(name, ())):
            spellings.setdefault(spelling, new)
            spellings.setdefault(spelling.title(), new)  # WILL is Will when he is spoken to, and never a will
    pattern = _any_of(tuple(sorted(spellings, key=lambda one: (-len(one), one))))

    def plain(text: str) -> str:
        if pattern is not None:
            text = pattern.sub(lambda found: spellings[found.group(0)], text)
        return masked(text)

    return replace(
        window,
        turns=tuple(
            Turn(tuple(dict.fromkeys(renamed[name] for name in turn.speakers)), plain(turn.text))
            for turn in window.turns
        ),
        intentions=tuple(
            Intention(renamed.get(one.character, one.character), one.skill) for one in window.intentions
        ),
        masters=(MASTER,) if window.masters else (),
    )


def _renamed(window: Window) -> dict[str, str]:
    """A neutral name for everybody who speaks or is asked; all who lead the game are one."""
    asked = [one.character for one in window.intentions if one.character not in window.masters]
    people = sorted({*window.players, *asked})
    # More than there are names for are numbered: a window of a crowd.
    pool = [*NAMES, *(f"Player {number}" for number in range(len(NAMES) + 1, len(people) + 1))]
    drawn = Random(f"names/{window.id}").sample(pool[: max(len(NAMES), len(people))], len(people))  # noqa: S311
    return {**dict.fromkeys(window.masters, MASTER), **dict(zip(people, drawn, strict=True))}


@cache
def _any_of(names: tuple[str, ...]) -> re.Pattern[str] | None:
    if not names:
        return None
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
