"""An endpoint in the shape of the Perspective API, on loopback, that keeps what it was sent."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

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

    async def start(self) -> web.AppRunner:
        app = web.Application()
        app.router.add_post("/v1alpha1/comments:analyze", self.analyze)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.01)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner


@contextmanager
def serving_scores(endpoint: Endpoint) -> Iterator[str]:
    """Its base URL, while a thread serves it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="perspective", daemon=True)
    thread.start()
    try:
        runner = asyncio.run_coroutine_threadsafe(endpoint.start(), loop).result()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1alpha1"
        finally:
            asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
