"""What was measured: numbers in words, each with its meaning and, where there is one, its target."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """One number."""

    name: str
    value: str
    meaning: str
    target: str = ""
    met: bool | None = None  # None where there is no target

    @property
    def judgement(self) -> str:
        return "" if self.met is None else "met" if self.met else "MISSED"


@dataclass(frozen=True)
class Part:
    """The numbers of one part, what was run for them, and how busy the machine was before and after."""

    name: str
    work: str
    load: tuple[float, float]
    measures: tuple[Measure, ...]

    @property
    def heading(self) -> str:
        return f"{self.work}. Load before {self.load[0]:.1f}, after {self.load[1]:.1f}."


@dataclass(frozen=True)
class Size:
    """How much is run. A number of epochs is a number of conversations of each of SCENARIOS scenarios."""

    cpu_rounds: int
    cpu_epochs: int
    latency: float  # seconds
    latency_connections: int
    latency_epochs: int
    latency_waves: int  # of the bare loop: calls per connection
    memory_epochs: int
    starts: int
    pages_conversations: int


SCENARIOS = 50
CALLS_PER_CONVERSATION = 9  # four of the simulator and four of the subject, in turn, then one of the judge
CPU_CONNECTIONS = 32  # the default of a run
MEMORY_CONNECTIONS = 256
FULL = Size(
    cpu_rounds=7,
    cpu_epochs=10,
    latency=0.5,
    latency_connections=256,
    latency_epochs=128,
    latency_waves=20,
    memory_epochs=200,
    starts=5,
    pages_conversations=200_000,
)
QUICK = Size(
    cpu_rounds=1,
    cpu_epochs=1,
    latency=0.2,
    latency_connections=32,
    latency_epochs=1,
    latency_waves=5,
    memory_epochs=4,
    starts=1,
    pages_conversations=2_400,
)  # shows that everything runs; its numbers mean little


def load() -> float:
    """How many processes wanted a core in the last minute."""
    return os.getloadavg()[0]
