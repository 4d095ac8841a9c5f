"""Verdicts of judges on probes, made up for tests."""

from pathlib import Path
from typing import Any

from interplay.benchmarks.judge_probe.protocol import Said, Twins
from interplay.benchmarks.judge_probe.scoring import Result
from interplay.core.benchmark import Played, Scenario

OWN = Path(__file__).parent / "own_defects"
OPTIONS = {"set": "all", "explanation": "600", "prompts": "", "label": ""}
LOST = Said(problem="Your reply holds no JSON object.")


def said(verdict: int | str | None) -> Said:
    """A rating, a letter, or nothing that could be read."""
    if verdict is None:
        return LOST
    return Said(rating=verdict) if isinstance(verdict, int) else Said(better=verdict)


def injected(
    spoiled: int | str | None, clean: int | str | None, wants: str = "high", group: str = "json"
) -> Twins:
    return Twins("injections", group, wants, said(spoiled), said(clean), True)


def spoilt(spoiled: int | None, clean: int | None, group: str = "rudeness") -> Twins:
    return Twins("defects", group, "", said(spoiled), said(clean), False)


def result(twins: Twins, probe: str = "p", about: str = "q", judge: str = "j") -> Result:
    return Result(judge, probe, about, twins)


def played(twins: Twins | None, probe: str, about: str = "", judge: str = "openai/j", **more: Any) -> Played:
    content = {"id": probe, "about": about or probe}
    return Played(Scenario(content, probe), judge, 0, outcome=twins, **more)
