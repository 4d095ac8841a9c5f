"""People in seats, for tests: they say what a model of some name would say, so that a run of models is their twin."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.dialogue import GOING_ON
from interplay.cli import main
from interplay.models.loopback import Asked
from interplay.models.openai_compatible import strict_subset
from interplay.store.moves import Move, Moves
from interplay.store.records import Records
from tests.running.typed import steady

MOST_MOVES = 100


def lively(asked: Asked) -> str:
    """What a rehearsal says, but no user of a task bot ends its dialogue."""
    return re.sub(r'"status": "[a-z_ ]+"', f'"status": "{GOING_ON}"', steady(asked))


def as_model(name: str) -> Callable[[Move], str]:
    """A person who says what the model of this name is given to say."""

    def say(move: Move) -> str:
        messages = tuple({"role": one.role, "content": one.text} for one in move.messages)
        return lively(
            Asked(name, messages, {}, 0, strict_subset(move.schema))
        )  # as it would be asked over HTTP

    return say


def speak(store: Path, say: Callable[[Move], str]) -> int:
    """Everybody whose turn it is says something; how many did."""
    with Moves(store) as moves:
        waiting = moves.waiting()
        for move in waiting:
            assert moves.answer(move.call, say(move))
    return len(waiting)


def played_to_the_end(
    line: list[str], store: Path, say: Callable[[Move], str], capsys: pytest.CaptureFixture[str]
) -> int:
    """Type the same command until nobody has to speak; how often somebody did."""
    moves = 0
    for _ in range(MOST_MOVES):
        code = main(line)
        told = capsys.readouterr()
        if code == 0:
            return moves
        assert code == 1, told.err
        assert "for ada to speak" in told.err, told.err
        moves += speak(store, say)
    raise AssertionError("it never ends")


def recorded(store: Path, **other_names: str) -> Iterator[Any]:
    """What a store has of its last run, conversation by conversation, with some names put for others."""
    with Records(store) as records:
        run = records.find("last")
        verdicts = records.verdicts(run)
        for row in records.conversations(run):
            told = repr((row.scenario.id, row.repeat, row.state, row.outcome, row.lines))
            judged = [(one.judge, one.data, one.failure) for one in verdicts.get((row.number, ""), ())]
            for name, other in other_names.items():
                told = told.replace(f"human/{name}", other)
            yield told, judged


JUDGE = ("--model-role", "judge=openai/judge")
# of each: the benchmark and its options, the person's seat, the seat of the model that is the person's twin, and who
# the person speaks like
CASES = {
    "the emulated user of a role-play": (
        ("role_play", "--model", "openai/p", "--turns", "2", *JUDGE),
        ("--model-role", "interrogator=human/ada"),
        ("--model-role", "interrogator=openai/ada"),
        "ada",
    ),
    "the player of a role-play": (
        ("role_play", "--model-role", "interrogator=openai/u", "--turns", "2", *JUDGE),
        ("--model", "human/ada"),
        ("--model", "openai/ada"),
        "ada",
    ),
    "a player of word guessing": (
        ("word_guessing", "--model-role", "opponent=openai/o", "--rounds", "2", "--epochs", "1"),
        ("--model", "human/ada"),
        ("--model", "openai/ada"),
        "ada",
    ),
    "the opponent in word guessing": (
        ("word_guessing", "--model", "openai/p", "--rounds", "2", "--epochs", "1"),
        ("--model-role", "opponent=human/ada"),
        ("--model-role", "opponent=openai/ada"),
        "ada",
    ),
    "one of two opponents in word guessing": (
        ("word_guessing", "--model", "openai/p", "--rounds", "1", "--epochs", "1", "--split", "1-2",
         "--model-role", "opponent=openai/o"),
        ("--model-role", "opponent 2=human/ada"),
        (),
        "o",
    ),
    "somebody at a table of word guessing": (
        ("word_guessing", "--experiment", "table", "--split", "1-1", "--rounds", "1", "--epochs", "1",
         "--model", "openai/p"),
        ("--model", "human/ada"),
        ("--model", "openai/ada"),
        "ada",
    ),
    "the user of a task bot": (
        ("task_dialogue", "--model", "openai/p", "--exchanges", "2", "--system", "prompt", *JUDGE),
        ("--model-role", "user=human/ada"),
        ("--model-role", "user=openai/ada"),
        "ada",
    ),
    "the second of three players of a scene": (
        ("social_interaction", "--model", "openai/p", "--moves", "6", *JUDGE),
        ("--model-role", "player 2=human/ada"),
        (),
        "p",
    ),
    "the first of three players of a scene": (
        ("social_interaction", "--model", "openai/p", "--moves", "5", *JUDGE),
        ("--model-role", "player 1=human/ada"),
        (),
        "p",
    ),
    "the one who knows in a scene": (
        ("social_interaction", "--model", "openai/p", "--moves", "5", *JUDGE),
        ("--model-role", "npc=human/ada"),
        ("--model-role", "npc=openai/ada"),
        "ada",
    ),
    "a simulated terminal": (
        ("simulation", *JUDGE),
        ("--model", "human/ada"),
        ("--model", "openai/ada"),
        "ada",
    ),
}  # fmt: skip


def line_of(url: str, store: Path, *more: str) -> list[str]:
    return ["run", *more, "--base-url", url, "--store", str(store), "--limit", "1"]


def a_role_play(url: str, store: Path, *more: str) -> list[str]:
    told, seat, _, _ = CASES["the emulated user of a role-play"]
    return line_of(url, store, *told, *seat, *more)


def the_player_s(url: str, store: Path, *more: str) -> list[str]:
    told, seat, _, _ = CASES["the player of a role-play"]
    return [*line_of(url, store, *told, *seat), *more]
