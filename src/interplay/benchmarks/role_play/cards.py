"""Characters, situations, and the scene that the two make."""

from dataclasses import dataclass
from typing import Any

from interplay.core.forms import build

LANGUAGES = ("en", "ru")
LANGUAGE_NAMES = {"en": "English", "ru": "Russian"}


@dataclass(frozen=True)
class Character:
    """A character card; the summary is all that the emulated user of version 2 is told."""

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


@dataclass(frozen=True)
class Cards:
    """The characters and situations of one language, and what is to be said of the file they came from."""

    characters: tuple[Character, ...]
    situations: tuple[Situation, ...]
    remarks: tuple[str, ...] = ()


def scene_of(content: Any) -> Scene:
    """Read a scenario's content back."""
    scene: Scene = build(Scene, content)
    return scene
