"""Stores of former versions: they open, are brought up to date once, and show what they showed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from interplay.cli import main
from interplay.core.failures import StoreTrouble
from interplay.models.loopback import Loopback, serving
from interplay.store.database import APPLICATION_ID, connect
from interplay.store.records import Records
from interplay.store.schema import MIGRATIONS
from tests.running.job import answer, command

TABLES = (
    "runs",
    "scenarios",
    "conversations",
    "messages",
    "settings",
    "calls",
    "facts",
    "verdicts",
    "scores",
)


def shown(store: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    assert main(["show", "last", "--store", str(store), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def as_version_1_wrote_it(store: Path, old: Path) -> None:
    """The same run in a store of version 1, whose runs knew less of themselves."""
    db = apsw.Connection(os.fspath(old))
    db.pragma("journal_mode", "wal")
    db.execute(MIGRATIONS[0])
    db.pragma("application_id", APPLICATION_ID)
    db.pragma("user_version", 1)
    db.execute("ATTACH ? AS now", (os.fspath(store),))
    for table in TABLES:
        columns = ", ".join(row[1] for row in db.execute(f"PRAGMA main.table_info({table})"))
        db.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM now.{table}")
    identity, extent = (
        json.loads(text) for text in db.execute("SELECT identity, extent FROM runs").fetchone()
    )
    identity["options"] = {"explanation": "600", "language": "en", "turns": ""}
    extent = {key: extent[key] for key in ("limit", "epochs", "judges", "rubric")}
    db.execute("UPDATE runs SET identity = ?, extent = ?", (json.dumps(identity), json.dumps(extent)))
    for number, outcome in db.execute("SELECT number, outcome FROM conversations").fetchall():
        turns = {"turns": json.loads(outcome)["turns"]}
        db.execute("UPDATE conversations SET outcome = ? WHERE number = ?", (json.dumps(turns), number))
    db.close()


@pytest.fixture
def stores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, Path]:
    """A run of three conversations in a store of today, and in one of version 1."""
    store, old = tmp_path / "now.db", tmp_path / "old.db"
    with serving(Loopback(answer)) as url:
        assert main(command(url, store, limit=3)) == 0
    capsys.readouterr()
    as_version_1_wrote_it(store, old)
    return store, old


def test_a_store_of_version_1_is_brought_up_to_date_and_shows_the_same_board(
    stores: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    store, old = stores
    assert shown(old, capsys) == shown(store, capsys)
    with Records(old) as records, Records(store) as now:
        assert records.db.pragma("user_version") == len(MIGRATIONS)
        assert records.integrity() == "ok"
        schema = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
        assert records.db.execute(schema).fetchall() == now.db.execute(schema).fetchall()
        for table in TABLES:
            columns = f"SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info('{table}')"
            assert records.db.execute(columns).fetchall() == now.db.execute(columns).fetchall()
        run = records.find("last")
        assert run.name == ""
        assert records.totals(run).finished == 30
        assert records.spent(run, {"timeout"})[2] == 30


def test_a_store_of_version_1_is_judged_again_listed_named_and_exported(
    stores: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, old = stores
    loopback = Loopback(answer)
    with serving(loopback) as url:
        more = ["--base-url", url, "--store", str(old), "--json"]
        assert main(["judge", "last", "--model-role", "judge=openai/judge-3", *more]) == 0
        assert loopback.calls_by_model() == {"judge-3": 3}
    assert "openai/judge-3" in " ".join(json.loads(capsys.readouterr().out)["notes"])
    assert main(["runs", "rename", "last", "my old run", "--store", str(old)]) == 0
    assert main(["list", "my old run", "--store", str(old), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3
    assert main(["export", "my old run", str(tmp_path / "old.jsonl"), "--store", str(old)]) == 0
    assert main(["board", "role_play", "--store", str(old), "--json"]) == 0


def test_a_store_that_is_up_to_date_is_left_as_it_is(stores: tuple[Path, Path]) -> None:
    _, old = stores
    connect(old, create=False).close()
    before = old.read_bytes()
    connect(old, create=False).close()
    assert old.read_bytes() == before


def test_processes_that_open_an_old_store_at_once_bring_it_up_to_date_once(
    stores: tuple[Path, Path], tmp_path: Path
) -> None:
    _, old = stores
    go = tmp_path / "go"
    program = (
        "import sys, time; from pathlib import Path; from interplay.store.database import connect\n"
        "print('ready', flush=True)\n"
        "while not Path(sys.argv[2]).exists(): time.sleep(0.001)\n"
        "print(connect(Path(sys.argv[1]), create=False).pragma('user_version'))"
    )
    line = [sys.executable, "-c", program, str(old), str(go)]
    children = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    go.touch()
    assert [child.communicate(timeout=60)[0].strip() for child in children] == [str(len(MIGRATIONS))] * 3


def test_a_migration_that_fails_half_way_leaves_the_old_store(stores: tuple[Path, Path]) -> None:
    _, old = stores
    db = apsw.Connection(os.fspath(old))
    db.execute("ALTER TABLE calls ADD COLUMN reserved_cost REAL")  # so that the last statement fails
    db.close()
    with pytest.raises(StoreTrouble, match="duplicate column"):
        connect(old, create=False)
    db = apsw.Connection(os.fspath(old))
    assert db.pragma("user_version") == 1
    assert "name" not in [row[1] for row in db.execute("PRAGMA table_info(runs)")]
    db.close()


def test_two_runs_cannot_have_one_name_whoever_writes_it(tmp_path: Path) -> None:
    with Records(tmp_path / "a.db", create=True) as records:
        for id in ("a", "b", "c"):
            records.begin(id, "role_play", {}, {})
        records.db.execute("UPDATE runs SET name = 'mine' WHERE id = 'a'")
        with pytest.raises(apsw.ConstraintError):
            records.db.execute("UPDATE runs SET name = 'mine' WHERE id = 'b'")
        assert [run.name for run in records.runs()] == ["mine", "", ""]
