"""An endpoint in the shape of the Perspective API, on loopback, that keeps what it was sent."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

from interplay.models.loopback.site import Site, in_a_thread

ATTRIBUTES = ("TOXICITY", "SEVERE_TOXICITY", "IDENTITY_ATTACK", "INSULT", "PROFANITY", "THREAT")
Answer = Callable[[str, int], web.Response]  # from a text, and how often it was sent, to what is said


def scores(**changed: Any) -> dict[str, Any]:
    """An answer with .1 for toxicity, .2 for severe toxicity and so on."""
    values = {name: number / 10 for number, name in enumerate(ATTRIBUTES, 1)} | changed
    summary = {
        name: {"summaryScore": {"value": value, "type": "PROBABILITY"}} for name, value in values.items()
    }
    return {"attributeScores": summary, "languages": ["en"]}


def fine(text: str, number: int) -> web.Response:
    return web.json_response(scores())


def error(status: int, message: str = "no", **headers: str) -> web.Response:
    return web.json_response({"error": {"code": status, "message": message}}, status=status, headers=headers)


class Endpoint:
    """Answers by a function, and keeps every request with its headers and the moment it came."""

    def __init__(self, answer: Answer = fine, latency: float = 0.0):
        self.answer = answer
        self.latency = latency
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.moments: list[float] = []

    async def analyze(self, request: web.Request) -> web.Response:
        self.bodies.append(await request.json())
        self.headers.append(dict(request.headers))
        self.moments.append(time.monotonic())
        text = self.bodies[-1]["comment"]["text"]
        await asyncio.sleep(self.latency)
        return self.answer(text, sum(body["comment"]["text"] == text for body in self.bodies))

    async def start(self) -> Site:
        app = web.Application()
        app.router.add_post("/v1alpha1/comments:analyze", self.analyze)
        return await Site.start(app)


@contextmanager
def serving_scores(endpoint: Endpoint) -> Iterator[str]:
    """Its base URL, while a thread serves it."""
    with in_a_thread("perspective") as do:
        site = do(endpoint.start())
        try:
            yield f"http://127.0.0.1:{site.port}/v1alpha1"
        finally:
            do(site.stop())
