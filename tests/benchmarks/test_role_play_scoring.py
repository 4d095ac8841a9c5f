"""Scores of role play: means, refusals, missing judges, the board, and the numbers that the paper printed."""

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.benchmarks import find
from interplay.benchmarks.role_play.protocol import Dialogue, Turn
from interplay.benchmarks.role_play.scenarios import scenarios
from interplay.benchmarks.role_play.scoring import (
    length_factor,
    length_normalised,
    length_of,
    score,
    summarize,
)
from interplay.core.benchmark import Played, Verdict
from interplay.core.board import Board, Estimate
from interplay.core.failures import Mistake

OPTIONS = find("role_play").settle({})
SCENARIOS = scenarios(OPTIONS)
CRITERIA = ("in_character", "entertaining", "fluency")
Scores = tuple[int, int, int]


def verdict(judge: str, *turns: Scores, refused: Sequence[int] = ()) -> Verdict:
    """A verdict with these scores, in the order of the criteria, for each turn."""
    entries: list[dict[str, Any]] = []
    for number, scores in enumerate(turns):
        entry: dict[str, Any] = {"is_refusal_explanation": "", "is_refusal": number in refused}
        for name, value in zip(CRITERIA, scores, strict=True):
            entry |= {f"{name}_explanation": "", f"{name}_score": value}
        entries.append(entry)
    return Verdict(judge, "rubric", {"turns": entries})


def missing(judge: str) -> Verdict:
    return Verdict(judge, "rubric", None, "judge error", "no JSON")


def dialogue(*lengths: int) -> Dialogue:
    return Dialogue(tuple(Turn("hi", "x" * length) for length in lengths))


def played(place: int, *verdicts: Verdict, subject: str = "m", length: int = 100, repeat: int = 0) -> Played:
    return Played(SCENARIOS[place], subject, repeat, dialogue(length, length), verdicts=verdicts)


def void(place: int, subject: str = "m") -> Played:
    return Played(SCENARIOS[place], subject, 0, None, failure="simulator error")


def board(*conversations: Played, **options: str) -> Board:
    return summarize(conversations, OPTIONS | options)


def only_row(*conversations: Played, **options: str) -> dict[str, Any]:
    (row,) = board(*conversations, **options).rows
    return dict(row)


def by_name(conversation: Played) -> dict[tuple[str, str], float]:
    return {(one.name, one.source): one.value for one in score(conversation.outcome, conversation.verdicts)}


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
    lengths = {"a": 100, "b": 300, "c": 200}
    found = board(
        *[played(0, verdict("j", (4, 4, 4)), subject=name, length=one) for name, one in lengths.items()]
    )
    factors = {row["model"]: row["ln_score"].value / 4 for row in found.rows}

    assert "M = 200.0 characters" in found.notes[0]
    assert factors == {"a": 1.0, "c": 1.0, "b": pytest.approx(1 + 0.07 * (200 / 300 - 1))}


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


# The paper's Tables 3 and 4, version 2: LN score, aggregate, in character, fluency, entertaining, length.

RUSSIAN = {
    "Claude 3.5 Sonnet": (4.63, 4.68, 4.80, 4.80, 4.44, 388),
    "Gemini Pro 1.5": (4.49, 4.49, 4.60, 4.75, 4.13, 213),
    "GPT-4o Mini": (4.49, 4.49, 4.62, 4.82, 4.04, 329),
    "GPT-4o": (4.47, 4.47, 4.61, 4.82, 3.99, 301),
    "Gemma 2 Ataraxy 9b": (4.45, 4.45, 4.61, 4.53, 4.21, 302),
    "Claude 3 Opus": (4.44, 4.62, 4.72, 4.67, 4.48, 753),
    "Nous Hermes 3 405b": (4.44, 4.44, 4.53, 4.74, 4.05, 286),
    "Llama 3.1 405b": (4.42, 4.54, 4.66, 4.69, 4.26, 536),
    "Gemma 2 27b": (4.41, 4.41, 4.63, 4.73, 3.88, 210),
    "Command R+ 104b": (4.38, 4.47, 4.52, 4.73, 4.16, 470),
}
ENGLISH = {
    "Claude 3.5 Sonnet": (4.65, 4.65, 4.74, 4.93, 4.29, 418),
    "Llama 3.1 405b": (4.61, 4.65, 4.68, 4.93, 4.35, 548),
    "Llama 3.1 70b": (4.61, 4.66, 4.71, 4.93, 4.33, 562),
    "GPT-4o Mini": (4.56, 4.56, 4.60, 4.94, 4.13, 457),
    "Claude 3 Opus": (4.53, 4.71, 4.75, 4.92, 4.46, 1032),
    "Gemma 2 Ataraxy 9b": (4.52, 4.52, 4.60, 4.79, 4.17, 358),
    "Gemma 2 27b": (4.51, 4.51, 4.56, 4.92, 4.06, 291),
    "GPT-4o": (4.50, 4.50, 4.56, 4.94, 4.02, 484),
    "Gemini Pro 1.5": (4.50, 4.50, 4.54, 4.88, 4.07, 265),
    "Euryale 70b v2.2": (4.48, 4.48, 4.48, 4.88, 4.08, 384),
}
PRINTED = [("Russian", 331, name, row) for name, row in RUSSIAN.items()]
PRINTED += [("English", 479, name, row) for name, row in ENGLISH.items()]
ROUNDING = 0.0101  # of the printed inputs
Row = tuple[float, float, float, float, float, float]


def one_conversation_with(in_character: float, entertaining: float, fluency: float) -> Played:
    """A conversation of a hundred turns whose mean scores are these."""

    def turns(mean: float) -> list[int]:
        fours = round(100 * (5 - mean))
        return (
            [4] * fours + [5] * (100 - fours) if fours <= 100 else [3] * (fours - 100) + [4] * (200 - fours)
        )

    return played(
        0, verdict("j", *zip(turns(in_character), turns(entertaining), turns(fluency), strict=True))
    )


@pytest.mark.parametrize(("language", "median", "name", "row"), PRINTED)
def test_the_aggregate_of_the_printed_criteria_is_the_printed_aggregate(
    language: str, median: int, name: str, row: Row
) -> None:
    _, aggregate, in_character, fluency, entertaining, _ = row
    found = only_row(one_conversation_with(in_character, entertaining, fluency))

    assert found["in_character"].value == pytest.approx(in_character)
    assert found["aggregate"].value == pytest.approx(aggregate, abs=ROUNDING)


@pytest.mark.parametrize(("language", "median", "name", "row"), PRINTED)
def test_the_printed_ln_score_follows_from_the_printed_aggregate_and_length(
    language: str, median: int, name: str, row: Row
) -> None:
    ln_score, aggregate, *_, length = row

    assert length_normalised(aggregate, length, median) == pytest.approx(ln_score, abs=ROUNDING)


@pytest.mark.parametrize("table", [RUSSIAN, ENGLISH], ids=["Russian", "English"])
def test_the_medians_of_the_other_language_would_not_give_the_printed_scores(table: dict[str, Row]) -> None:
    wrong = 479 if table is RUSSIAN else 331
    off = [abs(length_normalised(row[1], row[5], wrong) - row[0]) > ROUNDING for row in table.values()]

    assert any(off)
