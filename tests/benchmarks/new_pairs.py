"""A scripted writer of word pairs: pairs that pass every check, and candidates that fail one."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from interplay.benchmarks.word_guessing.writing import writing
from interplay.models.loopback import Asked

Entry = dict[str, Any]
TOPIC = "old houses"
_PAIRS = (
    ("kimono", "poncho"),
    ("thimble", "bottle cap"),
    ("chandelier", "lampshade"),
    ("beret", "turban"),
    ("anvil", "chopping block"),
    ("harpoon", "boomerang"),
    ("moat", "hedge"),
    ("locket", "cufflink"),
    ("mosaic", "stained glass"),
    ("dandelion", "thistle"),
    ("quiver", "scabbard"),
    ("parchment", "papyrus"),
)


def entry(a: str, b: str, a_also: Sequence[str] = (), b_also: Sequence[str] = ()) -> Entry:
    """A pair as a writer answers."""
    return {"a": a, "b": b, "a_also": list(a_also), "b_also": list(b_also)}


def good(number: int) -> Entry:
    """A pair that passes every check; another number, other words."""
    return entry(*_PAIRS[number - 1])


# What is wrong with a candidate, and a part of the complaint that must follow.
BAD: dict[str, tuple[Entry, str]] = {
    "a shipped word": (entry("umbrella", "parasol"), "'umbrella' is in the lists already"),
    "a shipped alias": (entry("brolly", "parasol"), "'brolly' is in the lists already: 'brolly' of umbrella"),
    "a shipped word as an alias": (entry("canopy", "parasol", b_also=["umbrella"]), "'umbrella' is in the lists"),
    "another form of a shipped word": (entry("umbrellas", "parasol"), "'umbrellas' is in the lists already"),
    "alike as strings": (entry("marten", "martin"), "are alike as strings (Jaro 0.8"),
    "one word twice": (entry("cobweb", "cobwebs"), "'cobweb' and 'cobwebs' are the same word"),
    "the other word as an alias": (entry("hinge", "cobweb", ["cobweb"]), "'cobweb' and 'cobweb' are the same"),
    "a shared word": (entry("glass bead", "glass eye"), "both words have glass"),
    "an insult": (entry("idiot", "cobweb"), "'idiot' may offend"),
    "an insult as an alias": (entry("hinge", "cobweb", ["idiot"]), "'idiot' may offend"),
    "a capital": (entry("Lisbon", "cobweb"), "'Lisbon' is not written in plain lower-case letters"),
    "a digit": (entry("area 51", "cobweb"), "'area 51' is not written in plain lower-case letters"),
    "nothing": (entry("", "cobweb"), "'' has not 3 to 30 characters"),
    "too long": (entry("cob" * 30, "hinge"), "has not 3 to 30 characters"),
    "too many words": (entry("a hinge of the door", "cobweb"), "has more than 3 words"),
    "an escape in an alias": (entry("hinge", "cobweb", ["\x1b[31mred"]), "is not written in plain letters"),
    "a mark in an alias": (entry("hinge", "cobweb", ["\u202ebewboc"]), "is not written in plain letters"),
    "one alias twice": (entry("hinge", "cobweb", ["field mice", "fieldmouse"]), "'fieldmouse' is in the pair twice"),
    "a loud alias": (entry("hinge", "cobweb", ["COBWEBS" * 5]), "too long for another name"),
}  # fmt: skip


def said(*candidates: Entry) -> str:
    return json.dumps({"pairs": list(candidates)}, ensure_ascii=False)


def task_of(asked: Asked) -> str:
    """What the writer was asked to write, without what it was told of earlier answers."""
    return str(asked.messages[1]["content"])


class Writer:
    """Writes the good pair of each number, but first what it is given to say, answer by answer."""

    def __init__(self, first: Mapping[int, Sequence[str]] | None = None, *, seed: int = 0):
        options = writing.settle({"topic": TOPIC, "n": str(len(_PAIRS)), "seed": str(seed)})
        self._numbers = {
            one.content["angle"]: number
            for number, one in enumerate(writing.scenarios(options, None).scenarios, 1)
        }
        self._left = {number: list(answers) for number, answers in (first or {}).items()}

    def __call__(self, asked: Asked) -> str:
        found = re.search(r"^- look for words that name (.+)$", task_of(asked), re.MULTILINE)
        assert found is not None
        number = self._numbers[found.group(1)]
        left = self._left.get(number)
        return left.pop(0) if left else said(good(number))
