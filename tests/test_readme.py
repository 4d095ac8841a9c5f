"""The README is true: its dry run runs, its verbs and flags exist, its model file is read."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click

from interplay.cli import MEANINGS, interplay
from interplay.models.entries import read_entries
from interplay.models.loopback import Loopback, serving

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[list[str]]:
    text = "\n".join(blocks("sh")).replace("\\\n", " ")
    inline = re.findall(r"`(interplay [^`]*)`", README)
    lines = [line for line in text.splitlines() if line.startswith("interplay ")] + inline
    return [shlex.split(line.removesuffix("&")) for line in lines]


def test_every_command_of_the_readme_is_one_that_can_be_typed() -> None:
    assert len(commands()) > 5
    for _, *words in commands():
        if words[0].startswith("--"):
            continue
        assert words[0] in MEANINGS
        command = interplay.get_command(click.Context(interplay), words[0])
        assert command is not None
        if isinstance(command, click.Group) and len(words) > 1:
            command = command.get_command(click.Context(command), words[1])
        flags = {flag for parameter in command.params for flag in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= flags, words


def test_the_dry_run_of_the_readme_runs(tmp_path: Path) -> None:
    line = next(words for words in commands() if "--base-url" in words)
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
    assert "openai/any" in done.stdout


def test_the_python_of_the_readme_is_what_there_is() -> None:
    import ast

    import interplay

    tree = ast.parse(blocks("python")[0])
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert used == {"run", "leaderboard", "conversations", "frame"}
    assert hasattr(interplay, "run")
    assert all(hasattr(interplay.Run, name) for name in used - {"run"})


def test_the_models_file_of_the_readme_is_read(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text(blocks("toml")[0], encoding="utf-8")
    entry = read_entries(path)["mine"]
    assert (entry.model, entry.system_role, entry.max_connections) == ("openai/my-finetune", False, 8)
