"""retrying(limited(budgeted(journaled(model)))): each wrapper alone, then a small chain."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from interplay.core.benchmark import Scenario
from interplay.core.failures import Cancelled, Mistake, OverBudget, ProviderFailure, SystemFailure
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.models.calling import HOPELESS, RETRIED, CallFailed, Cause
from interplay.models.prices import Price
from interplay.models.scripted import Scripted
from interplay.running.budget import Amount, Budget, Limits
from interplay.running.gate import Gate
from interplay.running.sending import (
    LONGEST_PAUSE,
    MOST_RATE_LIMITS,
    MOST_RETRIES,
    Call,
    Send,
    budgeted,
    journaled,
    limited,
    retrying,
)
from interplay.running.tally import Tally
from interplay.store.journal import Journal, Place
from interplay.store.records import Records, Run
from interplay.store.writer import Writer

REQUEST = Request("openai/a", Thread.start(Message("user", "hello")), Sampling())
STEP = Step("play", "", "player", 0)
CALL = Call(1, STEP, 0, REQUEST)


@dataclass
class Endpoint:
    """Fails with these causes in turn, then answers."""

    causes: Sequence[Cause]
    attempts: list[int] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    async def send(self, call: Call) -> Reply:
        self.attempts.append(call.attempt)
        assert replace(call, attempt=0) == CALL
        if len(self.attempts) <= len(self.causes):
            raise CallFailed(self.causes[len(self.attempts) - 1], "as told")
        return Reply("well")

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)


async def tried(*causes: Cause, first: int = 0) -> Endpoint:
    endpoint = Endpoint(causes)
    reply = await retrying(endpoint.send, endpoint.pause)(replace(CALL, attempt=first))
    assert reply == Reply("well")
    return endpoint


async def given_up(kind: type[Exception], *causes: Cause) -> Endpoint:
    endpoint = Endpoint(causes)
    with pytest.raises(kind, match=f"openai/a: {causes[-1]}: as told"):
        await retrying(endpoint.send, endpoint.pause)(CALL)
    assert len(endpoint.attempts) == len(causes)
    return endpoint


async def test_an_answer_is_handed_on_at_once() -> None:
    endpoint = await tried()
    assert (endpoint.attempts, endpoint.pauses) == ([0], [])


@pytest.mark.parametrize("cause", sorted(RETRIED - {"rate limit"}))
async def test_what_may_go_better_is_tried_again_each_try_numbered(cause: Cause) -> None:
    endpoint = await tried(*[cause] * (MOST_RETRIES - 1), first=3)
    assert endpoint.attempts == [3, 4, 5, 6, 7]
    assert len(endpoint.pauses) == MOST_RETRIES - 1


@pytest.mark.parametrize("cause", sorted(RETRIED - {"rate limit"}))
async def test_what_does_not_get_better_is_a_provider_failure(cause: Cause) -> None:
    await given_up(ProviderFailure, *[cause] * MOST_RETRIES)


async def test_different_causes_are_counted_together() -> None:
    await given_up(ProviderFailure, "server", "timeout", "malformed", "connection", "server")


async def test_rate_limits_are_counted_apart_and_the_gate_does_the_waiting() -> None:
    endpoint = await tried(*["rate limit"] * (MOST_RATE_LIMITS - 1))
    assert len(endpoint.attempts) == MOST_RATE_LIMITS
    assert endpoint.pauses == []
    await given_up(ProviderFailure, *["rate limit"] * MOST_RATE_LIMITS)
    await tried(
        "rate limit", "server", "rate limit", "server", "rate limit", "server", "rate limit", "server"
    )


async def test_unsupported_is_tried_once_more_without_a_pause() -> None:
    endpoint = await tried("unsupported")
    assert (endpoint.attempts, endpoint.pauses) == ([0, 1], [])
    await given_up(ProviderFailure, "unsupported", "unsupported")


async def test_a_rejected_request_is_not_sent_again() -> None:
    await given_up(ProviderFailure, "rejected")


@pytest.mark.parametrize("cause", sorted(HOPELESS))
async def test_what_is_hopeless_is_a_mistake_at_once(cause: Cause) -> None:
    endpoint = await given_up(Mistake, cause)
    assert endpoint.pauses == []


async def test_pauses_grow_are_spread_and_have_a_limit() -> None:
    endpoint = await tried("server", "server", "server", "server")
    for place, pause in enumerate(endpoint.pauses):
        assert 0.25 * 2**place <= pause <= min(LONGEST_PAUSE, 0.5 * 2**place) * 1.5
    again = await tried("server", "server", "server", "server")
    assert again.pauses == endpoint.pauses
    other = Endpoint(["server"])

    async def send(call: Call) -> Reply:
        return await other.send(replace(call, request=REQUEST))

    await retrying(send, other.pause)(replace(CALL, request=replace(REQUEST, model="openai/b")))
    assert other.pauses[0] != endpoint.pauses[0]


async def test_after_many_rate_limits_a_pause_is_still_within_its_limit() -> None:
    endpoint = await tried(*["rate limit"] * 19, "server")
    assert 0 < endpoint.pauses[0] <= LONGEST_PAUSE * 1.5


async def test_other_errors_pass_through_retrying() -> None:
    async def broken(call: Call) -> Reply:
        raise LookupError("ours")

    with pytest.raises(LookupError):
        await retrying(broken)(CALL)


# limited


def answering(reply: Reply, tally: Tally | None = None) -> Send:
    async def send(call: Call) -> Reply:
        if tally is not None:
            assert tally.in_flight == 1
        return reply

    return send


async def test_limited_counts_what_was_answered() -> None:
    tally = Tally()
    reply = Reply("x", tokens_in=5, tokens_out=7, cost=0.5, latency=0.1)
    send = limited(answering(reply, tally), Gate(4), tally)
    assert await send(CALL) == reply
    await send(CALL)
    assert (tally.calls, tally.in_flight, tally.tokens_in, tally.tokens_out) == (2, 0, 10, 14)
    assert (tally.cost, tally.cost_unknown) == (1.0, False)
    await limited(answering(Reply("x")), Gate(4), tally)(CALL)
    assert tally.cost_unknown


async def test_limited_counts_failures_by_cause_and_closes_the_gate_on_a_rate_limit() -> None:
    tally, gate = Tally(), Gate(8)

    async def refused(call: Call) -> Reply:
        raise CallFailed("rate limit", "slow down", after=30.0)

    async def broken(call: Call) -> Reply:
        raise CallFailed("server", "HTTP 500")

    with pytest.raises(CallFailed):
        await limited(broken, gate, tally)(CALL)
    assert (gate.limit, gate._has_room()) == (8, True)
    with pytest.raises(CallFailed):
        await limited(refused, gate, tally)(CALL)
    assert (gate.limit, gate._has_room()) == (4, False)
    assert tally.failed_calls == Counter({"rate limit": 1, "server": 1})
    assert (tally.in_flight, tally.calls, gate.active) == (0, 0, 0)


async def test_limited_sends_nothing_while_stopping() -> None:
    tally, gate, sent = Tally(), Gate(1), []
    may_leave = asyncio.Event()

    async def slow(call: Call) -> Reply:
        sent.append(call)
        await may_leave.wait()
        return Reply("x")

    send = limited(slow, gate, tally)
    tasks = [asyncio.create_task(send(CALL)) for _ in range(3)]
    await asyncio.sleep(0.01)
    tally.stopping = True
    may_leave.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(result) for result in results] == [Reply, Cancelled, Cancelled]
    assert (len(sent), gate.active, tally.in_flight) == (1, 0, 0)
    with pytest.raises(Cancelled):
        await send(CALL)


async def test_limited_leaves_no_trace_of_a_cancelled_call() -> None:
    tally, gate = Tally(), Gate(1)

    async def never(call: Call) -> Reply:
        await asyncio.Event().wait()
        return Reply("x")

    task = asyncio.create_task(limited(never, gate, tally)(CALL))
    await asyncio.sleep(0.01)
    assert (tally.in_flight, gate.active) == (1, 1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert (tally.in_flight, gate.active, tally.calls) == (0, 0, 0)


# journaled


@dataclass
class Book:
    """An open conversation in a new store."""

    records: Records
    run: Run
    journal: Journal
    call: Call

    def rows(self) -> list[tuple[int, str, str, str | None]]:
        query = "SELECT attempt, state, cause, text FROM calls ORDER BY number"
        return self.records.db.execute(query).fetchall()


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Book]:
    with Records(tmp_path / "a.db", create=True) as records:
        run = records.begin("r", "b", {}, {"limit": 1, "epochs": 1, "judges": []})
        writer = Writer(tmp_path / "a.db")
        journal = Journal(writer, run.number)
        place = Place(Scenario({}, "one"), "openai/a", {"player": "openai/a"}, 0)
        number = await journal.open_conversation(place, "p", anew=False)
        yield Book(records, run, journal, replace(CALL, conversation=number))
        await writer.close()


async def test_the_intent_is_written_before_and_the_reply_before_it_is_handed_on(book: Book) -> None:
    during = []

    def script(messages: Sequence[Message]) -> str:
        during.extend(book.rows())
        return "hello yourself"

    reply = await journaled(Scripted("openai/a", script), book.journal)(book.call)
    assert reply.text == "hello yourself"
    assert during == [(0, "sent", "", None)]
    assert book.rows() == [(0, "done", "", "hello yourself")]


class Failing(Scripted):
    """Fails with these causes in turn, then answers; a script's own errors are all of one cause."""

    def __init__(self, *causes: Cause):
        super().__init__("openai/a", lambda _: "at last")
        self._causes = iter(causes)

    async def reply(self, request: Request) -> Reply:
        for cause in self._causes:
            raise CallFailed(cause, "as told", raw=b"oops")
        return await super().reply(request)


async def test_a_failed_call_is_written_down_with_its_cause(book: Book) -> None:
    with pytest.raises(CallFailed):
        await journaled(Failing("server"), book.journal)(book.call)
    assert book.rows() == [(0, "failed", "server", None)]
    assert book.records.db.execute("SELECT detail, raw FROM calls").fetchall() == [("as told", b"oops")]


async def test_a_call_that_is_cut_off_stays_as_sent(book: Book) -> None:
    class Slow(Scripted):
        async def reply(self, request: Request) -> Reply:
            await asyncio.Event().wait()
            return Reply("never")

    task = asyncio.create_task(journaled(Slow("openai/a", lambda _: ""), book.journal)(book.call))
    async with asyncio.timeout(20):
        while not book.rows():  # noqa: ASYNC110  # a row in another thread's connection has no event
            await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert book.rows() == [(0, "sent", "", None)]
    assert book.records.totals(book.run).unknown == 1


async def test_the_intent_says_what_the_call_may_use(book: Book) -> None:
    priced, unknown = Failing(), Failing("server")
    priced.price, unknown.price = Price(1.0, 2.0), None
    call = replace(book.call, most=Amount(0.25, 700, 1))
    await journaled(priced, book.journal)(call)
    with pytest.raises(CallFailed):
        await journaled(unknown, book.journal)(replace(call, attempt=1, step=replace(STEP, number=1)))
    query = "SELECT reserved_tokens, reserved_cost FROM calls ORDER BY number"
    assert book.records.db.execute(query).fetchall() == [(700, 0.25), (700, None)]


async def test_the_whole_chain_writes_a_row_for_every_try(book: Book) -> None:
    async def no_pause(seconds: float) -> None:
        assert seconds > 0

    tally, budget, model = Tally(), Budget(Limits(calls=3), Amount()), Failing("server", "malformed")
    within = budgeted(journaled(model, book.journal), model, budget, Tally())
    send = retrying(limited(within, Gate(4), tally), no_pause)
    reply = await send(replace(book.call, attempt=4))
    assert reply.text == "at last"
    assert book.rows() == [
        (4, "failed", "server", None),
        (5, "failed", "malformed", None),
        (6, "done", "", "at last"),
    ]
    assert (tally.calls, sum(tally.failed_calls.values())) == (1, 2)
    assert budget.spent.calls == 3
    with pytest.raises(OverBudget):
        await send(replace(book.call, step=replace(STEP, number=1)))
    assert len(book.rows()) == 3  # what the budget does not cover is neither sent nor written down


# bots and functions


async def test_a_system_that_broke_is_not_asked_again() -> None:
    endpoint = Endpoint(["broken"])
    with pytest.raises(SystemFailure, match=r"^openai/a: as told$"):
        await retrying(endpoint.send, endpoint.pause)(CALL)
    assert (endpoint.attempts, endpoint.pauses) == ([0], [])


@pytest.mark.parametrize("cause", sorted(RETRIED - {"rate limit"}))
async def test_a_bot_that_remembers_may_have_heard_what_it_did_not_answer(cause: Cause) -> None:
    endpoint = Endpoint([cause])
    with pytest.raises(ProviderFailure):
        await retrying(endpoint.send, endpoint.pause, remembers=True)(CALL)
    assert endpoint.attempts == [0]


async def test_what_a_bot_that_remembers_surely_did_not_hear_is_said_again() -> None:
    endpoint = Endpoint(["rate limit", "rate limit"])
    await retrying(endpoint.send, endpoint.pause, remembers=True)(CALL)
    assert endpoint.attempts == [0, 1, 2]
