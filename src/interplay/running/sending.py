"""How a call is sent: retrying(limited(budgeted(journaled(model)))), each small, each of one shape."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from random import Random

from interplay.core.failures import Cancelled, Mistake, Parked, ProviderFailure, SystemFailure
from interplay.core.people import person_of
from interplay.core.wire import Reply, Request, Step
from interplay.models.calling import HOPELESS, RETRIED, CallFailed, Model
from interplay.running.allowance import count
from interplay.running.budget import Amount, Budget, most_of
from interplay.running.gate import Gate
from interplay.running.tally import Tally
from interplay.store.journal import Journal

MOST_RETRIES = 5
MOST_RATE_LIMITS = 20  # the gate already waits as long as the endpoint asks for
# after these the endpoint may have answered all the same
PERHAPS_BILLED = frozenset({"timeout", "connection", "malformed"})
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0


NOTHING = Amount()


@dataclass(slots=True)
class Call:
    """A request on its way, under its address."""

    conversation: int
    step: Step
    attempt: int
    request: Request
    most: Amount = NOTHING  # what it may use


Send = Callable[[Call], Awaitable[Reply]]


def journaled(model: Model, journal: Journal) -> Send:
    """Write the intent, send, write the reply; only then hand it on."""

    async def send(call: Call) -> Reply:
        reserved = (call.most.tokens, call.most.money if model.price else None)
        number = await journal.intend(call.conversation, call.step, call.attempt, call.request, reserved)
        try:
            reply = await model.reply(call.request)
        except CallFailed as failure:
            await journal.settle_failure(number, failure.cause, failure.detail, failure.raw)
            raise
        await journal.settle(number, reply)
        return reply

    return send


def asked_of_people(journal: Journal) -> Send:
    """Write down once that a person is asked, however often it comes to that; the answer settles that very row.

    No gate, no budget and no second try: a person takes no place, costs nothing, and cannot fail.
    """

    async def send(call: Call) -> Reply:
        if call.attempt == 0:
            await journal.intend(call.conversation, call.step, call.attempt, call.request, (0, 0.0))
        raise Parked(call.step.participant, person_of(call.request.model))

    return send


def budgeted(send: Send, model: Model, budget: Budget, tally: Tally) -> Send:
    """Set aside what the call may use; give back what it did not use."""

    async def send_within(call: Call) -> Reply:
        most = call.most = most_of(call.request, model.price)
        if not budget.limited:
            return await send(call)
        await budget.set_aside(most)
        if tally.stopping:  # while it waited
            budget.settle(most, NOTHING)
            raise Cancelled("the run was stopped")
        used = most  # unless it is known to be less
        try:
            reply = await send(call)
            told = Amount(reply.cost or 0.0, (reply.tokens_in or 0) + (reply.tokens_out or 0), 1)
            # an estimate may be less than what is billed
            used = most.at_least(told) if reply.tokens_estimated else told
            return reply
        except CallFailed as failure:
            if failure.cause not in PERHAPS_BILLED:
                used = Amount(calls=1)
            raise
        finally:
            budget.settle(most, used)
            count(used)

    return send_within


def limited(send: Send, gate: Gate, tally: Tally) -> Send:
    """Hold a place at the endpoint's gate, tell the gate how it went, and count."""

    async def send_through(call: Call) -> Reply:
        if not gate.enter_at_once():
            await gate.enter()
        try:
            if tally.stopping:
                raise Cancelled("the run was stopped")
            if gate.hopeless:
                raise ProviderFailure(f'{call.request.model}: its endpoint says nothing but "too many"')
            sent = time.monotonic()
            tally.in_flight += 1
            try:
                reply = await send(call)
            except CallFailed as failure:
                tally.failed_calls[failure.cause] += 1
                if failure.cause == "rate limit":
                    gate.refused(sent, failure.after)
                raise
            finally:
                tally.in_flight -= 1
            gate.succeeded(sent, reply.latency, reply.tokens_out)
        finally:
            gate.leave()
        _count(tally, reply)
        return reply

    return send_through


def retrying(
    send: Send, pause: Callable[[float], Awaitable[None]] = asyncio.sleep, *, remembers: bool = False
) -> Send:
    """Try again what may go better; each try is a row of its own in the record.

    A bot that remembers may have heard what it did not answer: only what it surely did not hear is said again.
    """

    async def send_until_answered(call: Call) -> Reply:
        tries: dict[str, int] = {}
        while True:
            try:
                return await send(call)
            except CallFailed as failure:
                tries[failure.cause] = tries.get(failure.cause, 0) + 1
                if failure.cause == "broken":
                    raise SystemFailure(f"{call.request.model}: {failure.detail}") from failure
                if failure.cause in HOPELESS:
                    raise Mistake(f"{call.request.model}: {failure}") from failure
                heard = remembers and failure.cause not in ("rate limit", "unsupported")
                if heard or not _worth_another(failure.cause, tries):
                    raise ProviderFailure(f"{call.request.model}: {failure}") from failure
                if failure.cause not in ("rate limit", "unsupported"):
                    await pause(max(failure.after or 0.0, _pause_before(sum(tries.values()), call)))
                call = replace(call, attempt=call.attempt + 1)

    return send_until_answered


def _worth_another(cause: str, tries: dict[str, int]) -> bool:
    if cause == "unsupported":
        return tries[cause] == 1  # once, without what the endpoint does not know
    if cause == "rate limit":
        return tries[cause] < MOST_RATE_LIMITS
    others = sum(count for name, count in tries.items() if name not in ("rate limit", "unsupported"))
    return cause in RETRIED and others < MOST_RETRIES


def _pause_before(tries: int, call: Call) -> float:
    """Exponential, spread by the call's own digest so that calls which failed together do not return together."""
    spread = Random(call.request.digest + bytes([tries])).uniform(0.5, 1.5)  # noqa: S311  # spreads, guards nothing
    return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1)) * spread)


def _count(tally: Tally, reply: Reply) -> None:
    tally.calls += 1
    tally.tokens_in += reply.tokens_in or 0
    tally.tokens_out += reply.tokens_out or 0
    if reply.cost is None:
        tally.cost_unknown = True
    else:
        tally.cost += reply.cost
