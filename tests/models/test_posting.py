"""What holds of every model behind HTTP, against a server that misbehaves in every known way."""

import asyncio
import hashlib
import json
import re
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, get_args, get_type_hints

import pytest
from aiohttp import web

from interplay.core.failures import Mistake
from interplay.core.wire import clean
from interplay.models.calling import HOPELESS, RETRIED, CallFailed
from interplay.models.loopback import Fault, Loopback
from interplay.models.posting import KEPT_OF_A_HUGE_REPLY, LARGEST_READ, Patience, Usage, is_count, usage_of
from interplay.models.prices import Price
from tests.models.asking import (
    IMPATIENT,
    PROVIDERS,
    REQUEST,
    Provider,
    assert_hidden,
    assert_tight,
    free_port,
)

CUT = re.compile(rb"\n\[cut: (\d+) bytes in all, sha256 ([0-9a-f]{64})\]$")
ESTIMATED_IN = len("Be brief.Hello") // 4 + 1
CAUSES = {
    "status": "server",
    "reset": "connection",
    "hang": "timeout",
    "drip": "timeout",
    "truncated": "malformed",
    "html": "malformed",
    "wrong_length": "connection",
    "empty_choices": "malformed",
    "null_content": "malformed",
    "not_utf8": "malformed",
    "huge": "malformed",
    "raw": "server",
}
SAID = {
    "missing_usage": "A fault stood in for this answer.",
    "negative_usage": "A fault stood in for this answer.",
    "nul": "before\ufffdafter",
    "surrogate": "before?after",
    "bidi": "before\u202eretfa\u202c \u2066after\u2069",
}


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> Provider:
    return Provider(request.param)


# Faults


def test_every_fault_is_told_of_below() -> None:
    assert set(get_args(get_type_hints(Fault)["kind"])) == CAUSES.keys() | SAID.keys()


@pytest.mark.parametrize("kind", CAUSES)
async def test_a_fault_that_leaves_no_answer_has_a_cause_and_its_bytes_are_kept(
    provider: Provider, kind: Any
) -> None:
    started = time.monotonic()
    fault = Fault(kind, body=b"odd" if kind == "raw" else b"", seconds=30)
    # much is not slow: it must be read to its end on a busy machine too
    patience = Patience() if kind == "huge" else replace(IMPATIENT, total=3.0)
    failure = await provider.fail(lambda _: fault, patience=patience)
    assert failure.cause == CAUSES[kind]
    assert failure.cause in RETRIED
    assert bool(failure.raw) == (kind not in ("reset", "hang"))
    assert time.monotonic() - started < patience.total + 2


@pytest.mark.parametrize("kind", SAID)
async def test_a_fault_that_leaves_an_answer_is_read(provider: Provider, kind: Any) -> None:
    reply = await provider.ask(lambda _: Fault(kind))
    assert reply.text == SAID[kind] == clean(reply.text)
    assert reply.tokens_estimated == (kind.endswith("usage") or provider.name == "bot")
    if reply.tokens_estimated:
        assert (reply.tokens_in, reply.tokens_out) == (ESTIMATED_IN, len(reply.text) // 4 + 1)
    assert reply.raw


async def test_dripping_bytes_do_not_outlast_the_whole(provider: Provider) -> None:
    drops = replace(IMPATIENT, first_byte=20, idle=20, total=1.5)
    failure = await provider.fail(lambda _: Fault("drip", seconds=30), patience=drops)
    assert (failure.cause, failure.detail) == ("timeout", "no answer within the limit")
    assert failure.raw  # the bytes that came


@pytest.mark.parametrize("kind, limit, came", [("hang", "first_byte", 0), ("drip", "idle", 1)])
async def test_an_answer_that_does_not_come_on_is_left_before_the_whole_is_over(
    provider: Provider, kind: Any, limit: str, came: int
) -> None:
    started = time.monotonic()
    patient = replace(IMPATIENT, first_byte=20, idle=20, total=20)
    failure = await provider.fail(
        lambda _: Fault(kind, seconds=30), patience=replace(patient, **{limit: 0.3})
    )
    assert (failure.cause, len(failure.raw)) == ("timeout", came)
    assert time.monotonic() - started < 10


async def test_an_answer_that_broke_off_is_kept_as_far_as_it_came(provider: Provider) -> None:
    failure = await provider.fail(lambda _: Fault("wrong_length", body=b"so far"))
    assert (failure.detail, failure.raw) == ("the answer broke off", b"so far")


async def test_nothing_listening_is_a_failed_connection(provider: Provider) -> None:
    model = provider.connect(f"http://127.0.0.1:{free_port()}/v1")
    with pytest.raises(CallFailed, match="connection: Connection refused") as raised:
        await model.reply(REQUEST)
    assert_tight(raised.value)
    await model.close()


async def test_an_answer_that_is_no_http_tells_nobody_our_headers(provider: Provider) -> None:
    async def gibber(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HELLO, who is there?\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(gibber, "127.0.0.1", 0)
    async with server:
        model = provider.connect(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        with pytest.raises(CallFailed) as raised:
            await model.reply(REQUEST)
        await model.close()
    assert (raised.value.cause, raised.value.detail) == ("malformed", "the answer is not HTTP")
    assert_tight(raised.value)


# Size


async def test_a_huge_answer_is_given_up_on_its_beginning_kept_and_the_whole_measured(
    provider: Provider,
) -> None:
    body = provider.body("a" * 30_000_000)
    failure = await provider.fail(lambda _: Fault("raw", 200, body=body))
    assert (failure.cause, failure.detail) == ("malformed", "the answer is larger than 8,000,000 bytes")
    found = CUT.search(failure.raw)
    assert found is not None
    assert failure.raw[: found.start()] == body[:KEPT_OF_A_HUGE_REPLY]
    assert int(found.group(1)) == len(body)
    assert found.group(2).decode() == hashlib.sha256(body).hexdigest()


async def test_a_large_answer_is_read_its_beginning_kept_and_the_whole_measured(provider: Provider) -> None:
    body = provider.body("a" * 2_000_000)
    reply = await provider.ask(lambda _: Fault("raw", 200, body=body))
    assert len(reply.text) == 2_000_000
    found = CUT.search(reply.raw)
    assert found is not None
    assert reply.raw[: found.start()] == body[:KEPT_OF_A_HUGE_REPLY]
    assert int(found.group(1)) == len(body)
    assert found.group(2).decode() == hashlib.sha256(body).hexdigest()


@pytest.mark.parametrize("more", [0, 1])
async def test_an_answer_is_kept_whole_up_to_the_limit(provider: Provider, more: int) -> None:
    text = "a" * (KEPT_OF_A_HUGE_REPLY - len(provider.body("")) + more)
    body = provider.body(text)
    reply = await provider.ask(lambda _: Fault("raw", 200, body=body))
    assert bool(CUT.search(reply.raw)) == bool(more)
    assert reply.raw.startswith(body[:KEPT_OF_A_HUGE_REPLY])


@pytest.mark.parametrize("more", [0, 1])
async def test_what_does_not_end_is_not_read_to_its_end(more: int) -> None:
    body = b"a" * (LARGEST_READ + more)
    failure = await Provider("openai").fail(lambda _: Fault("raw", 200, body=body))
    known = hashlib.sha256(body[:LARGEST_READ]).hexdigest()
    seen = f"more than {LARGEST_READ} bytes" if more else f"{LARGEST_READ} bytes in all"
    assert failure.raw.endswith(f"\n[cut: {seen}, sha256 {known}]".encode())


async def test_a_huge_answer_with_an_error_s_status_is_that_error(provider: Provider) -> None:
    failure = await provider.fail(lambda _: Fault("raw", 503, body=b"a" * 9_000_000))
    assert (failure.cause, failure.detail) == ("server", "HTTP 503")
    assert CUT.search(failure.raw)


# Statuses


@pytest.mark.parametrize(
    "status, cause",
    [
        (204, "malformed"),
        (400, "rejected"),
        (401, "key"),
        (402, "key"),
        (403, "key"),
        (404, "not found"),
        (405, "rejected"),
        (408, "server"),
        (413, "rejected"),
        (422, "rejected"),
        (425, "server"),
        (429, "rate limit"),
        (500, "server"),
        (502, "server"),
        (503, "server"),
        (529, "server"),
    ],
)
async def test_every_status_has_a_cause(provider: Provider, status: int, cause: str) -> None:
    failure = await provider.fail(lambda _: provider.error(status, "so it is"))
    assert failure.cause == cause
    if status != 204:  # a status without a body
        assert failure.detail.startswith(f"HTTP {status}, ")
        assert failure.detail.endswith("so it is")
        assert b"so it is" in failure.raw
    assert (failure.cause in RETRIED) == (status in (204, 408, 425, 429, 500, 502, 503, 529))
    assert (failure.cause in HOPELESS) == (status in (401, 402, 403, 404))


@pytest.mark.parametrize(
    "status, words",
    [(429, "insufficient_quota: You exceeded your quota"), (400, "Your credit balance is too low.")],
)
async def test_an_empty_account_is_hopeless(provider: Provider, status: int, words: str) -> None:
    failure = await provider.fail(lambda _: provider.error(status, words))
    assert failure.cause == "key"
    assert failure.cause in HOPELESS
    assert (await provider.fail(lambda _: provider.error(503, words))).cause == "server"


@pytest.mark.parametrize(
    "status, words, cause",
    [
        (403, "openai/x requires moderation and your input was flagged for 'violence'", "rejected"),
        (403, "Your request was flagged as against our usage policies", "rejected"),
        (403, "The prompt violates our content policy", "rejected"),
        (403, "Your account has been flagged", "key"),
        (403, "You have insufficient permissions for this operation", "key"),
        (401, "flagged", "key"),
        (400, "API key not valid. Please pass a valid API key.", "key"),
        (400, "API key expired. Please renew the API key.", "key"),
        (400, "The field 'api_key' is not known", "rejected"),
    ],
)
async def test_one_refused_request_says_nothing_of_the_key_and_a_bad_key_says_all(
    provider: Provider, status: int, words: str, cause: str
) -> None:
    failure = await provider.fail(lambda _: provider.error(status, words))
    assert failure.cause == cause
    assert (failure.cause in HOPELESS) == (cause == "key")


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>no</html>", b'{"error": []}', b'{"detail": [1]}', b'["error"]', b"\xff", b"[" * 99999],
)
async def test_an_error_without_words_is_still_classified(provider: Provider, body: bytes) -> None:
    failure = await provider.fail(lambda _: Fault("raw", 503, body=body))
    assert (failure.cause, failure.detail, failure.raw) == ("server", "HTTP 503", body)


@pytest.mark.parametrize("name", ["error", "detail", "message"])
async def test_an_error_that_is_plain_text_is_told_in_its_words(provider: Provider, name: str) -> None:
    failure = await provider.fail(lambda _: Fault("raw", 503, body=json.dumps({name: "plain"}).encode()))
    assert (failure.cause, failure.detail) == ("server", "HTTP 503, plain")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(provider: Provider, status: int) -> None:
    elsewhere = Loopback(lambda _: "followed")
    async with elsewhere as url:
        away = {"Location": url.removesuffix("/v1") + provider.path}
        failure = await provider.fail(lambda _: Fault("status", status, away, b"{}"))
    assert (failure.cause, failure.detail) == ("malformed", f"HTTP {status}")
    assert elsewhere.calls == 0


async def test_the_words_of_an_error_are_cleaned_and_cut(provider: Provider) -> None:
    failure = await provider.fail(lambda _: provider.error(500, "\ud800\0" + "x" * 10_000))
    assert "?\ufffdxx" in failure.detail
    assert len(failure.detail) < 400


@pytest.mark.parametrize(
    "header, low, high",
    [("1", 1, 1), ("0.5", 0.5, 0.5), ("1e9", 60, 60), ("10", 10, 10), ("1000000000", 60, 60)],
)
async def test_retry_after_is_read_and_kept_within_reason(
    provider: Provider, header: str, low: float, high: float
) -> None:
    failure = await provider.fail(lambda _: provider.error(429, "slow down", **{"Retry-After": header}))
    assert failure.after is not None
    assert low <= failure.after <= high


async def test_retry_after_may_be_a_date(provider: Provider) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    failure = await provider.fail(lambda _: provider.error(529, "overloaded", **{"retry-after": later}))
    assert failure.after is not None
    assert 1 < failure.after <= 30


@pytest.mark.parametrize("header", ["-5", "abc", "nan", "", "Mon, 01 Jan 2024 00:00:00 GMT"])
async def test_a_retry_after_without_sense_is_passed_over(provider: Provider, header: str) -> None:
    failure = await provider.fail(lambda _: provider.error(429, "slow down", **{"Retry-After": header}))
    assert (failure.cause, failure.after) == ("rate limit", None)


# Cookies


async def test_one_call_is_not_recognised_in_the_next(provider: Provider) -> None:
    seen: list[Any] = []

    async def answer(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Cookie"))
        return web.Response(body=provider.body("hi"), headers={"Set-Cookie": "session=1; Path=/"})

    app = web.Application()
    app.router.add_post(provider.path, answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    # By its name, because clients take no cookies from an address.
    model = provider.connect(f"http://localhost:{runner.addresses[0][1]}/v1")
    for _ in range(2):
        assert (await model.reply(REQUEST)).text == "hi"
    await model.close()
    await runner.cleanup()
    assert seen == [None, None]


# check and close


async def test_check_is_content_with_what_listens_and_calls_no_model(provider: Provider) -> None:
    loopback = Loopback()
    async with loopback as url:
        assert await provider.connect(url).check() is None
        assert await provider.connect(url, key="").check() is None
        await asyncio.sleep(0.05)
    assert loopback.calls == 0


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8000/v1",
        "ftp://127.0.0.1/v1",
        "http:///v1",
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1:port/v1",
        "http://[::1/v1",
    ],
)
async def test_check_refuses_what_is_no_url(provider: Provider, url: str) -> None:
    with pytest.raises(
        Mistake, match=r"^mine: '.*' is no (base )?URL; one is http://127.0.0.1:8000/"
    ) as raised:
        await provider.connect(url).check()
    assert ("base URL" in str(raised.value)) == (provider.name != "bot")


@pytest.mark.parametrize(
    "url",
    [
        "http://me:sesame@127.0.0.1:1/v1",
        "http://sesame@/v1",
        "ftp://sesame@h/v1",
        "http://me:sesame@127.0.0.1:99999/v1",
        "http://me:sesame@[::1/v1",
        "//me:sesame@127.0.0.1/v1",
    ],
)
async def test_check_refuses_a_password_in_a_url_without_repeating_it(provider: Provider, url: str) -> None:
    with pytest.raises(Mistake, match="holds a user or password") as raised:
        await provider.connect(url).check()
    assert "sesame" not in str(raised.value)


async def test_check_says_where_nothing_listens(provider: Provider) -> None:
    port = free_port()
    with pytest.raises(Mistake, match=f"127.0.0.1:{port}.*Connection refused.*is it running") as raised:
        await provider.connect(f"http://127.0.0.1:{port}/v1").check()
    assert_hidden(str(raised.value))


async def test_a_closed_model_can_be_closed_again_and_asked_again(provider: Provider) -> None:
    async with Loopback(lambda _: "still here") as url:
        model = provider.connect(url)
        await model.close()
        for _ in range(2):
            assert (await model.reply(REQUEST)).text == "still here"
            await model.close()
            await model.close()


# Tokens and money


def test_the_attributes_of_a_model(provider: Provider) -> None:
    plain = provider.connect("http://127.0.0.1:1/v1")
    assert (plain.name, plain.most_connections, plain.price) == ("mine", None, None)
    price = Price(1.0, 2.0)
    settled = provider.connect("http://127.0.0.1:1/v1", price=price, most_connections=3)
    assert (settled.most_connections, settled.price) == (3, price)


async def test_an_unknown_price_is_an_unknown_cost(provider: Provider) -> None:
    assert (await provider.ask(lambda _: "x")).cost is None
    assert (await provider.ask(lambda _: "x", price=Price(0.0, 0.0))).cost == 0.0


async def test_an_estimate_is_paid_for_like_a_count(provider: Provider) -> None:
    reply = await provider.ask(lambda _: Fault("missing_usage"), price=Price(1e6, 1e7))
    assert reply.cost == ESTIMATED_IN + 10 * (len(SAID["missing_usage"]) // 4 + 1)


@pytest.mark.parametrize("count", [-1, 1.0, True, "5", None, 10**9 + 1, float("nan")])
def test_a_count_without_sense_makes_an_estimate(count: Any) -> None:
    assert not is_count(count)
    estimate = Usage(ESTIMATED_IN, 3, 0, True)
    assert usage_of(count, 5, 0, REQUEST, "said it") == replace(estimate, tokens_out=2)
    assert usage_of(5, count, 0, REQUEST, "have said it") == replace(estimate, tokens_out=4)
    assert usage_of(5, 5, count, REQUEST, "") == Usage(5, 5, 0, False)


def test_no_more_can_come_from_the_cache_than_was_read() -> None:
    assert usage_of(5, 1, 5, REQUEST, "").cached == 5
    assert usage_of(5, 1, 6, REQUEST, "").cached == 0
