"""One form for all play: neutral names, shuffled in every window, and no word that is a skill's own."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random

from interplay.benchmarks.social_interaction.windows import Intention, Turn, Window

MASTER = "Game master"
MASK = "___"
_WORDS = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile("['’]")
NAMES = (
    "Ash", "Brook", "Clay", "Drew", "Ellis", "Flynn", "Gale", "Harley", "Indigo", "Jules", "Kit", "Lane",
    "Marlow", "Nico", "Oakley", "Perry", "Quill", "Reese", "Sage", "Tatum", "Umber", "Vesper", "Wren", "Yael",
)  # fmt: skip
# A skill's own word and all that is made of it; as a plain word it may mean something else, and is masked all the same.
OWN_WORDS = {
    "acrobatics": r"acrobat\w*",
    "animal handling": r"animal[ _-]handl\w*|handl(?:e[sd]?|ing|ers?)(?: of)? animals?",
    "arcana": r"arcan\w*",
    "athletics": r"athlet\w*",
    "deception": r"dece(?:i[tv]|pt)\w*",
    "history": r"histor\w*",
    "insight": r"insight\w*",
    "intimidation": r"intimidat\w*",
    "investigation": r"investigat\w*",
    "medicine": r"medic\w*",
    "nature": r"natur\w*",
    "perception": r"perce(?:iv|pt)\w*",
    "performance": r"perform\w*",
    "persuasion": r"persua\w*",
    "religion": r"religi\w*",
    "sleight of hand": r"sleights?(?:[ _-]of[ _-]hands?)?",
    "stealth": r"stealth\w*",
    "survival": r"surviv\w*",
}
_BEFORE = (
    r"(?:un|in|im|ir|non|pre|super|preter|mis|re|over|out|under|para|bio)?"  # as in unnatural, imperceptible
)
# An underscore, which may set a word off, is no part of it.
_BEGINS, _ENDS = r"(?<![^\W_])", r"(?![^\W_])"
_OWN_WORDS = re.compile(rf"{_BEGINS}{_BEFORE}(?:{'|'.join(OWN_WORDS.values())}){_ENDS}", re.IGNORECASE)


def masked(text: str) -> str:
    """The text with every skill's own word taken out."""
    return _OWN_WORDS.sub(MASK, text)


def brought_to_form(window: Window, also: Mapping[str, Sequence[str]] | None = None) -> Window:
    """The window with names that say nothing, drawn by its id, and no skill's own word.

    Of people who may be spoken of in other ways, such as by the first name, these are given by name; they are renamed
    even where they do not speak. Nothing of the turns depends on who is asked.
    """
    renamed = _renamed(window, also or {})
    in_part = {
        spelling: new
        for name, new in reversed(renamed.items())  # what two people could be called, the first of them is
        for spelling in (also or {}).get(name, ())
    }
    plain = _Plain(in_part | renamed)
    return replace(
        window,
        turns=tuple(
            Turn(tuple(dict.fromkeys(renamed[name] for name in turn.speakers)), plain(turn.text))
            for turn in window.turns
        ),
        intentions=tuple(Intention(_asked(one.character, renamed), one.skill) for one in window.intentions),
        masters=(MASTER,) if window.masters else (),
    )


def _renamed(window: Window, also: Iterable[str]) -> dict[str, str]:
    """A neutral name for everybody who is known, none of which is spoken in the window; all who lead are one."""
    people = sorted({*window.players, *also}.difference(window.masters))
    said = {word for turn in window.turns for word in _WORDS.findall(turn.text)}
    free = [name for name in NAMES if name not in said]
    # More than there are names for are numbered: a window of a crowd.
    pool = free + [f"Player {number}" for number in range(len(free) + 1, len(people) + 1)]
    drawn = Random(f"names/{window.id}").sample(pool, len(people))  # noqa: S311  # draws names, guards nothing
    return {**dict.fromkeys(window.masters, MASTER), **dict(zip(people, drawn, strict=True))}


def _asked(character: str, renamed: Mapping[str, str]) -> str:
    """Who is asked and does not speak keeps the name that the turns may say, unless somebody is called that now."""
    if character in renamed:
        return renamed[character]
    taken = character.casefold() in {name.casefold() for name in renamed.values()}
    return f"{character}, who is silent" if taken else character


class _Plain:
    """Takes people's names, in any case but that of a plain word, and skills' own words out of texts."""

    def __init__(self, spellings: Mapping[str, str]):
        self._spellings = sorted(spellings.items(), key=lambda one: (-len(one[0]), one))
        self._pattern = _any_of(tuple(spelling for spelling, _ in self._spellings))

    def __call__(self, text: str) -> str:
        return masked(self._pattern.sub(self._new, text) if self._pattern else text)

    def _new(self, found: re.Match[str]) -> str:
        spelling, new = self._spellings[(found.lastindex or 0) - 1]
        # WILL is Will when he is spoken to, and never a will.
        return found[0] if found[0].islower() and not spelling.islower() else new


@lru_cache(maxsize=256)  # one party speaks in many windows
def _any_of(names: tuple[str, ...]) -> re.Pattern[str] | None:
    """Finds each of the names, in a group of its own."""
    if not names:
        return None
    spelled = [_APOSTROPHE.sub("['’]", re.escape(name)) for name in names]
    either = "|".join(f"({one})" for one in spelled)
    return re.compile(f"{_BEGINS}(?:{either}){_ENDS}", re.IGNORECASE)
