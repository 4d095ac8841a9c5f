"""What is left to do of a run: the difference between what it asks for and what its record has."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from interplay.core.benchmark import RULE, Benchmark, Scenario, Verdict
from interplay.core.failures import FAILURES, Mistake
from interplay.core.forms import build
from interplay.core.people import is_person
from interplay.core.wire import digest_of
from interplay.running.import_note import is_imported
from interplay.running.spec import RunSpec
from interplay.store.batches import with_verdicts
from interplay.store.journal import Place
from interplay.store.records import Records, Run
from interplay.store.standing import Address, Standing, heard, standings

Seating = tuple[Scenario, str, Mapping[str, str], int]  # what a place is made of
MOST_NEW = 1_000_000
LONGEST_NUMBER = 20  # digits


@dataclass(frozen=True)
class Anew:
    """Which conversations are played anew on purpose; the newest take counts, older ones stay in the record."""

    diverged: bool = False  # those whose record no longer fits what is asked; judges too
    void: bool = False
    all: bool = False
    numbers: frozenset[int] = frozenset()

    def wants(self, one: Standing) -> bool:
        return self.all or (self.void and one.state == "void") or one.number in self.numbers

    def check(self, run: str, there: Iterable[Standing]) -> None:
        """Raise a Mistake if a number is not that of a conversation's newest take."""
        known = {one.number for one in there} if self.numbers else set()
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


@dataclass(frozen=True, slots=True)
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
    there = standings(records, run) if records and run else {}
    anew.check(run.id if run else spec.run_id, there.values())
    settled = heard(records, run, extent["rubric"], _is_settled) if records and run else {}
    places = _places(benchmark, spec, scenarios, extent)
    if run and is_imported(run):
        places = _places_of(there, benchmark, spec, scenarios, extent)
    works = []
    for address, place in places:
        one = there.get(address)
        work = _work(Place(*place), one, settled.get(one.number, ()) if one else (), extent["judges"], anew)
        if work.play or work.judges:
            works.append(work)
    return Plan(tuple(_with_outcomes(works, benchmark, records, extent["rubric"]) if records else works))


def _places(
    benchmark: Benchmark, spec: RunSpec, scenarios: Sequence[Scenario], extent: Mapping[str, Any]
) -> Iterator[tuple[Address, Seating]]:
    """Every conversation of the run; models take turns, so that a run cut short compares them all."""
    casts = [(subject, cast, digest_of(dict(cast))) for subject, cast in spec.casts(benchmark)]
    for repeat in range(extent["epochs"]):
        for scenario in scenarios[: extent["limit"]]:
            for subject, cast, digest in casts:
                yield (scenario.id, digest, repeat), (scenario, subject, cast, repeat)


def _places_of(
    there: Iterable[Address],
    benchmark: Benchmark,
    spec: RunSpec,
    scenarios: Sequence[Scenario],
    extent: Mapping[str, Any],
) -> Iterator[tuple[Address, Seating]]:
    """The conversations that a run has, in the same order: files may have one scenario once and another very often."""
    known = {one.id: (rank, one) for rank, one in enumerate(scenarios[: extent["limit"]])}
    casts = {
        digest_of(dict(cast)): (rank, subject, cast)
        for rank, (subject, cast) in enumerate(spec.casts(benchmark))
    }
    found = [(repeat, known[id], casts[cast]) for id, cast, repeat in there if id in known and cast in casts]
    found.sort(key=lambda one: (one[0], one[1][0], one[2][0]))
    for repeat, (_, scenario), (_, subject, cast) in found:
        yield (scenario.id, digest_of(dict(cast)), repeat), (scenario, subject, cast, repeat)


def _work(
    place: Place, one: Standing | None, settled: Collection[str], judges: Sequence[str], anew: Anew
) -> Work:
    if one is None:
        return Work(place, True, tuple(judges))
    if anew.wants(one):
        return Work(place, True, tuple(judges), one.number, anew=True)
    if one.state == "open" or (one.state == "void" and FAILURES[one.failure].again):
        return Work(place, True, tuple(judges), one.number)
    if one.state == "void":
        return Work(place, False, ())
    return Work(place, False, tuple(judge for judge in judges if judge not in settled), one.number)


def _with_outcomes(
    works: Sequence[Work], benchmark: Benchmark, records: Records, rubric: str
) -> Iterator[Work]:
    """The works, and of those that are to be judged alone what was played, with the verdicts that are there."""
    played = [work.conversation for work in works if not work.play and work.conversation is not None]
    read = with_verdicts(records, played, rubric=rubric, lines=False)
    for work in works:
        if work.play:
            yield work
            continue
        row, verdicts = next(read)
        kept = tuple(verdict for _, verdict in verdicts if _is_settled(verdict.failure))
        yield replace(work, outcome=build(benchmark.outcome, row.outcome), verdicts=kept)


def missing_of(given: Iterable[Verdict], judges: Iterable[str]) -> tuple[str, ...]:
    """The judges who have not said what they will ever say."""
    settled = {verdict.judge for verdict in given if _is_settled(verdict.failure)}
    return tuple(judge for judge in judges if judge not in settled)


def _is_settled(failure: str) -> bool:
    """Is a verdict, that failed by this name or did not, the last word of its judge?"""
    return not failure or not FAILURES[failure].again
