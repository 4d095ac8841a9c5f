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
