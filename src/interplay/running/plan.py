"""What is left to do of a run: the difference between what it asks for and what its record has."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from interplay.core.benchmark import RULE, Benchmark, Scenario, Verdict
from interplay.core.failures import FAILURES, Mistake
from interplay.core.forms import build
from interplay.core.people import is_person
from interplay.running.spec import RunSpec
from interplay.store.journal import Place
from interplay.store.records import ConversationRow, Records, Run

MOST_NEW = 1_000_000
LONGEST_NUMBER = 20  # digits


@dataclass(frozen=True)
class Anew:
    """Which conversations are played anew on purpose; the newest take counts, older ones stay in the record."""

    diverged: bool = False  # those whose record no longer fits what is asked; judges too
    void: bool = False
    all: bool = False
    numbers: frozenset[int] = frozenset()

    def wants(self, row: ConversationRow) -> bool:
        return self.all or (self.void and row.state == "void") or row.number in self.numbers

    def check(self, run: str, rows: Iterable[ConversationRow]) -> None:
        """Raise a Mistake if a number is not that of a conversation's newest take."""
        known = {row.number for row in rows}
        for number in sorted(self.numbers - known):
            here = f"its numbers are {min(known)} to {max(known)}" if known else "it has none yet"
            raise Mistake(
                f"--new {number}: run {run} has no such conversation, or a newer take of it; {here}, "
                f"see interplay list {run}. To go on after a stop, leave --new out"
            )


def read_anew(typed: str) -> Anew:
    """What --new says: diverged, void, all, or numbers as in 3,7-9."""
    if not typed:
        return Anew()
    if typed in ("diverged", "void", "all"):
        return Anew(typed == "diverged", typed == "void", typed == "all")
    numbers: set[int] = set()
    for part in typed.split(","):
        first, dash, last = part.strip().partition("-")
        ends = (first, last if dash else first)
        written = all(end.isascii() and end.isdecimal() and len(end) < LONGEST_NUMBER for end in ends)
        if not written or not 0 <= int(ends[1]) - int(ends[0]) <= MOST_NEW:
            raise Mistake(
                f"--new takes numbers of conversations as in 3,7-9, or diverged, void, all; not {typed!r}"
            )
        numbers.update(range(int(ends[0]), int(ends[1]) + 1))
    return Anew(numbers=frozenset(numbers))


@dataclass(frozen=True)
class Work:
    """One conversation with something left to do."""

    place: Place
    play: bool
    judges: tuple[str, ...]  # those whose verdict is missing
    conversation: int | None = None
    outcome: Any = None
    verdicts: tuple[Verdict, ...] = ()  # those that are there
    anew: bool = False  # a new take, whatever the record has
    item: str = ""  # what is judged where it is not the conversation itself: an ordered pair


@dataclass(frozen=True)
class Plan:
    """All works of one start, in order, and the models they need."""

    works: tuple[Work, ...]

    @property
    def models(self) -> set[str]:
        """The models that these works need."""
        found = {judge for work in self.works for judge in work.judges}
        found = found.union(*(work.place.cast.values() for work in self.works if work.play))
        return {name for name in found if not name.startswith(RULE)}

    def of_finished(self) -> "Plan":
        """Only what is left to judge of what was played."""
        return Plan(tuple(work for work in self.works if not work.play))

    def of_unplayed(self) -> "Plan":
        """Only what is left to play; judging it is left to another start."""
        return Plan(tuple(replace(work, judges=()) for work in self.works if work.play))

    def of_games(self) -> "Plan":
        """Only what was begun and has people in it: a person's move spends nothing on the rest of a run."""
        begun = [work for work in self.works if work.conversation is not None and not work.anew]
        return Plan(tuple(work for work in begun if any(map(is_person, work.place.cast.values()))))

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
    anew: Anew = Anew(),  # noqa: B008  # frozen
) -> Plan:
    """Compare what the run asks for with what its record has."""
    rows = {_key(row): row for row in records.conversations(run)} if records and run else {}
    anew.check(run.id if run else spec.run_id, rows.values())
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
        if row and anew.wants(row):
            works.append(Work(place, True, judges, row.number, anew=True))
            continue
        work = _work(benchmark, place, row, given, judges)
        if work.play or work.judges:
            works.append(work)
    return Plan(tuple(works))


def _places(
    benchmark: Benchmark, spec: RunSpec, scenarios: Sequence[Scenario], extent: Mapping[str, Any]
) -> list[Place]:
    """Every conversation of the run; models take turns, so that a run cut short compares them all."""
    casts = spec.casts(benchmark)
    return [
        Place(scenario, subject, cast, repeat)
        for repeat in range(extent["epochs"])
        for scenario in scenarios[: extent["limit"]]
        for subject, cast in casts
    ]


def _work(
    benchmark: Benchmark,
    place: Place,
    row: ConversationRow | None,
    given: tuple[Verdict, ...],
    judges: tuple[str, ...],
) -> Work:
    if row is None or row.state == "open" or (row.state == "void" and FAILURES[row.failure].again):
        return Work(place, True, judges, row.number if row else None)
    if row.state == "void":
        return Work(place, False, ())
    missing = missing_of(given, judges)
    kept = tuple(verdict for verdict in given if not _again(verdict))
    outcome = build(benchmark.outcome, row.outcome) if missing else None
    return Work(place, False, missing, row.number, outcome, kept)


def missing_of(given: Iterable[Verdict], judges: Iterable[str]) -> tuple[str, ...]:
    """The judges who have not said what they will ever say."""
    settled = {verdict.judge for verdict in given if not _again(verdict)}
    return tuple(judge for judge in judges if judge not in settled)


def _again(verdict: Verdict) -> bool:
    return bool(verdict.failure) and FAILURES[verdict.failure].again


def _key(row: ConversationRow) -> tuple[str, str, int]:
    return row.scenario.id, Place(row.scenario, row.subject, row.cast, row.repeat).cast_digest, row.repeat
