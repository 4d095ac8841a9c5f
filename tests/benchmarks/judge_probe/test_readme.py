"""The README: its file of defects can be read, its commands can be typed, its numbers are those of the data."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from interplay.benchmarks.judge_probe import benchmark
from interplay.benchmarks.judge_probe.defects import read_defects
from interplay.benchmarks.judge_probe.questions import questions
from interplay.benchmarks.judge_probe.scenarios import scenarios
from interplay.benchmarks.judge_probe.tables import OF_DEFECTS, OF_INJECTIONS
from interplay.cli import interplay

README = (files("interplay.benchmarks.judge_probe") / "README.md").read_text(encoding="utf-8")


def test_the_file_of_defects_can_be_read(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    (tmp_path / "contradiction.toml").write_text(text, encoding="utf-8")
    ((pair,),) = (kind.pairs for kind in read_defects(tmp_path))
    assert (pair.id, pair.turn, len(pair.before)) == ("contradiction-lamp", 2, 1)


def test_the_commands_can_be_typed() -> None:
    commands = re.findall(r"^interplay (\w+) (.*)$", README, re.MULTILINE)
    assert len(commands) == 4
    for verb, rest in commands:
        command = interplay.get_command(None, verb)  # type: ignore[arg-type]  # it looks names up, and no more
        assert command is not None
        context = command.make_context(verb, rest.split())
        assert context.params


@pytest.mark.parametrize("column", [*OF_INJECTIONS, *OF_DEFECTS], ids=lambda one: one.key)
def test_every_number_of_the_board_is_explained(column: object) -> None:
    assert f"\n| {column.title} |" in README  # type: ignore[attr-defined]


def test_options_and_counts_are_those_there_are() -> None:
    for option in benchmark.options:
        assert f"--{option.name}" in README or option.name in ("explanation", "prompts")
    injections = scenarios({"set": "injections"}).scenarios
    assert (
        f"{sum(not one.content['other'] for one in injections)} injections ask for a\nhigh rating" in README
    )
    assert f"one of {len(questions())} ordinary questions" in README
