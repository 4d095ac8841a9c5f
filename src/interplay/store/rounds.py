"""Rounds: conversations of a draw that are given to raters, and how far each of them has come."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from interplay.core.failures import Mistake
from interplay.core.measures import Scale
from interplay.core.wire import digest_of
from interplay.judging.labels import SETTLED
from interplay.store.database import trouble_in_words, writing
from interplay.store.labels import Added, Draw, Given, Labels
from interplay.store.places import Store
from interplay.store.records import Run

ROUND = "round-"  # how the id of a round begins
MOST_PEOPLE = 20  # who label one conversation
Step = tuple[float, float, str]  # from, to, and the words for it


@dataclass(frozen=True)
class Question:
    """What raters are asked of a conversation: a criterion, in full, as it was when the round began."""

    name: str
    text: str
    scale: Scale
    steps: tuple[Step, ...] = ()  # the words for steps of the scale, for all of them or some

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")

    def as_json(self) -> dict[str, Any]:
        scale = [self.scale.low, self.scale.high, self.scale.whole]
        return {
            "name": self.name,
            "text": self.text,
            "scale": scale,
            "steps": [list(one) for one in self.steps],
        }

    @staticmethod
    def of(kept: Mapping[str, Any]) -> "Question":
        low, high, whole = kept["scale"]
        steps = tuple((start, end, words) for start, end, words in kept["steps"])
        return Question(kept["name"], kept["text"], Scale(low, high, whole), steps)


@dataclass(frozen=True)
class Round:
    """A draw that is given out to be labelled; raters know its conversations by their places, from 1."""

    id: str
    run: int  # its number
    draw: str
    questions: tuple[Question, ...]
    people: int  # so many label each conversation
    made: str
    items: tuple[int, ...]  # the conversations, in the draw's order

    def conversation(self, place: int) -> int | None:
        return self.items[place - 1] if 1 <= place <= len(self.items) else None


@dataclass(frozen=True)
class Said:
    """One answer of a rater to one question, as it was written down."""

    number: int  # of the row
    value: float
    made: str


@dataclass(frozen=True)
class Changed:
    """A rater said something, and then something else; the second counts, and both are kept."""

    rater: str
    place: int
    criterion: str
    before: Said
    after: Said


@dataclass(frozen=True)
class Standing:
    """Who has finished what in a round."""

    round: Round
    finished: Mapping[str, frozenset[int]]  # places by rater

    def next(self, rater: str) -> int:
        """The first place that this rater has not finished, nor so many others as it takes; 0 where none is left."""
        mine = self.finished.get(rater, frozenset())
        return next((place for place in self.open_to(rater) if place not in mine), 0)

    def open_to(self, rater: str) -> list[int]:
        """The places that are this rater's: those finished, and those that still want somebody."""
        mine = self.finished.get(rater, frozenset())
        others = [places for name, places in self.finished.items() if name != rater]
        return [
            place
            for place in range(1, len(self.round.items) + 1)
            if place in mine or sum(place in places for places in others) < self.round.people
        ]

    def counts(self) -> list[int]:
        """How many raters have finished each place, in order."""
        return [
            sum(place in places for places in self.finished.values())
            for place in range(1, len(self.round.items) + 1)
        ]


class Rounds:
    """The rounds of one store, and what raters say in them."""

    def __init__(self, path: Store):
        self.path = path
        self.labels = Labels(path)
        self.db = self.labels.db

    def __enter__(self) -> "Rounds":
        return self

    def __exit__(self, *_: object) -> None:
        self.db.close()

    def begin(
        self, run: Run, draw: Draw, criteria: Sequence[Question], people: int, count: int | None = None
    ) -> Round:
        """A round over the first so many of a draw, or all that were drawn; the same again is the same round.

        A larger count goes on with it, a smaller one takes nothing back.
        """
        if not criteria:
            raise Mistake("raters are asked by one criterion at least")
        if not 1 <= people <= MOST_PEOPLE:
            raise Mistake(f"from 1 to {MOST_PEOPLE} people label a conversation, not {people}")
        asked = [question.as_json() for question in criteria]
        id = f"{ROUND}{digest_of([draw.id, asked, people])[:8]}"
        kept = json.dumps({"questions": asked, "count": draw.reach if count is None else count})
        made = datetime.now(UTC).isoformat(timespec="seconds")
        with writing(self.db, self.path) as db:
            before: str | None = db.execute("SELECT criteria FROM rounds WHERE id = ?", (id,)).get
            if before is None or json.loads(before)["count"] < json.loads(kept)["count"]:
                db.execute(
                    "INSERT INTO rounds (id, run, draw, criteria, people, made) VALUES (?,?,?,?,?,?)"
                    " ON CONFLICT (id) DO UPDATE SET criteria = excluded.criteria",
                    (id, run.number, draw.id, kept, people, made),
                )
        found = self.find(id)
        if found is None:
            raise Mistake(f"{run.id} was deleted while a round of it began")
        return found

    def find(self, id: str) -> Round | None:
        rows = self._rows(f"{_ROUNDS} WHERE id = ?", id)
        return self._round(rows[0]) if rows else None

    def of(self, run: Run | None = None) -> list[Round]:
        """The rounds of a run, or of all runs, newest first."""
        where, values = ("WHERE run = ?", (run.number,)) if run else ("", ())
        return [self._round(row) for row in self._rows(f"{_ROUNDS} {where} ORDER BY made DESC, id", *values)]

    def can_be_drawn(self, run: Run) -> list[int]:
        """The conversations of a run that were played to their end, newest takes."""
        done = self._rows("SELECT number FROM conversations WHERE run = ? AND state = 'done'", run.number)
        older = self._rows(_OLDER_TAKES, run.number)
        return sorted({row[0] for row in done} - {row[0] for row in older})

    def standing(self, round: Round) -> Standing:
        """Who has finished what: a conversation is finished by who has answered all questions of it."""
        rows = self._rows(
            f"SELECT conversation, rater FROM labels WHERE {_OF_ROUND} AND rater <> ?"  # noqa: S608  # our own names
            " GROUP BY conversation, rater HAVING count(DISTINCT criterion) = ?",
            *(*_named(round), SETTLED, len(round.questions)),
        )
        places = {number: place for place, number in enumerate(round.items, 1)}
        found: dict[str, set[int]] = {}
        for conversation, rater in rows:
            found.setdefault(rater, set()).add(places[conversation])
        return Standing(round, {rater: frozenset(mine) for rater, mine in sorted(found.items())})

    def said(self, round: Round, rater: str, place: int, after: int = 0) -> dict[str, list[Said]]:
        """All that a rater said of a conversation, by criterion, oldest first; of rows after this one."""
        rows = self._rows(
            f"SELECT criterion, number, value, made FROM labels WHERE {_OF_ROUND} AND rater = ? AND number > ?"  # noqa: S608  # our own names
            " ORDER BY number",
            *(*_named(round, place), rater, after),
        )
        found: dict[str, list[Said]] = {}
        for criterion, *said in rows:
            found.setdefault(criterion, []).append(Said(*said))
        return found

    def say(self, round: Round, rater: str, place: int, values: Mapping[str, float]) -> Added:
        """Write down what a rater says of a conversation: it is on disk when this returns, and there once."""
        if rater == SETTLED:
            raise Mistake(f"{SETTLED} is no rater, but how rows are marked that settle a tie")
        conversation = round.conversation(place)
        if conversation is None:
            raise Mistake(f"the round has {len(round.items)} conversations, and no number {place}")
        came_from = f"{round.id} (page)"
        given = [
            Given(conversation, rater, name, value, drawn=round.draw, came_from=came_from)
            for name, value in values.items()
        ]
        return self.labels.add(given, replace=True)

    def changes(self, round: Round) -> list[Changed]:
        """Where a rater replaced an answer by another, the newest first."""
        rows = self._rows(
            f"SELECT conversation, rater, criterion, number, value, made FROM labels WHERE {_OF_ROUND}"  # noqa: S608  # our own names
            " ORDER BY number",
            *_named(round),
        )
        places = {number: place for place, number in enumerate(round.items, 1)}
        newest: dict[tuple[int, str, str], Said] = {}
        found: list[Changed] = []
        for conversation, rater, criterion, *row in rows:
            said, key = Said(*row), (conversation, rater, criterion)
            before = newest.get(key)
            if before is not None and before.value != said.value:
                found.append(Changed(rater, places[conversation], criterion, before, said))
            newest[key] = said
        return found[::-1]

    def given(self, round: Round) -> list[Given]:
        """The labels of the round's conversations by its criteria, the newest of each rater, in a fixed order."""
        rows = self._rows(
            "SELECT conversation, rater, criterion, value, made, drawn, came_from FROM labels"  # noqa: S608  # our own names
            f" WHERE {_OF_ROUND} ORDER BY number",
            *_named(round),
        )
        newest = {label.key: label for label in (Given(*row) for row in rows)}
        return [newest[key] for key in sorted(newest)]

    def _round(self, row: tuple[Any, ...]) -> Round:
        id, run, draw, criteria, people, made = row
        kept = json.loads(criteria)
        reach = self._rows("SELECT reach FROM draws WHERE id = ?", draw)[0][0]
        items = self._rows(  # of 200,000 conversations, only those that were given out are read
            "SELECT value FROM draws, json_each(population) WHERE draws.id = ? LIMIT ?",
            *(draw, min(kept["count"], reach)),
        )
        questions = tuple(map(Question.of, kept["questions"]))
        return Round(id, run, draw, questions, people, made, tuple(int(item[0]) for item in items))

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with trouble_in_words(self.path):
            return self.db.execute(query, values).fetchall()


_OLDER_TAKES = (
    "SELECT o.number FROM conversations n CROSS JOIN conversations o ON (o.run, o.scenario, o.cast_digest, o.repeat)"
    " = (n.run, n.scenario, n.cast_digest, n.repeat) AND o.take < n.take WHERE n.run = ? AND n.take > 0"
)
_ROUNDS = "SELECT id, run, draw, criteria, people, made FROM rounds"
_OF_ROUND = (
    "conversation IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"
    " AND criterion IN (SELECT value FROM json_each(?))"
)


def _named(round: Round, place: int = 0) -> tuple[str, str]:
    """The conversations of a round, or the one at a place, and its criteria, as a query wants them."""
    items = [round.conversation(place)] if place else list(round.items)
    return json.dumps(items), json.dumps([question.name for question in round.questions])
