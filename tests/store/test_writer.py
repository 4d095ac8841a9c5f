"""The writer: order, grouping, and what happens when a write cannot be done."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import apsw
import pytest

from interplay.core.failures import StoreTrouble
from interplay.store.writer import Writer

Write = Callable[[apsw.Connection], int]


@pytest.fixture
async def writer(tmp_path: Path) -> AsyncIterator[Writer]:
    made = Writer(tmp_path / "a.db")
    await made.write(lambda db: db.execute("CREATE TABLE notes (n INTEGER UNIQUE, text TEXT)").fetchall())
    yield made
    await made.close()


def note(number: int, text: str = "") -> Write:
    def write(db: apsw.Connection) -> int:
        db.execute("INSERT INTO notes VALUES (?, ?)", (number, text))
        return number

    return write


def notes_at(path: Path) -> list[int]:
    """What another connection reads, in the order of writing."""
    db = apsw.Connection(os.fspath(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        return [number for (number,) in db.execute("SELECT n FROM notes ORDER BY rowid")]
    finally:
        db.close()


def count_commits(writer: Writer) -> list[int]:
    commits: list[int] = []

    def counted() -> bool:
        commits.append(len(commits))
        return False

    writer.connection.set_commit_hook(counted)
    return commits


async def test_writes_are_done_in_the_order_they_came(writer: Writer) -> None:
    results = await asyncio.gather(*(writer.write(note(number)) for number in range(200)))
    assert results == list(range(200))
    assert notes_at(writer.path) == list(range(200))


async def test_writes_that_come_together_are_committed_together(writer: Writer) -> None:
    commits = count_commits(writer)
    await asyncio.gather(*(writer.write(note(number)) for number in range(100)))
    assert len(notes_at(writer.path)) == 100
    assert 1 <= len(commits) < 50


async def test_writes_that_come_one_by_one_are_committed_one_by_one(writer: Writer) -> None:
    commits = count_commits(writer)
    for number in range(5):
        await writer.write(note(number))
    assert len(commits) == 5


async def test_an_awaited_write_can_be_read_by_another_connection(writer: Writer) -> None:
    for number in range(20):
        await writer.write(note(number))
        assert notes_at(writer.path) == list(range(number + 1))


async def test_a_write_whose_waiter_is_cancelled_still_happens(writer: Writer) -> None:
    waiting = [asyncio.create_task(writer.write(note(number))) for number in range(10)]
    await asyncio.sleep(0)
    for task in waiting[::2]:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await writer.write(note(10))
    assert notes_at(writer.path) == list(range(11))
    assert [task.cancelled() for task in waiting] == [True, False] * 5


async def test_an_error_reaches_everyone_in_its_batch_and_later_writes_work(writer: Writer) -> None:
    await writer.write(note(1))
    writes = [writer.write(note(2)), writer.write(note(1)), writer.write(note(3))]
    results = await asyncio.gather(*writes, return_exceptions=True)
    assert [type(result) for result in results] == [StoreTrouble] * 3
    assert notes_at(writer.path) == [1]
    assert await writer.write(note(4)) == 4
    assert notes_at(writer.path) == [1, 4]


async def test_a_fault_of_our_own_in_a_write_is_rolled_back_and_keeps_its_name(writer: Writer) -> None:
    def broken(db: apsw.Connection) -> int:
        db.execute("INSERT INTO notes VALUES (1, '')")
        raise LookupError("ours")

    with pytest.raises(LookupError, match="ours"):
        await writer.write(broken)
    await writer.write(note(2))
    assert notes_at(writer.path) == [2]


async def test_an_error_whose_waiter_is_cancelled_harms_nobody(writer: Writer) -> None:
    await writer.write(note(1))
    doomed = asyncio.create_task(writer.write(note(1)))
    await asyncio.sleep(0)
    doomed.cancel()
    assert isinstance((await asyncio.gather(doomed, return_exceptions=True))[0], asyncio.CancelledError)
    assert await writer.write(note(2)) == 2


async def test_close_writes_what_is_waiting(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a.db")
    await writer.write(lambda db: db.execute("CREATE TABLE notes (n, text)").fetchall())
    waiting = [asyncio.create_task(writer.write(note(number))) for number in range(30)]
    await asyncio.sleep(0)
    await writer.close()
    assert notes_at(writer.path) == list(range(30))
    assert await asyncio.gather(*waiting) == list(range(30))


async def test_a_full_disk_stops_nothing_half_way_and_room_lets_it_go_on(writer: Writer) -> None:
    pages = int(writer.connection.pragma("page_count"))
    writer.connection.pragma("max_page_count", pages + 4)
    number = 0
    with pytest.raises(StoreTrouble, match="disk is full"):
        while number < 100:
            number += 1
            await writer.write(note(number, "x" * 3000))
    assert 0 < number < 100
    assert notes_at(writer.path) == list(range(1, number))

    both = [writer.write(note(1000, "small")), writer.write(note(1001, "x" * 100_000))]
    results = await asyncio.gather(*both, return_exceptions=True)
    assert [type(result) for result in results] == [StoreTrouble] * 2
    assert notes_at(writer.path) == list(range(1, number))

    writer.connection.pragma("max_page_count", 100_000)
    assert await writer.write(note(number, "x" * 3000)) == number
    assert notes_at(writer.path) == list(range(1, number + 1))
    assert writer.connection.execute("PRAGMA integrity_check").get == "ok"


async def test_a_file_deleted_mid_way_is_noticed_and_not_made_anew(writer: Writer) -> None:
    await writer.write(note(1))
    writer.path.unlink()
    with pytest.raises(StoreTrouble, match="deleted"):
        await writer.write(note(2))
    assert not writer.path.exists()


async def test_a_file_cut_short_mid_way_is_noticed(writer: Writer) -> None:
    await writer.write(note(1))
    os.truncate(writer.path, 0)
    with pytest.raises(StoreTrouble, match="replaced or cut short"):
        await writer.write(note(2))
    assert writer.path.stat().st_size == 0
