"""How a job is asked for at endpoints of different ages, and how it is known again."""

import json
from typing import Any

import pytest

from interplay.models.calling import CallFailed
from interplay.models.fine_tuning_job import is_id, is_version
from interplay.models.loopback import Fault, Loopback, Tuning
from tests.models.fine_tuned import (
    CREATE,
    POLL,
    client,
    count,
    create,
    in_turn,
    routes,
    upload,
)


async def test_an_endpoint_that_knows_no_method_is_asked_in_the_older_way() -> None:
    loopback = Loopback(tuning=Tuning(method=False, metadata="refused"))
    async with loopback as url:
        await create(url, await upload(url))
    (job,) = loopback.workshop.jobs
    assert job.epochs == 2
    assert job.asked["hyperparameters"] == {"n_epochs": 2}
    assert not {"method", "metadata"} & job.asked.keys()
    assert count(loopback.events, CREATE) == 3


@pytest.mark.parametrize("key", ["method", "metadata", "seed", "suffix"])
@pytest.mark.parametrize("status", [400, 422])
async def test_what_a_refusal_names_is_left_out(key: str, status: int) -> None:
    told = {"detail": [{"loc": ["body", key], "msg": "extra fields not permitted"}]}
    refusal = Fault("status", status, body=json.dumps(told).encode())
    loopback = Loopback({CREATE: in_turn(refusal)})
    async with loopback as url:
        await create(url, await upload(url))
    (job,) = loopback.workshop.jobs
    assert key not in job.asked
    assert ("hyperparameters" in job.asked) == (key == "method")


async def test_a_refusal_of_another_kind_is_the_end() -> None:
    loopback = Loopback()
    async with loopback as url:
        with pytest.raises(
            CallFailed, match="rejected: HTTP 400, invalid_training_file The training file"
        ) as raised:
            await create(url, "file-nowhere")
        assert raised.value.cause == "rejected"
        with pytest.raises(CallFailed, match="n_epochs is 'auto' or a number from 1 to 50"):
            await create(url, await upload(url), epochs=99)
    assert loopback.workshop.jobs == []


async def test_a_file_that_is_not_ready_is_waited_for() -> None:
    told = {
        "error": {"message": "The file file-loopback-1 is not ready; method, metadata and seed are fine."}
    }
    not_yet = Fault("status", 400, body=json.dumps(told).encode())
    loopback = Loopback({CREATE: in_turn(not_yet, not_yet)})
    async with loopback as url:
        await create(url, await upload(url))
    assert {"method", "metadata", "seed"} <= loopback.workshop.jobs[0].asked.keys()
    assert count(loopback.events, CREATE) == 3


def test_a_dated_version_is_the_model_that_was_asked_for() -> None:
    assert is_version("gpt-4o-mini", "gpt-4o-mini")
    assert is_version("gpt-4o-mini-2024-07-18", "gpt-4o-mini")
    assert is_version("gpt-3.5-turbo-0125", "gpt-3.5-turbo")
    assert not is_version("gpt-4o-mini-2024-07-18", "gpt-4o")
    assert not is_version("gpt-4o", "gpt-4o-mini")
    assert not is_version("gpt-3x5-turbo", "gpt-3.5-turbo")


@pytest.mark.parametrize("value", [None, 5, "", "a b", "a\nb", "..", ".", "é", "x" * 201, ["a"]])
def test_what_is_no_id(value: Any) -> None:
    assert not is_id(value)


async def test_an_id_stays_inside_its_place_in_the_url() -> None:
    loopback = Loopback()
    async with loopback as url:
        tuning = client(url)
        for odd in ("../../files", "a/b", "a?b=c", "a#b", "%2e%2e"):
            with pytest.raises(CallFailed, match="not found"):
                await tuning.finished(odd, [].append)
        await tuning.close()
    assert routes(loopback) == [POLL] * 5
