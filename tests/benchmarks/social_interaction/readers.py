"""Windows to read, readers by hand, and a run of them in a real store, for tests of reading."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from interplay.benchmarks.social_interaction.form import brought_to_form
from interplay.benchmarks.social_interaction.reading import Reader, reading_by, scenario_of
from interplay.benchmarks.social_interaction.windows import Intention, Turn, Window, written_play
from interplay.core.benchmark import Benchmark
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Message, Reply, Request, Sampling, Step
from interplay.models.connecting import Directory
from interplay.models.scripted import Scripted
from interplay.running.engine import Engine
from interplay.running.how import How
from interplay.running.spec import make_spec
from interplay.running.tally import Tally
from interplay.store.records import Run

NAME = "examples:openai/x, untrained"
Script = Callable[[Sequence[Message]], str]


def window(*texts: str, id_: str = "w-1", asked: str = "Ash", skill: str = "stealth") -> Window:
    turns = [
        Turn(("Ash", "Brook")[place % 2 : place % 2 + 1], text)
        for place, text in enumerate(texts or ("Hm.",))
    ]
    turns.insert(0, Turn(("Game master",), "Go on."))
    return Window(id_, "w", tuple(turns), (Intention(asked, skill),), ("Game master",))


def held_out(count: int = 6) -> list[Window]:
    return [brought_to_form(one) for one in written_play().windows[:count]]


def answer(*named: tuple[str, str]) -> str:
    return json.dumps({"intentions": [{"character": who, "skill": skill} for who, skill in named]})


class Desk:
    """Answers by a script, and keeps what is made once."""

    def __init__(self, script: Script):
        self.model = Scripted("m", script)
        self.asked: list[tuple[Step, Request]] = []
        self.kept: dict[str, Any] = {}

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append((step, request))
        return await self.model.reply(request)

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        if step.participant not in self.kept:
            self.kept[step.participant] = json.loads(json.dumps(make()))
        return self.kept[step.participant]


async def read(
    reader: Reader, one: Window, script: Script, *, secret: bytes = b"secret", desk: Desk | None = None
) -> tuple[Any, Desk]:
    """What a reader makes of a window, and the desk that it sat at."""
    desk = desk or Desk(script)
    benchmark = reading_by({reader.name: reader}, [one])
    cast = {"reader": Casting(reader.name, Sampling(0.0), "subject")}
    talk = Conversation(cast, desk, scenario=scenario_of(one).content, secret=secret)
    return await benchmark.play(talk, {}), desk


def carried_out(
    benchmark: Benchmark,
    models: Sequence[str],
    options: Mapping[str, str],
    store: Path,
    made: Mapping[str, Any] | None = None,
) -> Run:
    """Carry a run out by the engine, into a store."""
    spec = make_spec(benchmark, models=tuple(models), options=options)
    how = How(store, Directory(made=made or {}))
    return asyncio.run(Engine(benchmark, spec, how, Tally()).carry_out())
