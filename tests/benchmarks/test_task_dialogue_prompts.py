"""The prompts of task dialogue: every sample that they show is in the very form that is asked for."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.agent import STEP
from interplay.benchmarks.task_dialogue.dialogue import GOING_ON, SATISFIED, Said
from interplay.benchmarks.task_dialogue.drafting import SCHEMA
from interplay.benchmarks.task_dialogue.examples import own_examples
from interplay.benchmarks.task_dialogue.goals import goal_of
from interplay.benchmarks.task_dialogue.pipeline import turn_form
from interplay.benchmarks.task_dialogue.prompt_files import PROMPTS, WRITER_PROMPTS
from interplay.benchmarks.task_dialogue.simulators import SIMULATORS, TRACKING, Simulated
from interplay.benchmarks.task_dialogue.subgoals import sub_goals
from interplay.core.conversation import Casting, Conversation
from interplay.core.forms import check
from interplay.core.wire import Reply, Request, Sampling, Step
from tests.benchmarks.small_town import TOWN

SAMPLE = goal_of(  # the goal of the sample that users are shown
    {
        "id": "sample",
        "goal": {
            "salon": {
                "info": {"area": "riverside quarter", "service": "colouring"},
                "fail_info": {"area": "old town", "service": "colouring"},
                "book": {"day": "thursday", "time": "10:15"},
            },
            "bicycle": {"info": {"type": "tandem"}, "reqt": ["deposit"]},
        },
        "message": ["You need your **hair** done."],
    }
)


class Reader:
    """A model that repeats the replies of a sample, and whatever it is told in between."""

    def __init__(self, replies: Sequence[str]):
        self.replies = list(replies)
        self.told: list[str] = []

    async def reply(self, step: Step, request: Request) -> Reply:
        self.told.append(request.thread.message.text)
        return Reply(self.replies.pop(0), stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()


@pytest.mark.parametrize("kind", SIMULATORS)
async def test_the_sample_of_a_user_is_a_dialogue_that_could_be_held(kind: str) -> None:
    brief = PROMPTS.texts[f"user_{kind}"]
    replies = re.findall(r"^You reply: (.*)$", brief, re.MULTILINE)
    answers = re.findall(r"<<\{\{mark\}\}\n(.*)\n\{\{mark\}\}>>", brief)
    desk = Reader(replies)
    talk = Conversation({"user": Casting("m", Sampling(), "simulator")}, desk, secret=b"s")
    user = Simulated(talk, SAMPLE, {"simulator": kind, "prompts": "", "utterance": "600"})
    said: list[Said] = [await user.speak(heard) for heard in (None, *answers)]
    assert desk.replies == []  # none was asked for again
    assert [one.flag for one in said] == [GOING_ON] * 4 + [SATISFIED]
    assert [one.text for one in said] == [json.loads(one)["utterance"] for one in replies]
    if kind == TRACKING:
        assert list(said[-1].state.values()) == ["failed", *["done"] * 5]
        assert "\n".join(f"{one.number}. {one.text} [open]" for one in sub_goals(SAMPLE)) in brief
        assert desk.told[0] in brief


def test_the_samples_of_systems_and_writers_are_in_form() -> None:
    (slots,) = re.findall(r"\[\{.*?\}\]", PROMPTS.texts["system_agent"])
    written = {"tool": "look_up", "domain": "hotel", "slots": json.loads(slots)}
    assert STEP.read(Reply(json.dumps(written), stop="stop")).value.slots == {"area": "north"}
    (brief,) = re.findall(r"^\{\"message\".*$", WRITER_PROMPTS.texts["writer_brief"], re.MULTILINE)
    assert check(SCHEMA, json.loads(brief)) == {"message": ["..."] * 3}


def test_every_example_of_a_state_is_in_the_form_of_its_domain() -> None:
    for example in own_examples().all:
        slots = tuple(dict.fromkeys((*TOWN.search_slots(example.domain), *example.slots)))
        written = {"action": example.action, "slots": dict(example.slots)}
        turn = turn_form(slots).read(Reply(json.dumps(written), stop="stop")).value
        assert {slot: value for slot, value in turn.slots.items() if value} == example.slots
