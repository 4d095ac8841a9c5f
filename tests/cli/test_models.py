"""Models by all their names, through whole runs: entries, functions in files, keys of .env."""

from pathlib import Path
from typing import Any

import pytest

from interplay.models.loopback import Asked, Loopback, serving
from interplay.store.records import Records
from tests.cli.provider import Typist
from tests.running.job import answer

KEY = "sk-canary-8f3aQz0123456789"
CAST = ["--model-role", "interrogator=openai/user", "--model-role", "judge=openai/judge-1"]
SHORT = ["--limit", "1", "--turns", "1"]


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typist:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return Typist(tmp_path / "interplay.db", capsys)


class Seen:
    """A script that keeps what it was asked."""

    def __init__(self) -> None:
        self.bodies: list[Any] = []

    def __call__(self, asked: Asked) -> str:
        self.bodies.append(asked.body)
        return answer(asked)

    def settings_of(self, model: str, *keys: str) -> set[tuple[Any, ...]]:
        return {tuple(body.get(key) for key in keys) for body in self.bodies if body["model"] == model}


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*.db*") if path.is_file())


# Sampling of an entry


def entries(text: str) -> None:
    Path("models.toml").write_text(text)


SAMPLED = '[models.mine]\nmodel = "openai/player"\nsampling = { temperature = 0.25, max_tokens = 77 }\n'


def test_an_entry_s_sampling_reaches_the_requests_the_identity_and_the_board(typist: Typist) -> None:
    entries(SAMPLED + '[models.j]\nmodel = "openai/judge-1"\nsampling = { top_p = 0.5 }\n')
    seen = Seen()
    with serving(Loopback(seen)) as url:
        words = ["run", "role_play", "--base-url", url, "--model-role", "interrogator=openai/user", *SHORT]
        board = typist.reads(*words, "--model", "mine", "--model-role", "judge=j")
        assert seen.settings_of("player", "temperature", "top_p", "max_tokens") == {(0.25, 0.9, 77)}
        assert seen.settings_of("judge-1", "temperature", "top_p") == {(0.1, 0.5)}
        assert board["rows"][0]["sampling"] == "max_tokens 77, temperature 0.25"
        with Records(typist.store) as records:
            assert records.find("last").identity["sampling"] == {
                "mine": {"temperature": 0.25, "max_tokens": 77},
                "j": {"top_p": 0.5},
            }
        again = typist.reads(*words, "--model", "mine", "--model-role", "judge=j")
        assert again["run"] == board["run"]
        entries(SAMPLED.replace("0.25", "0.5") + '[models.j]\nmodel = "openai/judge-1"\n')
        other = typist.reads(*words, "--model", "mine", "--model-role", "judge=j")
        assert other["run"] != board["run"]


def test_what_is_typed_goes_before_the_entry(typist: Typist) -> None:
    entries(SAMPLED)
    seen = Seen()
    with serving(Loopback(seen)) as url:
        typed = ["--sampling", "mine.temperature=0.75", "--sampling", "player.max_tokens=10"]
        typist.types("run", "role_play", "--base-url", url, "--model", "mine", *CAST, *SHORT, *typed)
    assert seen.settings_of("player", "temperature", "max_tokens") == {(0.75, 77)}


def joined(typist: Typist, url: str) -> None:
    """A run of one conversation that a judge with sampling of its own has joined."""
    typist.types("run", "role_play", "--base-url", url, "--model", "openai/player", *CAST, *SHORT)
    entries('[models.late]\nmodel = "openai/judge-2"\nsampling = { temperature = 0.75 }\n')
    typist.types("judge", "last", "--base-url", url, "--model-role", "judge=late")


def test_an_entry_s_sampling_reaches_a_judge_who_joins_later(typist: Typist) -> None:
    seen = Seen()
    with serving(Loopback(seen)) as url:
        joined(typist, url)
    assert seen.settings_of("judge-2", "temperature") == {(0.75,)}


def test_a_judge_who_joined_is_sampled_alike_when_the_run_goes_on(typist: Typist) -> None:
    seen = Seen()
    with serving(Loopback(seen)) as url:
        joined(typist, url)
        more = ["--limit", "2", "--turns", "1"]
        typist.types("run", "role_play", "--base-url", url, "--model", "openai/player", *CAST, *more)
    assert sum(body["model"] == "judge-2" for body in seen.bodies) == 2
    assert seen.settings_of("judge-2", "temperature") == {(0.75,)}


def test_a_sampling_that_an_entry_cannot_have_is_a_mistake_before_anything_is_sent(typist: Typist) -> None:
    entries(SAMPLED.replace("0.25", "25"))
    loopback = Loopback(answer)
    with serving(loopback) as url:
        said = typist.mistakes("run", "role_play", "--base-url", url, "--model", "mine", *CAST, *SHORT)
    assert "temperature is a number from 0 to 10, not 25" in said
    assert loopback.calls == 0


# Functions in files


BOT = """
import asyncio
import os

def parrot(messages):
    return "You said: " + messages[-1].text

async def later(messages):
    await asyncio.sleep(0.001)
    return "Later."

def broken(messages):
    raise ConnectionError(f"401 Unauthorized: Bearer {os.environ['MY_API_KEY']}")

def once(messages):
    if len(messages) > 2:
        raise ValueError("I have had enough")
    return "Well."
"""


def play(typist: Typist, function: str, *more: str, code: int = 0) -> tuple[Any, Loopback]:
    Path("bot.py").write_text(BOT)
    loopback = Loopback(answer)
    with serving(loopback) as url:
        words = ["run", "role_play", "--base-url", url, "--model", f"python/bot.py:{function}", *CAST]
        return typist.reads(*words, "--limit", "2", "--turns", "2", *more, code=code), loopback


@pytest.mark.parametrize("function, said", [("parrot", "You said: "), ("later", "Later.")])
def test_a_function_in_a_file_is_measured_like_any_model(typist: Typist, function: str, said: str) -> None:
    board, loopback = play(typist, function)
    row = board["rows"][0]
    assert (row["model"], row["n"], row["void"]) == (f"python/bot.py:{function}", 2, 0.0)
    assert loopback.calls_by_model() == {"user": 4, "judge-1": 2}
    with Records(typist.store) as records:
        rows = records.conversations(records.find("last"))
    turns = [turn for one in rows for turn in (one.outcome or {})["turns"]]
    assert len(turns) == 4
    assert all(turn["player"].startswith(said) for turn in turns)
    again, loopback = play(typist, function)
    assert (again, loopback.calls) == (board, 0)


def test_a_function_that_raises_is_a_system_error_and_is_not_asked_again(typist: Typist) -> None:
    board, loopback = play(typist, "once")
    assert "Void by name: system error 2." in board["notes"]
    assert (board["rows"][0]["n"], board["rows"][0]["void"]) == (0, 1.0)
    assert loopback.calls_by_model() == {"user": 4}  # nobody judged
    listed = typist.reads("list", "last")
    assert {row["failure"] for row in listed} == {
        "system error: python/bot.py:once: ValueError: I have had enough"
    }
    _, loopback = play(typist, "once")
    assert loopback.calls == 0
    board, loopback = play(typist, "once", "--new", "void")
    assert loopback.calls == 4


def test_a_key_in_what_a_function_raises_is_not_written_down(
    typist: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", KEY)
    play(typist, "broken")
    assert KEY not in typist.said
    assert KEY.encode() not in everything_in(tmp_path)
    told = {row["failure"] for row in typist.reads("list", "last")}
    assert told == {
        "system error: python/bot.py:broken: ConnectionError: 401 Unauthorized: Bearer [key]",
    }


@pytest.mark.parametrize(
    "name, words",
    [
        ("python/bot.py", "a function is named as in python/bot.py:answer"),
        ("python/no.py:parrot", "there is no file no.py"),
        ("python/bot.py:parot", "did you mean 'parrot'"),
        ("python/broken.py:answer", "broken.py cannot be loaded: SyntaxError"),
    ],
)
def test_a_function_that_cannot_be_had_is_a_mistake_before_anything_is_sent(
    typist: Typist, name: str, words: str
) -> None:
    Path("bot.py").write_text(BOT)
    Path("broken.py").write_text("def answer(:")
    loopback = Loopback(answer)
    with serving(loopback) as url:
        said = typist.mistakes("run", "role_play", "--base-url", url, "--model", name, *CAST, *SHORT)
    assert words in said
    assert loopback.calls == 0


# Keys of .env


def test_a_key_of_env_opens_the_door_and_is_written_down_nowhere(typist: Typist, tmp_path: Path) -> None:
    Path(".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    with serving(Loopback(answer, keys=frozenset({KEY}))) as url:
        typist.types("run", "role_play", "--base-url", url, "--model", "openai/player", *CAST, *SHORT)
        checks = typist.reads("doctor", "--base-url", url)
    assert {"what": "key OPENAI_API_KEY", "state": "set"}.items() <= next(
        check for check in checks if check["what"] == "key OPENAI_API_KEY"
    ).items()
    assert KEY.encode() not in everything_in(tmp_path)


def test_the_environment_goes_before_env(typist: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text("OPENAI_API_KEY=wrong\nMY_KEY=wrong-too\n")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("MY_KEY", KEY)
    entries('[models.mine]\nmodel = "openai/player"\nkey = "MY_KEY"\n')
    with serving(Loopback(answer, keys=frozenset({KEY}))) as url:
        typist.types("run", "role_play", "--base-url", url, "--model", "mine", *CAST, *SHORT)


def test_a_broken_env_is_a_mistake(typist: Typist) -> None:
    Path(".env").write_bytes(b"OPENAI_API_KEY=caf\xe9\n")
    with serving(Loopback(answer)) as url:
        said = typist.mistakes(
            "run", "role_play", "--base-url", url, "--model", "openai/player", *CAST, *SHORT
        )
    assert ".env cannot be read" in said


def test_a_variable_that_neither_sets_is_a_mistake(typist: Typist) -> None:
    Path(".env").write_text("OTHER=x\n")
    entries('[models.mine]\nmodel = "openai/player"\nkey = "MY_KEY"\n')
    with serving(Loopback(answer)) as url:
        said = typist.mistakes("run", "role_play", "--base-url", url, "--model", "mine", *CAST, *SHORT)
    assert "mine takes its key from MY_KEY, which is not set" in said
