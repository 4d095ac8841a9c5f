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
    """The numbers of one part, what was run for them, and how busy the machine was before."""

    name: str
    work: str
    load: float
    measures: tuple[Measure, ...]


@dataclass(frozen=True)
class Size:
    """How much is run."""

    cpu_epochs: int  # of SCENARIOS conversations
    cpu_rounds: int
    cpu_connections: int
    latency: float  # seconds
    latency_connections: int
    latency_epochs: int  # of SCENARIOS conversations
    latency_waves: int  # of the bare loop
    memory_scenarios: int
    memory_epochs: int
    starts: int


SCENARIOS = 64
FULL = Size(8, 5, 32, 0.5, 256, 100, 20, 50, 200, 5)
QUICK = Size(1, 1, 32, 0.2, 32, 1, 8, 50, 4, 2)  # shows that everything runs; its numbers mean little


def load() -> float:
    """How many processes wanted a core in the last minute."""
    return os.getloadavg()[0]
