"""Models that are functions."""

import pytest

from interplay.core.wire import Message, Reply, Request, Sampling, Thread
from interplay.models.scripted import Scripted

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


async def test_an_error_of_the_script_is_not_hidden() -> None:
    def broken(messages: object) -> str:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await Scripted("bot", broken).reply(REQUEST)


async def test_what_no_store_can_hold_is_replaced() -> None:
    request = Request("s", Thread.start(Message("user", "hi")), Sampling())
    reply = await Scripted("s", lambda _: "half \ud83d, nul \0").reply(request)
    assert reply.text == "half ?, nul \N{REPLACEMENT CHARACTER}"
