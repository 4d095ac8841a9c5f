"""A bot in Rasa's REST shape over loopback HTTP: what it says, and each way in which it goes wrong."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import aiohttp
import pytest

from interplay.core.failures import Mistake, ProviderFailure
from interplay.core.forms import Text
from interplay.core.wire import Reply, Request, Step
from interplay.models.calling import CallFailed
from interplay.models.connecting import Directory
from interplay.models.entries import Entry
from interplay.models.http import HttpBot
from interplay.models.loopback import Fault
from interplay.models.posting import LARGEST_REPLY
from interplay.running.sending import MOST_RETRIES, Call, retrying
from tests.faults.rasa_bot import (
    GARBAGE,
    PATH,
    Bot,
    Received,
    Sender,
    Trouble,
    at,
    broken,
    busy,
    cut,
    reset,
    serving_rasa,
    share,
    silent,
    slow,
)
from tests.models.asking import BRIEF, KEY, REQUEST, assert_hidden, assert_tight

SECRET = "hdr-canary-41c7-9b"


def said_to(session: str, *texts: str) -> Request:
    """A request in a session, after what was said before."""
    thread = BRIEF
    for before in texts[:-1]:
        thread = thread.then("user", before).then("assistant", "...")
    return replace(REQUEST, thread=thread.then("user", texts[-1]), session=session)


HELLO = said_to("s-1", "Hello")


@asynccontextmanager
async def speaking_to(bot: Bot, **settings: Any) -> AsyncIterator[HttpBot]:
    """The bot's model, named by its URL alone where there are no settings."""
    with serving_rasa(bot) as url:
        entries = {"mine": Entry("http", url=url, **settings)} if settings else {}
        model = Directory(entries, environment={"BOT_KEY": KEY}).connect("mine" if settings else url)
        assert isinstance(model, HttpBot)
        try:
            yield model
        finally:
            await model.close()


async def failed(bot: Bot, **settings: Any) -> CallFailed:
    async with speaking_to(bot, **settings) as model:
        with pytest.raises(CallFailed) as raised:
            await model.reply(HELLO)
    assert_tight(raised.value)
    return raised.value


# A dialogue


async def test_a_dialogue_named_by_its_url_alone() -> None:
    bot = Bot()
    async with speaking_to(bot) as model:
        await model.check()
        first = await model.reply(HELLO)
        second = await model.reply(said_to("s-1", "Hello", "More, please"))
        other = await model.reply(said_to("s-2", "Hello"))
    assert first.text == "You have said 1 things, the last one: Hello"
    assert second.text == "You have said 2 things, the last one: More, please"
    assert other.text == "You have said 1 things, the last one: Hello"
    assert [received.body for received in bot.ledger] == [
        {"sender": "s-1", "message": "Hello"},
        {"sender": "s-1", "message": "More, please"},
        {"sender": "s-2", "message": "Hello"},
    ]
    assert (model.remembers, model.endpoint.endswith(PATH)) == (True, True)
    assert (second.stop, second.tokens_estimated, json.loads(second.raw)) == (
        "stop",
        True,
        bot.senders["s-1"].said[1],
    )


async def test_rich_answers_are_heard_as_text_and_by_the_state_of_the_sender() -> None:
    def answer(sender: Sender, text: str) -> str | list[Any]:
        asked = sender.notes.setdefault("asked", [])
        asked.append(text)
        if len(asked) == 1:
            yes = {"title": "Yes", "payload": "/yes"}
            return ["Welcome.", {"text": "A table?", "buttons": [yes]}, {"image": "hall.png"}]
        return f"You said {asked[-1]} after {asked[0]}."

    async with speaking_to(Bot(answer)) as model:
        assert (await model.reply(HELLO)).text == "Welcome.\n\nA table?\n[buttons: Yes]\n\n[image]"
        assert (await model.reply(said_to("s-1", "Hello", "Yes"))).text == "You said Yes after Hello."


async def test_the_shape_may_be_named_and_its_request_extended() -> None:
    more = {"sender": "{{session}}", "message": "{{text}}", "metadata": {"channel": "test"}}
    bot = Bot()
    async with speaking_to(bot, shape="rasa", request=more) as model:
        assert (await model.reply(HELLO)).text == "You have said 1 things, the last one: Hello"
    assert bot.ledger[0].body == {"sender": "s-1", "message": "Hello", "metadata": {"channel": "test"}}


async def test_a_message_that_is_not_of_the_shape_is_refused_by_the_bot() -> None:
    bot = Bot()
    failure = await failed(bot, request={"text": "{{text}}"})
    assert str(failure) == "rejected: HTTP 400, A message is an object with sender and message."
    assert bot.ledger == []


@pytest.mark.parametrize(
    "bot", [Bot(lambda _sender, _text: []), Bot(plan=at({1: silent()}))], ids=["said", "planted"]
)
async def test_a_bot_that_says_nothing_gives_an_empty_reply(bot: Bot) -> None:
    async with speaking_to(bot) as model:
        reply = await model.reply(HELLO)
    assert (reply.text, reply.stop, json.loads(reply.raw)) == ("", "stop", [])
    assert Text(may_be_empty=True).read(reply).value == ""


# What goes wrong

SHAPE = "the answer should be a list of messages, as Rasa's is, not "
IN_GARBAGE = {
    "not JSON": "the answer is not JSON",
    "a page": "the answer is not JSON",
    "empty": "the answer is not JSON",
    "half": "the answer is not JSON",
    "an object": SHAPE + "an object",
    "null": SHAPE + "null",
    "texts": "message 1 of the answer should be an object with a text, not a text",
    "another shape": "message 1 of the answer should have one of "
    "text, image, attachment, buttons, custom, and has none",
    "text of a wrong type": "text of message 1 of the answer should be a text, not a number",
    "buttons of a wrong type": "buttons of message 1 of the answer should be a list, not a text",
    "not UTF-8": "the answer is not JSON",
    "8 MB": f"the answer is larger than {LARGEST_REPLY:,} bytes",
}
ENDS = [
    *((GARBAGE[name], "malformed", detail) for name, detail in IN_GARBAGE.items()),
    (broken(500), "server", "HTTP 500, It broke."),
    (broken(502, b"<h1>Bad gateway</h1>"), "server", "HTTP 502"),
    (broken(503), "server", "HTTP 503, It broke."),
    (busy("7"), "rate limit", "HTTP 503, Too many of you."),
    (busy("7", 429), "rate limit", "HTTP 429, Too many of you."),
    (busy("abc"), "server", "HTTP 503, Too many of you."),  # says nothing of when to come back
    (cut(), "connection", "the answer broke off"),
    (reset(), "connection", "Connection reset by peer"),
]


def test_all_garbage_is_tried() -> None:
    assert IN_GARBAGE.keys() == GARBAGE.keys()


@pytest.mark.parametrize("trouble, cause, detail", ENDS, ids=lambda value: getattr(value, "name", ""))
async def test_each_fault_has_its_cause_and_what_came_is_kept(
    trouble: Trouble, cause: str, detail: str
) -> None:
    bot = Bot(plan=at({1: trouble}))
    failure = await failed(bot)
    assert str(failure) == f"{cause}: {detail}"
    assert bot.troubles == [trouble.name]
    assert trouble.fault is not None
    body = trouble.fault.body
    assert failure.raw == body if len(body) < LARGEST_REPLY else failure.raw.startswith(body[:1000])
    assert len(failure.raw) < LARGEST_REPLY
    assert failure.after == (7.0 if "7" in trouble.fault.headers.values() else None)
    assert bot.senders.keys() == ({"s-1"} if trouble.heard else set())


async def test_after_a_fault_the_next_message_is_answered() -> None:
    troubles = [trouble for trouble, _, _ in ENDS]
    bot = Bot(plan=at(dict(enumerate(troubles, 1))))
    async with speaking_to(bot) as model:
        for _ in troubles:
            with pytest.raises(CallFailed):
                await model.reply(HELLO)
        taken_in = sum(trouble.heard for trouble in troubles)
        assert (await model.reply(HELLO)).text == f"You have said {taken_in + 1} things, the last one: Hello"
    assert bot.troubles == [trouble.name for trouble in troubles]


async def test_as_large_an_answer_as_is_read_comes_through() -> None:
    text = "a" * (LARGEST_REPLY - 100)
    async with speaking_to(Bot(lambda _sender, _text: text)) as model:
        assert (await model.reply(HELLO)).text == text


async def test_a_slow_answer_within_the_limit_comes_through() -> None:
    async with speaking_to(Bot(plan=at({1: slow(0.2)})), timeout=30) as model:
        reply = await model.reply(HELLO)
    assert reply.text == "You have said 1 things, the last one: Hello"
    assert reply.latency >= 0.2


async def test_a_slow_answer_beyond_the_limit_is_given_up_and_the_bot_has_heard() -> None:
    bot = Bot(plan=at({1: slow(60)}))
    async with speaking_to(bot, timeout=0.5) as model:
        with pytest.raises(CallFailed) as raised:
            await model.reply(HELLO)
        assert str(raised.value) == "timeout: no answer within the limit"
        assert bot.senders["s-1"].heard == ["Hello"]
        assert (await model.reply(HELLO)).text == "You have said 2 things, the last one: Hello"


async def test_a_bot_that_is_not_there_is_a_mistake_before_anything_is_said() -> None:
    with serving_rasa(Bot()) as url:
        pass
    model = Directory(environment={}).connect(url)
    with pytest.raises(Mistake, match=r"nothing answers at 127\.0\.0\.1:") as raised:
        await model.check()
    assert "\n" not in str(raised.value)


# What is said again


async def carried(model: HttpBot, request: Request = HELLO, *, remembers: bool) -> tuple[Reply, list[float]]:
    """The reply after all tries, and the pauses between them, which are not slept through."""
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async def send(call: Call) -> Reply:
        return await model.reply(call.request)

    call = Call(1, Step("play", "", "system", 0), 0, request)
    return await retrying(send, pause, remembers=remembers)(call), pauses


@pytest.mark.parametrize("trouble, cause, detail", ENDS, ids=lambda value: getattr(value, "name", ""))
async def test_what_the_bot_may_have_heard_is_not_said_twice(
    trouble: Trouble, cause: str, detail: str
) -> None:
    bot = Bot(plan=at({1: trouble}))
    async with speaking_to(bot, timeout=30) as model:
        if cause == "rate limit":
            reply, _ = await carried(model, remembers=model.remembers)
            assert reply.text == "You have said 1 things, the last one: Hello"
            assert bot.heard_from() == {"s-1": 2}
        else:
            with pytest.raises(ProviderFailure) as raised:
                await carried(model, remembers=model.remembers)
            assert str(raised.value) == f"mine: {cause}: {detail}"
            assert bot.heard_from() == {"s-1": 1}


async def test_a_bot_that_is_sent_the_whole_dialogue_is_asked_again() -> None:
    all_of_it = {"sender": "{{session}}", "message": "{{text}}", "history": "{{messages}}"}
    fleeting = [broken(500), GARBAGE["not JSON"], cut(), reset()]
    assert len(fleeting) < MOST_RETRIES
    bot = Bot(plan=at(dict(enumerate(fleeting, 1))))
    async with speaking_to(bot, request=all_of_it) as model:
        reply, pauses = await carried(model, remembers=model.remembers)
    assert not model.remembers
    assert reply.text == f"You have said {len(fleeting) + 1} things, the last one: Hello"
    assert len(pauses) == len(fleeting)
    assert [received.body["history"] for received in bot.ledger] == [bot.ledger[0].body["history"]] * 5


async def test_a_bot_that_never_gets_well_is_asked_so_often_and_no_more() -> None:
    bot = Bot(plan=share(1.0, broken()))
    async with speaking_to(bot, request={"sender": "x", "message": "-", "all": "{{messages}}"}) as model:
        with pytest.raises(ProviderFailure, match="mine: server: HTTP 500, It broke"):
            await carried(model, remembers=model.remembers)
    assert len(bot.ledger) == MOST_RETRIES


# Keys


@pytest.mark.parametrize(
    "body, status",
    [
        (f'[{{"text": "{KEY} {SECRET}"}}]', 200),
        (f"{KEY} {SECRET}", 200),
        (f'{{"{KEY}": "{SECRET}"}}', 200),
        (f'[{{"{KEY}": "{SECRET}"}}]', 200),
        (f'[{{"text": ["{KEY}", "{SECRET}"]}}]', 200),
        (f'{{"message": "No {KEY} and no {SECRET}."}}', 500),
        (f'{{"message": "No {KEY} and no {SECRET}."}}', 401),
    ],
)
@pytest.mark.parametrize("way", ["whole", "cut"])
async def test_nothing_of_a_key_or_a_header_comes_back(body: str, status: int, way: str) -> None:
    repeated = Trouble("repeats", Fault("raw", status, body=body.encode()))
    bot = Bot(plan=at({1: cut(body.encode()) if way == "cut" else repeated}))
    settings: dict[str, Any] = {"key": "BOT_KEY", "headers": {"X-Bot-Token": SECRET}}
    async with speaking_to(bot, **settings) as model:
        try:
            reply = await model.reply(HELLO)
            found = [reply.raw.decode(), reply.text]
            assert reply.text == "[key] [key]"
        except CallFailed as failure:
            assert_tight(failure)
            found = [failure.raw.decode(), repr(failure), str(failure)]
        found.append(repr(vars(model)))
    for one in found:
        assert_hidden(one)
        assert SECRET not in one
    assert bot.ledger[0].headers["Authorization"] == f"Bearer {KEY}"
    assert bot.ledger[0].headers["X-Bot-Token"] == SECRET


# The bot itself


async def test_a_share_of_messages_is_met_by_trouble_the_same_for_a_seed() -> None:
    def met(seed: int) -> list[str]:
        plan = share(0.3, broken(), cut(), seed=seed)
        troubles = [plan(Received(number, "s", "x", {}, {})) for number in range(1, 401)]
        return [trouble.name if trouble else "" for trouble in troubles]

    assert met(1) == met(1) != met(2)
    assert 80 < len([name for name in met(1) if name]) < 160
    assert {"", "500", "cut"} == set(met(1))


async def test_many_senders_at_once_do_not_mix() -> None:
    bot = Bot(plan=share(0.5, slow(0.02), seed=3))
    async with speaking_to(bot) as model:

        async def dialogue(session: str) -> list[str]:
            return [(await model.reply(said_to(session, f"{session}/{turn}"))).text for turn in range(1, 6)]

        sessions = [f"s-{number}" for number in range(20)]
        for session, texts in zip(sessions, await asyncio.gather(*map(dialogue, sessions)), strict=True):
            assert texts == [f"You have said {n} things, the last one: {session}/{n}" for n in range(1, 6)]
    assert sorted(received.number for received in bot.ledger) == list(range(1, 101))


async def test_the_server_ends_with_answers_still_to_come() -> None:
    heard = threading.Event()

    def answer(_sender: Sender, _text: str) -> str:
        heard.set()
        return "never sent"

    bot = Bot(answer, share(1.0, slow(3600)))
    async with aiohttp.ClientSession() as client:
        with serving_rasa(bot) as url:
            waiting = asyncio.create_task(client.post(url, json={"sender": "s", "message": "Hello"}))
            assert await asyncio.to_thread(heard.wait, 30)
        with pytest.raises(aiohttp.ClientError):
            await waiting
    assert bot.senders["s"].heard == ["Hello"]
