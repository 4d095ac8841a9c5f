"""The judge of task dialogues: what each question shows, what is read of its answers, and what no text can do."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.dialogue import ENDS, FLAGS, Exchange
from interplay.benchmarks.task_dialogue.goals import goal_of
from interplay.benchmarks.task_dialogue.judges import (
    LONGEST_SHOWN,
    PROMPTS,
    QUESTIONS,
    RATINGS,
    Judged,
    judgeable,
    phrases_form,
    scores_of,
)
from interplay.core.benchmark import Scenario
from interplay.core.conversation import MOST_TRIES
from interplay.core.failures import JudgeFailure
from interplay.core.forms import JsonForm
from interplay.core.wire import Message, Reply, canonical
from tests.benchmarks.judged_dialogue import (
    ANSWERS,
    DIALOGUE,
    GOAL,
    MODEL,
    OPTIONS,
    PHRASES,
    VERDICT,
    Desk,
    answering,
    judged,
    mark_for,
    question_in,
    read_of,
    sound,
    talk_at,
)


async def test_one_judge_answers_four_questions_and_its_verdict_is_flat() -> None:
    verdict, desk = await judged()
    assert verdict == VERDICT
    assert list(desk.materials) == list(QUESTIONS)
    assert [(step.participant, step.number) for step, _ in desk.asked] == [(MODEL, n) for n in range(4)]


async def test_every_question_is_asked_by_itself_under_the_same_brief() -> None:
    _, desk = await judged()
    threads = [request.thread.messages() for _, request in desk.asked]
    assert [[message.role for message in thread] for thread in threads] == [["system", "user"]] * 4
    assert len({thread[0].text for thread in threads}) == 1
    assert not any("Found and booked" in message.text for thread in threads for message in thread)


def test_the_plan_says_four_calls() -> None:
    assert Judged(OPTIONS).calls(Scenario({}, "one"), {}, MODEL) == (4, 4)


async def test_the_turns_are_numbered_and_each_text_stands_between_marks() -> None:
    _, desk = await judged()
    for name, material in desk.materials.items():
        mark = mark_for(name)
        texts = {
            "Turn 1, user": "Cheap thai food, please.",
            "Turn 1, system": "Try The Lemongrass Barge.",
            "Turn 2, user": "A table for five, saturday at 7 pm.",
            "Turn 2, system": "Booked: reference K7Q2M4P8.",
            "Closing words of the user": "Lovely, goodbye.",
        }
        blocks = [f"{who}:\n<<{mark}\n{text}\n{mark}>>" for who, text in texts.items()]
        assert "\n\n".join(blocks) in material


async def test_no_two_calls_have_the_same_mark() -> None:
    found = set()
    for secret in (b"secret", b"another"):
        desk = Desk(sound)
        await Judged(OPTIONS)(talk_at(desk, secret), DIALOGUE)
        found |= {re.search("<<([0-9a-f]{12}) and", text)[1] for text in desk.materials.values()}  # type: ignore[index]
    assert len(found) == 8


async def test_nothing_else_of_the_record_is_shown_nor_how_it_ended() -> None:
    _, desk = await judged(goal_shown="yes")
    secrets = (
        "secret thought",
        "hidden idea",
        "find it",
        "sub-goal state",
        "offered row",
        "booked title",
        "OF-RECORD",
    )
    others = ("refused title", "refused reason", "looked-up food", "G001", *FLAGS)
    shown = "\n".join(desk.materials.values())
    assert [secret for secret in (*secrets, *others) if secret in shown] == []
    for end in ENDS:
        _, other = await judged(dialogue=replace(DIALOGUE, ended=end), goal_shown="yes")
        assert other.materials == desk.materials


async def test_only_coherence_sees_the_goal_unless_completion_is_to_see_it_too() -> None:
    words = goal_of(GOAL).text
    (_, hidden), (_, shown) = await judged(), await judged(goal_shown="yes")
    for desk, seeing in ((hidden, {"coherence"}), (shown, {"completion", "coherence"})):
        assert {name for name, text in desk.materials.items() if "The user's goal" in text} == seeing
        assert {name for name, text in desk.materials.items() if words in text} == seeing
        for name in seeing:
            assert f"<<{mark_for(name)}\n{words}\n{mark_for(name)}>>" in desk.materials[name]
    assert [name for name in QUESTIONS if hidden.materials[name] != shown.materials[name]] == ["completion"]


async def test_the_phrases_are_listed_by_number_and_in_their_question_alone() -> None:
    _, desk = await judged()
    listed = "\n".join(f"{number}. {phrase}" for number, phrase in enumerate(PHRASES, 1))
    mark = mark_for("phrases")
    assert f"<<{mark}\n{listed}\n{mark}>>" in desk.materials["phrases"]
    assert [name for name, text in desk.materials.items() if "1. thai" in text] == ["phrases"]
    assert '"phrase_5", "phrase_6".' in desk.materials["phrases"]
    assert "from 1 to 2, or 0" in desk.materials["phrases"]


async def test_a_question_names_every_field_and_every_band_of_its_form() -> None:
    _, desk = await judged()
    for _, request in desk.asked:
        assert request.schema is not None
        text = request.thread.messages()[1].text
        assert [name for name in request.schema["properties"] if f'"{name}"' not in text] == []
    for name, bands in RATINGS.items():
        text = desk.materials["coherence" if name.startswith("coherence") else "manner"]
        assert all(f"{step}: {meaning}" in text for step, meaning in bands.items())


async def test_a_side_that_said_nothing_is_said_to_have_outside_the_marks() -> None:
    silent = (Exchange("Hello?", " \u200b\n"), Exchange("Anyone?", "(nothing)"))
    _, desk = await judged(dialogue=replace(DIALOGUE, exchanges=silent, closing=" \n"))
    for name, text in desk.materials.items():
        assert "Turn 1, system: said nothing.\n\nTurn 2, user:" in text
        assert f"Turn 2, system:\n<<{mark_for(name)}\n(nothing)\n" in text
        assert "Closing words of the user:" not in text


async def test_a_long_text_is_cut_and_said_to_be() -> None:
    long = Exchange("  " + "u" * LONGEST_SHOWN, "s" * LONGEST_SHOWN + "the rest")
    _, desk = await judged(dialogue=replace(DIALOGUE, exchanges=(long,) * 2))
    for text in desk.materials.values():
        assert f"Turn 2, system (the first 4,000 of {LONGEST_SHOWN + 8:,} characters):" in text
        assert "Turn 2, user:" in text, "blanks around a text do not count"
        assert "the rest" not in text
        assert len(text) < 4 * LONGEST_SHOWN + 6_000


EMPTY = {
    "no exchange": (),
    "empty texts": (Exchange("", ""), Exchange("", "")),
    "blanks": (Exchange(" \n\t", "\u200b\u2060\ufeff"),),
    "control characters": (Exchange("\0\x1b", "\u202e"),),
    "a user that never spoke": (Exchange("", "Hello, how can I help?"),) * 3,
}


@pytest.mark.parametrize("exchanges", EMPTY.values(), ids=EMPTY)
async def test_an_empty_dialogue_is_never_judged(exchanges: tuple[Exchange, ...]) -> None:
    empty = replace(DIALOGUE, exchanges=exchanges, closing="Thank you, that was all.")
    desk = Desk(sound)
    assert not judgeable(empty)
    with pytest.raises(JudgeFailure, match="there is nothing to judge"):
        await Judged(OPTIONS)(talk_at(desk), empty)
    assert desk.asked == []


@pytest.mark.parametrize("said", ["Hello?", "?", "\N{WAVING HAND SIGN}"])
def test_a_dialogue_with_a_user_is_judged_even_if_the_system_was_silent(said: str) -> None:
    assert judgeable(replace(DIALOGUE, exchanges=(Exchange("", ""), Exchange(said, ""))))


def changed(name: str, **fields: Any) -> str:
    return json.dumps({**ANSWERS[name], **fields})


def without(name: str, field: str) -> str:
    return json.dumps({key: value for key, value in ANSWERS[name].items() if key != field})


OFF_THE_SCALE = [
    *(("completion", "completed", value) for value in (2, -1, 0.5, "yes", True, False, None, "1/1")),
    *(("phrases", "phrase_1", value) for value in (3, -1, 1.5, "never", True, None, [1])),
    *(("manner", name, 6) for name in ("naturalness_user", "naturalness_system")),
    *(("manner", name, 0) for name in ("naturalness_user", "naturalness_system", "diversity_user")),
    *(("manner", "diversity_user", value) for value in (4, 5, 2.5, "3/3", "high", True)),
    *(("coherence", name, value) for name in ("coherence_user", "coherence_system") for value in (4, 0, 2.5)),
]


@pytest.mark.parametrize(("name", "field", "value"), OFF_THE_SCALE)
async def test_an_answer_off_the_scale_is_asked_for_again_and_then_a_judge_error(
    name: str, field: str, value: Any
) -> None:
    assert await read_of(name, changed(name, **{field: value})) is None


@pytest.mark.parametrize(("name", "field"), [(name, field) for name in QUESTIONS for field in ANSWERS[name]])
async def test_every_field_must_be_there(name: str, field: str) -> None:
    assert await read_of(name, without(name, field)) is None


OUT_OF_FORM = {
    "prose": ("completion", "The system did it all. completed: 1"),
    "no-feedback": ("completion", changed("completion", feedback=" ")),
    "another-field": ("completion", changed("completion", confidence=1)),
    "a-field-of-another-question": ("completion", changed("completion", coherence_user=3)),
    "two-verdicts": ("completion", changed("completion") + " or " + changed("completion", completed=1)),
    "given-twice": ("completion", '{"feedback": "so", "completed": 0, "completed": 1}'),
    "a-phrase-too-many": ("phrases", changed("phrases", phrase_7=1)),
    "a-phrase-twice": ("phrases", changed("phrases")[:-1] + ', "phrase_6": 2}'),
    "a-phrase-zero": ("phrases", changed("phrases", phrase_0=1)),
    "a-list": ("phrases", json.dumps([{"phrase": 1, "turn": 1}] * 6)),
    "a-share": ("phrases", '{"score": 0.83}'),
    "cut-off": ("coherence", changed("coherence")[:-30]),
    "ratings-of-another-question": ("coherence", changed("manner")),
}


@pytest.mark.parametrize(("name", "reply"), OUT_OF_FORM.values(), ids=OUT_OF_FORM)
async def test_an_answer_out_of_form_is_asked_for_again_and_then_a_judge_error(name: str, reply: str) -> None:
    assert await read_of(name, reply) is None


async def test_a_judge_is_told_what_was_wrong_and_heard_once_it_is_in_form() -> None:
    def late(messages: Sequence[Message]) -> str:
        name = question_in(messages)
        return changed(name, diversity_user=4) if name == "manner" and len(messages) == 2 else sound(messages)

    verdict, desk = await judged(late)
    assert verdict == VERDICT
    again = desk.asked[3][1].thread.messages()[-1].text
    assert again == "Your reply does not fit the form: diversity_user must be a number from 1 to 3."
    assert len(desk.asked) == 5
    assert len(desk.asked[4][1].thread.messages()) == 2, "the next question is asked as if nothing had been"


async def test_a_turn_beyond_the_dialogue_is_told_to_be() -> None:
    desk = Desk(answering("phrases", changed("phrases", phrase_4=3)))
    with pytest.raises(JudgeFailure, match="phrase_4 must be a number from 0 to 2"):
        await Judged(OPTIONS)(talk_at(desk), DIALOGUE)
    assert len(desk.asked) == 1 + MOST_TRIES, "no further question is paid for"


async def test_the_phrases_of_a_verdict_are_in_their_order_whatever_order_they_were_given_in() -> None:
    reply = json.dumps(dict(list(ANSWERS["phrases"].items())[::-1]))
    assert await read_of("phrases", reply) == VERDICT


async def test_a_long_explanation_is_cut_and_a_number_as_text_is_a_number() -> None:
    long = changed("manner", diversity_user_explanation="x" * 900, diversity_user="1")
    verdict = await read_of("manner", long)
    assert verdict is not None
    assert (verdict["diversity_user"], len(verdict["diversity_user_explanation"])) == (1, 400)


def test_every_schema_can_be_met_by_an_answer_that_is_made_from_it_alone() -> None:
    """A plan of costs is rehearsed with such answers: what the reader asks beyond its schema would break it."""
    form: JsonForm[Any] = phrases_form(3, 2)
    made = {name: inner["minimum"] for name, inner in form.schema["properties"].items()}
    read = form.read(Reply(json.dumps(made), stop="stop")).value
    assert read == {"phrases": [{"phrase": number, "turn": 0} for number in (1, 2, 3)]}


def test_the_scores_of_a_verdict() -> None:
    assert scores_of(VERDICT) == {
        "completed": 0.0,
        "user_agent": pytest.approx(5 / 6),
        "naturalness_user": 2.0,
        "naturalness_system": 2.0,
        "diversity_user": 1.0,
        "coherence_user": 2.0,
        "coherence_system": 1.0,
    }
    assert all(type(value) is float for value in scores_of(VERDICT).values())


def test_another_rubric_is_another_judge() -> None:
    names = [f"judge_{name}" for name in ("brief", "material", *QUESTIONS)]
    edited = [canonical({name: PROMPTS.texts[name] + "\nBe strict."}) for name in names]
    others = [Judged(OPTIONS | {"prompts": kept}) for kept in edited]
    others += [Judged(OPTIONS | {"goal_shown": "yes"}), Judged(OPTIONS | {"explanation": "200"})]
    digests = {one.digest for one in (Judged(OPTIONS), *others)}
    assert len(digests) == 1 + len(others)
    other_role = canonical({"user_vanilla": "Be a user."})
    assert Judged(OPTIONS | {"prompts": other_role}).digest == Judged(OPTIONS).digest


async def test_a_users_own_prompt_is_what_the_judge_is_shown() -> None:
    own = PROMPTS.texts["judge_completion"] + "\nBe strict."
    verdict, desk = await judged(prompts=canonical({"judge_completion": own}))
    assert verdict == VERDICT
    assert [name for name in QUESTIONS if desk.materials[name].endswith("\nBe strict.")] == ["completion"]
