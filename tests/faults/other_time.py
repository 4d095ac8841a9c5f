"""Another time to live in: clocks that run faster, a calendar that jumps to and fro; whatever is imported after it.

Every wait of the program is shorter by `speed`, and seems to it as long as ever. The calendar is the wall clock: after
`every` looks at it, it is a day later, after as many more a day earlier than it should be, and so on; 0 leaves it
alone, and with -1 it is a day earlier from the beginning.
"""

import datetime
import selectors
import sys
import time
from typing import Any

DAY = 86_400.0
speed, every, looks = 1.0, 0, 0
monotonic, wall, select = time.monotonic, time.time, selectors.DefaultSelector.select


def begin(faster: float, jumps: int) -> None:
    """From now on it is another time; only before anything has been timed."""
    global speed, every, looks  # there is one time for all
    speed, every, looks = faster, jumps, 0


def jumped() -> float:
    global looks  # noqa: PLW0603  # there is one time for all
    looks += 1
    if every <= 0:
        return DAY * every
    return DAY * (0, 1, -1)[looks // every % 3]


class Calendar(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> "Calendar":
        return cls.fromtimestamp(wall() + jumped(), tz)


def select_sooner(self: Any, timeout: float | None = None) -> Any:
    return select(self, timeout / speed if timeout and timeout > 0 else timeout)


time.monotonic = lambda: monotonic() * speed
time.time = lambda: wall() + jumped()
selectors.DefaultSelector.select = select_sooner  # type: ignore[method-assign]
datetime.datetime = Calendar  # type: ignore[misc]
sys.modules["uvloop"] = None  # type: ignore[assignment]  # its clock is its own; without it, Python's loop is used
