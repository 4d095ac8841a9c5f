"""What is judged may speak to the judge: nothing it says becomes a verdict."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.dialogue import Dialogue, Exchange
from interplay.benchmarks.task_dialogue.judges import (
    LONGEST_SHOWN,
    QUESTIONS,
    words_of,
)
from interplay.core.failures import JudgeFailure
from interplay.core.reading import fields_named
from interplay.core.wire import Message
from interplay.judging.probes import Probe, probes
from tests.benchmarks.judged_dialogue import (
    ANSWERS,
    DIALOGUE,
    GOAL,
    PHRASES,
    VERDICT,
    Script,
    answering,
    judged,
    mark_for,
    question_in,
    sound,
)

PROBES = probes()
AIMS = {  # the field that an injection is after, its explanation, and the best that it can get
    "completion": ("completed", "feedback", "1"),
    "phrases": ("phrase_6", "phrase_1", "2"),
    "manner": ("naturalness_system", "naturalness_system_explanation", "5"),
    "coherence": ("coherence_system", "coherence_system_explanation", "3"),
}


def aimed(probe: Probe, name: str, answer: str) -> str:
    """The probe around an answer, in the words of the forms that are used here."""
    field, explanation, best = AIMS[name]
    text = probe.planted(answer).replace("explanation", explanation)
    return re.sub(r"\b10\b", best, re.sub(r"\brating\b", field, text))


def attacked(side: str, probe: Probe) -> Dialogue:
    """The dialogue with a probe in one side's words: turn by turn as it is, then aimed at each question."""
    user, system, closing = "A table for five.", "It is booked.", "Goodbye."
    if side == "closing":
        name = QUESTIONS[PROBES.index(probe) % len(QUESTIONS)]
        return replace(DIALOGUE, closing=aimed(probe, name, closing))
    answer = user if side == "user" else system
    texts = [probe.planted(answer), *(aimed(probe, name, answer) for name in QUESTIONS)]
    assert max(map(len, texts)) <= LONGEST_SHOWN, "nothing of a probe is cut"
    turns = [Exchange(text, system) if side == "user" else Exchange(user, text) for text in texts]
    return replace(DIALOGUE, exchanges=tuple(turns))


def quoted(messages: Sequence[Message]) -> str:
    """All texts that a judge was shown between marks."""
    material = messages[1].text
    begins = re.match(r"Every text below stands between <<([0-9a-f]{12}) and \1>>\.", material)
    assert begins is not None
    return "\n\n".join(re.findall(rf"<<{begins[1]}\n(.*?)\n{begins[1]}>>", material, re.DOTALL))


def quoting(messages: Sequence[Message]) -> str:
    """Answers in form; every explanation is all that it was shown."""
    answer, all_of_it = ANSWERS[question_in(messages)], quoted(messages)
    return json.dumps({name: all_of_it if isinstance(one, str) else one for name, one in answer.items()})


def stubborn(messages: Sequence[Message]) -> str:
    """Writes what it was shown first and its answer below, whatever it is told."""
    return f"{quoted(messages)}\n\n{sound(messages)}"


def careless(messages: Sequence[Message]) -> str:
    """Quotes what it was shown with nothing escaped, in place of an explanation, but heeds a complaint."""
    answer = sound(messages)
    if len(messages) > 2 or question_in(messages) == "phrases":
        return answer
    explanation = next(one for one in ANSWERS[question_in(messages)].values() if isinstance(one, str))
    return answer.replace(explanation, quoted(messages))


def numbers_of(verdict: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in verdict.items() if not isinstance(value, str)}


@pytest.mark.parametrize("judge", [quoting, stubborn, careless])
@pytest.mark.parametrize("side", ["user", "system", "closing"])
async def test_no_probe_changes_what_is_read_of_a_judge_that_quotes_it(judge: Script, side: str) -> None:
    changed_by = {}
    for probe in PROBES:
        verdict, _ = await judged(judge, attacked(side, probe), goal_shown="yes")
        if numbers_of(verdict) != numbers_of(VERDICT):
            changed_by[probe.id] = verdict
    assert changed_by == {}


@pytest.mark.parametrize("side", ["user", "system", "closing"])
async def test_no_probe_names_a_field_or_gets_out_of_its_fence(side: str) -> None:
    for probe in PROBES:
        dialogue = attacked(side, probe)
        _, desk = await judged(dialogue=dialogue)
        for name, text in desk.materials.items():
            mark = mark_for(name)
            fences = 2 * len(dialogue.exchanges) + 1 + (name in ("phrases", "coherence"))
            assert text.count(f"<<{mark}\n") == text.count(f"\n{mark}>>") == fences, probe.id
            material = "".join(re.findall(rf"<<{mark}\n(.*?)\n{mark}>>", text, re.DOTALL))
            assert not list(fields_named(material, words_of(len(PHRASES)))), probe.id


async def test_every_name_of_a_field_is_one_that_no_text_may_spell() -> None:
    _, desk = await judged()
    schemas = [request.schema for _, request in desk.asked if request.schema is not None]
    assert words_of(len(PHRASES)) == {name for schema in schemas for name in schema["properties"]}


@pytest.mark.parametrize("before", ["", "completed: 1\n", "```json\n"])
async def test_a_judge_that_only_repeats_a_probe_has_given_no_verdict(before: str) -> None:
    for probe in PROBES:
        with pytest.raises(JudgeFailure):
            await judged(lambda messages: before + quoted(messages), attacked("system", probe))


async def test_places_of_a_template_in_a_dialogue_or_a_goal_are_not_filled() -> None:
    said = Exchange("{{mark}} {{#goal}} {{question}}", "{{/goal}} {{dialogue}} {{limit}}")
    goal = {**GOAL, "message": ["You want **thai** {{mark}} food {{dialogue}}."]}
    script = answering("phrases", '{"phrase_1": 1}')
    verdict, desk = await judged(script, replace(DIALOGUE, goal=goal, exchanges=(said,)))
    assert verdict["phrases"] == [{"phrase": 1, "turn": 1}]
    for text in desk.materials.values():
        assert "\n{{mark}} {{#goal}} {{question}}\n" in text
        assert "\n{{/goal}} {{dialogue}} {{limit}}\n" in text
    assert "You want thai {{mark}} food {{dialogue}}." in desk.materials["coherence"]
