"""Runs that are imported: all of one or nothing, the same in a file and on a server, by one process at a time."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.role_play.imported import PINGPONG
from interplay.core.failures import Mistake, RunLocked, StoreTrouble
from interplay.core.import_files import Skipped
from interplay.core.importing import Imported, Reading
from interplay.reporting.export import export
from interplay.running.importing import Taken, Wanted, import_run
from interplay.running.results import board_of
from interplay.store.copying import copy_runs
from interplay.store.database import patience, writing
from interplay.store.labels import Labels
from interplay.store.lock import run_lock
from interplay.store.places import Store
from interplay.store.records import Records
from tests.interop.elsewhere import STORM, annotated, four, result, scores, write_json, write_lines
from tests.store.databases import Databases

BENCHMARK = find("role_play")


def wanted(folder: Path) -> Wanted:
    """Two files: one with verdicts, one with labels."""
    marks = [scores((5, 4)), scores((4, 4)), scores((3, 4)), scores((5, 5), refused=(0, 1))]
    named = {"interrogator": "user-mini", "judge": "judge-one", "scores": scores((2, 2))}
    files = (
        write_json(folder / "a.json", result("player-a", "judge-one", four("Fair \x00 wind", marks))),
        write_lines(folder / "b.jsonl", [annotated("Ada", STORM, {"fluency": 4}, **named)]),
    )
    return Wanted(BENCHMARK, PINGPONG, files, BENCHMARK.settle({}))


def told(store: Store, taken: Taken) -> list[str]:
    """All that the store has of the run, but for when it was made."""
    with Records(store) as records, Labels(store) as labels:
        run = records.find(taken.run)
        known = [replace(one, made="") for one in labels.of(run)]
        board = board_of(records, run, BENCHMARK)
        pieces = "".join(export(records, replace(run, created=""), BENCHMARK, board, "jsonl"))
        assert records.integrity() == "ok"
    return [*pieces.splitlines(), *map(str, known)]


def test_a_file_and_a_server_have_the_same(tmp_path: Path, databases: Databases) -> None:
    file, server = tmp_path / "interplay.db", databases.take()
    try:
        made = [import_run(wanted(tmp_path), store) for store in (file, server)]
        assert made[0].run == made[1].run and all(one.is_new for one in made)
        assert told(file, made[0]) == told(server, made[1])
        assert not import_run(wanted(tmp_path), server).is_new
    finally:
        databases.give_back(server)


def test_what_fails_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    store, times = tmp_path / "interplay.db", 0

    def read(reading: Reading) -> Iterator[Imported | Skipped]:
        """Fails at the last row when it is read the second time."""
        nonlocal times
        times += 1
        yield from PINGPONG.read(reading)
        if times > 2:
            raise Mistake("the file is gone")

    whole = wanted(tmp_path)
    with pytest.raises(Mistake, match="the file is gone"):
        import_run(replace(whole, importer=replace(PINGPONG, read=read)), store)
    with Records(store) as records:
        assert records.runs() == []
        assert records.rows("SELECT count(*) FROM conversations") == [(0,)]
    assert import_run(whole, store).is_new


def test_others_write_the_store_while_files_are_read(tmp_path: Path) -> None:
    store, times = tmp_path / "interplay.db", 0

    def read(reading: Reading) -> Iterator[Imported | Skipped]:
        """In the middle of what is written somebody else writes, and has no patience."""
        nonlocal times
        times += 1
        for number, one in enumerate(PINGPONG.read(reading)):
            if times == 3 and number == 2:
                with Records(store) as records, patience(records.db, 0), writing(records.db, store):
                    records.begin("other-1", "role_play", {}, {})
            yield one

    whole = wanted(tmp_path)
    taken = import_run(replace(whole, importer=replace(PINGPONG, read=read)), store)
    with Records(store) as records:
        assert [run.id for run in records.runs()] == ["other-1", taken.run]
    alone = tmp_path / "alone.db"
    assert told(store, taken) == told(alone, import_run(whole, alone))


def test_what_fails_at_the_end_leaves_nothing_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aside, store, whole = tmp_path / "aside", tmp_path / "interplay.db", wanted(tmp_path)
    aside.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(aside))
    with Records(store, create=True) as records:
        records.db.execute(
            "CREATE TRIGGER full BEFORE INSERT ON verdicts BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
        with pytest.raises(StoreTrouble):
            import_run(whole, store)
        assert records.runs() == []
        assert records.rows("SELECT count(*) FROM conversations") == [(0,)]
        assert list(aside.iterdir()) == []
        records.db.execute("DROP TRIGGER full")
    assert import_run(whole, store).is_new
    assert list(aside.iterdir()) == []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(StoreTrouble, match=r"no folder can be made for what is read .*TMPDIR"):
        import_run(whole, tmp_path / "other.db")


def test_a_file_that_changes_meanwhile_is_not_taken(tmp_path: Path) -> None:
    store, whole = tmp_path / "interplay.db", wanted(tmp_path)
    times = 0

    def read(reading: Reading) -> Iterator[Imported | Skipped]:
        nonlocal times
        times += 1
        yield from PINGPONG.read(reading)
        if times == 3:
            with whole.files[1].open("a", encoding="utf-8") as file:
                file.write("\n")

    with pytest.raises(Mistake, match="a file was changed while it was read"):
        import_run(replace(whole, importer=replace(PINGPONG, read=read)), store)
    with Records(store) as records:
        assert records.runs() == []


def test_a_run_that_another_writes_is_left_alone(tmp_path: Path) -> None:
    store = tmp_path / "interplay.db"
    run = import_run(wanted(tmp_path), tmp_path / "other.db").run
    with Records(store, create=True) as records:
        with run_lock(store, run), pytest.raises(RunLocked):
            import_run(wanted(tmp_path), store)
        assert records.runs() == []


def test_an_imported_run_can_be_copied(tmp_path: Path) -> None:
    store, other = tmp_path / "interplay.db", tmp_path / "other.db"
    taken = import_run(wanted(tmp_path), store)
    copy_runs(taken.run, store, other, lambda line: None)
    assert told(store, taken) == told(other, taken)
