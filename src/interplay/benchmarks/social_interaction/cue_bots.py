"""Bots whose play is as expressive as was planted: cues of what they want, or in some sessions of something else."""

import asyncio
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from interplay.benchmarks.social_interaction.characters import FOLDER, SKILLS
from interplay.benchmarks.social_interaction.cutting import windows_of
from interplay.benchmarks.social_interaction.protocol import NPC, PLAYER, Session, play
from interplay.benchmarks.social_interaction.scenarios import scenarios
from interplay.benchmarks.social_interaction.windows import Window
from interplay.core.benchmark import Options, Scenario
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Reply, Request, Sampling, Step, digest_of
from interplay.models.loopback import Asked

_WANTED = re.compile(r"you want to make a check of ([a-z ]+)\.")
_NPC = "whom the players meet"
SHOWN = 0.9  # the share of moves in which somebody who wants something shows a cue
LAST_SPEAKER = (
    0.73  # how often windows that stand for real play end on the one who is asked, as recorded ones do
)
Said = Mapping[str, str]


@dataclass(frozen=True)
class CueBot:
    """Plays all four seats. In so many of its sessions what a player shows is what it wants; else another skill.

    So a reader of its play learns who is asked for a check at any faith, and for which check the better the more faith
    there is.
    """

    faith: float

    def script(self, seed: int) -> Callable[[Asked], str]:
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


@dataclass(frozen=True)
class _Desk:
    """Has a bot answer without a provider in between."""

    bot: CueBot
    name: str
    seed: int

    async def reply(self, step: Step, request: Request) -> Reply:
        told = [message.text for message in request.thread.messages()]
        return Reply(self.bot.answer(told, self.name, self.seed))

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()


def played_by(
    bot: CueBot, name: str, seed: int, sessions: range, options: Options
) -> list[tuple[Scenario, Session]]:
    """These of the shipped sessions, by their numbers from 1, as the bot plays them by itself."""
    casting = Casting(name, Sampling(), "subject")
    every = scenarios({**options, "sessions": str(sessions.stop - 1)}).scenarios[sessions.start - 1 :]

    async def session(scenario: Scenario) -> Session:
        desk, seats = _Desk(bot, name, seed), {PLAYER: casting, NPC: casting}
        talk = Conversation(seats, desk, scenario=scenario.content, seed=f"{seed}/{scenario.id}")
        return await play(talk, options)

    async def all_of_them() -> list[tuple[Scenario, Session]]:
        return [(scenario, await session(scenario)) for scenario in every]

    return asyncio.run(all_of_them())


def windows_by(
    bot: CueBot, name: str, seed: int, sessions: range, options: Options, last: float = LAST_SPEAKER
) -> list[Window]:
    """The windows of what a bot plays by itself."""
    played = played_by(bot, name, seed, sessions, options)
    return [
        window
        for scenario, outcome in played
        for window in windows_of(outcome, f"{name}-{scenario.id[:12]}", last)
    ]
