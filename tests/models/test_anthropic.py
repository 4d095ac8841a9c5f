"""The client of Anthropic-shaped endpoints: what it sends, and how it reads what comes back."""

import json
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from interplay.core.failures import Mistake, Unreadable
from interplay.core.forms import JsonForm
from interplay.core.wire import Message, Sampling, Thread, clean
from interplay.models.anthropic import ANTHROPIC, Anthropic
from interplay.models.calling import CallFailed
from interplay.models.loopback import Asked, Fault, Loopback, Said
from interplay.models.posting import Endpoint
from interplay.models.prices import Price
from tests.models.asking import KEY, REQUEST, SCHEMA, Provider

ANTHROPIC_SHAPED = Provider("anthropic")
ask, failing, error = ANTHROPIC_SHAPED.ask, ANTHROPIC_SHAPED.fail, ANTHROPIC_SHAPED.error
SHAPED = replace(REQUEST, schema=SCHEMA)


def answering(*blocks: Any, stop: Any = "end_turn", **more: Any) -> Fault:
    """An answer with these blocks of content."""
    body = {"type": "message", "model": "m", "content": list(blocks), "stop_reason": stop, **more}
    return Fault("raw", 200, body=json.dumps(body).encode())


def text(said: Any) -> dict[str, Any]:
    return {"type": "text", "text": said}


def tool(given: Any, name: str = "reply") -> dict[str, Any]:
    return {"type": "tool_use", "id": "t", "name": name, "input": given}


# What is sent


async def test_the_request_is_sent_in_the_endpoint_s_words() -> None:
    seen: list[Asked] = []
    await ask(lambda asked: seen.append(asked) or "fine")
    assert seen[0].body == {
        "model": "remote",
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Hello"}],
        "temperature": 0.5,
        "max_tokens": 20,
    }


async def test_the_headers_are_those_of_the_api() -> None:
    seen: list[Any] = []

    async def answer(request: web.Request) -> web.Response:
        seen.append(request.headers)
        return web.Response(body=ANTHROPIC_SHAPED.body("hi"))

    app = web.Application()
    app.router.add_post("/v1/messages", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    for place, key in [(base, KEY), (base + "/v1", ""), (base + "/v1/", KEY), (base + "/", "")]:
        model = Anthropic("mine", "m", Endpoint(place, key))
        assert model.endpoint == base
        assert (await model.reply(REQUEST)).text == "hi"
        await model.close()
        headers = seen.pop()
        assert (headers.get("x-api-key", ""), headers["anthropic-version"]) == (key, "2023-06-01")
        assert headers["content-type"] == "application/json"
        assert "Authorization" not in headers
    await runner.cleanup()


async def test_the_length_is_always_limited_and_unknown_settings_are_left_out() -> None:
    seen: list[Asked] = []
    everything = Sampling(temperature=0.1, top_p=0.9, frequency_penalty=1.0)
    await ask(lambda asked: seen.append(asked) or "x", replace(REQUEST, sampling=everything))
    await ask(lambda asked: seen.append(asked) or "x", replace(REQUEST, sampling=Sampling()))
    full, empty = (asked.body for asked in seen)
    assert full.keys() - {"model", "system", "messages"} == {"max_tokens", "temperature", "top_p"}
    assert (full["max_tokens"], full["temperature"], full["top_p"]) == (4096, 0.1, 0.9)
    assert empty.keys() == {"model", "system", "messages", "max_tokens"}
    assert Anthropic("mine", "m", Endpoint(ANTHROPIC)).ignores == {"frequency_penalty"}


async def test_a_schema_is_sent_as_the_one_tool_to_use() -> None:
    seen: list[Asked] = []
    await ask(lambda asked: seen.append(asked) or "{}", SHAPED)
    (sent,) = seen[0].body["tools"]
    assert (sent["name"], sent["input_schema"]) == ("reply", SCHEMA)
    assert sent["description"]
    assert seen[0].body["tool_choice"] == {"type": "tool", "name": "reply"}
    assert seen[0].schema == SCHEMA


async def test_an_endpoint_without_schemas_is_not_sent_one() -> None:
    seen: list[Asked] = []
    await ask(lambda asked: seen.append(asked) or "{}", SHAPED, schemas=False)
    assert not {"tools", "tool_choice"} & seen[0].body.keys()


async def test_without_a_system_role_the_brief_goes_before_the_first_message() -> None:
    seen: list[Asked] = []
    thread = REQUEST.thread.then("assistant", "Hi").then("user", "More")
    await ask(lambda asked: seen.append(asked) or "x", replace(REQUEST, thread=thread), system_role=False)
    assert "system" not in seen[0].body
    assert [(one["role"], one["content"]) for one in seen[0].messages] == [
        ("user", "Be brief.\n\nHello"),
        ("assistant", "Hi"),
        ("user", "More"),
    ]


@pytest.mark.parametrize("system_role", [True, False])
async def test_a_brief_that_stands_alone_is_said_to_the_model(system_role: bool) -> None:
    seen: list[Asked] = []
    alone = replace(REQUEST, thread=Thread.start(Message("system", "Begin.")))
    await ask(lambda asked: seen.append(asked) or "x", alone, system_role=system_role)
    assert seen[0].body["messages"] == [{"role": "user", "content": "Begin."}]
    assert "system" not in seen[0].body


async def test_empty_messages_which_the_api_refuses_are_sent_as_such() -> None:
    seen: list[Asked] = []
    thread = Thread.start(Message("system", "")).then("user", " ").then("assistant", "").then("user", "So?")
    await ask(lambda asked: seen.append(asked) or "x", replace(REQUEST, thread=thread))
    assert "system" not in seen[0].body
    assert [one["content"] for one in seen[0].body["messages"]] == ["(nothing)", "(nothing)", "So?"]


# What is read


async def test_text_comes_back_with_all_that_is_known_of_it() -> None:
    said = Said(
        "Good day", stop="length", version="m-2026", usage={"prompt_tokens": 7, "completion_tokens": 3}
    )
    reply = await ask(lambda _: said)
    assert (reply.text, reply.reasoning, reply.stop, reply.version) == ("Good day", "", "length", "m-2026")
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_estimated) == (7, 3, False)
    assert reply.cost is None
    assert reply.latency > 0
    assert json.loads(reply.raw)["model"] == "m-2026"


async def test_blocks_of_text_are_one_text() -> None:
    reply = await ask(lambda _: answering(text("Good "), text("day"), {"type": "server_tool_use", "id": "x"}))
    assert (reply.text, reply.stop) == ("Good day", "stop")


@pytest.mark.parametrize(
    "thinking", [Said("Hello!", reasoning="they greet me"), "<think>they greet me</think>Hello!"]
)
async def test_thinking_goes_to_reasoning(thinking: Any) -> None:
    reply = await ask(lambda _: thinking)
    assert (reply.text, reply.reasoning) == ("Hello!", "they greet me")


async def test_thinking_that_is_hidden_from_us_is_mentioned_and_never_said() -> None:
    hidden = {"type": "redacted_thinking", "data": "c2VjcmV0"}
    shown = {"type": "thinking", "thinking": "hm", "signature": "sig"}
    reply = await ask(lambda _: answering(hidden, shown, text("Hello!")))
    assert (reply.text, reply.reasoning) == ("Hello!", "[redacted]\n\nhm")


async def test_what_the_tool_is_given_is_the_text() -> None:
    given = {"text": 'grün "ja"', "all": [1, None]}
    reply = await ask(lambda _: json.dumps(given), SHAPED)
    assert reply.text == '{"text": "grün \\"ja\\"", "all": [1, null]}'
    assert reply.stop == "stop"
    assert json.loads(reply.raw)["stop_reason"] == "tool_use"


async def test_text_beside_the_tool_is_no_part_of_the_reply() -> None:
    reply = await ask(lambda _: answering(text('Sure: {"text": "no"}'), tool({"text": "yes"})), SHAPED)
    assert reply.text == '{"text": "yes"}'
    assert reply.reasoning == ""


async def test_a_tool_that_is_used_twice_says_two_things() -> None:
    reply = await ask(lambda _: answering(tool({"text": "a"}), tool({"text": "b"})), SHAPED)
    form = JsonForm({**SCHEMA, "properties": {"text": {"type": "string"}}}, dict)
    with pytest.raises(Unreadable, match="several different"):
        form.read(reply)


async def test_text_in_place_of_the_tool_is_read_as_text() -> None:
    assert (await ask(lambda _: "I would rather talk.", SHAPED)).text == "I would rather talk."


@pytest.mark.parametrize(
    "stop, read",
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "pause_turn"),
        (None, ""),
        (7, "7"),
        ("x" * 1000, "x" * 100),
    ],
)
async def test_every_reason_to_stop(stop: Any, read: str) -> None:
    assert (await ask(lambda _: answering(text("x"), stop=stop))).stop == read


async def test_a_tool_that_was_cut_off_is_read_as_cut_off() -> None:
    reply = await ask(lambda _: answering(tool({}), stop="max_tokens"), SHAPED)
    assert (reply.text, reply.stop) == ("{}", "length")
    with pytest.raises(Unreadable, match="cut off"):
        JsonForm(SCHEMA, dict).read(reply)


@pytest.mark.parametrize("stop", ["end_turn", "refusal"])
async def test_no_content_is_an_empty_text(stop: str) -> None:
    reply = await ask(lambda _: answering(stop=stop))
    assert reply.text == ""
    assert (await ask(lambda _: "")).text == ""


@pytest.mark.parametrize(
    "said, heard",
    [
        ("a\0b", "a\ufffdb"),
        ("a\ud800b", "a?b"),
        ("\udc00\ud83d", "??"),
        ("עברית \u202e 🙂", "עברית \u202e 🙂"),
    ],
)
async def test_text_is_cleaned_of_what_no_store_can_hold(said: str, heard: str) -> None:
    reply = await ask(lambda _: Said(said, reasoning=said, version=said, stop=said))
    assert (reply.text, reply.reasoning, reply.version, reply.stop) == (heard, heard, heard, heard)
    by_tool = await ask(lambda _: answering(tool({"text": said})), SHAPED)
    assert by_tool.text == clean(by_tool.text)


# Usage


async def test_tokens_of_the_prompt_cache_are_tokens_read_at_their_own_price() -> None:
    usage = {
        "input_tokens": 100,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 600,
        "output_tokens": 10,
    }
    reply = await ask(lambda _: answering(text("x"), usage=usage), price=Price(3.0, 15.0, cached=0.3))
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_estimated) == (720, 10, False)
    assert reply.cost == pytest.approx((120 * 3 + 600 * 0.3 + 10 * 15) / 1e6)


async def test_counts_of_the_prompt_cache_may_be_missing() -> None:
    usage = {"input_tokens": 5, "cache_read_input_tokens": None, "output_tokens": 2}
    reply = await ask(lambda _: answering(text("x"), usage=usage))
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_estimated) == (5, 2, False)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        {},
        {"input_tokens": 5},
        {"output_tokens": 5},
        {"input_tokens": -5, "output_tokens": 2},
        {"input_tokens": 5, "output_tokens": -2},
        {"input_tokens": "5", "output_tokens": 2},
        {"input_tokens": True, "output_tokens": 2},
        {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": -1},
        {"input_tokens": 5, "output_tokens": 2, "cache_creation_input_tokens": "many"},
        {"input_tokens": 10**9, "output_tokens": 2, "cache_creation_input_tokens": 1},
        {"input_tokens": 10**30, "output_tokens": 2},
    ],
)
async def test_usage_that_is_missing_or_wrong_is_estimated_and_flagged(usage: Any) -> None:
    reply = await ask(lambda _: answering(text("a" * 40), usage=usage))
    assert reply.tokens_estimated
    assert (reply.tokens_in, reply.tokens_out) == (len("Be brief.Hello") // 4 + 1, 11)


# Answers that are none


@pytest.mark.parametrize(
    "answer",
    [
        Said(None),
        answering(text(None)),
        answering(text(3)),
        answering({"type": "text"}),
        answering({"type": "thinking"}),
        answering({"type": "tool_use", "input": "{}"}),
        answering({"type": "tool_use"}),
        answering("plain"),
        answering(None),
        answering({}),
        Fault("raw", 200, body=b"null"),
        Fault("raw", 200, body=b"[]"),
        Fault("raw", 200, body=b"{}"),
        Fault("raw", 200, body=b'{"content": {}}'),
        Fault("raw", 200, body=b'{"content": "text"}'),
        Fault("raw", 200, body=b'{"type": "error", "error": {"type": "api_error", "message": "no"}}'),
        Fault("raw", 200, body=b"[" * 100_000),
    ],
    ids=repr,
)
async def test_an_answer_out_of_form_is_malformed_and_kept(answer: Any) -> None:
    failure = await failing(lambda _: answer)
    assert failure.cause == "malformed"
    assert failure.raw


async def test_an_error_is_told_by_its_kind_and_its_words() -> None:
    failure = await failing(lambda _: error(529, "Overloaded", **{"retry-after": "7"}))
    assert (failure.cause, failure.detail, failure.after) == (
        "server",
        "HTTP 529, overloaded_error Overloaded",
        7,
    )


# What is not supported


async def test_tools_that_are_refused_are_left_out_from_then_on() -> None:
    seen: list[Asked] = []
    loopback = Loopback(lambda asked: seen.append(asked) or "plain", schemas=False)
    async with loopback as url:
        model = Anthropic("mine", "m", Endpoint(url))
        with pytest.raises(CallFailed) as raised:
            await model.reply(SHAPED)
        assert raised.value.cause == "unsupported"
        assert (await model.reply(SHAPED)).text == "plain"
        await model.close()
    assert loopback.calls == 2
    assert "tools" not in seen[0].body


@pytest.mark.parametrize("words", ["tools.0.input_schema: not a valid schema", "Tool use is not supported"])
async def test_a_400_about_tools_or_schemas_is_unsupported(words: str) -> None:
    assert (await failing(lambda _: error(400, words), SHAPED)).cause == "unsupported"
    assert (await failing(lambda _: error(400, words))).cause == "rejected"
    assert (await failing(lambda _: error(400, words), SHAPED, schemas=False)).cause == "rejected"


@pytest.mark.parametrize(
    "words", ["prompt is too long: 210000 tokens > 200000 maximum, with tools", "temperature: at most 1"]
)
async def test_a_400_about_something_else_is_rejected_though_a_tool_was_sent(words: str) -> None:
    assert (await failing(lambda _: error(400, words), SHAPED)).cause == "rejected"


# Anthropic itself


@pytest.mark.parametrize("base_url", [ANTHROPIC, ANTHROPIC + "/", ANTHROPIC + "/v1"])
async def test_anthropic_itself_needs_a_key(base_url: str) -> None:
    with pytest.raises(Mistake, match="mine needs a key: set ANTHROPIC_API_KEY, or name another place"):
        await Anthropic("mine", "m", Endpoint(base_url)).check()


def test_it_forgets() -> None:
    assert Anthropic("mine", "m", Endpoint(ANTHROPIC)).remembers is False
