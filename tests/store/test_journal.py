"""What the journal writes down comes back as it was."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interplay.core.benchmark import Scenario, Score, Verdict
from interplay.core.conversation import Line
from interplay.core.failures import ProviderFailure, StoreTrouble
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread, clean
from interplay.store.journal import Journal, Place
from interplay.store.places import Server, Store
from interplay.store.records import ConversationRow, Records, Run
from interplay.store.writers import Writes, writer_of

AWKWARD = [
    "",
    "שלום \u202eעולם",
    "👩‍👩‍👧‍👦 🏳️‍🌈",
    "nul \0 in it",
    "'; DROP TABLE calls; --",
    "a\u0301 \u2028 \uffff \U0010ffff",
]
texts = st.one_of(st.sampled_from(AWKWARD), st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
counts = st.none() | st.integers(0, 2**63 - 1)
amounts = st.floats(0, 1e12)
replies = st.builds(
    Reply,
    text=texts,
    reasoning=texts,
    stop=texts,
    version=texts,
    tokens_in=counts,
    tokens_out=counts,
    tokens_estimated=st.booleans(),
    cost=st.none() | amounts,
    latency=amounts,
    raw=st.binary(max_size=50),
)
lines = st.builds(Line, texts, st.lists(texts, max_size=3).map(tuple), texts)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
verdict_data = st.none() | st.dictionaries(texts, json_values, max_size=3)
SCENARIO = Scenario({"words": ["straße", "🙂"]}, "first / one")
PLACE = Place(SCENARIO, "openai/a", {"player": "openai/a", "user": "openai/u"}, 0)
STEP = Step("play", "", "player", 0)
ASKED = Thread.start(Message("system", "be brief")).then("user", "hello")
REQUEST = Request("openai/a", ASKED, Sampling(temperature=0.5), {"type": "object"})
in_a_few = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@dataclass(frozen=True)
class Outcome:
    """What a conversation came to, in these tests."""

    texts: tuple[str, ...]


@dataclass
class Desk:
    """A run in a new store, with a journal to write it and records to read it."""

    writer: Writes
    records: Records
    run: Run
    journal: Journal

    def next_start(self) -> Journal:
        """A journal as the next start of the run has it: what this one began is not fresh to it."""
        return Journal(self.writer, self.run.number)

    def count(self, table: str) -> int:
        return int(self.records.db.execute(f"SELECT count(*) FROM {table}").get)  # our own names

    def conversation(self, number: int) -> ConversationRow:
        return next(row for row in self.records.conversations(self.run) if row.number == number)


async def new_desk(place: Store) -> Desk:
    records = Records(place, create=True)
    extent = {"limit": 1, "epochs": 1, "judges": []}
    run = records.begin("r-1", "role_play", {"models": ["openai/a"]}, extent)
    writer = writer_of(place)
    return Desk(writer, records, run, Journal(writer, run.number))


async def leave(desk: Desk) -> None:
    await desk.writer.close()
    desk.records.db.close()


@pytest.fixture
async def desk(place: Store) -> AsyncIterator[Desk]:
    made = await new_desk(place)
    yield made
    await leave(made)


def at_a_desk(work: Callable[[Desk], Awaitable[None]]) -> None:
    """For hypothesis, which gives each example no event loop and no folder of its own."""

    async def whole() -> None:
        with tempfile.TemporaryDirectory() as folder:
            desk = await new_desk(Path(folder) / "a.db")
            try:
                await work(desk)
            finally:
                await leave(desk)

    asyncio.run(whole())


@in_a_few
@given(st.lists(replies, min_size=1, max_size=4))
def test_replies_come_back_as_they_were_given(given_replies: list[Reply]) -> None:
    async def work(desk: Desk) -> None:
        number = await desk.journal.open_conversation(PLACE, "p", anew=False)
        for place, reply in enumerate(given_replies):
            call = await desk.journal.intend(number, replace(STEP, number=place), 0, REQUEST)
            await desk.journal.settle(call, reply)
            kept = desk.records.db.execute("SELECT raw FROM calls WHERE number = ?", (call,)).get
            assert kept == reply.raw
        recall = await desk.next_start().recall(number, "play", "")
        found = [recall.finished[replace(STEP, number=place)].reply for place in range(len(given_replies))]
        assert found == [replace(reply, raw=b"") for reply in given_replies]

    at_a_desk(work)


@pytest.mark.parametrize("text", AWKWARD)
async def test_awkward_texts_come_back_from_any_store(desk: Desk, text: str) -> None:
    kept = clean(text) if isinstance(desk.records.path, Server) else text  # a server's text has no NUL
    number = await desk.journal.open_conversation(
        replace(PLACE, scenario=Scenario({"text": text}, text)), "p", anew=False
    )
    call = await desk.journal.intend(number, STEP, 0, REQUEST)
    await desk.journal.settle(call, Reply(text, reasoning=text, version=text, raw=text.encode()))
    await desk.journal.keep_fact(number, replace(STEP, participant="fact"), text)
    await desk.journal.judged(number, "", Verdict("j", "r", {"why": text}, "", text))
    await desk.journal.finish(number, Outcome((text,)), [Line("", (), text)], "p")
    row = desk.conversation(number)
    assert (row.scenario.content, row.scenario.label, row.outcome) == (
        {"text": text},
        kept,
        {"texts": [text]},
    )
    assert row.lines == (Line("", (), text),)
    [[verdict]] = desk.records.verdicts(desk.run).values()
    assert (verdict.data, verdict.detail) == ({"why": text}, kept)
    recall = await desk.next_start().recall(number, "play", "")
    assert recall.finished[STEP].reply.text == recall.finished[STEP].reply.reasoning == kept
    assert recall.facts == {replace(STEP, participant="fact"): text}
    assert desk.records.db.execute("SELECT raw FROM calls").get == text.encode()


@in_a_few
@given(st.lists(lines, max_size=4), st.lists(texts, max_size=3), texts, texts)
def test_lines_and_outcomes_come_back_as_they_were_given(
    said: list[Line], outcome: list[str], label: str, content: str
) -> None:
    async def work(desk: Desk) -> None:
        scenario = Scenario({"text": content}, label)
        place = replace(PLACE, scenario=scenario)
        number = await desk.journal.open_conversation(place, "p", anew=False)
        await desk.journal.finish(number, Outcome(tuple(outcome)), said, "p")
        row = desk.conversation(number)
        assert row.state == "done"
        assert row.lines == tuple(said)
        assert row.outcome == {"texts": outcome}
        assert (row.scenario, row.scenario.id) == (scenario, scenario.id)
        assert row.cast == PLACE.cast

    at_a_desk(work)


@in_a_few
@given(verdict_data, texts, texts, texts)
def test_verdicts_come_back_as_they_were_given(
    data: dict[str, Any] | None, judge: str, failure: str, detail: str
) -> None:
    async def work(desk: Desk) -> None:
        number = await desk.journal.open_conversation(PLACE, "p", anew=False)
        verdict = Verdict(judge, "rubric", data, failure, detail)
        await desk.journal.judged(number, "", verdict)
        assert desk.records.verdicts(desk.run) == {(number, ""): [verdict]}

    at_a_desk(work)


@in_a_few
@given(st.dictionaries(texts, json_values, max_size=4))
def test_facts_come_back_as_they_were_given(facts: dict[str, Any]) -> None:
    async def work(desk: Desk) -> None:
        number = await desk.journal.open_conversation(PLACE, "p", anew=False)
        for name, value in facts.items():
            await desk.journal.keep_fact(number, Step("play", "", name, 0), value)
        recall = await desk.next_start().recall(number, "play", "")
        assert recall.facts == {Step("play", "", name, 0): value for name, value in facts.items()}
        assert (await desk.next_start().recall(number, "another stage", "")).facts == {}

    at_a_desk(work)


@in_a_few
@given(st.lists(texts, min_size=1, max_size=6))
def test_threads_come_back_as_they_were_sent(said: list[str]) -> None:
    async def work(desk: Desk) -> None:
        thread = Thread.start(Message("system", "brief"))
        for place, text in enumerate(said):
            thread = thread.then("assistant" if place % 2 else "user", text)
        number = await desk.journal.open_conversation(PLACE, "p", anew=False)
        await desk.journal.intend(number, STEP, 0, replace(REQUEST, thread=thread))
        assert desk.records.thread(thread.digest) == thread.messages()

    at_a_desk(work)


async def test_settings_come_back(desk: Desk) -> None:
    number = await desk.journal.open_conversation(PLACE, "p", anew=False)
    await desk.journal.intend(number, STEP, 0, REQUEST)
    assert desk.records.settings(REQUEST.settings_digest) == {
        "model": "openai/a",
        "sampling": {"temperature": 0.5},
        "schema": {"type": "object"},
    }


async def test_each_message_is_stored_once(desk: Desk) -> None:
    number = await desk.journal.open_conversation(PLACE, "p", anew=False)
    await desk.journal.intend(number, STEP, 0, REQUEST)
    assert (desk.count("messages"), desk.count("settings")) == (2, 1)
    longer = ASKED.then("assistant", "hi").then("user", "go on")
    await desk.journal.intend(number, replace(STEP, number=1), 0, replace(REQUEST, thread=longer))
    assert (desk.count("messages"), desk.count("settings")) == (4, 1)
    same_words = Thread.start(Message("system", "be brief")).then("user", "hello").then("assistant", "ho")
    await desk.journal.intend(number, replace(STEP, number=2), 0, replace(REQUEST, thread=same_words))
    assert (desk.count("messages"), desk.count("settings")) == (5, 1)
    await desk.journal.intend(number, STEP, 1, REQUEST)
    assert (desk.count("messages"), desk.count("calls")) == (5, 4)


async def test_a_step_is_finished_once(desk: Desk) -> None:
    number = await desk.journal.open_conversation(PLACE, "p", anew=False)
    first, second = [await desk.journal.intend(number, STEP, attempt, REQUEST) for attempt in (0, 1)]
    await desk.journal.settle(first, Reply("one"))
    with pytest.raises(StoreTrouble):
        await desk.journal.settle(second, Reply("two"))
    recall = await desk.next_start().recall(number, "play", "")
    assert recall.finished[STEP].reply == Reply("one")


async def test_an_attempt_has_one_row(desk: Desk) -> None:
    number = await desk.journal.open_conversation(PLACE, "p", anew=False)
    await desk.journal.intend(number, STEP, 0, REQUEST)
    with pytest.raises(StoreTrouble):
        await desk.journal.intend(number, STEP, 0, REQUEST)
    assert desk.count("calls") == 1


async def test_recall_tells_what_is_finished_and_how_often_the_rest_was_tried(desk: Desk) -> None:
    number = await desk.journal.open_conversation(PLACE, "p", anew=False)
    other = replace(STEP, participant="user")
    failed = await desk.journal.intend(number, STEP, 0, REQUEST)
    await desk.journal.settle_failure(failed, "server", "HTTP 500", b"oops")
    answered = await desk.journal.intend(number, STEP, 1, REQUEST)
    await desk.journal.settle(answered, Reply("yes"))
    for attempt in range(3):
        await desk.journal.intend(number, other, attempt, REQUEST)  # sent, never answered
    judged = await desk.journal.intend(number, replace(STEP, stage="judge"), 0, REQUEST)
    await desk.journal.settle(judged, Reply("a verdict"))

    recall = await desk.next_start().recall(number, "play", "")
    assert recall.attempts == {STEP: 2, other: 3}
    assert set(recall.finished) == {STEP}
    recorded = recall.finished[STEP]
    assert recorded.reply == Reply("yes")
    assert recorded.digest == REQUEST.digest
    assert recorded.settings == REQUEST.settings_digest
    assert recorded.thread == REQUEST.thread.digest
    row = desk.records.db.execute("SELECT state, cause, detail, raw FROM calls WHERE number = ?", (failed,))
    assert row.fetchall() == [("failed", "server", "HTTP 500", b"oops")]


async def test_a_place_has_one_conversation_until_it_is_played_anew(desk: Desk) -> None:
    first = await desk.journal.open_conversation(PLACE, "p", anew=False)
    assert await desk.journal.open_conversation(PLACE, "another protocol", anew=False) == first
    call = await desk.journal.intend(first, STEP, 0, REQUEST)
    await desk.journal.settle(call, Reply("old"))
    second = await desk.journal.open_conversation(PLACE, "p2", anew=True)
    assert second != first
    assert await desk.journal.open_conversation(PLACE, "p3", anew=False) == second
    assert (await desk.next_start().recall(second, "play", "")).finished == {}
    assert (await desk.next_start().recall(first, "play", "")).finished[STEP].reply == Reply("old")
    shown = desk.records.conversations(desk.run)
    assert [(row.number, row.take, row.protocol, row.state) for row in shown] == [(second, 1, "p2", "open")]
    assert desk.count("conversations") == 2


async def test_repeats_and_casts_have_conversations_of_their_own(desk: Desk) -> None:
    cast = {"player": "openai/b", "user": "openai/u"}
    places = [PLACE, replace(PLACE, repeat=1), replace(PLACE, subject="openai/b", cast=cast)]
    numbers = [await desk.journal.open_conversation(place, "p", anew=False) for place in places]
    assert len(set(numbers)) == 3
    assert desk.count("scenarios") == 1
    shown = desk.records.conversations(desk.run)
    assert [(row.subject, row.repeat) for row in shown] == [("openai/a", 0), ("openai/a", 1), ("openai/b", 0)]


async def test_a_void_conversation_has_a_name_and_can_still_be_finished(desk: Desk) -> None:
    number = await desk.journal.open_conversation(PLACE, "p", anew=False)
    await desk.journal.void(number, ProviderFailure("HTTP 500"), [Line("", ("player",), "go")])
    row = desk.conversation(number)
    assert (row.state, row.failure, row.detail, row.outcome) == ("void", "provider", "HTTP 500", None)
    assert row.lines == (Line("", ("player",), "go"),)
    await desk.journal.finish(number, Outcome(("well",)), [], "p")
    row = desk.conversation(number)
    assert (row.state, row.failure, row.detail) == ("done", "", "")


async def test_a_new_verdict_of_the_same_judge_takes_the_place_of_the_old(desk: Desk) -> None:
    number = await desk.journal.open_conversation(PLACE, "p", anew=False)
    await desk.journal.judged(number, "", Verdict("j", "v2", None, "judge error", "no form"))
    await desk.journal.judged(number, "", Verdict("j", "v2", {"turns": []}))
    await desk.journal.judged(number, "", Verdict("j", "v3", {"turns": [1]}))
    await desk.journal.judged(number, "", Verdict("a", "v2", {"turns": [2]}))
    found = desk.records.verdicts(desk.run)[number, ""]
    assert found == [
        Verdict("a", "v2", {"turns": [2]}),
        Verdict("j", "v2", {"turns": []}),
        Verdict("j", "v3", {"turns": [1]}),
    ]


async def test_scores_take_the_place_of_those_before(desk: Desk) -> None:
    number = await desk.journal.open_conversation(PLACE, "p", anew=False)
    await desk.journal.scored(number, [Score("fluency", 3.0, "j"), Score("old", 1.0, "rule")])
    await desk.journal.scored(number, [Score("fluency", 4.5, "j")])
    assert desk.records.scores(desk.run) == [(number, "fluency", "j", 4.5)]


async def test_a_run_reaches_further(desk: Desk) -> None:
    extent = {"limit": 64, "epochs": 2, "judges": ["j"]}
    await desk.journal.extend(extent)
    assert desk.records.find("r-1").extent == extent


async def test_nothing_but_what_was_said_is_in_a_reply() -> None:
    assert set(asdict(Reply("x"))) == {
        *("text", "reasoning", "stop", "version", "tokens_in", "tokens_out", "tokens_estimated"),
        *("cost", "latency", "raw"),
    }
