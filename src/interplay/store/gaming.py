"""What pages of games read: where somebody sits, what that seat has seen, and what a question was answered by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from interplay.core.people import person_of, seated
from interplay.core.wire import Message
from interplay.store.records import Records, Run


def players_of(run: Run) -> list[str]:
    """The people who have a seat in a run, by name."""
    named = [*run.identity["models"], *(name for names in run.identity["roles"].values() for name in names)]
    return sorted({person_of(name) for name in named if name != person_of(name)})


def view_of(records: Records, conversation: int, person: str) -> tuple[str, list[Message]]:
    """The seat in which somebody was asked last, and all that it has seen and said; nothing where nobody was asked."""
    found = records.rows(
        "SELECT participant FROM calls WHERE conversation = ? AND stage = 'play' AND model = ?"
        " ORDER BY number DESC LIMIT 1",
        *(conversation, seated(person)),
    )
    return (found[0][0], records.view(conversation, found[0][0])) if found else ("", [])


@dataclass(frozen=True)
class Question:
    """What somebody was asked, and what they answered; None where they have not yet."""

    schema: Mapping[str, Any] | None
    answer: str | None


def question_of(records: Records, run: str, person: str, call: int) -> Question | None:
    """A question to this person in this run; None where there is none."""
    found = records.rows(
        "SELECT settings, calls.text, calls.state FROM calls JOIN conversations c ON c.number = calls.conversation"
        " JOIN runs ON runs.number = c.run WHERE calls.number = ? AND runs.id = ? AND model = ?",
        *(call, run, seated(person)),
    )
    if not found:
        return None
    settings, text, state = found[0]
    return Question(records.settings(settings)["schema"], text if state == "done" else None)
