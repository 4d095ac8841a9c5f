"""Scripts of simulation: cut from dialogues, read from files of our own and of the authors'."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.simulation.scenarios import shipped, shipped_tasks
from interplay.benchmarks.simulation.scripts import TYPES, Script, Turn, cut, read_scripts
from interplay.benchmarks.simulation.tasks import Task, read_tasks
from interplay.core.failures import Mistake

BENCHMARK = find("simulation")
TASK = Task(
    "shell",
    "Shell",
    "stateful",
    "a command",
    "Be a shell. My first command is pwd.",
    ("prints nothing else",),
)
TURNS = [Turn(f"request {number}", f"answer {number}") for number in range(1, 5)]
ORIGINALS = Path(os.environ.get("INTERPLAY_ORIGINALS", "none")) / "simulbench"
needs_originals = pytest.mark.skipif(not ORIGINALS.is_dir(), reason="the authors' data is not here")


@pytest.mark.parametrize(
    ("challenging", "expected"),
    [
        (0, [(4, "LastOnly")]),
        (1, [(1, "FirstChan"), (2, "SubseqChan"), (3, "SubseqChan"), (4, "SubseqChan")]),
        (3, [(3, "FirstChan"), (4, "SubseqChan")]),
        (4, [(4, "FirstChan")]),
    ],
)
def test_a_dialogue_is_cut_at_its_last_turn_or_from_its_first_challenging_one(
    challenging: int, expected: list[tuple[int, str]]
) -> None:
    found = list(cut(TASK, TURNS, challenging, "here"))
    assert [(script.turn, script.type) for script in found] == expected
    for script in found:
        assert script.history == tuple(TURNS[: script.turn - 1])
        assert script.request == f"request {script.turn}"
        assert (script.task, script.kind, script.keeps, script.origin) == (
            "shell",
            "stateful",
            TASK.keeps,
            "here",
        )


@pytest.mark.parametrize("challenging", [-1, 5])
def test_a_turn_that_the_dialogue_has_not_is_an_error(challenging: int) -> None:
    with pytest.raises(ValueError, match="has no turn"):
        list(cut(TASK, TURNS, challenging, ""))


def test_scripts_of_our_own_form_come_back(tmp_path: Path) -> None:
    scripts = list(cut(TASK, [Turn("pwd", ""), *TURNS], 2, "a run"))
    file = tmp_path / "scripts.jsonl"
    file.write_text("".join(json.dumps(script.content()) + "\n" for script in scripts))
    assert read_scripts(file) == scripts


def row(**changes: Any) -> dict[str, Any]:
    (script,) = cut(TASK, TURNS[:2], 0, "")
    return {**script.content(), **changes}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"type": "Last"}, "type is one of LastOnly, FirstChan, SubseqChan, not 'Last'"),
        ({"kind": "stateles"}, "kind is stateless or stateful"),
        ({"history": "none"}, "history is a list"),
        ({"history": [3]}, "history is a list"),
        ({"history": [{"request": "a"}]}, "an answer must be a text, not nothing"),
        ({"request": " "}, "request must be a text"),
        ({"task": None}, "task must be a text, not nothing"),
    ],
)
def test_mistakes_in_a_file_of_scripts(tmp_path: Path, changes: dict[str, Any], complaint: str) -> None:
    file = tmp_path / "scripts.jsonl"
    file.write_text(json.dumps(row()) + "\n" + json.dumps(row(**changes)) + "\n")
    with pytest.raises(Mistake) as caught:
        read_scripts(file)
    assert f"line 2: {complaint}" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("", "has no scripts"), ("{", "line 1 is no JSON"), ("[]", "line 1 is no JSON object")],
)
def test_a_file_that_is_no_scripts(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "scripts.jsonl"
    file.write_text(text)
    with pytest.raises(Mistake, match=complaint):
        read_scripts(file)


@needs_originals
def test_the_authors_scripts_have_the_papers_types() -> None:
    scripts = read_scripts(ORIGINALS / "simulbench_all.jsonl")
    assert Counter(script.type for script in scripts) == {"LastOnly": 225, "FirstChan": 93, "SubseqChan": 182}
    first = Counter(script.kind for script in scripts if script.type == "FirstChan")
    assert first == {"stateless": 38, "stateful": 55}
    hard = BENCHMARK.scenarios(
        BENCHMARK.settle({"set": "hard"}), ORIGINALS / "simulbench_all.jsonl"
    ).scenarios
    assert len(hard) == 275
    whole = BENCHMARK.scenarios(BENCHMARK.settle({}), ORIGINALS / "simulbench_all.jsonl")
    assert len(whole.scenarios) == 500
    assert whole.remarks == ()


@needs_originals
def test_the_authors_tasks() -> None:
    tasks = read_tasks(ORIGINALS / "simulbench_tasks.jsonl")
    assert Counter(task.kind for task in tasks) == {"stateless": 58, "stateful": 51}


def test_the_scripts_that_ship() -> None:
    scripts = shipped()
    assert {script.type for script in scripts} == set(TYPES)
    assert {script.kind for script in scripts} == {"stateless", "stateful"}
    known = {task.id: task for task in shipped_tasks()}
    for script in scripts:
        first = script.history[0].request if script.history else script.request
        assert first == known[script.task].description
        assert script.keeps


def test_a_script_that_is_there_twice_counts_once_and_is_told(tmp_path: Path) -> None:
    file = tmp_path / "scripts.jsonl"
    file.write_text((json.dumps(row()) + "\n") * 3)
    found = BENCHMARK.scenarios(BENCHMARK.settle({}), file)
    assert len(found.scenarios) == 1
    assert "2 scripts are there twice" in found.remarks[0]
    with pytest.raises(Mistake, match="no hard scripts"):
        BENCHMARK.scenarios(BENCHMARK.settle({"set": "hard"}), file)


def test_scripts_stand_in_an_order_that_mixes_them() -> None:
    found = BENCHMARK.scenarios(BENCHMARK.settle({}), None).scenarios
    assert [one.id for one in found] == sorted(one.id for one in found)
    assert len({one.content["task"] for one in found[:20]}) > 12


def test_a_script_s_content_is_plain(tmp_path: Path) -> None:
    script: Script = shipped()[0]
    assert json.loads(json.dumps(script.content())) == script.content()


def test_a_file_of_another_stage_says_where_it_belongs(tmp_path: Path) -> None:
    scripts, tasks = tmp_path / "scripts.jsonl", tmp_path / "tasks.jsonl"
    scripts.write_text(json.dumps(row()) + "\n")
    tasks.write_text(json.dumps({"id": "a", "task_description": "b"}) + "\n")
    with pytest.raises(Mistake, match="holds scripts, not tasks: interplay run simulation --data"):
        read_tasks(scripts)
    with pytest.raises(Mistake, match="holds tasks, not scripts: interplay collect simulation --data"):
        read_scripts(tasks)
    with pytest.raises(Mistake, match="may hold tasks"):
        read_scripts(tmp_path / "tasks.toml")
