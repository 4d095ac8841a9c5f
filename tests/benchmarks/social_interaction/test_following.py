"""From what was played to a board of gaps, in a real store: by examples, by fine-tuning there and here."""

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.social_interaction import benchmark
from interplay.benchmarks.social_interaction.following import check
from interplay.benchmarks.social_interaction.training import training
from interplay.core.failures import Mistake
from interplay.models.connecting import Directory
from interplay.models.loopback import Asked, Event, Fault, Loopback, Tuning, serving
from tests.benchmarks.social_interaction.followed import BASE, MODEL, SCRIPTS, Followed
from tests.faults.harness import PATIENCE, check_record, finish, start
from tests.models.fine_tuned import CREATE, LIST_FILES, POLL, UPLOAD, always, count

OTHER = "openai/other"


@contextmanager
def followed(
    store: Path, loopback: Loopback | None = None, **options: Any
) -> Iterator[tuple[Followed, Loopback]]:
    """A run that was played, and the provider that is still there."""
    loopback = loopback or Loopback(SCRIPTS, tuning=Tuning(polls=1))
    with serving(loopback) as url:
        yield Followed(store, url).play(**options), loopback


# By examples


def test_examples_are_read_and_a_second_time_costs_nothing(tmp_path: Path) -> None:
    seen: list[Asked] = []

    def script(asked: Asked) -> str:
        seen.append(asked)
        return str(SCRIPTS[BASE](asked))

    with followed(tmp_path / "runs.db", Loopback({**SCRIPTS, BASE: script})) as (one, loopback):
        assert one.read(f"examples:openai/{BASE}", shots="3")
        assert len(seen) == 3 * 24
        sent = loopback.calls
        assert one.read(f"examples:openai/{BASE}", shots="3")
        assert loopback.calls == sent
    assert {len(asked.messages) for asked in seen} == {2, 2 + 2 * 3}
    (board,) = one.boards()
    (row,) = board.rows
    assert (row["model"], row["dm"], row["size"]) == (MODEL, f"examples:openai/{BASE}", 12)
    assert row["n"] == 24
    assert one.trainings == []
    assert one.told[0].startswith("Note: game masters learn from 12 windows")


def test_nothing_held_out_is_among_the_examples(tmp_path: Path) -> None:
    seen: list[Asked] = []

    def script(asked: Asked) -> str:
        seen.append(asked)
        return '{"intentions": []}'

    with followed(tmp_path / "runs.db", Loopback({**SCRIPTS, BASE: script})) as (one, _):
        one.read(f"examples:openai/{BASE}", shots="12")
    asked = {str(one.messages[-1]["content"]).partition("<<")[2][12:60] for one in seen}
    shown = {
        str(message["content"]).partition("<<")[2][12:60]
        for one in seen
        for message in one.messages[1:-1]
        if message["role"] == "user"
    }
    assert len(asked) == 24
    assert len(shown) >= 20
    assert not asked & shown


# By fine-tuning at an endpoint


def test_the_whole_way_through_fine_tuning_at_an_endpoint(tmp_path: Path) -> None:
    with followed(tmp_path / "runs.db", models=(MODEL, OTHER)) as (one, loopback):
        assert one.read(f"api:openai/{BASE}")
        assert len(loopback.workshop.jobs) == 3  # real play, and two models'
        by_model = loopback.calls_by_model()
        tuned = [job.model for job in loopback.workshop.jobs]
        assert {by_model[name] for name in (BASE, *tuned)} == {24}
        sent = len(loopback.events)
        assert one.read(f"api:openai/{BASE}")
        assert len(loopback.events) == sent
    for job in loopback.workshop.jobs:
        assert job.asked["method"]["supervised"]["hyperparameters"] == {"n_epochs": 3}
        assert len(job.examples) == 12
        assert {len(example["messages"]) for example in job.examples} == {3}
    assert [row.state for row in one.trainings] == ["done"] * 3
    assert sorted(row.outcome["place"] for row in one.trainings) == sorted(tuned)
    (board,) = one.boards()
    assert {(row["model"], row["dm"]) for row in board.rows} == {
        (MODEL, f"api:openai/{BASE}"),
        (OTHER, f"api:openai/{BASE}"),
    }
    read = {row.subject: row.outcome for row in one.rows() if row.outcome}
    for subject, outcome in read.items():
        expected = "history" if "untrained" in subject else "stealth"
        assert {found["skill"] for found in outcome["intentions"]} == {expected}
    (trained,) = one.boards(training)
    assert {row["source"] for row in trained.rows} == {"real", MODEL, OTHER}
    assert sum("job ftjob-loopback-" in line for line in one.told) >= 3


def test_a_job_that_failed_is_told_the_rest_goes_on_and_a_new_start_makes_another(tmp_path: Path) -> None:
    def cancel_first(event: Event) -> None:
        if event.route == POLL and event.kind == "request" and len(loopback.workshop.jobs) <= 2:
            loopback.workshop.jobs[0].cancelled = True

    loopback = Loopback(SCRIPTS, tuning=Tuning(polls=1), watch=cancel_first)
    with followed(tmp_path / "runs.db", loopback) as (one, _):
        assert one.read(f"api:openai/{BASE}")
        assert len(loopback.workshop.jobs) == 2
        notes = [line for line in one.told if "could not be trained" in line]
        assert len(notes) == 1
        assert "the fine-tuning job ftjob-loopback-1 was cancelled" in notes[0]
        assert sorted(row.state for row in one.trainings) == ["done", "void"]
        assert {row.subject.partition(",")[2] for row in one.rows()} > {" untrained"}
        assert len({row.subject for row in one.rows()}) == 2
        one.told.clear()
        assert one.read(f"api:openai/{BASE}")
        assert len(loopback.workshop.jobs) == 3
        assert [row.state for row in one.trainings] == ["done"] * 2
        assert not any("could not be trained" in line for line in one.told)
    full = one.boards()[-1]
    assert [row["model"] for row in full.rows] == [MODEL]


def test_too_few_windows_for_the_endpoint_are_told_and_the_untrained_still_reads(tmp_path: Path) -> None:
    with followed(tmp_path / "runs.db", sessions="4") as (one, loopback):
        assert one.read(f"api:openai/{BASE}")
    assert sum("could not be trained" in line and "invalid_n_examples" in line for line in one.told) == 2
    assert {row.subject for row in one.rows()} == {f"api:openai/{BASE}, untrained"}
    (board,) = one.boards()
    assert board.rows == ()
    assert len(loopback.workshop.jobs) == 2


def test_an_endpoint_without_fine_tuning_is_told(tmp_path: Path) -> None:
    refused = always(Fault("status", 404))
    loopback = Loopback({**SCRIPTS, UPLOAD: refused, LIST_FILES: refused})
    with followed(tmp_path / "runs.db", loopback) as (one, _):
        assert one.read(f"api:openai/{BASE}")
    assert sum("could not be trained" in line for line in one.told) == 2
    assert {row.state for row in one.rows()} == {"done"}


def read_line(one: Followed, dm: str) -> list[str]:
    line = ["read", one.run, "--dm", dm, "--curve", "no", "--base-url", one.url]
    return [*line, "--store", str(one.store), "--json"]


@pytest.mark.parametrize(
    "at",
    [
        pytest.param((CREATE, "request", 1), marks=pytest.mark.soak),
        (CREATE, "reply", 1),
        pytest.param((POLL, "request", 2), marks=pytest.mark.soak),
        (POLL, "reply", 3),
    ],
)
def test_killed_while_a_job_is_made_or_polled_and_resumed_there_is_one_job(
    tmp_path: Path, at: tuple[str, str, int]
) -> None:
    process: list[Any] = []
    begun, seen, route = threading.Event(), [0], at

    def kill(event: Event) -> None:
        if (event.route, event.kind) == route[:2]:
            seen[0] += 1
            if seen[0] == route[2]:
                begun.wait(PATIENCE)
                process[0].send_signal(signal.SIGKILL)
                process[0].wait(PATIENCE)

    loopback = Loopback(SCRIPTS, tuning=Tuning(polls=2), watch=kill)
    with followed(tmp_path / "runs.db", loopback) as (one, _):
        line = read_line(one, f"api:openai/{BASE}")
        process.append(start(line))
        begun.set()
        code, _, err = finish(process[0])
        assert code == -signal.SIGKILL, err
        code, out, err = finish(start(line))
        assert code == 0, err
        jobs = [job.asked["training_file"] for job in loopback.workshop.jobs]
        assert len(jobs) == len(set(jobs)) == 2
        assert len(loopback.workshop.files) == 2
        assert count(loopback.events, CREATE) <= 3
        before = len(loopback.events)
        again, same, _ = finish(start(line))
        assert (again, same, len(loopback.events)) == (0, out, before)
    check_record(one.store)
    assert [row.state for row in one.trainings] == ["done"] * 2
    assert json.loads(out)


# By fine-tuning here


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    from tests.benchmarks.social_interaction.tiny_reader import build

    return build(tmp_path_factory.mktemp("tiny"))


def test_a_model_is_fine_tuned_on_this_machine(
    tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with followed(tmp_path / "runs.db", sessions="3", moves="4") as (one, _):
        assert one.read(f"local:{tiny}", dm_epochs="1", held_out="4")
        made = sorted((tmp_path / "cache" / "tuned").iterdir())
        assert len(made) == 2
        written = {path: path.stat().st_mtime_ns for folder in made for path in folder.rglob("*")}
        one.told.clear()
        assert one.read(f"local:{tiny}", dm_epochs="1", held_out="4")
        assert {path: path.stat().st_mtime_ns for folder in made for path in folder.rglob("*")} == written
    trained = one.trainings
    assert [row.state for row in trained] == ["done"] * 2
    for row in trained:
        assert Path(row.outcome["place"]) in made
        assert "fine-tuned here on 3 examples" in row.outcome["told"]
    assert len({row.subject for row in one.rows()}) == 3
    # a model of a few thousand weights writes nothing in form
    assert {row.failure for row in one.rows()} == {"unreadable"}
    (board,) = one.boards()
    assert [row["n"] for row in board.rows] == [0]


# Before anything is played


@pytest.mark.parametrize(
    ("dm", "told"),
    [
        ("api:anthropic/x", "has no fine-tuning API"),
        ("api:local/x", "has no fine-tuning API"),
        ("examples:nowhere", "'nowhere' is no model"),
        ("local:/nowhere/at/all", "there is no such file or folder"),
        ("local:/", "holds no config.json"),
    ],
)
def test_what_cannot_be_read_is_refused_before(dm: str, told: str) -> None:
    directory = Directory(base_url="http://127.0.0.1:9/v1", environment={})
    with pytest.raises(Mistake, match=told) as raised:
        check(benchmark.settle({"scene": "intentions", "dm": dm}), directory, False)
    assert "\n" not in str(raised.value)


def test_fine_tuning_takes_no_budget_but_examples_do() -> None:
    directory = Directory(base_url="http://127.0.0.1:9/v1", environment={})
    check(benchmark.settle({"dm": "examples:openai/x"}), directory, True)
    with pytest.raises(Mistake, match="so it takes no budget"):
        check(benchmark.settle({"dm": "api:openai/x"}), directory, True)


def test_real_play_is_read_before(tmp_path: Path) -> None:
    directory = Directory(base_url="http://127.0.0.1:9/v1", environment={})
    for text, told in (("", "has no windows"), ("{", "line 1 is no JSON")):
        (tmp_path / "play.jsonl").write_text(text)
        with pytest.raises(Mistake, match=told):
            check(benchmark.settle({"dm": "none", "real": str(tmp_path / "play.jsonl")}), directory, False)
