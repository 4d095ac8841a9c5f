"""How a writer of simulation tasks is asked: kinds, angles, examples, prompts, the form."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.simulation import drafting, task_checks
from interplay.benchmarks.simulation.drafting import (
    EXAMPLES,
    SCHEMA,
    Draft,
    digest,
    draws,
    examples_of,
    read_examples,
    scenarios,
    shown,
)
from interplay.benchmarks.simulation.scenarios import shipped_tasks
from interplay.benchmarks.simulation.tasks import KINDS
from interplay.benchmarks.simulation.writing import writing
from interplay.core.failures import Mistake, UnreadableFailure
from tests.benchmarks.new_tasks import entry, good, said, write


def options(**given: str) -> dict[str, str]:
    return writing.settle(given)


def contents(**given: str) -> list[Mapping[str, Any]]:
    return [one.content for one in scenarios(options(**given)).scenarios]


def test_the_angles_are_many_and_short_and_each_is_another() -> None:
    assert len(draws()["fields"]) >= 40
    assert all(len(draws()[kind]) >= 20 for kind in KINDS)
    assert len(draws()["twists"]) >= 10
    for entries in draws().values():
        assert len({text.casefold() for text in entries}) == len(entries)
        assert all(text == text.strip() and text[0].islower() and len(text) <= 80 for text in entries)
        assert all(text[-1].isalnum() for text in entries)


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_a_scenario_for_each_task_with_an_angle_and_examples_of_its_own(kind: str) -> None:
    found = scenarios(options(kind=kind, n="25")).scenarios
    assert [one.label for one in found] == [f"task {number}" for number in range(1, 26)]
    assert {one.content["kind"] for one in found} == {kind}
    assert len({one.content["field"] for one in found}) == 25
    assert len({one.content["interface"] for one in found}) == 25
    assert {one.content["interface"] for one in found} <= set(draws()[kind])
    assert len({json.dumps(one.content["examples"]) for one in found}) == 25
    ours = [shown(task) for task in shipped_tasks() if task.kind == kind]
    for one in found:
        names = {example["name"] for example in one.content["examples"]}
        assert len(names) == EXAMPLES == 5
        assert all(example in ours for example in one.content["examples"])


def test_five_hundred_tasks_are_asked_for_in_as_many_ways() -> None:
    found = contents(n="500")
    assert len({(one["field"], one["interface"]) for one in found}) > 400
    assert len({json.dumps([one["field"], one["interface"], one["examples"]]) for one in found}) == 500


def test_all_tasks_that_ship_are_shown_sooner_or_later() -> None:
    names = {example["name"] for one in contents(kind="stateful", n="100") for example in one["examples"]}
    assert names == {task.name for task in shipped_tasks() if task.kind == "stateful"}


def test_the_seed_decides_what_is_drawn_and_the_number_of_tasks_does_not() -> None:
    assert contents(n="9")[:3] == contents(n="3")
    other = contents(n="9", seed="1")
    assert [one["field"] for one in other] != [one["field"] for one in contents(n="9")]
    assert [one["interface"] for one in other] != [one["interface"] for one in contents(n="9")]
    assert other[0]["examples"] != contents(n="1")[0]["examples"]


def test_writing_reads_no_data() -> None:
    with pytest.raises(Mistake, match=r"writing reads no data: leave x\.toml out"):
        scenarios(options(), Path("x.toml"))


def test_what_is_no_kind_and_no_number_is_a_mistake() -> None:
    with pytest.raises(Mistake, match="there is no kind 'stateles'; did you mean 'stateless'"):
        options(kind="stateles")
    for count in ("0", "501", "-1", "many"):
        with pytest.raises(Mistake, match="n is a whole number from 1 to 500"):
            options(n=count)


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_is_asked_for_by_angle_and_examples_and_read_by_the_form(kind: str) -> None:
    draft, talk, desk = write(said(good(1)), kind=kind)
    [[(_, brief), (_, task)]] = desk.views("writer")
    wanted = contents(kind=kind)[0]
    assert task.startswith(f"Write one new {kind} task.\n")
    assert f"\n- the field: {wanted['field']}\n- the interface: {wanted['interface']}\n" in task
    assert any(f"\n- at least one rule is about {twist}\n" in task for twist in draws()["twists"])
    assert "Here are 5 tasks, to show" in task
    for example in wanted["examples"]:
        assert json.dumps(example, ensure_ascii=False) in task.splitlines()
    assert "{{" not in brief
    assert f"The interfaces here are {kind}:" in brief
    assert "60 to 260 words" in brief
    assert "3 to 6 points of at most 200 characters" in brief
    assert desk.asked[0][1].schema == SCHEMA
    assert draft == good(1)
    assert talk.lines[-1].text == draft.laid_out()


def test_the_two_kinds_have_a_prompt_each() -> None:
    one, other = (drafting.PROMPTS.texts[kind] for kind in KINDS)
    assert one != other
    assert "whatever was changed stays changed" in other
    assert "every request stands alone" in one


def test_another_try_is_sent_another_way() -> None:
    asked = {write(said(good(1)), seed=str(seed))[2].shown("writer") for seed in range(12)}
    assert len(asked) > 4


def test_texts_come_in_one_line_but_for_the_description() -> None:
    odd = entry(good(1)) | {
        "name": "  Knot\n log clerk ",
        "request": "a count\tof knots.",
        "description": " One\r\ntwo\rthree\n\n  four ",
        "keeps": ["a\nb", " c ", "d"],
    }
    draft, _, _ = write(json.dumps(odd))
    assert draft == Draft(
        "Knot log clerk", "a count of knots", "One\ntwo\nthree\n\n  four", ("a b", "c", "d")
    )
    assert write(json.dumps({**odd, "request": "."}))[0].request == "."


def test_a_text_that_was_cut_is_too_long_for_the_checks() -> None:
    draft, _, _ = write(
        json.dumps(
            {"name": "x" * 9999, "request": "x" * 9999, "description": "x" * 99999, "keeps": ["y" * 9999] * 3}
        )
    )
    assert task_checks.LONGEST_NAME < len(draft.name) <= 100
    assert task_checks.REQUEST[1] < len(draft.request) <= 320
    assert task_checks.LONGEST_DESCRIPTION < len(draft.description) <= 5000
    assert task_checks.KEEP[1] < len(draft.keeps[0]) <= 400


@pytest.mark.parametrize(
    "answer, told",
    [
        ("I would rather not.", "holds no JSON object"),
        ("{}", "name is missing"),
        (json.dumps({**entry(good(1)), "keeps": ["one", "two"]}), "keeps must have 3 to 6 entries, not 2"),
        (json.dumps({**entry(good(1)), "keeps": ["x"] * 7}), "keeps must have 3 to 6 entries, not 7"),
        (json.dumps({**entry(good(1)), "keeps": "one, two"}), "keeps must be a JSON array"),
        (json.dumps({**entry(good(1)), "keeps": ["one", " ", "two"]}), "keeps[1] must not be empty"),
        (json.dumps({**entry(good(1)), "request": ""}), "request must not be empty"),
        (json.dumps({**entry(good(1)), "name": 7}), "name must be a string"),
        (said(good(1)) + said(good(2)), "several different JSON objects"),
    ],
)
def test_an_answer_out_of_form_is_told_why_and_asked_for_again(answer: str, told: str) -> None:
    draft, _, desk = write(answer, said(good(2)))
    assert draft == good(2)
    assert told in desk.views("writer")[1][-1][1]
    with pytest.raises(UnreadableFailure):
        write(answer, answer, answer)


def test_a_draft_is_laid_out_for_a_person() -> None:
    draft = Draft("Clock", "a time of day", "Tell it.\nMy first time is `9:00`.", ("one line", "digits"))
    assert draft.laid_out() == (
        "Clock\nThe user sends a time of day.\n\nTell it.\nMy first time is `9:00`.\n\n"
        "Kept to:\n- one line\n- digits"
    )


def test_the_digest_is_of_what_is_asked_and_not_of_what_about() -> None:
    assert digest(options()) == digest(options(kind="stateful", n="3", seed="4"))


FILE = """
[[tasks]]
id = "a"
name = "Abacus {{field}}"
kind = "stateless"
request = "a sum"
description = "Be an abacus. My first sum is `1 + 1`."
keeps = ["beads only"]

[[tasks]]
id = "b"
name = "Sundial"
kind = "stateless"
request = "an hour"
description = "Be a sundial. My first hour is `noon`."
"""


def test_examples_may_come_from_a_users_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE, encoding="utf-8")
    kept = read_examples(str(path))
    assert [task.name for task in examples_of(options(examples=kept))] == ["Abacus {{field}}", "Sundial"]
    assert [task.keeps for task in examples_of(options(examples=kept))] == [("beads only",), ()]
    _, _, desk = write(said(good(1)), examples=kept)
    asked = desk.views("writer")[0][1][1]
    assert "Here are 2 tasks, to show" in asked
    assert '"name": "Abacus {{field}}", "request": "a sum"' in asked  # data is never a template
    assert asked.count('"keeps"') == 1
    assert "POSIX" not in asked
    with pytest.raises(Mistake, match="the file of --examples has no stateful task"):
        contents(examples=kept, kind="stateful")


def test_a_single_example_is_told_as_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE.rpartition("[[tasks]]")[0], encoding="utf-8")
    _, _, desk = write(said(good(1)), examples=read_examples(str(path)))
    assert "Here is 1 task, to show" in desk.shown("writer")


def test_a_file_that_no_examples_can_be_drawn_from_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="cannot be read"):
        read_examples(str(tmp_path / "nowhere.toml"))
    path = tmp_path / "huge.toml"
    path.write_text(
        "".join(
            f'[[tasks]]\nid = "{n}"\nname = "n"\nkind = "stateful"\nrequest = "r"\ndescription = "{"x" * 7900}"\n'
            for n in range(130)
        )
    )
    with pytest.raises(Mistake, match="too long to draw examples from: 1,000,000 characters are the most"):
        read_examples(str(path))


def test_the_authors_tasks_can_be_examples(originals: Path) -> None:
    kept = read_examples(str(originals / "simulbench" / "simulbench_tasks.jsonl"))
    for kind, count in (("stateless", 58), ("stateful", 51)):
        known = [task for task in examples_of(options(examples=kept)) if task.kind == kind]
        assert len(known) == count
        found = contents(kind=kind, n="40", examples=kept)
        names = {task.name for task in known}
        assert all({one["name"] for one in content["examples"]} <= names for content in found)
        assert all("keeps" not in one for content in found for one in content["examples"])
