"""Scores of simulation: the identities of the paper's Table 4, sets, panels, what is dropped on demand."""

from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.simulation.evaluation import Answer
from interplay.benchmarks.simulation.scoring import Rated, mean_over, rated_of, score, without_perfect
from interplay.benchmarks.simulation.tables import summarize
from interplay.core.benchmark import Played, Scenario, Verdict
from interplay.core.board import Board, Cell, Estimate

BENCHMARK = find("simulation")
OPTIONS = BENCHMARK.settle({})
COUNTS = {
    ("LastOnly", ""): 225,
    ("FirstChan", "stateless"): 38,
    ("FirstChan", "stateful"): 55,
    ("SubseqChan", ""): 182,
}
# The paper's Table 4: LastOnly, FirstChan, SubseqChan, stateless, stateful, Hard, All.
TABLE_4 = {
    "GPT-4-Turbo": (9.29, 8.62, 8.13, 8.45, 8.75, 8.29, 8.74),
    "GPT-4o": (9.40, 8.65, 7.57, 8.55, 8.72, 7.93, 8.59),
    "LLaMA-3-70B-Chat": (9.32, 8.13, 7.98, 7.74, 8.40, 8.03, 8.61),
    "LLaMA-3-8B-Chat": (9.03, 7.28, 7.20, 6.76, 7.64, 7.23, 8.04),
    "Qwen1.5-110B-Chat": (9.16, 8.25, 7.25, 7.92, 8.48, 7.59, 8.30),
    "Qwen1.5-7B-Chat": (8.73, 6.53, 6.60, 6.71, 6.40, 6.58, 7.55),
    "Mixtral-8x22B-Instruct-v0.1": (8.99, 7.62, 6.83, 7.75, 7.53, 7.10, 7.95),
    "Mixtral-8x7B-Instruct-v0.1": (8.39, 6.90, 6.76, 6.79, 6.98, 6.81, 7.52),
    "Mixtral-7B-Instruct-v0.3": (8.37, 6.41, 6.14, 6.76, 6.16, 6.23, 7.19),
    "LLaMA-2-70B-Chat": (8.59, 6.46, 6.40, 6.55, 6.40, 6.42, 7.40),
    "LLaMA-2-13B-Chat": (8.48, 5.84, 6.11, 6.00, 5.74, 6.02, 7.13),
    "LLaMA-2-7B-Chat": (8.37, 5.46, 6.09, 5.29, 5.58, 5.88, 7.00),
}


def scripts_rated(model: str, means: dict[tuple[str, str], float]) -> list[Rated]:
    """As many answers of each type and kind as the paper has, every one with the mean of its type and kind."""
    found = []
    for (type_, kind), count in COUNTS.items():
        for number in range(count):
            content = {"task": f"task {number % 50}", "type": type_, "kind": kind or "stateful"}
            found.append(Rated(model, content, f"{type_} {kind} {number}", 0, means[type_, kind]))
    return found


@pytest.mark.parametrize("model", TABLE_4)
def test_hard_all_and_first_follow_from_the_papers_columns(model: str) -> None:
    last, first, subseq, stateless, stateful, hard, whole = TABLE_4[model]
    means = {
        ("LastOnly", ""): last,
        ("FirstChan", "stateless"): stateless,
        ("FirstChan", "stateful"): stateful,
        ("SubseqChan", ""): subseq,
    }
    rated = scripts_rated(model, means)
    found = {
        name: mean_over(rated, name).value for name in ("first_chan", "hard", "all", "stateless", "stateful")
    }
    assert found["first_chan"] == pytest.approx(first, abs=0.01)
    assert found["hard"] == pytest.approx(hard, abs=0.01)
    assert found["all"] == pytest.approx(whole, abs=0.01)
    assert found["stateless"] == pytest.approx(stateless)
    assert found["stateful"] == pytest.approx(stateful)


def one(
    model: str,
    rating: float | None,
    *,
    task: str = "shell",
    type_: str = "LastOnly",
    number: int = 0,
    **changes: Any,
) -> Played:
    content = {"task": task, "name": task.title(), "kind": "stateful", "type": type_, "number": number}
    data = None if rating is None else {"explanation": "so", "rating": rating}
    verdict = Verdict("judge", "r", data, "" if data else "judge error")
    given: dict[str, Any] = {"outcome": Answer("text"), "verdicts": (verdict,), **changes}
    return Played(Scenario(content, "label"), model, 0, **given)


def row(board: Board, model: str) -> dict[str, Cell]:
    return dict(next(found for found in board.rows if found["model"] == model))


def value(cell: Cell) -> float:
    assert isinstance(cell, Estimate)
    assert cell.value is not None
    return cell.value


def test_a_panel_is_a_mean_and_one_judge_may_be_missing() -> None:
    verdicts = [
        Verdict("a", "r", {"explanation": "", "rating": 8}),
        Verdict("b", "r", {"explanation": "", "rating": 5}),
        Verdict("c", "r", None, "judge error"),
    ]
    (found,) = rated_of([one("m", 1, verdicts=tuple(verdicts))])
    assert found.rating == 6.5
    scores = score(Answer(""), verdicts, OPTIONS)
    assert [(made.name, made.value, made.source) for made in scores] == [
        ("empty", 1.0, "rule: an answer without text"),
        ("rating", 8.0, "a"),
        ("rating", 5.0, "b"),
    ]


def test_void_and_unscored_answers_are_shares_and_never_a_zero() -> None:
    played = [
        one("m", 9, task="a"),
        one("m", 7, task="b", outcome=Answer("")),
        one("m", None, task="c"),
        one("m", None, task="d", outcome=None, verdicts=(), failure="provider failure"),
    ]
    found = row(summarize(played, OPTIONS), "m")
    assert value(found["all"]) == 8
    assert (found["n"], found["void"]) == (2, 0.25)
    assert found["unscored"] == pytest.approx(1 / 3)
    assert found["empty"] == pytest.approx(1 / 3)


def test_the_best_is_first_and_intervals_are_clustered_by_task() -> None:
    played = [
        one(model, rating + n % 2, task=f"t{n % 6}", number=n)
        for model, rating in (("weak", 3), ("strong", 8))
        for n in range(24)
    ]
    board = summarize(played, OPTIONS)
    assert [(found["model"], found["rank"]) for found in board.rows] == [("strong", 1), ("weak", 2)]
    cell = row(board, "strong")["all"]
    assert isinstance(cell, Estimate)
    assert cell.clusters == (6,)


def test_scripts_that_all_got_full_marks_on_are_left_out_on_demand_and_counted() -> None:
    played = [
        one(model, rating, task="t", number=n) for model in "ab" for n, rating in enumerate((10, 10, 6))
    ]
    played[-1] = one("b", 10, task="t", number=2)
    rated, dropped = without_perfect(rated_of(played))
    assert dropped == 2
    assert {found.rating for found in rated} == {6, 10}
    board = summarize(played, BENCHMARK.settle({"drop_perfect": "yes"}))
    assert value(row(board, "a")["all"]) == 6
    assert any("2 scripts on which every model got full marks are left out" in note for note in board.notes)
    assert not any("left out" in note and "full marks" in note for note in summarize(played, OPTIONS).notes)


def test_hardest_and_easiest_tasks_over_all_models() -> None:
    played = [
        one(model, rating, task=f"task {rating}", number=rating) for model in "ab" for rating in range(1, 9)
    ]
    parts = {part.title: part for part in summarize(played, OPTIONS).parts}
    assert [found["task"] for found in parts["Hardest stateful tasks"].rows] == [
        f"Task {n}" for n in (1, 2, 3, 4)
    ]
    assert [found["task"] for found in parts["Easiest stateful tasks"].rows] == [
        f"Task {n}" for n in (8, 7, 6, 5)
    ]
    assert "Hardest stateless tasks" not in parts


def test_a_script_that_a_model_was_not_rated_on_is_not_perfect() -> None:
    ratings = (("a", 10, 0), ("b", None, 0), ("a", 10, 1), ("b", 10, 1), ("b", 3, 2))
    played = [one(model, rating, number=number) for model, rating, number in ratings]
    rated, dropped = without_perfect(rated_of(played))
    assert dropped == 1
    assert [(found.model, found.rating) for found in rated] == [("a", 10), ("b", 3)]
