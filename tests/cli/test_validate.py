"""The verb validate: a table of what was planted and recovered, exit codes, mistakes; nothing is left behind."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from interplay.analysis.judge_trials import JUDGE_TRIALS
from interplay.benchmarks import ALL, find
from interplay.benchmarks.word_guessing.trials import describers, leakers
from interplay.cli import main
from interplay.cli.validating import validate
from interplay.core.benchmark import Benchmark, Options, Played
from interplay.core.board import Board
from interplay.core.trials import Trial

AGE = find("word_guessing")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in, which is also where temporary files go."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def with_trials(*trials: Trial, benchmark: Benchmark = AGE) -> Benchmark:
    return replace(benchmark, trials=trials)


def forgetful(played: Sequence[Played], options: Options) -> Board:
    """The board without its last model."""
    board = AGE.summarize(played, options)
    return replace(board, rows=tuple(row for row in board.rows if row["model"] != "openai/silent"))


@pytest.mark.slow  # the trials of each benchmark are held by its own tests too
def test_all_benchmarks_with_trials_are_proven(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    told = json.loads(out)
    assert (told["seeds"], told["passed"]) == ([0], True)
    tried = [(one.name, trial.name) for one in (*ALL, find("judge_probe")) for trial in one.trials]
    tried += [("judges", trial.name) for trial in JUDGE_TRIALS]
    assert [(one["benchmark"], one["trial"]) for one in told["trials"]] == tried
    for one in told["trials"]:
        assert one["passed"]
        assert one["meaning"]
        assert all(finding["passed"] for finding in one["findings"])
        assert one["order"] is None or (one["order"]["in_order"], one["order"]["passed"]) == (1, True)
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_a_benchmark_and_judges_are_proven_by_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "judges", "--json"]) == 0
    judges = json.loads(capsys.readouterr().out)["trials"]
    assert [(one["benchmark"], one["trial"]) for one in judges] == [
        ("judges", one.name) for one in JUDGE_TRIALS
    ]
    assert main(["validate", "word_guessing", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    told = {one["trial"]: one for one in json.loads(out)["trials"]}
    assert list(told) == [trial.name for trial in AGE.trials]
    close = told["guessers half a logit apart"]
    assert close["order"]["models"] == [f"openai/guesser-{share}" for share in (50, 38, 27, 18)]
    found = {finding["what"]: finding for finding in close["findings"]}
    planted = [found[f"guesser-{share}: comprehension"]["planted"] for share in (18, 27, 38, 50)]
    assert [round(mean, 4) for mean in planted] == [0.4120, 0.5398, 0.6601, 0.7592]
    flattered = found["guesser-18: comprehension in successful games"]
    assert round(flattered["planted"], 3) == 0.649
    assert flattered["recovered"] > found["guesser-18: comprehension"]["recovered"] + 0.1
    assert all(0 < found[f"guesser-{share}: AGE"]["distance"] <= 4 for share in (18, 27, 38, 50))
    assert list(folder.iterdir()) == []


def test_the_table_says_what_was_planted_and_what_came_of_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert validate([with_trials(leakers(games=6))], range(1), as_json=False) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = [line.split() for line in out.splitlines()]
    assert ["silent:", "comprehension", "0", "0", "exact", "yes"] in lines
    assert ["leaker-30:", "games", "6", "6", "exact", "yes"] in lines
    violations = next(line for line in lines if line[:2] == ["leaker-80:", "violations"])
    assert violations[2] == "0.6400"
    assert float(violations[5]) <= 4
    assert "All 15 were recovered." in out
    assert "seeds" not in out
    assert list(folder.iterdir()) == []


def test_what_is_not_recovered_is_told_and_is_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    broken = with_trials(leakers(games=6), benchmark=replace(AGE, summarize=forgetful))
    assert validate([broken], range(1), as_json=False) == 1
    out, _ = capsys.readouterr()
    lines = [line.split() for line in out.splitlines()]
    assert ["silent:", "comprehension", "0", "–", "exact", "NO"] in lines
    assert "NOT recovered: 5 of 15." in out
    assert validate([broken], range(1), as_json=True) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["passed"], told["trials"][0]["passed"]) == (False, False)
    failed = [finding for finding in told["trials"][0]["findings"] if not finding["passed"]]
    assert [finding["recovered"] for finding in failed] == [None] * 5


def test_several_seeds_are_averaged_and_their_orders_counted(capsys: pytest.CaptureFixture[str]) -> None:
    trial = describers(games=11)
    told = []
    for seeds in (range(4, 5), range(5, 6), range(4, 6)):
        validate([with_trials(trial)], seeds, as_json=True)
        told.append(json.loads(capsys.readouterr().out))
    assert [one["seeds"] for one in told] == [[4], [5], [4, 5]]
    first, second, both = (one["trials"][0]["findings"][1] for one in told)
    assert first["what"] == "describer-20: confusion"
    assert first["recovered"] != second["recovered"]
    assert both["recovered"] == pytest.approx((first["recovered"] + second["recovered"]) / 2)
    assert both["error"] == pytest.approx(first["error"] / 2**0.5)
    orders = [one["trials"][0]["order"]["in_order"] for one in told]
    assert orders[2] == orders[0] + orders[1]


def test_the_seeds_that_were_typed_are_held(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Exit code 0: all of it was recovered; 1: something was not." in shown
    validate([with_trials(describers(games=2))], range(7, 10), as_json=False)
    out = capsys.readouterr().out
    assert "the mean of 3 seeds" in out
    row = next(line.split() for line in out.splitlines() if "seeds in the exact order by" in line)
    assert row[row.index("by") + 1] == "3"


def test_void_games_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    trial = leakers(games=2)
    mumbling = replace(
        trial, scripts=lambda seed: {**trial.scripts(seed), "openai/silent": lambda asked: "Hm."}
    )
    assert validate([with_trials(mumbling)], range(1), as_json=False) == 1
    out, err = capsys.readouterr()
    assert err == f"{trial.name}, seed 0: 2 conversations are void (unreadable).\n"
    assert ["silent:", "games", "2", "0", "exact", "NO"] in [line.split() for line in out.splitlines()]


@pytest.mark.parametrize(
    "words, said",
    [
        (["word_gessing"], "there is no benchmark 'word_gessing'; did you mean 'word_guessing'?"),
        (["role_play_writing"], "role_play_writing has no trials; did you mean 'role_play'?"),
        (["age", "--seeds", "0"], "'--seeds'"),
        (["age", "--seeds", "x"], "'--seeds'"),
        (["age", "--seed", "x"], "'--seed'"),
        (["age", "--sed", "1"], "did you mean '--seed'?"),
        (["age", "more"], "more"),
    ],
)
def test_a_mistake_is_one_line(
    words: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("interplay: ")
    assert said in err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_stop_leaves_nothing_behind(number: signal.Signals, folder: Path) -> None:
    line = [sys.executable, "-m", "interplay", "validate", "age"]
    process = subprocess.Popen(
        line,
        env={**os.environ, "TMPDIR": str(folder)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        while not list(folder.glob("*/trial.db-wal")):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out) == (130, "")
    assert err == "Stopped. Nothing was kept; the same command begins anew.\n"
    assert list(folder.iterdir()) == []
