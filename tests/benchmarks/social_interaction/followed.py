"""A run of intentions in a real store, and what follows from it over loopback HTTP, for tests."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from interplay.benchmarks.social_interaction import benchmark
from interplay.benchmarks.social_interaction.cue_bots import CueBot
from interplay.benchmarks.social_interaction.reading import reading
from interplay.benchmarks.social_interaction.training import training
from interplay.core.board import Board
from interplay.models.connecting import Directory
from interplay.models.loopback import Asked, Script
from interplay.running.engine import Engine
from interplay.running.following import follow
from interplay.running.how import How
from interplay.running.results import board_of
from interplay.running.spec import make_spec
from interplay.running.tally import Tally
from interplay.store.records import ConversationRow, Records

MODEL, BASE = "openai/player", "base-7b"
PLAY = {"scene": "intentions", "sessions": "12", "moves": "8", "dm": "none"}
_PLAYERS = re.compile(r"^Players: (\w+)", re.MULTILINE)


def knowing(skill: str) -> Script:
    """A reader that always names the first player, with this skill."""

    def script(asked: Asked) -> str:
        found = _PLAYERS.search(str(asked.messages[-1]["content"]))
        named = [{"character": found[1], "skill": skill}] if found else []
        return json.dumps({"intentions": named})

    return script


SCRIPTS: Mapping[str, Script] = {
    "*": CueBot(1.0).script(0),
    BASE: knowing("history"),
    f"ft:{BASE}": knowing("stealth"),
}


@dataclass
class Followed:
    """One store, one run in it, and what was told on the way."""

    store: Path
    url: str
    told: list[str] = field(default_factory=list)
    run: str = ""

    @property
    def how(self) -> How:
        return How(self.store, Directory(base_url=self.url, environment={}))

    def play(self, models: tuple[str, ...] = (MODEL,), **options: str) -> "Followed":
        own = {name: value for name, value in (PLAY | options).items() if name != "dm"}
        spec = make_spec(benchmark, models=models, options=own)
        asyncio.run(Engine(benchmark, spec, self.how, Tally()).carry_out())
        self.run = spec.run_id
        return self

    def read(self, dm: str, **options: str) -> bool:
        def carry_out(engine: Engine) -> bool:
            asyncio.run(engine.carry_out())
            return True

        chosen = {"dm": dm, "curve": "no", **options}
        return follow(benchmark, self.run, chosen, self.how, carry_out, self.told.append)

    def rows(self, of: Any = reading) -> list[ConversationRow]:
        with Records(self.store) as records:
            runs = [one for one in records.runs() if one.benchmark == of.name]
            return [row for one in runs for row in records.conversations(one)]

    def boards(self, of: Any = reading) -> list[Board]:
        with Records(self.store) as records:
            return [board_of(records, one, of) for one in records.runs() if one.benchmark == of.name]

    @property
    def trainings(self) -> list[ConversationRow]:
        return self.rows(training)
