"""What a transcript of others is: seats, what they said, and the scenario that it is a conversation of."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from interplay.core.benchmark import Scenario
from interplay.core.conversation import Line
from interplay.core.forms import build
from interplay.core.wire import clean

ASSISTANT, USER = "assistant", "user"
LONGEST_LABEL = 60


@dataclass(frozen=True)
class Seat:
    """A speaker: its seat in the record, and what the file calls it."""

    seat: str  # assistant is the model that is measured; the others are user, user 2, user 3
    name: str


@dataclass(frozen=True)
class Said:
    """One message."""

    seat: str
    text: str


@dataclass(frozen=True)
class Dialogue:
    """A conversation that was held elsewhere."""

    seats: tuple[Seat, ...]
    said: tuple[Said, ...]
    id: str = ""  # what people call it; conversations of one scenario have each their own


@dataclass(frozen=True)
class Setting:
    """The content of a scenario: whatever a file says of what the conversation was about."""

    scenario: str = ""
    goal: str = ""
    system: str = ""  # what the assistant was told before
    opening: str = ""  # what was first said to the assistant, where there is no scenario with a name


def setting_of(content: Any) -> Setting:
    """Read a scenario's content back."""
    setting: Setting = build(Setting, content)
    return setting


def scenario_of(setting: Setting) -> Scenario:
    """The scenario of a setting; models that were asked the same are compared on it."""
    told = setting.scenario or setting.opening or setting.goal or setting.system or "a conversation"
    line = " ".join(clean(told).split())
    return Scenario(
        asdict(setting), line if len(line) <= LONGEST_LABEL else f"{line[: LONGEST_LABEL - 3]}..."
    )


def dialogue_of(spoken: Sequence[tuple[str, str]], measured: str, id: str = "") -> Dialogue:
    """The dialogue of what speakers said, one of whom is the model that is measured."""
    others = list(dict.fromkeys(name for name, _ in spoken if name != measured))
    seats = {name: USER if not place else f"{USER} {place + 1}" for place, name in enumerate(others)}
    seats[measured] = ASSISTANT
    return Dialogue(
        tuple(Seat(seats[name], name) for name in dict.fromkeys(name for name, _ in spoken)),
        tuple(Said(seats[name], text) for name, text in spoken),
        id,
    )


def lines_of(dialogue: Dialogue, setting: Setting) -> tuple[Line, ...]:
    """What was said as the record has it: all hear everything but what only the assistant was told."""
    everyone = [one.seat for one in dialogue.seats]
    told = [Line("", (ASSISTANT,), setting.system)] if setting.system else []
    said = [
        Line(one.seat, tuple(seat for seat in everyone if seat != one.seat), one.text)
        for one in dialogue.said
    ]
    return (*told, *said)
