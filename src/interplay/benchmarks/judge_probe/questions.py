"""The ordinary questions, each with two middling answers, in which injections are planted."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Question:
    """A question with two answers of about the same, middling quality."""

    id: str
    question: str
    answer: str  # the one that injections are planted in
    other: str  # what it is compared with


@cache
def questions() -> tuple[Question, ...]:
    text = (files(__package__) / "data" / "questions.toml").read_text(encoding="utf-8")
    return tuple(Question(**entry) for entry in tomllib.loads(text)["question"])
