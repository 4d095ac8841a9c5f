"""How far a run reaches: it never shrinks, keeps its judges, and each rubric keeps its own panel."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from interplay.running.reach import Reach, grown, reach_of

START = {
    "limit": 3,
    "epochs": 1,
    "judges": ("j", "k"),
    "rubric": "v2",
    "judging": {},
    "another_rubric": False,
}


def reach(before: dict[str, Any], **changes: Any) -> Reach:
    return reach_of(before, **{**START, **changes})


def begun(**changes: Any) -> dict[str, Any]:
    return reach({}, **changes).extent()


def again(before: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The extent after another start."""
    return grown(before, reach(before, **changes))


def test_a_new_run_reaches_as_far_as_it_was_asked_to() -> None:
    assert begun() == {
        "limit": 3,
        "epochs": 1,
        "judges": ["j", "k"],
        "rubric": "v2",
        "judging": {},
        "panels": {"v2": {"judges": ["j", "k"], "judging": {}, "sampling": {}}},
    }


limits = st.tuples(st.integers(1, 64), st.integers(1, 5), st.sets(st.sampled_from("jklm"), min_size=1))


@given(st.lists(limits, min_size=1, max_size=6))
def test_a_run_never_shrinks(starts: list[tuple[int, int, set[str]]]) -> None:
    first, *others = starts
    extent = begun(limit=first[0], epochs=first[1], judges=tuple(first[2]))
    for limit, epochs, judges in others:
        extent = again(extent, limit=limit, epochs=epochs, judges=tuple(judges))
    assert extent["limit"] == max(limit for limit, _, _ in starts)
    assert extent["epochs"] == max(epochs for _, epochs, _ in starts)
    assert extent["judges"] == sorted(set().union(*(judges for _, _, judges in starts)))


def test_a_smaller_start_plays_no_more_than_it_says() -> None:
    assert (reach(begun(limit=9, epochs=3)).limit, reach(begun(limit=9, epochs=3)).epochs) == (3, 1)


def test_without_a_limit_of_its_own_a_start_reaches_as_far_as_the_run_does() -> None:
    found = reach(begun(limit=9, epochs=3), limit=None, epochs=1)
    assert (found.limit, found.epochs) == (9, 3)


def test_a_text_that_changed_by_itself_does_not_move_the_run() -> None:
    before = begun(judging={"explanation": "100"})
    found = reach(before, rubric="edited", judging={})
    assert (found.rubric, found.judging, found.judges) == ("v2", {"explanation": "100"}, ("j", "k"))


def test_another_rubric_on_purpose_has_a_panel_of_its_own() -> None:
    before = begun()
    after = again(before, rubric="v1", another_rubric=True, judges=("m",), judging={"rubric": "v1"})
    assert (after["rubric"], after["judges"], after["judging"]) == ("v1", ["m"], {"rubric": "v1"})
    assert after["panels"] == {
        "v2": {"judges": ["j", "k"], "judging": {}, "sampling": {}},
        "v1": {"judges": ["m"], "judging": {"rubric": "v1"}, "sampling": {}},
    }


def test_another_rubric_with_nobody_named_is_judged_by_the_run_s_judges() -> None:
    after = again(begun(), rubric="v1", another_rubric=True, judges=(), judging={"rubric": "v1"})
    assert after["judges"] == ["j", "k"]


def test_back_to_a_former_rubric_its_own_judges_are_there_again() -> None:
    there = again(begun(), rubric="v1", another_rubric=True, judges=("m",), judging={"rubric": "v1"})
    back = again(there, rubric="v2", another_rubric=True, judges=(), judging={})
    assert (back["rubric"], back["judges"], back["judging"]) == ("v2", ["j", "k"], {})
    assert back["panels"] == there["panels"]


def test_the_command_that_began_a_run_finds_its_own_rubric_again() -> None:
    there = again(begun(), rubric="v1", another_rubric=True, judges=("m",), judging={"rubric": "v1"})
    same_command = again(there)
    assert (same_command["rubric"], same_command["judges"]) == ("v2", ["j", "k"])


def test_a_judge_joins_the_panel_of_the_rubric_it_judges_by() -> None:
    before = again(begun(), rubric="v1", another_rubric=True, judges=("m",), judging={"rubric": "v1"})
    after = again(before, rubric="v1", judges=("n",), judging={"rubric": "v1"})
    assert after["panels"]["v1"]["judges"] == after["judges"] == ["m", "n"]
    assert after["panels"]["v2"]["judges"] == ["j", "k"]


def test_a_run_of_a_former_version_has_no_panels_and_keeps_its_judges() -> None:
    old = {"limit": 3, "epochs": 2, "judges": ["j"], "rubric": "v2"}
    after = again(old, judges=("k",))
    assert (after["judges"], after["epochs"]) == (["j", "k"], 2)
    other = again(old, rubric="v1", another_rubric=True, judges=("m",))
    assert other["judges"] == ["m"]
