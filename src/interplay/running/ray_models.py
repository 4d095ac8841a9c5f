"""Local models on a cluster: loaded once, by a process there, and asked from here as any other model is."""

import asyncio
from collections.abc import Awaitable, Callable

from interplay.core.failures import Mistake
from interplay.core.wire import Reply, Request
from interplay.models.calling import CallFailed, Model
from interplay.models.connecting import Directory
from interplay.models.prices import Price
from interplay.running.carried import tail_of, unpack_reply
from interplay.running.channel import Channel, ChannelClosed
from interplay.running.launching import Launched
from interplay.running.setup import carried

MOST_STARTS = 4  # in a row, without an answer between
Start = Callable[[Callable[[], Channel]], Awaitable[Launched]]


def is_local(directory: Directory, name: str) -> bool:
    """Are its weights loaded by this program itself?"""
    return name not in directory.made and directory.entry(name).model.partition("/")[0] == "local"


class LocalOnRay:
    """A model that a process of the cluster holds; a process that is lost is started again by the next call."""

    def __init__(self, model: Model, directory: Directory, threads: int, start: Start):
        self.name = model.name
        self.endpoint = model.endpoint
        self.most_connections: int | None = model.most_connections
        self.price: Price | None = model.price
        self.remembers = model.remembers
        self.ignores = model.ignores
        self._directory = {**carried(directory, [model.name]), "environment": {}}  # it needs no key
        self._threads = threads
        self._start = start
        self._starting = asyncio.Lock()
        self._process: Launched | None = None
        self._starts = 0

    async def check(self) -> None:
        """Start the process, which looks for the weights on its own machine."""
        try:
            await self._held()
        except ChannelClosed:
            raise Mistake(f"{self.name}: the process that holds it was lost{self._how()}") from None

    async def reply(self, request: Request) -> Reply:
        channel = await self._again()
        _, messages = tail_of(request.thread, set())
        try:
            packed = await channel.call("reply", request.settings, messages)
        except ChannelClosed:
            raise CallFailed("connection", f"the process that holds it was lost{self._how()}") from None
        self._starts = 0
        return unpack_reply(packed)

    async def close(self) -> None:
        if self._process is not None:
            await self._process.end()

    async def _again(self) -> Channel:
        """The channel to the process that is there, or to one in place of it."""
        try:
            return await self._held()
        except (ChannelClosed, Mistake) as problem:
            raise CallFailed("connection", f"no process of the cluster holds it: {problem}") from problem

    async def _held(self) -> Channel:
        async with self._starting:
            if self._process is not None and not self._process.channel.closed.is_set():
                return self._process.channel
            if self._starts >= MOST_STARTS:
                raise CallFailed("rejected", f"the process that holds it keeps ending{self._how()}")
            self._starts += 1
            if self._process is not None:
                await self._process.end()
            self._process = await self._start(lambda: Channel(_nothing_is_asked))
            channel = self._process.channel
            try:
                await channel.call("hold", self._directory, self.name, self._threads)
            except BaseException:
                await self._process.end()
                raise
            return channel

    def _how(self) -> str:
        how = self._process.how_it_ended() if self._process else ""
        return f" ({how})" if how else ""


async def _nothing_is_asked(verb: str, body: list[object]) -> object:
    raise RuntimeError(f"the process that holds a model asks for nothing, and asked to {verb!r}")
