"""A model that is a function in a user's own file."""

import threading
from pathlib import Path

import pytest

from interplay.core.failures import Mistake
from interplay.core.wire import Message, Reply, Request, Sampling, Thread
from interplay.models.calling import CallFailed
from interplay.models.prices import FREE
from interplay.models.python import python_model

REQUEST = Request("bot", Thread.start(Message("system", "brief")).then("user", "hello"), Sampling())
SOURCE = """
import asyncio
import threading

from interplay.core.wire import Reply

HEARD = []
NUMBER = 7

def answer(messages):
    return f"{len(messages)}: {messages[-1].role} said {messages[-1].text}"

async def answer_later(messages):
    await asyncio.sleep(0)
    return "later"

def whole(messages):
    return Reply("whole", tokens_in=3, tokens_out=4, cost=0.5)

def remembering(messages):
    HEARD.append(messages[-1].text)
    return str(len(HEARD))

def where(messages):
    return threading.current_thread().name

def broken(messages):
    return 1 / 0

class Bot:
    def __init__(self, messages):
        self.messages = messages

class Caller:
    def __call__(self, messages):
        return "called"

    async def later(self, messages):
        return "a method, later"

caller = Caller()
later = caller.later
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my bot.py"
    path.write_text(SOURCE)
    return path


async def said_by(file: Path, function: str) -> Reply:
    model = python_model(f"python/{file}:{function}", f"{file}:{function}")
    await model.check()
    reply = await model.reply(REQUEST)
    await model.close()
    return reply


@pytest.mark.parametrize(
    "function, text",
    [
        ("answer", "2: user said hello"),
        ("answer_later", "later"),
        ("caller", "called"),
        ("later", "a method, later"),
    ],
)
async def test_a_function_gets_the_messages_and_its_text_is_the_reply(
    file: Path, function: str, text: str
) -> None:
    reply = await said_by(file, function)
    assert (reply.text, reply.cost, reply.version) == (text, 0.0, f"python/{file}:{function}")


async def test_a_function_may_say_what_it_used(file: Path) -> None:
    assert await said_by(file, "whole") == Reply("whole", tokens_in=3, tokens_out=4, cost=0.5)


async def test_a_function_runs_in_a_thread_of_its_own_and_its_file_is_loaded_once(file: Path) -> None:
    assert (await said_by(file, "where")).text != threading.current_thread().name
    model = python_model("bot", f"{file}:remembering")
    assert [(await model.reply(REQUEST)).text for _ in range(3)] == ["1", "2", "3"]
    assert (model.price, model.remembers, model.ignores) == (FREE, False, frozenset())


async def test_what_a_function_raises_or_gives_back_by_mistake_is_a_failed_call(file: Path) -> None:
    with pytest.raises(CallFailed) as raised:
        await said_by(file, "broken")
    assert (raised.value.cause, raised.value.detail) == ("broken", "ZeroDivisionError: division by zero")
    with pytest.raises(CallFailed, match="the function gave back Bot, not a text"):
        await said_by(file, "Bot")


@pytest.mark.parametrize("place", ["bot.py", "bot:answer", "bot.py:", ":answer", "answer", "bot.txt:answer"])
def test_a_name_of_another_form_is_a_mistake(place: str) -> None:
    with pytest.raises(Mistake, match=r"a function is named as in python/bot\.py:answer"):
        python_model(f"python/{place}", place)


def test_a_file_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    for name in ("no.py", "folder.py"):
        (tmp_path / "folder.py").mkdir(exist_ok=True)
        with pytest.raises(Mistake, match="there is no file"):
            python_model("python/x", f"{tmp_path / name}:answer")


def test_a_wrong_function_comes_with_the_nearest(file: Path) -> None:
    with pytest.raises(Mistake, match="has no function 'anwser'; did you mean 'answer'"):
        python_model("python/x", f"{file}:anwser")
    with pytest.raises(Mistake, match="has no function 'NUMBER'"):
        python_model("python/x", f"{file}:NUMBER")


@pytest.mark.parametrize(
    "source, words",
    [
        ("def answer(:", "SyntaxError"),
        ("import no_such_module_anywhere", "ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
        ("raise RuntimeError('not today')", "RuntimeError: not today"),
        ("x = 1 / 0", "ZeroDivisionError"),
        ("x = '\udcff'", "cannot be loaded"),
    ],
)
def test_a_file_that_does_not_load_is_a_mistake_that_says_why(
    tmp_path: Path, source: str, words: str
) -> None:
    path = tmp_path / "bot.py"
    path.write_bytes(source.encode("utf-8", "surrogateescape"))
    with pytest.raises(Mistake, match=words) as raised:
        python_model("python/bot", f"{path}:answer")
    assert "cannot be loaded" in str(raised.value)
    assert str(path) in str(raised.value)


def test_two_files_of_one_name_are_two_files(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bot.py").write_text(f"def answer(messages):\n    return {folder!r}\n")
    first = python_model("a", f"{tmp_path / 'a' / 'bot.py'}:answer")
    second = python_model("b", f"{tmp_path / 'b' / 'bot.py'}:answer")
    messages = REQUEST.thread.messages()
    assert (first.script(messages), second.script(messages)) == ("a", "b")  # type: ignore[attr-defined]


def test_a_file_may_hold_dataclasses_with_late_annotations(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass State:\n    turns: int = 0\n\ndef answer(messages):\n    return 'x'\n"
    )
    assert python_model("bot", f"{path}:answer").name == "bot"


def test_a_file_that_ends_the_program_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text("import sys\n\ndef answer(messages):\n    return 'x'\n\nsys.exit(3)\n")
    with pytest.raises(Mistake, match="cannot be loaded"):
        python_model("bot", f"{path}:answer")
