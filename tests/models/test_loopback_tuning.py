"""The fine-tuning routes of the loopback provider, asked over real HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import interplay.models.loopback.server as server
from interplay.models.loopback import ROUTES, Asked, Event, Fault, Loopback, Tuning, rehearse

FILES, JOBS = "/files", "/fine_tuning/jobs"
LINE = {"messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day"}]}
ENOUGH = [LINE] * 10


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=20)) as session:
        yield session


def form(content: bytes, purpose: str = "fine-tune", filename: str = "a.jsonl") -> aiohttp.FormData:
    made = aiohttp.FormData({"purpose": purpose})
    made.add_field("file", content, filename=filename)
    return made


def lines(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


async def send(client: aiohttp.ClientSession, url: str, body: Any = None, **more: Any) -> tuple[int, Any]:
    """Post a form or a JSON value, or get where there is none: the status, and the answer."""
    if isinstance(body, aiohttp.FormData):
        asking = client.post(url, data=body, **more)
    else:
        asking = client.get(url, **more) if body is None else client.post(url, json=body, **more)
    async with asking as response:
        return response.status, await response.json()


async def begun(client: aiohttp.ClientSession, url: str, content: bytes = lines(ENOUGH), **more: Any) -> str:
    """The id of a job on a file of this content."""
    _, file = await send(client, url + FILES, form(content))
    _, job = await send(client, url + JOBS, {"model": "m", "training_file": file["id"], **more})
    return str(job["id"])


async def looked_at(client: aiohttp.ClientSession, url: str, job: str, times: int = 1) -> Any:
    for _ in range(times):
        status, told = await send(client, f"{url}{JOBS}/{job}")
        assert status == 200
    return told


# Files


async def test_files_are_kept_listed_and_shown(client: aiohttp.ClientSession) -> None:
    loopback = Loopback()
    async with loopback as url:
        status, file = await send(client, url + FILES, form(b"\x00\xffany bytes\r\n"))
        assert status == 200
        assert file.pop("created_at") > 0
        assert file == {
            "id": "file-loopback-1",
            "object": "file",
            "bytes": 13,
            "filename": "a.jsonl",
            "purpose": "fine-tune",
            "status": "processed",
        }
        assert (await send(client, f"{url}{FILES}/{file['id']}"))[1]["filename"] == "a.jsonl"
        assert (await send(client, f"{url}{FILES}/nothing"))[0] == 404
        _, listed = await send(client, f"{url}{FILES}?purpose=fine-tune")
        assert ([one["id"] for one in listed["data"]], listed["has_more"]) == ([file["id"]], False)
        assert (await send(client, f"{url}{FILES}?purpose=batch"))[1]["data"] == []
    assert loopback.workshop.files[0].content == b"\x00\xffany bytes\r\n"


@pytest.mark.parametrize("purpose, param", [("batch", "purpose"), ("", "purpose")])
async def test_other_purposes_are_refused(client: aiohttp.ClientSession, purpose: str, param: str) -> None:
    async with Loopback() as url:
        status, told = await send(client, url + FILES, form(b"x", purpose))
    assert (status, told["error"]["param"]) == (400, param)


@pytest.mark.parametrize(
    "kind, body",
    [
        ("application/json", b"{}"),
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=b", b"no boundary"),
        ("multipart/form-data; boundary=b", b""),
        ("multipart/form-data; boundary=b", b"--b\r\n\r\nnameless\r\n--b--\r\n"),
    ],
)
async def test_what_is_no_form_with_a_file_is_refused(
    client: aiohttp.ClientSession, kind: str, body: bytes
) -> None:
    loopback = Loopback()
    async with (
        loopback as url,
        client.post(url + FILES, data=body, headers={"Content-Type": kind}) as response,
    ):
        assert (response.status, (await response.json())["error"]["param"]) == (400, "file")
    assert [event.status for event in loopback.events] == [0, 400]


async def test_a_file_that_is_too_large_is_refused(
    client: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LARGEST_REQUEST", 1000)
    loopback = Loopback()
    async with loopback as url:
        assert (await send(client, url + FILES, form(b"x" * 2000)))[0] == 413
        assert (await send(client, url + JOBS, {"model": "x" * 2000}))[0] == 413
    assert loopback.workshop.files == []


# Jobs


async def test_a_job_moves_on_with_each_look(client: aiohttp.ClientSession) -> None:
    async with Loopback() as url:
        wishes: dict[str, Any] = {"suffix": "mine", "seed": 3, "metadata": {"a": "b"}}
        job = await begun(client, url, hyperparameters={"n_epochs": 4}, **wishes)
        _, listed = await send(client, url + JOBS)
        states = [listed["data"][0], *[await looked_at(client, url, job) for _ in range(4)]]
    assert [state["status"] for state in states] == [
        "validating_files",
        "queued",
        "running",
        "succeeded",
        "succeeded",
    ]
    assert [state["fine_tuned_model"] for state in states] == [None] * 3 + ["ft:m:mine::loopback-1"] * 2
    assert [state["trained_tokens"] for state in states[2:4]] == [None, len(lines(ENOUGH)) // 4 * 4]
    last = states[-1]
    assert (last["seed"], last["metadata"], last["error"]) == (3, {"a": "b"}, {})
    assert last["method"]["supervised"] == {"hyperparameters": last["hyperparameters"]}
    assert last["hyperparameters"] == {"n_epochs": 4}


async def test_a_job_can_take_its_time(client: aiohttp.ClientSession) -> None:
    async with Loopback(tuning=Tuning(polls=0, seconds=0.05)) as url:
        job = await begun(client, url)
        assert (await looked_at(client, url, job, 5))["status"] in ("queued", "running")
        await asyncio.sleep(0.06)
        assert (await looked_at(client, url, job))["status"] == "succeeded"


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"", "The training file has 0 examples, but at least 10 are needed."),
        (lines([LINE] * 9), "The training file has 9 examples, but at least 10 are needed."),
        (lines(ENOUGH) + b"{", "Line 11 of the training file is not JSON."),
        (b"\xff\n" + lines(ENOUGH), "Line 1 of the training file is not JSON."),
        (b"[" * 100_000, "Line 1 of the training file is not JSON."),
        (lines([*ENOUGH, []]), "Line 11 of the training file has no list of messages."),
        (lines([*ENOUGH, {"messages": []}]), "Line 11 of the training file has no list of messages."),
        (
            lines([{"messages": [{"role": "oracle", "content": "x"}]}, *ENOUGH]),
            "Line 1 of the training file has a message whose role is none of system, user, assistant.",
        ),
        (
            lines([{"messages": [{"role": "assistant", "content": None}]}, *ENOUGH]),
            "Line 1 of the training file has a message without text.",
        ),
        (
            lines([{"messages": LINE["messages"][:1]}, *ENOUGH]),
            "Line 1 of the training file does not end in a message of the assistant.",
        ),
    ],
)
async def test_a_bad_file_fails_the_job(client: aiohttp.ClientSession, content: bytes, reason: str) -> None:
    async with Loopback() as url:
        job = await begun(client, url, content)
        told = await looked_at(client, url, job)
        model = f"ft:m:personal::{job.removeprefix('ftjob-')}"
        asked = {"model": model, "messages": [{"role": "user", "content": "Hello"}]}
        assert (await send(client, f"{url}/chat/completions", asked))[0] == 404
    assert (told["status"], told["error"]["message"], told["error"]["param"]) == (
        "failed",
        reason,
        "training_file",
    )


@pytest.mark.parametrize(
    "wish, param",
    [
        ({"model": ""}, "model"),
        ({"model": 7}, "model"),
        ({"training_file": "file-nowhere"}, "training_file"),
        ({"training_file": None}, "training_file"),
        ({"suffix": "x" * 65}, "suffix"),
        ({"seed": -1}, "seed"),
        ({"seed": "one"}, "seed"),
        ({"metadata": {"a": 1}}, "metadata"),
        ({"metadata": {"a": "x" * 513}}, "metadata"),
        ({"metadata": {str(number): "" for number in range(17)}}, "metadata"),
        ({"hyperparameters": {"n_epochs": 0}}, "hyperparameters"),
        ({"hyperparameters": {"n_epochs": True}}, "hyperparameters"),
        ({"hyperparameters": [1]}, "hyperparameters"),
        ({"method": {"type": "dpo"}}, "method"),
        (
            {"method": {"type": "supervised", "supervised": {"hyperparameters": {"n_epochs": 51}}}},
            "hyperparameters",
        ),
        ({"method": {"type": "supervised", "supervised": [1]}}, "method"),
        ({"colour": "red"}, "colour"),
    ],
)
async def test_a_job_that_cannot_be_is_refused(
    client: aiohttp.ClientSession, wish: dict[str, Any], param: str
) -> None:
    loopback = Loopback()
    async with loopback as url:
        await send(client, url + FILES, form(lines(ENOUGH)))
        body = {"model": "m", "training_file": "file-loopback-1", **wish}
        status, told = await send(client, url + JOBS, body)
        assert (status, told["error"]["param"]) == (400, param)
        assert (await send(client, url + JOBS, []))[0] == 400
    assert loopback.workshop.jobs == []


@pytest.mark.parametrize(
    "tuning, key", [(Tuning(method=False), "method"), (Tuning(metadata="refused"), "metadata")]
)
async def test_endpoints_of_another_age(client: aiohttp.ClientSession, tuning: Tuning, key: str) -> None:
    async with Loopback(tuning=tuning) as url:
        await send(client, url + FILES, form(lines(ENOUGH)))
        wishes = {"method": {"type": "supervised"}, "metadata": {"a": "b"}}
        body = {"model": "m", "training_file": "file-loopback-1", key: wishes[key]}
        status, told = await send(client, url + JOBS, body)
        assert (status, told["error"]["code"]) == (400, "unknown_parameter")
        del body[key]
        _, job = await send(client, url + JOBS, body)
    assert key not in job


async def test_metadata_can_be_forgotten(client: aiohttp.ClientSession) -> None:
    async with Loopback(tuning=Tuning(metadata="ignored")) as url:
        job = await begun(client, url, metadata={"a": "b"})
        assert "metadata" not in await looked_at(client, url, job)


async def test_a_job_can_be_cancelled_until_it_is_over(client: aiohttp.ClientSession) -> None:
    async with Loopback() as url:
        first, second = await begun(client, url), await begun(client, url)
        _, told = await send(client, f"{url}{JOBS}/{first}/cancel", {})
        assert told["status"] == "cancelled"
        assert (await looked_at(client, url, first, 5))["status"] == "cancelled"
        await looked_at(client, url, second, 3)
        for over in (first, second):
            assert (await send(client, f"{url}{JOBS}/{over}/cancel", {}))[0] == 400
        assert (await send(client, f"{url}{JOBS}/nothing/cancel", {}))[0] == 404
        assert (await send(client, f"{url}{JOBS}/nothing"))[0] == 404


async def test_lists_come_in_pages_the_newest_job_first(client: aiohttp.ClientSession) -> None:
    async with Loopback() as url:
        for _ in range(5):
            await begun(client, url)
        found: list[str] = []
        more, sizes = True, []
        while more:
            after = f"&after={found[-1]}" if found else ""
            _, page = await send(client, f"{url}{JOBS}?limit=2{after}")
            found += [job["id"] for job in page["data"]]
            sizes.append(len(page["data"]))
            more = page["has_more"]
        assert (sizes, found) == ([2, 2, 1], [f"ftjob-loopback-{number}" for number in (5, 4, 3, 2, 1)])
        for query in ("limit=0", "limit=101", "limit=x", "after=nothing"):
            assert (await send(client, f"{url}{JOBS}?{query}"))[0] == 400
        _, files = await send(client, f"{url}{FILES}?limit=3&after=file-loopback-1")
        assert ([file["id"][-1] for file in files["data"]], files["has_more"]) == (["2", "3", "4"], True)


# Models


async def test_a_fine_tuned_model_answers_when_it_is_there(client: aiohttp.ClientSession) -> None:
    seen: list[Asked] = []

    def learned(asked: Asked) -> str:
        seen.append(asked)
        return "learned"

    loopback = Loopback({"ft:m": learned, "*": lambda asked: f"other {len(asked.examples)}"})
    answers = []
    async with loopback as url:
        for base in ("m", "n"):
            job = await begun(client, url, model=base, suffix="s")
            asked = {"model": f"ft:{base}:s::{job.removeprefix('ftjob-')}", "messages": LINE["messages"][:1]}
            assert (await send(client, f"{url}/chat/completions", asked))[0] == 404
            await looked_at(client, url, job, 3)
            _, reply = await send(client, f"{url}/chat/completions", asked)
            answers.append(reply["choices"][0]["message"]["content"])
        _, reply = await send(client, f"{url}/chat/completions", {**asked, "model": "ft:m:elsewhere"})
        _, models = await send(client, f"{url}/models")
    assert answers == ["learned", "other 10"]
    assert reply["choices"][0]["message"]["content"] == "other 0"
    assert seen[0].examples == tuple(ENOUGH)
    assert [model["id"] for model in models["data"]] == ["*", "ft:m:s::loopback-1", "ft:n:s::loopback-2"]


# Ledger, keys and faults


async def test_every_request_is_in_the_ledger_with_its_route(
    client: aiohttp.ClientSession, tmp_path: Path
) -> None:
    path = tmp_path / "ledger.jsonl"
    loopback = Loopback(ledger=path)
    async with loopback as url:
        job = await begun(client, url)
        await send(client, f"{url}{FILES}/file-loopback-1")
        await send(client, f"{url}{FILES}")
        await send(client, f"{url}{JOBS}")
        await looked_at(client, url, job)
        await send(client, f"{url}{JOBS}/{job}/cancel", {})
        await send(client, f"{url}/chat/completions", {"model": "m", "messages": LINE["messages"]})
        _, counts = await send(client, f"{url}/ledger")
    asked = [event for event in loopback.events if event.kind == "request"]
    assert {event.route for event in asked} == {*ROUTES, "POST /v1/chat/completions"}
    assert [event.model for event in asked] == ["", "m", "", "", "", "", "", "m"]
    assert [event.request for event in asked] == list(range(1, 9))
    assert len({event.digest for event in asked}) == 8
    assert counts == {"calls": 1, "by_model": {"m": 1}, "in_flight": 0}  # calls are those of models
    assert [Event(**json.loads(line)) for line in path.read_text().splitlines()] == loopback.events


async def test_only_known_keys_are_let_in(client: aiohttp.ClientSession) -> None:
    loopback = Loopback(keys=frozenset({"good"}))
    async with loopback as url:
        for key, status in (("good", 200), ("bad", 401)):
            headers = {"Authorization": f"Bearer {key}"}
            assert (await send(client, url + FILES, form(b"x"), headers=headers))[0] == status
            assert (await send(client, url + JOBS, headers=headers))[0] == status
    assert len(loopback.workshop.files) == 1


@pytest.mark.parametrize(
    "kind, done", [("status", 0), ("reset", 1), ("truncated", 1), ("html", 1), ("raw", 1)]
)
async def test_a_status_comes_instead_of_the_work_and_other_faults_after_it(
    client: aiohttp.ClientSession, kind: Any, done: int
) -> None:
    loopback = Loopback(
        {"POST /v1/files": lambda asked: Fault(kind, 503, body=b"" if kind != "raw" else b"x")}
    )
    async with loopback as url:
        try:
            async with client.post(url + FILES, data=form(b"x")) as response:
                status, body = response.status, await response.read()
        except aiohttp.ClientError:
            status, body = 0, b""
    assert len(loopback.workshop.files) == done
    assert status == {"reset": 0, "status": 503, "raw": 503}.get(kind, 200)
    assert kind != "truncated" or body.startswith(b'{"id": "file-loopback-1"')


async def test_a_script_of_a_route_sees_what_was_asked_and_lets_pass_what_it_does_not_spoil(
    client: aiohttp.ClientSession,
) -> None:
    seen: list[Asked] = []

    def watch(asked: Asked) -> str:
        seen.append(asked)
        return "nothing is wrong"

    loopback = Loopback({"POST /v1/fine_tuning/jobs": watch, "*": rehearse})
    async with loopback as url:
        job = await begun(client, url)
        _, models = await send(client, f"{url}/models")
    assert job == "ftjob-loopback-1"
    body = {"model": "m", "training_file": "file-loopback-1"}
    assert seen == [Asked("POST /v1/fine_tuning/jobs", (), body, 2, None)]
    assert [model["id"] for model in models["data"]] == ["*"]


async def test_huge_and_odd_answers_have_the_usual_one_in_them(client: aiohttp.ClientSession) -> None:
    faults = iter([Fault("huge"), Fault("nul"), Fault("empty_choices")])
    loopback = Loopback({"GET /v1/files": lambda asked: next(faults)})
    async with loopback as url:
        _, huge = await send(client, url + FILES)
        _, odd = await send(client, url + FILES)
        assert await send(client, url + FILES) == (200, {})
    assert (huge["data"], len(huge["note"])) == ([], 30_000_000)
    assert odd["note"] == "before\0after"
