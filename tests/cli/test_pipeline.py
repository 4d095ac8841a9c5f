"""The verb pipeline: from tasks to scores in one command, which costs nothing the second time."""

import json
from pathlib import Path

import pytest

from interplay.cli import main
from interplay.models.loopback import Asked
from tests.running.typed import provider, refused, run, steady


def line(url: str, folder: Path, *more: str) -> list[str]:
    return [
        *("pipeline", "simulation", "--base-url", url, "--store", str(folder / "a.db"), "--json"),
        *("--out", str(folder / "scripts.jsonl"), "--limit", "5", "--epochs", "1"),
        *("--model", "openai/a", "--model", "openai/b", "--model-role", "judge=openai/j"),
        *("--model-role", "simulator=openai/s", "--model-role", "user=openai/u"),
        *more,
    ]


def test_tasks_become_scores_and_the_second_time_costs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with provider() as (loopback, url):
        told = run(line(url, tmp_path), capsys)
        scripts = [json.loads(one) for one in (tmp_path / "scripts.jsonl").read_text().splitlines()]
        assert scripts
        assert {row["model"]: row["n"] for row in told["rows"]} == dict.fromkeys(
            ("openai/a", "openai/b"), len(scripts)
        )
        assert all(row["unscored"] == 0 for row in told["rows"])
        calls = loopback.calls
        assert run(line(url, tmp_path), capsys) == told
        assert loopback.calls == calls
        by_model = loopback.calls_by_model()
        assert by_model["a"] == by_model["b"] == len(scripts)
        assert by_model["s"] == 5 * 4
    listed = run(["runs", "list", "--store", str(tmp_path / "a.db"), "--json"], capsys)
    assert {one["run"].rpartition("-")[0] for one in listed} == {"simulation", "simulation_dialogues"}


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        (["role_play"], "role_play has no stages before its run; there is simulation"),
        (["simulatoin"], "did you mean 'simulation'"),
        (["simulation", "--model", "openai/a"], "name the simulator with --model-role simulator=NAME"),
        (["simulation", "--model-role", "usr=openai/a"], "have no role 'usr'; did you mean 'user'?"),
        (["simulation", "--data", "none.toml"], "cannot be read"),
        (["simulation", "--out", "scripts.txt"], "must end in .jsonl"),
    ],
)
def test_mistakes(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    typed: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert complaint in refused(["pipeline", *typed], capsys)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_run_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scripts.jsonl").write_text("mine\n")
    with provider() as (_, url):
        assert "--force replaces it" in refused(line(url, tmp_path), capsys)
        assert (tmp_path / "scripts.jsonl").read_text() == "mine\n"
        assert main(line(url, tmp_path, "--force")) == 0
    assert (tmp_path / "scripts.jsonl").read_text() != "mine\n"


def broken_judge(asked: Asked) -> str:
    return "I would rather not." if asked.model == "broken" else steady(asked)


def test_a_judge_who_never_answers_does_not_stand_in_the_way_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "scripts.jsonl"
    with provider(broken_judge) as (loopback, url):
        assert main(line(url, tmp_path)) == 0
        first = out.read_text()
        broken = [
            part.replace("judge=openai/j", "judge=openai/broken") for part in line(url, tmp_path, "--force")
        ]
        assert main(broken) == 1
        by_model = loopback.calls_by_model()
        assert out.read_text() == first
        assert "of an earlier extract" in capsys.readouterr().err
        assert main(line(url, tmp_path)) == 0
        assert out.read_text() == first
        assert loopback.calls_by_model() == by_model
