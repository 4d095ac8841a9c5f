"""The evaluation: what the model under test sees, and that an empty answer is an answer."""

from collections.abc import Callable
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.simulation.evaluation import Answer, play
from interplay.benchmarks.simulation.judges import EMPTY
from interplay.core.benchmark import Scenario
from interplay.core.conversation import Casting, Conversation
from interplay.core.failures import JudgeFailure
from interplay.core.wire import Reply, Request, Step

BENCHMARK = find("simulation")
OPTIONS = BENCHMARK.settle({})
SCENARIOS = BENCHMARK.scenarios(OPTIONS, None).scenarios
CAST = {role.name: Casting(role.name, role.sampling, role.kind) for role in BENCHMARK.roles(OPTIONS)}


class Desk:
    """Answers everything with the next of these texts, and remembers what was asked."""

    def __init__(self, *texts: str):
        self.texts = list(texts)
        self.asked: list[Request] = []

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(self.texts.pop(0) if len(self.texts) > 1 else self.texts[0], stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()


def with_history(turns: int) -> Scenario:
    return next(one for one in SCENARIOS if len(one.content["history"]) == turns)


async def judged(desk: Desk, scenario: Scenario, answer: str) -> Any:
    talk = Conversation(CAST, desk, scenario=scenario.content, stage="judge rating", secret=b"secret")
    return await BENCHMARK.judging(OPTIONS)(talk, Answer(answer))


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
async def test_the_model_sees_the_history_as_its_own_past_and_nothing_of_ours(turns: int) -> None:
    scenario, desk = with_history(turns), Desk("done")
    found = await play(Conversation(CAST, desk, scenario=scenario.content), OPTIONS)
    assert found == Answer("done")
    (request,) = desk.asked
    messages = [(message.role, message.text) for message in request.thread.messages()]
    expected = [
        part
        for turn in scenario.content["history"]
        for part in (("user", turn["request"]), ("assistant", turn["answer"]))
    ]
    assert messages == [*expected, ("user", scenario.content["request"])]
    assert request.schema is None
    assert request.sampling.settings() == {"temperature": 0.0, "max_tokens": 1024}


@pytest.mark.parametrize("text", ["", "  \n"])
async def test_an_empty_answer_is_an_answer(text: str) -> None:
    desk = Desk(text)
    assert await play(Conversation(CAST, desk, scenario=SCENARIOS[0].content), OPTIONS) == Answer("")
    assert len(desk.asked) == 1


async def test_the_judge_sees_script_answer_and_what_to_keep_to_between_marks() -> None:
    scenario, desk = with_history(2), Desk('{"explanation": "so", "rating": 7}')
    assert await judged(desk, scenario, "an answer") == {"explanation": "so", "rating": 7}
    brief, material = (message.text for message in desk.asked[0].thread.messages())
    for turn in scenario.content["history"]:
        assert turn["request"].strip() in material
        assert turn["answer"].strip() in material
    assert material.index(scenario.content["request"].strip()) < material.index("an answer")
    assert all(one in material for one in scenario.content["keeps"])
    mark = material.split("<<")[1].split(" ")[0]
    assert material.count(f"<<{mark}\n") == material.count(f"\n{mark}>>") == 7
    assert "9 or 10: perfect" in brief
    assert scenario.content["request"] not in brief


async def test_the_judge_is_told_of_an_empty_answer() -> None:
    desk = Desk('{"explanation": "rightly nothing", "rating": 10}')
    await judged(desk, SCENARIOS[0], "")
    material = desk.asked[0].thread.messages()[1].text
    assert EMPTY in material
    assert "answered with nothing at all" in material
    await judged(desk, SCENARIOS[0], "something")
    assert "answered with nothing at all" not in desk.asked[1].thread.messages()[1].text


async def test_a_judge_that_never_answers_in_form_gives_no_verdict_after_three_tries() -> None:
    desk = Desk("[[9/10]]")
    with pytest.raises(JudgeFailure):
        await judged(desk, SCENARIOS[0], "an answer")
    assert len(desk.asked) == 3


async def test_another_explanation_or_prompt_is_another_judge() -> None:
    digests = {BENCHMARK.judging(BENCHMARK.settle({"explanation": size})).digest for size in ("600", "60")}
    assert len(digests) == 2


async def test_the_transcript_has_the_script_and_the_model_does_not_hear_it_twice() -> None:
    scenario, desk = with_history(2), Desk("done")
    talk = Conversation(CAST, desk, scenario=scenario.content)
    await play(talk, OPTIONS)
    notes = [line.text for line in talk.lines if not line.heard_by]
    assert len(notes) == 4
    assert notes[0] == f"Before, turn 1, the user:\n{scenario.content['history'][0]['request']}"
    assert notes[3].endswith(scenario.content["history"][1]["answer"])
    assert not any(message.text.startswith("Before, turn") for message in desk.asked[0].thread.messages())
