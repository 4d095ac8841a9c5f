"""What runs on a Ray cluster: a process that plays conversations, or one that holds a local model."""

import asyncio
import json
import signal
import socket
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from interplay.core.failures import Mistake
from interplay.core.wire import Request, Sampling
from interplay.models.calling import Model
from interplay.models.local import Local
from interplay.running.branch import serve_hub
from interplay.running.carried import Packed, grown, pack_reply
from interplay.running.channel import Channel
from interplay.running.depending import program
from interplay.running.door import come_in
from interplay.running.setup import directory_from

Connect = Callable[[Callable[[], Channel]], Awaitable[Channel]]


class Holder:
    """A local model, loaded once for the whole cluster."""

    def __init__(self) -> None:
        self._model: Model | None = None

    async def serve(self, verb: str, body: list[Any]) -> Packed:
        if verb == "hold":
            await self._hold(*body)
            return None
        if verb == "reply":
            settings, messages = body
            return await self._reply(json.loads(settings), messages)
        raise RuntimeError(f"nobody asks the holder of a model to {verb!r}")

    async def _hold(self, directory: Mapping[str, Any], name: str, threads: int) -> None:
        """Find the model on this machine; it is loaded by the first request."""
        model = directory_from(directory).connect(name)
        if isinstance(model, Local):
            model.threads = threads
        try:
            await model.check()
        except Mistake as problem:
            raise Mistake(f"on {socket.gethostname()}, {problem}") from problem
        self._model = model

    async def _reply(self, known: Mapping[str, Any], messages: list[tuple[str, str]]) -> Packed:
        if self._model is None:
            raise RuntimeError("a model is asked that nobody has asked to be held")
        sampling = Sampling(**known["sampling"])
        request = Request(known["model"], grown(None, messages), sampling, known["schema"])
        return pack_reply(await self._model.reply(request))

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()


async def hold_a_model(connect: Connect) -> None:
    """Answer for a model, until whoever asks lets go."""
    holder = Holder()
    channel = await connect(lambda: Channel(holder.serve))
    await channel.closed.wait()
    await holder.close()


KINDS: dict[str, Callable[[Connect], Awaitable[None]]] = {"branch": serve_hub, "model": hold_a_model}


class Actor:
    """A process of a cluster; Ray starts it, and what is said goes through a door of the run's driver."""

    def program(self) -> tuple[str, str]:
        """Which machine this is, and the digest of the program that it has."""
        return socket.gethostname(), program()

    def serve(self, kind: str, host: str, port: int, word: bytes) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver

        async def serving() -> None:
            await KINDS[kind](partial(come_in, host, port, word))

        asyncio.run(serving())
