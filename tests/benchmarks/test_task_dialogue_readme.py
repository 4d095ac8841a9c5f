"""The README of task dialogue is true: its goal is read and met, its flags exist, its counts hold."""

import json
import re
from importlib.resources import files

from interplay.benchmarks.task_dialogue import benchmark
from interplay.benchmarks.task_dialogue.city import own_city
from interplay.benchmarks.task_dialogue.examples import own_examples
from interplay.benchmarks.task_dialogue.goal_checks import unmet
from interplay.benchmarks.task_dialogue.goals import goal_of
from interplay.benchmarks.task_dialogue.office import is_free
from interplay.benchmarks.task_dialogue.people import CRITERIA
from interplay.benchmarks.task_dialogue.scenarios import own_goals
from interplay.cli.playing import run_verb

README = (files("interplay") / "benchmarks/task_dialogue/README.md").read_text(encoding="utf-8")
ELSEWHERE = {"--n", "--out", "--set", "--as", "--judge"}  # flags of generate, judge and import


def test_its_goal_is_one() -> None:
    (written,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    goal = goal_of(json.loads(written))
    (wish,) = goal.wishes
    assert unmet(goal, own_city()) == []
    assert own_city().query("restaurant", wish.first_info) == []
    rows = own_city().query("restaurant", wish.info)
    assert not any(is_free(own_city(), "restaurant", row, wish.first_book) for row in rows)


def test_its_flags_exist() -> None:
    command = run_verb.get_command(None, "task_dialogue")  # type: ignore[attr-defined]
    known = {flag for parameter in command.params for flag in parameter.opts} | ELSEWHERE
    typed = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", README))
    assert typed <= known


def test_its_counts_hold() -> None:
    rows = {domain: len(found) for domain, found in own_city().rows.items()}
    for domain, said in (
        ("restaurant", "123 restaurants"),
        ("hotel", "40 hotels"),
        ("attraction", "100 attractions"),
        ("train", "2,698 trains"),
        ("hospital", "46 departments"),
        ("police", "3 police stations"),
    ):
        assert said in README
        assert rows[domain] == int(said.split()[0].replace(",", ""))
    sizes = [len(goal.wishes) for goal in own_goals()]
    assert [len(sizes), *(sizes.count(number) for number in (1, 2, 3))] == [240, 60, 144, 36]
    assert "240 goals (60 with one domain, 144 with two, 36 with three;" in README
    failing = sum(any(wish.first_info for wish in goal.wishes) for goal in own_goals()) / len(sizes)
    refused = sum(any(wish.first_book for wish in goal.wishes) for goal in own_goals()) / len(sizes)
    assert (round(failing, 2), round(refused, 1)) == (0.4, 0.1)
    assert f"{len(own_examples().all)} of our own" in README


def test_every_option_and_criterion_is_told() -> None:
    for option in benchmark.options:
        if option.name not in (
            "exchanges",
            "explanation",
            "prompts",
            "slot_error",
            "utterance",
        ):  # help says enough
            assert f"--{option.name.replace('_', '-')}" in README
    assert "completed" in CRITERIA
    assert "naturalness_user" in CRITERIA
