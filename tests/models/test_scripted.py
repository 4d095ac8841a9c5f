"""Models that are functions."""

import asyncio
import os
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from interplay.core.wire import Message, Reply, Request, Sampling, Thread
from interplay.models.calling import CallFailed
from interplay.models.scripted import LONGEST_ERROR, Scripted

REQUEST = Request("bot", Thread.start(Message("system", "brief")).then("user", "hello"), Sampling())


async def test_a_script_sees_the_messages_and_its_text_is_the_reply() -> None:
    bot = Scripted("bot", lambda messages: " / ".join(f"{one.role}: {one.text}" for one in messages))
    reply = await bot.reply(REQUEST)
    assert reply == Reply("system: brief / user: hello", stop="stop", version="bot", cost=0.0)


async def test_a_script_may_give_a_whole_reply() -> None:
    given = Reply("x", reasoning="because", tokens_out=3)
    assert await Scripted("bot", lambda _: given).reply(REQUEST) == given


async def test_a_scripted_model_is_always_there() -> None:
    bot = Scripted("bot", lambda _: "x")
    await bot.check()
    await bot.close()
    assert (bot.name, bot.endpoint, bot.most_connections) == ("bot", "bot", None)
    assert (await bot.reply(REQUEST)).text == "x"


async def test_an_error_of_the_script_is_a_system_that_broke() -> None:
    def broken(messages: object) -> str:
        raise LookupError("mine")

    with pytest.raises(CallFailed) as raised:
        await Scripted("bot", broken).reply(REQUEST)
    assert (raised.value.cause, raised.value.detail) == ("broken", "LookupError: mine")
    assert isinstance(raised.value.__cause__, LookupError)


async def test_an_async_script_is_awaited_and_its_errors_are_named_too() -> None:
    async def answer(messages: Sequence[Message]) -> str:
        await asyncio.sleep(0)
        return messages[-1].text.upper()

    async def broken(messages: object) -> str:
        await asyncio.sleep(0)
        raise KeyError("gone")

    for in_thread in (False, True):
        bot = Scripted("bot", answer, in_thread=in_thread)
        assert (await bot.reply(REQUEST)).text == "HELLO"
        with pytest.raises(CallFailed, match="broken: KeyError: 'gone'"):
            await Scripted("bot", broken, in_thread=in_thread).reply(REQUEST)


async def test_in_a_thread_a_slow_script_holds_nothing_up() -> None:
    together = threading.Barrier(2, timeout=10)  # passed only by two at once

    def slow(messages: object) -> str:
        together.wait()
        return threading.current_thread().name

    bot = Scripted("bot", slow, in_thread=True)
    first, second = await asyncio.gather(bot.reply(REQUEST), bot.reply(REQUEST))
    assert threading.current_thread().name not in (first.text, second.text)


@pytest.mark.parametrize("said", [None, 7, b"bytes", ["text"]])
async def test_what_is_no_text_is_malformed(said: Any) -> None:
    with pytest.raises(
        CallFailed, match=f"the function gave back {type(said).__name__}, not a text"
    ) as raised:
        await Scripted("bot", lambda _: said).reply(REQUEST)
    assert raised.value.cause == "malformed"


async def test_an_error_that_repeats_a_key_is_kept_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "sk-canary-8f3aQz")

    def broken(messages: object) -> str:
        raise ConnectionError(f"401 for {os.environ['MY_API_KEY']}")

    with pytest.raises(CallFailed) as raised:
        await Scripted("bot", broken).reply(REQUEST)
    assert raised.value.detail == "ConnectionError: 401 for [key]"


async def test_a_key_at_the_cut_is_hidden_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-canary-8f3aQz-0123456789abcdef"
    monkeypatch.setenv("MY_API_KEY", key)

    def broken(messages: object) -> str:
        raise ValueError("x" * (LONGEST_ERROR - len("ValueError: ") - len(key) + 4) + key)

    with pytest.raises(CallFailed) as raised:
        await Scripted("bot", broken).reply(REQUEST)
    assert key[:8] not in raised.value.detail


async def test_a_long_or_odd_error_is_kept_in_part_and_clean() -> None:
    def broken(messages: object) -> str:
        raise ValueError("\0\ud800" + "x" * 10_000)

    with pytest.raises(CallFailed) as raised:
        await Scripted("bot", broken).reply(REQUEST)
    assert len(raised.value.detail) <= LONGEST_ERROR
    raised.value.detail.encode()
    assert "\0" not in raised.value.detail


async def test_a_script_that_is_interrupted_is_not_a_system_that_broke() -> None:
    def interrupted(messages: object) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await Scripted("bot", interrupted).reply(REQUEST)


async def test_what_no_store_can_hold_is_replaced() -> None:
    request = Request("s", Thread.start(Message("user", "hi")), Sampling())
    reply = await Scripted("s", lambda _: "half \ud83d, nul \0").reply(request)
    assert reply.text == "half ?, nul \N{REPLACEMENT CHARACTER}"
