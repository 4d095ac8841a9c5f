"""Worked examples of user's words and the state they lead to, and those of them that a turn is most like.

Retrieval is TF-IDF with cosine similarity over words and the character 3- to 5-grams inside them, among the examples
of the turn's domain. There are about ten per domain, so that an index or an embedding model would gain nothing and cost
a download; pieces of words find the likeness that whole words miss in what is misspelt (resturant) or inflected
(leaving); and the same words always give the same examples, as a record that is replayed needs. What the system had
just said counts for half, apart from the rest: "friday" after "for which day?" is like "sunday" after that question.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from math import log, sqrt
from typing import Any

from interplay.core.wire import digest_of

MOST_EXAMPLES = 3
GRAMS = (3, 4, 5)
WEIGHT_OF_BEFORE = 0.5
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Example:
    """What a user said, what the system had said before, and the state of the domain that follows."""

    domain: str
    said: str
    action: str
    slots: Mapping[str, str]
    before: str = ""


@dataclass(frozen=True)
class Examples:
    """A set of examples that can be searched."""

    all: tuple[Example, ...]

    @cached_property
    def digest(self) -> str:
        return digest_of(
            [[one.domain, one.said, one.action, dict(one.slots), one.before] for one in self.all]
        )

    def like(self, domain: str, said: str, before: str = "", most: int = MOST_EXAMPLES) -> list[Example]:
        """The examples of a domain that are most like a turn, the likest first; of equals, the first in the file."""
        examples, vectors, rarity = self._index(domain)
        turn = _vector(_features(said, before), rarity)
        likeness = [
            sum(weight * vector.get(name, 0.0) for name, weight in turn.items()) for vector in vectors
        ]
        order = sorted(range(len(examples)), key=lambda number: (-round(likeness[number], 9), number))
        return [examples[number] for number in order[:most]]

    def _index(self, domain: str) -> tuple[list[Example], list[dict[str, float]], dict[str, float]]:
        if domain not in self._indexes:
            examples = [one for one in self.all if one.domain == domain]
            counts = [_features(one.said, one.before) for one in examples]
            held = Counter(name for features in counts for name in features)
            rarity = {name: log((1 + len(examples)) / (1 + times)) + 1 for name, times in held.items()}
            self._indexes[domain] = (examples, [_vector(one, rarity) for one in counts], rarity)
        return self._indexes[domain]

    @cached_property
    def _indexes(self) -> dict[str, tuple[list[Example], list[dict[str, float]], dict[str, float]]]:
        return {}


def _features(said: str, before: str) -> dict[str, float]:
    """How often each word, and each piece of one, is said by the user and before the user."""
    found: dict[str, float] = {}
    for text, side, weight in ((said, "", 1.0), (before, "before ", WEIGHT_OF_BEFORE)):
        for piece in _pieces(text):
            found[side + piece] = found.get(side + piece, 0.0) + weight
    return found


def _pieces(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.casefold()):
        yield word
        whole = f"<{word}>"
        for size in GRAMS:
            yield from (whole[at : at + size] for at in range(len(whole) - size + 1))


def _vector(features: Mapping[str, float], rarity: Mapping[str, float]) -> dict[str, float]:
    """Features weighted by how rare they are, of length 1; what no example holds says nothing."""
    weights = {
        name: (1 + log(1 + times)) * rarity[name] for name, times in features.items() if name in rarity
    }
    length = sqrt(sum(weight * weight for weight in weights.values()))
    return {name: weight / length for name, weight in weights.items()} if length else {}


@cache
def own_examples() -> Examples:
    """The examples that ship."""
    text = (files(__package__) / "data" / "examples.toml").read_text(encoding="utf-8")
    return Examples(tuple(_examples(tomllib.loads(text))))


def _examples(content: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[Example]:
    for domain, entries in content.items():
        for entry in entries:
            yield Example(domain, entry["said"], entry["action"], entry["slots"], entry.get("before", ""))
