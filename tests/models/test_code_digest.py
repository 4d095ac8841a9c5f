"""The digest of a function's code: what changes it, and what does not."""

import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from interplay.models.code_digest import code_digest
from interplay.models.python import python_model
from interplay.models.scripted import Scripted

BOT = """
import json
import other
from other import Voice

GREETING = "Hello"
VOICE = Voice("low")


def helper(text):
    return json.dumps(GREETING + text)


def answer(messages, mood="calm"):
    def inner():
        return other.word() + VOICE.say()

    return helper(inner()) + mood


def unrelated():
    return 1


def made(text):
    def answer(messages):
        return text

    return answer
"""
OTHER = """
def word():
    return "there"


def unused():
    return 1


class Voice:
    def __init__(self, pitch):
        self.pitch = pitch

    def say(self):
        return self.pitch
"""
Load = Callable[..., Any]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """A function of a bot in two files, in which texts are changed before they are loaded."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        sys, "dont_write_bytecode", True
    )  # whose times are too coarse for what changes at once

    def load(name: str = "answer", **changes: str) -> Any:
        sys.modules.pop("other", None)
        texts = {"bot.py": BOT, "other.py": OTHER}
        for file, text in texts.items():
            for before, after in changes.items():
                text = text.replace(before, after)
            (tmp_path / file).write_text(text)
        model = python_model("mine", f"{tmp_path / 'bot.py'}:{name}")
        assert isinstance(model, Scripted)
        return model.script

    yield load
    sys.modules.pop("other", None)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("calm", "wild"),
        ("Hello", "Good day"),
        ("return helper(", "return 2 * helper("),
        ("json.dumps(", "json.dumps(2 * "),
        ("there", "here"),
        ("low", "high"),
        ("return self.pitch", "return 2 * self.pitch"),
    ],
)
def test_whatever_a_function_depends_on_changes_its_digest(load: Load, before: str, after: str) -> None:
    assert code_digest(load()) != code_digest(load(**{before: after}))


@pytest.mark.parametrize(
    ("before", "after"), [("return 1", "return 2"), ("\n\n\n", "\n\n\n\n# a remark\n\n")]
)
def test_what_it_does_not_depend_on_does_not(load: Load, before: str, after: str) -> None:
    first = code_digest(load())
    assert len(first) == 8
    assert code_digest(load()) == code_digest(load(**{before: after})) == first


def test_what_a_function_was_made_with_is_part_of_it(load: Load) -> None:
    made = load("made")
    assert code_digest(made("a")) == code_digest(made("a")) != code_digest(made("b"))
    answer = load()
    happy, sad = (code_digest(functools.partial(answer, mood=mood)) for mood in ("happy", "sad"))
    assert len({happy, sad, code_digest(answer)}) == 3
    voice = load("Voice")
    low, high = code_digest(voice("low").say), code_digest(voice("high").say)
    assert low == code_digest(voice("low").say) != high


def test_what_goes_round_in_circles_ends(load: Load) -> None:
    voice = load("Voice")("low")
    voice.itself = [voice, {"and": voice}]
    assert code_digest(voice.say)


def test_code_without_a_file_is_told_by_what_it_was_made_into() -> None:
    def made(text: str) -> Any:
        found: dict[str, Any] = {}
        exec(f"def answer(messages):\n    return [one + {text!r} for one in messages]", found)
        return found["answer"]

    assert code_digest(made("a")) == code_digest(made("a")) != code_digest(made("b"))


@pytest.mark.parametrize("function", [repr, len, str.upper, functools.partial(print, "x"), Path.cwd])
def test_what_is_not_the_user_s_code_has_none(function: Callable[..., Any]) -> None:
    assert code_digest(function) == ""
