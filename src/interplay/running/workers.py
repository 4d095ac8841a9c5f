"""Workers: each takes one conversation at a time, and the next one when that is done or waits for a person."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable

from interplay.running.plan import Work

PATIENCE_WHEN_STOPPING = 8.0  # seconds
BETWEEN_LOOKS = 0.5  # seconds, for what people have said meanwhile


class Workers:
    """Those who carry out the works of one start."""

    def __init__(
        self,
        attend: Callable[[Work], Awaitable[None]],
        answered: Callable[[], list[Work]],
        is_over: Callable[[], bool],
    ):
        self._attend = attend
        self._answered = answered
        self._is_over = is_over
        self._tasks: list[asyncio.Task[None]] = []
        self._again: deque[Work] = deque()
        self._looked = 0.0

    async def work_through(self, works: Iterable[Work], count: int, stop: Callable[[], None]) -> None:
        """Do all of these works, by so many workers; if one cannot go on, calls of the others may come back."""
        waiting = iter(works)

        async def worker() -> None:
            while not self._is_over() and (work := self._next(waiting)) is not None:
                await self._attend(work)

        self._tasks = [asyncio.create_task(worker()) for _ in range(count)]
        try:
            await self._all_done(stop)
        finally:
            self.drop()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def drop(self) -> None:
        """Wait for nothing more."""
        for task in self._tasks:
            task.cancel()

    def _next(self, waiting: Iterable[Work]) -> Work | None:
        """What people have moved on comes first; who has nothing else to do looks for that once more."""
        now = asyncio.get_running_loop().time()
        if now - self._looked >= BETWEEN_LOOKS:
            self._look(now)
        if self._again:
            return self._again.popleft()
        work = next(iter(waiting), None)
        if work is None:
            self._look(now)
            work = self._again.popleft() if self._again else None
        return work

    def _look(self, now: float) -> None:
        self._looked = now
        self._again.extend(self._answered())

    async def _all_done(self, stop: Callable[[], None]) -> None:
        if not self._tasks:
            return
        done, others = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
        if others:
            stop()
            await asyncio.wait(others, timeout=PATIENCE_WHEN_STOPPING)
        for task in done:
            task.result()
