"""The loopback provider, asked over real HTTP."""

import asyncio
import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import interplay.models.loopback.server as server
from interplay.models.loopback import Asked, Event, Fault, Loopback, Said, Script, rehearse, serving

HELLO = [{"role": "user", "content": "Hello there"}]


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=20)) as session:
        yield session


def request(model: str = "m", **more: Any) -> dict[str, Any]:
    return {"model": model, "messages": HELLO, **more}


async def post(client: aiohttp.ClientSession, url: str, body: Any, key: str = "") -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with client.post(f"{url}/chat/completions", json=body, headers=headers) as response:
        return response.status, await response.json()


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not true():  # noqa: ASYNC110 - the ledger has no event to wait for
            await asyncio.sleep(0.005)


def kinds(loopback: Loopback) -> list[str]:
    return [event.kind for event in loopback.events]


# Answers


async def test_plain_text_comes_back_in_openai_s_shape(client: aiohttp.ClientSession) -> None:
    async with Loopback(lambda _: "Good morning") as url:
        status, reply = await post(client, url, request())
    assert status == 200
    assert reply.pop("created") > 0
    assert reply == {
        "id": "chatcmpl-loopback-1",
        "object": "chat.completion",
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Good morning"},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6},
    }


async def test_said_sets_every_field(client: aiohttp.ClientSession) -> None:
    said = Said(None, reasoning="hm", stop="length", version="m-2", usage={"prompt_tokens": -1})
    async with Loopback(lambda _: said) as url:
        _, reply = await post(client, url, request())
    choice = reply["choices"][0]
    assert choice["message"] == {"role": "assistant", "content": None, "reasoning_content": "hm"}
    assert choice["finish_reason"] == "length"
    assert reply["model"] == "m-2"
    assert reply["usage"] == {"prompt_tokens": -1}


@pytest.mark.parametrize("usage, sent", [(None, False), ({}, True)])
async def test_usage_is_left_out_or_sent_as_it_is(
    client: aiohttp.ClientSession, usage: dict[str, int] | None, sent: bool
) -> None:
    async with Loopback(lambda _: Said("x", usage=usage)) as url:
        _, reply = await post(client, url, request())
    assert ("usage" in reply) is sent
    assert reply.get("usage") == usage


async def test_awkward_text_survives(client: aiohttp.ClientSession) -> None:
    text = "nul \0 lone \ud800 bidi \u202e emoji 🙂"
    async with Loopback(lambda _: text) as url:
        _, reply = await post(client, url, request())
    assert reply["choices"][0]["message"]["content"] == text


async def test_parts_of_a_message_are_counted(client: aiohttp.ClientSession) -> None:
    parts = [{"type": "text", "text": "12345678"}, {"type": "image_url", "image_url": {"url": "x"}}]
    messages = [{"role": "user", "content": parts}, {"role": "assistant", "content": None}]
    async with Loopback(lambda _: "") as url:
        _, reply = await post(client, url, request(messages=messages))
    assert reply["usage"]["prompt_tokens"] == 2


async def test_scripts_by_model_and_what_they_see(client: aiohttp.ClientSession) -> None:
    seen: list[Asked] = []

    def note(asked: Asked) -> str:
        seen.append(asked)
        return "noted"

    schema = {"type": "object", "properties": {}}
    shaped = request("a", temperature=1, response_format={"json_schema": {"name": "s", "schema": schema}})
    loopback = Loopback({"a": note, "*": lambda asked: f"other {asked.model}"})
    async with loopback as url:
        _, other = await post(client, url, request("b"))
        await post(client, url, shaped)
        await post(client, url, request("a", response_format={"type": "json_object"}))
    assert other["choices"][0]["message"]["content"] == "other b"
    assert seen[0] == Asked("a", tuple(HELLO), shaped, 2, schema)
    assert seen[1].schema is None
    assert loopback.calls == 3
    assert loopback.calls_by_model() == {"b": 1, "a": 2}


async def test_other_routes(client: aiohttp.ClientSession) -> None:
    async with Loopback({"a": rehearse, "b": rehearse}) as url:
        await post(client, url, request("a"))
        async with client.get(f"{url}/models") as response:
            assert [model["id"] for model in (await response.json())["data"]] == ["a", "b"]
        async with client.get(f"{url}/ledger") as response:
            assert await response.json() == {"calls": 1, "by_model": {"a": 1}, "in_flight": 0}
        async with client.get(f"{url}/nothing") as response:
            assert response.status == 404
            assert "/v1/nothing" in (await response.json())["error"]["message"]
        async with client.get(f"{url}/chat/completions") as response:
            assert response.status == 404


# Refusals


@pytest.mark.parametrize(
    "body, param",
    [
        ([], None),
        (None, None),
        ({"messages": HELLO}, "model"),
        ({"model": 3, "messages": HELLO}, "model"),
        ({"model": "m"}, "messages"),
        ({"model": "m", "messages": []}, "messages"),
        ({"model": "m", "messages": ["hello"]}, "messages"),
        (request(stream=True), "stream"),
    ],
)
async def test_bad_requests_are_refused(client: aiohttp.ClientSession, body: Any, param: str | None) -> None:
    loopback = Loopback()
    async with loopback as url:
        status, reply = await post(client, url, body)
    assert status == 400
    assert reply["error"]["param"] == param
    assert reply["error"]["type"] == "invalid_request_error"
    assert [event.status for event in loopback.events] == [0, 400]


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe{", b'{"model": "m", "messages": "\xff"}', b"[" * 200_000]
)
async def test_bad_json_is_refused(client: aiohttp.ClientSession, raw: bytes) -> None:
    async with Loopback() as url, client.post(f"{url}/chat/completions", data=raw) as response:
        assert response.status == 400
        assert "JSON" in (await response.json())["error"]["message"]


async def test_only_known_keys_are_let_in(client: aiohttp.ClientSession) -> None:
    async with Loopback(keys=frozenset({"good"})) as url:
        assert (await post(client, url, request(), key="good"))[0] == 200
        for key in ("", "bad"):
            status, reply = await post(client, url, request(), key=key)
            assert (status, reply["error"]["code"]) == (401, "invalid_api_key")
        async with client.get(f"{url}/models") as response:
            assert response.status == 401


async def test_schemas_can_be_switched_off(client: aiohttp.ClientSession) -> None:
    async with Loopback(schemas=False) as url:
        assert (await post(client, url, request()))[0] == 200
        status, reply = await post(client, url, request(response_format={"type": "json_object"}))
    assert (status, reply["error"]["param"]) == (400, "response_format")
    assert "response_format" in reply["error"]["message"]


async def test_an_unknown_model_is_not_found(client: aiohttp.ClientSession) -> None:
    async with Loopback({"a": rehearse}) as url:
        status, reply = await post(client, url, request("b"))
    assert (status, reply["error"]["code"]) == (404, "model_not_found")


async def test_a_request_that_is_too_large_is_refused(
    client: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert server.LARGEST_REQUEST == 64 * 2**20
    monkeypatch.setattr(server, "LARGEST_REQUEST", 1000)
    loopback = Loopback()
    async with loopback as url:
        assert (await post(client, url, request(padding="x" * 2000)))[0] == 413
    assert loopback.calls == 0


async def test_it_listens_on_loopback_only() -> None:
    async with Loopback() as url:
        assert url.startswith("http://127.0.0.1:") and url.endswith("/v1")
        port = int(url.split(":")[2].removesuffix("/v1"))
        with socket.socket() as other, pytest.raises(OSError):
            other.connect(("127.0.0.2", port))


# Ending


async def test_stop_ends_at_once_with_hanging_connections(
    client: aiohttp.ClientSession, tmp_path: Path
) -> None:
    path = tmp_path / "ledger.jsonl"
    loopback = Loopback(lambda _: Fault("hang"), ledger=path)
    url = await loopback.start()
    waiting = [asyncio.create_task(post(client, url, request())) for _ in range(3)]
    await until(lambda: loopback.calls == 3)
    async with asyncio.timeout(2):
        await loopback.stop()
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(end, aiohttp.ClientError) for end in ended)
    await client.close()
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})
    assert kinds(loopback) == ["request"] * 3 + ["dropped"] * 3
    assert len(path.read_text().splitlines()) == 6


async def test_a_script_that_fails_is_dropped(client: aiohttp.ClientSession) -> None:
    def fail(asked: Asked) -> str:
        raise KeyError("a mistake in the script")

    loopback = Loopback(fail)
    async with loopback as url, client.post(f"{url}/chat/completions", json=request()) as response:
        assert response.status == 500
    assert kinds(loopback) == ["request", "dropped"]


# The ledger


async def test_the_ledger_is_written_before_it_is_watched(
    client: aiohttp.ClientSession, tmp_path: Path
) -> None:
    path = tmp_path / "ledger.jsonl"
    watched: list[Event] = []

    def watch(event: Event) -> None:
        lines = path.read_text().splitlines()
        assert Event(**json.loads(lines[-1])) == event
        assert len(lines) == event.number
        watched.append(event)

    scripts: dict[str, Script] = {"a": rehearse, "b": lambda _: Fault("reset")}
    loopback = Loopback(scripts, ledger=path, watch=watch)
    async with loopback as url:
        await post(client, url, request("a"))
        with pytest.raises(aiohttp.ClientError):
            await post(client, url, request("b"))
        await post(client, url, request("c"))
    assert watched == loopback.events
    assert [(e.number, e.kind, e.request, e.model, e.status) for e in watched] == [
        (1, "request", 1, "a", 0),
        (2, "reply", 1, "a", 200),
        (3, "request", 2, "b", 0),
        (4, "dropped", 2, "b", 0),
        (5, "request", 3, "c", 0),
        (6, "reply", 3, "c", 404),
    ]
    assert [event.at for event in watched] == sorted(event.at for event in watched)


KILLED = """
import os, pathlib, signal, sys, urllib.request
from interplay.models.loopback import Loopback, serving

def watch(event):
    if event.number == 3:
        os.kill(os.getpid(), signal.SIGKILL)

with serving(Loopback(watch=watch, ledger=pathlib.Path(sys.argv[1]))) as url:
    while True:
        body = b'{"model": "m", "messages": [{"role": "user", "content": "Hello"}]}'
        urllib.request.urlopen(f"{url}/chat/completions", body).read()
"""


def test_a_process_killed_by_its_watch_leaves_a_whole_ledger(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path)], timeout=20, check=False)
    assert ended.returncode == -signal.SIGKILL
    events = [Event(**json.loads(line)) for line in path.read_text().splitlines()]
    assert [(event.kind, event.request) for event in events] == [("request", 1), ("reply", 1), ("request", 2)]


async def test_the_digest_ignores_key_order_and_spacing(client: aiohttp.ClientSession) -> None:
    loopback = Loopback()
    forms = [json.dumps(request(), indent=2), json.dumps(dict(reversed(request().items())))]
    async with loopback as url:
        for form in [*forms, json.dumps(request(seed=1))]:
            async with client.post(f"{url}/chat/completions", data=form.encode()) as response:
                assert response.status == 200
    first, second, third = (event.digest for event in loopback.events if event.kind == "request")
    assert first == second != third
    assert len(first) == 64


async def test_a_request_is_in_the_ledger_before_latency_starts(client: aiohttp.ClientSession) -> None:
    loopback = Loopback(latency=3600)
    async with loopback as url:
        waiting = asyncio.create_task(post(client, url, request()))
        await until(lambda: kinds(loopback) == ["request"])
        async with client.get(f"{url}/ledger") as response:
            assert await response.json() == {"calls": 1, "by_model": {"m": 1}, "in_flight": 1}
    with pytest.raises(aiohttp.ClientError):
        await waiting


async def test_latency_passes_concurrently(client: aiohttp.ClientSession) -> None:
    loopback = Loopback(latency=3600, jitter=1)
    async with loopback as url:
        waiting = [asyncio.create_task(post(client, url, request())) for _ in range(20)]
        await until(lambda: loopback.calls == 20)
        assert kinds(loopback) == ["request"] * 20
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_no_reply_comes_before_its_latency(client: aiohttp.ClientSession) -> None:
    loopback = Loopback(latency=0.05, jitter=0.05, seed=3)
    async with loopback as url:
        await asyncio.gather(*(post(client, url, request()) for _ in range(20)))
    rng = random.Random(3)
    due = {e.request: e.at + 0.05 + rng.uniform(0, 0.05) for e in loopback.events if e.kind == "request"}
    early = 0.01  # what a coarse clock may take off
    assert all(e.at > due[e.request] - early for e in loopback.events if e.kind == "reply")


async def test_it_can_be_started_again_but_not_twice(client: aiohttp.ClientSession, tmp_path: Path) -> None:
    loopback = Loopback(ledger=tmp_path / "ledger.jsonl")
    await loopback.stop()
    for _ in range(2):
        async with loopback as url:
            with pytest.raises(RuntimeError):
                await loopback.start()
            await post(client, url, request())
    assert [event.request for event in loopback.events] == [1, 1, 2, 2]
    assert len((tmp_path / "ledger.jsonl").read_text().splitlines()) == 4


async def test_a_taken_port_is_an_error() -> None:
    async with Loopback() as url:
        with pytest.raises(OSError):
            await Loopback().start(int(url.split(":")[2].removesuffix("/v1")))


def ask(url: str) -> Any:
    data = json.dumps(request()).encode()
    with urllib.request.urlopen(f"{url}/chat/completions", data, timeout=10) as response:
        return json.load(response)


def test_serving_from_code_without_a_loop() -> None:
    loopback = Loopback(lambda asked: "at once" if asked.number == 1 else Fault("hang"))
    before = set(threading.enumerate())  # another server may be there for many tests
    with ThreadPoolExecutor(1) as pool:
        with serving(loopback) as url:
            assert ask(url)["choices"][0]["message"]["content"] == "at once"
            hanging = pool.submit(ask, url)
            while loopback.calls < 2:
                time.sleep(0.005)
        assert isinstance(hanging.exception(), OSError)
    assert kinds(loopback) == ["request", "reply", "request", "dropped"]
    assert "loopback" not in {thread.name for thread in threading.enumerate() if thread not in before}


def test_serving_hands_on_a_failure_to_start() -> None:
    with serving(Loopback()) as url:
        port = int(url.split(":")[2].removesuffix("/v1"))
        with pytest.raises(OSError), serving(Loopback(), port):
            pass
