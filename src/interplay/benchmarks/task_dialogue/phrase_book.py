"""The wordings that were written by hand, and the little grammar that puts values into them."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

DATA = Path(str(files(__package__) / "data"))
_PLACE = re.compile(r"\{(\w+)\}")
_ARTICLE = re.compile(r"\{a\} (\W*)(\w+)")
_BARE = (
    "**",
    "in the",
    "at the",
    "right in",
    "on the",
    "somewhere in",
)  # what may follow one is for two wishes


@cache
def phrases() -> Mapping[str, Any]:
    """The wordings, by kind."""
    return tomllib.loads((DATA / "phrases.toml").read_text(encoding="utf-8"))


def counted(number: str, one: str, several: str) -> str:
    return f"{number} {one if number == '1' else several}"


def joined(parts: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def fill(wording: str, **values: str) -> str:
    """A wording with its values in place, and the right article before them."""
    text = _PLACE.sub(
        lambda found: values.get(found[1], found[0]) if found[1] == "a" else values[found[1]], wording
    )
    return _ARTICLE.sub(lambda found: f"{article(found[2])} {found[1]}{found[2]}", text)


def article(word: str) -> str:
    """The one that goes before a word, by how it sounds."""
    if re.match(r"(?:uni|use|eu|one\b|1\b|[2-79])", word):
        return "a"
    return "an" if re.match(r"[aeiou8]|hour|honest|11\b|18\b", word) else "a"


def both(wordings: Sequence[str], form: int) -> str:
    """What one or two wordings say a place does, in one of the verb's two forms; a verb is not said twice."""
    said: list[str] = []
    for wording in wordings:
        verbs, _, rest = wording.partition(" ")
        verb = verbs.split("|")[form]
        again = bool(said) and said[-1].split()[0] == verb
        if again and (
            verb not in ("is", "be")
            or (rest.startswith(_BARE) and said[-1].split(" ", 1)[1].startswith(_BARE))
        ):
            said.append(rest)
        else:
            said.append(f"{verb} {rest}")
    return " and ".join(said)
