"""Who trains a game master: what is recorded of a job, what another start does, and trainings here one at a time."""

import asyncio
import json
import time
from collections.abc import Callable
from inspect import isawaitable
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.social_interaction import benchmark, teachers
from interplay.benchmarks.social_interaction.masters import Master
from interplay.benchmarks.social_interaction.teachers import (
    AtEndpoint,
    OnThisMachine,
    check_local,
    teacher_of,
    tuned_model,
    weights_of,
)
from interplay.benchmarks.social_interaction.training import Lesson, Tuned
from interplay.core.conversation import Conversation
from interplay.core.failures import Mistake, ProviderFailure
from interplay.core.making import Finished
from interplay.core.wire import Step
from interplay.models import tuning
from interplay.models.connecting import Directory
from interplay.models.entries import Entry
from interplay.models.loopback import Fault, Loopback, Tuning
from interplay.models.tuned import HERE
from tests.models.fine_tuned import BASE, CREATE, EXAMPLES, LIST_JOBS, POLL, always, count
from tests.models.tiny_model import asked

LESSON = Lesson(f"api:openai/{BASE}", "real", tuple(EXAMPLES))


class Desk:
    """Keeps what is made once, over several conversations."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    async def reply(self, step: Step, request: Any) -> Any:
        raise AssertionError("teachers ask no seat")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        if step.participant not in self.kept:
            made = make()
            self.kept[step.participant] = await made if isawaitable(made) else made
        return self.kept[step.participant]


def endpoint(url: str, told: list[str] | None = None) -> AtEndpoint:
    directory = Directory(base_url=url, environment={})
    return AtEndpoint(f"openai/{BASE}", directory, 2, 5, (told if told is not None else []).append)


async def taught(teacher: Any, desk: Desk, lesson: Lesson = LESSON) -> Tuned:
    """One start."""
    found: Tuned = await teacher.teach(Conversation({}, desk), lesson)
    return found


async def test_the_file_and_the_job_are_recorded_and_another_start_only_looks() -> None:
    loopback, desk, told = Loopback(tuning=Tuning(polls=1)), Desk(), list[str]()
    async with loopback as url:
        first = await taught(endpoint(url, told), desk)
        assert desk.kept == {"file": "file-loopback-1", "job": "ftjob-loopback-1"}
        assert await taught(endpoint(url, told), desk) == first
    assert first.place == loopback.workshop.jobs[0].model
    assert "job ftjob-loopback-1" in first.told
    assert count(loopback.events, CREATE) == 1
    assert count(loopback.events, LIST_JOBS) == 1
    assert set(told) == {f"Training openai/{BASE} on {len(EXAMPLES)} windows of real: job ftjob-loopback-1."}


async def test_a_job_that_is_over_is_made_anew_by_the_next_start_and_only_by_that() -> None:
    loopback, desk = Loopback(tuning=Tuning(polls=1)), Desk()
    async with loopback as url:
        for number in (1, 2):
            task = asyncio.create_task(taught(endpoint(url), desk))
            while len(loopback.workshop.jobs) < number:  # noqa: ASYNC110  # the server tells nobody of a new job
                await asyncio.sleep(0)
            loopback.workshop.jobs[-1].cancelled = True
            with pytest.raises(ProviderFailure, match=f"job ftjob-loopback-{number} was cancelled"):
                await task
            assert len(loopback.workshop.jobs) == number
        found = await taught(endpoint(url), desk)
        assert len(loopback.workshop.jobs) == 3
        assert found.place == loopback.workshop.jobs[2].model
        assert await taught(endpoint(url), desk) == found
    assert list(desk.kept) == ["file", "job", "end", "file 2", "job 2", "end 2", "file 3", "job 3"]
    assert len(loopback.workshop.files) == 1


async def test_trouble_with_looking_is_no_end_of_a_job() -> None:
    loopback, desk = Loopback({POLL: always(Fault("status", 401))}), Desk()
    async with loopback as url:
        for _ in range(2):
            with pytest.raises(ProviderFailure, match="key"):
                await taught(endpoint(url), desk)
    assert list(desk.kept) == ["file", "job"]
    assert len(loopback.workshop.jobs) == 1


async def test_other_settings_are_other_jobs_and_other_runs() -> None:
    loopback = Loopback(tuning=Tuning(polls=1))
    async with loopback as url:
        first = endpoint(url)
        other = AtEndpoint(first.model, first.directory, 3, 5, first.tell)
        assert first.settings != other.settings
        for teacher in (first, other):
            await taught(teacher, Desk())
        await taught(endpoint(url), Desk())  # a new record finds the old job
    assert len(loopback.workshop.jobs) == 2


# Here


def folder_of(path: Path, weights: bytes = b"x") -> Path:
    path.mkdir(parents=True)
    (path / "config.json").write_text("{}")
    (path / "a.safetensors").write_bytes(weights)
    return path


def test_two_folders_of_one_name_are_two_trainings(tmp_path: Path) -> None:
    how = tuning.Settings()
    first, same, other = (
        OnThisMachine(folder_of(tmp_path / place / "model", weights), how, print)
        for place, weights in (("a", b"x"), ("b", b"x"), ("c", b"y"))
    )
    assert first.settings == same.settings != other.settings
    assert json.loads(first.settings)["base"] == "model"


async def test_trainings_here_come_one_at_a_time_and_end_with_who_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path / "cache"))
    running, ended, most = [0], list[str](), [0]

    def tune(base: Path, examples: Any, how: Any, folder: Path, tell: Callable[[Any], None]) -> Path:
        """In the place of minutes of arithmetic: a training that goes on until somebody stops it."""
        running[0] += 1
        most[0] = max(most[0], running[0])
        try:
            for step in range(10_000):
                tell(tuning.Progress(step, 10_000, 1, 1, 0.0, 0.0))
                time.sleep(0.001)
        except BaseException as error:
            ended.append(type(error).__name__)
            raise
        finally:
            running[0] -= 1
        return folder

    monkeypatch.setattr(teachers.tuning, "tune", tune)
    teacher = OnThisMachine(folder_of(tmp_path / "model"), tuning.Settings(), lambda line: None)
    tasks = [asyncio.create_task(taught(teacher, Desk())) for _ in range(3)]
    await asyncio.sleep(0.1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for _ in range(200):
        if ended:
            break
        await asyncio.sleep(0.01)
    assert (most[0], ended) == (1, ["Cancelled"])


def test_weights_that_are_none_are_refused(tmp_path: Path) -> None:
    for named, told in (
        (str(tmp_path / "none"), "there is no such file or folder; smollm2 is the embedded model"),
        (str(tmp_path), "holds no config.json"),
        (str(Path(__file__)), "neither a .gguf file nor a folder"),
    ):
        with pytest.raises(Mistake, match=told):
            weights_of(named)
    assert weights_of(str(folder_of(tmp_path / "model"))) == tmp_path / "model"


def test_missing_libraries_are_told_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teachers, "find_spec", lambda name: None if name == "peft" else object())
    master = Master("local", str(folder_of(tmp_path / "model")))
    check_local(master, benchmark.settle({}))
    with pytest.raises(Mistake, match=r"pip install 'interplay\[tuning\]'"):
        check_local(master, benchmark.settle({"dm_method": "lora"}))


# Who is who


def finished(directory: Directory, **options: str) -> Finished:
    settled = benchmark.settle({"scene": "intentions", **options})
    return Finished("run", (), (), settled, 7, directory, lambda line: None)


def test_a_teacher_for_each_kind(tmp_path: Path) -> None:
    directory = Directory(base_url="http://127.0.0.1:9/v1", environment={})
    there = teacher_of(Master("api", "openai/x"), finished(directory, dm_epochs="4"))
    assert isinstance(there, AtEndpoint)
    assert json.loads(there.settings) == {"epochs": 4, "seed": 7}
    base = folder_of(tmp_path / "model")
    here = teacher_of(Master("local", str(base)), finished(directory, dm_method="lora", dm_epochs="2"))
    assert isinstance(here, OnThisMachine)
    assert (here.how.method, here.how.epochs, here.how.seed) == ("lora", 2, 7)


async def test_a_tuned_model_is_at_the_endpoint_of_its_base() -> None:
    seen = []

    def script(request: Any) -> str:
        seen.append(request.model)
        return "ok"

    loopback = Loopback(script)
    async with loopback as url:
        directory = Directory({"mine": Entry("openai/base", base_url=url)}, environment={})
        for found in (None, Tuned("ft:base:x", "")):
            model = tuned_model("dm, any", Master("api", "mine"), found, finished(directory))
            assert model.name == "dm, any"
            await model.reply(asked("x"))
            await model.close()
    assert seen == ["base", "ft:base:x"]


def test_readers_here_share_one_place(tmp_path: Path) -> None:
    base = str(folder_of(tmp_path / "model"))
    found = [
        tuned_model(name, Master("local", base), None, finished(Directory(environment={})))
        for name in ("one", "two")
    ]
    assert {model.endpoint for model in found} == {HERE}
    assert {model.most_connections for model in found} == {1}
