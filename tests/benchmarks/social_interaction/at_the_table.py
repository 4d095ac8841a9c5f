"""Sessions that scripted models play in memory, and a desk that remembers all that was asked and answered."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from interplay.benchmarks.social_interaction import benchmark
from interplay.benchmarks.social_interaction.protocol import Session, play
from interplay.core.benchmark import Scenario
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Message, Reply, Request, Sampling, Step

MODEL, OTHER = "openai/player", "openai/host"
Script = Callable[[Step, Sequence[Message]], str]


def settled(**options: str) -> dict[str, str]:
    return benchmark.settle(options)


def scenario(number: int = 1, **options: str) -> Scenario:
    """One of the sessions that there are with these options."""
    return benchmark.scenarios(settled(sessions=str(number), **options), None).scenarios[-1]


def move(kind: str = "speak", act: str = "", say: str = "Well.") -> str:
    return json.dumps({"move": kind, "act": act, "say": say})


def talkative(step: Step, messages: Sequence[Message]) -> str:
    """Says who it is and how often it has spoken; in an interview, the same in plain words."""
    if "Plain text, no JSON." in messages[-1].text:
        return f"{step.participant} learned a lot."
    return move("both", f"nods {step.number}", f"I am {step.participant}, move {step.number}.")


@dataclass
class Desk:
    """Has every step answered by a script, after a while that is drawn where there is a seed for that."""

    script: Script = talkative
    waits: int | None = None
    asked: list[tuple[Step, Request]] = field(default_factory=list)

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append((step, request))
        if self.waits is not None:
            lots = Random(f"{self.waits}/{step}")
            for _ in range(lots.randrange(20)):
                await asyncio.sleep(0)
        return Reply(self.script(step, request.thread.messages()), stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        raise AssertionError(f"nothing of play is kept: {step}")

    def texts(self, seat: str) -> str:
        """All that a seat was ever shown, and all that it said."""
        return "\n\n".join(
            message.text
            for step, request in self.asked
            if step.participant == seat
            for message in request.thread.messages()
        )

    @property
    def calls(self) -> dict[str, int]:
        roles: dict[str, int] = {}
        for step, _ in self.asked:
            role = step.participant.split()[0]
            roles[role] = roles.get(role, 0) + 1
        return roles


@dataclass
class Played:
    """A session with the conversation that it came out of."""

    session: Session
    talk: Conversation
    desk: Desk


async def played(
    script: Script = talkative,
    content: Mapping[str, Any] | None = None,
    *,
    seed: int | str = 0,
    waits: int | None = None,
    **options: str,
) -> Played:
    desk = Desk(script, waits)
    cast = {
        "player": Casting(MODEL, Sampling(), "subject"),
        "npc": Casting(OTHER, Sampling(), "simulator"),
    }
    chosen = content if content is not None else scenario(1, **options).content
    talk = Conversation(cast, desk, scenario=chosen, seed=seed)
    return Played(await play(talk, settled(**options)), talk, desk)
