"""Bots whose play is as expressive as was planted: cues of what they want, or in some sessions of something else."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from interplay.benchmarks.social_interaction.characters import FOLDER, SKILLS
from interplay.core.wire import digest_of
from interplay.models.loopback import Asked

_WANTED = re.compile(r"you want to make a check of ([a-z ]+)\.")
_NPC = "whom the players meet"
SHOWN = 0.6  # the share of moves in which somebody who wants something shows it
Said = Mapping[str, str]


@dataclass(frozen=True)
class CueBot:
    """Plays all four seats. In so many of its sessions what a player shows is what it wants; else another skill."""

    faith: float

    def script(self, seed: int) -> Any:
        """How the bot answers the loopback provider."""

        def answer(asked: Asked) -> str:
            return self.answer([str(message["content"]) for message in asked.messages], asked.model, seed)

        return answer

    def answer(self, told: Sequence[str], name: str, seed: int) -> str:
        """Its next move: all that it does is drawn by what it was told, so that a replay is the same."""
        lots = Random(digest_of([seed, name, told[0], len(told)]))  # noqa: S311  # plays a game, guards nothing
        wanted = next((found[1] for text in reversed(told) if (found := _WANTED.search(text))), "")
        if not wanted or lots.random() >= SHOWN:
            return _move(lots.choice(_moves()["host" if _NPC in told[0] else "filler"]))
        return _move(lots.choice(_moves()[self.shown(wanted, told[0], name, seed)]))

    def shown(self, wanted: str, brief: str, name: str, seed: int) -> str:
        """The skill that a player of this session shows."""
        lots = Random(digest_of([seed, name, brief, "faith"]))  # noqa: S311  # plays a game, guards nothing
        if lots.random() < self.faith:
            return wanted
        return lots.choice([skill for skill in SKILLS if skill != wanted])


def _move(said: Said) -> str:
    act, say = said.get("act", ""), said.get("say", "")
    return json.dumps({"move": "both" if act and say else "act" if act else "speak", "act": act, "say": say})


@cache
def _moves() -> Mapping[str, Sequence[Said]]:
    """The moves that ship, by skill, and those that show nothing."""
    found = tomllib.loads((FOLDER / "data" / "cues.toml").read_text(encoding="utf-8"))
    of_skills = {skill: found["skills"][skill]["cues"] for skill in SKILLS}
    return {**of_skills, "filler": found["filler"], "host": found["host"]}
