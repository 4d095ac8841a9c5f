"""Evaluation: the model under test answers the last request of a script."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from interplay.benchmarks.simulation.scripts import Turn
from interplay.core.benchmark import Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.forms import Text
from interplay.core.wire import Message, digest_of

SIMULATOR = "simulator"
PROTOCOL_VERSION = 1


@dataclass(frozen=True)
class Answer:
    """What the model under test answered; of a simulated system an empty answer may be right."""

    text: str


def digest(options: Options) -> str:
    """What shapes play: this file where it changes what is said; a script has no prompt of ours in it."""
    return digest_of([PROTOCOL_VERSION])


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    return {SIMULATOR: (1, 1)}


async def play(talk: Conversation, options: Options) -> Answer:
    """The script's history is the model's own past; its request is what it answers."""
    past = [
        message
        for turn in history_of(talk.scenario)
        for message in (Message("user", turn.request), Message("assistant", turn.answer))
    ]
    for told in told_before(talk.scenario):
        talk.tell([], told)
    simulator = talk.seat(SIMULATOR, brief="", past=past)
    talk.tell([simulator], talk.scenario["request"])
    return Answer(await talk.ask(simulator, Text(may_be_empty=True)))


def told_before(content: Mapping[str, Any]) -> Iterator[str]:
    """The turns before, for who reads the transcript."""
    for number, turn in enumerate(history_of(content), 1):
        yield f"Before, turn {number}, the user:\n{turn.request}"
        yield f"Before, turn {number}, the simulator of that time:\n{turn.answer}"


def history_of(content: Mapping[str, Any]) -> list[Turn]:
    return [Turn(turn["request"], turn["answer"]) for turn in content["history"]]
