"""The judge: reads the lesson, says what is good and what is not, then gives two numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from interplay.authoring import FormJudge, Longest, Options, Range

from .protocol import PROMPTS, Lesson


@dataclass(frozen=True)
class Opinion:
    """The form of a verdict; its explanation comes first, so that the numbers follow from it."""

    explanation: Annotated[str, Longest(600)]
    clarity: Annotated[int, Range(1, 5)]
    accuracy: Annotated[int, Range(1, 5)]


def judge(options: Options) -> FormJudge:
    return FormJudge(Opinion, PROMPTS.chosen(options["prompts"]).fill("judge"), shown)


def shown(scenario: Mapping[str, Any], lesson: Lesson) -> list[tuple[str, str]]:
    """What the judge sees, title by title; all of it is fenced in, so that no answer can pass for an instruction."""
    parts = [("What is to be explained", scenario["concept"]), ("What is true of it", scenario["fact"])]
    for number, one in enumerate(lesson.exchanges, 1):
        parts += [(f"Question {number}", one.question), (f"Answer {number}", one.answer)]
    return parts
