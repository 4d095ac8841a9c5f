"""How far a run has come: what is planned, what is there, and whether somebody writes it now."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from interplay.core.benchmark import Benchmark
from interplay.core.importing import IMPORTED
from interplay.running.import_note import is_imported
from interplay.running.spec import spec_of
from interplay.store.beats import last_beat, time_of
from interplay.store.database import trouble_in_words
from interplay.store.lock import holder_of
from interplay.store.records import Records, Run

MINUTE = timedelta(minutes=1)
NEWEST = 500  # calls that are looked at, to tell how many a minute there are


@dataclass(frozen=True)
class Progress:
    """Where a run stands now; its counts are in its sums, which may be a little older."""

    planned: int  # conversations
    judges: int  # verdicts that each of them should have
    waiting: Mapping[str, int]  # people whose turn it is, and in how many conversations
    calls_in_last_minute: int
    last_written: datetime | None
    written_by: str  # the process that writes it now, or nobody


def progress_of(records: Records, run: Run, benchmark: Benchmark) -> Progress:
    """What can be told of a run at once, however large it is."""
    written = time_of(last_beat(records.db, run.number))
    now = datetime.now(UTC)
    is_quiet = written is not None and now - written > MINUTE
    return Progress(
        planned=_planned(run, benchmark),
        judges=len(run.extent["judges"]),
        waiting=Counter(name for names in records.waiting(run).values() for name in names),
        calls_in_last_minute=0 if is_quiet else _rate(records, run, now),
        last_written=written,
        written_by=holder_of(records.path, run.id),
    )


def _planned(run: Run, benchmark: Benchmark) -> int:
    """How many conversations a run should have; of one that was made elsewhere, all that came."""
    if is_imported(run):
        return int(run.extent[IMPORTED]["conversations"])
    casts = spec_of(run.identity, run.extent).casts(benchmark)
    return len(casts) * int(run.extent["limit"]) * int(run.extent["epochs"])


def _rate(records: Records, run: Run, now: datetime) -> int:
    """Calls of the run that were sent within the last minute; where there are very many, as the newest let expect."""
    since = (now - MINUTE).isoformat(timespec="milliseconds")
    with trouble_in_words(records.path):
        rows = records.db.execute(
            "SELECT k.sent, (SELECT run FROM conversations c WHERE c.number = k.conversation) FROM"
            " (SELECT number, sent, conversation FROM calls ORDER BY number DESC LIMIT ?) k WHERE k.sent >= ?",
            (NEWEST, since),
        ).fetchall()
    mine: int = sum(row[1] == run.number for row in rows)
    if len(rows) < NEWEST:
        return mine
    oldest = min(datetime.fromisoformat(str(sent)) for sent, _ in rows)
    return round(mine * (MINUTE / max(now - oldest, timedelta(milliseconds=1))))
