"""Scenarios of the evaluation: the scripts that ship, cut from dialogues written for them, or a user's own."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from interplay.benchmarks.simulation.scripts import HARD, Script, Turn, cut, read_scripts
from interplay.benchmarks.simulation.tasks import FOLDER, Task, read_tasks
from interplay.core.benchmark import Material, Options, Scenario
from interplay.core.failures import Mistake

ORIGIN = "written for Interplay"


def scenarios(options: Options, data: Path | None = None) -> Material:
    """The scripts of the chosen set, in an order that mixes tasks and types."""
    scripts = read_scripts(data) if data else list(shipped())
    if options["set"] == "hard":
        scripts = [script for script in scripts if script.type in HARD]
        if not scripts:
            raise Mistake(f"{data} has no hard scripts: none is FirstChan or SubseqChan")
    found = {one.id: one for one in map(scenario_of, scripts)}
    twice = len(scripts) - len(found)
    remarks = (f"{data}: {twice} scripts are there twice and count once",) if twice else ()
    return Material(tuple(found[id] for id in sorted(found)), remarks)


def scenario_of(script: Script) -> Scenario:
    return Scenario(script.content(), f"{script.name}, turn {script.turn} ({script.type})")


@cache
def shipped_tasks() -> tuple[Task, ...]:
    return tuple(read_tasks(FOLDER / "data" / "tasks.toml"))


@cache
def shipped() -> tuple[Script, ...]:
    """The scripts of the dialogues that ship."""
    tasks = {task.id: task for task in shipped_tasks()}
    text = (FOLDER / "data" / "dialogues.toml").read_text(encoding="utf-8")
    found: list[Script] = []
    for number, entry in enumerate(tomllib.loads(text)["dialogues"], 1):
        task = tasks[entry["task"]]
        found += cut(task, _turns(task, entry), entry["challenging"], f"dialogue {number}, {ORIGIN}")
    return tuple(found)


def _turns(task: Task, entry: dict[str, Any]) -> list[Turn]:
    """The first request is the task's description itself."""
    first, *rest = entry["turns"]
    return [Turn(task.description, first["answer"]), *(Turn(one["request"], one["answer"]) for one in rest)]
