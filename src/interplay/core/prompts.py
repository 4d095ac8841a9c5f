"""Prompt files, filled strictly: a missing, unknown or unused name is an error; data is never a template.

In a file, {{name}} stands for a value, and {{#name}} ... {{/name}} is kept only where the value is not empty.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from interplay.core.failures import Mistake, nearest
from interplay.core.wire import digest_of

_SECTION = re.compile(r"\{\{#(\w+)\}\}\n?(.*?)\{\{/\1\}\}\n?", re.DOTALL)
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

    @property
    def digest(self) -> str:
        return digest_of(dict(self.texts))

    def fill(self, name: str, /, **values: str) -> str:
        """The text of one prompt with its values in place."""
        if name not in self.texts:
            raise Mistake(f"there is no prompt {name!r}; {nearest(name, self.texts)}")
        return fill(self.texts[name], values, where=f"prompt {name}.md")


def _read_file(path: Path) -> str:
    if path.stat().st_size > LARGEST_FILE:
        raise Mistake(f"prompt {path} is larger than {LARGEST_FILE:,} bytes")
    return path.read_text(encoding="utf-8")


def fill(template: str, values: Mapping[str, str], where: str = "the prompt") -> str:
    """Put values in their places; every name must be known and every value used."""
    names = set(_NAME.findall(template)) | {name for name, _ in _SECTION.findall(template)}
    for name in sorted(names - values.keys()):
        raise Mistake(f"{where} asks for {{{{{name}}}}}, which it is not given; {nearest(name, values)}")
    for name in sorted(values.keys() - names):
        raise Mistake(f"{where} has no place for {{{{{name}}}}}, which it is given")
    open_sections = _SECTION.sub(lambda found: found.group(2) if values[found.group(1)] else "", template)
    for mark in _ANY_MARK.findall(open_sections):
        if not _NAME.fullmatch(mark):
            raise Mistake(f"{where} has {mark}, which is neither a name nor a closed section")
    return _NAME.sub(lambda found: values[found.group(1)], open_sections).strip()
