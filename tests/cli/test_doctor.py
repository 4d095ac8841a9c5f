"""The doctor: which servers of models are on this machine, what they have, how to use them, and which keys are set."""

import shlex
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from interplay.models.loopback import Loopback, rehearse, serving
from interplay.models.loopback.site import Site, in_a_thread
from interplay.models.providers import HOSTED
from tests.cli.provider import Typist
from tests.models.asking import KEY, assert_hidden, free_port

TITLES = {"ollama": "Ollama", "lmstudio": "LM Studio", "vllm": "vLLM"}


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typist:
    """Somebody on whose machine no server of models runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(
        "INTERPLAY_CACHE", str(tmp_path / "cache")
    )  # no weights there, whose digests take long
    for name in TITLES:
        monkeypatch.setenv(HOSTED[name].place, f"http://127.0.0.1:{free_port()}/v1")
    return Typist(tmp_path / "interplay.db", capsys)


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Say where a server is."""
    return lambda name, place: monkeypatch.setenv(HOSTED[name].place, place)


def check(typist: Typist, title: str, code: int = 0) -> Any:
    return next(one for one in typist.reads("doctor", code=code) if one["what"] == title)


@contextmanager
def answering(body: str, status: int = 200, seen: list[web.Request] | None = None) -> Iterator[str]:
    """Something that answers every request in the same way."""

    async def answer(request: web.Request) -> web.Response:
        if seen is not None:
            seen.append(request)
        return web.Response(text=body, status=status)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    with in_a_thread("something") as do:
        site = do(Site.start(app))
        try:
            yield f"http://127.0.0.1:{site.port}/v1"
        finally:
            do(site.stop())


def listing(*names: object) -> str:
    shown = ", ".join(f'{{"id": {name}, "object": "model"}}' for name in names)
    return f'{{"object": "list", "data": [{shown}]}}'


# Servers


@pytest.mark.parametrize("name", TITLES)
def test_a_server_is_found_with_its_models_and_its_command_works(
    name: str, typist: Typist, at: Callable[[str, str], None]
) -> None:
    models = ["nomic-embed-text", "llama3.2:latest", "qwen/qwen3-8b"]
    with serving(Loopback(dict.fromkeys(models, rehearse))) as url:
        at(name, url)
        found = check(typist, TITLES[name])
        assert (found["state"], found["place"], found["models"]) == ("found", url, models)
        assert found["detail"] == f"3 models at {url}: {', '.join(models)}"
        assert f"--model {name}/llama3.2:latest" in found["command"]
        assert f"Try it: {found['command']}\n" in typist.types("doctor")
        words = shlex.split(found["command"])
        assert words[0] == "interplay"
        board = typist.reads(*words[1:], "--turns", "1")
    assert (board["rows"][0]["model"], board["rows"][0]["n"]) == (f"{name}/llama3.2:latest", 2)
    assert board["rows"][0]["cost"] == 0.0


def test_ollama_is_looked_for_where_its_own_variable_says(
    typist: Typist, at: Callable[[str, str], None]
) -> None:
    with serving(Loopback({"llama3.2": rehearse})) as url:
        port = url.removesuffix("/v1").rpartition(":")[2]
        at("ollama", f"0.0.0.0:{port}")
        assert check(typist, "Ollama")["models"] == ["llama3.2"]


def test_what_is_not_there_is_absent_and_no_problem(typist: Typist) -> None:
    for name, title in TITLES.items():
        found = check(typist, title)
        assert found["state"] == "absent"
        assert found["detail"].startswith(
            f"nothing answers at {found['place']}; where it runs it is {name}/NAME"
        )
        assert "command" not in found
    assert "Try it" not in typist.types("doctor")


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        ("<html><h1>My blog</h1>", 200, "HTTP 200"),
        ('{"detail": "Not Found"}', 404, "HTTP 404"),
        ("[]", 200, "HTTP 200"),
        ('{"models": []}', 200, "HTTP 200"),
        ('{"object": "list", "data": {"id": "x"}}', 200, "HTTP 200"),
        (listing('"m"'), 500, "HTTP 500"),
        ("", 302, "HTTP 302"),
    ],
)
def test_what_is_not_of_openai_s_shape_is_something_else(
    body: str, status: int, why: str, typist: Typist, at: Callable[[str, str], None]
) -> None:
    with answering(body, status) as url:
        at("vllm", url)
        found = check(typist, "vLLM")
    assert (found["state"], found["models"]) == ("absent", [])
    assert found["detail"] == f"what answers at {url} is something else ({why})"


def test_who_accepts_and_says_nothing_is_not_waited_for(
    typist: Typist, at: Callable[[str, str], None]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.create_server(("127.0.0.1", 0)) as other:
        for name, listener in (("vllm", silent), ("lmstudio", other)):
            at(name, f"http://127.0.0.1:{listener.getsockname()[1]}/v1")
        typist.types("doctor", "--json")  # imports and looks at all else, so that the second time is short
        before = time.monotonic()
        found = check(typist, "vLLM")
        assert time.monotonic() - before < 5
    assert "is something else (no answer within the limit)" in found["detail"]


def test_a_server_that_wants_a_key_is_found_and_not_sent_one(
    typist: Typist, at: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLLM_API_KEY", KEY)  # anybody may listen on a port
    seen: list[web.Request] = []
    with answering('{"error": "Unauthorized"}', 401, seen) as url:
        at("vllm", url)
        found = check(typist, "vLLM")
    assert found["state"] == "found"
    assert found["detail"] == f"asks for a key at {url}: set VLLM_API_KEY, then vllm/NAME"
    assert [(request.method, request.path) for request in seen] == [("GET", "/v1/models")]
    assert "Authorization" not in seen[0].headers


@pytest.mark.parametrize("body", ['{"object": "list", "data": null}', '{"object": "list", "data": []}'])
def test_a_server_without_models_is_found_too(
    body: str, typist: Typist, at: Callable[[str, str], None]
) -> None:
    with answering(body) as url:
        at("ollama", url)
        found = check(typist, "Ollama")
    assert (found["state"], found["detail"]) == ("found", f"0 models at {url}")
    assert "command" not in found


def test_many_models_are_counted_and_the_first_shown(typist: Typist, at: Callable[[str, str], None]) -> None:
    with answering(listing(*(f'"m{number}"' for number in range(40)))) as url:
        at("lmstudio", url)
        found = check(typist, "LM Studio")
    assert found["detail"] == f"40 models at {url}: m0, m1, m2, m3, m4 and 35 more"
    assert len(found["models"]) == 40


def test_names_from_a_server_are_text_and_no_command_is_made_of_odd_ones(
    typist: Typist, at: Callable[[str, str], None]
) -> None:
    odd = (
        r'"\u001b[31mred\nTry it: rm"',
        r'"$(reboot)"',
        r'"; reboot"',
        r'"\ud800\u0000"',
        "7",
        "null",
        '""',
    )
    with answering(listing(*odd, f'"{"x" * 9_000}"', '"good-1"')) as url:
        at("vllm", url)
        shown, found = typist.types("doctor"), check(typist, "vLLM")
    assert "\x1b" not in shown
    assert shown.count("Try it: ") == 2  # a name's, inside its line, and the command
    assert shown.splitlines()[-1].startswith("Try it: interplay run role_play --limit 2 --model vllm/good-1 ")
    assert len(max(found["models"], key=len)) == 200
    assert "vllm/good-1" in found["command"]
    with answering(listing(*odd)) as url:
        at("vllm", url)
        assert "command" not in check(typist, "vLLM")


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("http://me:secret@127.0.0.1:8000/v1", "its base URL holds a user or password"),
        ("http://me:sec/secret@127.0.0.1:8000/v1", "is no base URL"),
        ("http://127.0.0.1:8000/v1?key=secret", "a base URL has no ?"),
    ],
)
def test_a_place_that_is_none_is_a_problem_and_repeats_no_secret(
    place: str, why: str, typist: Typist, at: Callable[[str, str], None]
) -> None:
    at("vllm", place)
    found = check(typist, "vLLM", code=1)
    assert (found["state"], found["place"]) == ("problem", "")
    assert why in found["detail"]
    assert "sec" not in str(found)


# Keys


def test_keys_are_told_by_the_names_of_their_variables_alone(
    typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    Path(".env").write_text(f"OPENROUTER_API_KEY={KEY}\n")
    checks = {one["what"]: one for one in typist.reads("doctor")}
    states = {what.removeprefix("key "): one["state"] for what, one in checks.items() if "API_KEY" in what}
    assert {name for name, state in states.items() if state == "set"} == {
        "GROQ_API_KEY",
        "OPENROUTER_API_KEY",
    }
    assert {hosted.key for hosted in HOSTED.values() if not hosted.here} == set(states)
    assert checks["key GROQ_API_KEY"]["detail"] == "needed for groq/NAME at https://api.groq.com/openai/v1"
    shown = typist.types("doctor")
    lines = [" ".join(line.split()) for line in shown.splitlines() if line.split()[:1] == ["keys"]]
    assert lines[0] == "keys set OPENROUTER_API_KEY, GROQ_API_KEY"
    assert lines[1].startswith("keys not set OPENAI_API_KEY, ANTHROPIC_API_KEY")
    assert_hidden(shown + typist.said + str(checks))


def test_a_key_for_a_server_here_is_listed_where_it_is_set(
    typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLLM_API_KEY", KEY)
    found = check(typist, "key VLLM_API_KEY")
    assert (found["state"], found["detail"].startswith("may be asked for by vllm/NAME")) == ("set", True)
