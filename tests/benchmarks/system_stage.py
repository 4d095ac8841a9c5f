"""A stage for task dialogue's systems without models: a desk that answers each seat by a script, and a small town."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from interplay.benchmarks.task_dialogue.office import Office
from interplay.benchmarks.task_dialogue.pipeline import Pipeline
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Reply, Request, Sampling, Step
from tests.benchmarks.small_town import TOWN

OPTIONS = {"prompts": "", "system": "pipeline"}
CAST = {"system": Casting("model", Sampling(temperature=0.0), "subject")}
TABLE = {"people": "4", "day": "friday", "time": "19:00"}
FENCE = re.compile(r"<<([0-9a-f]{12})\n(.*?)\n\1>>", re.DOTALL)


class Desk:
    """Answers each seat with the next of its replies, an object as JSON, and remembers what was asked."""

    def __init__(self, **replies: Sequence[Any]):
        self._replies = {seat.replace("_", " "): list(texts) for seat, texts in replies.items()}
        self.asked: list[tuple[str, Request]] = []

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append((step.participant, request))
        said = self._replies[step.participant].pop(0)
        return Reply(said if isinstance(said, str) else json.dumps(said), stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()

    @property
    def all_were_said(self) -> bool:
        return not any(self._replies.values())

    def requests(self, seat: str) -> list[Request]:
        return [request for name, request in self.asked if name == seat]

    def heard(self, seat: str) -> list[str]:
        """The last message of each request to a seat."""
        return [request.thread.message.text for request in self.requests(seat)]

    def fenced(self, seat: str) -> list[list[str]]:
        """What stood between marks in each of these."""
        return [[found[2] for found in FENCE.finditer(text)] for text in self.heard(seat)]


def talk_of(desk: Desk, secret: bytes = b"s") -> Conversation:
    return Conversation(CAST, desk, secret=secret)


def office(**refused: dict[str, str]) -> Office:
    return Office(TOWN, "salt", refused)


def turn(action: str, **slots: str) -> dict[str, Any]:
    """What a model makes of a turn; slots that are not named are left out, as models do."""
    return {"action": action, "slots": slots}


async def held(
    said: list[str], domains: list[str], states: list[Any], replies: list[str], at: Office | None = None
) -> tuple[list[str], Desk, Office]:
    """A dialogue with the pipeline, whose steps answer by script."""
    desk = Desk(system_domain=[{"domain": one} for one in domains], system_state=states, system_reply=replies)
    at = at or office()
    system = Pipeline(talk_of(desk), at, OPTIONS)
    answers = [await system.answer(one) for one in said]
    assert desk.all_were_said
    return answers, desk, at


async def served(*states: Any, domain: str = "restaurant", at: Office | None = None) -> tuple[Desk, Office]:
    """What the pipeline does about turns in one domain."""
    some = [f"turn {number}" for number in range(len(states))]
    _, desk, at = await held(some, [domain] * len(states), list(states), some, at)
    return desk, at


def facts(desk: Desk, number: int = -1) -> dict[str, Any]:
    """What the model that answers is told of the database."""
    found: dict[str, Any] = json.loads(desk.fenced("system reply")[number][-2])
    return found
