"""What is left to do of a run: the difference between what it asks for and what its record has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from interplay.core.benchmark import Benchmark, Scenario, Verdict
from interplay.core.failures import FAILURES
from interplay.core.forms import build
from interplay.running.spec import RunSpec
from interplay.store.journal import Place
from interplay.store.records import ConversationRow, Records, Run


@dataclass(frozen=True)
class Work:
    """One conversation with something left to do."""

    place: Place
    play: bool
    judges: tuple[str, ...]  # those whose verdict is missing
    conversation: int | None = None
    outcome: Any = None
    verdicts: tuple[Verdict, ...] = ()  # those that are there


@dataclass(frozen=True)
class Plan:
    """All works of one start, in order, and the models they need."""

    works: tuple[Work, ...]

    @property
    def models(self) -> set[str]:
        """The models that these works need."""
        found = {judge for work in self.works for judge in work.judges}
        return found.union(*(work.place.cast.values() for work in self.works if work.play))

    def of_finished(self) -> "Plan":
        """Only what is left to judge of what was played."""
        return Plan(tuple(work for work in self.works if not work.play))

    @property
    def to_play(self) -> int:
        return sum(work.play for work in self.works)

    @property
    def to_judge(self) -> int:
        return sum(len(work.judges) for work in self.works)


def make_plan(
    benchmark: Benchmark,
    spec: RunSpec,
    scenarios: Sequence[Scenario],
    records: Records | None,
    run: Run | None,
    extent: Mapping[str, Any],
) -> Plan:
    """Compare what the run asks for with what its record has."""
    rows = {_key(row): row for row in records.conversations(run)} if records and run else {}
    verdicts = records.verdicts(run) if records and run else {}
    judges = tuple(extent["judges"])
    works = []
    for place in _places(benchmark, spec, scenarios, extent):
        row = rows.get((place.scenario.id, place.cast_digest, place.repeat))
        given = (
            tuple(v for v in verdicts.get((row.number, ""), ()) if v.rubric == extent["rubric"])
            if row
            else ()
        )
        work = _work(benchmark, place, row, given, judges)
        if work.play or work.judges:
            works.append(work)
    return Plan(tuple(works))


def _places(
    benchmark: Benchmark, spec: RunSpec, scenarios: Sequence[Scenario], extent: Mapping[str, Any]
) -> list[Place]:
    """Every conversation of the run; models take turns, so that a run cut short compares them all."""
    casts = {}
    for subject in spec.models:
        cast = spec.cast(benchmark, subject)
        casts[subject] = {role: casting.model for role, casting in cast.items()}
    return [
        Place(scenario, subject, casts[subject], repeat)
        for repeat in range(extent["epochs"])
        for scenario in scenarios[: extent["limit"]]
        for subject in spec.models
    ]


def _work(
    benchmark: Benchmark,
    place: Place,
    row: ConversationRow | None,
    given: tuple[Verdict, ...],
    judges: tuple[str, ...],
) -> Work:
    if row is None or row.state == "open" or (row.state == "void" and FAILURES[row.failure].again):
        return Work(place, True, judges)
    if row.state == "void":
        return Work(place, False, ())
    settled = {verdict.judge for verdict in given if not _again(verdict)}
    kept = tuple(verdict for verdict in given if verdict.judge in settled)
    missing = tuple(judge for judge in judges if judge not in settled)
    outcome = build(benchmark.outcome, row.outcome) if missing else None
    return Work(place, False, missing, row.number, outcome, kept)


def _again(verdict: Verdict) -> bool:
    return bool(verdict.failure) and FAILURES[verdict.failure].again


def _key(row: ConversationRow) -> tuple[str, str, int]:
    return row.scenario.id, Place(row.scenario, row.subject, row.cast, row.repeat).cast_digest, row.repeat
