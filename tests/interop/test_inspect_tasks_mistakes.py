"""What is wrong with a task is told in one line, in the words of Inspect's command line, before anything starts."""

import asyncio
import inspect
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import inspect_ai
import pytest

from interplay.benchmarks import ALL, find
from interplay.core.benchmark import Preset
from interplay.core.failures import Mistake
from interplay.interop import inspect_tasks
from interplay.interop.inspect_task_cast import InspectMistake
from interplay.interop.inspect_tasks import TASKS, as_typed, task_of

ONE, OTHER, THIRD = "mockllm/one", "mockllm/other", "mockllm/third"
USER = {"interrogator": ONE}
CAST = {**USER, "judge": OTHER}


def mistake(
    name: str, folder: Path, cast: Mapping[str, Any], typed: Mapping[str, Any], model: str = ONE
) -> str:
    """The one line; no log was begun."""
    with pytest.raises(InspectMistake) as told:
        asyncio.run(
            inspect_ai.eval_async(
                f"interplay/{name}",
                model=model,
                model_roles=dict(cast),
                task_args=dict(typed),
                log_dir=str(folder),
            )
        )
    assert not list(folder.iterdir())
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.mark.parametrize(
    ("name", "cast", "typed", "told"),
    [
        ("pingpong", USER, {}, "there may be several): --model-role judge=openai/NAME"),
        ("role_play", {"judge": ONE}, {}, "role interrogator (the emulated user): --model-role interrogator="),
        ("role_play", {**USER, "jugde": OTHER}, {}, "has no role 'jugde'; did you mean 'judge'?"),
        ("role_play", {**CAST, "judge_2": THIRD}, {}, "--model-role judge=ONE,ANOTHER"),
        ("role_play", {**USER, "judge": [OTHER, OTHER]}, {}, "two judges are called mockllm/other"),
        ("role_play", {**CAST, "interrogator": [ONE, OTHER]}, {}, "interrogator is played by one model, not 2"),
        ("role_play", {**CAST, "player": THIRD}, {}, "is the role that is measured; name its model with --model"),
        ("role_play", CAST, {"langauge": "ru"}, "has no option 'langauge'; did you mean 'language'?"),
        ("role_play", CAST, {"language": "tlh"}, "there is no language 'tlh'"),
        ("role_play", CAST, {"turns": 1000}, "turns is a whole number from 1 to 100, not '1000'"),
        ("role_play", CAST, {"limit": 2}, "limit is Inspect's own: --limit, and not -T limit"),
        ("role_play", CAST, {"preset": "papr"}, "has no preset 'papr'; did you mean 'paper'?"),
        ("role_play", CAST, {"seed": "x"}, "seed is a whole number, not 'x'"),
        ("role_play", CAST, {"data": "nowhere.toml"}, "nowhere.toml"),
        ("simulation", {"judge": ONE}, {"preset": "paper"}, "has no preset 'paper'; there is none"),
        ("age", {"opponent": OTHER}, {"experiment": "table"}, "sizes of both groups: -T split as in 2-2"),
        ("age", {"player": [OTHER, THIRD]}, {"experiment": "four"}, "4 different models sit down together here, and 3"),
        ("tod", {"user": OTHER}, {"system": "http://127.0.0.1:9/bot"}, "is no model of Inspect's"),
        ("tod", {"user": OTHER}, {"system": "rules"}, "by rule/baseline, which is no model: take --model none"),
        ("tod", {"user": OTHER}, {"simulator": "agenda"}, "which is no model: take no --model-role user"),
        ("anteval", {}, {"scene": "intentions", "dm": "light"}, "dm is about what is made of a recorded run"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_before_anything_starts(
    name: str, cast: Mapping[str, Any], typed: Mapping[str, Any], told: str, tmp_path: Path
) -> None:
    assert told in mistake(name, tmp_path, cast, typed)


def test_without_a_model_there_is_nothing_to_measure(tmp_path: Path) -> None:
    told = mistake("role_play", tmp_path, CAST, {}, model="none")
    assert told == "no model to measure; name one with --model, as in --model openai/NAME"


def test_inspect_s_command_line_prints_a_mistake_as_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert issubclass(InspectMistake, Mistake)  # for who calls from Python

    @click.command()
    def command() -> None:
        TASKS["role_play"](turn=3)

    with pytest.raises(SystemExit) as left:
        command.main([], standalone_mode=True)
    assert left.value.code == 2
    assert capsys.readouterr().err == "Error: role_play has no option 'turn'; did you mean 'turns'?\n"


def test_every_benchmark_is_a_task_by_both_its_names_with_its_options_as_parameters() -> None:
    for benchmark in ALL:
        for name in (benchmark.name, benchmark.paper.lower()):
            parameters = inspect.signature(getattr(inspect_tasks, name)).parameters
            wanted = {option.name for option in benchmark.options if not option.of_sequel}
            assert wanted | {"data", "seed", "schemas"} <= set(parameters)
    assert inspect.signature(TASKS["pingpong"]).parameters["explanation"].default == 600
    with pytest.raises(AttributeError, match="did you mean 'role_play'"):
        inspect_tasks.role_plays  # noqa: B018  # the point is that it fails


@pytest.mark.parametrize(
    ("value", "typed"),
    [("ru", "ru"), (3, "3"), (True, "yes"), (False, "no"), (["food", "sports"], "food,sports"), (None, "")],
)
def test_what_inspect_has_made_of_what_was_typed_is_undone(value: Any, typed: str) -> None:
    assert as_typed(value) == typed


def test_samples_have_names_of_their_own_and_inspect_repeats_as_often_as_the_benchmark_does() -> None:
    made = TASKS["age"](topics=["food", "sports"])
    names = [sample.id for sample in made.dataset]
    assert len(names) == len(set(names)) > 2
    assert made.epochs == 3
    first = made.dataset[0]
    assert first.metadata is not None
    assert first.metadata["scenario"]["topic"] == "food"
    assert made.config.temperature == 0.7


def test_a_preset_gives_the_task_its_roles() -> None:
    preset = Preset("for tests", lambda options: {"interrogator": (ONE,), "judge": (OTHER, THIRD)})
    made = task_of(replace(find("role_play"), presets={"mine": preset}), {"preset": "mine"})
    assert made.model_roles is not None
    assert str(made.model_roles["interrogator"]) == ONE
    judges = made.model_roles["judge"]
    assert isinstance(judges, list)
    assert [str(judge) for judge in judges] == [OTHER, THIRD]
