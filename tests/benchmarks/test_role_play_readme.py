"""The README of role play is true: its files are read and played, its flags and names exist, its counts hold."""

import re
from importlib.resources import files
from pathlib import Path

import click
import pytest

from interplay.benchmarks.role_play.card_files import read_cards
from interplay.benchmarks.role_play.protocol import PROMPTS, calls
from interplay.cli import interplay as command_line
from interplay.judging.rubric_files import read_rubric
from tests.benchmarks.stage import BENCHMARK, SCENARIOS
from tests.running.job import JUDGES, command
from tests.running.typed import provider, run

README = (files("interplay") / "benchmarks/role_play/README.md").read_text(encoding="utf-8")
RUBRIC, CARDS = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)


def flags_of(verb: str, *more: str) -> set[str]:
    command: click.Command | None = command_line
    for name in (verb, *more):
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name)
        assert command is not None
    return {flag for parameter in command.params for flag in parameter.opts}


def test_the_files_of_the_readme_are_read_and_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rubric, cards = tmp_path / "warmth.toml", tmp_path / "cards.toml"
    rubric.write_text(RUBRIC, encoding="utf-8")
    cards.write_text(CARDS, encoding="utf-8")

    found = read_rubric(rubric)
    assert (found.name, found.names, found.scale, found.explanation) == ("warmth", ("kindness",), (1, 4), 300)
    assert found.labels == {1: "cold", 4: "warm"}
    read = read_cards(cards, "en")
    assert (len(read.characters), len(read.situations), read.remarks) == (1, 1, ())
    with provider() as (loopback, url):
        more = ("--rubric", str(rubric), "--data", str(cards))
        board = run(command(url, tmp_path / "a.db", judges=JUDGES[:1], more=more), capsys)
        assert loopback.calls_by_model() == {"player": 4, "user": 4, "judge-1": 1}
    assert board["rows"][0]["n"] == 1
    assert {"kindness", "breaks_frame"} <= board["rows"][0].keys()


def test_every_flag_of_the_readme_is_one_that_can_be_typed() -> None:
    typed = set(re.findall(r"--[a-z][a-z-]*", README))
    of_run, of_judge = flags_of("run", "role_play"), flags_of("judge")

    assert typed <= of_run | flags_of("generate", "role_play") | flags_of("import")
    assert {"--rubric", "--model-role"} <= of_judge
    named = {f"--{option.name.replace('_', '-')}" for option in BENCHMARK.options}
    assert named - typed == {"--turns"}  # it only shortens


def test_the_counts_of_the_readme_hold() -> None:
    for version, user in (("v2", 288), ("v1", 352)):
        options = BENCHMARK.settle({"version": version})
        most = [calls(scenario, options) for scenario in SCENARIOS]
        assert sum(one["player"][1] for one in most) == 288
        assert sum(one["interrogator"][1] for one in most) == user
        assert f"288 (player) + {user} (user)" in README


def test_what_the_readme_calls_a_prompt_and_a_test_is_there() -> None:
    assert PROMPTS.texts
    root = Path(__file__).parents[2]
    for path in re.findall(r"`((?:tests|data|prompts)/[^`]*)`", README):
        here = root / path if path.startswith("tests") else root / "src/interplay/benchmarks/role_play" / path
        assert here.exists(), path


def test_the_sampling_of_the_readme_is_that_of_the_roles() -> None:
    def told(version: str, role: str) -> str:
        settings = BENCHMARK.role(role, BENCHMARK.settle({"version": version})).sampling
        return f"{settings.temperature:g}, {settings.top_p:g}, {settings.max_tokens}"

    assert "player T 0.6, top_p 0.9, 1536 tokens" in README
    assert told("v2", "player") == told("v1", "player") == "0.6, 0.9, 1536"
    assert f"user {told('v2', 'interrogator')}; judge {told('v2', 'judge')}" in README
    assert told("v1", "interrogator") == told("v1", "judge")
    assert f"user and judge {told('v1', 'judge')}" in README
