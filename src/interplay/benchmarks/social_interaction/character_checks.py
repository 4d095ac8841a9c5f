"""What every character must be like, shipped or newly written; each complaint is one clause."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from interplay.benchmarks.social_interaction.characters import ABILITIES, SKILLS, Character, tables
from interplay.benchmarks.unwelcome import is_unwelcome_word

NAME_WORDS = (2, 5)
LONGEST_NAME = 40  # letters and other marks
DESCRIPTION = (60, 90)  # words
OPENING = 5  # words with which no two descriptions may both begin
LONGEST_RUN = 5  # words that a description may have in a row from another one, or from its own attributes

TITLES = frozenset(("brother", "captain", "dame", "father", "lady", "lord", "mother", "old", "sir", "sister"))
_PARTICLES = frozenset(("and", "at", "de", "del", "der", "du", "la", "le", "of", "the", "to", "van", "von"))
_NAME = re.compile(r"[^\W\d_]+(?:[-'’ ][^\W\d_]+)*")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|(?<!\w)[‘'](?:[^’'\n]|(?<=\w)[’'](?=\w))*[’']")
_ADDRESS = re.compile(r"\b(?:you(?:r|rs|rself|rselves)?|i|me|my|myself|we|us|our|ours)\b", re.IGNORECASE)
_MARKUP = re.compile(r"[{}\[\]<>*_#|`~\\]")
_ABILITY = "|".join(ABILITIES)
_RULES = re.compile(
    r"\bproficien\w*"
    r"|\b(?:skill|ability) (?:check|score|modifier)s?\b"
    r"|\b(?:check|score|modifier)s? (?:of|in) (?:\w+ )?(?:" + _ABILITY + r")\b"
    r"|\b(?:" + _ABILITY + r")(?: (?:score|check|modifier|save)s?\b| (?:of |is )?\d+)"
    r"|\b(?:hit (?:points?|dice)|saving throws?|armou?r class|character sheets?|spell slots?|cantrips?)\b"
    r"|\b(?:game|dungeon) masters?\b|\b(?:non-)?player characters?\b|\bNPCs?\b|\b\d*d(?:4|6|8|10|12|20|100)\b"
    r"|\blevel \d+|\b(?:first|second|third|\d+(?:st|nd|rd|th))-level\b|\balignment\b"
    r"|\b(?:(?:lawful|chaotic|neutral)[ -](?:good|neutral|evil)|true neutral)\b",
    re.IGNORECASE,
)
_SKILL = re.compile(
    r"\b(?:" + "|".join(skill.replace(" ", r"[\s-]+") for skill in SKILLS) + r")\b", re.IGNORECASE
)


def complaints(character: Character) -> list[str]:
    """What is wrong with a character's name and description."""
    return _about_name(character.name) + _about_description(character)


def _about_name(name: str) -> list[str]:
    found = _about_length("name", len(name.split()), NAME_WORDS, "words")
    if len(name) > LONGEST_NAME:
        found.append(f"the name has {len(name)} characters, not at most {LONGEST_NAME}")
    if not _NAME.fullmatch(name):
        found.append("the name is not made of letters, with hyphens and apostrophes between them alone")
    if name[:1].islower() or any(word[0].islower() and word not in _PARTICLES for word in name.split()):
        found.append("a word of the name has no capital")
    if not first_name(name):
        found.append("the name is a title alone")
    return found + _about_words("name", name)


def _about_description(character: Character) -> list[str]:
    text = character.description
    found = _about_length("description", len(text.split()), DESCRIPTION, "words")
    if len(text.splitlines()) > 1:
        found.append("the description has several lines")
    if first_name(character.name) not in words_of(text):
        found.append("the name does not appear in the description")
    spoken_to = _ADDRESS.search(_QUOTED.sub(" ", text))
    if spoken_to:
        found.append(f"the description says {spoken_to.group()!r}, and is to be in the third person")
    for pattern, what in (
        (_SKILL, "names the skill"),
        (_RULES, "speaks of rules:"),
        (_MARKUP, "has a mark of markup or of a template:"),
    ):
        found += [f"the description {what} {word!r}" for word in _all_of(pattern, text)]
    return found + _about_copies(character) + _about_words("description", text)


def _all_of(pattern: re.Pattern[str], text: str) -> list[str]:
    return list(dict.fromkeys(match.group().lower() for match in pattern.finditer(text)))


def _about_length(name: str, size: int, bounds: tuple[int, int], unit: str) -> list[str]:
    least, most = bounds
    return [] if least <= size <= most else [f"the {name} has {size:,} {unit}, not {least} to {most}"]


def _about_copies(character: Character) -> list[str]:
    told = runs_of(character.description)
    parts = ("trait", "ideal", "bond", "flaw")
    return [
        f"the description repeats the {part} word for word"
        for part in parts
        if told & runs_of(getattr(character, part))
    ]


def _about_words(name: str, text: str) -> list[str]:
    found = [] if text.isprintable() else [f"the {name} holds characters that cannot be seen"]
    unwelcome = dict.fromkeys(word for word in words_of(text) if any(map(is_unwelcome_word, _forms_of(word))))
    return found + [f"{word!r} may offend" for word in unwelcome]


class Shelf:
    """Characters that are there already: a new one must differ from each of them."""

    def __init__(self, characters: Iterable[Character] = ()):
        self._names: set[str] = set()
        self._first: dict[str, str] = {}  # whose it is, as in the next two
        self._openings: dict[tuple[str, ...], str] = {}
        self._runs: dict[tuple[str, ...], str] = {}
        for character in characters:
            self.put(character)

    def put(self, character: Character) -> None:
        self._names.add(_folded(character.name))
        self._first.setdefault(first_name(character.name), character.name)
        self._openings.setdefault(_opening(character), character.name)
        for run in runs_of(character.description):
            self._runs.setdefault(run, character.name)

    def about(self, character: Character) -> list[str]:
        """How a character is too much like one that is there."""
        found = []
        if _folded(character.name) in self._names:
            found.append(f"the name {character.name} is taken")
        elif other := self._first.get(first_name(character.name)):
            found.append(f"the first name is that of {other}")
        if other := self._openings.get(_opening(character)):
            found.append(f"the description begins as that of {other} does")
        sharing = {self._runs[run] for run in runs_of(character.description) if run in self._runs}
        return found + [
            f"the description has {LONGEST_RUN + 1} words in a row from {one}" for one in sorted(sharing)
        ]


def complaints_of_set(characters: Iterable[Character], *, every_kind: bool = True) -> list[str]:
    """How the characters are too much like each other, and which race and which class nobody has, if all must occur."""
    shelf, found, seen = Shelf(), [], []
    for character in characters:
        found += [f"{character.name}: {complaint}" for complaint in shelf.about(character)]
        shelf.put(character)
        seen.append(character)
    if every_kind:
        for table, what, there in (
            ("races", "race", {one.race for one in seen}),
            ("classes", "class", {one.calling for one in seen}),
        ):
            found += [f"nobody has the {what} {kind}" for kind in tables()[table] if kind not in there]
    return found


def first_name(name: str) -> str:
    """The word by which somebody is called, folded, which is not a title; nothing where there is none."""
    own = (word for word in map(_folded, name.split()) if word not in TITLES and word not in _PARTICLES)
    return next(own, "")


def words_of(text: str) -> list[str]:
    """The words of a text without capitals, accents and possessive endings; a hyphen joins two into one."""
    parted = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    seen = "".join(one for one in parted if not unicodedata.combining(one))
    return [word.removesuffix("'s") for word in re.findall(r"[^\W_]+(?:[-'][^\W_]+)*", seen)]


def runs_of(text: str) -> set[tuple[str, ...]]:
    """Every run of words that is too long to be there twice by chance."""
    words = words_of(text)
    length = LONGEST_RUN + 1
    return {tuple(words[place : place + length]) for place in range(len(words) - length + 1)}


def _opening(character: Character) -> tuple[str, ...]:
    return tuple(words_of(character.description)[:OPENING])


def _folded(name: str) -> str:
    return " ".join(words_of(name))


@lru_cache(maxsize=100_000)
def _forms_of(word: str) -> frozenset[str]:
    """The word and its parts between hyphens, and what each may be a form of."""
    import lemminflect  # here, because it takes a while and only checks of texts need it

    parts = {word, *re.split(r"[-']", word)}
    return frozenset(
        form
        for part in parts
        if part
        for form in (part, *(base for found in lemminflect.getAllLemmas(part).values() for base in found))
    )
