"""How fast a run goes is told by what its writer sent lately, and not before there is enough to go by."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from interplay.store import pace
from interplay.store.database import writing
from interplay.store.lock import run_lock
from interplay.store.pace import pace_of, written_since
from interplay.store.places import Server, Store
from interplay.store.records import Records, Run
from tests.store.databases import KINDS, of_kind
from tests.store.two_runs import two_runs
from tests.web.big_store import make_store

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)


@pytest.fixture(scope="module", params=KINDS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Run]:
    file = tmp_path_factory.mktemp("pace") / "s.db"
    run = make_store(file, 40, scenarios=10)
    return of_kind(request.param, request, file), run


def sent(store: Store, ages: list[float]) -> None:
    """So many seconds ago, the newest calls were sent; all others long before."""
    with Records(store) as records, writing(records.db, store):
        records.db.execute(
            "UPDATE calls SET sent = ?", ((NOW - timedelta(days=1)).isoformat(timespec="milliseconds"),)
        )
        newest = records.db.execute(
            "SELECT number FROM calls ORDER BY number DESC LIMIT ?", (len(ages),)
        ).fetchall()
        for (number,), age in zip(newest, ages, strict=True):
            when = (NOW - timedelta(seconds=age)).isoformat(timespec="milliseconds")
            records.db.execute("UPDATE calls SET sent = ? WHERE number = ?", (when, number))


def begun(store: Store, run: Run, age: float) -> None:
    if isinstance(store, Server):
        with Records(store) as records:
            records.db.execute("UPDATE leases SET since = ?", (NOW - timedelta(seconds=age),))
        return
    when = (NOW - timedelta(seconds=age)).timestamp()
    os.utime(store.with_name(store.name + ".locks") / f"{run.id}.holder", (when, when))


def test_since_when_it_is_written(made: tuple[Store, Run]) -> None:
    store, run = made
    assert written_since(store, run.id) is None
    with run_lock(store, run.id):
        found = written_since(store, run.id)
        assert found is not None and abs((datetime.now(UTC) - found).total_seconds()) < 60
    assert written_since(store, run.id) is None


@pytest.mark.parametrize(
    ("age", "ages", "expected"),
    [
        (600, [*range(1, 31)], 30 / 60),  # a minute is looked at
        (20, [*range(1, 11)], 10 / 20),  # or as long as it is written
        (20, [*range(1, 19), *range(21, 31)], 18 / 20),  # what another process sent before counts for nothing
        (5, [*range(1, 5), 4.5, 4.6], None),  # too short
        (600, [1, 2, 3], None),  # too few
        (600, [90] * 20, None),  # too long ago
    ],
)
def test_the_pace(made: tuple[Store, Run], age: float, ages: list[float], expected: float | None) -> None:
    store, run = made
    sent(store, ages)
    with run_lock(store, run.id), Records(store) as records:
        begun(store, run, age)
        found = pace_of(records, run, NOW)
    assert found == (None if expected is None else pytest.approx(expected))


def test_nobody_writes_it(made: tuple[Store, Run]) -> None:
    store, run = made
    sent(store, [*range(1, 31)])
    with Records(store) as records:
        assert pace_of(records, run, NOW) is None


def test_where_very_many_are_sent_the_newest_tell_it(
    made: tuple[Store, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, run = made
    monkeypatch.setattr(pace, "NEWEST", 20)
    sent(store, [index / 10 for index in range(1, 41)])
    with run_lock(store, run.id), Records(store) as records:
        begun(store, run, 600)
        assert pace_of(records, run, NOW) == pytest.approx(10.0)


@pytest.mark.parametrize("kind", KINDS)
def test_calls_of_other_runs_do_not_count(request: pytest.FixtureRequest, kind: str, tmp_path: Path) -> None:
    run = two_runs(tmp_path / "s.db", 40, 10, "number > 20")
    store = of_kind(kind, request, tmp_path / "s.db")
    sent(store, [*range(1, 31)])  # all of the other run
    with run_lock(store, run.id), Records(store) as records:
        begun(store, run, 600)
        assert pace_of(records, run, NOW) is None
        other = records.runs()[1]
    with run_lock(store, other.id), Records(store) as records:
        begun(store, other, 600)
        assert pace_of(records, other, NOW) == pytest.approx(0.5)
