"""The desk of a recorded conversation: what the record has is read from it, and only if it fits what is asked."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from interplay.core.benchmark import Scenario
from interplay.core.failures import Divergence, Parked
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.models.scripted import Scripted
from interplay.running.desk import RecordedDesk
from interplay.running.divergence import explained_by
from interplay.running.sending import Call, Send, asked_of_people, journaled
from interplay.store.journal import Journal, Place
from interplay.store.moves import Moves
from interplay.store.records import Records
from interplay.store.writer import Writer

STEP = Step("play", "", "player", 0)
FACT = Step("play", "", "draw", 0)
ASKED = Thread.start(Message("system", "Be brief.")).then("user", "Hello, who are you?")
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
TURNED = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}}
REQUEST = Request("openai/a", ASKED, Sampling(temperature=0.5), SCHEMA)


@dataclass
class Play:
    """One conversation in a new store, and the desks that take it up again and again."""

    records: Records
    writer: Writer
    run: int
    journal: Journal
    conversation: int
    sent: list[Call] = field(default_factory=list)

    async def desk(self) -> RecordedDesk:
        """A desk that knows what the store holds by now, as a new process would."""
        journal = Journal(self.writer, self.run)  # as the next start of the run has it
        recall = await journal.recall(self.conversation, "play", "")
        return RecordedDesk(recall, journal, explained_by(self.records), self._sender)

    def _sender(self, model: str) -> Send:
        send = journaled(Scripted(model, lambda request: f"answer {len(self.sent)}"), self.journal)

        async def counted(call: Call) -> Reply:
            self.sent.append(call)
            return await send(call)

        return counted


@pytest.fixture
async def play(tmp_path: Path) -> AsyncIterator[Play]:
    path = tmp_path / "a.db"
    with Records(path, create=True) as records:
        run = records.begin(
            "r-1", "role_play", {"models": ["openai/a"]}, {"limit": 1, "epochs": 1, "judges": []}
        )
        writer = Writer(path)
        journal = Journal(writer, run.number)
        place = Place(Scenario({"n": 1}, "one"), "openai/a", {"player": "openai/a"}, 0)
        yield Play(
            records, writer, run.number, journal, await journal.open_conversation(place, "p", anew=False)
        )
        await writer.close()


async def test_what_is_made_once_is_at_once_what_a_replay_will_read(play: Play) -> None:
    made: list[object] = []

    def make() -> object:
        made.append(None)
        return {"order": (3, 1, 2), "pair": {"of": ("ß", None)}}

    desk = await play.desk()
    first = await desk.once(FACT, make)
    assert first == {"order": [3, 1, 2], "pair": {"of": ["ß", None]}}
    assert type(first["order"]) is list
    assert await desk.once(FACT, make) == first
    again = await (await play.desk()).once(FACT, make)
    assert again == first
    assert type(again["order"]) is list
    assert len(made) == 1


async def test_what_was_made_as_nothing_is_not_made_again(play: Play) -> None:
    assert await (await play.desk()).once(FACT, lambda: None) is None
    assert await (await play.desk()).once(FACT, lambda: pytest.fail("made again")) is None


async def test_a_recorded_reply_is_returned_without_sending(play: Play) -> None:
    reply = await (await play.desk()).reply(STEP, REQUEST)
    assert [(call.conversation, call.step, call.attempt, call.request) for call in play.sent] == [
        (play.conversation, STEP, 0, REQUEST)
    ]
    again = await (await play.desk()).reply(STEP, replace(REQUEST))
    assert again == replace(reply, raw=b"")  # raw bytes stay in the store
    assert len(play.sent) == 1


async def test_another_step_is_sent_and_recorded_too(play: Play) -> None:
    await (await play.desk()).reply(STEP, REQUEST)
    second = replace(STEP, number=1)
    more = replace(REQUEST, thread=ASKED.then("assistant", "answer 1").then("user", "Really?"))
    reply = await (await play.desk()).reply(second, more)
    assert [call.step for call in play.sent] == [STEP, second]
    assert (await (await play.desk()).reply(second, more)).text == reply.text
    assert len(play.sent) == 2


async def test_an_intent_without_a_reply_is_sent_again_as_the_next_attempt(play: Play) -> None:
    await play.journal.intend(play.conversation, STEP, 0, REQUEST)
    await (await play.desk()).reply(STEP, REQUEST)
    assert [call.attempt for call in play.sent] == [1]


def other_schema() -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": "integer"}}}


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda asked: replace(asked, model="openai/b"), "its model changed since it was recorded"),
        (
            lambda asked: replace(asked, sampling=Sampling(temperature=0.7)),
            "its sampling changed since it was recorded",
        ),
        (lambda asked: replace(asked, schema=other_schema()), "its schema changed since it was recorded"),
        (lambda asked: replace(asked, schema=None), "its schema changed since it was recorded"),
        (
            lambda asked: replace(asked, model="openai/b", schema=None),
            "its model and schema changed since it was recorded",
        ),
        (
            lambda asked: replace(
                asked, thread=Thread.start(Message("system", "Be brief.")).then("user", "Hello, who is it?")
            ),
            "message 2 (user) was recorded as 'ello, who are you?' and is now 'ello, who is it?'",
        ),
        (
            lambda asked: replace(
                asked, thread=Thread.start(Message("user", "Be brief.")).then("user", "Hello, who are you?")
            ),
            "message 1 (system) was recorded as",
        ),
        (
            lambda asked: replace(asked, thread=asked.thread.then("assistant", "I")),
            "2 messages were recorded and there are now 3",
        ),
    ],
    ids=["model", "sampling", "schema", "no schema", "two at once", "message", "role", "one more message"],
)
async def test_a_request_that_changed_is_refused_and_told_by_what(
    play: Play, change: Callable[[Request], Request], said: str
) -> None:
    await (await play.desk()).reply(STEP, REQUEST)
    with pytest.raises(Divergence) as raised:
        await (await play.desk()).reply(STEP, change(REQUEST))
    assert str(raised.value).startswith(f"play, player, reply 1: {said}")
    assert len(play.sent) == 1
    assert (await (await play.desk()).reply(STEP, REQUEST)).text == "answer 1"  # the record is as it was


async def test_the_order_of_a_schema_s_fields_is_part_of_it(play: Play) -> None:
    with pytest.raises(Divergence):
        await asked_again(play, REQUEST, replace(REQUEST, schema=TURNED))
    assert len(play.sent) == 1


async def test_a_changed_order_of_a_schema_s_fields_is_told(play: Play) -> None:
    with pytest.raises(Divergence, match="its schema changed"):
        await asked_again(play, REQUEST, replace(REQUEST, schema=TURNED))


async def test_a_message_that_goes_on_further_is_told(play: Play) -> None:
    long = replace(REQUEST, thread=Thread.start(Message("user", "word " * 40)))
    with pytest.raises(Divergence, match="and more"):
        await asked_again(
            play, long, replace(long, thread=Thread.start(Message("user", "word " * 40 + "and more")))
        )


async def asked_again(play: Play, before: Request, now: Request) -> None:
    await (await play.desk()).reply(STEP, before)
    await (await play.desk()).reply(STEP, now)


# People


PERSON = replace(REQUEST, model="human/ada", sampling=Sampling())


async def person_s_desk(play: Play) -> RecordedDesk:
    journal = Journal(play.writer, play.run)
    recall = await journal.recall(play.conversation, "play", "")
    return RecordedDesk(recall, journal, explained_by(play.records), lambda model: asked_of_people(journal))


def intents(play: Play) -> list[tuple[Any, ...]]:
    return play.records.db.execute("SELECT step, attempt, state, reserved_cost FROM calls").fetchall()


async def test_a_person_is_asked_once_however_often_the_conversation_comes_to_that(play: Play) -> None:
    for _ in range(3):
        with pytest.raises(Parked, match="player waits for ada"):
            await (await person_s_desk(play)).reply(STEP, PERSON)
        assert intents(play) == [(0, 0, "sent", 0.0)]
    with Moves(play.records.path) as moves:
        assert moves.answer(moves.waiting()[0].call, "I am Ada.")
    reply = await (await person_s_desk(play)).reply(STEP, PERSON)
    assert (reply.text, reply.stop, reply.cost) == ("I am Ada.", "stop", 0.0)


@pytest.mark.parametrize("answered", [False, True])
async def test_what_a_person_was_asked_must_be_what_is_asked_now(play: Play, answered: bool) -> None:
    with pytest.raises(Parked):
        await (await person_s_desk(play)).reply(STEP, PERSON)
    if answered:
        with Moves(play.records.path) as moves:
            moves.answer(moves.waiting()[0].call, "I am Ada.")
    changed = replace(
        PERSON, thread=Thread.start(Message("system", "Be long.")).then("user", "Hello, who are you?")
    )
    with pytest.raises(
        Divergence, match=r"message 1 \(system\) was recorded as 'Be brief.' and is now 'Be long.'"
    ):
        await (await person_s_desk(play)).reply(STEP, changed)
    assert len(intents(play)) == 1
