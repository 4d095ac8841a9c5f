"""The client of OpenAI-shaped endpoints, against a loopback server that misbehaves in every known way."""

import asyncio
import json
import socket
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from interplay.core.failures import Mistake
from interplay.core.wire import Message, Reply, Request, Sampling, Thread
from interplay.models.calling import HOPELESS, RETRIED, CallFailed
from interplay.models.loopback import Asked, Fault, Loopback, Said, Script
from interplay.models.openai_compatible import (
    KEPT_OF_A_HUGE_REPLY,
    OPENAI,
    Endpoint,
    OpenAICompatible,
    Patience,
    clean,
    merge_system,
    strict_subset,
)

KEY = "sk-canary-8f3a"
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 9},
        "all": {"type": "array", "items": {"minLength": 1}},
    },
    "required": ["text"],
}
BRIEF = Thread.start(Message("system", "Be brief."))
REQUEST = Request("mine", BRIEF.then("user", "Hello"), Sampling(temperature=0.5, max_tokens=20))
IMPATIENT = Patience(connect=2, first_byte=0.3, idle=0.3, total=1.0)


async def ask(
    script: Script, request: Request = REQUEST, *, server: Mapping[str, Any] | None = None, **endpoint: Any
) -> Reply:
    """One reply of a model behind a loopback server with this script."""
    async with Loopback(script, **(server or {})) as url:
        model = OpenAICompatible("mine", "remote", Endpoint(base_url=url, key=KEY, **endpoint))
        try:
            reply = await model.reply(request)
        finally:
            await model.close()
    assert KEY not in repr(reply)
    return reply


async def failing(script: Script, request: Request = REQUEST, **more: Any) -> CallFailed:
    with pytest.raises(CallFailed) as raised:
        await ask(script, request, **more)
    failure = raised.value
    assert str(failure) == f"{failure.cause}: {failure.detail}"
    here: BaseException | None = failure
    while here is not None:
        assert KEY not in f"{here!r} {here}"
        here = here.__cause__ or here.__context__
    assert KEY.encode() not in failure.raw
    return failure


def saying(**message: Any) -> Fault:
    """An answer whose message is this."""
    body = {"model": "m", "choices": [{"message": message, "finish_reason": "stop"}]}
    return Fault("raw", 200, body=json.dumps(body).encode())


def error(status: int, message: str, code: str = "", **headers: str) -> Fault:
    body = json.dumps({"error": {"message": message, "code": code}}).encode()
    return Fault("status", status, headers, body)


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


async def test_the_key_is_sent_as_a_bearer() -> None:
    reply = await ask(lambda _: "let in", server={"keys": frozenset({KEY})})
    assert reply.text == "let in"


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
    assert SCHEMA["properties"]["text"]["maxLength"] == 9  # type: ignore[index]


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


async def test_our_own_llama_costs_nothing() -> None:
    assert (await ask(lambda _: "x", free=True)).cost == 0.0


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


async def test_a_huge_answer_is_given_up_on_and_its_beginning_kept() -> None:
    failure = await failing(lambda _: Fault("huge"))
    assert failure.cause == "malformed"
    assert len(failure.raw) == KEPT_OF_A_HUGE_REPLY
    assert "hash" in failure.detail


async def test_a_large_answer_is_read_and_its_beginning_kept() -> None:
    reply = await ask(lambda _: "a" * 2_000_000)
    assert (len(reply.text), len(reply.raw)) == (2_000_000, KEPT_OF_A_HUGE_REPLY)


@pytest.mark.parametrize("kind", ["reset", "wrong_length"])
async def test_a_broken_connection_has_a_name(kind: Any) -> None:
    assert (await failing(lambda _: Fault(kind))).cause == "connection"


@pytest.mark.parametrize("kind", ["hang", "drip"])
async def test_an_endpoint_that_never_comes_to_an_end_is_left(kind: Any) -> None:
    started = time.monotonic()
    failure = await failing(lambda _: Fault(kind, seconds=30), patience=IMPATIENT)
    assert failure.cause == "timeout"
    assert time.monotonic() - started < IMPATIENT.total + 5


async def test_dripping_bytes_do_not_outlast_the_whole() -> None:
    drops = replace(IMPATIENT, first_byte=20, idle=20, total=1.5)
    assert (await failing(lambda _: Fault("drip", seconds=30), patience=drops)).cause == "timeout"


async def test_nothing_listening_is_a_failed_connection() -> None:
    model = OpenAICompatible("mine", "m", Endpoint(f"http://127.0.0.1:{free_port()}/v1", key=KEY))
    with pytest.raises(CallFailed, match="connection: Connection refused"):
        await model.reply(REQUEST)
    await model.close()


# Statuses


@pytest.mark.parametrize(
    "status, cause",
    [
        (400, "rejected"),
        (401, "key"),
        (402, "key"),
        (403, "key"),
        (404, "not found"),
        (408, "server"),
        (413, "rejected"),
        (422, "rejected"),
        (429, "rate limit"),
        (500, "server"),
        (502, "server"),
        (503, "server"),
        (529, "server"),
    ],
)
async def test_every_status_has_a_cause(status: int, cause: str) -> None:
    failure = await failing(lambda _: error(status, "so it is"))
    assert failure.cause == cause
    assert failure.detail == f"HTTP {status}, so it is"
    assert b"so it is" in failure.raw
    assert (failure.cause in RETRIED) == (status in (408, 429, 500, 502, 503, 529))
    assert (failure.cause in HOPELESS) == (status in (401, 402, 403, 404))


async def test_a_spent_quota_is_hopeless() -> None:
    failure = await failing(lambda _: error(429, "You exceeded your quota", "insufficient_quota"))
    assert failure.cause == "key"
    assert failure.cause in HOPELESS


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>no</html>", b'{"error": []}', b'{"detail": [1]}', b'["error"]', b"\xff", b"[" * 99999],
)
async def test_an_error_without_words_is_still_classified(body: bytes) -> None:
    failure = await failing(lambda _: Fault("raw", 503, body=body))
    assert (failure.cause, failure.detail) == ("server", "HTTP 503")


@pytest.mark.parametrize("name", ["error", "detail", "message"])
async def test_an_error_that_is_plain_text_is_told_in_its_words(name: str) -> None:
    failure = await failing(lambda _: Fault("raw", 503, body=json.dumps({name: "plain"}).encode()))
    assert (failure.cause, failure.detail) == ("server", "HTTP 503, plain")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    elsewhere = Loopback(lambda _: "followed")
    async with elsewhere as url:
        away = {"Location": url + "/chat/completions"}
        failure = await failing(lambda _: Fault("status", status, away, b"{}"))
    assert (failure.cause, failure.detail) == ("malformed", f"HTTP {status}")
    assert elsewhere.calls == 0


async def test_the_words_of_an_error_are_cleaned_and_cut() -> None:
    failure = await failing(lambda _: error(500, "\ud800\0" + "x" * 10_000))
    assert failure.detail.startswith("HTTP 500, ?\ufffdxx")
    assert len(failure.detail) < 400


@pytest.mark.parametrize(
    "header, low, high",
    [("1", 1, 1), ("0.5", 0.5, 0.5), ("1e9", 60, 60), ("10", 10, 10), ("1000000000", 60, 60)],
)
async def test_retry_after_is_read_and_kept_within_reason(header: str, low: float, high: float) -> None:
    failure = await failing(lambda _: error(429, "slow down", **{"Retry-After": header}))
    assert failure.after is not None
    assert low <= failure.after <= high


async def test_retry_after_may_be_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    failure = await failing(lambda _: error(429, "slow down", **{"Retry-After": later}))
    assert failure.after is not None
    assert 1 < failure.after <= 30


@pytest.mark.parametrize("header", ["-5", "abc", "nan", "", "Mon, 01 Jan 2024 00:00:00 GMT"])
async def test_a_retry_after_without_sense_is_passed_over(header: str) -> None:
    failure = await failing(lambda _: error(429, "slow down", **{"Retry-After": header}))
    assert (failure.cause, failure.after) == ("rate limit", None)


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


async def test_a_400_about_something_else_is_rejected_though_a_schema_was_sent() -> None:
    failure = await failing(lambda _: error(400, "context too long"), replace(REQUEST, schema=SCHEMA))
    assert failure.cause == "rejected"


# Keys


async def test_a_key_that_the_endpoint_repeats_is_not_repeated_by_us() -> None:
    failure = await failing(lambda _: error(401, f"Incorrect API key provided: {KEY}"))
    assert failure.cause == "key"


async def test_a_key_with_a_newline_is_a_mistake_or_a_named_failure() -> None:
    async with Loopback() as url:
        model = OpenAICompatible("mine", "m", Endpoint(url, key=KEY + "\n"))
        try:
            await model.check()
            await model.reply(REQUEST)
        except (Mistake, CallFailed):
            pass
        finally:
            await model.close()


# check


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def test_check_is_content_with_what_listens_and_calls_no_model() -> None:
    loopback = Loopback()
    async with loopback as url:
        assert await OpenAICompatible("mine", "m", Endpoint(url)).check() is None
        await asyncio.sleep(0.05)
    assert loopback.calls == 0


@pytest.mark.parametrize(
    "base_url, words",
    [
        ("", "is no base URL"),
        ("127.0.0.1:8000/v1", "is no base URL"),
        ("ftp://127.0.0.1/v1", "is no base URL"),
        ("http:///v1", "is no base URL"),
        (OPENAI, "OPENAI_API_KEY"),
    ],
)
async def test_check_refuses_what_cannot_work(base_url: str, words: str) -> None:
    with pytest.raises(Mistake, match=words):
        await OpenAICompatible("mine", "m", Endpoint(base_url)).check()


async def test_check_says_where_nothing_listens() -> None:
    port = free_port()
    with pytest.raises(Mistake, match=f"127.0.0.1:{port}.*Connection refused") as raised:
        await OpenAICompatible("mine", "m", Endpoint(f"http://127.0.0.1:{port}/v1", key=KEY)).check()
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    "base_url", ["http://127.0.0.1:99999/v1", "http://127.0.0.1:port/v1", "http://[::1/v1"]
)
async def test_check_refuses_a_base_url_that_cannot_be_read(base_url: str) -> None:
    with pytest.raises(Mistake):
        await OpenAICompatible("mine", "m", Endpoint(base_url)).check()


async def test_openai_itself_is_asked_in_its_own_words() -> None:
    model = OpenAICompatible("mine", "m", Endpoint(key=KEY))
    assert model._body(REQUEST, False)["max_completion_tokens"] == 20
    assert KEY not in repr(vars(model) | {"_at": None})


async def test_a_closed_model_can_be_closed_again() -> None:
    model = OpenAICompatible("mine", "m", Endpoint())
    await model.close()
    await model.close()
    assert model.most_connections is None
