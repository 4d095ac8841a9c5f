"""Models with planted ratings and a judge who sees them, as functions; and what must be decided, worked out by hand."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from interplay.benchmarks import find
from interplay.core.wire import Message
from interplay.models.connecting import Directory
from interplay.models.scripted import Scripted
from interplay.running.budget import Limits
from interplay.running.engine import Engine
from interplay.running.how import Again, How
from interplay.running.plan import Anew
from interplay.running.spec import make_spec
from interplay.running.tally import Tally
from interplay.statistics.sequences import MeanSequence
from interplay.store.records import Records, Run
from tests.cli.duelists import write_scripts

SIMULATION = find("simulation")
JUDGE, SECOND_JUDGE = "python/judge", "python/second judge"
SPREAD = 1.5  # of a model's ratings
WIDTH = 9.0  # of the scale from 1 to 10


def rating(model: str, number: int, mean: float) -> int:
    """What a model's answer to a script is worth: its mean with noise, on the judge's scale."""
    drawn = Random(f"{model} {number}").gauss(mean, SPREAD)
    return min(10, max(1, round(drawn)))


def number_in(text: str) -> int:
    """Which script it is about."""
    return int(re.findall(r"request number (\d+)", text)[-1])


Pace = Callable[[str, int, int], float]  # from a name, the script and what an answer is worth to seconds
Trouble = Callable[[str, int], str | None]  # what somebody says in place of an answer; by name and script


@dataclass
class House:
    """A store, the scripts, and models whose answers are planted; counts who was asked for what."""

    folder: Path
    means: Mapping[str, float]
    scripts: int = 60
    pace: Pace = lambda name, number, worth: 0.0
    trouble: Trouble = lambda name, number: None
    asked: list[tuple[str, int]] = field(default_factory=list)
    on_call: Callable[[int], None] = lambda count: None

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.store = self.folder / "interplay.db"
        self.data = write_scripts(self.folder, self.scripts)
        found = SIMULATION.scenarios(SIMULATION.settle({}), self.data).scenarios
        self.numbers = {one.id: number_in(one.content["request"]) for one in found}

    @property
    def models(self) -> list[str]:
        return [f"python/{name}" for name in self.means]

    def engine(
        self, *, again: Again | None = None, spec: Mapping[str, Any] | None = None, **how: Any
    ) -> Engine:
        """One start of the run; how it is carried out is said as the command line says it."""
        made = {name: Scripted(name, self._simulator(name)) for name in self.models}
        made |= {name: Scripted(name, self._judge) for name in (JUDGE, SECOND_JUDGE)}
        wanted = {"models": self.models, "roles": {"judge": [JUDGE]}, "data": self.data, **(spec or {})}
        settings = {"max_connections": 8, "until_decided": True, **how}
        start = How(self.store, Directory(made=made), **settings)
        return Engine(SIMULATION, make_spec(SIMULATION, **wanted), start, Tally(), again)

    def carry_out(self, **how: Any) -> Engine:
        engine = self.engine(**how)
        asyncio.run(engine.carry_out())
        return engine

    def stopped_at(self, call: int, **how: Any) -> Engine:
        """Stop a start at the n-th call of all, as Ctrl-C does."""
        engine = self.engine(**how)
        self.on_call = lambda count: engine.stop() if count == call else None
        asyncio.run(engine.carry_out())
        self.on_call = lambda count: None
        return engine

    @property
    def run(self) -> Run:
        with Records(self.store) as records:
            return records.find("last")

    def worth(self, name: str, number: int) -> int:
        return rating(name, number, self.means[name])

    def order(self) -> list[int]:
        """The scripts in the order in which they count, as the record keeps it."""
        short = {id[:12]: number for id, number in self.numbers.items()}
        return [short[one] for one in self.run.extent["drawn"]]

    def _simulator(self, model: str) -> Callable[[Sequence[Message]], Awaitable[str]]:
        name = model.removeprefix("python/")

        async def answer(messages: Sequence[Message]) -> str:
            number = number_in(messages[-1].text)
            self._count(name, number)
            worth = self.worth(name, number)
            await asyncio.sleep(self.pace(name, number, worth))
            return self.trouble(name, number) or f"quality {worth}"

        return answer

    async def _judge(self, messages: Sequence[Message]) -> str:
        worth = [int(found) for found in re.findall(r"quality (\d+)", messages[1].text)]
        number = number_in(messages[1].text)
        self._count("judge", number)
        await asyncio.sleep(self.pace("judge", number, worth[0]))
        if said := self.trouble("judge", number):
            return said
        if len(worth) == 1:
            return json.dumps({"explanation": "seen", "rating": worth[0]})
        better = "A" if worth[0] > worth[1] else "B" if worth[0] < worth[1] else "tie"
        return json.dumps({"explanation": "seen", "better": better})

    def _count(self, name: str, number: int) -> None:
        self.asked.append((name, number))
        self.on_call(len(self.asked))


def limits(calls: int) -> Limits:
    return Limits(None, None, calls)


def anew(*numbers: int) -> Anew:
    return Anew(numbers=frozenset(numbers))


@dataclass(frozen=True)
class Decision:
    """What is decided of two models, and after how many scripts."""

    decided: bool
    seen: int
    n: int
    interval: tuple[float | None, float | None]


def by_hand(
    differences: Sequence[float | None], *, comparisons: int = 1, until: int | None = None
) -> Decision:
    """Add differences one by one until they suffice; None is a script that has none."""
    sequence = MeanSequence(-WIDTH, WIDTH, comparisons=comparisons)
    seen = 0
    for value in differences[:until]:
        if sequence.decided:
            break
        seen += 1
        if value is not None:
            sequence.add(value)
    found = sequence.estimate
    return Decision(sequence.decided, seen, found.n, (found.low, found.high))


def recorded(run: Run) -> Decision:
    """The same as the record keeps it."""
    kept = run.extent["until_decided"]
    (pair,) = kept["pairs"]
    return Decision(kept["decided"], kept["seen"], pair["n"], (pair["low"], pair["high"]))
