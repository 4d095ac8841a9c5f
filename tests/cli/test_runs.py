"""runs: list, rename and delete, from the command line."""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interplay.cli import main
from interplay.models.loopback import Asked, Fault, Loopback, serving
from interplay.store.records import Records
from tests.cli.provider import Typist, job
from tests.faults.forked import Forked
from tests.faults.harness import check_record, finish, start
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
PATIENCE = 60


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    return Typist(tmp_path / "interplay.db", capsys)


def play(typist: Typist, *more: str, limit: int = 2, models: tuple[str, ...] = ("openai/player",)) -> str:
    """Play a run; its id."""
    with serving(Loopback(answer)) as url:
        found: str = typist.reads(*job(url, "--turns", "1", *more, limit=limit, models=models))["run"]
        return found


def counts(store: Path) -> dict[str, int]:
    with Records(store) as records:
        return {table: int(records.db.execute(f"SELECT count(*) FROM {table}").get) for table in TABLES}


# list


def test_the_runs_are_listed_in_words_and_as_json(typist: Typist) -> None:
    first = play(typist)
    second = play(typist, "--seed", "1", models=("openai/player", "openai/other"))
    for words in (["runs"], ["runs", "list"]):
        listed = typist.reads(*words)
        assert [one["run"] for one in listed] == [first, second]
        assert listed[1] | {"started": ""} == {
            "run": second,
            "name": "",
            "started": "",
            "models": ["openai/other", "openai/player"],
            "judges": ["openai/judge-1", "openai/judge-2"],
            "played": 4,
            "void": 0,
            "open": 0,
        }
        shown = typist.types(*words)
        assert first in shown
        assert second in shown


def test_where_there_are_no_runs_it_says_how_to_start_one(typist: Typist) -> None:
    assert "Start one: interplay run role_play" in typist.types("runs")
    assert typist.reads("runs", "list") == []
    assert not typist.store.exists()


def test_a_store_typed_before_the_verb_is_not_passed_over(
    typist: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(typist)
    monkeypatch.chdir(tmp_path)  # where interplay.db is the store that nobody meant
    before = counts(typist.store)
    for verb in (["list"], ["rename", "last", "x"], ["delete", "last", "--yes"]):
        assert main(["runs", "--store", "other.db", *verb]) == 2
        said = typist.capsys.readouterr().err
        assert said == f"interplay: --store comes after the verb, as in: interplay runs {verb[0]} --store\n"
    assert main(["runs", "--json", "list"]) == 2
    assert "--json comes after the verb" in typist.capsys.readouterr().err
    assert counts(typist.store) == before


# rename


def test_a_run_is_found_by_the_name_it_was_given_and_by_its_id(typist: Typist) -> None:
    first = play(typist)
    second = play(typist, "--seed", "1")
    typist.types("runs", "rename", first, "  the baseline ")
    assert typist.said == f"{first} is now called the baseline.\n"
    assert typist.reads("show", "the baseline")["run"] == first
    assert typist.reads("show", first)["run"] == first
    assert [one["name"] for one in typist.reads("runs")] == ["the baseline", ""]
    typist.types("runs", "rename", "the baseline", "first")
    assert "there is no run 'the baseline'" in typist.mistakes("show", "the baseline")
    typist.types("runs", "rename", second, "the baseline")  # it is free again
    assert play(typist) == first  # the same command still finds its run by its identity


@pytest.mark.parametrize("name", ["", "   ", "last", "x" * 61, "two\nlines", "\x1b[31m", "bell\x07"])
def test_a_name_that_could_not_be_typed_or_shown_is_refused(typist: Typist, name: str) -> None:
    play(typist)
    assert "a name has 1 to 60 printable characters" in typist.mistakes("runs", "rename", "last", name)


def test_a_name_or_id_of_another_run_is_taken(typist: Typist) -> None:
    first = play(typist)
    second = play(typist, "--seed", "1")
    typist.types("runs", "rename", first, "mine")
    assert f"{first} is called 'mine' already" in typist.mistakes("runs", "rename", second, "mine")
    assert f"{first} is called '{first}' already" in typist.mistakes("runs", "rename", second, first)
    typist.types("runs", "rename", first, "mine")  # its own name is no other's


def test_an_unknown_run_comes_with_the_nearest(typist: Typist) -> None:
    run = play(typist)
    for words in (["runs", "rename", run[:-1] + "?", "x"], ["runs", "delete", run[:-1] + "?", "--yes"]):
        assert f"did you mean '{run}'" in typist.mistakes(*words)


# delete


def test_a_deleted_run_leaves_nothing_behind_and_others_are_as_they_were(typist: Typist) -> None:
    kept = play(typist)
    board = typist.reads("show", kept)
    alone = counts(typist.store)
    other = play(typist, "--seed", "1", "--limit", "3", models=("openai/player", "openai/other"))
    assert counts(typist.store)["calls"] > alone["calls"]
    typist.types("runs", "delete", other, "--yes")
    assert typist.said.startswith(f"Deleted {other}: 6 conversations, ")
    assert counts(typist.store) == alone
    assert typist.reads("show", kept) == board
    check_record(typist.store)
    with Records(typist.store) as records:
        assert records.db.execute("PRAGMA foreign_key_check").fetchall() == []
        for row in records.db.execute("SELECT DISTINCT thread FROM calls").fetchall():
            assert records.thread(row[0])  # every message of every call that is left
    assert f"there is no run '{other}'" in typist.mistakes("show", other)


def test_the_last_run_leaves_an_empty_store_that_can_be_used_again(typist: Typist) -> None:
    first = play(typist)
    typist.types("runs", "delete", "last", "--yes")
    assert counts(typist.store) == dict.fromkeys(TABLES, 0)
    assert "holds no runs yet" in typist.mistakes("show", "last")
    assert play(typist) == first
    check_record(typist.store)


def test_a_run_of_several_takes_goes_with_all_of_them(typist: Typist) -> None:
    play(typist)
    play(typist, "--new", "all")
    typist.types("runs", "delete", "last", "--yes")
    assert counts(typist.store) == dict.fromkeys(TABLES, 0)


def test_nobody_to_ask_is_a_mistake_and_deletes_nothing(
    typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = play(typist)
    before = counts(typist.store)
    with Path(os.devnull).open() as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        said = typist.mistakes("runs", "delete", run)
    assert f"nobody is here to be asked about {run}: 2 conversations, 8 calls, unknown cost" in said
    assert "--yes" in said
    assert counts(typist.store) == before


@pytest.mark.parametrize(
    "typed, deleted",
    [
        ("y\n", True),
        ("yes\n", True),
        ("Y\n", True),
        ("n\n", False),
        ("\n", False),
        ("delete\n", False),
        ("\x04", False),
    ],
)
def test_deleting_asks_at_a_terminal(typist: Typist, typed: str, deleted: bool) -> None:
    run = play(typist)
    keyboard, terminal = pty.openpty()
    try:
        process = Forked(
            ["runs", "delete", run, "--store", str(typist.store)],
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        os.write(keyboard, typed.encode())
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        os.close(keyboard)
        os.close(terminal)
    assert process.returncode == 0, err
    assert (
        f"Delete {run}: 2 conversations, 8 calls, unknown cost? This cannot be undone. [y/N]" in err.decode()
    )
    assert (("Deleted" in err.decode()), ("Nothing was deleted." in err.decode())) == (deleted, not deleted)
    assert counts(typist.store)["runs"] == (0 if deleted else 1)


def test_a_run_that_another_process_writes_is_left_alone(typist: Typist) -> None:
    def hang(asked: Asked) -> str | Fault:
        return Fault("hang") if asked.number > 3 else answer(asked)

    loopback = Loopback(hang)
    with serving(loopback) as url:
        process = start(command(url, typist.store, limit=2))
        deadline = time.monotonic() + PATIENCE
        while loopback.calls < 5:  # both conversations hang
            assert time.monotonic() < deadline
            time.sleep(0.01)
        before = counts(typist.store)
        for words in (
            ["runs", "delete", "last", "--yes"],
            ["runs", "rename", "last", "x"],
            ["score", "last"],
        ):
            assert typist.types(*words, code=3) == ""
            assert f"process {process.pid}" in typist.said
            assert typist.said.count("\n") == 1
        assert counts(typist.store) == before
        process.kill()
        finish(process)
    typist.types("runs", "delete", "last", "--yes")  # a lock dies with its holder


def test_another_run_can_be_deleted_while_one_is_being_written(typist: Typist) -> None:
    first = play(typist)
    loopback = Loopback(answer, latency=0.05)
    with serving(loopback) as url:  # of the same scenarios, with the same beginnings of what is said
        process = start(command(url, typist.store, limit=2, more=("--turns", "2")))
        deadline = time.monotonic() + PATIENCE
        while loopback.calls < 3:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        typist.types("runs", "delete", first, "--yes")
        assert process.poll() is None
        code, _, err = finish(process)
    assert code == 0, err
    [left] = typist.reads("runs")
    assert (left["played"], left["run"] == first) == (2, False)
    check_record(typist.store)
    with Records(typist.store) as records:
        assert records.db.execute("PRAGMA foreign_key_check").fetchall() == []
        for row in records.db.execute("SELECT DISTINCT thread FROM calls").fetchall():
            assert records.thread(row[0])
