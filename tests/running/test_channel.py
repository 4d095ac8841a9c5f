"""A channel carries calls, answers and errors in both directions, and says when the other end is gone."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar, copy_context
from typing import Any

import numpy as np
import pytest

from interplay.core.failures import (
    FAILURES,
    Divergence,
    Failure,
    Mistake,
    Parked,
    RunLocked,
    StoreTrouble,
)
from interplay.models.calling import CallFailed
from interplay.running.channel import LARGEST, Channel, ChannelClosed, Serve


@asynccontextmanager
async def two_ends(here: Serve, there: Serve, **more: Any) -> AsyncIterator[tuple[Channel, Channel]]:
    ends = socket.socketpair()
    loop = asyncio.get_running_loop()
    _, one = await loop.create_connection(lambda: Channel(here, **more), sock=ends[0])
    _, other = await loop.create_connection(lambda: Channel(there), sock=ends[1])
    try:
        yield one, other
    finally:
        one.close()
        other.close()
        await one.closed.wait()
        await other.closed.wait()


async def echo(verb: str, body: list[Any]) -> Any:
    return [verb, *body]


async def test_many_calls_at_once_are_each_answered_with_their_own() -> None:
    async def later_first(verb: str, body: list[Any]) -> Any:
        await asyncio.sleep(0.02 / (body[0] + 1))
        return body[0] * 2

    async with two_ends(echo, later_first) as (here, _):
        found = await asyncio.gather(*(here.call("double", number) for number in range(50)))
    assert found == [number * 2 for number in range(50)]


async def test_whoever_is_asked_may_ask_back_before_it_answers() -> None:
    async def asks_back(verb: str, body: list[Any]) -> Any:
        return ["so", await there.call("whom", *body)]

    async with two_ends(echo, asks_back) as (here, other):
        there = other
        assert await here.call("who", "ada") == ["so", ["whom", "ada"]]


async def test_bytes_large_texts_and_nothing_travel_as_they_are() -> None:
    large = "å" * 3_000_000
    async with two_ends(echo, echo) as (here, _):
        assert await here.call("keep", b"\0\xff", large, None, 0.1, {"a": [1, True]}) == [
            "keep", b"\0\xff", large, None, 0.1, {"a": [1, True]}
        ]  # fmt: skip


@pytest.mark.parametrize(
    "error",
    [
        *(kind(f"why {name}") for name, kind in FAILURES.items()),
        *(kind("in words") for kind in (Mistake, Divergence, StoreTrouble, RunLocked)),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_an_error_arrives_as_what_it_is(error: Exception) -> None:
    async def fails(verb: str, body: list[Any]) -> Any:
        raise error

    async with two_ends(echo, fails) as (here, _):
        with pytest.raises(type(error)) as caught:
            await here.call("try")
    assert type(caught.value) is type(error)
    assert str(caught.value) == str(error)
    if isinstance(error, Failure):
        assert caught.value.name == error.name


async def test_a_failed_call_keeps_its_cause_its_bytes_and_how_long_to_wait() -> None:
    async def fails(verb: str, body: list[Any]) -> Any:
        raise CallFailed("rate limit", "too many", raw=b"\x00raw", after=2.5)

    async with two_ends(echo, fails) as (here, _):
        with pytest.raises(CallFailed) as caught:
            await here.call("try")
    found = caught.value
    assert (found.cause, found.detail, found.raw, found.after) == ("rate limit", "too many", b"\x00raw", 2.5)


async def test_a_person_who_is_waited_for_is_named_at_the_other_end() -> None:
    async def waits(verb: str, body: list[Any]) -> Any:
        raise Parked("player 2", "ada")

    async with two_ends(echo, waits) as (here, _):
        with pytest.raises(Parked) as caught:
            await here.call("try")
    assert (caught.value.seat, caught.value.person) == ("player 2", "ada")


async def test_a_fault_is_told_with_its_kind_and_words() -> None:
    async def breaks(verb: str, body: list[Any]) -> Any:
        return {}["nowhere"]

    async with two_ends(echo, breaks) as (here, _):
        with pytest.raises(RuntimeError, match="in a worker process: KeyError: 'nowhere'"):
            await here.call("try")


async def test_who_waits_is_told_when_the_other_end_is_gone_and_so_is_who_comes_later() -> None:
    forever = asyncio.Event()

    async def never(verb: str, body: list[Any]) -> Any:
        await forever.wait()

    async with two_ends(echo, never) as (here, there):
        waiting = here.call("wait")
        await asyncio.sleep(0)
        there.close()
        with pytest.raises(ChannelClosed):
            await waiting
        with pytest.raises(ChannelClosed):
            await here.call("again")


@pytest.mark.parametrize(
    "sent", [b"\xff\xff\xff\xff", (LARGEST + 1).to_bytes(4, "big") + b"x", b"\0\0\0\1\xc1"]
)
async def test_what_is_no_message_of_ours_ends_the_channel(sent: bytes) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        _, here = await asyncio.get_running_loop().create_connection(lambda: Channel(echo), sock=ours)
        theirs.sendall(sent)
        async with asyncio.timeout(5):
            await here.closed.wait()


async def test_a_call_is_served_in_the_context_that_its_body_belongs_to() -> None:
    who: ContextVar[str] = ContextVar("who", default="nobody")
    contexts = {}
    for name in ("ada", "bo"):
        contexts[name] = copy_context()
        contexts[name].run(who.set, name)

    async def whose(verb: str, body: list[Any]) -> Any:
        return who.get()

    async with two_ends(whose, echo, context_of=lambda body: contexts.get(body[0])) as (_, there):
        assert [await there.call("whose", name) for name in ("ada", "bo", "eve")] == ["ada", "bo", "nobody"]


class Loud(str):
    """A text of a kind of its own."""


async def test_texts_and_numbers_of_other_kinds_travel_as_what_they_are() -> None:
    async def gives_back(verb: str, body: list[Any]) -> Any:
        return [Loud("hey"), np.float64(0.5), np.float64(2)]

    async with two_ends(echo, gives_back) as (here, _):
        assert await here.call("say", Loud("ho")) == ["hey", 0.5, 2.0]


@pytest.mark.parametrize("value", [2**70, object(), "\ud800"], ids=["large", "strange", "surrogate"])
async def test_what_no_message_can_hold_is_an_error_and_nobody_waits_for_ever(value: Any) -> None:
    async def gives_back(verb: str, body: list[Any]) -> Any:
        return value

    async with two_ends(echo, gives_back) as (here, _):
        with pytest.raises(RuntimeError, match="in a worker process"):
            await here.call("give")
        with pytest.raises((TypeError, ValueError, OverflowError)):
            here.call("take", value)
        assert not here._waiting
