"""Copying runs from one store to another: all in one transaction, and checked before it ends."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import apsw

from interplay.core.failures import Mistake, StoreTrouble
from interplay.core.wire import canonical
from interplay.store.beats import beat
from interplay.store.database import check_new, snapshot, streamed, writing
from interplay.store.lock import run_lock
from interplay.store.places import Store
from interplay.store.records import Records, Run

AT_ONCE = 200  # rows that are sent together
_PAIR = re.compile(r"(\d+) v (\d+)")  # an item of two conversations, by their numbers
Tell = Callable[[str], None]
Row = tuple[Any, ...]

_CONVERSATION = (
    "scenario, subject, cast_digest, cast_roles, repeat, take, state, failure, detail,"
    " outcome, lines, protocol"
)
_CALL = (
    "conversation, item, stage, participant, step, attempt, model, digest, settings, thread, sent, state, cause,"
    " detail, text, reasoning, stop, version, tokens_in, tokens_out, tokens_estimated, cost, latency, raw,"
    " reserved_tokens, reserved_cost"
)
# what hangs on a conversation, and in which order it is read: the number comes first, an item of it second
_OF_CONVERSATIONS = {
    "calls": (_CALL, "number"),
    "facts": ("conversation, item, stage, name, value", "conversation, stage, item, name"),
    "verdicts": (
        "conversation, item, judge, rubric, failure, detail, data",
        "conversation, judge, rubric, item",
    ),
    "scores": ("conversation, name, source, value", "conversation, name, source"),
    "labels": ("conversation, rater, criterion, value, made, drawn, came_from", "number"),
}
_WITH_ITEM = ("calls", "facts", "verdicts")
# what is kept once for all runs: table, columns, its key, and what a run needs of it
_MINE = "SELECT number FROM conversations WHERE run = ?"
_SHARED = (
    ("scenarios", "id, label, content", "id", "SELECT scenario FROM conversations WHERE run = ?"),
    ("settings", "digest, body", "digest", f"SELECT settings FROM calls WHERE conversation IN ({_MINE})"),  # noqa: S608  # our own names
    (
        "messages",
        "digest, parent, role, text",
        "digest",
        f"WITH RECURSIVE needed(digest) AS (SELECT thread FROM calls WHERE conversation IN ({_MINE}) UNION"  # noqa: S608  # our own names
        " SELECT parent FROM messages JOIN needed USING (digest) WHERE parent IS NOT NULL) SELECT digest FROM needed",
    ),
)


@dataclass(frozen=True)
class Copied:
    """What became of one run."""

    run: Run
    rows: int  # 0 where it was there already
    name_is_taken: bool = False


class _Side:
    """One run in one store, told by places in the run instead of numbers: so two copies of it are the same."""

    def __init__(self, records: Records, run: Run):
        self.db = records.db
        self.run = run
        query = "SELECT number FROM conversations WHERE run = ? ORDER BY number"
        self.numbers = [int(row[0]) for row in records.rows(query, run.number)]
        self.places = {number: place for place, number in enumerate(self.numbers)}

    def rows(self) -> Iterator[tuple[str, Row]]:
        """Every row of the run, with the table it is of."""
        for table in (_shared, _conversations, _hanging, _drawn):
            yield from table(self)

    def fingerprint(self) -> tuple[int, str]:
        """How many rows there are, and a digest of all of them."""
        run, count = self.run, 0
        first = [run.id, run.benchmark, dict(run.identity), dict(run.extent), run.secret.hex(), run.created]
        found = hashlib.blake2b(canonical(first).encode("utf-8", "surrogatepass"), digest_size=16)
        for table, row in self.rows():
            found.update(f"{table} {row!r}\n".encode("utf-8", "surrogatepass"))
            count += 1
        return count, found.hexdigest()

    def read(self, query: str, *values: Any) -> Iterator[Row]:
        return (tuple(row) for row in streamed(self.db, query, values))


def _conversations(side: _Side) -> Iterator[tuple[str, Row]]:
    query = f"SELECT {_CONVERSATION} FROM conversations WHERE run = ? ORDER BY number"  # noqa: S608  # our own names
    return (("conversations", row) for row in side.read(query, side.run.number))


def _shared(side: _Side) -> Iterator[tuple[str, Row]]:
    for table, columns, key, needed in _SHARED:
        query = f"SELECT {columns} FROM {table} WHERE {key} IN ({needed}) ORDER BY {key}"  # noqa: S608  # our own names
        yield from ((table, row) for row in side.read(query, side.run.number))


def _hanging(side: _Side) -> Iterator[tuple[str, Row]]:
    for table, (columns, order) in _OF_CONVERSATIONS.items():
        query = f"SELECT {columns} FROM {table} WHERE conversation IN ({_MINE}) ORDER BY {order}"  # noqa: S608  # our own names
        rows = (_renumbered(table, row, side.places) for row in side.read(query, side.run.number))
        if table in (
            "facts",
            "verdicts",
        ):  # by the numbers in its name an item may come elsewhere in another store
            rows = (row for _, some in groupby(rows, lambda row: row[0]) for row in sorted(some, key=repr))
        yield from ((table, row) for row in rows)


def _drawn(side: _Side) -> Iterator[tuple[str, Row]]:
    draws = "SELECT id, seed, population, reach, made FROM draws WHERE run = ? ORDER BY id"
    for id, seed, population, reach, made in side.read(draws, side.run.number):
        order = json.dumps([side.places[number] for number in json.loads(population)])
        yield "draws", (id, seed, order, reach, made)
    rounds = "SELECT id, draw, criteria, people, made FROM rounds WHERE run = ? ORDER BY id"
    yield from (("rounds", row) for row in side.read(rounds, side.run.number))


def _renumbered(table: str, row: Row, to: Any) -> Row:
    """A row of a conversation, with other numbers in the place of its own."""
    number, item, *rest = row
    if table in _WITH_ITEM and (pair := _PAIR.fullmatch(item)):
        item = f"{to[int(pair[1])]} v {to[int(pair[2])]}"
    return (to[number], item, *rest)


def copy_runs(wanted: str, origin: Store, target: Store, tell: Tell = lambda line: None) -> list[Copied]:
    """Copy a run, and what was made of it, to another store: all of it or nothing.

    Ids and secrets stay, numbers are new. Links that let people in, and what can be computed again, are not copied.
    """
    if origin == target:
        raise Mistake(f"{origin} is where the run is; name another store with --to")
    if not target.exists():
        check_new(target)
    with ExitStack() as stack:
        source = stack.enter_context(Records(origin))
        run = source.find(wanted)
        runs = [run, *source.made_of(run.id)]
        for one in runs:
            stack.enter_context(run_lock(origin, one.id))
        there = stack.enter_context(Records(target, create=True))
        for one in runs:
            stack.enter_context(run_lock(target, one.id))
        return bring_over(runs, source, there, tell)


def bring_over(
    runs: Iterable[Run], source: Records, there: Records, tell: Tell = lambda line: None
) -> list[Copied]:
    """Copy runs whose locks the caller holds; others who write the target wait only while it is written."""
    with snapshot(source.db, source.path):
        sides = [
            _Side(source, source.find(run.id)) for run in runs
        ]  # as they are now that nobody writes them
        expected = [side.fingerprint() for side in sides]
        with writing(there.db, there.path, in_turn=False):
            return [_copy(side, mine, there, tell) for side, mine in zip(sides, expected, strict=True)]


def _copy(side: _Side, expected: tuple[int, str], there: Records, tell: Tell) -> Copied:
    run = side.run
    found = next((one for one in there.runs() if one.id == run.id), None)
    if found is not None:
        if _Side(there, found).fingerprint() == expected:
            return Copied(run, 0)
        raise Mistake(
            f"{there.path} has {run.id} already, and another record of it: delete one of them first, "
            "or copy to a new store"
        )
    made, taken = _begin(there, run)
    _write(side, there.db, made, expected[0], tell)
    if _Side(there, made).fingerprint() != expected:
        raise StoreTrouble(f"{run.id} is not the same in {there.path} as it was; nothing was copied")
    return Copied(run, expected[0], taken)


def _begin(there: Records, run: Run) -> tuple[Run, bool]:
    """The first row; a name that another run has is left out."""
    taken = bool(run.name) and any(run.name in (one.id, one.name) for one in there.runs())
    what = canonical(dict(run.identity)), canonical(dict(run.extent))
    number: int = there.db.execute(
        "INSERT INTO runs (id, benchmark, identity, extent, secret, created, name) VALUES (?,?,?,?,?,?,?)"
        " RETURNING number",
        (run.id, run.benchmark, *what, run.secret, run.created, "" if taken else run.name),
    ).get
    return replace(run, number=number), taken


def _write(side: _Side, db: apsw.Connection, made: Run, count: int, tell: Tell) -> None:
    numbers: list[int] = []
    done = 0
    for table, rows in _batches(side.rows()):
        if table == "conversations":
            numbers += _insert_conversations(db, made.number, rows)
        else:
            _INSERTS.get(table, _insert_hanging)(db, table, made.number, rows, numbers)
        done += len(rows)
        tell(f"{made.id}: {done:,} of {count:,} rows")
    beat(db, made.number)


def _batches(rows: Iterable[tuple[str, Row]]) -> Iterator[tuple[str, list[Row]]]:
    """Rows of one table together, not too many."""
    table, waiting = "", list[Row]()
    for of, row in rows:
        if waiting and (of != table or len(waiting) >= AT_ONCE):
            yield table, waiting
            waiting = []
        table = of
        waiting.append(row)
    if waiting:
        yield table, waiting


def _insert_conversations(db: apsw.Connection, run: int, rows: list[Row]) -> list[int]:
    query = f"INSERT INTO conversations (run, {_CONVERSATION}) VALUES ({_marks(13)}) RETURNING number"  # noqa: S608  # our own names
    return [int(row[0]) for row in db.executemany(query, [(run, *row) for row in rows])]


def _insert_shared(db: apsw.Connection, table: str, run: int, rows: list[Row], numbers: list[int]) -> None:
    columns, key = next((columns, key) for name, columns, key, _ in _SHARED if name == table)
    marks = _marks(len(rows[0]))
    db.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks}) ON CONFLICT ({key}) DO NOTHING", rows)  # noqa: S608  # our own names


def _insert_hanging(db: apsw.Connection, table: str, run: int, rows: list[Row], numbers: list[int]) -> None:
    columns = _OF_CONVERSATIONS[table][0]
    query = f"INSERT INTO {table} ({columns}) VALUES ({_marks(len(rows[0]))})"  # noqa: S608  # our own names
    db.executemany(query, [_renumbered(table, row, numbers) for row in rows])


def _insert_draws(db: apsw.Connection, table: str, run: int, rows: list[Row], numbers: list[int]) -> None:
    for id, seed, population, reach, made in rows:
        order = json.dumps([numbers[place] for place in json.loads(population)])
        db.execute(
            "INSERT INTO draws (id, run, seed, population, reach, made) VALUES (?,?,?,?,?,?)",
            (id, run, seed, order, reach, made),
        )


def _insert_rounds(db: apsw.Connection, table: str, run: int, rows: list[Row], numbers: list[int]) -> None:
    query = "INSERT INTO rounds (run, id, draw, criteria, people, made) VALUES (?,?,?,?,?,?)"
    db.executemany(query, [(run, *row) for row in rows])


_INSERTS = {
    "scenarios": _insert_shared,
    "settings": _insert_shared,
    "messages": _insert_shared,
    "draws": _insert_draws,
    "rounds": _insert_rounds,
}


def _marks(count: int) -> str:
    return ",".join("?" * count)
