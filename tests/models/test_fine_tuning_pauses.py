"""How long fine-tuning waits between two requests: longer each time, to a limit, and as long as it is asked to."""

import asyncio
from itertools import pairwise

from interplay.models.loopback import Fault, Loopback, Tuning
from tests.models.fine_tuned import LIST_FILES, POLL, client, create, in_turn, upload

EARLY = 0.95  # what a coarse clock may take off


def gaps(loopback: Loopback, route: str) -> list[float]:
    """The seconds between an answer and the request after it."""
    events = [event for event in loopback.events if event.route == route]
    return [
        later.at - event.at
        for event, later in pairwise(events)
        if (event.kind, later.kind) == ("reply", "request")
    ]


async def finish(url: str, interval: float) -> None:
    job = await create(url, await upload(url))
    tuning = client(url, interval=interval)
    async with asyncio.timeout(30):
        await tuning.finished(job, [].append)
    await tuning.close()


async def test_a_job_is_looked_at_less_and_less_often() -> None:
    loopback = Loopback(tuning=Tuning(polls=6))
    async with loopback as url:
        await finish(url, 0.02)
    found = gaps(loopback, POLL)
    assert len(found) == 5
    assert all(gap > EARLY * 0.02 * 1.5**number for number, gap in enumerate(found))


async def test_no_pause_is_longer_than_sixty_intervals() -> None:
    loopback = Loopback(tuning=Tuning(polls=60))
    async with loopback as url:
        await finish(url, 0.0001)  # without a limit, the last would take a month
    assert len(gaps(loopback, POLL)) == 59


async def test_trouble_makes_it_wait_longer_each_time() -> None:
    loopback = Loopback({POLL: in_turn(*[Fault("status", 503)] * 4)}, tuning=Tuning(polls=1))
    async with loopback as url:
        await finish(url, 0.02)
    found = gaps(loopback, POLL)
    assert len(found) == 4
    assert all(gap > EARLY * 0.02 * 2**number for number, gap in enumerate(found))


async def test_it_waits_as_long_as_the_endpoint_asks() -> None:
    asked = Fault("status", 429, {"Retry-After": "0.3"})
    loopback = Loopback({LIST_FILES: in_turn(asked), POLL: in_turn(asked)})
    async with loopback as url:
        await finish(url, 0.001)
    assert gaps(loopback, LIST_FILES)[0] > EARLY * 0.3
    assert gaps(loopback, POLL)[0] > EARLY * 0.3
