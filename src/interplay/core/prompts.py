"""Prompt files, filled strictly: a missing, unknown or unused name is an error; data is never a template.

In a file, {{name}} stands for a value, and {{#name}} ... {{/name}} is kept only where the value is not empty.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from interplay.core.failures import Mistake, nearest, why
from interplay.core.wire import canonical, digest_of

_SECTION = re.compile(r"\{\{#(\w+)\}\}\n?((?:(?!\{\{#).)*?)\{\{/\1\}\}\n?", re.DOTALL)  # none in another
_NAME = re.compile(r"\{\{(\w+)\}\}")
_ANY_MARK = re.compile(r"\{\{[^}]*\}\}")
LARGEST_FILE = 200_000


@dataclass(frozen=True)
class Prompts:
    """The prompt files of a benchmark, by name."""

    texts: Mapping[str, str]

    @classmethod
    def read(cls, folder: Path) -> "Prompts":
        return cls({path.stem: _read_file(path) for path in sorted(folder.glob("*.md"))})

    def replaced(self, others: Mapping[str, str]) -> "Prompts":
        """The same prompts with some texts in place of their own."""
        return Prompts({**self.texts, **others})

    def kept(self, folder: str) -> str:
        """A user's folder of prompts in place of these, as the record keeps it."""
        return canonical(read_replacements(Path(folder), self))

    def chosen(self, kept: str) -> "Prompts":
        """The prompts of a run: these, or the user's that the record keeps in their place."""
        return self.replaced(json.loads(kept)) if kept else self

    @property
    def digest(self) -> str:
        return digest_of(dict(self.texts))

    def fill(self, name: str, /, **values: str) -> str:
        """The text of one prompt with its values in place."""
        if name not in self.texts:
            raise Mistake(f"there is no prompt {name!r}; {nearest(name, self.texts)}")
        return fill(self.texts[name], values, where=f"prompt {name}.md")


def read_replacements(folder: Path, known: Prompts) -> dict[str, str]:
    """The prompts in a user's folder, each under a name there is and with the places that it has."""
    if not folder.is_dir():
        raise Mistake(f"there is no folder of prompts {folder}")
    found = Prompts.read(folder).texts
    if not found:
        raise Mistake(
            f"{folder} holds no prompt; one is named as in {', '.join(sorted(known.texts))}, and .md"
        )
    for name, text in found.items():
        if name not in known.texts:
            raise Mistake(f"{folder / name}.md replaces no prompt; {nearest(name, known.texts)}")
        _check_places(f"{folder / name}.md", text, known.texts[name])
    return dict(found)


def _check_places(where: str, text: str, original: str) -> None:
    """A replacement has the places of the original, all of them and no others."""
    wanted = places_of(original)
    fill(text, dict.fromkeys(wanted, "x"), where)


@cache
def places_of(template: str) -> frozenset[str]:
    """The names that a prompt asks for."""
    return frozenset(_NAME.findall(template)) | {name for name, _ in _SECTION.findall(template)}


def _read_file(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise Mistake(f"prompt {path} is larger than {LARGEST_FILE:,} bytes")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Mistake(f"prompt {path} cannot be read: {why(error)}") from error


def fill(template: str, values: Mapping[str, str], where: str = "the prompt") -> str:
    """Put values in their places; every name must be known and every value used."""
    names = places_of(template)
    if names != values.keys():
        for name in sorted(names - values.keys()):
            raise Mistake(f"{where} asks for {{{{{name}}}}}, which it is not given; {nearest(name, values)}")
        for name in sorted(values.keys() - names):
            raise Mistake(f"{where} has no place for {{{{{name}}}}}, which it is given")
    there = frozenset(name for name, value in values.items() if value)
    return _NAME.sub(lambda found: values[found.group(1)], _opened(template, there, where)).strip()


@lru_cache(maxsize=1_000)
def _opened(template: str, there: frozenset[str], where: str) -> str:
    """The template with those sections alone whose value is there; checked once."""
    open_sections = _SECTION.sub(lambda found: found.group(2) if found.group(1) in there else "", template)
    for mark in _ANY_MARK.findall(open_sections):
        if not _NAME.fullmatch(mark):
            raise Mistake(f"{where} has {mark}, which is neither a name nor a closed section")
    return open_sections
