"""What a run came to: its board and scores, pure functions of its records."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from interplay.benchmarks import judge_probe
from interplay.benchmarks.judge_probe.scoring import told_of
from interplay.core.benchmark import Benchmark, Options, Played, Score, Unjudged, Verdict
from interplay.core.board import Board, Cell, Column
from interplay.core.failures import Cancelled, Waiting
from interplay.core.forms import build
from interplay.core.people import is_person
from interplay.models import embedded
from interplay.running.decided import KEPT_AS as UNTIL_DECIDED
from interplay.running.decided import told as told_of_deciding
from interplay.running.edition_note import edition_notes
from interplay.running.import_note import import_notes, is_imported
from interplay.running.null_note import null_notes
from interplay.running.pairing import KEPT_AS as PAIRS
from interplay.running.pairing import duels_of, judges_of_pairs
from interplay.running.people_note import people_notes, waiting_remarks
from interplay.running.spec import EMBEDDED
from interplay.store.batches import with_verdicts
from interplay.store.journal import Journal
from interplay.store.records import ConversationRow, Records, Run, Totals
from interplay.store.standing import all_answered

OPEN = Column("open", "open", "are the model's weights open?", "text", detail=True)
SAMPLING = Column(
    "sampling", "sampling", "sampling of this model's own, where it differs from its role's", "text"
)
OUTDATED = "The run went on after this was made of it; what it has played since is not in here."
USAGE = (
    Column(
        "tokens",
        "tokens",
        "tokens of all roles in this model's conversations, read and written; of verdicts, those of this rubric, and "
        "none on pairs; "
        "where several models are measured together, its own",
        "count",
        detail=True,
    ),
    Column("cost", "cost $", "what those tokens cost; unknown where a price is", "money"),
)


def played_of(records: Records, run: Run, benchmark: Benchmark) -> list[Played]:
    """The run's conversations with the verdicts of the rubric that it was last judged with."""
    numbers = records.numbers(run)
    begun = sorted(numbers)  # which is how they lie in the store: each page of a large one is read once
    read = dict(zip(begun, each_played(records, run, benchmark, begun), strict=True))
    return [read[number] for number in numbers]


def each_played(records: Records, run: Run, benchmark: Benchmark, numbers: Sequence[int]) -> Iterator[Played]:
    """The same one by one, as they are read, in the order of these numbers."""
    waiting, rubric = records.waiting(run), run.extent["rubric"]
    # of those that judges held against each other, each is needed beside others
    duels = duels_of(list(records.each(run)), records.verdicts(run), run) if PAIRS in run.extent else {}
    for row, verdicts in with_verdicts(records, numbers, rubric=rubric, lines=False):
        yield Played(
            scenario=row.scenario,
            subject=row.subject,
            repeat=row.repeat,
            outcome=build(benchmark.outcome, row.outcome) if row.state == "done" else None,
            detail=row.detail,
            failure=row.failure or _why_open(row, waiting),
            verdicts=tuple(verdict for _, verdict in verdicts),
            cast=row.cast,
            against=duels.get(row.number, ()),
        )


def _why_open(row: ConversationRow, waiting: Container[int]) -> str:
    if row.state != "open":
        return ""
    return Waiting.name if row.number in waiting else Cancelled.name


@dataclass(frozen=True)
class Judged:
    """A conversation with all that was made of it."""

    row: ConversationRow
    verdicts: tuple[tuple[str, Verdict], ...]  # by every rubric, with the item that each is about
    scores: tuple[Score, ...]


def judged_of(records: Records, run: Run, benchmark: Benchmark, *, lines: bool = True) -> Iterator[Judged]:
    """The run's conversations in the record's order, few in memory at a time; their scores are made anew.

    What was said is read along only where it is asked for: it is most of a conversation.
    """
    options, rubric = options_of(run, benchmark), run.extent["rubric"]
    yield from judged_in(records, benchmark, options, rubric, records.numbers(run), lines=lines)


def judged_in(
    records: Records,
    benchmark: Benchmark,
    options: Options,
    rubric: str,
    numbers: Iterable[int],
    *,
    lines: bool = True,
) -> Iterator[Judged]:
    """The same of some conversations, by the verdicts of one rubric."""
    for row, verdicts in with_verdicts(records, list(numbers), lines=lines):
        scores: Sequence[Score] = ()
        if row.state == "done":
            counted = [one for item, one in verdicts if not item and one.rubric == rubric]
            scores = benchmark.score(build(benchmark.outcome, row.outcome), counted, options)
        yield Judged(row, tuple(verdicts), tuple(scores))


def board_of(
    records: Records, run: Run, benchmark: Benchmark, changes: Mapping[str, str] | None = None
) -> Board:
    """The board of a run; changes are options that only concern the table."""
    options = {**options_of(run, benchmark), **table_changes(benchmark, changes)}
    board, [seen] = summary_of(records, [run], benchmark, options)
    board = with_usage(board, records, [run])
    notes = (*board.notes, *notes_of(records, run, seen))
    return replace(board, notes=notes, parts=(*sequels_of(records, run, benchmark), *board.parts))


def summary_of(
    records: Records, runs: Sequence[Run], benchmark: Benchmark, options: Options
) -> tuple[Board, list["Seen"]]:
    """The benchmark's own board of all conversations of these runs, and what was seen of each run's.

    They are held only where the benchmark goes over them more than once.
    """
    seen = [Seen() for _ in runs]
    if benchmark.in_one_pass is None:
        played = [
            one.passing(played_of(records, run, benchmark)) for one, run in zip(seen, runs, strict=True)
        ]
        return benchmark.summarize(list(chain.from_iterable(played)), options), seen
    passing = (
        one.passing(each_played(records, run, benchmark, sorted(records.numbers(run))))
        for one, run in zip(seen, runs, strict=True)
    )
    return benchmark.in_one_pass(chain.from_iterable(passing), options), seen


@dataclass
class Seen:
    """What the notes of a board tell of the conversations of a run, gathered while others read them."""

    conversations: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    seated: list[Mapping[str, str]] = field(default_factory=list)  # the casts in which people sat

    def passing(self, played: Iterable[Played]) -> Iterator[Played]:
        """The same conversations, looked at as they pass."""
        for one in played:
            self.conversations += 1
            if one.failure:
                self.failures[one.failure] += 1
            if any(map(is_person, one.cast.values())):
                self.seated.append(one.cast)
            yield one


def sequels_of(records: Records, run: Run, benchmark: Benchmark) -> list[Board]:
    """The boards of what was made of this run's conversations together, the newest first."""
    if benchmark.sequel is None:
        return []
    following = benchmark.sequel.benchmarks[-1]
    last = max(records.numbers(run), default=0)
    found: list[Board] = []
    for one in reversed(records.made_of(run.id)):
        if one.benchmark == following.name:
            board = board_of(records, one, following)
            went_on = last > min(records.numbers(one), default=last)
            notes = (*board.notes, OUTDATED) if went_on else board.notes
            found += [
                replace(board, notes=notes, parts=()),
                *board.parts,
            ]  # pages show parts, not parts of parts
    return found


def with_usage(board: Board, records: Records, runs: Sequence[Run]) -> Board:
    """The board with what is known of its models beside their scores: weights, sampling of their own, cost."""
    usage, sampled = _usage(records, runs), _sampled(runs)
    nothing_known = (None, None) if any(map(is_imported, runs)) else None  # of what was played elsewhere
    weights = {name: is_open for run in runs for name, is_open in run.extent.get("open", {}).items()}
    rows: list[Mapping[str, Cell]] = []
    for row in board.rows:
        name = str(row["model"])
        tokens, cost = nothing_known or usage.get(str(row.get("subject", name)), (0, 0.0))
        known = {
            "sampling": sampled.get(name, ""),
            "open": _yes_or_no(weights.get(name)),
        }
        rows.append({**row, **known, "tokens": tokens, "cost": cost})
    shown = [column for column, there in ((OPEN, weights), (SAMPLING, sampled)) if there]
    notes = (*board.notes, *null_notes(board))
    return replace(board, columns=(*board.columns, *shown, *USAGE), rows=tuple(rows), notes=notes)


def _yes_or_no(answer: bool | None) -> str:
    return "" if answer is None else "yes" if answer else "no"


def _usage(records: Records, runs: Sequence[Run]) -> dict[str, tuple[int, float | None]]:
    found: dict[str, tuple[int, float | None]] = {}
    for run in runs:
        for name, (tokens, cost) in records.usage_by_subject(run).items():
            before, paid = found.get(name, (0, 0.0))
            found[name] = (before + tokens, None if cost is None or paid is None else paid + cost)
    return found


def _sampled(runs: Sequence[Run]) -> dict[str, str]:
    """The models that were sampled in a way of their own, and how."""
    return {
        name: ", ".join(
            f"{key} {'none' if value is None else f'{value:g}'}" for key, value in sorted(change.items())
        )
        for run in runs
        for name, change in run.identity["sampling"].items()
        if name in run.identity["models"]
    }


def options_of(run: Run, benchmark: Benchmark) -> dict[str, str]:
    """The options of a recorded run, as it was last judged."""
    return benchmark.settle({**run.identity["options"], **run.extent.get("judging", {})})


def table_changes(benchmark: Benchmark, changes: Mapping[str, str] | None) -> Mapping[str, str]:
    """Options of the table that somebody typed, checked."""
    benchmark.settle(changes or {})
    return changes or {}


def notes_of(records: Records, run: Run, seen: Seen) -> list[str]:
    totals = records.totals(run)
    notes = [_told(run, f"{seen.conversations} conversations", totals)]
    notes += [*import_notes(run), *edition_notes(run), *people_notes(run, seen.seated)]
    compared = judges_of_pairs(run)
    if compared:
        notes.append(f"Run {run.id}: models compared two by two by {_named(compared, totals)}.")
    if seen.failures:
        counted = ", ".join(f"{name} {count}" for name, count in sorted(seen.failures.items()))
        notes.append(f"Void by name: {counted}.")
    if totals.estimated:
        notes.append(f"Tokens of {totals.estimated} calls are estimated: the endpoint did not report them.")
    for model, versions in totals.models.items():
        if len(versions) > 1:
            notes.append(f"Mixed: {model} answered as {', '.join(versions)}.")
    if len(records.protocols(run)) > 1:
        notes.append("Mixed: the prompts or protocol changed between conversations of this run.")
    for kept in (run.extent, run.extent.get("pairs", {})):
        if UNTIL_DECIDED in kept:
            notes.extend(told_of_deciding(kept[UNTIL_DECIDED]))
    for judge in sorted({*run.extent["judges"], *compared}):
        notes.extend(_probed(records, judge))
        if judge == EMBEDDED or embedded.FILE in totals.models.get(judge, ()):
            notes.append(f"The judge {judge} is the embedded model: {embedded.CAVEAT}")
    return notes


def _probed(records: Records, judge: str) -> list[str]:
    """What the newest probe of a judge in the same store found; nothing where it was never probed."""
    probes = [run for run in records.runs() if run.benchmark == judge_probe.benchmark.name]
    for run in reversed(probes):
        if judge in run.identity["models"]:
            told = told_of(played_of(records, run, judge_probe.benchmark), judge, run.created[:10])
            if told:
                return [f"The judge {told}."]
    return []


def judged_by(records: Records, run: Run, what: str) -> str:
    """A run, what is said of it, and by whom it was judged, with the versions that they reported."""
    return _told(run, what, records.totals(run))


def _told(run: Run, what: str, totals: Totals) -> str:
    return f"Run {run.id}: {what}{_panel(run, totals)}."


def _panel(run: Run, totals: Totals) -> str:
    if not run.extent["judges"]:
        return "" if run.extent["rubric"] == Unjudged.digest else ", not judged"
    return f", judged by {_named(run.extent['judges'], totals)}"


def _named(judges: Sequence[str], totals: Totals) -> str:
    """The judges, with the versions that they reported."""
    named = []
    for judge in judges:
        reported = [version for version in totals.models.get(judge, ()) if version and version != judge]
        named.append(f"{judge} ({', '.join(reported)})" if reported else judge)
    return ", ".join(named)


def remarks_of(records: Records, run: Run) -> list[str]:
    """What is true of this record, and not of the results: calls that were lost on the way."""
    if all_answered(records, run):
        return []
    totals = records.totals(run)
    remarks = []
    if totals.unknown:
        cost = "" if totals.unknown_cost is None else f", at most ${totals.unknown_cost:,.4f}"
        remarks.append(
            f"{totals.unknown} calls were sent and their answer is unknown (stopped in mid-call{cost})."
        )
    if totals.failed:
        remarks.append(f"{totals.failed} calls failed; each is in the record with its cause.")
    return [*remarks, *waiting_remarks(records, run)]


async def rescore(records: Records, journal: Journal, run: Run, benchmark: Benchmark) -> int:
    """Compute the scores of all conversations again from outcomes and verdicts; calls no model."""
    count = 0
    for one in judged_of(records, run, benchmark, lines=False):
        if one.row.state == "done":
            await journal.scored(one.row.number, one.scores)
            count += 1
    return count
