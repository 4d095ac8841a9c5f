"""Files of characters and situations: ours in TOML, and the PingPong authors' settings in JSON."""

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interplay.benchmarks.role_play.cards import LANGUAGES, Cards, Character, Situation
from interplay.core.failures import Mistake, nearest, why
from interplay.core.wire import clean
from interplay.judging.rubric import MOST_TURNS

LARGEST_FILE = 20_000_000
MOST = 500  # characters, and situations
LONGEST_TEXT = 100_000
AUTHORS_TURNS = 5  # where their file does not say


@dataclass(frozen=True)
class Layout:
    """The keys of one kind of file: where each field stands, what else may stand there, what is often meant."""

    character: Mapping[str, str]
    situation: Mapping[str, str]
    passed_over: frozenset[str]
    needed: frozenset[str]
    meant: Mapping[str, str]
    turns: int | None = None


OURS = Layout(
    character={key: key for key in ("id", "name", "summary", "persona", "example", "greeting")},
    situation={key: key for key in ("id", "text", "turns")},
    passed_over=frozenset({"source", "tags"}),
    needed=frozenset({"name", "persona", "text", "turns"}),
    meant={"initial_message": "greeting", "system_prompt": "persona", "num_turns": "turns"},
)
AUTHORS = Layout(
    character={
        "name": "char_name",
        "summary": "summary",
        "persona": "system_prompt",
        "example": "example_prompt",
        "greeting": "initial_message",
    },
    situation={"text": "text", "turns": "num_turns"},
    passed_over=frozenset({"tags"}),
    needed=frozenset({"char_name", "system_prompt", "text"}),
    meant={"greeting": "initial_message"},
    turns=AUTHORS_TURNS,
)


def read_cards(path: Path, language: str) -> Cards:
    """The characters and situations that a file has in this language, checked."""
    data = _load(path)
    if path.suffix.lower() == ".toml":
        if data.get("language", language) not in LANGUAGES:
            raise Mistake(f"{path} is in {data['language']!r}; there is {', '.join(LANGUAGES)}")
        if data.get("language", language) != language:
            raise Mistake(f"{path} is in {data['language']!r}; play it with --language {data['language']}")
        return _Reader(path, OURS).cards(data)
    if "characters" in data:
        return _Reader(path, OURS).cards(data)
    if language not in data:
        raise Mistake(f"{path} has no language {language!r}; {nearest(language, data)}")
    return _Reader(path, AUTHORS).cards(data[language])


def _load(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise Mistake(f"{path} is larger than {LARGEST_FILE:,} bytes")
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except (OSError, ValueError, RecursionError) as error:  # bad UTF-8, TOML and JSON are all ValueErrors
        raise Mistake(f"the data file {path} cannot be read: {why(error)}") from error
    if not isinstance(data, dict):
        raise Mistake(f"the data file {path} must hold characters and situations")
    return data


class _Reader:
    """Reads one file by its layout; every complaint names the file and the entry."""

    def __init__(self, path: Path, layout: Layout):
        self.path, self.layout = path, layout
        self.remarks: list[str] = []
        self._taken: set[tuple[str, str]] = set()

    def cards(self, data: Any) -> Cards:
        characters = [self._character(place, entry) for place, entry in self._entries(data, "characters")]
        situations = [self._situation(place, entry) for place, entry in self._entries(data, "situations")]
        self._check_unique("characters", [one.id for one in characters])
        self._check_unique("situations", [one.id for one in situations])
        return Cards(tuple(characters), tuple(situations), tuple(self.remarks))

    def _entries(self, data: Any, heading: str) -> Iterable[tuple[int, Mapping[str, Any]]]:
        found = data.get(heading) if isinstance(data, dict) else None
        whole = isinstance(found, list) and all(isinstance(entry, dict) for entry in found)
        if not whole or not 1 <= len(found or ()) <= MOST:
            raise Mistake(f"{self.path} needs 1 to {MOST} {heading}, each with its own keys")
        return enumerate(found or (), 1)

    def _character(self, place: int, entry: Mapping[str, Any]) -> Character:
        where = f"characters, number {place}"
        texts = self._texts(where, entry, self.layout.character)
        texts.setdefault("id", "")
        return Character(
            **texts | {"id": texts["id"] or self._named(slug(texts["name"]), "character", place)}
        )

    def _situation(self, place: int, entry: Mapping[str, Any]) -> Situation:
        where = f"situations, number {place}"
        turns_key = self.layout.situation["turns"]
        texts = self._texts(where, {k: v for k, v in entry.items() if k != turns_key}, self.layout.situation)
        turns = entry.get(turns_key, self.layout.turns)
        if type(turns) is not int or not 1 <= turns <= MOST_TURNS:
            raise self._wrong(where, f"{turns_key} is a whole number from 1 to {MOST_TURNS}, not {turns!r}")
        tags = entry.get("tags")
        named = tags[0] if isinstance(tags, list) and tags and isinstance(tags[0], str) else ""
        given = texts.get("id") or self._named(slug(named), "situation", place)
        return Situation(given, texts["text"], turns)

    def _named(self, name: str, kind: str, place: int) -> str:
        """An id for an entry that gives none; a second one of that name is numbered."""
        name = name if name and (kind, name) not in self._taken else f"{name or kind}-{place}"
        self._taken.add((kind, name))
        return name

    def _texts(self, where: str, entry: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, str]:
        self._look_for_strangers(where, entry, keys)
        found = {}
        for field, key in keys.items():
            if field == "turns":
                continue
            value = entry.get(key) or ""
            if not isinstance(value, str) or len(value) > LONGEST_TEXT:
                raise self._wrong(where, f"{key} must be a text of at most {LONGEST_TEXT:,} characters")
            if key in self.layout.needed and not value.strip():
                raise self._wrong(where, f"{key} is missing")
            found[field] = clean(value).strip()
        return found

    def _look_for_strangers(self, where: str, entry: Mapping[str, Any], keys: Mapping[str, str]) -> None:
        known = {*keys.values(), *self.layout.passed_over}
        for key in entry:
            if key not in known:
                meant = self.layout.meant.get(key)
                hint = f"did you mean {meant!r}?" if meant else nearest(key, keys.values())
                self.remarks.append(f"{self.path}, {where}: the key {key!r} is ignored; {hint}")

    def _check_unique(self, heading: str, ids: list[str]) -> None:
        for one in ids:
            if ids.count(one) > 1:
                raise Mistake(f"{self.path}: two {heading} are called {one!r}; give each an id of its own")

    def _wrong(self, where: str, what: str) -> Mistake:
        return Mistake(f"{self.path}, {where}: {what}")


def slug(text: str) -> str:
    """A short name for tables: letters and digits of any script, with hyphens."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return re.sub(r"[\W_]+", "-", plain).strip("-")[:40]
