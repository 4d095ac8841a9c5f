"""Every fault of the loopback provider, in every shape it speaks, asked over real HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, get_args, get_type_hints

import aiohttp
import pytest

from interplay.models.loopback import Fault, Loopback

BODIES: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"model": "m", "messages": [{"role": "user", "content": "Hello there"}]},
    "/v1/messages": {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello there"}]},
    "/bot": {"text": "Hello there"},
}
SPOILED = "A fault stood in for this answer."
KINDS = get_args(get_type_hints(Fault)["kind"])
BROKEN = {"reset", "hang", "drip", "wrong_length"}


@pytest.fixture(params=BODIES)
def path(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=20)) as session:
        yield session


def at(url: str, path: str) -> str:
    return url.removesuffix("/v1") + path


async def spoiled(client: aiohttp.ClientSession, path: str, fault: Fault) -> tuple[int, bytes, Any, Loopback]:
    loopback = Loopback(lambda _: fault)
    async with loopback as url, client.post(at(url, path), json=BODIES[path]) as response:
        return response.status, await response.read(), response.headers, loopback


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not true():  # noqa: ASYNC110 - the ledger has no event to wait for
            await asyncio.sleep(0.005)


def kinds(loopback: Loopback) -> list[str]:
    return [event.kind for event in loopback.events]


def text_in(path: str, body: bytes) -> Any:
    """What an answer says, where its shape has that."""
    answer = json.loads(body)
    match path:
        case "/v1/chat/completions":
            return answer["choices"][0]["message"]["content"]
        case "/v1/messages":
            return answer["content"][0]["text"] if answer["content"] else answer["content"]
        case _:
            return answer["text"]


@pytest.mark.parametrize("kind", KINDS)
async def test_every_fault_is_sent_whole_or_ends_the_connection(
    client: aiohttp.ClientSession, path: str, kind: Any
) -> None:
    loopback = Loopback(lambda _: Fault(kind, seconds=0.05))
    async with loopback as url:
        try:
            async with client.post(at(url, path), json=BODIES[path]) as response:
                await response.read()
        except aiohttp.ClientError:
            assert kind in BROKEN
            await until(lambda: kinds(loopback) == ["request", "dropped"])
        else:
            assert kind not in BROKEN
            await until(lambda: kinds(loopback) == ["request", "reply"])


async def test_status(client: aiohttp.ClientSession, path: str) -> None:
    fault = Fault("status", status=429, headers={"Retry-After": "1"})
    status, body, headers, loopback = await spoiled(client, path, fault)
    assert (status, headers["Retry-After"], headers["Content-Type"]) == (429, "1", "application/json")
    error = json.loads(body)["error"]
    assert path == "/bot" or error["type"] == "rate_limit_error"
    assert "status 429" in (error if path == "/bot" else error["message"])
    assert [(event.kind, event.status) for event in loopback.events] == [("request", 0), ("reply", 429)]


@pytest.mark.parametrize(
    "status, kind",
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
        (500, "api_error"),
        (529, "overloaded_error"),
    ],
)
async def test_status_in_anthropic_s_words(client: aiohttp.ClientSession, status: int, kind: str) -> None:
    _, body, _, _ = await spoiled(client, "/v1/messages", Fault("status", status=status))
    answer = json.loads(body)
    assert (answer["type"], answer["error"]["type"]) == ("error", kind)


async def test_status_with_a_body(client: aiohttp.ClientSession, path: str) -> None:
    status, body, _, _ = await spoiled(client, path, Fault("status", status=503, body=b"busy"))
    assert (status, body) == (503, b"busy")


async def test_raw(client: aiohttp.ClientSession, path: str) -> None:
    fault = Fault("raw", status=200, headers={"content-type": "text/plain", "X-Odd": "1"}, body=b"\0odd")
    status, body, headers, _ = await spoiled(client, path, fault)
    assert (status, body) == (200, b"\0odd")
    assert (headers.getall("Content-Type"), headers["X-Odd"]) == (["text/plain"], "1")


async def test_truncated(client: aiohttp.ClientSession, path: str) -> None:
    status, body, headers, _ = await spoiled(client, path, Fault("truncated"))
    assert (status, headers["Content-Length"]) == (200, str(len(body)))
    assert body.startswith(b'{"')
    with pytest.raises(json.JSONDecodeError):
        json.loads(body)


async def test_html(client: aiohttp.ClientSession, path: str) -> None:
    status, body, headers, _ = await spoiled(client, path, Fault("html"))
    assert status == 200
    assert headers["Content-Type"].startswith("text/html")
    assert b"<html>" in body


async def test_empty_choices(client: aiohttp.ClientSession, path: str) -> None:
    status, body, _, _ = await spoiled(client, path, Fault("empty_choices"))
    answer = json.loads(body)
    assert status == 200
    assert SPOILED.encode() not in body
    if path == "/v1/chat/completions":
        assert answer["choices"] == []
    else:
        assert not {"content", "text"} & answer.keys()


async def test_null_content(client: aiohttp.ClientSession, path: str) -> None:
    status, body, _, _ = await spoiled(client, path, Fault("null_content"))
    assert (status, text_in(path, body)) == (200, None)


@pytest.mark.parametrize("kind", ["missing_usage", "negative_usage"])
async def test_usage(client: aiohttp.ClientSession, path: str, kind: Any) -> None:
    _, body, _, _ = await spoiled(client, path, Fault(kind))
    assert text_in(path, body) == SPOILED
    usage = json.loads(body).get("usage")
    if kind == "missing_usage" or path == "/bot":
        assert usage is None
    else:
        assert usage.keys() == (
            {"input_tokens", "output_tokens"}
            if path == "/v1/messages"
            else {"prompt_tokens", "completion_tokens"}
        )
        assert all(count < 0 for count in usage.values())


async def test_not_utf8(client: aiohttp.ClientSession, path: str) -> None:
    status, body, _, _ = await spoiled(client, path, Fault("not_utf8"))
    assert status == 200
    with pytest.raises(UnicodeDecodeError):
        body.decode()
    assert text_in(path, body.decode(errors="replace").encode()).startswith("caf")


@pytest.mark.parametrize(
    "kind, found, escaped",
    [("nul", "\0", b"\\u0000"), ("surrogate", "\ud800", b"\\ud800"), ("bidi", "\u202e", b"\\u202e")],
)
async def test_awkward_characters(
    client: aiohttp.ClientSession, path: str, kind: Any, found: str, escaped: bytes
) -> None:
    _, body, _, _ = await spoiled(client, path, Fault(kind))
    assert escaped in body
    there = found in text_in(path, body)
    assert there  # by itself: no report of a test can hold a lone surrogate


async def test_a_body_replaces_the_usual_one(client: aiohttp.ClientSession, path: str) -> None:
    for kind in ("html", "empty_choices", "null_content", "nul", "huge"):
        _, body, _, _ = await spoiled(client, path, Fault(kind, body=b"mine"))  # type: ignore[arg-type]
        assert body == b"mine"
    assert (await spoiled(client, path, Fault("truncated", body=b"mine")))[1] == b"mi"


async def test_huge(client: aiohttp.ClientSession, path: str) -> None:
    status, body, _, loopback = await spoiled(client, path, Fault("huge"))
    assert (status, len(text_in(path, body))) == (200, 30_000_000)
    assert kinds(loopback) == ["request", "reply"]


async def test_huge_is_dropped_when_nobody_reads_it(client: aiohttp.ClientSession, path: str) -> None:
    loopback = Loopback(lambda _: Fault("huge"))
    async with loopback as url:
        response = await client.post(at(url, path), json=BODIES[path])
        assert kinds(loopback) == ["request"]
        response.close()
        await until(lambda: kinds(loopback) == ["request", "dropped"])


async def test_reset_is_a_real_reset(path: str) -> None:
    loopback = Loopback(lambda _: Fault("reset"))
    async with loopback as url:
        port = int(url.split(":")[2].removesuffix("/v1"))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = json.dumps(BODIES[path]).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        with pytest.raises(ConnectionResetError):
            await reader.read()
        writer.close()
    assert kinds(loopback) == ["request", "dropped"]


async def test_wrong_length(client: aiohttp.ClientSession, path: str) -> None:
    loopback = Loopback(lambda _: Fault("wrong_length"))
    async with loopback as url:
        response = await client.post(at(url, path), json=BODIES[path])
        assert response.status == 200
        with pytest.raises(aiohttp.ClientPayloadError):
            await response.read()
    assert kinds(loopback) == ["request", "dropped"]


async def test_hang_until_its_seconds_are_over(client: aiohttp.ClientSession, path: str) -> None:
    loopback = Loopback(lambda _: Fault("hang", seconds=0.05))
    async with loopback as url:
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await client.post(at(url, path), json=BODIES[path])
    assert kinds(loopback) == ["request", "dropped"]


async def test_a_client_that_gives_up_is_dropped(client: aiohttp.ClientSession, path: str) -> None:
    loopback = Loopback(lambda _: Fault("hang"))
    async with loopback as url:
        waiting = asyncio.ensure_future(client.post(at(url, path), json=BODIES[path]))
        await until(lambda: loopback.calls == 1)
        waiting.cancel()
        await until(lambda: kinds(loopback) == ["request", "dropped"])
        async with client.get(f"{url}/ledger") as response:
            assert (await response.json())["in_flight"] == 0


async def test_drip_sends_headers_and_single_bytes(client: aiohttp.ClientSession, path: str) -> None:
    loopback = Loopback(lambda _: Fault("drip"))
    async with loopback as url:
        response = await client.post(at(url, path), json=BODIES[path])
        assert response.status == 200
        assert 0 < len(await response.content.readany()) < 20
        assert 0 < len(await response.content.readany()) < 20
        response.close()
        await until(lambda: kinds(loopback) == ["request", "dropped"])


async def test_drip_ends_after_its_seconds_or_its_body(client: aiohttp.ClientSession, path: str) -> None:
    faults = iter([Fault("drip", seconds=0.05), Fault("drip", body=b"{")])
    loopback = Loopback(lambda _: next(faults))
    async with loopback as url:
        with pytest.raises(aiohttp.ClientPayloadError):
            async with client.post(at(url, path), json=BODIES[path]) as response:
                await response.read()
        async with client.post(at(url, path), json=BODIES[path]) as response:
            assert await response.read() == b"{"
        await until(lambda: kinds(loopback) == ["request", "dropped", "request", "reply"])
