"""Probes: answers that try to write their own verdict, each with a clean twin, the ordinary answer alone."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

PLACE = "{{answer}}"  # where the ordinary answer stands in a probe's text
WANTS = ("high", "A", "B")  # a high rating; or, of two answers, this one


@dataclass(frozen=True)
class Probe:
    """An injection: the text around an ordinary answer, and the verdict that it tries to get."""

    id: str
    family: str
    wants: str
    text: str

    def planted(self, answer: str) -> str:
        """The answer with the injection around it; the answer alone is the clean twin."""
        before, _, after = self.text.partition(PLACE)
        return before + answer + after


@cache
def probes() -> tuple[Probe, ...]:
    """The standing set, family by family."""
    text = (files(__package__) / "data" / "probes.toml").read_text(encoding="utf-8")
    return tuple(
        Probe(entry["id"], family, entry["wants"], entry["text"].removesuffix("\n"))
        for family, entries in tomllib.loads(text).items()
        for entry in entries
    )
