"""Looking at runs: list, list RUN, show --conversation, doctor; in words and as JSON."""

import json
from pathlib import Path

import pytest

from interplay.cli import main
from interplay.models.loopback import Loopback, serving
from tests.running.job import answer, command


@pytest.fixture
def store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "interplay.db"
    with serving(Loopback(answer)) as url:
        assert main(command(url, path, limit=2)) == 0
    capsys.readouterr()
    return path


def test_the_list_has_benchmarks_and_runs(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--store", str(store), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in listed["benchmarks"]] == [
        "role_play",
        "simulation",
        "word_guessing",
        "task_dialogue",
        "social_interaction",
    ]
    assert [(run["models"], run["played"], run["void"]) for run in listed["runs"]] == [
        (["openai/player"], 2, 0)
    ]
    assert main(["list", "--store", str(store)]) == 0
    assert "openai/judge-1" in capsys.readouterr().out


def test_the_list_of_a_run_has_the_numbers_that_show_takes(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", "last", "--store", str(store), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["state"] for row in rows] == ["done", "done"]
    for row in rows:
        assert (
            main(["show", "last", "--store", str(store), "--conversation", str(row["number"]), "--json"]) == 0
        )
        shown = json.loads(capsys.readouterr().out)
        assert shown["number"] == row["number"]
        assert len(shown["outcome"]["turns"]) == 4
        assert [one["judge"] for one in shown["verdicts"]] == ["openai/judge-1", "openai/judge-2"]
        first = shown["verdicts"][0]["data"]["turns"][0]
        names = list(first)
        assert names.index("fluency_explanation") + 1 == names.index(
            "fluency_score"
        )  # explanation, then score


def test_a_conversation_is_shown_in_words(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "last", "--store", str(store), "--conversation", "1"]) == 0
    out = capsys.readouterr().out
    assert out.count("[interrogator -> player]") == 4
    assert out.count("[player -> interrogator]") == 4
    assert "[verdict of openai/judge-2, the board's rubric]" in out
    assert "turn 4" in out


def test_a_fixed_median_moves_the_table_and_nothing_else(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "last", "--store", str(store), "--json"]) == 0
    free = json.loads(capsys.readouterr().out)
    assert main(["show", "last", "--store", str(store), "--json", "--length-median", "1"]) == 0
    fixed = json.loads(capsys.readouterr().out)
    row, other = free["rows"][0], fixed["rows"][0]
    assert row["model"] == other["model"]
    assert other["ln_score"]["value"] == pytest.approx(0.93 * row["aggregate"]["value"], rel=0.01)
    assert other["aggregate"] == row["aggregate"]
    assert fixed["run"] == free["run"]


def test_the_doctor_finds_what_is_wrong(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(store.parent)
    assert main(["doctor", "--store", str(store), "--json"]) == 0
    checks = {check["what"]: check for check in json.loads(capsys.readouterr().out)}
    assert checks[f"store {store}"]["detail"] == "1 runs; integrity ok"
    assert checks["SQLite"]["state"] == "ok"
    Path("models.toml").write_text('[models.gone]\nmodel = "openai/x"\nbase_url = "http://127.0.0.1:9/v1"\n')
    assert main(["doctor", "--store", str(store), "--json"]) == 1
    checks = {check["what"]: check for check in json.loads(capsys.readouterr().out)}
    assert checks["model gone"]["state"] == "problem"
    assert "nothing answers at 127.0.0.1:9" in checks["model gone"]["detail"]
