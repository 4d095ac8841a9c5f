"""Scenarios of role play: a character and a situation, every one with every one."""

import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

from interplay.core.benchmark import Options, Scenario
from interplay.core.forms import build

LANGUAGES = ("en", "ru")


@dataclass(frozen=True)
class Character:
    """A character card; the summary is all that the emulated user is told."""

    id: str
    name: str
    summary: str
    persona: str
    example: str
    greeting: str


@dataclass(frozen=True)
class Situation:
    """What the emulated user is to do, and for how many turns."""

    id: str
    text: str
    turns: int


@dataclass(frozen=True)
class Scene:
    """The content of a scenario."""

    language: str
    character: Character
    situation: Situation


def scenarios(options: Options) -> Sequence[Scenario]:
    """Character x situation, in an order whose every beginning is balanced over both."""
    language = options["language"]
    data = tomllib.loads((files(__package__) / f"data/{language}.toml").read_text(encoding="utf-8"))
    characters = [_character(entry) for entry in data["characters"]]
    situations = [
        Situation(entry["id"], entry["text"].strip(), entry["turns"]) for entry in data["situations"]
    ]
    return [
        _scenario(Scene(language, character, situations[(place + shift) % len(situations)]))
        for shift in range(len(situations))
        for place, character in enumerate(characters)
    ]


def scene_of(content: Any) -> Scene:
    """Read a scenario's content back."""
    scene: Scene = build(Scene, content)
    return scene


def _character(entry: dict[str, Any]) -> Character:
    texts = {
        key: entry.get(key, "").strip() for key in ("id", "name", "summary", "persona", "example", "greeting")
    }
    return Character(**texts)


def _scenario(scene: Scene) -> Scenario:
    return Scenario(asdict(scene), f"{scene.character.id} / {scene.situation.id}")
