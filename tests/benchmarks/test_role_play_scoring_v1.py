"""Scores of role play under version 1: from 1 to 10, with its own rule for length, worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.benchmarks.role_play.scoring import length_adjusted_v1
from tests.benchmarks.verdicts import board, missing, only_row, played, verdict, void


def three_models(**options: str) -> dict[str, float | None]:
    """LN scores of models with aggregates 9, 6 and 4, whose replies have 200, 100 and 400 characters."""
    given = {"best": (9, 200), "middle": (6, 100), "worst": (4, 400)}
    found = board(
        *[
            played(0, verdict("j", (points,) * 3), subject=name, length=length)
            for name, (points, length) in given.items()
        ],
        **options,
    )
    return {row["model"]: row["ln_score"].value for row in found.rows}


TANH_OF_A_THIRD = 0.3215127375316343  # (e^(2/3) - 1) / (e^(2/3) + 1)


@pytest.mark.parametrize("options", [{"version": "v1"}, {"version": "v2", "rubric": "v1"}], ids=repr)
def test_version_1_takes_a_part_of_the_boards_range_from_long_replies(options: dict[str, str]) -> None:
    """M = 200 and the range is 9 - 4; only the worst is longer than M: 4 + 5 tanh((200 - 400) / 600)."""
    found = three_models(**options)

    assert found == {"best": 9.0, "middle": 6.0, "worst": pytest.approx(4 - 5 * TANH_OF_A_THIRD, abs=1e-12)}
    assert found["worst"] == pytest.approx(2.3924363123418283, abs=1e-12)


def test_version_1_with_a_fixed_median_takes_from_all_that_are_longer() -> None:
    found = three_models(version="v1", length_median="100")

    assert found["middle"] == 6.0
    assert found["best"] == pytest.approx(9 - 5 * TANH_OF_A_THIRD)  # (100 - 200) / 300
    assert found["worst"] == pytest.approx(4 - 5 * 0.7615941559557649)  # tanh(1), for (100 - 400) / 300


def test_a_version_1_run_that_is_judged_by_version_2_has_its_rule_of_length() -> None:
    found = three_models(version="v1", rubric="v2")

    assert found == {"best": 9.0, "middle": 6.0, "worst": pytest.approx(4 * (1 - 0.07 / 2))}


def test_a_model_alone_on_a_version_1_board_loses_nothing_as_there_is_no_range() -> None:
    row = only_row(played(0, verdict("j", (7, 8, 9)), length=900), version="v1", length_median="100")

    assert row["ln_score"] == row["aggregate"]
    assert row["aggregate"].value == 8.0


def test_models_without_a_score_do_not_widen_the_range_of_version_1() -> None:
    rows = board(
        played(0, verdict("j", (8, 8, 8)), subject="a", length=100),
        played(0, verdict("j", (6, 6, 6)), subject="b", length=400),
        played(0, missing("j"), subject="c", length=100),
        void(0, "d"),
        version="v1",
    ).rows
    found = {row["model"]: row["ln_score"] for row in rows}

    assert found["b"].value == pytest.approx(6 + 2 * math.tanh((100 - 400) / 300))
    assert found["c"].value is None
    assert [(row["model"], row["rank"]) for row in rows] == [("a", 1), ("b", 2), ("c", None), ("d", None)]


def test_the_interval_of_version_1_moves_with_its_score() -> None:
    short = [played(place, verdict("j", (9, 9, 9)), subject="a", length=100) for place in range(16)]
    long = [played(place, verdict("j", (1 + place % 5,) * 3), subject="b", length=300) for place in range(16)]
    row = board(*short, *long, version="v1").rows[1]
    moved = row["ln_score"].value - row["aggregate"].value

    assert moved < 0
    assert row["ln_score"].low == row["aggregate"].low + moved
    assert row["ln_score"].high == row["aggregate"].high + moved


@given(st.floats(1, 10), st.floats(0.1, 10_000), st.floats(0.1, 10_000), st.floats(0, 9))
def test_version_1_rewards_nobody_and_never_takes_more_than_the_range(
    aggregate: float, length: float, median: float, score_range: float
) -> None:
    adjusted = length_adjusted_v1(aggregate, length, median, score_range)

    assert aggregate - score_range <= adjusted <= aggregate
    if length <= median:
        assert adjusted == aggregate
    assert length_adjusted_v1(aggregate, length * 2, median, score_range) <= adjusted


def test_a_refusal_under_version_1_counts_in_the_ratio_and_not_in_the_means() -> None:
    row = only_row(
        played(0, verdict("u", (10, 10, 10), (1, 1, 1), refused=[1])),
        played(1, verdict("u", (8, 7, 6))),
        version="v1",
    )

    assert (row["refusal_ratio"].value, row["refusal_ratio"].n) == (0.5, 2)
    assert (row["aggregate"].value, row["n"], row["void"]) == (7.0, 1, 0.0)


def test_the_board_says_which_version_rubric_setup_and_language_it_is_of() -> None:
    given = [
        ({}, "role_play (PingPong v2)"),
        ({"version": "v1"}, "role_play (PingPong v1)"),
        ({"version": "v1", "rubric": "v2"}, "role_play (PingPong v1, rubric v2)"),
        ({"rubric": "v2"}, "role_play (PingPong v2)"),
        ({"setup": "symmetric", "language": "ru"}, "role_play (PingPong v2, symmetric, Russian)"),
    ]
    assert [board(**options).title for options, _ in given] == [title for _, title in given]
    by_key = {column.key: column for column in board(version="v1").columns}
    assert by_key["in_character"].scale == by_key["aggregate"].scale == (1.0, 10.0)
    assert "tanh" in by_key["ln_score"].meaning
    assert by_key["ln_score"].scale == (-8.0, 10.0)  # long replies may cost the whole range, at most 9
