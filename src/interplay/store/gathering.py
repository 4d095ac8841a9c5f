"""Writes that arrive together are written together, in order, whatever the store."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

import apsw

T = TypeVar("T")
Write = Callable[[apsw.Connection], Any]


class Gathering(ABC):
    """Takes writes from one event loop; an awaited write is committed."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="interplay-store")
        self._waiting: list[tuple[Write, asyncio.Future[Any]]] = []
        self._draining: asyncio.Task[None] | None = None
        self._runs: set[int] = set()

    def beats_for(self, run: int) -> None:
        """From now on every commit that changes something is counted as a change of this run."""
        self._runs.add(run)

    async def write(self, write: Callable[[apsw.Connection], T]) -> T:
        """Do this write and wait until it is committed; it happens even if the waiter is cancelled.

        It may be done again from the start, and so must change nothing but the store.
        """
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((write, done))
        if self._draining is None or self._draining.done():
            self._draining = asyncio.create_task(self._drain())
        return cast(T, await done)

    async def _drain(self) -> None:
        while self._waiting:
            batch: list[tuple[Write, asyncio.Future[Any]]] = []
            try:
                await self._get_ready()
                batch, self._waiting = self._waiting, []  # with what came meanwhile
                results = await self._write_all([write for write, _ in batch])
            except Exception as error:  # noqa: BLE001  # handed on to everyone who waits for this batch
                if not batch:
                    batch, self._waiting = self._waiting, []
                for _, done in batch:
                    if not done.done():
                        done.set_exception(error)
                        done.exception()  # a waiter that was cancelled will not look
            else:
                for (_, done), result in zip(batch, results, strict=True):
                    if not done.done():
                        done.set_result(result)

    async def _get_ready(self) -> None:
        """Whatever has to be waited for before a batch is made up."""
        return

    @abstractmethod
    async def _write_all(self, writes: list[Write]) -> list[Any]:
        """Commit one batch; what each write of it gave back."""

    @abstractmethod
    def _let_go(self) -> None:
        """Close the connection."""

    async def _in_thread(self, step: Callable[[], T]) -> T:
        """What may have to wait, for a lock, the disk or a server, does so in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, step)

    async def close(self) -> None:
        """Write what is waiting, then let go of the store; it happens even if the waiter is cancelled."""
        await asyncio.shield(self._close())

    async def _close(self) -> None:
        while self._draining is not None and not self._draining.done():
            await asyncio.wait([self._draining])
        await asyncio.to_thread(self._thread.shutdown)
        self._let_go()
