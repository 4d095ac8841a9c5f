"""The keeper: what it gives is exact or says that it is not, is computed once, and never stands in anybody's way."""

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.core.failures import Mistake
from interplay.running.comparing import groups_of
from interplay.running.keeping import Keeper, Kept
from interplay.running.kept import Wish, compute, compute_and_keep, keep, read, wish_for_board
from interplay.running.results import board_of
from interplay.store.beats import beat
from interplay.store.browsing import Browsing
from interplay.store.journal import Journal
from interplay.store.records import Records, Run
from interplay.store.sums import sums_of
from interplay.store.writer import Writer
from tests.web.big_store import MODELS, make_store

ROLE_PLAY = find("role_play")
MARK = "a title that nobody computed"
LONGEST = 60.0  # seconds that a process may take to start on a busy machine


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    make_store(path, 40, scenarios=5)
    return path


@pytest.fixture
def records(store: Path) -> Iterator[Records]:
    with Records(store) as made:
        yield made


@pytest.fixture
def run(records: Records) -> Run:
    return records.find("last")


def mark(records: Records) -> None:
    """Change what is kept, so that it shows where it is used."""
    body = json.loads(records.db.execute("SELECT body FROM kept WHERE key LIKE '%\"board\"%'").get)
    body["title"] = MARK
    records.db.execute("UPDATE kept SET body = ?", (json.dumps(body),))


def until(ask: Callable[[], Kept[Any]], done: Callable[[Kept[Any]], bool]) -> Kept[Any]:
    deadline = time.monotonic() + LONGEST
    while not done(found := ask()):
        assert time.monotonic() < deadline, found
        assert not found.trouble, found.trouble
        time.sleep(0.02)
    return found


def test_a_board_is_that_of_the_records_and_is_kept(store: Path, records: Records, run: Run) -> None:
    expected = board_of(records, run, ROLE_PLAY)
    with Keeper(store) as keeper:
        found = keeper.board(run)
        assert found.value == expected
        assert (found.stale, found.is_being_computed) == (False, False)
    mark(records)
    with Keeper(store) as another:
        assert another.board(run).value.title == MARK
        assert another.board(run).value.rows == expected.rows


def test_options_of_the_table_are_a_board_of_their_own(store: Path, records: Records, run: Run) -> None:
    with Keeper(store) as keeper:
        plain, fixed = keeper.board(run), keeper.board(run, {"length_median": "10"})
    assert fixed.value == board_of(records, run, ROLE_PLAY, {"length_median": "10"})
    assert plain.value == board_of(records, run, ROLE_PLAY) != fixed.value
    assert (
        wish_for_board(run, ROLE_PLAY, {"length_median": "010"}).key
        == wish_for_board(run, ROLE_PLAY, {"length_median": "10"}).key
    )


def test_a_beat_puts_what_was_kept_out_of_date(store: Path, records: Records, run: Run) -> None:
    with Keeper(store) as keeper:
        before = keeper.board(run).value
        mark(records)
        records.db.execute(
            "UPDATE verdicts SET failure = 'unreadable', data = NULL WHERE conversation % 3 = 0"
        )
        assert keeper.board(run).value == before  # nothing said that anything was written
        beat(records.db, run.number)
        after = keeper.board(run).value
    assert after == board_of(records, run, ROLE_PLAY) != before


def test_another_program_computes_anew(store: Path, records: Records, run: Run) -> None:
    with Keeper(store) as keeper:
        keeper.board(run)
    mark(records)
    records.db.execute("UPDATE kept SET beats = json_set(beats, '$.program', 'another')")
    with Keeper(store) as keeper:
        assert keeper.board(run).value == board_of(records, run, ROLE_PLAY)


def test_groups_sums_and_what_is_shared_come_back_as_they_were(
    store: Path, records: Records, run: Run
) -> None:
    names = ["fluency", "in_character"]
    browsing = Browsing(records)
    for _ in range(2):  # computed, and then from the store
        with Keeper(store) as keeper:
            assert keeper.groups("role_play").value == groups_of(records, [run], ROLE_PLAY)
            assert keeper.sums(run).value == sums_of(records, run)
            assert keeper.shared(run, *MODELS[:2], names) == browsing.shared(run, *MODELS[:2], names)
    assert records.db.execute("SELECT count(*) FROM kept").get == 3


def test_a_new_run_is_in_the_groups(store: Path, records: Records, run: Run) -> None:
    with Keeper(store) as keeper:
        assert len(keeper.groups("role_play").value) == 1
        other = make_store(store, 20, scenarios=5, seed=1)
        groups = keeper.groups("role_play").value
        assert [one.id for one in groups[0].runs] == [run.id, other.id]
        assert groups == groups_of(records, records.runs(), ROLE_PLAY)


def test_many_who_ask_at_once_let_it_be_computed_once(store: Path, records: Records, run: Run) -> None:
    records.db.execute("CREATE TABLE computed (key)")
    records.db.execute(
        "CREATE TRIGGER counting AFTER INSERT ON kept BEGIN INSERT INTO computed VALUES (NEW.key); END"
    )
    records.db.execute(
        "CREATE TRIGGER counting_too AFTER UPDATE ON kept BEGIN INSERT INTO computed VALUES (NEW.key); END"
    )
    with Keeper(store) as keeper, ThreadPoolExecutor(12) as people:
        found = list(
            people.map(lambda number: keeper.board(run) if number % 2 else keeper.sums(run), range(24))
        )
    assert [one.value == found[number % 2].value for number, one in enumerate(found)] == [True] * 24
    assert records.db.execute("SELECT count(*) FROM computed").get == 2


def test_of_a_large_run_nobody_waits_for_the_board(store: Path, records: Records, run: Run) -> None:
    expected = board_of(records, run, ROLE_PLAY)
    with Keeper(store, few=10) as keeper:
        first = keeper.board(run)
        assert (first.value, first.is_being_computed) == (None, True)
        found = until(lambda: keeper.board(run), lambda one: one.value is not None)
        assert found.value == expected
        assert not found.stale
        beat(records.db, run.number)
        old = keeper.board(run)
        assert (old.value, old.stale, old.as_of, old.is_being_computed) == (expected, True, found.as_of, True)
    kept = read(records, wish_for_board(run, ROLE_PLAY))
    assert kept is not None
    assert kept.made == found.as_of


def test_sums_of_a_large_run_are_computed_apart_too(store: Path, records: Records, run: Run) -> None:
    with Keeper(store, few=10) as keeper:
        assert keeper.sums(run).value is None
        found = until(lambda: keeper.sums(run), lambda one: one.value is not None)
    assert found.value == sums_of(records, run)


def test_a_keeper_that_closes_ends_its_processes(store: Path, run: Run) -> None:
    keeper = Keeper(store, few=10)
    keeper.board(run)
    deadline = time.monotonic() + LONGEST
    while not keeper._children:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    (child,) = keeper._children
    keeper.close()
    assert child.returncode is not None
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)
    assert keeper.board(run).value is None  # and starts no other
    assert not keeper._children


def test_what_cannot_be_computed_is_said_and_tried_again_later(
    store: Path, records: Records, run: Run
) -> None:
    records.db.execute("UPDATE verdicts SET data = '{}' WHERE data IS NOT NULL")
    with Keeper(store, few=10) as keeper:
        deadline = time.monotonic() + LONGEST
        while not (found := keeper.board(run)).trouble:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert "could not be computed (KeyError: 'turns')" in found.trouble
        assert not found.is_being_computed
        assert found.value is None


def test_a_run_that_was_deleted_is_gone_from_what_is_kept(store: Path, records: Records, run: Run) -> None:
    with Keeper(store) as keeper:
        keeper.board(run)
        keeper.groups("role_play")
        _, computed = compute(records, wish_for_board(run, ROLE_PLAY))

        async def forget() -> None:
            writer = Writer(store)
            await Journal(writer, run.number).forget()
            await writer.close()

        asyncio.run(forget())
        assert records.db.execute("SELECT count(*) FROM kept").get == 0
        keep(records, wish_for_board(run, ROLE_PLAY), computed)  # by who computed it meanwhile
        assert records.db.execute("SELECT count(*) FROM kept").get == 0
        with pytest.raises(Mistake, match="any more"):
            keeper.board(run)
        assert keeper.groups("role_play").value == []


def test_a_store_that_cannot_be_written_is_no_trouble(store: Path, records: Records, run: Run) -> None:
    wish = wish_for_board(run, ROLE_PLAY)
    records.db.pragma("max_page_count", records.db.pragma("page_count"))  # full
    assert compute_and_keep(records, wish) == board_of(records, run, ROLE_PLAY)
    assert read(records, wish) is None
    assert not records.db.in_transaction


def test_who_holds_the_store_locked_is_waited_for_once_and_not_for_each_number(
    store: Path, records: Records, run: Run
) -> None:
    with Keeper(store) as keeper:
        records.db.execute("BEGIN IMMEDIATE")
        assert keeper.board(run).value == board_of(records, run, ROLE_PLAY)
        records.db.execute("ROLLBACK")
        assert keeper.sums(run).value == sums_of(records, run)  # found as ever, and not even tried to be kept
        assert records.db.execute("SELECT count(*) FROM kept").get == 0
    with Keeper(store) as another:
        another.sums(run)
        assert records.db.execute("SELECT count(*) FROM kept").get == 1


def test_who_began_earlier_does_not_replace_what_was_computed_later(records: Records, run: Run) -> None:
    wish = wish_for_board(run, ROLE_PLAY)
    _, computed = compute(records, wish)
    keep(records, wish, computed)
    keep(records, wish, replace(computed, made="2001-01-01T00:00:00+00:00", body="{}"))
    assert read(records, wish) == computed
    ahead = replace(computed, made="2999-01-01T00:00:00+00:00")  # by a clock that went wrong
    keep(records, wish, ahead)
    assert read(records, wish) == ahead
    keep(records, wish, computed)
    assert read(records, wish) == computed


def test_a_wish_is_its_key() -> None:
    wish = Wish("board", "role_play", ("a",), {"length_median": "7", "odd": "\ud800 ' \" é"})
    assert Wish.of(wish.key) == wish
    assert wish.key != Wish("sums", "role_play", ("a",)).key
