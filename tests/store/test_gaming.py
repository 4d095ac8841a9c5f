"""What pages of games read of the record: who plays, what a seat has seen, and what a question was answered by."""

import asyncio
from dataclasses import replace

import pytest

from interplay.core.benchmark import Scenario
from interplay.core.wire import Message, Request, Sampling, Step, Thread
from interplay.store.gaming import Question, players_of, question_of, view_of
from interplay.store.journal import Journal, Place
from interplay.store.moves import Moves
from interplay.store.places import Store
from interplay.store.records import Records
from interplay.store.writers import writer_of

SCHEMA = {"type": "object", "properties": {"clue": {"type": "string"}}, "required": ["clue"]}
TOLD = Thread.start(Message("system", "Your word is pear.")).then("user", "Give a clue.")
ADA = Request("human/ada", TOLD, Sampling(), SCHEMA)
BOB = Request("human/bob", Thread.start(Message("user", "And you?")), Sampling(), None)
CAST = {"player": "human/ada", "opponent": "human/bob"}
IDENTITY = {"models": ["human/ada", "openai/a"], "roles": {"opponent": ["human/bob"], "judge": ["openai/j"]}}
EXTENT = {"limit": 1, "epochs": 1, "judges": [], "rubric": ""}


@pytest.fixture
def store(place: Store) -> Store:
    """One run with a conversation in which ada was asked first and bob then, and an empty one."""
    with Records(place, create=True) as records:
        run = records.begin("one", "word_guessing", IDENTITY, EXTENT)
        records.begin("two", "word_guessing", {"models": ["openai/a"], "roles": {}}, EXTENT)

    async def write() -> None:
        writer = writer_of(place)
        journal = Journal(writer, run.number)
        number = await journal.open_conversation(
            Place(Scenario({"n": 1}, "one"), "x", CAST, 0), "p", anew=False
        )
        await journal.intend(number, Step("play", "", "player", 0), 0, ADA, (0, 0.0))
        await journal.intend(number, Step("play", "", "opponent", 0), 0, BOB, (0, 0.0))
        await writer.close()

    asyncio.run(write())
    return place


def test_people_are_told_from_models_by_run(store: Store) -> None:
    with Records(store) as records:
        one, two = records.runs()
        assert players_of(one) == ["ada", "bob"]
        assert players_of(two) == []
        named = replace(one, identity={"models": ["openai/human"], "roles": {"player 2": ["human/eve"]}})
        assert players_of(named) == ["eve"]


def test_a_seat_s_view_is_its_own_and_grows_with_what_it_says(store: Store) -> None:
    with Records(store) as records, Moves(store) as moves:
        told = [Message("system", "Your word is pear."), Message("user", "Give a clue.")]
        assert view_of(records, 1, "ada") == ("player", told)
        assert moves.answer(1, '{"clue": "sweet"}')
        assert view_of(records, 1, "ada") == ("player", [*told, Message("assistant", '{"clue": "sweet"}')])
        assert view_of(records, 1, "bob") == ("opponent", [Message("user", "And you?")])


def test_who_was_not_asked_yet_has_seen_nothing(store: Store) -> None:
    with Records(store) as records:
        assert view_of(records, 1, "eve") == ("", [])
        assert view_of(records, 0, "ada") == ("", [])


def test_the_seat_in_which_somebody_was_asked_last_is_seen(store: Store) -> None:
    async def write() -> None:
        writer = writer_of(store)
        with Records(store) as records:
            journal = Journal(writer, records.find("one").number)
        later = replace(ADA, thread=Thread.start(Message("user", "And in this seat?")))
        await journal.intend(1, Step("play", "", "player 2", 0), 0, later, (0, 0.0))
        await writer.close()

    asyncio.run(write())
    with Records(store) as records:
        assert view_of(records, 1, "ada") == ("player 2", [Message("user", "And in this seat?")])


def test_a_question_is_one_person_s_in_one_run(store: Store) -> None:
    with Records(store) as records:
        assert question_of(records, "one", "ada", 1) == Question(SCHEMA, None)
        assert question_of(records, "one", "bob", 2) == Question(None, None)
        for run, person, call in [("one", "bob", 1), ("two", "ada", 1), ("one", "ada", 3), ("one", "ada", 0)]:
            assert question_of(records, run, person, call) is None


def test_an_answer_is_told_as_it_is_on_disk(store: Store) -> None:
    with Records(store) as records, Moves(store) as moves:
        assert moves.answer(2, "Nothing\0to say")
        answer = question_of(records, "one", "bob", 2)
        assert answer is not None
        assert answer.answer == records.db.execute("SELECT text FROM calls WHERE number = 2").get
        assert question_of(records, "one", "ada", 1) == Question(SCHEMA, None)
