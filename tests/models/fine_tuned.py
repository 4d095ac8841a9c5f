"""What the tests of fine-tuning share: examples, a client in a hurry, and the whole path from them to a model."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from interplay.core.wire import Message
from interplay.models.fine_tuning import FineTuning, JobState
from interplay.models.loopback import Asked, Event, Fault, Loopback, Script
from interplay.models.posting import Endpoint, Patience
from interplay.models.teaching import Example, digest_of_examples

SOON = 0.001  # the interval of a client in a hurry
BASE = "base-7b"
UPLOAD, LIST_FILES = "POST /v1/files", "GET /v1/files"
CREATE, LIST_JOBS, POLL = (
    "POST /v1/fine_tuning/jobs",
    "GET /v1/fine_tuning/jobs",
    "GET /v1/fine_tuning/jobs/{job}",
)


def examples(count: int = 12) -> list[Example]:
    return [
        Example(
            (
                Message("system", "Name the capital."),
                Message("user", f"Land {number}\u2028of É?"),
                Message("assistant", f"Town {number}"),
            )
        )
        for number in range(count)
    ]


EXAMPLES = examples()
DIGEST = digest_of_examples(EXAMPLES)


def client(
    url: str, *, model: str = BASE, key: str = "", patience: Patience | None = None, interval: float = SOON
) -> FineTuning:
    return FineTuning("mine", model, Endpoint(url, key, patience=patience or Patience()), interval=interval)


async def tune(
    url: str,
    taught: Sequence[Example] = EXAMPLES,
    told: list[JobState] | None = None,
    *,
    key: str = "",
    interval: float = SOON,
) -> str:
    """From examples to the name of the model, by a client of its own."""
    tuning = client(url, key=key, interval=interval)
    try:
        digest = digest_of_examples(taught)
        file = await tuning.upload(taught, digest)
        job = await tuning.create(file, digest, epochs=2, seed=5)
        return await tuning.finished(job, (told if told is not None else []).append)
    finally:
        await tuning.close()


def in_turn(*faults: Fault | None) -> Script:
    """A script of these faults, one a request, with nothing wrong where it is None and after the last."""
    left = list(faults)
    return lambda asked: (left.pop(0) if left else None) or ""


def always(fault: Fault) -> Script:
    return lambda asked: fault


def look_up(asked: Asked) -> str:
    """A model that learned its examples by heart."""
    for example in asked.examples:
        *before, last = example["messages"]
        if before == list(asked.messages):
            return str(last["content"])
    return "I do not know."


def routes(loopback: Loopback, kind: str = "request") -> list[str]:
    return [event.route for event in loopback.events if event.kind == kind]


def count(events: Sequence[Event], route: str) -> int:
    return sum(event.route == route and event.kind == "request" for event in events)


def made(loopback: Loopback) -> tuple[int, int]:
    return len(loopback.workshop.files), len(loopback.workshop.jobs)


async def create(url: str, file: str, digest: str = DIGEST, *, model: str = BASE, **settings: Any) -> str:
    """One job, by a client of its own."""
    tuning = client(url, model=model)
    try:
        return await tuning.create(file, digest, **{"epochs": 2, "seed": 5, **settings})
    finally:
        await tuning.close()


async def upload(url: str) -> str:
    tuning = client(url)
    try:
        return await tuning.upload(EXAMPLES, DIGEST)
    finally:
        await tuning.close()


if __name__ == "__main__":
    asyncio.run(tune(sys.argv[1]))
