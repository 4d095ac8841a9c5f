"""board: all runs of a benchmark that can be compared on one board, the others apart, with the reason."""

import json
from pathlib import Path
from typing import Any

import pytest

from interplay.models.loopback import Fault, Loopback, Script, serving
from interplay.store.records import Records
from tests.cli.provider import Typist
from tests.running.job import answer, first_time


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    return Typist(tmp_path / "interplay.db", capsys)


def play(typist: Typist, model: str, *more: str, script: Script = answer, code: int = 0) -> str:
    cast = [
        "--model",
        model,
        "--model-role",
        "interrogator=openai/user",
        "--model-role",
        "judge=openai/judge-1",
    ]
    with serving(Loopback(script)) as url:
        words = ["run", "role_play", "--base-url", url, *cast, "--limit", "2", *more]
        words += [] if "--turns" in more else ["--turns", "1"]
        found: str = typist.reads(*words, code=code)["run"]
        return found


def boards(typist: Typist, *runs: str) -> Any:
    return typist.reads("board", "role_play", *runs)


def test_runs_that_can_be_compared_share_a_board(typist: Typist) -> None:
    ids = [play(typist, "openai/one"), play(typist, "openai/two")]
    [board] = boards(typist)
    assert sorted(board["runs"]) == sorted(ids)
    assert board["apart"] == ""
    assert sorted(row["model"] for row in board["rows"]) == ["openai/one", "openai/two"]
    shown = typist.types("board", "pingpong")  # by the paper's name
    assert "openai/one" in shown
    assert "openai/two" in shown
    assert "Apart" not in shown


def test_runs_that_cannot_be_compared_stand_apart_with_the_reason(typist: Typist) -> None:
    play(typist, "openai/one")
    play(typist, "openai/two")
    lone = play(typist, "openai/three", "--turns", "2")
    first, other = boards(typist)
    assert len(first["rows"]) == 2
    assert (other["runs"], other["apart"]) == ([lone], "other options (turns: 2 not 1)")
    shown = typist.types("board", "role_play")
    before, _, after = shown.partition(
        "Apart, not to be compared with the first: other options (turns: 2 not 1)"
    )
    assert "openai/three" not in before
    assert "openai/three" in after


def test_only_the_runs_that_are_named_are_shown(typist: Typist) -> None:
    one = play(typist, "openai/one")
    two = play(typist, "openai/two")
    play(typist, "openai/three")
    typist.types("runs", "rename", two, "second")
    [board] = boards(typist, one, "second")
    assert sorted(board["runs"]) == sorted([one, two])


def test_the_length_median_of_the_board_is_over_all_its_models_or_fixed(typist: Typist) -> None:
    for model in ("openai/one", "openai/two"):
        play(typist, model)
    [free] = boards(typist)
    [fixed] = typist.reads("board", "role_play", "--length-median", "1")
    assert [row["aggregate"] for row in fixed["rows"]] != []
    assert fixed["notes"] != free["notes"]
    assert {row["ln_score"]["value"] for row in fixed["rows"]} != {
        row["ln_score"]["value"] for row in free["rows"]
    }
    assert "length_median is a whole number" in typist.mistakes("board", "role_play", "--length-median", "x")


def test_void_conversations_of_a_run_are_named_on_the_board(typist: Typist) -> None:
    play(typist, "openai/one")
    failing = first_time(lambda number: Fault("status", status=400) if number > 3 else None)
    play(typist, "openai/two", "--max-connections", "1", script=failing, code=1)
    [board] = boards(typist)
    rows = {row["model"]: row for row in board["rows"]}
    assert (rows["openai/one"]["void"], rows["openai/two"]["void"]) == (0.0, 0.5)
    assert any(note == "Void by name: provider 1." for note in board["notes"])


def test_weights_stand_on_the_board_where_somebody_said(
    typist: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models.toml").write_text(
        '[models.open]\nmodel = "openai/open"\nopen_weights = true\n'
        '[models.closed]\nmodel = "openai/closed"\nopen_weights = false\n'
    )
    play(typist, "openai/unsaid")
    assert "open" not in boards(typist)[0]["columns"]
    play(typist, "open")
    play(typist, "closed")
    Path("models.toml").unlink()
    [board] = boards(typist)  # from the record, whatever models.toml says today
    assert {row["model"]: row["open"] for row in board["rows"]} == {
        "open": "yes",
        "closed": "no",
        "openai/unsaid": "",
    }
    assert board["columns"]["open"] == "are the model's weights open?"


def test_mistakes(typist: Typist) -> None:
    assert "there is no store" in typist.mistakes("board", "role_play")
    run = play(typist, "openai/one")
    assert "did you mean 'role_play'" in typist.mistakes("board", "rol_play")
    assert f"did you mean '{run}'" in typist.mistakes("board", "role_play", run[:-1] + "?")
    with Records(typist.store) as records:
        records.begin("other-1", "other", {"models": []}, {})
    assert "other-1 is a run of other, not of role_play" in typist.mistakes("board", "role_play", "other-1")
    assert [board["runs"] for board in boards(typist)] == [[run]]  # those of other benchmarks are passed over


def test_a_store_without_a_finished_conversation_has_no_board(typist: Typist) -> None:
    play(typist, "openai/one", script=first_time(lambda number: Fault("status", status=400)), code=1)
    assert "holds no finished conversation of role_play yet" in typist.mistakes("board", "role_play")


def test_the_json_is_the_board_s_own(typist: Typist) -> None:
    run = play(typist, "openai/one")
    [board] = json.loads(typist.types("board", "role_play", run, "--json"))
    shown = typist.reads("show", run)
    assert {key: board[key] for key in ("title", "rows", "columns", "notes")} == {
        key: shown[key] for key in ("title", "rows", "columns", "notes")
    }
