"""A key goes to its endpoint and nowhere else, whatever the endpoint does with it."""

import json
import re

import pytest

from interplay.core.failures import Mistake
from interplay.models.loopback import Fault, Loopback
from interplay.models.posting import KEPT_OF_A_HUGE_REPLY, Endpoint
from tests.models.asking import KEY, PROVIDERS, Provider, assert_hidden, spelled

CUT = re.compile(rb"\n\[cut: (\d+) bytes in all, sha256 ([0-9a-f]{64})\]$")


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> Provider:
    return Provider(request.param)


async def test_the_key_is_sent_as_the_endpoint_wants_it(provider: Provider) -> None:
    reply = await provider.ask(lambda _: "let in", server={"keys": frozenset({KEY})})
    assert reply.text == "let in"
    assert (await provider.fail(lambda _: "", server={"keys": frozenset({"another"})})).cause == "key"


@pytest.mark.parametrize("way", spelled())
async def test_a_key_that_is_repeated_in_an_answer_goes_no_further(provider: Provider, way: str) -> None:
    body = provider.body(f"<think>{spelled()[way]}</think>It is '{spelled()[way]}', you know.")
    reply = await provider.ask(lambda _: Fault("raw", 200, body=body))
    assert "[key]" in reply.text
    assert reply.text.endswith("', you know.")  # and what stands around it is as it was
    assert "[key]" in reply.reasoning
    assert b"[key]" in reply.raw


@pytest.mark.parametrize("way", spelled())
@pytest.mark.parametrize("status", [200, 401, 500])
async def test_a_key_that_is_repeated_in_an_error_goes_no_further(
    provider: Provider, status: int, way: str
) -> None:
    body = json.dumps({"error": "no such key: @@"}).replace("@@", spelled()[way]).encode()
    failure = await provider.fail(lambda _: Fault("raw", status, body=body))
    assert b"no such key: [key]" in failure.raw or way.startswith("base64 of")
    assert status == 200 or "no such key: " in failure.detail


@pytest.mark.parametrize("way", ["plain", "URL", "base64", "JSON"])
@pytest.mark.parametrize("size", [2_000_000, 9_000_000])
async def test_a_key_where_an_answer_is_cut_goes_no_further(provider: Provider, way: str, size: int) -> None:
    for inside in (1, 8, 15):
        start = b"a" * (KEPT_OF_A_HUGE_REPLY - inside) + spelled()[way].encode()
        fault = Fault("raw", 200, body=start.ljust(size, b"a"))
        failure = await provider.fail(lambda _, fault=fault: fault)
        assert_hidden(failure.raw)
        assert spelled()[way][:inside].encode() + b"\n[cut" not in failure.raw
        assert CUT.search(failure.raw)


@pytest.mark.parametrize("way", ["plain", "base64"])
async def test_the_beginning_of_a_key_in_an_answer_that_broke_off_goes_no_further(
    provider: Provider, way: str
) -> None:
    spelling = spelled()[way].rstrip("=")
    for length in range(4, len(spelling)):
        body = b"as you sent: " + spelling[:length].encode()
        failure = await provider.fail(lambda _, body=body: Fault("wrong_length", body=body))
        assert failure.raw.startswith(b"as you sent: ")
        assert spelling[:4].encode() not in failure.raw


@pytest.mark.parametrize("key", ["x", "none", "EMPTY"])
async def test_a_word_that_stands_for_no_key_changes_no_answer(provider: Provider, key: str) -> None:
    said = "EMPTY, none, x: boxes"
    assert (await provider.ask(lambda _: said, key=key)).text == said


async def test_utf_16_is_not_read(provider: Provider) -> None:
    # json would read it, and a key in it would not be found.
    body = provider.body(f"It is {KEY}").decode().encode("utf-16")
    failure = await provider.fail(lambda _: Fault("raw", 200, body=body))
    assert (failure.cause, failure.detail) == ("malformed", "the answer is not JSON")
    error = json.dumps({"error": KEY}).encode("utf-16")
    assert (await provider.fail(lambda _: Fault("raw", 401, body=error))).detail == "HTTP 401"


async def test_a_byte_order_mark_is_no_obstacle(provider: Provider) -> None:
    body = b"\xef\xbb\xbf" + provider.body("read")
    assert (await provider.ask(lambda _: Fault("raw", 200, body=body))).text == "read"


def test_a_model_s_own_description_does_not_hold_its_key(provider: Provider) -> None:
    model = provider.connect("http://127.0.0.1:1/v1")
    assert_hidden(repr(vars(model)))
    assert_hidden(repr(Endpoint("http://127.0.0.1:1/v1", KEY)))


@pytest.mark.parametrize(
    "key", [KEY + "\n", " " + KEY, "two words", "schlüssel-lang", "back\\slash", KEY + "\udc80"]
)
async def test_check_refuses_a_key_that_no_header_can_hold(provider: Provider, key: str) -> None:
    async with Loopback() as url:
        with pytest.raises(Mistake, match="its key holds a space, a line break or") as raised:
            await provider.connect(url, key=key).check()
    assert key.strip() not in str(raised.value)


@pytest.mark.parametrize("key", [KEY + "\n", KEY + "\r\nX-Other: 1"])
async def test_a_key_that_no_header_can_hold_is_not_sent_even_unchecked(provider: Provider, key: str) -> None:
    failure = await provider.fail(lambda _: "sent", key=key)
    assert failure.cause == "connection"
