"""Where play takes place, and what a player may privately want there."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from interplay.benchmarks.social_interaction.characters import FOLDER, SKILLS

# How often checks of each skill are called for in recorded play: counts over the 703 windows of CRD3 that were studied.
USUAL = {
    "perception": 209, "investigation": 90, "stealth": 83, "athletics": 54, "persuasion": 45, "deception": 38,
    "acrobatics": 33, "insight": 30, "survival": 18, "arcana": 18, "religion": 17, "nature": 15,
    "sleight of hand": 13, "history": 13, "intimidation": 10, "medicine": 8, "performance": 6, "animal handling": 3,
}  # fmt: skip


@dataclass(frozen=True)
class Scene:
    """A place where something is unresolved, why somebody there talks, and the skills that it has a use for."""

    title: str
    place: str
    npc: str
    affords: tuple[str, ...]


@dataclass(frozen=True)
class Skill:
    """What a skill is for, and intentions that call for it."""

    name: str
    meaning: str
    wants: tuple[str, ...]


@cache
def scenes() -> tuple[Scene, ...]:
    found = tomllib.loads((FOLDER / "data" / "scenes.toml").read_text(encoding="utf-8"))["scenes"]
    return tuple(Scene(one["title"], one["place"], one["npc"], tuple(one["affords"])) for one in found)


@cache
def skills() -> Mapping[str, Skill]:
    found = tomllib.loads((FOLDER / "data" / "wants.toml").read_text(encoding="utf-8"))["skills"]
    return {name: Skill(name, found[name]["meaning"], tuple(found[name]["wants"])) for name in SKILLS}
