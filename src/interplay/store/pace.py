"""How fast a run goes: the calls that its writer sent lately."""

from datetime import UTC, datetime, timedelta

from interplay.store.database import locks_of, trouble_in_words
from interplay.store.places import Server, Store
from interplay.store.records import Records, Run

LATELY = timedelta(minutes=1)
LEAST_TIME = timedelta(seconds=10)  # before that, nothing is said
LEAST_CALLS = 5
NEWEST = 2_000  # calls that are looked at


def written_since(store: Store, run: str) -> datetime | None:
    """When whoever writes the run began, by the note beside its lock; None where nobody left one."""
    if isinstance(store, Server):
        from interplay.store.postgres_lock import held_since  # the driver is an extra

        return held_since(store, run)
    try:
        began = (locks_of(store) / f"{run}.holder").stat().st_mtime
    except OSError:
        return None
    return datetime.fromtimestamp(began, UTC)


def pace_of(records: Records, run: Run, now: datetime | None = None) -> float | None:
    """Calls a second over the last minute, or since its writer began; None where that is too little to go by."""
    now = now or datetime.now(UTC)
    began = written_since(records.path, run.id)
    if began is None:
        return None
    start = max(began, now - LATELY)
    with trouble_in_words(records.path):
        rows = records.db.execute(
            "SELECT k.sent, (SELECT run FROM conversations c WHERE c.number = k.conversation) FROM"
            " (SELECT number, sent, conversation FROM calls ORDER BY number DESC LIMIT ?) k WHERE k.sent >= ?",
            (NEWEST, start.isoformat(timespec="milliseconds")),
        ).fetchall()
    if len(rows) == NEWEST:
        start = min(datetime.fromisoformat(str(sent)) for sent, _ in rows)
    elif now - start < LEAST_TIME:
        return None
    mine, seconds = sum(number == run.number for _, number in rows), (now - start).total_seconds()
    return mine / seconds if mine >= LEAST_CALLS and seconds > 0 else None
