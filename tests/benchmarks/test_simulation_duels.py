"""What pairwise verdicts come to: the paper's counts, both orders, several judges, turned around."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from interplay.benchmarks import find
from interplay.benchmarks.simulation.duels import (
    Counts,
    Met,
    Seen,
    by_script,
    consistency,
    counts_of,
    delta_of,
    first_position,
    judged_in,
    met_in,
    unscored,
)
from interplay.benchmarks.simulation.evaluation import Answer
from interplay.core.benchmark import Duel, Played, Scenario, Verdict
from interplay.core.board import Board, Estimate

BENCHMARK = find("simulation")
OPTIONS = BENCHMARK.settle({})


def script(number: int, type_: str = "FirstChan", task: str = "") -> Scenario:
    content = {
        "task": task or f"task {number}",
        "name": "x",
        "kind": "stateful",
        "type": type_,
        "number": number,
    }
    return Scenario(content, f"script {number}")


def verdict(better: str, judge: str = "j", rubric: str = "r") -> Verdict:
    """What a judge said; without a word, that it could not be read."""
    if not better:
        return Verdict(judge, rubric, None, "judge error", "no JSON")
    return Verdict(judge, rubric, {"explanation": "so", "better": better})


def rating(score: int) -> tuple[Verdict, ...]:
    return (Verdict("j", "rating", {"explanation": "so", "rating": score}),)


def duel(first: str, second: str, judge: str = "j") -> list[tuple[Verdict, ...]]:
    """Both orders of what one judge said; - where it was not asked."""
    return [() if said == "-" else (verdict(said, judge),) for said in (first, second)]


def played(
    scenario: Scenario, one: Any, other: Any = None, repeat: int = 0, ratings: Any = (9, 3)
) -> list[Played]:
    """Two models' answers to a script, alpha's compared with beta's."""
    first, second = one
    if other:
        first, second = first + other[0], second + other[1]
    against = (Duel("beta", first, second),)
    return [
        Played(scenario, "alpha", repeat, Answer("a"), verdicts=rating(ratings[0]), against=against),
        Played(scenario, "beta", repeat, Answer("b"), verdicts=rating(ratings[1])),
    ]


def meeting(first: str, second: str) -> Met:
    (found,) = met_in(played(script(1), duel(first, second)), ["alpha", "beta"])
    return found


def parts(boards: Sequence[Board], title: str) -> Board:
    return next(board for board in boards if board.title == title)


TABLE_1 = [
    ((111, 98, 66), (40.36, 35.64, 24.00, 16.36)),
    ((107, 112, 56), (38.91, 40.73, 20.36, 18.55)),
    ((98, 90, 87), (35.64, 32.73, 31.64, 4.00)),  # the paper prints 32.72
]


@pytest.mark.parametrize(("counts", "printed"), TABLE_1)
def test_the_paper_s_table_1_follows_from_its_counts(
    counts: tuple[int, int, int], printed: tuple[float, ...]
) -> None:
    found = Counts(*counts)
    assert found.n == 275
    shares = (found.win, found.tie, found.lose, found.delta)
    assert tuple(round(share or 0.0, 2) for share in shares) == printed
    assert found.p_value == pytest.approx(stats.binomtest(counts[0], counts[0] + counts[2]).pvalue, rel=1e-9)


def test_the_sign_tests_of_table_1() -> None:
    values = [Counts(*counts).p_value for counts, _ in TABLE_1]
    assert values == [pytest.approx(p, rel=0.01) for p in (0.000886, 0.0000790, 0.4624)]


@pytest.mark.parametrize(
    ("shown_first", "shown_second", "result", "agrees", "firsts"),
    [
        ("A", "B", 1, True, [True, False]),
        ("B", "A", -1, True, [False, True]),
        ("tie", "tie", 0, True, []),
        ("A", "A", 0, False, [True, True]),
        ("B", "B", 0, False, [False, False]),
        ("A", "tie", 0, False, [True]),
        ("tie", "A", 0, False, [True]),
        ("tie", "B", 0, False, [False]),
    ],
)
def test_a_win_counts_only_where_both_orders_agree(
    shown_first: str, shown_second: str, result: int, agrees: bool, firsts: list[bool]
) -> None:
    met = meeting(shown_first, shown_second)
    (seen,) = met.seen
    assert (met.result, seen.consistent, seen.preferred_first) == (result, agrees, firsts)


@pytest.mark.parametrize(
    ("shown_first", "shown_second", "asked", "firsts"),
    [("A", "", 2, [True]), ("", "A", 2, [True]), ("", "", 2, []), ("A", "-", 1, [True])],
)
def test_an_order_without_a_verdict_is_neither_a_win_nor_a_tie(
    shown_first: str, shown_second: str, asked: int, firsts: list[bool]
) -> None:
    met = meeting(shown_first, shown_second)
    (seen,) = met.seen
    assert met.result is None
    assert (seen.asked, seen.consistent, seen.preferred_first) == (asked, False, firsts)
    assert counts_of(one for one in [met.result] if one is not None).n == 0
    assert Counts(0, 0, 0).p_value is None


SAID = st.sampled_from(["A", "B", "tie", "", "-"])


@given(st.lists(st.tuples(SAID, SAID).filter(lambda said: said != ("-", "-")), min_size=1, max_size=30))
def test_seen_from_the_other_model_wins_are_losses_and_all_else_is_the_same(
    said: list[tuple[str, str]],
) -> None:
    conversations = [
        one for number, orders in enumerate(said) for one in played(script(number // 2), duel(*orders))
    ]
    here, there = (met_in(conversations, names) for names in (["alpha", "beta"], ["beta", "alpha"]))
    assert {(one.first, one.second) for one in there} == {("beta", "alpha")}
    one, other = (counts_of(met.result for met in found if met.result is not None) for found in (here, there))
    assert (one.won, one.tied, one.lost) == (other.lost, other.tied, other.won)
    for measure in (consistency, first_position, unscored):
        assert measure(judged_in(here)) == measure(judged_in(there))
    assert (delta_of(here).value, by_script(here).p_value) == (
        None if (value := delta_of(there).value) is None else -value,
        by_script(there).p_value,
    )


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([1, 1], 1),
        ([1, 0], 0),
        ([1, -1], 0),
        ([1, 1, -1], 1),
        ([-1, -1, 0], -1),
        ([1, 0, 0], 0),
        ([1, 0, -1], 0),
    ],
)
def test_of_several_judges_what_more_than_half_found_counts(results: list[int], expected: int) -> None:
    seen = tuple(Seen(f"j{number}", one, one, 2) for number, one in enumerate(results))
    silent = Seen("silent", None, 1, 2)  # has no say, and does not make the others fewer than half
    assert Met("a", "b", {}, "s", seen).result == expected
    assert Met("a", "b", {}, "s", (*seen, silent)).result == expected


def test_repeats_of_a_script_count_once_in_the_sign_test() -> None:
    conversations = [
        one for repeat in range(5) for one in played(script(1), duel("A", "B"), repeat=repeat)
    ] + played(script(2), duel("B", "A"))
    met = met_in(conversations, ["alpha", "beta"])
    assert counts_of(one.result or 0 for one in met) == Counts(5, 0, 1)
    assert by_script(met) == Counts(1, 0, 1)


def test_the_interval_of_delta_is_clustered_by_task() -> None:
    won = [
        one for number in range(20) for one in played(script(number, task=f"t{number % 4}"), duel("A", "B"))
    ]
    lost = [one for number in range(20, 25) for one in played(script(number, task="t9"), duel("B", "A"))]
    found = delta_of(met_in([*won, *lost], ["alpha", "beta"]))
    assert (found.value, found.n, found.clusters, found.method) == (60.0, 25, (5,), "one-way t")
    assert found.low is not None and found.low < 0  # five tasks, of which one is lost, prove nothing


@pytest.mark.parametrize(
    ("said", "value", "low", "high"),
    [("AB", 100.0, 32.298, 100.0), ("BA", -100.0, -100.0, -32.298), ("AA", 0.0, -33.851, 33.851)],
)
def test_pairs_that_all_came_to_the_same_are_no_certainty(
    said: str, value: float, low: float, high: float
) -> None:
    conversations = [
        one for number in range(30) for one in played(script(number, task=f"t{number % 10}"), duel(*said))
    ]
    found = delta_of(met_in(conversations, ["alpha", "beta"]))
    # of ten tasks that all agree, the least share is 10 / (10 + t squared), with nine degrees of freedom
    assert (found.value, found.n, found.clusters) == (value, 30, (10,))
    assert (found.low, found.high) == (pytest.approx(low, abs=0.001), pytest.approx(high, abs=0.001))
    one_task = delta_of(met_in(conversations[::20], ["alpha", "beta"]))
    assert (one_task.value, one_task.low, one_task.high) == (value, None, None)


def board_of(conversations: Sequence[Played], **options: str) -> Board:
    return BENCHMARK.summarize(conversations, {**OPTIONS, **options})


def test_the_board_has_the_pairs_of_all_scripts_of_hard_ones_and_the_judges() -> None:
    easy = [one for number in range(3) for one in played(script(number, "LastOnly"), duel("B", "A"))]
    hard = [one for number in range(3, 9) for one in played(script(number), duel("A", "B"))]
    board = board_of([*easy, *hard])
    assert [part.title for part in board.parts[:3]] == [
        "Two models on the same scripts",
        "Two models on the same hard scripts",
        "Judges who compared",
    ]
    both, only_hard, judges = (part.rows[0] for part in board.parts[:3])
    assert (both["models"], both["n"]) == ("alpha v beta", 9)
    assert [both[key] for key in ("win", "tie", "lose")] == [
        pytest.approx(600 / 9),
        0.0,
        pytest.approx(300 / 9),
    ]
    assert (only_hard["win"], only_hard["n"]) == (100.0, 6)
    assert only_hard["p"] == pytest.approx(2 / 64)
    assert (judges["judge"], judges["n"], judges["unscored"]) == ("j", 9, 0.0)
    assert isinstance(judges["consistency"], Estimate) and judges["consistency"].value == 1.0
    assert isinstance(judges["first_position"], Estimate) and judges["first_position"].value == 0.5
    assert not any("Mixed" in note for part in board.parts for note in part.notes)
    without = board_of(hard)
    assert [part.title for part in without.parts[:2]] == [
        "Two models on the same scripts",
        "Judges who compared",
    ]


def test_the_model_with_the_higher_rank_stands_first() -> None:
    conversations = [
        one for number in range(4) for one in played(script(number), duel("A", "B"), ratings=(2, 8))
    ]
    board = board_of(conversations)
    assert [row["model"] for row in board.rows] == ["beta", "alpha"]
    row = board.parts[0].rows[0]
    assert (row["models"], row["win"], row["lose"]) == ("beta v alpha", 0.0, 100.0)


def test_p_values_are_corrected_over_all_pairs() -> None:
    names = ("alpha", "beta", "gamma")
    conversations = []
    for number in range(8):
        first, second = duel("A", "B")
        conversations += [
            Played(
                script(number),
                name,
                0,
                Answer(""),
                verdicts=rating(9 - place),
                against=tuple(Duel(other, first, second) for other in names[place + 1 :]),
            )
            for place, name in enumerate(names)
        ]
    rows = board_of(conversations).parts[0].rows
    assert [row["models"] for row in rows] == ["alpha v beta", "alpha v gamma", "beta v gamma"]
    assert [row["p"] for row in rows] == [pytest.approx(2 / 256)] * 3
    assert [row["p_holm"] for row in rows] == [pytest.approx(6 / 256)] * 3


def test_a_judge_who_cannot_be_read_leaves_a_row_with_its_share() -> None:
    conversations = [one for number in range(4) for one in played(script(number), duel("", ""))]
    row = board_of(conversations).parts[0].rows[0]
    assert (row["n"], row["win"], row["p"], row["p_holm"], row["unscored"]) == (0, None, None, None, 1.0)
    assert isinstance(row["delta"], Estimate) and row["delta"].value is None


def test_a_judge_who_compared_only_some_pairs_is_told() -> None:
    alone = played(script(1), duel("A", "B"))
    together = played(script(2), duel("A", "B"), duel("A", "B", "k"))
    notes = board_of([*alone, *together]).parts[0].notes
    assert any(note.startswith("Mixed") for note in notes)
    assert not any(note.startswith("Mixed") for note in board_of(together).parts[0].notes)


def test_scripts_that_are_dropped_for_full_marks_are_dropped_here_too() -> None:
    perfect = played(script(1), duel("A", "B"), ratings=(10, 10))
    others = [one for number in (2, 3) for one in played(script(number), duel("B", "A"))]
    assert board_of([*perfect, *others]).parts[0].rows[0]["n"] == 3
    row = parts(
        board_of([*perfect, *others], drop_perfect="yes").parts, "Two models on the same scripts"
    ).rows[0]
    assert (row["n"], row["lose"]) == (2, 100.0)


def test_without_pairs_there_are_no_tables_of_pairs() -> None:
    answers = [Played(script(1), "alpha", 0, Answer("a"), verdicts=rating(5))]
    assert not [part for part in board_of(answers).parts if "Two models" in part.title]
