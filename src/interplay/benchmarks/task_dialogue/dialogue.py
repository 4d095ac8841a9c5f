"""What is kept of a task dialogue, and the two sides that make one: a user with a goal and a system that serves it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from interplay.benchmarks.task_dialogue.office import Booking, LookUp, Refusal

COMPLETED, GAVE_UP, LOOP, CAP = ENDS = ("completed", "gave up", "loop", "cap")
UNTOLD = "not told"  # of a dialogue from elsewhere, whose file does not say how it ended
GOING_ON: Final = "going_on"
SATISFIED: Final = "satisfied"
GIVING_UP: Final = "giving_up"
FLAGS = (GOING_ON, SATISFIED, GIVING_UP)  # the user's own
OPEN, DONE, FAILED = STATES = ("open", "done", "failed")  # of a sub-goal
Flag = Literal["going_on", "satisfied", "giving_up"]
_PLACEHOLDER = re.compile(
    r"\[(?:[a-z]+[ _])?[a-z]+(?:[ _][a-z]+)*\]|<[a-z]+(?:[_ ][a-z]+)+>|\{\{?[a-z_]+\}?\}", re.IGNORECASE
)
# What an endpoint says when it fails, in the words of those that simulators are built on.
_ERROR = re.compile(
    r"\berror code: ?\d{3}\b|\bhttp code \d{3}\b|\b50[234] (?:bad gateway|service unavailable|gateway time-?out)\b|"
    r"\brate limit (?:reached|exceeded)\b|\bmaximum context length is\b|\bexceeded your current quota\b|"
    r"\bmodel is (?:currently )?overloaded\b|\berror communicating with\b|\brequest timed out\b|"
    r"\btraceback \(most recent call last\)|\bopenai\.(?:error\.)?\w*error\b|"
    r"\b(?:RateLimit|APIConnection|InvalidRequest|BadRequest|ServiceUnavailable|InternalServer)Error\b",
    re.IGNORECASE,
)
_END_TOKEN = re.compile(r"\b(?:end|done|over|conversation|image|attachment)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """What a user says next; the system hears the text alone, and nothing at all once the flag is up."""

    text: str
    flag: Flag = GOING_ON
    thought: str = ""
    state: Mapping[str, str] = field(default_factory=dict)  # of each sub-goal: open, done or failed


class User(Protocol):
    """A user with a goal, whoever it is."""

    async def speak(self, heard: str | None) -> Said:
        """What it says to what it heard; None is the beginning."""


class System(Protocol):
    """A system under test: it hears the user's words and answers in words."""

    async def answer(self, said: str) -> str: ...


@dataclass(frozen=True)
class Exchange:
    """What the user said and what the system answered, which may be nothing."""

    user: str
    system: str
    thought: str = ""
    state: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Offer:
    """A row of the database that the system named, and in which exchange (from 1) it first did."""

    domain: str
    row: Mapping[str, Any]
    exchange: int


@dataclass(frozen=True)
class Dialogue:
    """A dialogue that was held to an end of its own kind; what else is scored is made of this alone."""

    goal: Mapping[str, Any]
    exchanges: tuple[Exchange, ...]
    ended: str
    closing: str = ""  # the user's last words, which no system heard
    state: Mapping[str, str] = field(default_factory=dict)  # the user's, at the end
    offers: tuple[Offer, ...] = ()
    bookings: tuple[Booking, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    lookups: tuple[LookUp, ...] = ()
    has_office: bool = True  # False where the system books elsewhere, if it books at all
    has_rows: bool = True  # False where no database is known for some domain of the goal


def is_error_text(text: str) -> bool:
    """Is this what an endpoint says when it fails, and no word of who should have spoken?"""
    return bool(_ERROR.search(text))


def placeholders(text: str) -> list[str]:
    """The raw placeholders of an answer, such as [name], which no user should ever see; an end token is none."""
    return [one for one in _PLACEHOLDER.findall(text) if not _END_TOKEN.search(one)]
