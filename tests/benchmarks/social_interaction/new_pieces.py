"""A scripted writer of characters and knowledge: pieces that pass every check, and ways to spoil one."""

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from interplay.benchmarks.social_interaction import characters, knowledge
from interplay.benchmarks.social_interaction.characters import Character
from interplay.benchmarks.social_interaction.drafting import CHARACTERS, KNOWLEDGE
from interplay.benchmarks.social_interaction.writing import writing
from interplay.core.forms import build
from interplay.models.loopback import Asked

Draft = dict[str, Any]
MOST = 12  # pieces that a writer knows its tasks by
LETTERS = ("bdfghklmnprstvz", "aeiou")


def words(rng: Random, count: int) -> str:
    """So many invented words."""
    return " ".join(
        "".join(rng.choice(LETTERS[n % 2]) for n in range(rng.randint(5, 8))) for _ in range(count)
    )


def character(seed: str) -> Draft:
    """A name and a description that pass every check; another seed, another character."""
    rng = Random(f"character {seed}")
    name = words(rng, 2).title()
    return {"name": name, "description": f"At {words(rng, 5)} lives {name}: {words(rng, 60)}."}


def piece(seed: str) -> Draft:
    """A piece of knowledge that passes every check."""
    rng = Random(f"piece {seed}")
    sentences = [f"The {words(rng, 9)}." for _ in range(12)]
    points = []
    for sentence in sentences[:5]:
        changed = " ".join([*sentence.split()[:-2], f"{words(rng, 2)}."])
        points.append({"point": sentence, "said": f"They say {words(rng, 8)}.", "wrong": changed})
    return {"title": f"The {words(rng, 2).title()}", "text": " ".join(sentences), "points": points}


def good(what: str, seed: str) -> Draft:
    return character(seed) if what == CHARACTERS else piece(seed)


def said(draft: Draft) -> str:
    return json.dumps(draft, ensure_ascii=False)


def shipped_character() -> Draft:
    one = characters.shipped()[3]
    return {"name": one.name, "description": one.description}


def shipped_piece() -> Draft:
    entry = knowledge.entry_of(knowledge.shipped()[3])
    return {key: entry[key] for key in ("title", "text", "points")}


def _point(**changes: Callable[[Draft], str]) -> Callable[[Draft], Draft]:
    """Change the second point."""

    def spoil(draft: Draft) -> Draft:
        second = draft["points"][1]
        new = second | {key: change(second) for key, change in changes.items()}
        return {**draft, "points": [draft["points"][0], new, *draft["points"][2:]]}

    return spoil


# How to spoil a character, and a part of the complaint that must follow.
BAD_CHARACTERS: dict[str, tuple[Callable[[Draft], Draft], str]] = {
    "one name": (lambda d: {**d, "name": d["name"].split()[0]}, "the name has 1 words, not 2 to 5"),
    "a colon": (lambda d: {**d, "name": d["name"].replace(" ", ": ")}, "the name is not made of letters"),
    "no letter in the name": (lambda d: {**d, "name": "-- --"}, "the name is a title alone"),
    "an escape": (lambda d: {**d, "name": d["name"] + "\x1b[31m"}, "the name holds characters that cannot be seen"),
    "backwards": (lambda d: {**d, "description": d["description"] + " \u202ex"}, "the description holds characters"),
    "short": (lambda d: {**d, "description": d["description"][:150]}, "words, not 60 to 90"),
    "cut": (lambda d: {**d, "description": d["description"] * 30}, "words, not 60 to 90"),
    "nobody": (lambda d: {**d, "name": "Somebody Else"}, "the name does not appear in the description"),
    "you": (lambda d: {**d, "description": "You know. " + d["description"]}, "is to be in the third person"),
    "a skill": (lambda d: {**d, "description": d["description"] + " Stealth!"}, "names the skill 'stealth'"),
    "rules": (lambda d: {**d, "description": d["description"] + " At level 3."}, "speaks of rules: 'level 3'"),
    "markup": (lambda d: {**d, "description": "**" + d["description"]}, "a mark of markup or of a template: '*'"),
    "an insult": (lambda d: {**d, "description": d["description"] + " Idiot."}, "'idiot' may offend"),
    "a shipped one": (lambda d: shipped_character(), "is taken"),
    "a shipped first name": (
        lambda d: json.loads(said(d).replace(d["name"], characters.shipped()[0].name.split()[0] + " Tovel")),
        "the first name is that of ",
    ),
}  # fmt: skip
# How to spoil a piece of knowledge.
BAD_PIECES: dict[str, tuple[Callable[[Draft], Draft], str]] = {
    "a long title": (lambda d: {**d, "title": "The " + d["text"][:60]}, "the title has"),
    "no letter in the title": (lambda d: {**d, "title": "-- --"}, "title is missing: there is no letter in it"),
    "an escape": (lambda d: {**d, "text": d["text"] + " \x1b[31m"}, "it holds characters that cannot be seen"),
    "short": (lambda d: {**d, "text": d["text"][:300]}, "words, not 100 to 150"),
    "cut": (lambda d: {**d, "text": d["text"] * 20}, "words, not 100 to 150"),
    "you": (lambda d: {**d, "text": d["text"].replace(".", " for you.", 1)}, "the text speaks to somebody as you"),
    "a skill": (lambda d: {**d, "text": d["text"].replace(".", " medicine.", 1)}, "it names the skill 'medicine'"),
    "a template": (lambda d: {**d, "title": "The {{name}} Well"}, "a mark of markup or of a template: '{'"),
    "an insult": (lambda d: {**d, "title": "The Idiot Well"}, "'idiot' may offend"),
    "another name": (_point(point=lambda p: p["point"][:-1] + " Wexley."), "the name Wexley is not in the text"),
    "another number": (_point(point=lambda p: p["point"][:-1] + " nine."), "the number 9 is not in the text"),
    "nobody knows what": (_point(point=lambda p: p["point"].replace("The", "It")), "point 2: it begins with 'it'"),
    "parroted": (_point(said=lambda p: p["point"]), "point 2: the right statement repeats 100% of its words"),
    "not wrong": (_point(wrong=lambda p: p["point"]), "point 2: the wrong statement says what is right"),
    "on something else": (_point(wrong=lambda p: "Q" * 60 + " x" * 9), "is too unlike the point"),
    "one point twice": (
        lambda d: {**d, "points": [d["points"][0], d["points"][0], *d["points"][2:]]},
        "points 1 and 2 are too much alike",
    ),
    "a shipped one": (lambda d: shipped_piece(), "is taken"),
    "a shipped title": (lambda d: {**d, "title": knowledge.shipped()[0].title.lower()}, "is taken"),
    "a shipped name": (
        lambda d: {**d, "text": d["text"].replace(".", " by Oda Verrin.", 1)},
        "the name Verrin is also in 'The Quarrel Bell'",
    ),
}  # fmt: skip
BAD = {CHARACTERS: BAD_CHARACTERS, KNOWLEDGE: BAD_PIECES}


def spoiled(what: str, kind: str, seed: str) -> str:
    return said(BAD[what][kind][0](good(what, seed)))


def task_of(asked: Asked) -> str:
    """What the writer was asked to write, without what it was told of earlier answers."""
    return str(asked.messages[1]["content"])


class Writer:
    """Writes the good piece of each number, but first what it is given to say, answer by answer."""

    def __init__(self, what: str, first: Mapping[int, Sequence[str]] | None = None, *, seed: int = 0):
        self.what, self.seed = what, seed
        options = writing.settle({"what": what, "n": str(MOST), "seed": str(seed)})
        found = writing.scenarios(options, None).scenarios
        self._marks = {number: _mark(one.content) for number, one in enumerate(found, 1)}
        self._left = {number: list(answers) for number, answers in (first or {}).items()}

    def __call__(self, asked: Asked) -> str:
        [number] = [number for number, mark in self._marks.items() if mark in task_of(asked)]
        left = self._left.get(number)
        return left.pop(0) if left else said(good(self.what, f"{self.seed}/{number}"))


def _mark(content: Mapping[str, Any]) -> str:
    """By what a task is known."""
    if content["what"] == KNOWLEDGE:
        return f"\n- {content['angles'][0]}\n"
    somebody: Character = build(Character, {**content["attributes"], "name": "?", "description": "?"})
    lines = characters.laid_out(somebody).splitlines()
    return "character:\n\n" + "\n".join(lines[1:-1]) + "\n\nThese"
