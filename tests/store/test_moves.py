"""People's moves in the store: whose turn it is, and what they say, once."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from interplay.core.benchmark import Scenario
from interplay.core.failures import Mistake, RefusalFailure
from interplay.core.forms import LONGEST_TEXT
from interplay.core.wire import Message, Request, Sampling, Step, Thread
from interplay.store.beats import last_beat
from interplay.store.journal import Journal, Place
from interplay.store.moves import Moves
from interplay.store.places import Server, Store
from interplay.store.records import ASKED, WAITING, Records, Run
from interplay.store.writers import writer_of
from tests.store.databases import rows

STEP = Step("play", "", "player 2", 0)
SCHEMA = {"type": "object", "properties": {"clue": {"type": "string"}}}
TOLD = Thread.start(Message("system", "Your word is pear.")).then("user", "Give a clue.")
REQUEST = Request("human/ada", TOLD, Sampling(), SCHEMA)
COLUMNS = (
    *("sent", "text", "raw", "state", "stop", "version", "attempt"),
    *("tokens_in", "tokens_out", "tokens_estimated", "cost", "latency"),
)
EXTENT = {"limit": 1, "epochs": 1, "judges": []}


@dataclass
class Book:
    """Two runs with conversations, written down as the engine does."""

    path: Store
    run: Run
    other: Run

    def asks(self, request: Request = REQUEST, step: Step = STEP, repeat: int = 0, **where: Any) -> int:
        """Somebody is asked in a conversation; the number of the call."""
        return asyncio.run(self._asks(request, step, repeat, **where))

    async def _asks(
        self, request: Request, step: Step, repeat: int, run: Run | None = None, anew: bool = False
    ) -> int:
        writer = writer_of(self.path)
        journal = Journal(writer, (run or self.run).number)
        place = Place(Scenario({"n": 1}, "one"), "openai/a", {"player": "openai/a"}, repeat)
        number = await journal.open_conversation(place, "p", anew=anew)
        call = await journal.intend(number, step, 0, request, (0, 0.0))
        await writer.close()
        return call

    def void(self, conversation: int) -> None:
        async def write() -> None:
            writer = writer_of(self.path)
            await Journal(writer, self.run.number).void(conversation, RefusalFailure("no"), [])
            await writer.close()

        asyncio.run(write())

    def row(self, call: int) -> dict[str, Any]:
        [found] = rows(self.path, f"SELECT {', '.join(COLUMNS)} FROM calls WHERE number = ?", call)
        return dict(zip(COLUMNS, found, strict=True))

    def set_sent(self, call: int, sent: datetime) -> None:
        with Records(self.path) as records:
            when = sent.isoformat(timespec="milliseconds")
            records.db.execute("UPDATE calls SET sent = ? WHERE number = ?", (when, call))


@pytest.fixture
def book(place: Store) -> Iterator[Book]:
    with Records(place, create=True) as records:
        first, other = (
            records.begin(id, "role_play", {"models": ["openai/a"]}, EXTENT) for id in ("r-1", "r-2")
        )
        yield Book(place, first, other)


def test_whose_turn_it_is_with_all_that_the_seat_has_seen(book: Book) -> None:
    call = book.asks()
    with Moves(book.path) as moves:
        [move] = moves.waiting()
    assert (move.call, move.run, move.conversation, move.seat, move.person) == (
        call,
        "r-1",
        1,
        "player 2",
        "ada",
    )
    assert move.schema == SCHEMA
    assert move.messages == tuple(TOLD.messages())
    assert move.since == book.row(call)["sent"]


def test_free_text_has_no_schema(book: Book) -> None:
    book.asks(replace(REQUEST, schema=None))
    with Moves(book.path) as moves:
        assert moves.waiting()[0].schema is None


def test_moves_can_be_asked_for_by_run_and_by_person(book: Book) -> None:
    first = book.asks()
    second = book.asks(replace(REQUEST, model="human/bo"), repeat=1)
    third = book.asks(run=book.other)
    book.asks(replace(REQUEST, model="openai/a"), repeat=2)  # a call of a model that is under way
    with Moves(book.path) as moves:
        assert [one.call for one in moves.waiting()] == [first, second, third]
        assert [one.call for one in moves.waiting(book.run)] == [first, second]
        assert [one.call for one in moves.waiting(person="ada")] == [first, third]
        assert [one.call for one in moves.waiting(book.other, "bo")] == []
    with Records(book.path) as records:
        assert records.waiting(book.run) == {1: ("ada",), 2: ("bo",)}
        totals = records.totals(book.run)
        assert (totals.unknown, totals.unknown_cost) == (1, 0.0)
        assert records.spent(book.run, ()) == (0.0, 0, 1)
        assert not records.has_spoken(1)


def test_an_answer_settles_the_very_row_and_is_there_once(book: Book) -> None:
    call = book.asks()
    book.set_sent(call, datetime.now(UTC) - timedelta(hours=1))
    with Records(book.path) as records:
        before = last_beat(records.db, book.run.number)
    with Moves(book.path) as moves, Moves(book.path) as second_tab:
        assert len(second_tab.waiting()) == 1
        assert moves.answer(call, '{"clue": "It grows on trees."}')
        assert not second_tab.answer(call, '{"clue": "It is green."}')
        assert moves.waiting() == second_tab.waiting() == []
    row = book.row(call)
    assert row["text"] == '{"clue": "It grows on trees."}'
    assert row["raw"] == row["text"].encode()
    assert (row["state"], row["stop"], row["version"], row["attempt"]) == ("done", "stop", "", 0)
    assert (row["tokens_in"], row["tokens_out"], row["tokens_estimated"], row["cost"]) == (0, 0, 0, 0.0)
    assert 3600 <= row["latency"] < 3700
    with Records(book.path) as records:
        assert last_beat(records.db, book.run.number) > before
        assert last_beat(records.db, book.other.number) == 0
        assert records.has_spoken(1)
        assert records.waiting(book.run) == {}


def test_a_clock_that_was_set_back_gives_no_time(book: Book) -> None:
    call = book.asks()
    book.set_sent(call, datetime.now(UTC) + timedelta(days=1))
    with Moves(book.path) as moves:
        assert moves.answer(call, "x")
    assert book.row(call)["latency"] is None


@pytest.mark.parametrize(
    "text, kept",
    [
        ("a\0b", "a\N{REPLACEMENT CHARACTER}b"),
        ("a\ud800b", "a?b"),
        ("", ""),
        ("naïve 🌳\r\n", "naïve 🌳\r\n"),
        ("x" * (LONGEST_TEXT + 5), "x" * LONGEST_TEXT),
    ],
    ids=["NUL", "a lone surrogate", "nothing", "any letters", "too long"],
)
def test_a_text_is_kept_as_a_model_s_is(book: Book, text: str, kept: str) -> None:
    call = book.asks()
    with Moves(book.path) as moves:
        assert moves.answer(call, text)
    row = book.row(call)
    assert row["text"] == kept
    assert row["raw"] == text[:LONGEST_TEXT].encode("utf-8", "surrogatepass")


def test_nobody_is_asked_in_what_is_over_or_was_begun_anew(book: Book) -> None:
    over, earlier = book.asks(), book.asks(repeat=1)
    book.void(1)
    newest = book.asks(repeat=1, anew=True)
    with Moves(book.path) as moves:
        assert [one.call for one in moves.waiting()] == [newest]
        assert not moves.answer(over, "x")
        assert not moves.answer(earlier, "x")
    assert book.row(over)["state"] == book.row(earlier)["state"] == "sent"


def test_what_a_model_was_asked_is_not_for_people_to_answer(book: Book) -> None:
    call = book.asks(replace(REQUEST, model="openai/a"))
    with Moves(book.path) as moves:
        assert not moves.answer(call, "x")
        assert not moves.answer(call + 1, "x")
        assert not moves.answer(-1, "x")
    assert book.row(call)["state"] == "sent"


def test_of_many_answers_at_once_one_is_taken(book: Book) -> None:
    call = book.asks()
    taken: list[str] = []

    def answer(text: str) -> None:
        with Moves(book.path) as moves:
            if moves.answer(call, text):
                taken.append(text)

    threads = [threading.Thread(target=answer, args=(f"answer {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [book.row(call)["text"]] == taken


def test_looking_for_who_is_asked_reads_no_more_than_that(book: Book) -> None:
    """However many calls there are, the index of those who are asked is what is read."""
    if isinstance(book.path, Server):
        pytest.skip("the server plans by how many there are")
    with Records(book.path) as records:
        plan = records.db.execute(
            f"EXPLAIN QUERY PLAN SELECT c.number FROM {ASKED} WHERE c.run = 1 AND {WAITING} ORDER BY calls.number"
        ).fetchall()
    told = [step[-1] for step in plan]
    assert "SEARCH calls USING INDEX people_who_are_asked (model>? AND model<?)" in told
    assert not any(step.startswith("SCAN") for step in told)


def test_a_store_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="there is no store"):
        Moves(tmp_path / "none.db")
