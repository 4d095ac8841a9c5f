"""A scripted writer of characters and situations: pieces that pass every check, and ways to spoil one."""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from interplay.models.loopback import Asked

Draft = dict[str, Any]
LETTERS = {"en": ("bdfghklmnprstvz", "aeiou"), "ru": ("бвгджзклмнпрстф", "аеиоу")}
USER = {"en": "User", "ru": "Пользователь"}
YOU = {"en": "You", "ru": "Ты"}


def prose(rng: Random, language: str, count: int) -> str:
    """So many invented words, in sentences of eight."""
    words = [
        "".join(rng.choice(LETTERS[language][n % 2]) for n in range(rng.randint(5, 8))) for _ in range(count)
    ]
    for place in range(0, count, 8):
        words[place] = words[place].capitalize()
        words[min(place + 7, count - 1)] += "."
    return " ".join(words)


def character(seed: str, language: str = "en", letter: str = "") -> Draft:
    """A character that passes every check; another seed, another character."""
    rng = Random(f"character {seed}")
    name = letter + prose(rng, language, 1)[:-1].lower() if letter else prose(rng, language, 1)[:-1]
    secret = prose(rng, language, 8)
    return {
        "id": f"one-{rng.randrange(10**9)}",
        "name": name,
        "secret": secret,
        "persona": f"{name}\n{prose(rng, language, 160)}\n{secret}",
        "summary": f"{name}, {prose(rng, language, 10)}",
        "example": f"{USER[language]}: {prose(rng, language, 4)}\n\n{name}: {prose(rng, language, 6)}",
        "greeting": prose(rng, language, 7),
    }


def situation(seed: str, language: str = "en") -> Draft:
    """A situation that passes every check."""
    rng = Random(f"situation {seed}")
    return {"id": f"two-{rng.randrange(10**9)}", "text": f"{YOU[language]} {prose(rng, language, 60)}"}


def task_of(asked: Asked) -> str:
    """What the writer was asked to write, without what it was told of earlier answers."""
    return str(asked.messages[1]["content"])


def is_character(asked: Asked) -> bool:
    return task_of(asked).startswith("Write one character")


def good(asked: Asked) -> Draft:
    """The piece that a task asks for; the same task, the same piece."""
    task = task_of(asked)
    language = "ru" if " in Russian" in task else "en"
    if not is_character(asked):
        return situation(task, language)
    found = re.search(r"begins with the letter (\w)", task)
    assert found is not None
    return character(task, language, found.group(1))


def writer(asked: Asked) -> str:
    return json.dumps(good(asked), ensure_ascii=False)


def _with(**changes: Callable[[Draft], str]) -> Callable[[Draft], Draft]:
    return lambda draft: {**draft, **{key: change(draft) for key, change in changes.items()}}


# How to spoil a character: what is done to it, and a part of the complaint that must follow.
SPOILED: dict[str, tuple[Callable[[Draft], Draft], str]] = {
    "short persona": (
        _with(persona=lambda d: f"{d['persona'][:200]}\n{d['secret']}"),
        "words, not 120 to 350",
    ),
    "long persona": (_with(persona=lambda d: d["persona"] * 3), "words, not 120 to 350"),
    "short summary": (_with(summary=lambda d: d["name"]), "characters, not 30 to 199"),
    "long summary": (_with(summary=lambda d: d["summary"] + " and so on" * 40), "characters, not 30 to 199"),
    "long greeting": (_with(greeting=lambda d: d["greeting"] * 20), "the greeting has"),
    "long name": (_with(name=lambda d: d["name"] + " the Great" * 8), "the name is one line"),
    "other language": (_with(persona=lambda d: d["persona"] + "лодка " * 100), "not in Latin letters"),
    "a sentence told": (
        _with(summary=lambda d: f"{d['name']}. {d['persona'].split('. ')[2]}."),
        "the summary repeats a sentence or a long phrase",
    ),
    "a quotation told": (
        _with(
            persona=lambda d: d["persona"] + ' "Never ever again"',
            summary=lambda d: d["summary"] + " Never ever again!",
        ),
        "the summary repeats a quotation",
    ),
    "the secret told": (
        _with(summary=lambda d: f"{d['name']}: " + " and ".join(reversed(d["secret"].strip(".").split()))),
        "the summary gives the secret away",
    ),
    "the secret forgotten": (
        _with(persona=lambda d: d["persona"].removesuffix(d["secret"])),
        "the card does not hold the secret",
    ),
    "no name in the summary": (
        _with(summary=lambda d: d["summary"].replace(d["name"], "Somebody")),
        "the name does not appear in the summary",
    ),
    "no name in the persona": (
        _with(persona=lambda d: d["persona"].replace(d["name"], "Somebody")),
        "the name does not appear in the persona",
    ),
    "a template's mark": (
        _with(greeting=lambda d: "Hello {{user}}!"),
        "the greeting holds marks of a template",
    ),
    "a control character": (
        _with(persona=lambda d: d["persona"] + " \x1b[31mred\x1b[0m"),
        "the persona holds control characters",
    ),
    "text that runs backwards": (
        _with(summary=lambda d: d["summary"] + " \u202etxet"),
        "the summary holds control characters",
    ),
    "nobody speaks": (_with(example=lambda d: "Just some words."), "does not begin with who speaks"),
    "another speaks": (
        _with(example=lambda d: "User: Hello.\nSomebody: Hello."),
        "the character does not speak in the example",
    ),
}
