"""What a process has used; read by each client of itself, so that nobody else's work is counted."""

import asyncio
import resource
import sys
import time
from collections.abc import Coroutine
from typing import Any

PEAK_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes


def taken_by(work: Coroutine[Any, Any, None]) -> dict[str, float]:
    """Run this to its end; the CPU seconds of all threads, the seconds on the wall, the peak of memory in bytes."""
    cpu, wall = time.process_time(), time.perf_counter()
    asyncio.run(work)
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall, "peak": peak()}


def peak() -> int:
    """The most memory that this process has had so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * PEAK_UNIT
