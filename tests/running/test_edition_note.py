"""A board says so where the files that score a run are not those that it was played with."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from interplay.benchmarks import OTHERS, find, find_playable
from interplay.models.connecting import Directory
from interplay.models.loopback import Loopback, serving
from interplay.running.edition_note import KEPT_AS, edition_notes, editions_after
from interplay.running.engine import Engine
from interplay.running.how import How
from interplay.running.looping import carried_out
from interplay.running.results import board_of
from interplay.running.spec import make_spec
from interplay.running.tally import Tally
from interplay.store.journal import Journal
from interplay.store.records import Records, Run
from interplay.testing import steady
from tests.benchmarks.others import ALONE, as_in_a_new_process, write_file
from tests.reporting.exported import write

NAME = "edited_game"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path / "cache"))
    as_in_a_new_process()
    yield tmp_path
    as_in_a_new_process()


def play(store: Path, path: Path, limit: int = 1) -> Run:
    """A start of the run, by the files as they are now."""
    benchmark = find_playable(str(path))
    spec = make_spec(
        benchmark,
        models=["openai/a"],
        roles={"keeper": ["openai/k"], "judge": ["openai/j"]},
        limit=limit,
    )
    with serving(Loopback(steady)) as url:
        how = How(store, Directory(base_url=url, environment={}))
        return carried_out(Engine(benchmark, spec, how, Tally()).carry_out())


def keep(store: Path, run: Run) -> None:
    """What a start writes down of the edition."""

    async def extend(journal: Journal) -> None:
        await journal.extend({**run.extent, **editions_after(run.extent, run.benchmark)})

    with Records(store) as records:
        write(records, run, extend)


def edit(path: Path, remark: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + f"# {remark}\n", encoding="utf-8")
    as_in_a_new_process()


def notes(store: Path) -> list[str]:
    with Records(store) as records:
        board = board_of(records, records.find("last"), find(NAME))
    return [note for note in board.notes if "edition" in note]


def test_the_note_is_there_as_long_as_the_files_are_others(folder: Path) -> None:
    store, path = folder / "run.db", write_file(folder, NAME, ALONE.replace("my_benchmark", NAME))
    run = play(store, path)
    keep(store, run)
    first = OTHERS.digest_of(NAME)
    assert notes(store) == []

    edit(path, "another")
    told = f"Run {run.id} was played with another edition of {NAME}'s files than the one that scores it here."
    assert notes(store) == [told]

    with Records(store) as records:
        keep(store, records.find("last"))
        found = records.find("last").extent[KEPT_AS]
    assert found == [first, OTHERS.digest_of(NAME)]
    assert notes(store) == [told.replace("played with", "played in part with")]
    assert str(folder) not in str(found)


def test_a_run_of_ours_and_one_from_before_have_none(folder: Path) -> None:
    assert editions_after({}, "role_play") == {}
    store, path = folder / "run.db", write_file(folder, NAME, ALONE.replace("my_benchmark", NAME))
    run = play(store, path)
    old = Run(**{**run.__dict__, "extent": {k: v for k, v in run.extent.items() if k != KEPT_AS}})
    assert edition_notes(old) == []


def test_an_edition_is_kept_once(folder: Path) -> None:
    find_playable(str(write_file(folder, NAME, ALONE.replace("my_benchmark", NAME))))
    first = editions_after({}, NAME)
    assert first == {KEPT_AS: [OTHERS.digest_of(NAME)]}
    assert editions_after(first, NAME) == first
    assert editions_after(first, "unknown_here") == first
    assert first == {KEPT_AS: [OTHERS.digest_of(NAME)]}
    assert editions_after(first, NAME) == first
    assert editions_after(first, "unknown_here") == first


def test_a_start_writes_its_edition_down(folder: Path) -> None:
    store, path = folder / "run.db", write_file(folder, NAME, ALONE.replace("my_benchmark", NAME))
    editions = [play(store, path).extent[KEPT_AS]]
    editions.append(play(store, path).extent[KEPT_AS])
    edit(path, "another")
    assert len(notes(store)) == 1
    editions.append(play(store, path, limit=2).extent[KEPT_AS])

    assert editions[0] == editions[1] == editions[2][:1]
    assert editions[2][1:] == [OTHERS.digest_of(NAME)]
    assert "played in part with another edition" in notes(store)[0]
