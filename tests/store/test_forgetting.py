"""Deleting a run: nothing of it is left, and nothing of another run is lost."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest

from interplay.core.benchmark import Scenario, Score, Verdict
from interplay.core.conversation import Line
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.store.journal import Journal, Place
from interplay.store.labels import Labels
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.store.writers import Writes, writer_of

TABLES = (
    "runs",
    "scenarios",
    "conversations",
    "messages",
    "settings",
    "calls",
    "facts",
    "verdicts",
    "scores",
)
BRIEF = Thread.start(Message("system", "be brief")).then("user", "hello")
COMMON = Scenario({"n": 0}, "common")
EXTENT = {"limit": 1, "epochs": 1, "judges": []}


@dataclass(frozen=True)
class Outcome:
    texts: tuple[str, ...] = ()


@dataclass
class Shelf:
    """A store with several runs."""

    writer: Writes
    records: Records

    def counts(self) -> dict[str, int]:
        return {table: int(self.records.db.execute(f"SELECT count(*) FROM {table}").get) for table in TABLES}

    async def write(self, id: str, scenarios: list[Scenario], thread: Thread, temperature: float) -> Run:
        """A run with one conversation of everything for each scenario, in two takes."""
        run = self.records.begin(id, "role_play", {"id": id}, EXTENT)
        journal = Journal(self.writer, run.number)
        request = Request("openai/a", thread, Sampling(temperature=temperature))
        for scenario in scenarios:
            place = Place(scenario, "openai/a", {"player": "openai/a"}, 0)
            for take in (0, 1):
                number = await journal.open_conversation(place, "p", anew=take == 1)
                step = Step("play", "", "player", 0)
                await journal.settle(await journal.intend(number, step, 0, request), Reply(id))
                await journal.intend(number, replace(step, number=1), 0, request)  # never answered
                await journal.keep_fact(number, replace(step, participant="drawn"), 7)
                await journal.finish(number, Outcome((id,)), [Line("", ("player",), "go")], "p")
                await journal.judged(number, "", Verdict("j", "r", {"turns": []}))
                await journal.scored(number, [Score("fluency", 4.0, "j")])
        return run

    async def forget(self, run: Run) -> None:
        await Journal(self.writer, run.number).forget()


@pytest.fixture
async def shelf(place: Store) -> AsyncIterator[Shelf]:
    with Records(place, create=True) as records:
        writer = writer_of(place)
        yield Shelf(writer, records)
        await writer.close()


async def test_the_only_run_leaves_nothing(shelf: Shelf) -> None:
    run = await shelf.write("a", [COMMON, Scenario({"n": 1}, "one")], BRIEF.then("assistant", "hi"), 0.5)
    assert min(shelf.counts().values()) > 0
    await shelf.forget(run)
    assert shelf.counts() == dict.fromkeys(TABLES, 0)
    assert shelf.records.integrity() == "ok"


async def test_what_two_runs_share_survives_the_first_and_goes_with_the_second(shelf: Shelf) -> None:
    kept = await shelf.write("kept", [COMMON], BRIEF.then("assistant", "mine"), 0.5)
    alone = shelf.counts()
    before = [list(shelf.records.db.execute(f"SELECT * FROM {table} ORDER BY 1, 2")) for table in TABLES]
    # another with the same scenario, settings and first messages, and some of its own
    other = await shelf.write(
        "other", [COMMON, Scenario({"n": 2}, "two")], BRIEF.then("assistant", "its"), 0.5
    )
    third = await shelf.write("third", [COMMON], BRIEF, 0.9)  # its messages are the beginning of the others'
    assert shelf.counts()["messages"] == 4
    assert shelf.counts()["settings"] == 2
    await shelf.forget(other)
    assert shelf.counts()["messages"] == 3
    await shelf.forget(third)
    assert shelf.counts() == alone
    after = [list(shelf.records.db.execute(f"SELECT * FROM {table} ORDER BY 1, 2")) for table in TABLES]
    assert after == before
    assert shelf.records.thread(BRIEF.then("assistant", "mine").digest)[0].text == "be brief"
    assert shelf.records.integrity() == "ok"
    await shelf.forget(kept)
    assert shelf.counts() == dict.fromkeys(TABLES, 0)


async def test_a_run_without_conversations_is_forgotten_too(shelf: Shelf) -> None:
    await shelf.write("kept", [COMMON], BRIEF, 0.5)
    before = shelf.counts()
    await shelf.forget(shelf.records.begin("empty", "role_play", {}, EXTENT))
    assert shelf.counts() == before


async def test_a_renamed_run_keeps_its_id(shelf: Shelf) -> None:
    run = await shelf.write("a", [COMMON], BRIEF, 0.5)
    await Journal(shelf.writer, run.number).rename("mine")
    assert shelf.records.find("mine") == replace(run, name="mine")
    assert shelf.records.find("a").name == "mine"


async def test_nothing_that_pages_made_of_a_run_is_left(shelf: Shelf) -> None:
    run = await shelf.write("gone", [COMMON], BRIEF, 0.5)
    kept = await shelf.write("kept", [COMMON], BRIEF, 0.5)
    with Labels(shelf.records.path) as labels:
        draws = {one.id: labels.draw(one, shelf.records.numbers(one), 1, seed=1) for one in (run, kept)}
    db = shelf.records.db
    for one in (run, kept):
        round_of = (f"round-{one.id}", one.number, draws[one.id].id)
        db.execute("INSERT INTO rounds VALUES (?,?,?,'[]',1,'')", round_of)
        for place in (one.id, f"round-{one.id}"):
            db.execute("INSERT INTO passes VALUES (?,'rater',?,'ada','','')", (f"secret {place}", place))
        beats = json.dumps({"program": "p", "runs": {one.id: 1}})
        db.execute("INSERT INTO kept VALUES (?,?,'{}','')", (f"board {one.id}", beats))
    both = json.dumps({"program": "p", "runs": {run.id: 1, kept.id: 1}})
    db.execute("INSERT INTO kept VALUES ('groups',?,'{}','')", (both,))
    db.execute("INSERT INTO kept VALUES ('broken','no json','{}','')")
    db.execute("INSERT INTO passes VALUES ('mine','owner','','owner','','')")
    await shelf.forget(run)
    assert db.execute("SELECT id FROM rounds").fetchall() == [("round-kept",)]
    assert db.execute("SELECT place FROM passes ORDER BY 1").fetchall() == [("",), ("kept",), ("round-kept",)]
    assert db.execute("SELECT key FROM kept ORDER BY 1").fetchall() == [("board kept",), ("broken",)]
    assert db.execute("SELECT run FROM beats").fetchall() == [(kept.number,)]
    assert shelf.records.integrity() == "ok"
