"""How far a run has come: what is planned, and what happens now."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from interplay.benchmarks import find
from interplay.running.progress import NEWEST, Progress, progress_of
from interplay.running.spec import make_spec
from interplay.store.lock import run_lock
from interplay.store.records import Records, Run
from tests.web.big_store import make_store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def look(store: Path) -> Progress:
    with Records(store) as records:
        run = records.find("last")
        return progress_of(records, run, find(run.benchmark))


def send(store: Path, ago: timedelta) -> None:
    """All calls are sent, a millisecond one after the other, the last of them so long ago."""
    with Records(store) as records:
        last = records.db.execute("SELECT max(number) FROM calls").get
        for number in range(1, last + 1):
            sent = datetime.now(UTC) - ago - timedelta(milliseconds=last - number)
            text = sent.isoformat(timespec="milliseconds")
            records.db.execute("UPDATE calls SET sent = ? WHERE number = ?", (text, number))


def test_what_is_planned_is_every_cast_scenario_and_repeat(store: Path) -> None:
    make_store(store, 40, scenarios=5)
    found = look(store)
    assert (found.planned, found.judges) == (40, 2)
    assert found.waiting == {}
    assert found.last_written is not None
    assert datetime.now(UTC) - found.last_written < timedelta(minutes=5)


def test_models_that_sit_down_together_are_planned_by_table(store: Path) -> None:
    benchmark = find("word_guessing")
    models = [f"openai/{name}" for name in "abcd"]
    spec = make_spec(benchmark, models=models, roles={"opponent": ["openai/e"]}, limit=3, epochs=2)
    extent = {"limit": 3, "epochs": 2, "judges": []}
    with Records(store, create=True) as records:
        records.begin(spec.run_id, benchmark.name, spec.identity(), extent)
    seats = len(benchmark.subjects(spec.settled(benchmark)))
    tables = {1: 4, 2: 6, 3: 4}[seats]
    found = look(store)
    assert found.planned == tables * 3 * 2
    assert (found.last_written, found.written_by, found.judges) == (None, "", 0)


def test_calls_of_the_last_minute_are_counted(store: Path) -> None:
    make_store(store, 40, scenarios=5)
    with Records(store) as records:
        calls = records.db.execute("SELECT count(*) FROM calls").get
    assert calls < NEWEST
    send(store, timedelta(seconds=30))
    assert look(store).calls_in_last_minute == calls
    send(store, timedelta(seconds=120))
    assert look(store).calls_in_last_minute == 0


def test_of_very_many_calls_the_newest_tell_how_many_a_minute_there_are(store: Path) -> None:
    make_store(store, 160, scenarios=20)
    send(store, timedelta(seconds=0))  # a thousand a second
    assert look(store).calls_in_last_minute > 5_000


def test_another_runs_calls_are_not_counted(store: Path) -> None:
    run = make_store(store, 20, scenarios=5)
    make_store(store, 20, scenarios=5, seed=1)
    send(store, timedelta(seconds=10))
    with Records(store) as records:
        calls = [
            records.db.execute(
                "SELECT count(*) FROM calls k JOIN conversations c ON c.number = k.conversation WHERE c.run = ?",
                (one.number,),
            ).get
            for one in records.runs()
        ]
        found = progress_of(records, _again(records, run), find("role_play"))
    assert found.calls_in_last_minute == calls[0]


def test_a_run_that_is_written_says_by_whom(store: Path) -> None:
    run = make_store(store, 20, scenarios=5)
    with run_lock(store, run.id):
        assert look(store).written_by.startswith("process ")
    assert look(store).written_by == ""


def test_a_quiet_run_has_no_calls_of_the_last_minute(store: Path) -> None:
    make_store(store, 20, scenarios=5)
    send(store, timedelta(seconds=1))
    with Records(store) as records:
        records.db.execute("UPDATE beats SET beat = beat - 120000000")  # its last commit was before that
    assert look(store).calls_in_last_minute == 0


def _again(records: Records, run: Run) -> Run:
    return next(one for one in records.runs() if one.id == run.id)
