"""Reading all that the record has of one conversation, for whoever looks at it closely."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from interplay.core.benchmark import Verdict
from interplay.core.wire import Message
from interplay.store.browsing import Browsing
from interplay.store.labels import Given
from interplay.store.records import ConversationRow, Records, Run

MOST_OF_A_CALL = 100_000  # characters of an answer, and of the reasoning before it, that are read


@dataclass(frozen=True)
class Voice:
    """A call with what was said in answer."""

    number: int
    stage: str
    item: str
    participant: str
    step: int
    attempt: int
    model: str
    state: str
    cause: str
    text: str | None
    reasoning: str
    sent: str
    latency: float | None


@dataclass(frozen=True)
class Other:
    """Another conversation of the same scenario and repeat in the same run."""

    number: int
    subject: str
    state: str


class CloseUp:
    """One conversation of a run."""

    def __init__(self, records: Records, run: Run, number: int):
        self.records = records
        self.run = run
        self.number = number

    @property
    def is_there(self) -> bool:
        """Does the run have this conversation?"""
        found = self.records.rows(
            "SELECT 1 FROM conversations WHERE number = ? AND run = ?", self.number, self.run.number
        )
        return bool(found)

    def row(self) -> ConversationRow:
        return self.records.conversation(self.number)

    def calls(self) -> list[Voice]:
        """Its calls in the order in which they were sent."""
        rows = self.records.rows(
            "SELECT number, stage, item, participant, step, attempt, model, state, cause, substr(text, 1, ?),"
            " substr(reasoning, 1, ?), sent, latency FROM calls WHERE conversation = ? ORDER BY number",
            *(MOST_OF_A_CALL, MOST_OF_A_CALL, self.number),
        )
        return [Voice(*row) for row in rows]

    def before(self, seat: str) -> list[Message]:
        """What a seat was given before anything was said: its brief, and what it takes for its past."""
        rows = self.records.rows(
            "SELECT thread FROM calls WHERE conversation = ? AND stage = 'play' AND participant = ?"
            " ORDER BY step, attempt LIMIT 1",
            *(self.number, seat),
        )
        return self.records.thread(rows[0][0])[:-1] if rows else []

    def facts(self) -> list[tuple[str, Any]]:
        """What was made once in its play, by name, such as what a system booked."""
        rows = self.records.rows(
            "SELECT name, value FROM facts WHERE conversation = ? AND stage = 'play' ORDER BY name",
            self.number,
        )
        return [(name, json.loads(value)) for name, value in rows]

    def scores(self) -> list[tuple[str, str, float]]:
        """(name, source, value) of every score."""
        query = "SELECT name, source, value FROM scores WHERE conversation = ? ORDER BY name, source"
        return self.records.rows(query, self.number)

    def labels(self) -> list[Given]:
        """What people said of it, the newest of each rater and criterion."""
        rows = self.records.rows(
            "SELECT conversation, rater, criterion, value, made, drawn, came_from FROM labels"
            " WHERE conversation = ? ORDER BY number",
            self.number,
        )
        newest = {label.key: label for label in (Given(*row) for row in rows)}
        return [newest[key] for key in sorted(newest)]

    def others(self, row: ConversationRow) -> list[Other]:
        """The same scenario and repeat with other models, newest takes, in the order of names."""
        here = (self.run.number, row.scenario.id)
        rows = self.records.rows(_OTHERS, *here, *here, *here, row.repeat, row.subject)
        return [Other(*one) for one in rows]

    def takes(self, row: ConversationRow) -> list[tuple[int, int]]:
        """(number, take) of all takes of it, oldest first."""
        return self.records.rows(
            "SELECT number, take FROM conversations WHERE (run, scenario, cast_digest, repeat) = (SELECT run, scenario,"
            " cast_digest, repeat FROM conversations WHERE number = ?) ORDER BY take",
            self.number,
        )

    def against(self, others: Sequence[Other]) -> list[tuple[Other, bool, Verdict]]:
        """What judges said of it and another side by side: the other, was it shown first, and the verdict."""
        found = []
        for other in others:
            for first, second in ((self.number, other.number), (other.number, self.number)):
                rows = self.records.rows(
                    "SELECT judge, rubric, failure, detail, data FROM verdicts WHERE conversation = ? AND item = ?"
                    " ORDER BY judge, rubric",
                    *(first, f"{first} v {second}"),
                )
                for judge, rubric, failure, detail, data in rows:
                    verdict = Verdict(judge, rubric, json.loads(data) if data else None, failure, detail)
                    found.append((other, first == self.number, verdict))
        return found

    def neighbours(self) -> tuple[int, int]:
        """The conversations before and after it in the run's list; 0 where there is none."""
        browsing = Browsing(self.records)
        before = browsing.page(self.run, before=self.number, size=1).rows
        after = browsing.page(self.run, after=self.number, size=1).rows
        return (before[0].number if before else 0), (after[0].number if after else 0)


# cast by cast and in that order (CROSS), so that a scenario that was played thousands of times is not looked through
_OTHERS = """
WITH RECURSIVE casts(digest) AS (
    SELECT min(cast_digest) FROM conversations WHERE run = ? AND scenario = ?
    UNION ALL
    SELECT (SELECT min(cast_digest) FROM conversations WHERE run = ? AND scenario = ? AND cast_digest > digest)
    FROM casts WHERE digest IS NOT NULL
)
SELECT number, subject, state FROM casts CROSS JOIN conversations c
ON c.run = ? AND c.scenario = ? AND c.cast_digest = digest AND c.repeat = ?
WHERE subject <> ? AND take = (
    SELECT max(take) FROM conversations n
    WHERE (n.run, n.scenario, n.cast_digest, n.repeat) = (c.run, c.scenario, c.cast_digest, c.repeat)
) ORDER BY subject, number
"""
