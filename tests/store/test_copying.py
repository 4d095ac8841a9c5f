"""A run that was copied to another store is the same run: same tables, byte for byte, and it goes on from there."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from interplay.cli import main
from interplay.core.failures import Mistake, RunLocked, StoreTrouble
from interplay.models.loopback import Loopback, serving
from interplay.store.copying import copy_runs
from interplay.store.labels import Given, Labels
from interplay.store.lock import run_lock
from interplay.store.moves import Moves
from interplay.store.places import Server, Store, typed_again
from interplay.store.records import Records
from interplay.store.rounds import Rounds
from tests.cli.duelists import MODELS, SCRIPTS, answers, write_scripts
from tests.store.databases import KINDS, Databases, rows
from tests.store.test_rounds import ASKED
from tests.store.two_runs import two_runs

COUNTS = ("conversations", "calls", "facts", "verdicts", "scores", "labels", "draws", "rounds")


def played_by(url: str, store: Store, data: Path, *more: str) -> list[str]:
    cast = [part for name in MODELS for part in ("--model", name)]
    where = ["--base-url", url, "--store", typed_again(store), "--json"]
    return [
        "run",
        "simulation",
        "--data",
        str(data),
        *cast,
        "--model-role",
        "judge=openai/fair",
        *where,
        *more,
    ]


def compared(url: str, store: Store) -> list[str]:
    where = ["--base-url", url, "--store", typed_again(store), "--json"]
    return ["pair", "last", "--model-role", "judge=openai/fair", *where]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_scripts(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def played(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was judged, compared side by side and labelled, after another one in the same file."""
    store = tmp_path_factory.mktemp("played") / "a.db"
    with serving(Loopback(answers)) as url:
        for line in (
            played_by(url, store, data, "--limit", "1", "--seed", "7"),
            played_by(url, store, data, "--limit", str(SCRIPTS - 1)),
            compared(url, store),
        ):
            assert main(line) == 0, line
    with Records(store) as records, Rounds(store) as rounds:
        run = records.find("last")
        draw = rounds.labels.draw(run, rounds.can_be_drawn(run), 4, seed=3)
        made = rounds.begin(run, draw, ASKED, 2)
        rounds.say(made, "ann", 2, {"rating": 3.0, "refused": 0.0})
        rounds.labels.add([Given(records.numbers(run)[0], "bob", "rating", 2.0)])
    return store


def new_place(kind: str, request: pytest.FixtureRequest, folder: Path, name: str) -> Store:
    if kind == "file":
        return folder / f"{name}.db"
    databases: Databases = request.getfixturevalue("databases")
    return databases.take()


@pytest.fixture(params=KINDS)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = new_place(request.param, request, tmp_path, "target")
    yield made
    if isinstance(made, Server):
        request.getfixturevalue("databases").give_back(made)


def shown(capsys: pytest.CaptureFixture[str], store: Store, run: str) -> list[str]:
    """Everything that is said of a run."""
    found = []
    for words in (["show", run], ["show", run, "--json"], ["labels", "list", run], ["agreement", run]):
        capsys.readouterr()
        assert main([*words, "--store", typed_again(store)]) == 0, words
        found.append(capsys.readouterr().out)
    return found


def last_in(store: Store) -> str:
    with Records(store) as records:
        return records.find("last").id


def counts(store: Store) -> list[int]:
    """Rows of the newest run."""
    with Records(store) as records:
        number = records.find("last").number
        mine = f"conversation IN (SELECT number FROM conversations WHERE run = {number})"
        where = {"conversations": f"run = {number}", "draws": f"run = {number}", "rounds": f"run = {number}"}
        return [
            records.rows(f"SELECT count(*) FROM {table} WHERE {where.get(table, mine)}")[0][0]
            for table in COUNTS
        ]


def test_a_copy_shows_the_same_tables_byte_for_byte_there_and_back(
    played: Path, target: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = last_in(played)
    before = shown(capsys, played, run)
    [copied] = copy_runs(run, played, target)
    assert copied.rows > 50 and copied.run.id == run
    assert shown(capsys, target, run) == before
    back = tmp_path / "back.db"
    copy_runs(run, target, back)
    assert shown(capsys, back, run) == before
    assert counts(played) == counts(target) == counts(back)
    assert min(counts(back)[:2] + counts(back)[3:]) > 0
    with Records(played) as here, Records(back) as there:
        one, other = here.find(run), there.find(run)
        assert (one.secret, one.created, one.identity, one.extent) == (
            *(other.secret, other.created, other.identity, other.extent),
        )
        assert here.numbers(one) != there.numbers(other)  # the other run of the file was left where it was
        assert there.integrity() == "ok"


def test_a_copy_goes_on_without_a_call_and_can_be_extended(
    data: Path, played: Path, target: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    copy_runs("last", played, target)
    loopback = Loopback(answers)
    with serving(loopback) as url:
        assert main(played_by(url, target, data, "--limit", str(SCRIPTS - 1))) == 0
        assert main(compared(url, target)) == 0
        assert loopback.calls == 0
        assert main(played_by(url, target, data)) == 0
        played_more = loopback.calls
        assert played_more > 0
        assert main(compared(url, target)) == 0
        assert loopback.calls - played_more == 2 * 3  # the new script alone: both orders of three pairs
    capsys.readouterr()


def test_what_is_there_already_is_told_and_another_record_is_refused(
    played: Path, target: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["copy", "last", "--store", str(played), "--to", typed_again(target)]
    assert main(words) == 0
    assert "Copied" in capsys.readouterr().err
    assert main(words) == 0
    assert "is already there, the same" in capsys.readouterr().err
    with Labels(target) as labels, Records(target) as records:
        labels.add([Given(records.numbers(records.find("last"))[0], "eve", "rating", 9.0)])
    before = counts(target)
    assert main(words) == 2
    assert "another record of it" in capsys.readouterr().err
    assert counts(target) == before


def test_a_run_that_is_written_is_refused_on_either_side(played: Path, target: Store) -> None:
    run = last_in(played)
    Records(target, create=True).close()
    for busy in (played, target):
        with run_lock(busy, run), pytest.raises(RunLocked):
            copy_runs(run, played, target)
    assert rows(target, "SELECT * FROM runs") == []


def test_a_copy_that_cannot_end_leaves_nothing(played: Path, target: Store) -> None:
    class Enough(Exception):
        pass

    def stop(line: str) -> None:
        raise Enough

    with pytest.raises(Enough):
        copy_runs("last", played, target, stop)
    for table in ("runs", "conversations", "calls", "scenarios", "messages"):
        assert rows(target, f"SELECT * FROM {table}") == []


def test_what_was_made_of_a_run_comes_along_and_a_taken_name_stays_behind(
    target: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "a.db"
    run = two_runs(store, 40, 5, "number % 4 = 0")
    with Records(store) as records:
        made = f"{run.id}-2"
        of = json.dumps({**run.identity, "options": {**run.identity["options"], "of": run.id}})
        records.db.execute("UPDATE runs SET identity = ? WHERE id = ?", (of, made))
        records.db.execute("UPDATE runs SET name = 'mine' WHERE id = ?", (run.id,))
    with Records(target, create=True) as records:
        records.begin("other", "role_play", {"models": []}, {"limit": 1})
        records.db.execute("UPDATE runs SET name = 'mine'")
    assert main(["copy", run.id, "--store", str(store), "--to", typed_again(target)]) == 0
    told = capsys.readouterr().err
    assert "without its name" in told and made in told
    with Records(target) as records:
        assert [one.id for one in records.runs()] == ["other", run.id, made]
        assert [one.id for one in records.made_of(run.id)] == [made]
        assert len(records.numbers(records.find(made))) == 10


def test_links_and_what_was_computed_stay_where_they_are(played: Path, target: Store) -> None:
    copy_runs("last", played, target)
    assert rows(target, "SELECT * FROM passes") == rows(target, "SELECT * FROM kept") == []
    with Moves(target) as moves:
        assert moves.waiting() == []


def test_mistakes(played: Path, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="name another store with --to"):
        copy_runs("last", played, played)
    with pytest.raises(Mistake, match="there is no run"):
        copy_runs("nothing", played, tmp_path / "b.db")
    with pytest.raises(Mistake, match="does not exist"):
        copy_runs("last", played, tmp_path / "no" / "b.db")
    assert list(tmp_path.iterdir()) == []


def test_a_text_that_the_server_cannot_hold_is_noticed(databases: Databases, tmp_path: Path) -> None:
    store, target = tmp_path / "a.db", databases.take()
    two_runs(store, 40, 5, "number % 4 = 0")
    with Records(store) as records:
        records.db.execute("UPDATE calls SET text = 'a' || char(0) WHERE number = 3")
        run = records.runs()[0].id
    with pytest.raises(StoreTrouble, match="not the same"):
        copy_runs(run, store, target)
    assert rows(target, "SELECT * FROM runs") == []
    databases.give_back(target)
