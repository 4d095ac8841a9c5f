"""Pairs of conversations: who meets whom, in which order, and what the record keeps of it."""

from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.simulation.evaluation import Answer
from interplay.core.benchmark import Duel, Scenario, Verdict
from interplay.core.failures import Mistake
from interplay.core.wire import canonical
from interplay.running.pairing import (
    SideBySide,
    duels_of,
    item_of,
    judges_of_pairs,
    pairing_of,
    pairs_extended,
    pairs_reached,
    plan_pairs,
    rivals,
)
from interplay.running.reach import grown, reach_of
from interplay.running.table import stage_of
from interplay.store.records import ConversationRow, Run

BENCHMARK = find("simulation")
NAMES = ("a", "b", "c")
PANEL = {"judges": ["j", "k"], "rubric": "r"}


def row(number: int, subject: str, script: str, repeat: int = 0, state: str = "done") -> ConversationRow:
    outcome = canonical({"text": f"{subject} {script} {repeat}"}) if state == "done" else None
    scenario = Scenario({"script": script}, script)
    cast = {"simulator": subject}
    return ConversationRow(number, scenario, subject, cast, repeat, 0, state, "", "", "p", outcome, "[]")


def verdict(judge: str, failure: str = "", rubric: str = "r") -> Verdict:
    data = None if failure else {"explanation": "", "better": "A"}
    return Verdict(judge, rubric, data, failure)


def run(**extent: Any) -> Run:
    known = {"limit": 3, "epochs": 2, "judges": ["rater"], "rubric": "rating", "judging": {}, "panels": {}}
    return Run(1, "simulation-1", "simulation", {}, {**known, **extent}, b"", "")


ROWS = [
    row(number, subject, script, repeat)
    for number, (subject, script, repeat) in enumerate(
        [(s, script, repeat) for s in NAMES for script in ("x", "y") for repeat in (0, 1)], 1
    )
]


def test_every_two_models_meet_on_the_same_scenario_and_repeat() -> None:
    found = rivals(reversed(ROWS), NAMES)
    assert len(found) == 3 * 2 * 2
    assert all((one.scenario.id, one.repeat) == (two.scenario.id, two.repeat) for one, two in found)
    assert {(one.subject, two.subject) for one, two in found} == {("a", "b"), ("a", "c"), ("b", "c")}
    assert [one.repeat for one, _ in found] == sorted(one.repeat for one, _ in found)
    # cut short anywhere, all pairs of models have met about as often
    assert {(one.subject, two.subject) for one, two in found[:3]} == {("a", "b"), ("a", "c"), ("b", "c")}


def test_only_models_that_are_named_and_conversations_that_have_an_outcome_meet() -> None:
    assert {(one.subject, two.subject) for one, two in rivals(ROWS, ("c", "a"))} == {("a", "c")}
    void = [row(1, "a", "x"), row(2, "b", "x", state="void"), row(3, "c", "x", state="open")]
    assert rivals(void, NAMES) == []


def test_both_orders_of_a_pair_are_judged_one_after_the_other() -> None:
    works = plan_pairs(BENCHMARK, ROWS, {}, PANEL, NAMES).works
    assert len(works) == 2 * 12
    for first, second in zip(works[::2], works[1::2], strict=True):
        assert first.outcome == second.outcome[::-1]
        assert first.item == " v ".join(reversed(second.item.split(" v ")))
        assert first.item.startswith(f"{first.conversation} v ")
        assert first.outcome[0] == Answer(
            f"{first.place.subject} {first.place.scenario.label} {first.place.repeat}"
        )
        assert (first.play, first.judges) == (False, ("j", "k"))


def test_only_verdicts_that_are_missing_are_asked_for() -> None:
    pair = [row(1, "a", "x"), row(2, "b", "x")]
    given = {
        (1, item_of(1, 2)): [verdict("j"), verdict("k", "judge error")],  # it will never say more
        (2, item_of(2, 1)): [verdict("j", "provider"), verdict("k", rubric="other")],
        (1, ""): [verdict("j")],
    }
    (work,) = plan_pairs(BENCHMARK, pair, given, PANEL, NAMES).works
    assert (work.item, work.judges) == ("2 v 1", ("j", "k"))


def test_a_duel_is_kept_once_with_the_model_whose_name_comes_first() -> None:
    pair = [row(7, "b", "x"), row(8, "a", "x")]
    first, second = verdict("j"), verdict("k")
    given = {(8, item_of(8, 7)): [first, verdict("j", rubric="other")], (7, item_of(7, 8)): [second]}
    compared = run(pairs={"judges": ["j", "k"], "rubric": "r"})
    assert duels_of(pair, given, compared) == {8: (Duel("b", (first,), (second,)),)}
    assert duels_of(pair, {}, compared) == {}
    assert duels_of(pair, given, run()) == {}


def test_the_panel_of_pairs_is_not_that_of_ratings() -> None:
    before = run()
    assert judges_of_pairs(before) == ()
    start = {"limit": None, "epochs": 1, "judging": {}, "another_rubric": False}
    reach = reach_of(pairs_reached(before), judges=["j"], rubric="r", **start)
    assert (reach.limit, reach.epochs, reach.judges, reach.rubric) == (3, 2, ("j",), "r")
    after = run(**pairs_extended(before, reach))
    assert (after.extent["judges"], after.extent["rubric"]) == (["rater"], "rating")
    assert judges_of_pairs(after) == ("j",)
    joined = reach_of(pairs_reached(after), judges=["k"], rubric="r", **start)
    assert joined.judges == ("j", "k")
    edited = reach_of(pairs_reached(after), judges=["k"], rubric="edited", **start)
    assert edited.rubric == "r"  # which is not what would be asked today: the engine refuses
    rated = reach_of(after.extent, judges=["other"], rubric="rating", **{**start, "limit": 9})
    assert grown(after.extent, rated)["pairs"] == after.extent["pairs"]


async def test_a_pairing_is_a_judging_step_of_two_outcomes_under_a_stage_of_its_own() -> None:
    heard = []

    class Likes:
        name, digest = "likes", "0123456789abcdef"

        def calls(self, scenario: Scenario, judge: str) -> tuple[int, int]:
            return 1, 2

        async def __call__(self, talk: Any, first: Any, second: Any) -> dict[str, Any]:
            heard.append((first, second))
            return {"better": "A"}

    step = SideBySide(Likes())
    assert await step(None, ("one", "two")) == {"better": "A"}
    assert heard == [("one", "two")]
    assert step.calls(Scenario({}, ""), {}, "j") == (1, 2)
    assert stage_of(step) == "pair likes 0123456789ab"


def test_a_benchmark_without_pairs_says_so() -> None:
    with pytest.raises(Mistake, match="role_play compare no pairs"):
        pairing_of(find("role_play"))
