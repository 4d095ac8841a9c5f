"""The verb read: other game masters on what was played, and how runs made of other runs are shown and kept."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from interplay.cli.examine import failing
from interplay.models.loopback import ROUTES, Loopback, Tuning, serving
from tests.cli.provider import Typist
from tests.cli.sessions import (
    MODELS,
    READ,
    SCRIPTS,
    SESSIONS,
    exchange,
    gaps,
    intentions,
    jobs,
    of_models,
    real_file,
    serving_tables,
)

READERS = 2 + len(MODELS)
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typist:
    monkeypatch.chdir(tmp_path)
    return Typist(tmp_path / "interplay.db", capsys)


@pytest.fixture
def played(typist: Typist) -> Iterator[tuple[Loopback, str]]:
    """A run that was played and read by nobody, and a provider for those who read."""
    with serving(serving_tables()) as url:
        typist.types(*intentions(url, typist.store.parent, dm="none"))
    loopback = serving_tables(tuning=Tuning(polls=1))
    with serving(loopback) as url:
        yield loopback, url


def reads(url: str, dm: str, *more: str, run: str = "last") -> list[str]:
    return ["read", run, "--dm", dm, "--real", "real.jsonl", "--base-url", url, *more]


def test_other_game_masters_stand_beside_the_first(typist: Typist, played: tuple[Loopback, str]) -> None:
    loopback, url = played
    first = typist.reads(*reads(url, "examples:openai/dm"))
    assert loopback.calls_by_model() == {"dm": READERS * READ}
    second = typist.reads(*reads(url, "examples:openai/dm-2"))
    assert loopback.calls_by_model() == {"dm": READERS * READ, "dm-2": READERS * READ}
    assert second["run"] == first["run"]
    assert gaps(second)[1:] == gaps(first)
    assert typist.reads(*reads(url, "examples:openai/dm-2")) == second
    assert typist.reads("show", "last") == second
    assert loopback.calls == 2 * READERS * READ


def test_several_game_masters_share_a_board(typist: Typist, played: tuple[Loopback, str]) -> None:
    loopback, url = played
    (board,) = gaps(typist.reads(*reads(url, "examples:openai/dm,examples:openai/dm-2")))
    assert {(row["model"], row["dm"]) for row in board["rows"]} == {
        (model, f"examples:openai/{name}") for model in MODELS for name in ("dm", "dm-2")
    }
    assert loopback.calls == 2 * READERS * READ


def test_a_game_master_that_is_fine_tuned_takes_a_job_for_each_that_it_learns_from(
    typist: Typist, played: tuple[Loopback, str]
) -> None:
    loopback, url = played
    board = typist.reads(*reads(url, "api:openai/dm"))
    assert jobs(loopback) == 1 + len(MODELS)
    assert of_models(loopback) == READERS * READ
    assert {row["dm"] for row in gaps(board)[0]["rows"]} == {"api:openai/dm"}
    requests = len(loopback.events)
    assert typist.reads(*reads(url, "api:openai/dm")) == board
    assert len(loopback.events) == requests  # no job is looked at again
    other = typist.reads(*reads(url, "api:openai/dm", "--dm-epochs", "5"))
    assert jobs(loopback) == 2 * (1 + len(MODELS))
    assert len(gaps(other)) == 2


def test_other_shots_are_another_reading(typist: Typist, played: tuple[Loopback, str]) -> None:
    loopback, url = played
    first = typist.reads(*reads(url, "examples:openai/dm"))
    other = typist.reads(*reads(url, "examples:openai/dm", "--shots", "2"))
    assert loopback.calls == 2 * READERS * READ
    assert gaps(other)[1:] == gaps(first)
    assert typist.reads(*reads(url, "examples:openai/dm", "--shots", "2")) == other
    assert loopback.calls == 2 * READERS * READ


def test_the_light_reader_takes_no_calls(typist: Typist, played: tuple[Loopback, str]) -> None:
    loopback, url = played
    (board,) = gaps(typist.reads(*reads(url, "light", "--curve", "no")))
    assert {(row["model"], row["dm"], row["n"]) for row in board["rows"]} == {
        (model, "light", READ) for model in MODELS
    }
    assert loopback.calls == 0


def test_reading_has_a_plan_and_a_budget_of_its_own_run(typist: Typist, played: tuple[Loopback, str]) -> None:
    loopback, url = played
    line = reads(url, "examples:openai/dm")
    assert f"{READERS * READ} calls" in typist.types(*line, "--plan")
    assert f"{READERS * READ} calls" in typist.reads(*line, "--plan")["then"]
    assert loopback.calls == 0
    spent = 2 * SESSIONS * 8  # by play
    typist.types(*line, "--budget-calls", str(spent + 10), code=1)
    assert loopback.calls == 10
    typist.types(*reads(url, "examples:openai/dm-2"), "--budget-calls", str(spent + 12), code=1)
    assert loopback.calls == 12  # other readings of the run are paid from the same budget
    typist.types(*line)
    assert loopback.calls_by_model()["dm"] == READERS * READ


def test_wrong_requests_for_a_reading(typist: Typist, played: tuple[Loopback, str]) -> None:
    _, url = played
    run = typist.reads("runs")[0]["run"]
    assert "name who reads with --dm" in typist.mistakes(*reads(url, "none"))
    assert "it takes --new alone" in typist.mistakes(*reads(url, "light"), "--new", "3")
    assert "there is no run 'social_inter-x'" in typist.mistakes(*reads(url, "light", run="social_inter-x"))
    assert "did you mean 'light'?" in typist.mistakes(*reads(url, "lihgt"))
    assert "it takes no budget" in typist.mistakes(*reads(url, "api:openai/dm"), "--budget", "1")
    typist.types(*reads(url, "examples:openai/dm"))
    reading = typist.reads("runs")[-1]["run"]
    said = typist.mistakes(*reads(url, "light", run=reading))
    assert (
        "is a run of social_interaction_reading; game masters learn from runs of social_interaction" in said
    )
    assert [one["run"] for one in typist.reads("runs")] == [run, reading]


def test_a_run_of_another_benchmark_is_not_read(typist: Typist) -> None:
    with serving(serving_tables()) as url:
        line = ["run", "role_play", "--model", "openai/a", "--limit", "1", "--base-url", url]
        typist.types(*line, "--model-role", "interrogator=openai/u", "--model-role", "judge=openai/j")
    assert "game masters learn from runs of social_interaction" in typist.mistakes("read", "last")


def test_a_run_without_a_finished_session_cannot_be_learned_from(typist: Typist) -> None:
    with serving(serving_tables()) as url:
        typist.types(*intentions(url, typist.store.parent), "--budget-calls", "0", code=1)
        assert "no finished conversation" in typist.mistakes(*reads(url, "light"))


# Lists, boards, exports


def test_runs_made_of_others_are_listed_as_such(typist: Typist, played: tuple[Loopback, str]) -> None:
    _, url = played
    typist.types(*reads(url, "api:openai/dm"))
    first, training, reading = typist.reads("runs")
    assert "of" not in first
    assert [one["of"] for one in (training, reading)] == [first["run"]] * 2
    assert training["run"].startswith("social_interaction_training-")
    assert "api:openai/dm, untrained" in reading["models"]
    shown = typist.types("list")
    assert all(one["run"] in shown for one in (first, training, reading))
    assert shown.count("made of") == 2
    assert "untrained" not in shown


def test_a_run_that_is_deleted_leaves_what_was_made_of_it(
    typist: Typist, played: tuple[Loopback, str]
) -> None:
    _, url = played
    typist.types(*reads(url, "examples:openai/dm"))
    first, reading = (one["run"] for one in typist.reads("runs"))
    assert reading not in typist.mistakes("runs", "delete", first)  # nobody is here to be asked
    typist.types("runs", "delete", first, "--yes")
    assert f"What was made of it stays, and can be deleted by itself: {reading}." in typist.said
    assert [one["run"] for one in typist.reads("runs")] == [reading]
    assert typist.reads("show", "last")["run"] == reading
    typist.types("runs", "delete", reading, "--yes")
    assert "What was made of it" not in typist.said
    assert typist.reads("runs") == []


def test_a_reading_is_shown_scored_and_exported_like_any_run(
    typist: Typist, played: tuple[Loopback, str]
) -> None:
    _, url = played
    board = typist.reads(*reads(url, "examples:openai/dm"))
    first, reading = (one["run"] for one in typist.reads("runs"))
    beside = gaps(board)[0]
    alone = typist.reads("show", reading)
    assert (alone["title"], alone["rows"], alone["notes"]) == (
        beside["title"],
        beside["rows"],
        beside["notes"],
    )
    assert all(part in board["parts"] for part in alone["parts"])
    assert typist.reads("score", reading) == typist.reads("show", reading)
    for run in (first, reading):
        for kind in ("json", "jsonl", "csv", "md", "html"):
            typist.types("export", run, f"{run}.{kind}")
            assert Path(f"{run}.{kind}").stat().st_size
    whole = json.loads(Path(f"{first}.json").read_text(encoding="utf-8"))
    assert "Expressiveness gap" in json.dumps(whole)
    conversation = typist.reads("list", reading)[0]["number"]
    assert "Who is about to be asked" in typist.types("show", reading, "--conversation", str(conversation))
    said = typist.mistakes("judge", reading, "--model-role", "judge=openai/j1", "--base-url", url)
    assert "has no role 'judge'" in said


def test_one_board_of_runs_with_and_without_readings(typist: Typist) -> None:
    with serving(serving_tables()) as url:
        folder = typist.store.parent
        for model, dm in (("openai/a", "examples:openai/dm"), ("openai/b", "none"), ("openai/c", "light")):
            line = ["run", "social_interaction", "--scene", "intentions", "--model", model, "--moves", "8"]
            more = ["--limit", "10", "--dm", dm, "--curve", "no", "--real", real_file(folder)]
            typist.types(*line, *more, "--base-url", url)
        typist.types(*exchange(url, "--limit", "1"))
        intended, exchanged = typist.reads("board", "social_interaction")
    assert {row["model"] for row in intended["rows"]} == {"openai/a", "openai/b", "openai/c"}
    assert [[row["model"] for row in gap["rows"]] for gap in gaps(intended)] == [["openai/c"], ["openai/a"]]
    assert "scene" in exchanged["apart"]
    assert "dm" not in exchanged["apart"].replace("admit", "")
    assert typist.reads("board", "social_interaction_reading")


# Health, dry runs


def test_the_doctor_knows_what_reading_needs(
    typist: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def state(what: str) -> str:
        return next(one["state"] for one in typist.reads("doctor") if one["what"].startswith(what))

    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path / "cache"))
    assert state("sentence encoder") == "absent"
    (tmp_path / "cache").mkdir()
    for name in ("all-MiniLM-L6-v2.safetensors", "all-MiniLM-L6-v2.vocab.txt"):
        (tmp_path / "cache" / name).write_bytes(b"damaged")
    problem = next(one for one in typist.reads("doctor", code=1) if one["what"].startswith("sentence"))
    assert problem["state"] == "problem"
    assert "delete" in problem["detail"]
    (tmp_path / "cache" / name).unlink()
    assert state("fine-tuning here") in ("ok", "absent")


def test_a_rehearsed_provider_that_fails_now_and_then_trains_all_the_same(typist: Typist) -> None:
    with serving(serving_tables()) as url:
        typist.types(*intentions(url, typist.store.parent, dm="none"))
    script = failing(0.15, 4)
    spoiled = Loopback({**SCRIPTS, "*": script, **dict.fromkeys(ROUTES, script)}, tuning=Tuning(polls=1))
    with serving(spoiled) as url:
        board = typist.reads(*reads(url, "api:openai/dm"))
    failed = [event for event in spoiled.events if event.kind != "request" and event.route in ROUTES]
    assert failed
    assert jobs(spoiled) == 1 + len(MODELS)
    assert gaps(board)[0]["rows"]
