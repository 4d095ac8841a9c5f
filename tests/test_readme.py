"""The README is true: its dry run runs, its verbs and flags exist, its files are read, its Python is what there is."""

import ast
import inspect
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

import interplay
from interplay import api
from interplay.benchmarks import find
from interplay.cli import MEANINGS
from interplay.cli import interplay as command_line
from interplay.cli.study import read_study
from interplay.core.failures import Mistake
from interplay.models.connecting import Directory
from interplay.models.entries import read_entries
from interplay.models.loopback import Loopback, serving

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[list[str]]:
    text = "\n".join(blocks("sh")).replace("\\\n", " ")
    inline = re.findall(r"`(interplay [^`]*)`", README)
    lines = [line for line in text.splitlines() if line.startswith("interplay ")] + inline
    return [shlex.split(line.removesuffix("&"), comments=True) for line in lines]


def typed_command(words: list[str]) -> click.Command:
    """The command that a line ends up with; that of a study's file, or of a benchmark's, has a benchmark's flags."""
    command: click.Command = command_line
    for word in words:
        if not isinstance(command, click.Group) or word.startswith("-"):
            return command
        name = "role_play" if word.endswith(".toml") or word.startswith("./") else word
        found = command.get_command(click.Context(command), name)
        assert found is not None, words
        command = found
    return command


def test_every_command_of_the_readme_is_one_that_can_be_typed() -> None:
    assert len(commands()) > 5
    for _, *words in commands():
        if not words[0].startswith("-"):
            assert words[0] in MEANINGS
        flags = {flag for parameter in typed_command(words).params for flag in parameter.opts} | {"--help"}
        typed = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert typed <= flags, words


def test_the_dry_run_of_the_readme_runs(tmp_path: Path) -> None:
    line = next(words for words in commands() if "--base-url" in words and words[1] == "run")
    with serving(Loopback()) as url:
        words = [url if word.startswith("http://") else word for word in line[1:]]
        done = subprocess.run(
            [sys.executable, "-m", "interplay", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "role_play (PingPong v2)" in done.stdout
    assert line[line.index("--model") + 1] in done.stdout


# Python


def name_called(node: ast.AST) -> str:
    """interplay.run of interplay.run(...)."""
    called = node.func if isinstance(node, ast.Call) else None
    return ast.unparse(called) if called is not None else ""


@pytest.mark.parametrize("source", blocks("python"), ids=lambda source: source.strip().splitlines()[-1])
def test_the_python_of_the_readme_is_what_there_is(source: str) -> None:
    tree = ast.parse(source)
    runs = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and name_called(node.value) in ("interplay.run", "interplay.load")
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner: Any = {"interplay": interplay, "api": api}.get(node.value.id)
            owner = interplay.Run if node.value.id in runs else owner
            assert owner is None or hasattr(owner, node.attr), ast.unparse(node)
        if isinstance(node, ast.Call) and name_called(node) == "interplay.run":
            check_call(node)


def check_call(call: ast.Call) -> None:
    """What is not a parameter of interplay.run is an option of the benchmark."""
    benchmark = find(ast.literal_eval(call.args[0]))
    known = {*inspect.signature(interplay.run).parameters, *(option.name for option in benchmark.options)}
    assert {keyword.arg for keyword in call.keywords} <= known - {"options"}, ast.unparse(call)


def test_the_python_of_the_readme_makes_a_run_and_looks_at_it() -> None:
    everything = "\n".join(blocks("python"))
    for used in ("interplay.run(", ".leaderboard()", ".conversations()", ".frame()"):
        assert used in everything


# Files


def written(folder: Path, kind: str) -> list[Path]:
    """The TOML files that the README shows: those of models, or those of studies."""
    found = []
    for number, text in enumerate(blocks("toml")):
        data = tomllib.loads(text)
        if kind == ("study" if "benchmark" in data else "models"):
            found.append(folder / f"{number}.toml")
            found[-1].write_text(text, encoding="utf-8")
    return found


def test_the_models_files_of_the_readme_are_read(tmp_path: Path) -> None:
    files = written(tmp_path, "models")
    assert files
    for path in files:
        entries = read_entries(path)
        assert entries.models or entries.prices
        directory = Directory(entries.models, entries.prices, environment={})
        for name in entries.models:
            directory.check(name)


def test_the_studies_of_the_readme_are_read(tmp_path: Path) -> None:
    for path in written(tmp_path, "study"):
        benchmark, defaults = read_study(path)
        assert benchmark.name == "role_play"
        assert defaults["models_"]


def test_a_wrong_entry_in_a_models_file_of_the_readme_would_be_found(tmp_path: Path) -> None:
    path = written(tmp_path, "models")[0]
    path.write_text(path.read_text(encoding="utf-8").replace("model =", "modle =", 1), encoding="utf-8")
    with pytest.raises(Mistake, match="lacks model"):
        read_entries(path)
