"""The client of OpenAI-shaped endpoints: what it sends, and how it reads what comes back."""

import json
from dataclasses import replace
from typing import Any

import pytest

from interplay.core.failures import Mistake
from interplay.core.wire import Message, clean
from interplay.models.calling import CallFailed
from interplay.models.loopback import Asked, Fault, Loopback, Said
from interplay.models.openai_compatible import OPENAI, OpenAICompatible, merge_system, strict_subset
from interplay.models.posting import Endpoint
from interplay.models.prices import FREE, Price
from tests.models.asking import KEY, REQUEST, SCHEMA, Provider, assert_hidden

OPENAI_SHAPED = Provider("openai")
ask, failing, error = OPENAI_SHAPED.ask, OPENAI_SHAPED.fail, OPENAI_SHAPED.error


def saying(**message: Any) -> Fault:
    """An answer whose message is this."""
    body = {"model": "m", "choices": [{"message": message, "finish_reason": "stop"}]}
    return Fault("raw", 200, body=json.dumps(body).encode())


# What is sent


async def test_the_request_is_sent_in_the_endpoint_s_words() -> None:
    seen: list[Asked] = []
    await ask(lambda asked: seen.append(asked) or "fine")
    assert seen[0].body == {
        "model": "remote",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        "temperature": 0.5,
        "max_tokens": 20,
    }


async def test_a_schema_is_sent_without_what_strict_endpoints_refuse() -> None:
    seen: list[Asked] = []
    await ask(lambda asked: seen.append(asked) or "{}", replace(REQUEST, schema=SCHEMA))
    sent = seen[0].body["response_format"]
    assert (sent["type"], sent["json_schema"]["strict"]) == ("json_schema", True)
    assert seen[0].schema == {
        "type": "object",
        "properties": {"text": {"type": "string"}, "all": {"type": "array", "items": {}}},
        "required": ["text"],
    }
    assert "maxLength" not in json.dumps(seen[0].body)
    assert SCHEMA["properties"]["text"]["maxLength"] == 9


async def test_an_endpoint_without_schemas_is_not_sent_one() -> None:
    seen: list[Asked] = []
    await ask(lambda asked: seen.append(asked) or "{}", replace(REQUEST, schema=SCHEMA), schemas=False)
    assert "response_format" not in seen[0].body


async def test_llama_gets_a_grammar_with_the_whole_schema() -> None:
    seen: list[Asked] = []
    await ask(lambda asked: seen.append(asked) or "{}", replace(REQUEST, schema=SCHEMA), llama=True)
    assert "response_format" not in seen[0].body
    assert '"maxLength": 9' in seen[0].body["grammar"]


async def test_without_a_system_role_the_brief_goes_before_the_first_message() -> None:
    seen: list[Asked] = []
    thread = REQUEST.thread.then("assistant", "Hi").then("user", "More")
    await ask(lambda asked: seen.append(asked) or "x", replace(REQUEST, thread=thread), system_role=False)
    assert [(one["role"], one["content"]) for one in seen[0].messages] == [
        ("user", "Be brief.\n\nHello"),
        ("assistant", "Hi"),
        ("user", "More"),
    ]


def test_messages_without_a_brief_are_merged_with_nothing() -> None:
    alone, talk = [Message("system", "a")], [Message("user", "a"), Message("assistant", "b")]
    assert (merge_system(alone), merge_system(talk)) == (alone, talk)


def test_words_that_strict_endpoints_refuse_are_taken_out_at_every_depth() -> None:
    deep = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"maxLength": 3, "enum": ["x"]}}},
    }
    assert strict_subset({"type": "array", "minLength": 1, "items": deep}) == {
        "type": "array",
        "items": {"type": "object", "properties": {"a": {"type": "array", "items": {"enum": ["x"]}}}},
    }


def test_a_field_that_is_named_like_such_a_word_stays() -> None:
    schema = {"type": "object", "properties": {"maxLength": {"type": "integer"}}, "required": ["maxLength"]}
    assert strict_subset(schema) == schema


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


async def test_tokens_from_the_endpoint_s_cache_have_their_own_price() -> None:
    usage: dict[str, Any] = {"prompt_tokens": 1000, "completion_tokens": 10}
    priced = {"price": Price(2.0, 8.0, cached=0.5)}
    for cached, cost in [(600, 400 * 2 + 600 * 0.5 + 80), (0, 2080), (-5, 2080), (1001, 2080), ("9", 2080)]:
        said = Said("x", usage=usage | {"prompt_tokens_details": {"cached_tokens": cached}})
        reply = await ask(lambda _, said=said: said, **priced)
        assert reply.cost == pytest.approx(cost / 1e6)
        assert (reply.tokens_in, reply.tokens_estimated) == (1000, False)
    for details in (None, [], {}, {"cached_tokens": None}):
        said = Said("x", usage=usage | {"prompt_tokens_details": details})
        assert (await ask(lambda _, said=said: said, **priced)).cost == pytest.approx(2080 / 1e6)


async def test_our_own_llama_costs_nothing() -> None:
    assert (await ask(lambda _: "x", price=FREE)).cost == 0.0


@pytest.mark.parametrize(
    "usage",
    [None, {}, {"prompt_tokens": 5}, {"prompt_tokens": -5, "completion_tokens": 2}, {"prompt_tokens": "5"}],
)
async def test_usage_that_is_missing_or_wrong_is_estimated_and_flagged(usage: Any) -> None:
    reply = await ask(lambda _: Said("a" * 40, usage=usage))
    assert reply.tokens_estimated
    assert (reply.tokens_in, reply.tokens_out) == (len("Be brief.Hello") // 4 + 1, 11)


async def test_a_think_block_goes_to_reasoning() -> None:
    reply = await ask(lambda _: "<think>they greet me</think>\nHello!")
    assert (reply.text, reply.reasoning) == ("Hello!", "they greet me")


async def test_reasoning_content_goes_to_reasoning() -> None:
    reply = await ask(lambda _: Said("Hello!", reasoning="they greet me"))
    assert (reply.text, reply.reasoning) == ("Hello!", "they greet me")
    reply = await ask(lambda _: saying(content="Hello!", reasoning="by another name"))
    assert (reply.text, reply.reasoning) == ("Hello!", "by another name")


async def test_a_refusal_is_read_as_what_was_said() -> None:
    reply = await ask(lambda _: saying(content=None, refusal="I would rather not."))
    assert (reply.text, reply.stop) == ("I would rather not.", "refusal")


async def test_an_empty_text_is_an_answer() -> None:
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
    reply = await ask(lambda _: Said(said, reasoning=said, version=said))
    assert (reply.text, reply.reasoning, reply.version) == (heard, heard, heard)
    assert clean(heard) == heard


async def test_the_stop_reason_is_cleaned_too() -> None:
    reply = await ask(lambda _: Said("x", stop="a\ud800b"))
    storable = reply.stop == clean(reply.stop)
    assert storable  # by itself: no report of a test can hold a lone surrogate either


async def test_a_usage_that_no_store_can_hold_is_estimated() -> None:
    reply = await ask(lambda _: Said("x", usage={"prompt_tokens": 10**30, "completion_tokens": 1}))
    assert reply.tokens_estimated


# Answers that are none


@pytest.mark.parametrize(
    "answer",
    [
        Said(None),
        saying(),
        saying(content=3),
        saying(content=["parts"]),
        Fault("empty_choices"),
        Fault("truncated"),
        Fault("html"),
        Fault("not_utf8"),
        Fault("raw", 200, body=b"null"),
        Fault("raw", 200, body=b"[]"),
        Fault("raw", 200, body=b'{"choices": {}}'),
        Fault("raw", 200, body=b'{"choices": [null]}'),
        Fault("raw", 200, body=b'{"choices": [{"message": null}]}'),
        Fault("raw", 200, body=b"[" * 100_000),
        Fault("status", 204, body=b""),
    ],
    ids=repr,
)
async def test_an_answer_out_of_form_is_malformed_and_kept(answer: Any) -> None:
    failure = await failing(lambda _: answer)
    assert failure.cause == "malformed"
    assert failure.raw or answer.status == 204


# What is not supported


async def test_response_format_that_is_refused_is_left_out_from_then_on() -> None:
    seen: list[Asked] = []
    loopback = Loopback(lambda asked: seen.append(asked) or "plain", schemas=False)
    async with loopback as url:
        model = OpenAICompatible("mine", "m", Endpoint(url))
        with pytest.raises(CallFailed) as raised:
            await model.reply(replace(REQUEST, schema=SCHEMA))
        assert raised.value.cause == "unsupported"
        assert (await model.reply(replace(REQUEST, schema=SCHEMA))).text == "plain"
        await model.close()
    assert loopback.calls == 2
    assert "response_format" not in seen[0].body


@pytest.mark.parametrize(
    "words",
    [
        "context too long",
        "context_length_exceeded: 9000 tokens (8000 in the messages, 1000 in the response_format)",
        "This model's maximum context length is 8192 tokens, 500 of which are the schema",
        "temperature must be lower",
    ],
)
async def test_a_400_about_something_else_is_rejected_though_a_schema_was_sent(words: str) -> None:
    failure = await failing(lambda _: error(400, words), replace(REQUEST, schema=SCHEMA))
    assert failure.cause == "rejected"


async def test_a_400_about_schemas_is_rejected_where_none_was_sent() -> None:
    assert (await failing(lambda _: error(400, "no such schema"))).cause == "rejected"
    without = await failing(lambda _: error(400, "schema"), replace(REQUEST, schema=SCHEMA), schemas=False)
    assert without.cause == "rejected"


# OpenAI itself


async def test_openai_itself_is_asked_in_its_own_words() -> None:
    model = OpenAICompatible("mine", "m", Endpoint(OPENAI, key=KEY))
    assert model._body(REQUEST, False)["max_completion_tokens"] == 20
    assert_hidden(repr(vars(model)))


async def test_openai_itself_needs_a_key() -> None:
    with pytest.raises(Mistake, match="mine needs a key: set OPENAI_API_KEY, or name another place with"):
        await OpenAICompatible("mine", "m", Endpoint(OPENAI)).check()


def test_it_forgets_and_knows_all_settings() -> None:
    model = OpenAICompatible("mine", "m", Endpoint("http://127.0.0.1:1/v1"))
    assert (model.endpoint, model.remembers, model.ignores) == ("http://127.0.0.1:1/v1", False, frozenset())
