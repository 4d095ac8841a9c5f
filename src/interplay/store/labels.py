"""What people said of conversations, and how those were drawn; written in short transactions of their own."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any

import apsw

from interplay.core.failures import Mistake
from interplay.core.wire import digest_of
from interplay.store.beats import beat, beat_of
from interplay.store.database import connect, trouble_in_words, writing
from interplay.store.places import Store
from interplay.store.records import Run

DRAW = "draw-"  # how the id of a draw begins
_LABEL = "conversation, rater, criterion, value, made, drawn, came_from"


@dataclass(frozen=True)
class Draw:
    """Conversations of a run in an order drawn at random; those given out to be labelled are the first of them."""

    id: str
    seed: int
    order: tuple[int, ...]
    reach: int
    made: str

    @property
    def items(self) -> tuple[int, ...]:
        return self.order[: self.reach]


@dataclass(frozen=True)
class Given:
    """A label as the record has it."""

    conversation: int
    rater: str
    criterion: str
    value: float
    made: str = ""
    drawn: str = ""
    came_from: str = ""

    @property
    def key(self) -> tuple[int, str, str]:
        return self.conversation, self.rater, self.criterion

    @property
    def is_of_draw(self) -> bool:
        return self.drawn.startswith(DRAW)


@dataclass(frozen=True)
class Added:
    """What became of labels that came in."""

    new: int
    changed: int  # the rater had said something else before, or not of which draw; that stays in the record
    known: int  # said before in the same words


class Labels:
    """The labels of one store."""

    def __init__(self, path: Store):
        self.path = path
        self.db = connect(path, create=False)

    def __enter__(self) -> "Labels":
        return self

    def __exit__(self, *_: object) -> None:
        self.db.close()

    def draw(self, run: Run, numbers: Iterable[int], count: int, seed: int) -> Draw:
        """Draw so many of these conversations at random, and write the draw down.

        The same seed over the same conversations is the same draw; a larger count goes on in its order, so that what
        is labelled first is a random part of it too.
        """
        order = sorted(numbers)
        if not 1 <= count <= len(order):
            raise Mistake(f"from 1 to {len(order)} conversations can be drawn from {run.id}, not {count}")
        id = f"{DRAW}{digest_of([run.id, seed, order])[:8]}"
        Random(f"{run.id}/{seed}").shuffle(order)  # noqa: S311  # draws a sample, guards nothing
        with writing(self.db, self.path) as db:
            db.execute(
                "INSERT INTO draws (id, run, seed, population, reach, made) VALUES (?,?,?,?,?,?)"
                " ON CONFLICT (id) DO UPDATE SET reach = excluded.reach WHERE excluded.reach > draws.reach",
                (id, run.number, seed, json.dumps(order), count, _now()),
            )
            beat(db, run.number)
        return next(draw for draw in self.draws(run) if draw.id == id)

    def draws(self, run: Run) -> list[Draw]:
        """The draws of a run, oldest first."""
        rows = self._rows(
            "SELECT id, seed, population, reach, made FROM draws WHERE run = ? ORDER BY made, id", run.number
        )
        return [
            Draw(id, seed, tuple(json.loads(order)), reach, made) for id, seed, order, reach, made in rows
        ]

    def add(self, labels: Sequence[Given], *, replace: bool = False) -> Added:
        """Write labels down, all of them or none; what is known already is not written twice.

        A rater who said something else before is a mistake, unless the new label is to replace the old. One who said
        the same, but not of a draw, says it of the draw now.
        """
        with writing(self.db, self.path) as db:
            known = {label.key: label for label in self._newest(db, {label.conversation for label in labels})}
            fresh = [label for label in labels if label.key not in known]
            before = [(label, known[label.key]) for label in labels if label.key in known]
            otherwise = [(label, old) for label, old in before if label.value != old.value]
            if otherwise and not replace:
                raise _said_otherwise(*otherwise[0])
            changed = [
                label
                for label, old in before
                if label.value != old.value or (label.is_of_draw and not old.is_of_draw)
            ]
            write_labels(db, [*fresh, *changed])
            beat_of(db, {label.conversation for label in (*fresh, *changed)})
        return Added(len(fresh), len(changed), len(labels) - len(fresh) - len(changed))

    def of(self, run: Run) -> list[Given]:
        """The labels of a run's conversations, the newest of each rater and criterion, in a fixed order."""
        rows = self._rows(
            f"SELECT {_LABEL} FROM labels WHERE EXISTS (SELECT 1 FROM conversations c WHERE c.number = conversation"  # noqa: S608  # our own names
            " AND c.run = ?) ORDER BY labels.number",
            run.number,
        )
        newest = {label.key: label for label in (Given(*row) for row in rows)}
        return [newest[key] for key in sorted(newest)]

    def _newest(self, db: apsw.Connection, conversations: set[int]) -> Iterator[Given]:
        for number in sorted(conversations):
            query = f"SELECT {_LABEL} FROM labels WHERE conversation = ? ORDER BY number"  # noqa: S608  # our own names
            yield from (Given(*row) for row in db.execute(query, (number,)))

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with trouble_in_words(self.path):
            return self.db.execute(query, values).fetchall()


def write_labels(db: apsw.Connection, labels: Sequence[Given]) -> None:
    """Write labels that are new, inside the transaction of whoever calls this."""
    db.executemany(
        f"INSERT INTO labels ({_LABEL}) VALUES (?,?,?,?,?,?,?)",  # noqa: S608  # our own names
        [_row(label) for label in labels],
    )


def _said_otherwise(label: Given, before: Given) -> Mistake:
    was, now = (f"{value:.15g}" for value in (before.value, label.value))
    return Mistake(
        f"{label.came_from or 'a label'}: {label.rater!r} gave conversation {label.conversation} {was} for "
        f"{label.criterion!r} before ({before.came_from}), and now {now}; --replace takes the new one"
    )


def _row(label: Given) -> tuple[Any, ...]:
    return (*label.key, label.value, label.made or _now(), label.drawn, label.came_from)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
