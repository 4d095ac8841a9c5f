"""The writer of a server's store: order and grouping as for a file, and each write once, whatever is lost."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from random import Random

import apsw
import psycopg
import pytest

from interplay.core.failures import RunLocked, StoreTrouble
from interplay.store.beats import last_beat
from interplay.store.lock import run_lock
from interplay.store.places import Server
from interplay.store.postgres_writer import ServerWriter
from interplay.store.records import Records
from interplay.store.writers import writer_of
from tests.store.cut_wire import Wire
from tests.store.databases import Databases, rows
from tests.store.test_postgres_lock import lose_connections

Write = Callable[[apsw.Connection], int]
NOTES = "CREATE TABLE notes (place BIGSERIAL, n BIGINT UNIQUE)"


@pytest.fixture
async def writer(server: Server) -> AsyncIterator[ServerWriter]:
    made = ServerWriter(server)
    await made.write(lambda db: db.execute(NOTES))
    yield made
    await made.close()


def note(number: int) -> Write:
    def write(db: apsw.Connection) -> int:
        db.execute("INSERT INTO notes (n) VALUES (?)", (number,))
        return number

    return write


def notes_at(server: Server) -> list[int]:
    return [row[0] for row in rows(server, "SELECT n FROM notes ORDER BY place")]


async def test_writes_are_done_in_order_and_those_that_come_together_are_committed_together(
    server: Server, writer: ServerWriter
) -> None:
    assert await asyncio.gather(*(writer.write(note(n)) for n in range(200))) == list(range(200))
    assert notes_at(server) == list(range(200))
    transactions = rows(server, "SELECT count(DISTINCT xmin::text) FROM notes")[0][0]
    assert 1 <= transactions < 50


async def test_an_error_reaches_everyone_in_its_batch_and_later_writes_work(
    server: Server, writer: ServerWriter
) -> None:
    await writer.write(note(1))
    writes = [writer.write(note(2)), writer.write(note(1)), writer.write(note(3))]
    results = await asyncio.gather(*writes, return_exceptions=True)
    assert [type(result) for result in results] == [StoreTrouble] * 3
    assert await writer.write(note(4)) == 4
    assert notes_at(server) == [1, 4]


async def test_a_fault_of_our_own_in_a_write_is_rolled_back_and_keeps_its_name(
    server: Server, writer: ServerWriter
) -> None:
    def broken(db: apsw.Connection) -> int:
        note(1)(db)
        raise LookupError("ours")

    with pytest.raises(LookupError, match="ours"):
        await writer.write(broken)
    await writer.write(note(2))
    assert notes_at(server) == [2]


async def test_a_write_whose_waiter_is_cancelled_still_happens(server: Server, writer: ServerWriter) -> None:
    waiting = [asyncio.create_task(writer.write(note(number))) for number in range(10)]
    await asyncio.sleep(0)
    for task in waiting[::2]:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await writer.write(note(10))
    assert notes_at(server) == list(range(11))


async def test_close_writes_what_is_waiting(server: Server) -> None:
    writer = ServerWriter(server)
    await writer.write(lambda db: db.execute(NOTES))
    waiting = [asyncio.create_task(writer.write(note(number))) for number in range(30)]
    await asyncio.sleep(0)
    await writer.close()
    assert await asyncio.gather(*waiting) == notes_at(server) == list(range(30))


async def test_two_who_are_in_each_other_s_way_both_write(server: Server, writer: ServerWriter) -> None:
    """Each changes what the other has changed, in another order: the server undoes one, which is done again."""
    await asyncio.gather(writer.write(note(1)), writer.write(note(2)))
    other = ServerWriter(server)

    def changing(first: int, second: int) -> Write:
        def write(db: apsw.Connection) -> int:
            for number in (first, second):
                db.execute("UPDATE notes SET place = place + 1 WHERE n = ?", (number,))
                time.sleep(0.05)
            return first

        return write

    before = sum(row[0] for row in rows(server, "SELECT place FROM notes"))
    await asyncio.gather(writer.write(changing(1, 2)), other.write(changing(2, 1)))
    await other.close()
    assert sum(row[0] for row in rows(server, "SELECT place FROM notes")) == before + 4


# TRUST 2: PostgreSQL backend terminated mid-transaction
@pytest.mark.parametrize(
    "times",
    [
        pytest.param(times, marks=[pytest.mark.fault("PostgreSQL backend terminated", times=times), *also])
        for times, also in ((10, []), (100, [pytest.mark.soak]))
    ],
)
async def test_a_backend_that_is_terminated_in_a_transaction_loses_and_doubles_nothing(
    server: Server, times: int
) -> None:
    with run_lock(server, "r-1") as held:
        writer = writer_of(server, held)
        await writer.write(lambda db: db.execute(NOTES))
        done = 0
        rng = Random(1)
        for turn in range(times):
            shot = asyncio.create_task(asyncio.to_thread(terminate_soon, server, rng.random() * 0.02))
            while not shot.done():
                await asyncio.gather(*(writer.write(note(done + n)) for n in range(5)))
                done += 5
            assert await shot, f"nobody was hit in turn {turn}"
        await writer.close()
    assert notes_at(server) == list(range(done))


def terminate_soon(server: Server, after: float) -> bool:
    """Terminate the backend that writes, as soon as it is within a transaction after a while."""
    with psycopg.connect(server.url, autocommit=True) as db:
        time.sleep(after)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            hit = db.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND application_name = 'interplay' AND xact_start IS NOT NULL"
                " AND query LIKE '%notes%' AND pid <> pg_backend_pid()"
            ).fetchall()
            if hit:
                return True
    return False


# TRUST 2: PostgreSQL backend terminated mid-transaction (the answer to the commit is lost)
@pytest.mark.parametrize(
    "times",
    [
        pytest.param(times, marks=[pytest.mark.fault("PostgreSQL backend terminated", times=times), *also])
        for times, also in ((5, []), (50, [pytest.mark.soak]))
    ],
)
async def test_a_commit_whose_answer_is_lost_is_not_done_twice(
    databases: Databases, server: Server, times: int
) -> None:
    with Records(server, create=True) as records:
        run = records.begin("r-1", "role_play", {"models": []}, {"limit": 1})
        wire = Wire(server, databases.folder / "data")
        try:
            with run_lock(wire.place, "r-1") as held:
                writer = writer_of(wire.place, held)
                writer.beats_for(run.number)
                await writer.write(lambda db: db.execute(NOTES))
                for number in range(times):
                    wire.cut_at_commit()
                    before = last_beat(records.db, run.number)
                    assert await writer.write(note(number)) == number
                    assert wire.cuts == number + 1
                    assert last_beat(records.db, run.number) > before
                await writer.close()
        finally:
            wire.close()
    assert notes_at(server) == list(range(times))


async def test_who_lost_the_run_to_another_writes_nothing_more(databases: Databases, server: Server) -> None:
    with run_lock(server, "r-1") as held:
        writer = writer_of(server, held)
        await writer.write(lambda db: db.execute(NOTES))
        assert held is not None
        with held.turn:  # as if the machine was asleep
            lose_connections(databases)
            with run_lock(server, "r-1"):
                pass
        with pytest.raises(RunLocked, match="was written by another process"):
            await writer.write(note(1))
        await writer.close()
    assert notes_at(server) == []


async def test_a_store_that_is_deleted_is_noticed_and_not_made_anew(server: Server) -> None:
    with run_lock(server, "r-1") as held:
        writer = writer_of(server, held)
        await writer.write(lambda db: db.execute(NOTES))
        with psycopg.connect(server.url, autocommit=True) as db:
            db.execute("DROP SCHEMA interplay CASCADE")
        with pytest.raises(StoreTrouble, match="was deleted"):
            await writer.write(note(1))
        await writer.close()
    assert not server.exists()
