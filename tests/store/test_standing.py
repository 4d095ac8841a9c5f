"""How a run stands: its newest takes, who was heard, and whether every call was answered."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from interplay.core.benchmark import Scenario, Verdict
from interplay.core.failures import ProviderFailure
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.store.journal import Journal, Place
from interplay.store.records import Records, Run
from interplay.store.standing import Standing, all_answered, heard, standings
from interplay.store.writer import Writer

RUBRIC = "r"
EXTENT = {"limit": 2, "epochs": 1, "judges": ["j", "k"], "rubric": RUBRIC}
REQUEST = Request("openai/a", Thread.start(Message("user", "hello")), Sampling())
Writing = Callable[[Journal], Awaitable[None]]


@pytest.fixture
def records(tmp_path: Path):
    with Records(tmp_path / "a.db", create=True) as made:
        yield made


def begin(records: Records, id: str = "a") -> Run:
    return records.begin(id, "role_play", {"models": ["openai/a"]}, EXTENT)


def place(number: int, subject: str = "openai/a") -> Place:
    return Place(Scenario({"n": number}, str(number)), subject, {"player": subject}, 0)


def write(records: Records, run: Run, what: Writing) -> None:
    async def carry_out() -> None:
        writer = Writer(records.path)
        await what(Journal(writer, run.number))
        await writer.close()

    asyncio.run(carry_out())


def address(where: Place) -> tuple[str, str, int]:
    return where.scenario.id, where.cast_digest, where.repeat


def test_the_newest_take_of_every_conversation_stands(records: Records) -> None:
    run, other = begin(records), begin(records, "b")

    async def play(journal: Journal) -> None:
        first = await journal.open_conversation(place(1), "p", anew=False)
        await journal.void(first, ProviderFailure("gave up"), [])
        await journal.open_conversation(place(2), "p", anew=False)
        await journal.open_conversation(place(1), "p", anew=True)

    write(records, run, play)
    write(records, other, play)
    assert standings(records, run) == {
        address(place(1)): Standing(3, "open", ""),
        address(place(2)): Standing(2, "open", ""),
    }
    assert {one.number for one in standings(records, other).values()} == {5, 6}
    assert standings(records, begin(records, "c")) == {}


def test_a_take_that_came_to_nothing_says_why(records: Records) -> None:
    run = begin(records)

    async def play(journal: Journal) -> None:
        number = await journal.open_conversation(place(1), "p", anew=False)
        await journal.void(number, ProviderFailure("gave up"), [])

    write(records, run, play)
    assert standings(records, run)[address(place(1))] == Standing(1, "void", ProviderFailure.name)


def test_judges_are_heard_by_the_rubric_on_the_conversation_itself_and_if_it_counts(records: Records) -> None:
    run = begin(records)

    async def play(journal: Journal) -> None:
        for number in (1, 2, 3):
            await journal.open_conversation(place(number), "p", anew=False)
        for judge in ("k", "j"):
            await journal.judged(1, "", Verdict(judge, RUBRIC, {"n": 1}))
            await journal.judged(
                2, "", Verdict(judge, RUBRIC, None, "refusal" if judge == "j" else "provider")
            )
        await journal.judged(3, "", Verdict("j", "another", {"n": 1}))
        await journal.judged(3, "1 v 2", Verdict("j", RUBRIC, {"n": 1}))

    write(records, run, play)
    assert heard(records, run, RUBRIC, lambda failure: failure != "provider") == {
        1: frozenset({"j", "k"}),
        2: frozenset({"j"}),
    }


@pytest.mark.parametrize(("ends", "answered"), [("reply", True), ("failed", False), ("unknown", False)])
def test_all_calls_are_answered_or_not(records: Records, ends: str, answered: bool) -> None:
    run, other = begin(records), begin(records, "b")
    assert all_answered(records, run)

    async def call(journal: Journal, number: int, how: str) -> None:
        await journal.open_conversation(place(1), "p", anew=False)
        sent = await journal.intend(number, Step("play", "", "player", 0), 0, REQUEST)
        if how == "reply":
            await journal.settle(sent, Reply("x"))
        elif how == "failed":
            await journal.settle_failure(sent, "server", "", b"")

    write(records, run, lambda journal: call(journal, 1, ends))
    write(records, other, lambda journal: call(journal, 2, "unknown"))
    assert all_answered(records, run) is answered
    assert not all_answered(records, other)
