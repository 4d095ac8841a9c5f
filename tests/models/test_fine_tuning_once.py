"""Never a second file or job, whenever the first was cut off: found again by name, by metadata or by settings."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from interplay.models.fine_tuning_job import MARK
from interplay.models.loopback import Event, Fault, Loopback, Tuning, serving
from interplay.models.loopback.tuning import Call
from tests.faults.harness import Killer
from tests.models.fine_tuned import (
    BASE,
    CREATE,
    DIGEST,
    EXAMPLES,
    LIST_FILES,
    LIST_JOBS,
    POLL,
    UPLOAD,
    client,
    count,
    create,
    in_turn,
    made,
    routes,
    tune,
    upload,
)

ROOT = Path(__file__).parents[2]


async def test_what_is_there_is_taken() -> None:
    loopback = Loopback()
    async with loopback as url:
        assert len({await tune(url) for _ in range(3)}) == 1
    assert made(loopback) == (1, 1)
    assert (count(loopback.events, UPLOAD), count(loopback.events, CREATE)) == (1, 1)


async def test_two_who_ask_at_once_get_one_file_and_one_job() -> None:
    loopback = Loopback(latency=0.005)
    async with loopback as url:
        tuning = client(url)
        files = await asyncio.gather(*(tuning.upload(EXAMPLES, DIGEST) for _ in range(4)))
        jobs = await asyncio.gather(*(tuning.create(files[0], DIGEST, epochs=2, seed=5) for _ in range(4)))
        await tuning.close()
    assert (len(set(files)), len(set(jobs)), made(loopback)) == (1, 1, (1, 1))


def killed_at(event: int) -> tuple[Loopback, int]:
    """Kill a process that fine-tunes at this event, then let another one do it: the server, and how the first ended."""
    killer = Killer()
    loopback = Loopback(watch=killer)
    with serving(loopback) as url:
        killer.aim(event)
        line = [sys.executable, "-m", "tests.models.fine_tuned", url]
        killer.process = subprocess.Popen(line, cwd=ROOT)
        killer.started.set()
        code = killer.process.wait(60)
        killer.aim(0)
        assert asyncio.run(tune(url)) == f"ft:{BASE}:interplay::loopback-1"
    return loopback, code


def test_killed_at_any_event_and_done_again_there_is_one_file_and_one_job() -> None:
    undisturbed, code = killed_at(0)
    assert code == 0
    events = 2 * len([LIST_FILES, UPLOAD, LIST_JOBS, CREATE, POLL, POLL, POLL])
    twice = [LIST_FILES, LIST_JOBS, POLL]  # what one who finds all as it should be asks
    assert routes(undisturbed)[events // 2 :] == twice
    for event in range(1, events + 1):
        loopback, code = killed_at(event)
        assert code == -signal.SIGKILL or event == events  # it may end before the last
        assert made(loopback) == (1, 1), event
        assert (count(loopback.events, UPLOAD), count(loopback.events, CREATE)) == (1, 1), event


@pytest.mark.parametrize("event", range(1, 15))
async def test_cancelled_at_any_event_and_done_again_there_is_one_file_and_one_job(event: int) -> None:
    begun: list[asyncio.Task[str]] = []

    def cancel(seen: Event) -> None:
        if seen.number == event:
            begun[0].cancel()

    loopback = Loopback(watch=cancel)
    async with loopback as url:
        begun.append(asyncio.create_task(tune(url)))
        await asyncio.wait(begun)
        assert begun[0].cancelled() or event == 14
        assert await tune(url) == f"ft:{BASE}:interplay::loopback-1"
    assert made(loopback) == (1, 1)


@pytest.mark.parametrize("state", [{"status": "failed"}, {"status": "Error"}, {"deleted": True}])
async def test_a_file_that_failed_or_was_deleted_is_not_taken(state: dict[str, Any]) -> None:
    there = {"id": "file-old", "filename": f"interplay-{DIGEST}.jsonl", "purpose": "fine-tune"}
    listed = [json.dumps({"data": [{**there, **more}]}).encode() for more in (state, {"status": "uploaded"})]
    script = in_turn(*(Fault("raw", 200, body=body) for body in listed))
    loopback = Loopback({LIST_FILES: script})
    async with loopback as url:
        assert await upload(url) == "file-loopback-1"
        assert await upload(url) == "file-old"
    assert made(loopback) == (1, 0)


@pytest.mark.parametrize("other", [{"filename": "interplay-x.jsonl"}, {"purpose": "batch"}])
async def test_a_file_of_another_name_or_purpose_is_not_taken(other: dict[str, str]) -> None:
    there = {"id": "file-old", "filename": f"interplay-{DIGEST}.jsonl", "purpose": "fine-tune", **other}
    listed = Fault("raw", 200, body=json.dumps({"data": [there], "has_more": False}).encode())
    async with Loopback({LIST_FILES: in_turn(listed)}) as url:
        assert await upload(url) == "file-loopback-1"


@pytest.mark.parametrize("metadata", ["kept", "ignored", "refused"])
@pytest.mark.parametrize("polls", [0, 1, 3])
async def test_a_job_is_known_again_with_and_without_metadata(metadata: Any, polls: int) -> None:
    loopback = Loopback(tuning=Tuning(metadata=metadata))
    async with loopback as url:
        file = await upload(url)
        job = await create(url, file)
        loopback.workshop.jobs[0].polled = polls
        assert await create(url, file) == job
        assert ("metadata" in loopback.workshop.jobs[0].asked) == (metadata != "refused")
    assert made(loopback) == (1, 1)


@pytest.mark.parametrize("metadata", ["kept", "ignored"])
@pytest.mark.parametrize("other", [{"seed": 6}, {"epochs": 3}, {"model": "base-70b"}, {"model": "base"}])
async def test_other_settings_are_another_job(metadata: Any, other: dict[str, Any]) -> None:
    loopback = Loopback(tuning=Tuning(metadata=metadata))
    async with loopback as url:
        file = await upload(url)
        assert await create(url, file) != await create(url, file, **other)
        assert await create(url, file) == "ftjob-loopback-1"
    assert made(loopback) == (1, 2)


async def test_another_digest_on_the_same_file_is_another_job() -> None:
    loopback = Loopback()
    async with loopback as url:
        file = await upload(url)
        assert await create(url, file) != await create(url, file, "another")
    assert made(loopback) == (1, 2)


async def test_a_job_that_failed_or_was_cancelled_is_made_anew() -> None:
    loopback = Loopback()
    async with loopback as url:
        file = await upload(url)
        await create(url, file)
        loopback.workshop.jobs[0].cancelled = True
        assert await create(url, file) == "ftjob-loopback-2"
        assert await create(url, file) == "ftjob-loopback-2"


@pytest.mark.parametrize("metadata", ["kept", "ignored"])
async def test_a_job_is_found_behind_many_others(metadata: Any) -> None:
    loopback = Loopback(tuning=Tuning(metadata=metadata))
    async with loopback as url:
        file = await upload(url)
        job = await create(url, file)
        for number in range(250):
            body = {
                "model": BASE,
                "training_file": file,
                "metadata": {MARK: str(number)},
                "seed": 1000 + number,
            }
            loopback.workshop.answer(Call(CREATE, "", {}, body))
        before = count(loopback.events, LIST_JOBS)
        assert await create(url, file) == job
    assert count(loopback.events, LIST_JOBS) - before == 3
    assert len(loopback.workshop.jobs) == 251
