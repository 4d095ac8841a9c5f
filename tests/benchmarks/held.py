"""Dialogues between the agenda and the rules, held through the benchmark's own protocol, without any model."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interplay.benchmarks.task_dialogue.agenda import AGENDA
from interplay.benchmarks.task_dialogue.city import City, known
from interplay.benchmarks.task_dialogue.dialogue import Dialogue
from interplay.benchmarks.task_dialogue.goals import Goal, goal_of
from interplay.benchmarks.task_dialogue.objective import succeeded
from interplay.benchmarks.task_dialogue.protocol import play
from interplay.benchmarks.task_dialogue.rules import BASELINE
from interplay.benchmarks.task_dialogue.scenarios import city_of, scenarios
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Reply, Request, Sampling, Step

OPTIONS = {
    "system": "pipeline",
    "simulator": "tracking",
    "exchanges": "15",
    "utterance": "600",
    "patience": "3",
    "user_error": "0",
    "slot_error": "0",
    "prompts": "",
}
SAMPLING = Sampling(0.0, None, 512)


class Nobody:
    """A desk that nobody may ask anything."""

    async def reply(self, step: Step, request: Request) -> Reply:
        raise AssertionError(f"{request.model} was asked")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()


def held_by_rule(content: Mapping[str, Any], options: Mapping[str, str] = OPTIONS, seed: int = 0) -> Dialogue:
    """One dialogue of a scenario."""
    cast = {"user": Casting(AGENDA, SAMPLING, "simulator"), "system": Casting(BASELINE, SAMPLING, "subject")}
    talk = Conversation(cast, Nobody(), scenario=content, seed=f"{seed}/{content['id']}", secret=b"secret")
    return asyncio.run(play(talk, options))


@dataclass
class Came:
    """How many goals there are, how many the database can meet, and how many of these were met."""

    goals: int = 0
    possible: int = 0
    met: int = 0


def is_possible(goal: Goal, city: City) -> bool:
    """Can the database meet all of a goal: has every wish a row that knows all that is asked for?"""
    for wish in goal.wishes:
        rows = city.query(wish.domain, wish.info)
        if wish.domain != "taxi" and not any(all(known(row, slot) for slot in wish.requests) for row in rows):
            return False
    return True


def achieved_on(data: Path | None, **changed: str) -> Came:
    """What agenda and rules achieve on all goals of a folder, or of our own."""
    came = Came()
    for scenario in scenarios({}, data).scenarios:
        came.goals += 1
        if is_possible(goal_of(scenario.content), city_of(scenario.content)):
            came.possible += 1
            came.met += bool(succeeded(held_by_rule(scenario.content, {**OPTIONS, **changed})))
    return came
