"""What was measured: numbers in words, each with its meaning and, where there is one, its target."""

import os
from dataclasses import dataclass
from statistics import median

NOT_HERE = "not run"


@dataclass(frozen=True)
class Measure:
    """One number."""

    name: str
    value: str
    meaning: str
    target: str = ""
    met: bool | None = None  # None where there is no target, or nothing was measured

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


def load() -> float:
    """How many processes wanted a core in the last minute."""
    return os.getloadavg()[0]


def times(ratios: list[float]) -> str:
    """The median of some ratios and, where there are several, the least and the most."""
    spread = f" ({min(ratios):.2f} to {max(ratios):.2f})" if len(ratios) > 1 else ""
    return f"{median(ratios):.2f} x{spread}"


def microseconds(seconds: list[float]) -> str:
    """The median of some times and, where there are several, the least and the most."""
    spread = f" ({min(seconds) * 1e6:,.0f} to {max(seconds) * 1e6:,.0f})" if len(seconds) > 1 else ""
    return f"{median(seconds) * 1e6:,.0f} µs{spread}"


def megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"
