"""What a process has used; read by each client of itself, so that nobody else's work is counted."""

import asyncio
import resource
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any

PEAK_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes


class Meter:
    """Reads from now on: the CPU of all threads and of the children that have ended, and the time on the wall."""

    def __init__(self) -> None:
        self._cpu, self._wall = used(), time.perf_counter()

    def taken(self) -> dict[str, float]:
        """CPU seconds, seconds on the wall, and the peak of memory in bytes."""
        return {"cpu": used() - self._cpu, "wall": time.perf_counter() - self._wall, "peak": peak()}


def taken_by(
    work: Coroutine[Any, Any, None], run: Callable[[Coroutine[Any, Any, None]], None] = asyncio.run
) -> dict[str, float]:
    """Run this to its end, in a loop of asyncio's own or in another; what it took."""
    meter = Meter()
    run(work)
    return meter.taken()


def used() -> float:
    """CPU seconds of this process so far, all its threads and its ended children included."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak() -> int:
    """The most memory that this process, or the largest of its ended children, has had so far, in bytes."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(kind).ru_maxrss for kind in kinds) * PEAK_UNIT
