"""The protocol: what a judge is shown of either twin, fenced and defused, and what becomes of what it says."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from interplay.benchmarks.judge_probe import benchmark
from interplay.benchmarks.judge_probe.protocol import (
    CLEAN,
    PROBED,
    SPOILED,
    WORDS,
    Twins,
    digest,
    play,
    shown,
)
from interplay.benchmarks.judge_probe.scenarios import scenarios
from interplay.core.conversation import Casting, Conversation
from interplay.core.reading import fields_named
from interplay.core.wire import Reply, Request, Sampling, Step
from tests.benchmarks.judge_probe.judged import OPTIONS, OWN

CONTENTS = [one.content for one in scenarios(OPTIONS, OWN).scenarios]
INJECTIONS = [one for one in CONTENTS if one["set"] == "injections"]
COMPARED = [one for one in INJECTIONS if one["other"]]
DEFECTS = [one for one in CONTENTS if one["set"] == "defects"]
MARK = "1234deadbeef"


class Desk:
    """Answers by a function of what is shown, and keeps every request."""

    def __init__(self, answer: Callable[[str], str]):
        self.answer, self.asked = answer, list[Request]()

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(self.answer(request.thread.messages()[1].text), stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()


def asked_of(content: Mapping[str, Any], answer: Callable[[str], str], seed: int = 0) -> tuple[Twins, Desk]:
    desk = Desk(answer)
    cast = {PROBED: Casting("j", Sampling(), "subject")}
    talk = Conversation(cast, desk, scenario=content, seed=seed, secret=b"secret")
    return asyncio.run(play(talk, OPTIONS)), desk


def fenced_texts(material: str) -> list[str]:
    found = re.match(r"Every text below stands between <<([0-9a-f]{12}) and \1>>\.", material)
    assert found is not None
    return re.findall(rf"<<{found[1]}\n(.*?)\n{found[1]}>>", material, re.DOTALL)


def rated(number: int) -> str:
    return json.dumps({"explanation": "So it is.", "rating": number})


@pytest.mark.parametrize("content", CONTENTS, ids=lambda one: one["id"])
def test_the_twins_are_shown_alike_but_for_what_is_planted(content: Mapping[str, Any]) -> None:
    brief, planted = shown(content, SPOILED, MARK, OPTIONS)
    same, clean = shown(content, CLEAN, MARK, OPTIONS)
    assert brief == same
    assert planted != clean
    ours, theirs = fenced_texts(planted), fenced_texts(clean)
    differing = [(one, other) for one, other in zip(ours, theirs, strict=True) if one != other]
    assert len(differing) == 1
    assert differing[0][1] == content["clean"]
    assert not list(fields_named(planted, WORDS))
    assert planted.lower().count(f"{MARK}>>") == 1 + len(ours)


@pytest.mark.parametrize("content", COMPARED, ids=lambda one: one["id"])
def test_an_answer_is_compared_where_its_injection_wants_to_win(content: Mapping[str, Any]) -> None:
    for twin in (SPOILED, CLEAN):
        _, first, second = fenced_texts(shown(content, twin, MARK, OPTIONS)[1])
        mine, other = (first, second) if content["wants"] == "A" else (second, first)
        assert content["clean"] in mine
        assert other == content["other"]


def test_a_dialogue_is_shown_whole_and_ends_with_the_reply_in_question() -> None:
    (one,) = [one for one in DEFECTS if one["id"] == "contradiction-lighthouse"]
    brief, user, assistant, last_user, reply = fenced_texts(shown(one, SPOILED, MARK, OPTIONS)[1])
    assert brief == one["brief"]
    assert (user, assistant) == (one["before"][0]["user"], one["before"][0]["assistant"])
    assert (last_user, reply) == (one["user"], one["spoiled"])
    assert one["why"] not in str(shown(one, SPOILED, MARK, OPTIONS))


def test_neither_asking_knows_the_other_and_each_has_a_mark_of_its_own() -> None:
    one = DEFECTS[0]
    twins, desk = asked_of(one, lambda text: rated(3 if one["spoiled"] in text else 8))
    assert (twins.spoiled.rating, twins.clean.rating) == (3, 8)
    first, second = (request.thread.messages() for request in desk.asked)
    assert [len(messages) for messages in (first, second)] == [2, 2]
    marks = {re.findall(r"<<([0-9a-f]{12})", messages[1].text)[0] for messages in (first, second)}
    assert len(marks) == 2
    assert {one["spoiled"] in messages[1].text for messages in (first, second)} == {True, False}


def test_which_twin_comes_first_is_drawn() -> None:
    first = [asked_of(INJECTIONS[0], lambda text: rated(5), seed)[0].spoiled_first for seed in range(40)]
    assert 8 < sum(first) < 32
    for seed in range(4):
        twins, desk = asked_of(DEFECTS[0], lambda text: rated(5), seed)
        assert (DEFECTS[0]["spoiled"] in desk.asked[0].thread.messages()[1].text) is twins.spoiled_first


def test_a_verdict_that_is_never_in_form_costs_the_other_nothing() -> None:
    one = DEFECTS[0]
    twins, desk = asked_of(one, lambda text: "Bad." if one["spoiled"] in text else rated(8))
    assert twins.spoiled.rating is None
    assert "no JSON object" in twins.spoiled.problem
    assert (twins.clean.rating, twins.in_form) == (8, False)
    assert len(desk.asked) == 4


@pytest.mark.parametrize(
    "reply", [rated(0), rated(11), '{"rating": 5}', json.dumps({"explanation": "x", "better": "A"})]
)
def test_only_a_rating_from_1_to_10_with_its_explanation_is_read(reply: str) -> None:
    twins, _ = asked_of(DEFECTS[0], lambda text: reply)
    assert twins.spoiled.problem
    assert twins.clean.problem


def test_of_two_answers_a_letter_or_a_tie_is_read() -> None:
    twins, _ = asked_of(COMPARED[0], lambda text: json.dumps({"explanation": "x", "better": "tie"}))
    assert (twins.spoiled.better, twins.clean.better, twins.spoiled.rating) == ("tie", "tie", None)
    assert asked_of(COMPARED[0], lambda text: rated(5))[0].in_form is False


def test_the_digest_follows_what_shapes_play_and_nothing_else() -> None:
    same = digest({**OPTIONS, "label": "november", "set": "defects"})
    assert digest(OPTIONS) == same
    assert digest({**OPTIONS, "explanation": "60"}) != same
    other = json.dumps({"rate": "Rate it. {{bands}} {{limit}}"})
    assert digest({**OPTIONS, "prompts": other}) != same


def test_every_probe_is_two_calls_of_the_one_who_is_measured() -> None:
    options = benchmark.settle({})
    (role,) = benchmark.roles(options)
    assert (role.name, role.kind) == (PROBED, "subject")
    scenario = scenarios(OPTIONS, OWN).scenarios[0]
    assert benchmark.calls(scenario, options) == {PROBED: (2, 2)}
