"""People's moves: what somebody in a seat is asked, and what they say; written in short transactions of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from interplay.core.forms import LONGEST_TEXT
from interplay.core.people import person_of
from interplay.core.wire import Message, clean
from interplay.store.beats import beat_of
from interplay.store.database import writing
from interplay.store.places import Store
from interplay.store.records import ASKED, WAITING, Records, Run


@dataclass(frozen=True)
class Move:
    """Somebody's turn to speak: all that the seat has seen, and the form of what it is to say."""

    call: int
    run: str
    conversation: int
    seat: str
    person: str
    since: str
    schema: Mapping[str, Any] | None  # None where it is free text
    messages: Sequence[Message]  # as a model would be sent them, the newest last


class Moves:
    """The moves that a store waits for."""

    def __init__(self, path: Store):
        self.path = path
        self._records = Records(path)

    def __enter__(self) -> "Moves":
        return self

    def __exit__(self, *_: object) -> None:
        self._records.close()

    def waiting(self, run: Run | None = None, person: str = "") -> list[Move]:
        """Whose turn it is, longest waiting first: in all runs or one, of everybody or one person."""
        moves = []
        for call, of, conversation, seat, model, since, settings, thread in self._records.rows(
            "SELECT calls.number, runs.id, c.number, participant, model, sent, settings, thread"  # noqa: S608  # our own names
            f" FROM {ASKED} JOIN runs ON runs.number = c.run WHERE {WAITING} ORDER BY calls.number",
        ):
            if (run is None or run.id == of) and person in ("", person_of(model)):
                schema = self._records.settings(settings)["schema"]
                messages = tuple(self._records.thread(thread))
                moves.append(Move(call, of, conversation, seat, person_of(model), since, schema, messages))
        return moves

    def answer(self, call: int, text: str) -> bool:
        """What somebody says in their turn; once this is True it is on disk, and once it is said it stays.

        False where nobody is asked that, or was and has answered.
        """
        cut = text[:LONGEST_TEXT]
        raw = cut.encode("utf-8", "surrogatepass")
        with writing(self._records.db, self.path) as db:
            found = db.execute(
                "SELECT sent, c.number FROM calls JOIN conversations c ON c.number = calls.conversation"  # noqa: S608  # our own names
                f" WHERE calls.number = ? AND {WAITING}",
                (call,),
            ).fetchone()
            if found is not None:
                sent, conversation = found
                db.execute(
                    "UPDATE calls SET state = 'done', text = ?, stop = 'stop', tokens_in = 0, tokens_out = 0,"
                    " cost = 0.0, latency = ?, raw = ? WHERE number = ?",
                    (clean(cut), _seconds_since(sent), raw, call),
                )
                beat_of(db, [conversation])
        return found is not None


def _seconds_since(sent: str) -> float | None:
    """How long somebody thought; None where the clock was set back meanwhile."""
    seconds = (datetime.now(UTC) - datetime.fromisoformat(sent)).total_seconds()
    return seconds if seconds >= 0 else None
