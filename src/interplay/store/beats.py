"""Beats: a number for each run that grows with every commit that changes something of it."""

import json
import time
from collections.abc import Iterable
from datetime import UTC, datetime

import apsw

# A beat is the time of the commit in microseconds, or one more than the last where the clock has not moved on: so it
# also tells when something was last written, and a run that was deleted and begun anew has other beats than before.
_NEXT = (
    "ON CONFLICT (run) DO UPDATE SET beat ="
    " CASE WHEN beats.beat >= excluded.beat THEN beats.beat + 1 ELSE excluded.beat END"
)
_BEAT = f"INSERT INTO beats (run, beat) SELECT number, CAST(? AS BIGINT) FROM runs WHERE number = ? {_NEXT}"  # noqa: S608  # our own names
_BEAT_OF = (
    "INSERT INTO beats (run, beat) SELECT DISTINCT run, CAST(? AS BIGINT) FROM conversations"  # noqa: S608  # our own names
    f" WHERE number IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) {_NEXT}"
)


def beat(db: apsw.Connection, run: int) -> None:
    """Count a change of this run (its number); call it inside the transaction that makes the change."""
    db.execute(_BEAT, (time.time_ns() // 1000, run))


def beat_of(db: apsw.Connection, conversations: Iterable[int]) -> None:
    """Count a change of the runs that these conversations belong to, each once."""
    db.execute(_BEAT_OF, (time.time_ns() // 1000, json.dumps(sorted(conversations))))


def last_beat(db: apsw.Connection, run: int) -> int:
    """The beat of a run; 0 where nothing was written since stores have beats."""
    found: int | None = db.execute("SELECT beat FROM beats WHERE run = ?", (run,)).get
    return found or 0


def time_of(beat: int) -> datetime | None:
    """When a run was written last, by its beat."""
    return datetime.fromtimestamp(beat / 1e6, UTC) if beat else None
