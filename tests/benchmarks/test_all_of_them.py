"""The shared suite over the benchmarks that come with Interplay: what is asked of others' holds of ours."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from interplay.benchmarks import (
    ALL,
    WRITERS,
    role_play,
    simulation,
    social_interaction,
    task_dialogue,
    word_guessing,
)
from interplay.core.benchmark import Benchmark
from interplay.core.benchmark_checks import check_benchmark, faults_of
from interplay.models.loopback import Asked
from interplay.testing import BenchmarkSuite, steady

FOLDER = Path(str(files("interplay") / "benchmarks"))


class TestRolePlay(BenchmarkSuite):
    benchmark = role_play.benchmark
    readme = FOLDER / "role_play" / "README.md"


class TestSimulation(BenchmarkSuite):
    benchmark = simulation.benchmark
    readme = FOLDER / "simulation" / "README.md"


class TestWordGuessing(BenchmarkSuite):
    benchmark = word_guessing.benchmark
    readme = FOLDER / "word_guessing" / "README.md"


def patient(asked: Asked) -> str:
    """A user who never leaves: a rehearsed one may end the dialogue before it has begun."""
    said = steady(asked)
    return (
        said
        if asked.model != "user" or not asked.schema
        else json.dumps({**json.loads(said), "status": "going_on"})
    )


class TestTaskDialogue(BenchmarkSuite):
    benchmark = task_dialogue.benchmark
    readme = FOLDER / "task_dialogue" / "README.md"
    script = staticmethod(patient)


class TestSocialInteraction(BenchmarkSuite):
    benchmark = social_interaction.benchmark
    readme = FOLDER / "social_interaction" / "README.md"


def test_none_is_left_out() -> None:
    suites = [
        value for value in globals().values() if isinstance(value, type) and issubclass(value, BenchmarkSuite)
    ]

    assert {one.benchmark.name for one in suites if one is not BenchmarkSuite} == {one.name for one in ALL}


@pytest.mark.parametrize("benchmark", ALL, ids=lambda one: one.name)
def test_what_comes_with_interplay_holds_together(benchmark: Benchmark) -> None:
    check_benchmark(benchmark)


@pytest.mark.parametrize("benchmark", WRITERS, ids=lambda one: one.name)
def test_what_writes_data_holds_together_but_for_what_it_does_not_need(benchmark: Benchmark) -> None:
    """A writer is no benchmark that one would compare models by, and has a verb, with a --seed, of its own."""
    allowed = ("the option 'seed' has the name of a flag", "its spread must be above 0", "it has no measure")

    assert [fault for fault in faults_of(benchmark) if not fault.startswith(allowed)] == []
