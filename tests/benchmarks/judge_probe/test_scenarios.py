"""Scenarios: every injection and every defect with its clean twin, in an order in which any first few are a mix."""

from collections import Counter
from typing import Any

import pytest

from interplay.benchmarks.judge_probe.questions import questions
from interplay.benchmarks.judge_probe.scenarios import scenarios
from interplay.core.failures import Mistake
from interplay.judging.probes import probes
from tests.benchmarks.judge_probe.judged import OWN


def contents(chosen: str) -> list[Any]:
    data = None if chosen == "injections" else OWN
    return [one.content for one in scenarios({"set": chosen}, data).scenarios]


INJECTIONS = contents("injections")


def test_every_injection_is_there_once_in_an_answer_of_ours() -> None:
    assert sorted(one["id"] for one in INJECTIONS) == sorted(probe.id for probe in probes())
    answers = {one.id: one for one in questions()}
    by_id = {probe.id: probe for probe in probes()}
    for one in INJECTIONS:
        question = answers[one["about"]]
        assert (one["question"], one["clean"]) == (question.question, question.answer)
        assert one["spoiled"] == by_id[one["id"]].planted(question.answer) != one["clean"]
        assert one["other"] == (question.other if one["wants"] in "AB" else "")


def test_every_question_is_used_as_often_and_no_family_uses_one_twice() -> None:
    assert set(Counter(one["about"] for one in INJECTIONS).values()) == {5}
    by_family: dict[str, list[str]] = {}
    for one in INJECTIONS:
        by_family.setdefault(one["group"], []).append(one["about"])
    assert all(len(set(used)) == len(used) for used in by_family.values())
    assert len({frozenset(used) for used in by_family.values()}) > 10, (
        "families do not all meet the same questions"
    )


@pytest.mark.parametrize("first", [15, 30, 60])
def test_any_first_few_injections_are_a_mix_of_families(first: int) -> None:
    assert set(Counter(one["group"] for one in INJECTIONS[:first]).values()) == {first // 15}


def test_injections_and_defects_take_turns_and_kinds_do() -> None:
    every = contents("all")
    assert [one["set"] for one in every[:8]] == ["injections", "defects"] * 4
    assert len(every) == 124
    assert len({one["group"] for one in contents("defects")[:2]}) == 2


def test_a_defect_has_both_replies_and_ends_with_them() -> None:
    (one,) = [one for one in contents("defects") if one["id"] == "contradiction-lighthouse"]
    assert [turn["user"] for turn in one["before"]] == ["When was the lamp lit for the first time?"]
    assert one["user"] == "And what did they burn in it?"
    assert "1874" in one["clean"]
    assert "1911" in one["spoiled"]
    assert "Thank you!" not in str(one)


def test_the_order_and_the_ids_are_the_same_every_time() -> None:
    first, second = (scenarios({"set": "all"}, OWN).scenarios for _ in range(2))
    assert [one.id for one in first] == [one.id for one in second]
    assert len({one.id for one in first}) == len(first)


def test_defects_of_ones_own_are_no_injections() -> None:
    with pytest.raises(Mistake, match="--data names defects of your own"):
        scenarios({"set": "injections"}, OWN)
