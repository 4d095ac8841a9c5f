"""Beats: whatever changes a run changes its beat, and nothing else does."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from interplay.core.benchmark import Scenario, Score, Verdict
from interplay.core.conversation import Line
from interplay.core.failures import RefusalFailure, StoreTrouble
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.store.beats import beat, beat_of, last_beat, time_of
from interplay.store.journal import Journal, Place
from interplay.store.labels import Given, Labels
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.store.writer import Writer
from interplay.store.writers import Writes, writer_of

STEP = Step("play", "", "player", 0)
REQUEST = Request("openai/a", Thread.start(Message("user", "hello")), Sampling())
PLACE = Place(Scenario({"n": 1}, "one"), "openai/a", {"player": "openai/a"}, 0)
EXTENT = {"limit": 1, "epochs": 1, "judges": []}
OF_A_RUN = ("runs", "conversations", "calls", "facts", "verdicts", "scores", "labels", "draws")


@dataclass(frozen=True)
class Outcome:
    text: str = ""


@dataclass
class Desk:
    """A run that is written, and another beside it that is not."""

    records: Records
    writer: Writes
    run: Run
    other: Run
    journal: Journal
    numbers: list[int] = field(default_factory=list)

    def beat(self) -> int:
        return last_beat(self.records.db, self.run.number)

    def content(self) -> list[Any]:
        return [self.records.db.execute(f"SELECT * FROM {table}").fetchall() for table in OF_A_RUN]


@pytest.fixture
async def desk(place: Store) -> AsyncIterator[Desk]:
    with Records(place, create=True) as records:
        run, other = (records.begin(id, "role_play", {"models": []}, EXTENT) for id in ("mine", "other"))
        writer = writer_of(place)
        yield Desk(records, writer, run, other, Journal(writer, run.number))
        await writer.close()


async def settled(desk: Desk, end: Callable[[int], Awaitable[None]]) -> None:
    number = await desk.journal.intend(
        desk.numbers[0], Step("play", "", "player", len(desk.numbers)), 0, REQUEST
    )
    desk.numbers.append(number)
    before = desk.beat()
    await end(number)
    assert desk.beat() > before


async def opened(desk: Desk) -> None:
    desk.numbers.append(await desk.journal.open_conversation(PLACE, "p", anew=False))


CHANGES: dict[str, Callable[[Desk], Awaitable[Any]]] = {
    "open_conversation": opened,
    "intend": lambda desk: desk.journal.intend(desk.numbers[0], STEP, 0, REQUEST),
    "settle": lambda desk: settled(desk, lambda call: desk.journal.settle(call, Reply("hi"))),
    "settle_failure": lambda desk: settled(
        desk, lambda call: desk.journal.settle_failure(call, "timeout", "", b"")
    ),
    "keep_fact": lambda desk: desk.journal.keep_fact(desk.numbers[0], STEP, 7),
    "park": lambda desk: desk.journal.park(desk.numbers[0], [Line("", ("player",), "go")]),
    "void": lambda desk: desk.journal.void(desk.numbers[0], RefusalFailure("no"), []),
    "finish": lambda desk: desk.journal.finish(desk.numbers[0], Outcome("x"), [], "p"),
    "judged": lambda desk: desk.journal.judged(desk.numbers[0], "", Verdict("j", "r", {"rating": 1})),
    "scored": lambda desk: desk.journal.scored(desk.numbers[0], [Score("fluency", 4.0, "j")]),
    "rename": lambda desk: desk.journal.rename("a name"),
    "extend": lambda desk: desk.journal.extend({**EXTENT, "limit": 2}),
}
UNCHANGED = {"recall", "forget"}  # reads; leaves no run whose beat could be asked for


def test_every_way_to_write_a_run_is_tried_here() -> None:
    methods = {
        name
        for name, value in vars(Journal).items()
        if inspect.iscoroutinefunction(value) and not name.startswith("_")
    }
    assert set(CHANGES) | UNCHANGED == methods


async def test_whatever_changes_a_run_changes_its_beat_and_no_others(desk: Desk) -> None:
    assert desk.beat() == 0
    for name, change in CHANGES.items():
        content, before = desk.content(), desk.beat()
        await change(desk)
        assert desk.content() != content, f"{name} was to change something"
        assert desk.beat() > before, name
        assert last_beat(desk.records.db, desk.other.number) == 0


async def test_reading_through_the_writer_is_no_change(desk: Desk) -> None:
    await opened(desk)
    before = desk.beat()
    again = Journal(desk.writer, desk.run.number)  # remembers nothing, and so reads
    await again.recall(desk.numbers[0], "play", "")
    assert await again.open_conversation(PLACE, "p", anew=False) == desk.numbers[0]
    assert desk.beat() == before


async def test_writes_that_are_committed_together_are_one_beat(desk: Desk) -> None:
    if not isinstance(desk.writer, Writer):
        pytest.skip("told of servers in test_postgres_writer.py")
    await opened(desk)
    statements: list[str] = []
    commits: list[int] = []
    desk.writer.connection.exec_trace = lambda cursor, sql, values: statements.append(sql) is None
    desk.writer.connection.set_commit_hook(lambda: commits.append(1) is not None)
    names = [Step("play", "", f"fact {number}", 0) for number in range(300)]
    await asyncio.gather(*(desk.journal.keep_fact(desk.numbers[0], step, 1) for step in names))
    desk.writer.connection.exec_trace = None
    desk.writer.connection.set_commit_hook(None)
    beats = sum("INTO beats" in sql for sql in statements)
    assert beats == len(commits) < 100


async def test_a_write_that_is_undone_is_no_beat(desk: Desk) -> None:
    await opened(desk)
    await desk.journal.keep_fact(desk.numbers[0], STEP, 7)
    before = desk.beat()
    with pytest.raises(StoreTrouble, match=r"(?i)unique"):
        await desk.journal.keep_fact(desk.numbers[0], STEP, 8)
    assert desk.beat() == before


async def test_labels_and_draws_are_changes_of_their_runs(desk: Desk) -> None:
    await opened(desk)
    with Labels(desk.records.path) as labels:
        before = desk.beat()
        labels.draw(desk.run, desk.numbers, 1, seed=1)
        drawn = desk.beat()
        assert drawn > before
        labels.add([Given(desk.numbers[0], "ada", "fluency", 4.0)])
        said = desk.beat()
        assert said > drawn
        labels.add([Given(desk.numbers[0], "ada", "fluency", 4.0)])  # known
        assert desk.beat() == said
    assert last_beat(desk.records.db, desk.other.number) == 0


async def test_a_beat_is_the_time_and_grows_though_the_clock_goes_back(desk: Desk) -> None:
    await opened(desk)
    found = time_of(desk.beat())
    assert found is not None
    assert abs(datetime.now(UTC) - found) < timedelta(minutes=1)
    ahead = desk.beat() + 10**12
    desk.records.db.execute("UPDATE beats SET beat = ?", (ahead,))
    beat(desk.records.db, desk.run.number)
    assert desk.beat() == ahead + 1
    beat_of(desk.records.db, desk.numbers)
    assert desk.beat() == ahead + 2
    assert time_of(0) is None


async def test_a_run_that_is_begun_anew_has_other_beats(desk: Desk) -> None:
    await opened(desk)
    before = desk.beat()
    await desk.journal.forget()
    assert desk.records.db.execute("SELECT count(*) FROM beats").get == 0
    beat(desk.records.db, desk.run.number)  # of a run that is gone: nothing
    assert desk.records.db.execute("SELECT count(*) FROM beats").get == 0
    again = desk.records.begin("mine", "role_play", {"models": []}, EXTENT)
    await Journal(desk.writer, again.number).extend({**EXTENT, "limit": 3})
    assert last_beat(desk.records.db, again.number) > before
