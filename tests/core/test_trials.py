"""Trials: when a planted number counts as recovered, what several seeds come to, and the order of models."""

from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest

from interplay.core.board import Board, Column, Estimate
from interplay.core.trials import FURTHEST, Finding, Trial, averaged, number_on, part_of

COLUMNS = (Column("model", "model", "who", "text"), Column("score", "score", "how well", "score"))


def board(**scores: Any) -> Board:
    rows = tuple({"model": name, "score": score} for name, score in scores.items())
    return Board("a board", COLUMNS, rows)


def trial(*order: str) -> Trial:
    return Trial("t", "", lambda seed: {}, order, lambda board, played: (), order=order, ordered_by="score")


@pytest.mark.parametrize(
    "planted, recovered, error, passed, distance",
    [
        (0.5, 0.5, 0.1, True, 0.0),
        (0.5, 0.875, 0.125, True, 3.0),
        (0.5, 1.0, 0.125, True, 4.0),
        (0.5, 0.0, 0.125, True, 4.0),
        (0.5, 1.001, 0.125, False, 4.008),
        (0.5, -0.001, 0.125, False, 4.008),
        (1.0, 1.0, 0.0, True, None),
        (1.0, 1.0 - 1e-15, 0.0, False, None),
        (1.0, None, 0.5, False, None),
    ],
)
def test_a_number_is_recovered_within_four_errors(
    planted: float, recovered: float | None, error: float, passed: bool, distance: float | None
) -> None:
    assert FURTHEST == 4
    finding = Finding("x", planted, recovered, error)
    assert finding.passed is passed
    assert finding.distance == (None if distance is None else pytest.approx(distance))


@pytest.mark.parametrize(
    "recovered, passed", [(0.0, True), (0.03, True), (0.031, False), (None, False), (nan, False)]
)
def test_where_the_planted_number_is_the_most_less_is_as_good(recovered: float | None, passed: bool) -> None:
    finding = Finding("x", 0.03, recovered, at_most=True)
    assert finding.passed is passed
    assert finding.distance is None


def test_of_a_number_that_is_at_most_the_mean_of_seeds_counts() -> None:
    found = averaged([Finding("x", 0.03, value, at_most=True) for value in (0.04, 0.01, 0.01)])
    assert found.recovered == pytest.approx(0.02)
    assert (found.at_most, found.passed) == (True, True)
    assert not averaged([Finding("x", 0.03, value, at_most=True) for value in (0.04, 0.03)]).passed
    assert averaged([Finding("x", 0.03, value, at_most=True) for value in (None, 0.0)]).recovered is None


@pytest.mark.parametrize("broken", [nan, inf])
def test_what_is_no_number_is_never_recovered(broken: float) -> None:
    assert not Finding("x", 0.5, broken, 0.1).passed
    assert not Finding("x", broken, 0.5, 0.1).passed
    assert not Finding("x", 0.5, 0.9, broken).passed


def test_seeds_are_averaged_and_their_error_shrinks_by_the_root_of_their_number() -> None:
    found = averaged([Finding("x", 0.5, value, 0.1) for value in (0.4, 0.5, 0.6, 0.9)])
    assert (found.what, found.planted) == ("x", 0.5)
    assert found.recovered == pytest.approx(0.6)
    assert found.error == pytest.approx(0.05)
    # each seed is within four errors, and all of them together are not
    off = [Finding("x", 0.5, 0.7, 0.1)] * 25
    assert off[0].passed
    assert not averaged(off).passed


def test_seeds_that_must_be_exact_cannot_make_up_for_each_other() -> None:
    exact, above, below = (Finding("x", 1.0, value) for value in (1.0, 1.25, 0.75))
    assert averaged([exact, exact]).passed
    assert averaged([exact, above, below]) in (above, below)
    assert not averaged([above, below]).passed


def test_a_seed_without_the_number_spoils_all() -> None:
    assert averaged([Finding("x", 0.5, 0.5, 0.1), Finding("x", 0.5, None, 0.1)]).recovered is None
    assert not averaged([Finding("x", 0.0, 0.0), Finding("x", 0.0, None)]).passed


def test_a_single_seed_is_itself() -> None:
    one = Finding("x", 0.41, 0.43, 0.02)
    assert averaged([one]) == one


def test_numbers_are_read_off_a_board() -> None:
    shown = board(a=Estimate(0.5, 0.4, 0.6, 9), b=3, c=None, d="?", e=Estimate(None, None, None, 0))
    assert [number_on(shown, name, "score") for name in "abcde"] == [0.5, 3.0, None, None, None]
    assert number_on(shown, "f", "score") is None
    assert number_on(shown, "a", "other") is None


@pytest.mark.parametrize(
    "scores, in_order",
    [
        ({"a": 3, "b": 2, "c": 1}, True),
        ({"c": 1, "a": 3, "b": 2}, True),  # wherever the rows stand
        ({"a": 3, "b": 1, "c": 2}, False),
        ({"a": 3, "b": 2, "c": 2}, False),
        ({"a": 3, "b": 2}, False),
        ({"a": 3, "b": None, "c": 1}, False),
    ],
)
def test_the_order_is_exact_or_it_is_not(scores: dict[str, Any], in_order: bool) -> None:
    assert trial("a", "b", "c").came_in_order(board(**scores)) is in_order


def test_the_order_may_be_that_of_a_part() -> None:
    inner = replace(board(a=1, b=2), title="inner")
    middle = replace(board(a=2, b=1), title="middle", parts=(inner,))
    whole = replace(board(a=5), parts=(replace(board(), title="first"), middle))
    assert part_of(whole, "middle") is middle
    assert part_of(whole, "inner") is inner
    assert part_of(whole, "none").rows == ()
    assert replace(trial("a", "b"), ordered_on="middle").came_in_order(whole)
    assert not replace(trial("a", "b"), ordered_on="inner").came_in_order(whole)
    assert not replace(trial("a", "b"), ordered_on="none").came_in_order(whole)
    assert not trial("a", "b").came_in_order(whole)


def test_a_number_may_be_one_of_several_of_a_model() -> None:
    rows = ({"model": "a", "judge": "j", "score": 1}, {"model": "a", "judge": "k", "score": 2})
    shown = Board("by judge", COLUMNS, rows)
    assert [number_on(shown, "a", "score", judge=judge) for judge in "jkl"] == [1.0, 2.0, None]


def test_where_no_order_is_asked_for_none_can_be_missed() -> None:
    assert trial().came_in_order(board(a=1))
