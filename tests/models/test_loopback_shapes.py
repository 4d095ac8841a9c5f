"""The loopback provider in Anthropic's shape and as a bot, asked over real HTTP."""

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from interplay.models.loopback import Asked, Loopback, Said, rehearse

HELLO = [{"role": "user", "content": "Hello there"}]


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=20)) as session:
        yield session


def request(model: str = "m", **more: Any) -> dict[str, Any]:
    return {"model": model, "messages": HELLO, **more}


async def post(client: aiohttp.ClientSession, url: str, body: Any) -> tuple[int, Any]:
    async with client.post(f"{url}/chat/completions", json=body) as response:
        return response.status, await response.json()


# Anthropic's shape


async def post_messages(client: aiohttp.ClientSession, url: str, body: Any, key: str = "") -> tuple[int, Any]:
    async with client.post(
        f"{url}/messages", json=body, headers={"x-api-key": key} if key else {}
    ) as response:
        return response.status, await response.json()


def forcing(schema: Any, **more: Any) -> dict[str, Any]:
    tools = [{"name": "other", "input_schema": {}}, {"name": "reply", "input_schema": schema}]
    return request(max_tokens=9, tools=tools, tool_choice={"type": "tool", "name": "reply"}, **more)


async def test_plain_text_comes_back_in_anthropic_s_shape(client: aiohttp.ClientSession) -> None:
    async with Loopback(lambda _: "Good morning") as url:
        status, reply = await post_messages(client, url, request(max_tokens=9))
    assert status == 200
    assert reply == {
        "id": "msg_loopback_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "Good morning"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 3},
    }


async def test_said_sets_every_field_in_anthropic_s_words(client: aiohttp.ClientSession) -> None:
    usage = {"prompt_tokens": -1, "completion_tokens": 2, "total_tokens": 1, "cache_read_input_tokens": 4}
    said = iter(
        [
            Said("so", reasoning="hm", stop="length", version="m-2", usage=usage),
            Said("", stop="odd", usage=None),
        ]
    )
    async with Loopback(lambda _: next(said)) as url:
        _, full = await post_messages(client, url, request(max_tokens=9))
        _, bare = await post_messages(client, url, request(max_tokens=9))
    thinking = {"type": "thinking", "thinking": "hm", "signature": ""}
    assert full["content"] == [thinking, {"type": "text", "text": "so"}]
    assert (full["stop_reason"], full["model"]) == ("max_tokens", "m-2")
    assert full["usage"] == {"input_tokens": -1, "output_tokens": 2, "cache_read_input_tokens": 4}
    assert (bare["content"], bare["stop_reason"], "usage" in bare) == ([], "odd", False)


async def test_a_script_sees_the_same_in_both_shapes(client: aiohttp.ClientSession) -> None:
    seen: list[Asked] = []

    def note(asked: Asked) -> str:
        seen.append(asked)
        return rehearse(asked)

    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    blocks = [{"type": "text", "text": "Hello "}, {"type": "image"}, {"type": "text", "text": "there"}]
    system = {"role": "system", "content": "Be brief."}
    ours = forcing(
        schema, messages=[{"role": "user", "content": blocks}], system=[{"type": "text", "text": "Be brief."}]
    )
    theirs = request(messages=[system, *HELLO], response_format={"json_schema": {"schema": schema}})
    loopback = Loopback(note)
    async with loopback as url:
        _, tool = await post_messages(client, url, ours)
        _, completion = await post(client, url, theirs)
        await post_messages(
            client, url, forcing(schema, system="Be brief.") | {"tool_choice": {"type": "auto"}}
        )
    assert seen[0] == Asked("m", (system, *HELLO), ours, 1, schema)
    assert (seen[1].messages, seen[1].schema) == (seen[0].messages, seen[0].schema)
    assert seen[2].schema is None
    given = json.loads(completion["choices"][0]["message"]["content"])
    assert tool["content"] == [{"type": "tool_use", "id": "toolu_1", "name": "reply", "input": given}]
    assert tool["stop_reason"] == "tool_use"
    assert loopback.calls_by_model() == {"m": 3}


@pytest.mark.parametrize("said", ["no JSON", "[1]", "3", "[" * 99999])
async def test_what_no_tool_can_be_given_is_said(client: aiohttp.ClientSession, said: str) -> None:
    async with Loopback(lambda _: said) as url:
        _, reply = await post_messages(client, url, forcing({"type": "object"}))
    assert reply["content"] == [{"type": "text", "text": said}]
    assert reply["stop_reason"] == "end_turn"


async def test_a_tool_can_be_cut_off(client: aiohttp.ClientSession) -> None:
    async with Loopback(lambda _: Said("{}", stop="length")) as url:
        _, reply = await post_messages(client, url, forcing({"type": "object"}))
    assert (reply["content"][0]["input"], reply["stop_reason"]) == ({}, "max_tokens")


@pytest.mark.parametrize(
    "body, words",
    [
        ([], "not a JSON object"),
        ({"messages": HELLO, "max_tokens": 9}, "names no model"),
        ({"model": "m", "max_tokens": 9}, "no list of messages"),
        (request(), "max_tokens"),
        (request(max_tokens=0), "max_tokens"),
        (request(max_tokens="9"), "max_tokens"),
        (request(max_tokens=9, stream=True), "Streaming"),
        (request(max_tokens=9, messages=[{"role": "system", "content": "x"}]), "role"),
        (request(max_tokens=9, messages=[{"role": "user", "content": " "}]), "non-empty"),
        (request(max_tokens=9, messages=[{"role": "user", "content": []}]), "non-empty"),
    ],
)
async def test_bad_requests_are_refused_in_anthropic_s_words(
    client: aiohttp.ClientSession, body: Any, words: str
) -> None:
    async with Loopback() as url:
        status, reply = await post_messages(client, url, body)
    assert (status, reply["type"], reply["error"]["type"]) == (400, "error", "invalid_request_error")
    assert words in reply["error"]["message"]


async def test_anthropic_s_key_has_a_header_of_its_own(client: aiohttp.ClientSession) -> None:
    async with Loopback(keys=frozenset({"good"})) as url:
        assert (await post_messages(client, url, request(max_tokens=9), key="good"))[0] == 200
        for key in ("", "bad"):
            status, reply = await post_messages(client, url, request(max_tokens=9), key=key)
            assert (status, reply["error"]["type"]) == (401, "authentication_error")
        headers = {"Authorization": "Bearer good"}
        async with client.post(f"{url}/messages", json=request(max_tokens=9), headers=headers) as response:
            assert response.status == 401


async def test_tools_can_be_switched_off(client: aiohttp.ClientSession) -> None:
    async with Loopback({"m": rehearse}, schemas=False) as url:
        assert (await post_messages(client, url, request(max_tokens=9)))[0] == 200
        status, reply = await post_messages(client, url, forcing({"type": "object"}))
        assert (status, reply["error"]["message"]) == (400, "This model does not support tools.")
        status, reply = await post_messages(client, url, request("b", max_tokens=9))
        assert (status, reply["error"]["type"]) == (404, "not_found_error")


# A bot


async def post_bot(client: aiohttp.ClientSession, url: str, body: Any, key: str = "") -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with client.post(url.removesuffix("/v1") + "/bot", json=body, headers=headers) as response:
        return response.status, await response.json()


async def test_a_bot_answers_by_the_script_of_its_name(client: aiohttp.ClientSession) -> None:
    seen: list[Asked] = []

    def note(asked: Asked) -> str:
        seen.append(asked)
        return "noted"

    loopback = Loopback({"bot": note, "*": lambda _: "not I"}, schemas=False)
    async with loopback as url:
        assert await post_bot(client, url, {"text": "Hello there", "session": "s"}) == (
            200,
            {"text": "noted"},
        )
        assert await post_bot(client, url, {"messages": HELLO * 2, "text": 3}) == (200, {"text": "noted"})
    assert seen[0] == Asked("bot", tuple(HELLO), {"text": "Hello there", "session": "s"}, 1, None)
    assert seen[1].messages == tuple(HELLO * 2)
    assert loopback.calls_by_model() == {"bot": 2}
    async with Loopback(lambda _: "for all") as url:
        assert await post_bot(client, url, {"text": "Hello"}) == (200, {"text": "for all"})
    async with Loopback({"m": rehearse}) as url:
        assert (await post_bot(client, url, {"text": "Hello"}))[0] == 404


@pytest.mark.parametrize("body", [[], {}, {"text": 3}, {"messages": []}, {"messages": ["x"], "text": "x"}])
async def test_a_bot_refuses_what_says_nothing(client: aiohttp.ClientSession, body: Any) -> None:
    async with Loopback() as url:
        status, reply = await post_bot(client, url, body)
    assert status == 400
    assert isinstance(reply["error"], str)


async def test_a_bot_has_a_key_too(client: aiohttp.ClientSession) -> None:
    async with Loopback(keys=frozenset({"good"})) as url:
        assert (await post_bot(client, url, {"text": "x"}, key="good"))[0] == 200
        assert (await post_bot(client, url, {"text": "x"}))[0] == 401
