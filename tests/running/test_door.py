"""The door through which processes on other machines come: one word, once, and no answer to strangers."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from interplay.running import door as doors
from interplay.running.channel import Channel, ChannelClosed
from interplay.running.door import WORD, Door, come_in


async def echo(verb: str, body: list[Any]) -> Any:
    return [verb, *body]


def channel() -> Channel:
    return Channel(echo)


@asynccontextmanager
async def opened() -> AsyncIterator[Door]:
    door = Door()
    await door.open("127.0.0.1")
    try:
        yield door
    finally:
        await door.close()


async def answer_to(door: Door, said: bytes) -> bytes:
    """All that a stranger is told until the connection ends."""
    reader, writer = await asyncio.open_connection(door.host, door.port)
    try:
        writer.write(said)
        return await asyncio.wait_for(reader.read(), 10)
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def test_whoever_knows_the_word_has_a_channel_in_both_directions() -> None:
    async with opened() as door:
        caller = door.expect(channel)
        theirs = await come_in(door.host, door.port, caller.word, channel)
        (await caller.came).get_extra_info("peername")
        assert caller.channel is not None
        assert await caller.channel.call("over", 1) == ["over", 1]
        assert await theirs.call("back", "two") == ["back", "two"]
        theirs.close()
        await caller.channel.closed.wait()


async def test_a_word_opens_once() -> None:
    async with opened() as door:
        caller = door.expect(channel)
        first = await come_in(door.host, door.port, caller.word, channel)
        await caller.came
        second = await come_in(door.host, door.port, caller.word, channel)
        with pytest.raises(ChannelClosed):
            await second.call("over")
        assert await first.call("still") == ["still"]
        first.close()


@pytest.mark.parametrize(
    "said",
    [
        lambda word: secrets.token_bytes(WORD),
        lambda word: word[:-1] + bytes([word[-1] ^ 1]),
        lambda word: b"GET / HTTP/1.1\r\nHost: here\r\n\r\n" + b"x" * 100_000,
        lambda word: b"\0" * WORD,
    ],
)
async def test_strangers_are_turned_away_without_an_answer(said: Callable[[bytes], bytes]) -> None:
    async with opened() as door:
        caller = door.expect(channel)
        assert await answer_to(door, said(caller.word)) == b""
        assert not caller.came.done()
        theirs = await come_in(door.host, door.port, caller.word, channel)  # who is expected still comes in
        await caller.came
        theirs.close()


async def test_a_word_that_comes_in_pieces_and_with_more_behind_it_is_heard() -> None:
    async with opened() as door:
        caller = door.expect(channel)
        _, writer = await asyncio.open_connection(door.host, door.port)
        writer.write(caller.word[:5])
        await writer.drain()
        await asyncio.sleep(0.01)
        writer.write(caller.word[5:] + (3).to_bytes(4))  # the head of a message that never comes
        await asyncio.wait_for(caller.came, 10)
        assert caller.channel is not None
        writer.close()
        await asyncio.wait_for(caller.channel.closed.wait(), 10)


async def test_who_says_nothing_is_turned_away_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "PATIENCE", 0.05)
    async with opened() as door:
        assert await answer_to(door, b"half a word") == b""


async def test_too_many_strangers_at_once_are_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "MOST_STRANGERS", 2)
    async with opened() as door:
        waiting = [await asyncio.open_connection(door.host, door.port) for _ in range(2)]
        assert await answer_to(door, b"") == b""
        for _, writer in waiting:
            writer.close()


async def test_nobody_comes_in_who_is_no_longer_expected() -> None:
    async with opened() as door:
        caller = door.expect(channel)
        door.forget(caller)
        theirs = await come_in(door.host, door.port, caller.word, channel)
        with pytest.raises(ChannelClosed):
            await theirs.call("over")
        assert not caller.came.done()


async def test_a_door_that_closes_lets_nobody_wait() -> None:
    async with opened() as door:
        caller = door.expect(channel)
        _, writer = await asyncio.open_connection(door.host, door.port)
        await asyncio.sleep(0.01)
    assert caller.came.cancelled()
    writer.close()
