"""Bots behind a URL: what a mapping makes of a request, where it finds the answer, and which mappings are mistakes."""

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from interplay.core.failures import Mistake
from interplay.core.wire import Message, Reply, Request, Sampling, Thread
from interplay.models.calling import CallFailed
from interplay.models.http import BotMapping, HttpBot, check_mapping
from interplay.models.loopback import Asked, Fault, Loopback
from interplay.models.prices import FREE, Price
from tests.models.asking import KEY, REQUEST, SCHEMA, Provider, assert_hidden, assert_tight

BOT = Provider("bot")
TALK = replace(REQUEST, thread=REQUEST.thread.then("assistant", "Hi").then("user", "More, please"))
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hi"},
    {"role": "user", "content": "More, please"},
]


async def sent(request: Any, asked: Request = TALK, **more: Any) -> Any:
    """What a bot with this request in its mapping is sent."""
    seen: list[Asked] = []
    await BOT.ask(lambda asked: seen.append(asked) or "fine", asked, request=request, **more)
    return seen[0].body


async def read(answer: Any, path: str) -> Reply:
    """What is read at a path of a bot's answer."""
    body = json.dumps(answer).encode()
    return await BOT.ask(lambda _: Fault("raw", 200, body=body), reply=path)


# What is sent


async def test_a_bot_is_sent_the_session_and_the_last_message_alone() -> None:
    seen: list[Asked] = []
    reply = await BOT.ask(lambda asked: seen.append(asked) or "Fine", TALK)
    assert seen[0].body == {"session": "s-1", "text": "More, please"}
    assert (reply.text, reply.stop, reply.version) == ("Fine", "stop", "")


async def test_places_stand_anywhere_in_a_request() -> None:
    request = {
        "sender": "interplay-{{session}}",
        "input": [{"kind": "text", "body": "{{ text }}!"}, "{{messages}}", 3, None, True, 1.5],
        "text": "{{system}} / {{text}} / {{model}} / {{text}}",
        "plain": "a {brace} and {{",
    }
    assert await sent(request) == {
        "sender": "interplay-s-1",
        "input": [{"kind": "text", "body": "More, please!"}, MESSAGES, 3, None, True, 1.5],
        "text": "Be brief. / More, please / mine / More, please",
        "plain": "a {brace} and {{",
    }


async def test_a_request_that_is_the_messages_themselves_is_a_list() -> None:
    mapping = BotMapping("http://127.0.0.1:1/bot", request="{{messages}}")
    assert HttpBot("mine", mapping).remembers is False
    assert await sent({"messages": "{{messages}}"}) == {"messages": MESSAGES}


async def test_a_place_inside_a_text_is_only_text() -> None:
    thread = Thread.start(Message("system", "You are {{model}}.")).then(
        "user", "Say {{session}} and {{messages}} or \\1 {{none}}"
    )
    asked = replace(REQUEST, thread=thread, session="{{text}}")
    assert await sent({"text": "{{session}}|{{system}}|{{text}}"}, asked) == {
        "text": "{{text}}|You are {{model}}.|Say {{session}} and {{messages}} or \\1 {{none}}"
    }


async def test_a_request_without_a_brief_has_an_empty_one() -> None:
    bare = Request("mine", Thread.start(Message("user", "Hello")), Sampling())
    assert await sent({"text": "{{text}}", "system": "{{system}}", "session": "{{session}}"}, bare) == {
        "text": "Hello",
        "system": "",
        "session": "",
    }


async def test_a_bot_is_sent_neither_a_schema_nor_sampling() -> None:
    body = await sent({"text": "{{text}}"}, replace(TALK, schema=SCHEMA))
    assert body == {"text": "More, please"}
    bot = HttpBot("mine", BotMapping("http://127.0.0.1:1/bot"))
    assert bot.ignores == Sampling(1, 1, 1, 1).settings().keys()


async def test_headers_are_sent_and_replace_ours_whatever_their_case() -> None:
    async with Loopback(lambda _: "let in", keys=frozenset({KEY})) as url:
        place = url.removesuffix("/v1") + "/bot"
        for headers in ({"Authorization": f"Bearer {KEY}"}, {"AUTHORIZATION": f"bearer {KEY}"}):
            bot = HttpBot("mine", BotMapping(place, headers=headers | {"content-type": "application/json"}))
            assert (await bot.reply(TALK)).text == "let in"
            await bot.close()
            assert_hidden(repr(vars(bot)))


@pytest.mark.parametrize(
    "request_, remembers",
    [
        ({"text": "{{text}}"}, True),
        ({"session": "{{session}}", "text": "{{text}}", "brief": "{{system}}"}, True),
        ({"history": ["{{messages}}"]}, False),
        ({"a": {"b": "{{ messages }}"}, "text": "{{text}}"}, False),
    ],
)
def test_a_bot_that_is_not_sent_the_dialogue_must_remember_it(request_: Any, remembers: bool) -> None:
    assert HttpBot("mine", BotMapping("http://127.0.0.1:1/", request=request_)).remembers is remembers


# What is read


@pytest.mark.parametrize(
    "answer, path, text",
    [
        ({"text": "Hello"}, "text", "Hello"),
        ({"text": ""}, "text", ""),
        ({"choices": [{"message": {"content": "Hello"}}]}, "choices.0.message.content", "Hello"),
        (["a", "b"], "1", "b"),
        (["a", "b"], "-1", "b"),
        ({"0": "by name"}, "0", "by name"),
        ({"*": "by name"}, "*", "by name"),
        ([], "*.text", ""),
        ([{"recipient_id": "s-1", "text": "Hello"}], "*.text", "Hello"),
        (
            [{"recipient_id": "s", "text": "Hi."}, {"recipient_id": "s", "text": "How are you?"}],
            "*.text",
            "Hi.\n\nHow are you?",
        ),
        ([{"image": "x.png"}, {"text": "See above."}, {"text": None}, None], "*.text", "See above."),
        ([{"image": "x.png"}], "*.text", ""),
        (["a", None, "b"], "*", "a\n\nb"),
        ({"out": [{"parts": ["a", "b"]}, {"parts": []}, {"parts": ["c"]}]}, "out.*.parts.*", "a\n\nb\n\nc"),
        ({"out": [{"parts": ["a"]}, {"parts": []}, {}]}, "out.*.parts.0", "a"),
        ({"text": "<think>hm</think>Hello"}, "text", "Hello"),
        ({"text": "a\0b\ud800"}, "text", "a\ufffdb?"),
    ],
)
async def test_a_path_leads_to_the_text(answer: Any, path: str, text: str) -> None:
    reply = await read(answer, path)
    assert reply.text == text
    assert json.loads(reply.raw) == answer


@pytest.mark.parametrize(
    "answer, path",
    [
        ({}, "text"),
        ({"text": None}, "text"),
        ({"text": 42}, "text"),
        ({"text": ["a"]}, "text"),
        ({"text": {"text": "a"}}, "text"),
        ("text", "text"),
        (None, "text"),
        (["a"], "1"),
        (["a"], "-2"),
        (["a"], "text"),
        (["a"], "²"),
        ({"out": "a"}, "out.0"),
        ({"out": "a"}, "out.*"),
        ({"out": {"a": "b"}}, "out.*"),
        ({"out": None}, "out.*.text"),
        ({}, "out.*.text"),
        ([{"text": 42}], "*.text"),
        ([{"text": ["a"]}], "*.text"),
        (["a"], "*.text"),
        ([["a"]], "*"),
    ],
)
async def test_an_answer_without_a_text_there_is_malformed_and_kept(answer: Any, path: str) -> None:
    with pytest.raises(CallFailed) as raised:
        await read(answer, path)
    assert (raised.value.cause, raised.value.detail) == ("malformed", f"the answer has no text at {path}")
    assert json.loads(raised.value.raw) == answer


async def test_created_is_as_good_as_ok() -> None:
    reply = await BOT.ask(lambda _: Fault("raw", 201, body=b'{"text": "made"}'))
    assert reply.text == "made"


async def test_tokens_are_estimated_from_all_that_was_said_and_flagged() -> None:
    reply = await BOT.ask(lambda _: "a" * 40, TALK, price=Price(4e6, 1e6))
    heard = sum(len(message["content"]) for message in MESSAGES) // 4 + 1
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_estimated) == (heard, 11, True)
    assert reply.cost == 4 * heard + 11
    assert (await BOT.ask(lambda _: "x", price=FREE)).cost == 0.0
    assert (await BOT.ask(lambda _: "x")).cost is None


# Mistakes


@pytest.mark.parametrize(
    "mapping, words",
    [
        ({"request": {"text": "{{txt}}"}}, r"mine: its request has \{\{txt\}\}; did you mean 'text'\?"),
        ({"request": {"a": ["{{text}}", {"b": "x {{sesion}}"}]}}, "did you mean 'session'"),
        ({"request": "{{}} {{text}}"}, r"\{\{\}\}; there is messages, model, session, system, text"),
        ({"request": {"text": "{{text}}", "all": "so far: {{messages}}"}}, "must be a string of its own"),
        ({"request": {"text": "{{messages}}{{text}}"}}, "must be a string of its own"),
        ({"request": {"{{session}}": "{{text}}"}}, "only values are filled in"),
        ({"request": {"session": "{{session}}"}}, r"must hold \{\{text\}\} or \{\{messages\}\}"),
        ({"shape": "raza"}, "mine: there is no shape 'raza'; did you mean 'rasa'?"),
        ({"shape": "xml"}, "there is no shape 'xml'; there is plain, rasa"),
        ({"request": {}}, r"must hold \{\{text\}\} or \{\{messages\}\}"),
        ({"request": {"text": "{{text}}", "on": date(2026, 1, 2)}}, "2026-01-02, which JSON has no form for"),
        ({"request": {"text": "{{text}}", "at": float("nan")}}, "nan, which JSON has no form for"),
        ({"reply": ""}, "its reply '' has an empty step"),
        ({"reply": "a..b"}, "has an empty step"),
        ({"reply": ".text"}, "has an empty step"),
        ({"reply": "text. "}, "has an empty step"),
        ({"headers": {"X Y": "z"}}, "is no name of a header"),
        ({"headers": {"X-Y": "a\nb"}}, "header X-Y must be a string"),
        ({"headers": {"X-Y": 3}}, "header X-Y must be a string"),
        ({"key": KEY, "headers": {"authorization": "Bearer x"}}, "both a key and a header authorization"),
    ],
)
def test_a_mapping_that_cannot_work_is_a_mistake(mapping: Any, words: str) -> None:
    made = BotMapping("http://127.0.0.1:1/bot", **mapping)
    for make in (HttpBot, check_mapping):
        with pytest.raises(Mistake, match=words) as raised:
            make("mine", made)
        assert "\n" not in str(raised.value)
        assert_hidden(str(raised.value))


# Secrets


def test_a_query_is_no_part_of_the_endpoint() -> None:
    bot = HttpBot("mine", BotMapping(f"http://127.0.0.1:1/bot?token={KEY}#top"))
    assert bot.endpoint == "http://127.0.0.1:1/bot"


async def test_keys_in_headers_and_in_the_query_go_no_further_either() -> None:
    async with Loopback(lambda _: f"You sent {KEY} and {KEY[::-1]}.") as url:
        place = url.removesuffix("/v1") + "/bot"
        mapping = BotMapping(
            f"{place}?api_key={KEY[::-1]}&lang=de", headers={"X-Api-Key": KEY, "X-Lang": "de"}
        )
        bot = HttpBot("mine", mapping)
        reply = await bot.reply(TALK)
        await bot.close()
    assert reply.text == "You sent [key] and [key]."
    assert_hidden(reply.raw)
    assert_hidden(repr(vars(bot) | {"_mapping": replace(mapping, url="")}))


async def test_a_url_that_is_none_is_told_without_its_query() -> None:
    with pytest.raises(Mistake, match=r"'127\.0\.0\.1:1/bot' is no URL") as raised:
        await HttpBot("mine", BotMapping(f"127.0.0.1:1/bot?token={KEY}")).check()
    assert_hidden(str(raised.value))


async def test_a_failure_does_not_tell_the_query() -> None:
    bot = HttpBot("mine", BotMapping(f"http://127.0.0.1:1/bot?token={KEY}"))
    with pytest.raises(CallFailed) as raised:
        await bot.reply(TALK)
    await bot.close()
    assert_tight(raised.value)
