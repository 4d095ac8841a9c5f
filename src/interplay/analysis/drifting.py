"""Drift: the same judge, asked about the same texts at two times, and whether it has changed in between."""

from dataclasses import dataclass
from math import fsum
from typing import Any

from interplay.benchmarks import judge_probe
from interplay.benchmarks.judge_probe.scoring import results_of
from interplay.running.results import played_of
from interplay.statistics.drift import Shift, shift
from interplay.store.records import Records, Run

Anchors = dict[str, tuple[float, str]]  # by probe: the rating of its clean twin, and what it is about


@dataclass(frozen=True)
class Drift:
    """How far a judge's ratings of frozen texts moved since an earlier probe."""

    judge: str
    since: Run
    found: Shift

    def told(self) -> str:
        moved = self.found.difference
        if moved.value is None or moved.low is None or moved.high is None:
            return f"{self.judge}: too few texts in common with {self.since.id} to tell a drift."
        seen = "" if self.found.visible is None else f"; a shift of {self.found.visible:.2g} would be seen"
        changed = "has drifted" if self.found.shown else "shows no drift"
        return (
            f"{self.judge} {changed} since {self.since.id} of {self.since.created[:10]}: {moved.value:+.2f} points "
            f"({moved.low:+.2f} to {moved.high:+.2f}) on {moved.n} clean texts{seen}."
        )

    def as_json(self) -> dict[str, Any]:
        moved = self.found.difference
        known = {"judge": self.judge, "since": self.since.id, "n": moved.n, "drifted": self.found.shown}
        return {
            **known,
            "shift": moved.value,
            "low": moved.low,
            "high": moved.high,
            "visible": self.found.visible,
        }


def drifts_of(records: Records, run: Run) -> list[Drift]:
    """Each judge of a probe against the newest earlier one that asked it in the same way about the same texts."""
    found = []
    earlier = [
        one
        for one in records.runs()
        if one.benchmark == run.benchmark
        and one.number < run.number
        and _asked(records, one) == _asked(records, run)
    ]
    for judge in run.identity["models"]:
        before = next((one for one in reversed(earlier) if judge in one.identity["models"]), None)
        if before is not None:
            then, now = (_anchors(records, one, judge) for one in (before, run))
            both = sorted(then.keys() & now.keys())
            ways = [now[probe][1] for probe in both]
            moved = shift([then[probe][0] for probe in both], [now[probe][0] for probe in both], ways)
            found.append(Drift(judge, before, moved))
    return found


def _asked(records: Records, run: Run) -> Any:
    """How a probe asks: options but its label and its choice of texts, sampling, prompts."""
    options = {name: value for name, value in run.identity["options"].items() if name not in ("label", "set")}
    return options, run.identity["sampling"], records.protocols(run)


def _anchors(records: Records, run: Run, judge: str) -> Anchors:
    """The ratings of clean twins, which no injection and no defect has touched; of repeats, their mean."""
    played = [one for one in played_of(records, run, judge_probe.benchmark) if one.subject == judge]
    given: dict[str, list[float]] = {}
    about: dict[str, str] = {}
    for one in played:
        for result in results_of([one]):
            if result.twins.clean.rating is not None:
                given.setdefault(one.scenario.id, []).append(float(result.twins.clean.rating))
                about[one.scenario.id] = result.about
    return {id: (fsum(ratings) / len(ratings), about[id]) for id, ratings in given.items()}
