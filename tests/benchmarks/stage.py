"""A stage for role play without models: a desk that answers by script, and the scenarios that ship."""

import json
from collections.abc import Callable
from typing import Any

from interplay.benchmarks import find
from interplay.benchmarks.role_play.protocol import Dialogue, Turn, play
from interplay.core.benchmark import Options, Scenario
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Reply, Request, Step

BENCHMARK = find("role_play")
OPTIONS = BENCHMARK.settle({})
SCENARIOS = BENCHMARK.scenarios(OPTIONS, None).scenarios
CRITERIA = ("in_character", "entertaining", "fluency")
Answer = Callable[[Step], str]


class Desk:
    """Answers each seat by a function of the step, and remembers what it was asked."""

    def __init__(self, **answers: Answer):
        self.answers = answers
        self.asked: list[tuple[Step, Request]] = []

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append((step, request))
        return Reply(self.answers[step.participant](step), stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()

    def seats(self) -> list[str]:
        """Who was asked, in order."""
        return [step.participant for step, _ in self.asked]

    def views(self, seat: str) -> list[list[tuple[str, str]]]:
        """What a seat was shown, request by request."""
        return [
            [(message.role, message.text) for message in request.thread.messages()]
            for step, request in self.asked
            if step.participant == seat
        ]

    def shown(self, seat: str) -> str:
        """All that a seat was ever shown."""
        return "\n".join(text for view in self.views(seat) for _, text in view)


def user(step: Step) -> str:
    return json.dumps({"next_utterance": f"user line {step.number}"})


def player(step: Step) -> str:
    return f"player line {step.number}"


def judging_user(turns: int, refused_at: int = 0) -> Answer:
    """The emulated user of version 1, who scores every reply and writes on, but not after the last."""

    def answer(step: Step) -> str:
        marks = entry(1 + step.number, refused=step.number == refused_at) if step.number else {}
        said = {"next_utterance": f"user line {step.number}"} if step.number < turns else {}
        return json.dumps({**marks, **said})

    return answer


def cast_of(options: Options) -> dict[str, Casting]:
    return {
        role.name: Casting(f"model of {role.name}", role.sampling, role.kind)
        for role in BENCHMARK.roles(options)
    }


async def played(scenario: Scenario, desk: Desk, **options: str) -> Dialogue:
    settled = BENCHMARK.settle(options)
    talk = Conversation(cast_of(settled), desk, scenario=scenario.content, secret=b"secret")
    return await play(talk, settled)


def with_turns(turns: int) -> Scenario:
    return next(one for one in SCENARIOS if one.content["situation"]["turns"] == turns)


def dialogue_of(turns: int) -> Dialogue:
    return Dialogue(tuple(Turn(f"user <{number}>", f"player <{number}>") for number in range(1, turns + 1)))


def entry(fluency: int = 3, *, refused: bool = False) -> dict[str, Any]:
    """What a judge says of one turn."""
    found: dict[str, Any] = {"is_refusal_explanation": "no", "is_refusal": refused}
    for name, score in (("in_character", 4), ("entertaining", 2), ("fluency", fluency)):
        found |= {f"{name}_explanation": "so", f"{name}_score": score}
    return found


def secrets_of(content: Any) -> list[str]:
    """The telling lines of a character's card: those too short to be a secret are left out."""
    character = content["character"]
    texts = (character["persona"], character["example"], character["greeting"])
    return [line.strip() for text in texts for line in text.splitlines() if len(line.strip()) > 20]
