"""The event loop that runs are carried out in: libuv's where it is installed, as it is wherever it exists."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

try:
    import uvloop
except ImportError:  # on Windows, or left out
    _new_loop = None
else:
    _new_loop = uvloop.new_event_loop

T = TypeVar("T")


def carried_out(work: Coroutine[Any, Any, T]) -> T:
    """Do this work in a loop of its own, to its end."""
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        return runner.run(work)
