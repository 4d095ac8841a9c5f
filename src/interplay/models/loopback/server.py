"""The loopback server: reads a request, asks a script, answers in the shape that the request has."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from aiohttp import web

from .faults import Fault, commit
from .jobs import Tuning
from .ledger import Event, Ledger, canonical, digest_of
from .scripts import Script, rehearse
from .shapes import SHAPES, Asked, OpenAIShape, Refused, Said, Shape
from .site import Site, in_a_thread
from .tuning import ROUTES, Answering, Call, Workshop, read_call, route_of

LARGEST_REQUEST = 64 * 2**20
_PLAIN = OpenAIShape()  # of the routes that ask no model


class Loopback:
    """A server whose models are scripts, by model name; "*" answers for any other name.

    "ft:NAME" answers for every model that was fine-tuned from NAME, and is shown the examples. A script under one of
    the fine-tuning ROUTES is asked whether a Fault should stand in for the answer.
    """

    def __init__(
        self,
        scripts: Mapping[str, Script] | Script = rehearse,
        *,
        latency: float = 0.0,
        jitter: float = 0.0,
        seed: int = 0,
        ledger: Path | None = None,
        watch: Callable[[Event], None] | None = None,
        keys: frozenset[str] | None = None,
        schemas: bool = True,
        tuning: Tuning | None = None,
    ) -> None:
        self._scripts: dict[str, Script] = dict(scripts) if isinstance(scripts, Mapping) else {"*": scripts}
        self._latency = latency
        self._jitter = jitter
        self._rng = random.Random(seed)  # noqa: S311 - spreads waiting times, guards nothing
        self._ledger = Ledger(ledger, watch)
        self._keys = keys
        self._schemas = schemas
        self.workshop = Workshop(tuning or Tuning())
        self._site: Site | None = None
        self._open: set[asyncio.Task[Any]] = set()
        self.events: list[Event] = self._ledger.events

    @property
    def calls(self) -> int:
        """How many requests to models have been received."""
        return self._ledger.calls

    def calls_by_model(self) -> dict[str, int]:
        return dict(self._ledger.by_model)

    async def start(self, port: int = 0) -> str:
        """Listen on 127.0.0.1 and give back the base URL of models; a bot is beside it, at /bot."""
        if self._site is not None:
            raise RuntimeError("this loopback server runs already")
        app = web.Application(client_max_size=LARGEST_REQUEST)
        for path in SHAPES:
            app.router.add_post(path, self._complete)
        for route in ROUTES:
            method, _, path = route.partition(" ")
            app.router.add_route(method, path, self._tune)
        app.router.add_get("/v1/models", self._list_models)
        app.router.add_get("/v1/ledger", self._show_counts)
        app.router.add_route("*", "/{path:.*}", self._not_found)
        site = await Site.start(app, port)
        try:
            self._ledger.open()
        except OSError:
            await site.stop()
            raise
        self._site = site
        return f"http://127.0.0.1:{site.port}/v1"

    async def stop(self) -> None:
        """End at once: what is still being answered is dropped."""
        site, self._site = self._site, None
        if site is None:
            return
        await site.stop(self._drop_all)
        await self._drop_all()  # a request may have come in on an open connection meanwhile
        self._ledger.close()

    async def __aenter__(self) -> str:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _drop_all(self) -> None:
        for task in self._open:
            task.cancel()
        if self._open:
            await asyncio.wait(self._open)

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        return await self._until_dropped(self._handle(request))

    async def _tune(self, request: web.Request) -> web.StreamResponse:
        return await self._until_dropped(self._handle_tuning(request))

    async def _until_dropped(self, handling: Awaitable[web.StreamResponse]) -> web.StreamResponse:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - aiohttp runs every handler in a task
        self._open.add(task)
        try:
            return await handling
        finally:
            self._open.discard(task)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        shape = SHAPES[request.path]
        try:
            raw = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return _refusal(shape, Refused(413, f"A request may have {LARGEST_REQUEST} bytes at most."))
        body, digest = _parse(raw)
        arrived = self._ledger.received(route_of(request), shape.model_of(body), digest)
        return await self._deliver(request, arrived, self._answer(request, shape, body, arrived.request))

    async def _handle_tuning(self, request: web.Request) -> web.StreamResponse:
        try:
            call = await read_call(request, LARGEST_REQUEST)
        except Refused as refused:
            return _refusal(_PLAIN, refused)
        arrived = self._ledger.received(call.route, call.model, call.digest, asks_a_model=False)
        return await self._deliver(request, arrived, self._answer_tuning(request, call, arrived.request))

    async def _deliver(
        self, request: web.Request, arrived: Event, answering: Awaitable[web.StreamResponse]
    ) -> web.StreamResponse:
        """Send the answer, and write into the ledger whether it was sent to its last byte."""
        if request.transport is not None:
            request.transport.set_write_buffer_limits(high=0)  # makes drain wait until nothing is left
        sent: web.StreamResponse | None = None
        try:
            response = await answering
            await _deliver(request, response)
            sent = response
        except ConnectionError:
            if request.transport is not None:
                request.transport.abort()
            return web.Response()  # goes nowhere: aiohttp wants one, the connection is closed
        finally:
            if sent is None:
                self._ledger.dropped(arrived)
            else:
                self._ledger.replied(arrived, sent.status)
        return response

    async def _answer(self, request: web.Request, shape: Shape, body: Any, number: int) -> web.StreamResponse:
        try:
            self._check_key(shape, request)
            asked = self._read_asked(shape, body, number)
            script, asked = self._script_for(asked)
        except Refused as refused:
            return _refusal(shape, refused)
        # Asked before the wait, so that scripts which count see requests in order of arrival.
        said = script(asked)
        await self._wait()
        if isinstance(said, Fault):
            return await commit(said, request, shape, asked)
        return _json_response(shape.write(asked, Said(said) if isinstance(said, str) else said))

    async def _answer_tuning(self, request: web.Request, call: Call, number: int) -> web.StreamResponse:
        asked = call.asked(number)
        usual: Mapping[str, Any] = {}
        fault: str | Said | Fault = ""
        try:
            self._check_key(_PLAIN, request)
            if script := self._scripts.get(call.route):
                fault = script(asked)
            # An error's status says that nothing was done; any other fault spoils only the answer.
            if not isinstance(fault, Fault) or fault.kind != "status":
                usual = self.workshop.answer(call)
        except Refused as refused:
            if not isinstance(fault, Fault):
                return _refusal(_PLAIN, refused)
        await self._wait()
        if isinstance(fault, Fault):
            return await commit(fault, request, Answering(usual), asked)
        return _json_response(usual)

    async def _wait(self) -> None:
        if wait := self._latency + (self._rng.uniform(0, self._jitter) if self._jitter else 0.0):
            await asyncio.sleep(wait)

    def _check_key(self, shape: Shape, request: web.Request) -> None:
        if self._keys is not None and shape.key_of(request.headers) not in self._keys:
            raise Refused(401, "Incorrect API key provided.", code="invalid_api_key")

    def _read_asked(self, shape: Shape, body: Any, number: int) -> Asked:
        asked = shape.read(body, number)
        if not self._schemas and asked.body.get(shape.schemas_by) is not None:
            raise Refused(400, f"This model does not support {shape.schemas_by}.", shape.schemas_by)
        return asked

    def _script_for(self, asked: Asked) -> tuple[Script, Asked]:
        """The script that answers for a model, and what it sees of the request."""
        script = self._scripts.get(asked.model)
        job = self.workshop.job_of(asked.model)
        if job is not None:
            asked = replace(asked, examples=job.examples)
            script = script or self._scripts.get(f"ft:{job.base}")
        script = script or self._scripts.get("*")
        if script is None or (job is not None and job.status != "succeeded"):
            raise Refused(404, f"The model {asked.model!r} does not exist.", "model", "model_not_found")
        return script, asked

    async def _list_models(self, request: web.Request) -> web.Response:
        try:
            self._check_key(_PLAIN, request)
        except Refused as refused:
            return _refusal(_PLAIN, refused)
        names = [name for name in self._scripts if name not in ROUTES and not name.startswith("ft:")]
        names += [job.model for job in self.workshop.jobs if job.status == "succeeded"]
        models = [{"id": n, "object": "model", "created": 0, "owned_by": "loopback"} for n in names]
        return _json_response({"object": "list", "data": models})

    async def _show_counts(self, request: web.Request) -> web.Response:
        ledger = self._ledger
        counts = {"calls": ledger.calls, "by_model": ledger.by_model, "in_flight": ledger.in_flight}
        return _json_response(counts)

    async def _not_found(self, request: web.Request) -> web.Response:
        unknown = Refused(404, f"Unknown request: {request.method} {request.path}", code="unknown_url")
        return _refusal(_PLAIN, unknown)


def _refusal(shape: Shape, refused: Refused) -> web.Response:
    error = shape.error(refused.status, str(refused), refused.param, refused.code)
    return _json_response(error, refused.status)


def _parse(raw: bytes) -> tuple[Any, str]:
    try:
        body = json.loads(raw)
        return body, digest_of(canonical(body))
    except (ValueError, RecursionError):
        return None, digest_of(raw)


def _json_response(value: Mapping[str, Any], status: int = 200) -> web.Response:
    return web.Response(status=status, body=json.dumps(value).encode(), content_type="application/json")


async def _deliver(request: web.Request, response: web.StreamResponse) -> None:
    """Write the response to its last byte, or raise ConnectionError."""
    await response.prepare(request)
    await response.write_eof()
    await request.writer.drain()


@contextmanager
def serving(loopback: Loopback, port: int = 0) -> Iterator[str]:
    """Run the server in a thread with a loop of its own, for callers without a running loop."""
    with in_a_thread("loopback") as do:
        url = do(loopback.start(port))
        try:
            yield url
        finally:
            do(loopback.stop())
