"""The program in another time: clocks that run faster (argument 1), a calendar that jumps to and fro (argument 2).

Every wait of the program is shorter by the first number, and seems to it as long as ever. The calendar is the wall
clock: after so many looks at it, it is a day later, after as many more a day earlier than it should be, and so on;
0 leaves it alone, and with -1 it is a day earlier from the beginning.
"""

import datetime
import selectors
import sys
import time
from typing import Any

DAY = 86_400.0
speed, every = float(sys.argv[1]), int(sys.argv[2])
monotonic, wall, select = time.monotonic, time.time, selectors.DefaultSelector.select
looks = 0


def jumped() -> float:
    global looks  # noqa: PLW0603  # a script, not a module
    looks += 1
    return DAY * ((0, 1, -1)[looks // every % 3] if every > 0 else every)


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

from interplay.cli import main  # noqa: E402  # only now, so that all of it lives in that time

sys.exit(main(sys.argv[3:]))
