"""A run of conversations that were made elsewhere: files are read once to look, and once more to write them down."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import apsw

from interplay.core.benchmark import Benchmark
from interplay.core.failures import FAILURES, Mistake, StoreTrouble, why
from interplay.core.import_files import Skipped
from interplay.core.importing import IMPORTED, Imported, Importer, Reading
from interplay.core.wire import DIGEST_SIZE, digest_of
from interplay.running.import_sorting import Placed, Sorting
from interplay.running.reach import Reach
from interplay.running.results import rescore
from interplay.running.spec import RunSpec
from interplay.store.copying import bring_over
from interplay.store.database import check_new, writing
from interplay.store.journal import Journal, Place
from interplay.store.labels import Given, write_labels
from interplay.store.lock import run_lock
from interplay.store.places import Store
from interplay.store.records import Records, Run

T = TypeVar("T")
NOT_DRAWN = "not drawn here"  # how a conversation came to be labelled, of which the file says nothing
AT_ONCE = 1_000_000  # bytes
LONGEST_REASON = 300  # characters
TOLD_EVERY = 5_000  # rows, to who waits for a large file


Tell = Callable[[str], None]  # a line for people while it goes on


def unheard(line: str) -> None:
    """Nobody is there to be told."""


@dataclass(frozen=True)
class Wanted:
    """Files of one format, and what somebody says of them."""

    benchmark: Benchmark
    importer: Importer
    files: tuple[Path, ...]
    options: Mapping[str, str]  # settled
    model: str = ""
    judge: str = ""
    data: Path | None = None

    def rows(self) -> Iterator[tuple[Path, Imported | Skipped]]:
        for path in self.files:
            reading = Reading(path, self.options, self.model, self.judge, self.data)
            for one in self.importer.read(reading):
                yield path, one


@dataclass(frozen=True)
class Left:
    """A part of a file that was not taken in, and why."""

    file: str
    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.file}, {self.where}: {self.why}"


def left(path: Path, part: Skipped) -> Left:
    return Left(str(path), part.where, part.why[:LONGEST_REASON])  # what a file has may be quoted there


@dataclass
class Survey:
    """What the files have, found without writing anything."""

    conversations: int = 0
    verdicts: int = 0
    labels: int = 0
    epochs: int = 0
    scenarios: set[str] = field(default_factory=set)
    roles: dict[str, set[str]] = field(default_factory=dict)  # who sits in each role
    judges: dict[str, Counter[str]] = field(default_factory=dict)  # by model: of how many each has a verdict
    judged: Counter[str] = field(default_factory=Counter)  # by model: of how many anybody has one
    left: list[Left] = field(default_factory=list)

    def add(self, path: Path, one: Imported, placed: Placed) -> None:
        played = one.played
        if placed.is_new:
            self.conversations += 1
            self.epochs = max(self.epochs, placed.repeat + 1)
            self.scenarios.add(played.scenario.id)
            for role, model in played.cast.items():
                self.roles.setdefault(role, set()).add(model)
        mine = self.judges.setdefault(played.subject, Counter())
        mine.update(verdict.judge for verdict in placed.verdicts)
        self.judged[played.subject] += placed.is_judged_first
        self.verdicts += len(placed.verdicts)
        self.labels += len(placed.opinions)
        self.left += [left(path, part) for part in placed.skipped]

    @property
    def models(self) -> list[str]:
        return sorted(self.judges)

    @property
    def panel(self) -> list[str]:
        return sorted(set().union(*self.judges.values()))


@dataclass(frozen=True)
class Taken:
    """What came of an import."""

    run: str
    survey: Survey
    is_new: bool  # or was it there before, and so left as it is


def look(wanted: Wanted, tell: Tell = unheard) -> Survey:
    """Go through the files; a Mistake where what they have cannot be one run."""
    found, sorting = Survey(), Sorting()
    for path, one in _followed(wanted, tell, "Read"):
        if isinstance(one, Skipped):
            found.left.append(left(path, one))
        else:
            found.add(path, one, sorting.place(str(path), one))
    if not found.conversations:
        _refuse_nothing(wanted, found)
    _check_cast(wanted, found)
    _check_panel(found)
    return found


def _followed(wanted: Wanted, tell: Tell, done: str) -> Iterator[tuple[Path, Imported | Skipped]]:
    """The rows, and now and then a line that says how many there were."""
    for number, row in enumerate(wanted.rows(), 1):
        yield row
        if number % TOLD_EVERY == 0:
            tell(f"{done} {number:,} rows")


def _refuse_nothing(wanted: Wanted, found: Survey) -> None:
    named = ", ".join(map(str, wanted.files))
    if not found.left:
        raise Mistake(f"{named} has no rows; {wanted.importer.name} is {wanted.importer.meaning}")
    count = f"none of {len(found.left):,} rows" if len(found.left) > 1 else "nothing"
    raise Mistake(f"{count} of {named} could be read as {wanted.importer.name}; the first: {found.left[0]}")


def _check_cast(wanted: Wanted, found: Survey) -> None:
    measured = {role.name for role in wanted.benchmark.subjects(wanted.options)}
    for role, names in sorted(found.roles.items()):
        if role not in measured and len(names) > 1:
            raise Mistake(
                f"a run has one {role}, and these files have {', '.join(sorted(names))}; import them one by one"
            )


def _check_panel(found: Survey) -> None:
    """Two models by two panels, or by one that judged only a part, would look as if they could be compared."""
    first, *others = found.models
    for model in others:
        if found.judges[model].keys() != found.judges[first].keys():
            by = [" and ".join(sorted(found.judges[name])) or "nobody" for name in (first, model)]
            raise Mistake(
                f"{first} was judged by {by[0]}, {model} by {by[1]}: not one board; import their files one by one"
            )
    for model in found.models if others else ():
        for judge, count in sorted(found.judges[model].items()):
            if count < found.judged[model]:
                raise Mistake(
                    f"{judge} judged {count:,} of {found.judged[model]:,} conversations of {model}: not one board; "
                    f"import each model by itself, or leave out what {judge} said"
                )


def import_run(wanted: Wanted, store: Store, *, strict: bool = False, tell: Tell = unheard) -> Taken:
    """Write the run down, all of it or nothing; one that is there already is left as it is."""
    if wanted.data:
        check_plain(wanted.data)
    digests = digests_of(wanted.files)
    found = look(wanted, tell)
    if strict and found.left:
        raise Mistake(
            f"not all can be taken in (left out: {len(found.left):,}), and with --strict nothing is; the first: "
            f"{found.left[0]}"
        )
    identity = _identity(wanted, found, digests)
    id = f"{wanted.benchmark.name}-{digest_of(identity)[:8]}"
    if not store.exists():
        check_new(store)
    with ExitStack() as stack:
        stack.enter_context(run_lock(store, id))
        with Records(store, create=True) as there:
            if any(run.id == id for run in there.runs()):
                return Taken(id, found, is_new=False)
        # Others write the store while files are read, so all is written aside first.
        aside = stack.enter_context(_aside())
        with writing(aside.db, aside.path):
            run = aside.begin(id, wanted.benchmark.name, identity, _extent(wanted, found))
            asyncio.run(_write(wanted, aside, run, tell))
        if digests_of(wanted.files) != digests:
            raise Mistake("a file was changed while it was read, so nothing was taken in; import it again")
        bring_over([run], aside, stack.enter_context(Records(store)))
    return Taken(id, found, is_new=True)


@contextmanager
def _aside() -> Iterator[Records]:
    """A store of its own, which is gone afterwards."""
    try:
        made = TemporaryDirectory(prefix="interplay-")
    except OSError as error:
        raise StoreTrouble(
            f"no folder can be made for what is read ({why(error)}); name one that can be written in TMPDIR"
        ) from error
    with made as folder, Records(Path(folder) / "import.db", create=True) as records:
        yield records


def digests_of(files: Sequence[Path]) -> list[str]:
    """The digests of the files' content, by which the run is known again."""
    found: dict[str, Path] = {}
    for path in files:
        check_plain(path)
        digest = _digest(path)
        if digest in found:
            raise Mistake(f"{found[digest]} and {path} are the same file; name it once")
        found[digest] = path
    return sorted(found)


def check_plain(path: Path) -> None:
    """Raise a Mistake if a file can be read only once, as a pipe."""
    try:
        is_odd = path.exists() and not (path.is_file() or path.is_dir())
    except OSError as error:
        raise Mistake(f"{path} cannot be read: {why(error)}") from error
    if is_odd:
        raise Mistake(f"{path} is no plain file, and it is read more than once; write it to a file first")


def _digest(path: Path) -> str:
    made = hashlib.blake2b(digest_size=DIGEST_SIZE)
    try:
        with path.open("rb") as file:
            while piece := file.read(AT_ONCE):
                made.update(piece)
    except OSError as error:
        raise Mistake(f"{path} cannot be read: {why(error)}") from error
    return made.hexdigest()


def _identity(wanted: Wanted, found: Survey, digests: list[str]) -> dict[str, Any]:
    benchmark, options = wanted.benchmark, wanted.options
    measured = {role.name for role in benchmark.subjects(options)}
    roles = {role: tuple(names) for role, names in found.roles.items() if role not in measured}
    changed = [one for one in benchmark.options if options[one.name] != one.default]
    spec = RunSpec(
        benchmark=benchmark.name,
        models=tuple(found.models),
        roles={**roles, **({"judge": tuple(found.panel)} if found.panel else {})},
        options={one.name: options[one.name] for one in changed if not (one.of_table or one.of_sequel)},
        scenarios=digest_of(sorted(found.scenarios)),
    )
    return spec.identity() | {IMPORTED: {"format": wanted.importer.name, "files": digests}}


def _extent(wanted: Wanted, found: Survey) -> dict[str, Any]:
    """How far the run reaches; verdicts that came with it are by a rubric that is in no record."""
    rubric = IMPORTED if found.panel else wanted.benchmark.judging(wanted.options).digest
    reach = Reach(len(found.scenarios), found.epochs, tuple(found.panel), rubric)
    counts = {
        "conversations": found.conversations,
        "left_out": len(found.left),
        "judged": found.judged.total(),
        "judges": dict(sum(found.judges.values(), Counter[str]())),
    }
    return reach.extent() | {IMPORTED: counts}


async def _write(wanted: Wanted, records: Records, run: Run, tell: Tell) -> None:
    """The same rows again, written as they come: a large file is never in memory as a whole."""
    journal, sorting = Journal(_InOneTransaction(records.db), run.number), Sorting()
    numbers: list[int] = []
    labels: list[Given] = []
    protocol = digest_of([IMPORTED, wanted.importer.name])
    for path, one in _followed(wanted, tell, "Wrote"):
        if isinstance(one, Skipped):
            continue
        placed = sorting.place(str(path), one)
        if placed.is_new:
            numbers.append(await _conversation(journal, one, placed, protocol))
        number = numbers[placed.conversation]
        for verdict in placed.verdicts:
            await journal.judged(number, "", verdict)
        where = f"{path.name}, {one.where}"
        labels += [
            Given(number, said.rater, said.criterion, said.value, drawn=NOT_DRAWN, came_from=where)
            for said in placed.opinions
        ]
    write_labels(records.db, labels)
    await rescore(records, journal, run, wanted.benchmark)


async def _conversation(journal: Journal, one: Imported, placed: Placed, protocol: str) -> int:
    played = one.played
    place = Place(played.scenario, played.subject, played.cast, placed.repeat)
    number = await journal.open_conversation(place, protocol, anew=False)
    if played.failure:
        await journal.void(number, FAILURES[played.failure](played.detail), one.lines)
    else:
        await journal.finish(number, played.outcome, one.lines, protocol)
    return number


class _InOneTransaction:
    """Writes at once, within a transaction that somebody else ends."""

    def __init__(self, db: apsw.Connection):
        self._db = db

    def beats_for(self, run: int) -> None:
        """Whoever ends the transaction counts it as one change."""

    async def write(self, write: Callable[[apsw.Connection], T]) -> T:
        return write(self._db)

    async def close(self) -> None:
        """The connection is somebody else's."""
