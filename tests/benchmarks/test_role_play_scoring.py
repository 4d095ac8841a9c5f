"""Scores of role play: means, refusals, missing judges, the length rule of version 2, the board."""

import math
from dataclasses import replace
from random import Random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.benchmarks import find
from interplay.benchmarks.role_play.protocol import Dialogue, Turn
from interplay.benchmarks.role_play.scoring import length_factor, length_of, score
from interplay.core.benchmark import Played, Verdict
from interplay.core.board import Estimate
from interplay.core.failures import Mistake
from tests.benchmarks.stage import CRITERIA, OPTIONS, SCENARIOS
from tests.benchmarks.verdicts import board, missing, only_row, played, verdict, void


def by_name(conversation: Played) -> dict[tuple[str, str], float]:
    scores = score(conversation.outcome, conversation.verdicts, OPTIONS)
    return {(one.name, one.source): one.value for one in scores}


def test_the_score_of_a_conversation_is_the_mean_over_its_turns() -> None:
    found = by_name(played(0, verdict("j", (5, 4, 3), (4, 4, 1), (3, 4, 1), (2, 4, 1))))

    assert found[("in_character", "j")] == 3.5
    assert found[("entertaining", "j")] == 4.0
    assert found[("fluency", "j")] == 1.5
    assert found[("refused", "j")] == 0.0


def test_the_score_of_a_model_is_the_mean_over_conversations_not_over_turns() -> None:
    short = played(0, verdict("j", (5, 5, 5)))
    long = played(1, verdict("j", *[(1, 1, 1)] * 9))

    assert only_row(short, long)["in_character"].value == 3.0


def test_the_aggregate_is_the_mean_of_the_three_criteria() -> None:
    row = only_row(
        played(0, verdict("j", (5, 4, 3), (5, 2, 3))),
        played(1, verdict("j", (3, 1, 2), (4, 2, 2))),
    )

    assert [row[name].value for name in CRITERIA] == [4.25, 2.25, 2.5]
    assert row["aggregate"].value == pytest.approx(3.0)
    assert row["n"] == row["aggregate"].n == 2


def test_the_interval_is_clustered_by_character_and_situation() -> None:
    row = only_row(*[played(place, verdict("j", (1 + place % 5, 3, 3))) for place in range(24)])
    estimate = row["aggregate"]

    assert estimate.method == "two-way t"
    assert estimate.clusters == (8, 8)
    assert estimate.low < estimate.value < estimate.high


def test_a_judge_that_flags_a_refusal_gives_no_criterion_scores() -> None:
    found = by_name(played(0, verdict("j", (5, 5, 5), (5, 5, 5), refused=[1])))

    assert found == {("length", "rule: characters per player message"): 100.0, ("refused", "j"): 1.0}


def test_a_refused_conversation_counts_in_the_refusal_ratio_and_not_in_the_means() -> None:
    row = only_row(
        played(0, verdict("j", (1, 1, 1), refused=[0])),
        played(1, verdict("j", (5, 4, 3))),
        played(2, verdict("j", (5, 4, 3))),
        played(3, verdict("j", (5, 4, 3))),
    )

    assert row["aggregate"].value == 4.0
    assert row["n"] == 3
    assert (row["refusal_ratio"].value, row["refusal_ratio"].n) == (0.25, 4)
    assert row["unscored"] == 0.0


def test_a_conversation_is_refused_as_soon_as_one_judge_says_so_and_the_others_still_score_it() -> None:
    row = only_row(
        played(0, verdict("j", (1, 1, 1), refused=[0]), verdict("k", (4, 4, 4))),
        played(1, verdict("j", (2, 2, 2)), verdict("k", (4, 4, 4), refused=[0])),
        played(2, verdict("j", (1, 1, 1), refused=[0]), verdict("k", (1, 1, 1), refused=[0])),
        played(3, verdict("j", (3, 3, 3)), verdict("k", (5, 5, 5))),
    )

    assert row["refusal_ratio"].value == 0.75
    assert row["n"] == 3
    assert row["aggregate"].value == pytest.approx((4 + 2 + 4) / 3)


def test_a_missing_judge_does_not_halve_a_score() -> None:
    row = only_row(
        played(0, verdict("j", (4, 4, 4)), missing("k")),
        played(1, missing("j"), verdict("k", (4, 4, 4))),
    )

    assert row["aggregate"].value == 4.0
    assert row["unscored"] == 0.5
    assert row["n"] == 2


def test_a_conversation_without_any_verdict_is_left_out_and_never_a_zero() -> None:
    row = only_row(played(0, verdict("j", (4, 4, 4))), played(1, missing("j")), played(2))

    assert row["aggregate"].value == 4.0
    assert row["n"] == 1
    assert row["unscored"] == 0.5
    assert row["refusal_ratio"].n == 1


def test_three_judges_are_a_panel() -> None:
    row = only_row(
        played(0, verdict("i", (5, 1, 3)), verdict("j", (4, 2, 3)), verdict("k", (3, 3, 3))),
        played(1, verdict("i", (5, 5, 5)), verdict("j", (4, 4, 4)), missing("k")),
    )

    assert row["in_character"].value == (4 + 4.5) / 2
    assert row["entertaining"].value == (2 + 4.5) / 2
    assert row["unscored"] == pytest.approx(1 / 6)


def test_void_conversations_are_a_share_and_never_a_zero() -> None:
    row = only_row(played(0, verdict("j", (4, 4, 4))), void(1), void(2), void(3))

    assert row["void"] == 0.75
    assert row["aggregate"].value == 4.0
    assert row["refusal_ratio"].n == 1
    assert row["length"] == 100.0


def test_a_model_with_nothing_to_score_has_no_numbers_and_no_rank_and_stands_last() -> None:
    rows = board(void(0, "a"), played(0, verdict("j", (1, 1, 1)), subject="b")).rows

    assert [row["model"] for row in rows] == ["b", "a"]
    assert rows[1]["rank"] is None
    assert rows[1]["void"] == 1.0
    assert rows[1]["n"] == 0
    assert rows[1]["aggregate"] == Estimate(None, None, None, 0, (0, 0), "none")


def test_a_board_of_nothing_is_empty() -> None:
    assert board().rows == ()


def test_rows_are_ranked_best_first_and_equal_scores_share_a_place() -> None:
    scores = {"d": 3, "b": 4, "c": 4, "a": 2, "e": 5}
    rows = board(*[played(0, verdict("j", (one,) * 3), subject=name) for name, one in scores.items()]).rows

    assert [row["model"] for row in rows] == ["e", "b", "c", "d", "a"]
    assert [row["rank"] for row in rows] == [1, 2, 2, 4, 5]


def test_rank_follows_the_length_normalised_score_and_not_the_aggregate() -> None:
    wordy = [played(place, verdict("j", (5, 5, 4)), subject="wordy", length=2000) for place in range(4)]
    brief = [played(place, verdict("j", (5, 4, 5)), subject="brief", length=100) for place in range(4)]
    rows = board(*wordy, *brief).rows

    assert [row["model"] for row in rows] == ["brief", "wordy"]
    assert rows[0]["aggregate"].value == rows[1]["aggregate"].value
    assert rows[0]["ln_score"].value == rows[0]["aggregate"].value


def test_the_ln_score_is_the_aggregate_and_its_interval_on_another_scale() -> None:
    conversations = [played(place, verdict("j", (1 + place % 5, 3, 3)), length=200) for place in range(16)]
    row = only_row(*conversations, length_median="100")
    factor = 1 - 0.07 / 2

    for part in ("value", "low", "high"):
        assert getattr(row["ln_score"], part) == getattr(row["aggregate"], part) * factor


def test_a_fixed_length_median_is_used_and_named() -> None:
    conversation = played(0, verdict("j", (4, 4, 4)), length=400)
    free, fixed = board(conversation), board(conversation, length_median="200")

    assert free.rows[0]["ln_score"].value == 4.0  # the only model is the median
    assert fixed.rows[0]["ln_score"].value == pytest.approx(4.0 * 0.965)
    assert "M = 400.0 characters, the median over this board's models." in free.notes
    assert "M = 200.0 characters, fixed by --length-median." in fixed.notes


def test_the_length_median_of_a_board_is_over_models() -> None:
    lengths = {"a": 100, "b": 600, "c": 200}  # whose mean is 300
    found = board(
        *[played(0, verdict("j", (4, 4, 4)), subject=name, length=one) for name, one in lengths.items()]
    )
    factors = {row["model"]: row["ln_score"].value / 4 for row in found.rows}

    assert "M = 200.0 characters" in found.notes[0]
    assert factors == {"a": 1.0, "c": 1.0, "b": pytest.approx(1 + 0.07 * (200 / 600 - 1))}


@pytest.mark.parametrize("median", ["0", "-1", "many", "nan", " ", "inf"])
def test_a_length_median_that_is_no_positive_number_is_a_mistake(median: str) -> None:
    with pytest.raises(Mistake, match="length_median is a whole number from 1 to 1,000,000"):
        find("role_play").settle({"length_median": median})


def test_the_length_is_the_mean_over_player_messages_and_the_users_do_not_count() -> None:
    outcome = Dialogue((Turn("u" * 999, "x" * 10), Turn("u", "x" * 30), Turn("", "")))

    assert length_of(outcome) == 40 / 3


def test_the_length_of_a_model_counts_conversations_that_no_judge_could_score() -> None:
    row = only_row(played(0, verdict("j", (4, 4, 4)), length=100), played(1, missing("j"), length=300))

    assert row["length"] == 200.0


@given(st.floats(0.1, 10_000), st.floats(0.1, 10_000))
def test_the_length_factor_costs_up_to_seven_percent_and_rewards_nobody(length: float, median: float) -> None:
    factor = length_factor(length, median)

    assert 0.93 - 1e-12 <= factor <= 1
    assert (factor == 1) == (length <= median) or math.isclose(length, median)
    assert length_factor(length * 2, median) <= factor


def test_replies_without_a_character_cost_nothing() -> None:
    assert length_factor(0.0, 100.0) == 1.0


# The same input in another order gives the same board.


@st.composite
def runs(draw: st.DrawFn) -> list[Played]:
    rng = Random(draw(st.integers(0, 10_000)))
    conversations = []
    for subject in ("a", "b", "c"):
        for place in rng.sample(range(len(SCENARIOS)), 6):
            turns = SCENARIOS[place].content["situation"]["turns"]
            verdicts = [_random_verdict(rng, judge, turns) for judge in "ijk"]
            one = played(place, *verdicts, subject=subject, length=rng.randint(50, 500))
            conversations.append(one if rng.random() < 0.9 else void(place, subject))
    return conversations


def _random_verdict(rng: Random, judge: str, turns: int) -> Verdict:
    if rng.random() < 0.1:
        return missing(judge)
    scores = [(rng.randint(1, 5), rng.randint(1, 5), rng.randint(1, 5)) for _ in range(turns)]
    return verdict(judge, *scores, refused=[0] if rng.random() < 0.1 else [])


@settings(max_examples=40, deadline=None)
@given(runs(), st.randoms(use_true_random=False))
def test_the_same_conversations_and_verdicts_in_another_order_give_the_same_board(
    conversations: list[Played], rng: Random
) -> None:
    shuffled = [
        replace(one, verdicts=tuple(rng.sample(one.verdicts, len(one.verdicts)))) for one in conversations
    ]
    rng.shuffle(shuffled)

    assert board(*shuffled) == board(*conversations)
    assert board(*shuffled).as_json() == board(*conversations).as_json()


@settings(max_examples=40, deadline=None)
@given(runs())
def test_the_board_agrees_with_the_means_taken_the_long_way(conversations: list[Played]) -> None:
    for row in board(*conversations).rows:
        mine = [one for one in conversations if one.subject == row["model"]]
        by_conversation = []
        for one in mine:
            readable = [item.data["turns"] for item in one.verdicts if item.data is not None]
            readable = [turns for turns in readable if not any(turn["is_refusal"] for turn in turns)]
            means = [
                fmean(fmean(turn[f"{name}_score"] for turn in turns) for name in CRITERIA)
                for turns in readable
            ]
            if means:
                by_conversation.append(fmean(means))
        if by_conversation:
            assert row["aggregate"].value == pytest.approx(fmean(by_conversation))
        assert row["n"] == len(by_conversation)
        assert row["void"] == sum(one.outcome is None for one in mine) / len(mine)


def test_every_cell_of_a_row_has_a_column_and_every_column_a_cell() -> None:
    found = board(played(0, verdict("j", (4, 4, 4))))

    assert {column.key for column in found.columns} == set(found.rows[0])
    assert all(column.meaning for column in found.columns)
