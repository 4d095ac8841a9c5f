"""How a dialogue is held: what is a loop and what is not, and what ends at the cap."""

import asyncio
import json
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.dialogue import CAP, COMPLETED, LOOP, Dialogue
from interplay.benchmarks.task_dialogue.protocol import play
from interplay.benchmarks.task_dialogue.scenarios import scenarios
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Reply, Request, Step
from tests.benchmarks.held import OPTIONS, SAMPLING

GOAL = scenarios({}).scenarios[0].content
VANILLA = {**OPTIONS, "simulator": "vanilla", "system": "bot", "utterance": "400"}


class Lines:
    """A desk at which both sides read their lines, the last of them for ever; a user without lines is satisfied."""

    def __init__(self, user: Sequence[str], system: Sequence[str]):
        self._lines = {"user": list(user), "system": list(system)}

    async def reply(self, step: Step, request: Request) -> Reply:
        left = self._lines[step.participant]
        if step.participant == "user":
            text, status = (left.pop(0), "going_on") if left else ("Thanks, bye.", "satisfied")
            return Reply(json.dumps({"utterance": text, "status": status}), stop="stop")
        return Reply(left.pop(0) if len(left) > 1 else left[0], stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()


def held(user: Sequence[str], system: Sequence[str], exchanges: int = 15) -> Dialogue:
    names = (("user", "simulator"), ("system", "subject"))
    cast = {name: Casting(f"openai/{name}", SAMPLING, part) for name, part in names}
    talk = Conversation(cast, Lines(user, system), scenario=GOAL, seed="0", secret=b"secret")
    return asyncio.run(play(talk, {**VANILLA, "exchanges": str(exchanges)}))


DIFFERENT = [f"This is request number {number}, please." for number in range(6)]


@pytest.mark.parametrize(
    ("user", "system"),
    [
        (
            ["A table please, for tonight.", "yes", "Yes", "yes", "yes"],
            ["On friday?", "At 18:30?", "For two?", "Now?"],
        ),
        (DIFFERENT, ["Anything else?"]),
    ],
)
def test_a_short_answer_to_something_else_is_no_loop(user: list[str], system: list[str]) -> None:
    assert held(user, system).ended == COMPLETED


@pytest.mark.parametrize(
    ("user", "system", "exchanges"),
    [
        (["yes"] * 9, ["On friday?"], 3),
        (["Hello?"] * 9, ["What is it?", "Where to?", "When?", "What then?"], 3),
        (["Thank you!"] * 9, ["Welcome.", "Bye then.", "Goodbye.", "So long."], 3),
        (DIFFERENT, ["I did not understand that, sorry."], 3),
        (DIFFERENT, [""], 3),
        (["I want a table now."] * 9, ["No.", "Not today.", "Never.", "Go."], 3),
        (["Hello.", "What?", "What?", "What?", "What?"], ["What?"], 4),
    ],
)
def test_the_same_again_and_again_is_a_loop(user: list[str], system: list[str], exchanges: int) -> None:
    found = held(user, system)
    assert (found.ended, len(found.exchanges)) == (LOOP, exchanges)


@pytest.mark.parametrize("cap", [1, 2, 5])
def test_nobody_speaks_after_the_cap(cap: int) -> None:
    numbers = count(1)
    user = [f"This is request number {next(numbers)}, please." for _ in range(20)]
    found = held(user, [f"This is answer number {number}." for number in range(20)], cap)
    assert (found.ended, len(found.exchanges), found.closing) == (CAP, cap, "")
