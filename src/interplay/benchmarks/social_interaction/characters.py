"""Who plays: characters, the tables that their attributes are drawn from, and the files that they are kept in."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from interplay.core.failures import Mistake, nearest, why
from interplay.core.files import text_of
from interplay.core.wire import clean

FOLDER = Path(str(files(__package__)))
ABILITIES = ("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma")
SKILLS = (
    "acrobatics",
    "animal handling",
    "arcana",
    "athletics",
    "deception",
    "history",
    "insight",
    "intimidation",
    "investigation",
    "medicine",
    "nature",
    "perception",
    "performance",
    "persuasion",
    "religion",
    "sleight of hand",
    "stealth",
    "survival",
)
LARGEST_FILE = 10_000_000
MOST_CHARACTERS = 2_000  # in a file
LONGEST_NAME, LONGEST_ATTRIBUTE, LONGEST_DESCRIPTION = 60, 400, 4_000  # letters and other marks
SCORES = (1, 30)  # of an ability
DICE, SIDES = 4, 6  # the lowest die of an ability is dropped
_LINES = {
    "race": "Race",
    "calling": "Class",
    "background": "Background",
    "alignment": "Alignment",
    "trait": "Personality trait",
    "ideal": "Ideal",
    "bond": "Bond",
    "flaw": "Flaw",
}
_DRAWN = {  # the table of each; the frozen characters were drawn in this order
    "background": "backgrounds",
    "race": "races",
    "flaw": "flaws",
    "bond": "bonds",
    "calling": "classes",
    "ideal": "ideals",
    "alignment": "alignments",
    "trait": "traits",
}
_LONGEST = {
    "name": LONGEST_NAME,
    **dict.fromkeys(_LINES, LONGEST_ATTRIBUTE),
    "description": LONGEST_DESCRIPTION,
}
_KEYS = (*_LONGEST, "abilities", "skills")
_MEANT = {"class": "calling", "role": "calling", "scores": "abilities", "proficiencies": "skills"}
_TOLD = ("canary", "written_by", "run", "started", "seed", "reviewed")  # by a file that a model wrote
_TOP_KEYS = ("characters", *_TOLD, "pieces", "kind")  # a file may have pieces of knowledge too


@dataclass(frozen=True)
class Attributes:
    """What of a character is drawn; the calling is the character's class."""

    race: str
    calling: str
    background: str
    alignment: str
    trait: str
    ideal: str
    bond: str
    flaw: str
    abilities: Mapping[str, int] = field(hash=False)
    skills: tuple[str, ...]

    def called(self, name: str, description: str) -> "Character":
        """The character who has these attributes."""
        own = {key: value for key, value in vars(self).items() if key not in ("name", "description")}
        return Character(**own, name=name, description=description)


@dataclass(frozen=True)
class Character(Attributes):
    """Somebody to play: attributes, and the name and description that were written for them."""

    name: str
    description: str


@cache
def tables() -> Mapping[str, Any]:
    """The tables that attributes are drawn from."""
    return tomllib.loads((FOLDER / "data" / "tables.toml").read_text(encoding="utf-8"))


def drawn(draw: str) -> Attributes:
    """All attributes by lot; the same draw gives the same ones."""
    lots, known = Random(draw), tables()  # noqa: S311 - makes up people, guards nothing
    texts = {key: lots.choice(list(known[table])) for key, table in _DRAWN.items()}
    calling, background = known["classes"][texts["calling"]], known["backgrounds"][texts["background"]]
    return Attributes(
        **texts,
        abilities=_abilities(lots, calling["abilities"]),
        skills=_skills(lots, calling, background["skills"]),
    )


def _abilities(lots: Random, important: Sequence[str]) -> dict[str, int]:
    """Six scores by dice: the two highest go to what matters to the class, the others as they fell."""
    rolls = [sorted(lots.randint(1, SIDES) for _ in range(DICE)) for _ in ABILITIES]
    scores = [sum(roll[1:]) for roll in rolls]
    found = {}
    for ability in important:
        found[ability] = max(scores)
        scores.remove(max(scores))
    found |= zip((ability for ability in ABILITIES if ability not in important), scores, strict=True)
    return {ability: found[ability] for ability in ABILITIES}


def _skills(lots: Random, calling: Mapping[str, Any], of_background: Sequence[str]) -> tuple[str, ...]:
    """The background's skills and some of the class's others, in the order of the alphabet."""
    others = [skill for skill in calling["skills"] if skill not in of_background]
    return tuple(sorted((*of_background, *lots.sample(others, calling["choose"]))))


def laid_out(character: Character) -> str:
    """The character's sheet as a prompt shows it."""
    lines = [f"Name: {character.name}"]
    lines += [f"{title}: {getattr(character, key)}" for key, title in _LINES.items()]
    scores = ", ".join(f"{ability} {score}" for ability, score in character.abilities.items())
    lines += [f"Abilities: {scores}", f"Skills: {', '.join(character.skills)}"]
    return "\n".join([*lines, f"Description: {character.description}"])


def entry_of(character: Character) -> dict[str, Any]:
    """As a file and a scenario have it: plain JSON, which read back is the same character."""
    found = asdict(character) | {
        "abilities": dict(character.abilities),
        "skills": list(character.skills),
    }
    return {key: found[key] for key in _KEYS}


@cache
def shipped() -> tuple[Character, ...]:
    """Our frozen characters; the attributes of number n are drawn("frozen/n"), counted from 1."""
    return read_characters(FOLDER / "data" / "characters.toml")


def read_characters(path: Path) -> tuple[Character, ...]:
    """The characters of a TOML file such as ours, checked."""
    try:
        found = tomllib.loads(text_of(path, LARGEST_FILE))
    except (ValueError, RecursionError) as error:
        raise Mistake(f"{path} is no TOML: {why(error)}") from error
    _refuse_strangers(found, _TOP_KEYS, str(path))
    entries = found.get("characters")
    if not isinstance(entries, list) or not entries:
        raise Mistake(f"{path} has no characters; write each under its own [[characters]]")
    if len(entries) > MOST_CHARACTERS:
        raise Mistake(f"{path} has {len(entries):,} characters; a file may have {MOST_CHARACTERS:,}")
    characters = tuple(
        _character(entry, f"{path}, character {place}") for place, entry in enumerate(entries, 1)
    )
    taken: dict[str, int] = {}
    for place, character in enumerate(characters, 1):
        first = taken.setdefault(character.name.casefold(), place)
        if first != place:
            raise Mistake(
                f"{path}: characters {first} and {place} are both called {character.name!r}; "
                "give each a name of its own"
            )
    return characters


def _character(entry: Any, where: str) -> Character:
    if not isinstance(entry, Mapping):
        raise Mistake(f"{where} must be a table of its own, written under [[characters]]")
    _refuse_strangers(entry, _KEYS, where)
    texts = {key: _text(entry.get(key), longest, f"{where}: {key}") for key, longest in _LONGEST.items()}
    if ":" in texts["name"]:
        raise Mistake(f"{where}: the name {texts['name']!r} must not hold a colon")
    return Character(
        **texts,
        abilities=_read_abilities(entry.get("abilities"), where),
        skills=_read_skills(entry.get("skills"), where),
    )


def _refuse_strangers(found: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in found:
        if key not in known:
            meant = _MEANT.get(key)
            hint = f"did you mean {meant!r}?" if meant in known else nearest(key[:LONGEST_NAME], known)
            raise Mistake(f"{where} has {_shown(key)}; {hint}")


def _text(found: Any, longest: int, where: str) -> str:
    """A text in one line, as a prompt will show it."""
    if found is None:
        raise Mistake(f"{where} is missing")
    if not isinstance(found, str):
        raise Mistake(f"{where} must be a text in quotes")
    text = " ".join(clean(found).split())
    if not any(character.isalnum() for character in text):
        raise Mistake(f"{where} is missing: there is no letter in it")
    if len(text) > longest:
        raise Mistake(f"{where} has {len(text):,} characters; it may have {longest:,}")
    if not text.isprintable():
        unseen = next(character for character in text if not character.isprintable())
        raise Mistake(f"{where} holds the unprintable character U+{ord(unseen):04X}; take it out")
    return text


def _read_abilities(found: Any, where: str) -> dict[str, int]:
    if not isinstance(found, Mapping):
        raise Mistake(f"{where}: abilities is a table such as {{ {ABILITIES[0]} = 12, ... }} of all six")
    _refuse_strangers(found, ABILITIES, f"{where}: abilities")
    low, high = SCORES
    for ability in ABILITIES:
        score = found.get(ability)
        if type(score) is not int or not low <= score <= high:
            raise Mistake(f"{where}: {ability} must be a whole number from {low} to {high}")
    return {ability: found[ability] for ability in ABILITIES}


def _read_skills(found: Any, where: str) -> tuple[str, ...]:
    if not isinstance(found, list) or not found or not all(isinstance(skill, str) for skill in found):
        raise Mistake(f'{where}: skills is a list of one or more names, such as ["{SKILLS[0]}"]')
    skills = [" ".join(skill.lower().replace("_", " ").split()) for skill in found]
    for written, skill in zip(found, skills, strict=True):
        if skill not in SKILLS:
            raise Mistake(f"{where} has the skill {_shown(written)}; {nearest(skill[:LONGEST_NAME], SKILLS)}")
        if skills.count(skill) > 1:
            raise Mistake(f"{where} has the skill {skill!r} twice")
    return tuple(sorted(skills))


def _shown(text: str) -> str:
    return repr(text if len(text) <= LONGEST_NAME else text[:LONGEST_NAME] + "...")
