"""What a run came to: its board and scores, pure functions of its records."""

from collections.abc import Mapping
from dataclasses import replace

from interplay.core.benchmark import Benchmark, Played
from interplay.core.board import Board, Cell, Column
from interplay.core.forms import build
from interplay.models import embedded
from interplay.running.spec import EMBEDDED
from interplay.store.journal import Journal
from interplay.store.records import Records, Run, Totals

USAGE = (
    Column(
        "tokens",
        "tokens",
        "tokens of all roles in this model's conversations, read and written",
        "count",
        detail=True,
    ),
    Column("cost", "cost $", "what its conversations cost, all roles; unknown where a price is", "money"),
)


def played_of(records: Records, run: Run, benchmark: Benchmark) -> list[Played]:
    """The run's conversations with the verdicts of the rubric that it was last judged with."""
    rubric = run.extent["rubric"]
    verdicts = records.verdicts(run)
    return [
        Played(
            scenario=row.scenario,
            subject=row.subject,
            repeat=row.repeat,
            outcome=build(benchmark.outcome, row.outcome) if row.state == "done" else None,
            failure=row.failure or ("cancelled" if row.state == "open" else ""),
            verdicts=tuple(v for v in verdicts.get((row.number, ""), ()) if v.rubric == rubric),
        )
        for row in records.conversations(run)
    ]


def board_of(
    records: Records, run: Run, benchmark: Benchmark, changes: Mapping[str, str] | None = None
) -> Board:
    """The board of a run; changes are options that only concern the table."""
    played = played_of(records, run, benchmark)
    board = benchmark.summarize(played, benchmark.settle({**run.identity["options"], **(changes or {})}))
    usage = records.usage_by_subject(run)
    rows: list[Mapping[str, Cell]] = []
    for row in board.rows:
        tokens, cost = usage.get(str(row["model"]), (0, 0.0))
        rows.append({**row, "tokens": tokens, "cost": cost})
    notes = (*board.notes, *_notes(records, run, played))
    return replace(board, columns=(*board.columns, *USAGE), rows=tuple(rows), notes=notes)


def _notes(records: Records, run: Run, played: list[Played]) -> list[str]:
    totals = records.totals(run)
    notes = [f"Run {run.id}: {len(played)} conversations, {_panel(run, totals)}."]
    failures = sorted({one.failure for one in played if one.failure})
    if failures:
        counted = ", ".join(f"{name} {sum(one.failure == name for one in played)}" for name in failures)
        notes.append(f"Void by name: {counted}.")
    if totals.estimated:
        notes.append(f"Tokens of {totals.estimated} calls are estimated: the endpoint did not report them.")
    for model, versions in totals.models.items():
        if len(versions) > 1:
            notes.append(f"Mixed: {model} answered as {', '.join(versions)}.")
    if len(records.protocols(run)) > 1:
        notes.append("Mixed: the prompts or protocol changed between conversations of this run.")
    for judge in run.extent["judges"]:
        if judge == EMBEDDED or embedded.FILE in totals.models.get(judge, ()):
            notes.append(f"The judge {judge} is the embedded model: {embedded.CAVEAT}")
    return notes


def _panel(run: Run, totals: Totals) -> str:
    named = []
    for judge in run.extent["judges"]:
        reported = [version for version in totals.models.get(judge, ()) if version and version != judge]
        named.append(f"{judge} ({', '.join(reported)})" if reported else judge)
    return f"judged by {', '.join(named)}" if named else "not judged"


def remarks_of(records: Records, run: Run) -> list[str]:
    """What is true of this record, and not of the results: calls that were lost on the way."""
    totals = records.totals(run)
    remarks = []
    if totals.unknown:
        remarks.append(f"{totals.unknown} calls were sent and their answer is unknown (stopped in mid-call).")
    if totals.failed:
        remarks.append(f"{totals.failed} calls failed; each is in the record with its cause.")
    return remarks


async def rescore(records: Records, journal: Journal, run: Run, benchmark: Benchmark) -> int:
    """Compute the scores of all conversations again from outcomes and verdicts; calls no model."""
    rows = [row for row in records.conversations(run) if row.state == "done"]
    played = [one for one in played_of(records, run, benchmark) if one.outcome is not None]
    for row, one in zip(rows, played, strict=True):
        await journal.scored(row.number, benchmark.score(one.outcome, one.verdicts))
    return len(rows)
