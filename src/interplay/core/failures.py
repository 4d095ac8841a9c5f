"""Everything that can go wrong has a name.

InterplayError
├── Mistake                 the user can put it right: one line, exit code 2, nothing changed
│   └── Divergence          the record and the request differ: refused before paying
├── StoreTrouble            the store cannot be written or read: exit code 4
├── RunLocked               another process writes this run: exit code 3
├── Unreadable              a reply does not fit its form; the message is shown to the model
├── Parked                  a person is to speak: the conversation waits in the record, and goes on from there
└── Failure                 a conversation or verdict that came to nothing; counted, never a zero
    ├── ProviderFailure     "provider": the endpoint, after retries          (asked again next time)
    │   └── BotFailure      "bot error": the bot that is tested, after retries (asked again next time)
    ├── OverBudget          "budget"                                         (asked again next time)
    ├── Cancelled           "cancelled"                                      (asked again next time)
    ├── Waiting             "waiting for a person": how a board tells of it  (asked again next time)
    ├── RefusalFailure      "refusal"
    ├── UnreadableFailure   "unreadable": the subject never answered in form
    ├── SimulatorFailure    "simulator error"
    ├── SystemFailure       "system error"
    ├── JudgeFailure        "judge error"
    ├── CapFailure          "cap"
    └── LoopFailure         "loop"
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import ClassVar


class InterplayError(Exception):
    """The root of all errors of this package."""


class Mistake(InterplayError):
    """Something the user can put right; its text says what is wrong, where, and what would be right."""


class Divergence(Mistake):
    """The record holds an answer to another request than the one about to be sent."""


class StoreTrouble(InterplayError):
    """The store cannot be written or read."""


class RunLocked(InterplayError):
    """Another process is writing this run."""


class Unreadable(InterplayError):
    """A reply does not fit its form; the text is ours and is shown to the model."""


class Parked(InterplayError):
    """Somebody in a seat is to speak, which may take a day; nothing has failed, and nobody waits here."""

    def __init__(self, seat: str, person: str):
        super().__init__(f"{seat} waits for {person}")
        self.seat = seat
        self.person = person


class Failure(InterplayError):
    """A conversation or a verdict that came to nothing, for a reason with a name."""

    name: ClassVar[str] = "failure"
    again: ClassVar[bool] = False  # does the same command try it again?


class ProviderFailure(Failure):
    """The endpoint did not answer, after retries."""

    name = "provider"
    again = True


class OverBudget(Failure):
    """The budget does not cover another call."""

    name = "budget"
    again = True


class Cancelled(Failure):
    """The run was stopped before this was done."""

    name = "cancelled"
    again = True


class Waiting(Failure):
    """It is a person's turn to speak."""

    name = "waiting for a person"
    again = True


class RefusalFailure(Failure):
    """A participant declined."""

    name = "refusal"


class UnreadableFailure(Failure):
    """The subject never answered in form."""

    name = "unreadable"


class SimulatorFailure(Failure):
    """A simulated participant never answered in form."""

    name = "simulator error"


class BotFailure(ProviderFailure):
    """The bot that is tested did not answer, after retries."""

    name = "bot error"


class SystemFailure(Failure):
    """The system under test broke."""

    name = "system error"


class JudgeFailure(Failure):
    """A judge never answered in form."""

    name = "judge error"


class CapFailure(Failure):
    """The conversation reached its cap without an end."""

    name = "cap"


class LoopFailure(Failure):
    """The conversation went in circles."""

    name = "loop"


FAILURES: dict[str, type[Failure]] = {
    kind.name: kind
    for kind in (
        ProviderFailure,
        OverBudget,
        Cancelled,
        Waiting,
        RefusalFailure,
        UnreadableFailure,
        SimulatorFailure,
        BotFailure,
        SystemFailure,
        JudgeFailure,
        CapFailure,
        LoopFailure,
    )
}


def why(error: Exception) -> str:
    """What an error of reading a file says, without the number and the path that the line has already."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error)


def nearest(wrong: str, valid: Iterable[str]) -> str:
    """The part of a message that says what would be right."""
    names = sorted(valid)
    close = get_close_matches(wrong, names, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return "there is " + ", ".join(names) if names else "there is none"
