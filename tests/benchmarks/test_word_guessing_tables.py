"""The board of word guessing: macro averages, both rules side by side, warnings, topics, comparisons, ranking."""

from math import log
from pathlib import Path

import pytest

from interplay.benchmarks.word_guessing.other_scores import read_other_scores
from interplay.benchmarks.word_guessing.tables import summarize
from interplay.core.benchmark import Played
from interplay.core.board import Board, Cell, Estimate
from interplay.core.failures import Mistake
from tests.benchmarks.word_table import BENCHMARK, OPTIONS, duel, game_of, one_played

PAPER = BENCHMARK.settle({"rules": "paper"})


def value(cell: Cell) -> float:
    assert isinstance(cell, Estimate)
    assert cell.value is not None
    return cell.value


def row(board: Board, model: str = "model") -> dict[str, Cell]:
    return dict(next(one for one in board.rows if one["model"] == model))


def part(board: Board, title: str) -> Board:
    return next(one for one in board.parts if one.title.startswith(title))


def games(model: str, finds: list[tuple[int, int]], topics: tuple[str, ...] = ("food",)) -> list[Played]:
    """A game for each pair of first right guesses, every one with words of its own."""
    return [
        one_played(duel(mine, theirs, model=model), topics[n % len(topics)], f"bread{n}", f"cake{n}", model)
        for n, (mine, theirs) in enumerate(finds)
    ]


def test_the_average_is_over_games_then_pairs_then_topics() -> None:
    """Three games of one pair and one of another in a topic, one of a third pair in another topic."""
    ages = {
        (1, 2): 2 * 1 * log(2, 6) / (1 + log(2, 6)),
        (0, 1): 0.0,
        (2, 0): 2 * 0.6309297535714575 / 1.6309297535714575,
    }
    played = [
        one_played(duel(1, 2), repeat=0),
        one_played(duel(0, 1), repeat=1),
        one_played(duel(0, 1), repeat=2),
        one_played(duel(2, 0), "food", "fork", "spoon"),
        one_played(duel(1, 2), "travel", "train", "bus"),
    ]
    pair = ages[1, 2] / 3
    expected = ((pair + ages[2, 0]) / 2 + ages[1, 2]) / 2
    found = row(summarize(played, OPTIONS))
    assert value(found["age"]) == pytest.approx(expected)
    assert (found["n"], found["pairs"]) == (5, 3)


def test_the_age_of_means_is_another_number() -> None:
    """AGE is no linear score: quick and lost games do not make up for each other."""
    board = summarize(games("model", [(1, 2), (0, 0), (2, 3), (3, 5)]), OPTIONS)
    found = row(board)
    comprehension, confusion = value(found["comprehension"]), value(found["confusion"])
    of_means = 2 * comprehension * confusion / (comprehension + confusion)
    assert value(found["age"]) < of_means - 0.05


def test_the_best_is_first_and_equals_share_a_place() -> None:
    played = games("b", [(1, 3), (1, 3)]) + games("a", [(1, 3), (1, 3)]) + games("c", [(4, 2), (4, 2)])
    board = summarize(played, OPTIONS)
    assert [(one["model"], one["rank"]) for one in board.rows] == [("a", 1), ("b", 1), ("c", 3)]


def test_both_rules_stand_on_the_board_and_the_run_s_own_ranks() -> None:
    """By the paper, only the third game counts, and its length is its own."""
    played = games("quick", [(1, 2), (2, 2), (3, 4)]) + games("slow", [(5, 5), (0, 0), (5, 4)])
    ours, papers = summarize(played, OPTIONS), summarize(played, PAPER)
    for board in (ours, papers):
        assert value(row(board, "quick")["age"]) == value(row(ours, "quick")["age"])
        confusion = log(4, 5)
        assert value(row(board, "quick")["age_paper"]) == pytest.approx(
            2 * 0.5 * confusion / (0.5 + confusion)
        )
    assert value(row(ours, "quick")["comprehension"]) == pytest.approx((1 + 0.6309 + 0.5) / 3, abs=1e-4)
    assert value(row(papers, "quick")["comprehension"]) == pytest.approx(0.5)
    assert ours.rows[0]["model"] == "quick"
    assert [column.key for column in ours.columns][2] == "age"
    assert [column.key for column in papers.columns][2] == "age_paper"
    for board, key in ((ours, "age"), (papers, "age_paper")):
        ranked = [value(one[key]) for one in board.rows]
        assert ranked == sorted(ranked, reverse=True)


@pytest.mark.parametrize(("lost", "warned"), [(0, False), (1, False), (2, True)])
def test_a_filter_that_drops_more_than_a_tenth_is_warned_of(lost: int, warned: bool) -> None:
    board = summarize(games("model", [(3, 3)] * (10 - lost) + [(0, 3)] * lost), OPTIONS)
    found = [note for note in board.notes if note.startswith("Warning")]
    assert bool(found) is warned
    if warned:
        assert "2 of 10 games (20%)" in found[0]
    assert row(board)["kept"] == pytest.approx(1 - lost / 10)
    assert value(row(board)["success"]) == pytest.approx(1 - lost / 10)


def test_void_games_are_a_share_and_never_a_zero() -> None:
    played = [*games("model", [(1, 3), (1, 3), (1, 3)]), one_played(None, "food", "fork", "spoon")]
    found = row(summarize(played, OPTIONS))
    assert (found["n"], found["unscored"]) == (3, 0.25)
    assert value(found["comprehension"]) == 1.0


def test_a_model_without_a_finished_game_has_no_score_and_no_rank() -> None:
    played = [one_played(None, subject="broken"), *games("model", [(1, 3), (2, 2)])]
    board = summarize(played, OPTIONS)
    found = row(board, "broken")
    assert (found["rank"], found["n"], found["unscored"], found["rounds"]) == (None, 0, 1.0, None)
    assert board.rows[-1]["model"] == "broken"


def test_violations_of_the_model_s_own_seats() -> None:
    game = game_of({"player": ("model", 0, 4), "opponent": ("other", 1, 2)}, rounds=4, violations=1)
    assert row(summarize([one_played(game)], OPTIONS))["violations"] == 0.25


def test_topics_have_a_shaded_table_in_the_order_of_the_board() -> None:
    topics = ("food", "travel")
    played = games("weak", [(5, 2), (5, 2), (4, 2), (4, 2)], topics) + games(
        "strong", [(1, 4), (2, 4), (1, 4), (1, 5)], topics
    )
    board = summarize(played, OPTIONS)
    heat = part(board, "AGE by model and topic")
    assert [column.key for column in heat.columns] == ["model", "topic food", "topic travel"]
    assert [column.heat for column in heat.columns] == [False, True, True]
    assert [one["model"] for one in heat.rows] == ["strong", "weak"]
    strong = [one for one in played if one.subject == "strong"]
    alone = summarize([one for one in strong if one.scenario.content["topic"] == "food"], OPTIONS)
    assert heat.rows[0]["topic food"] == value(row(alone, "strong")["age"])
    assert not any(one.title.startswith("AGE by") for one in alone.parts)


def test_two_models_are_compared_on_the_word_pairs_that_both_played() -> None:
    strong = games("strong", [(1, 4)] * 12 + [(2, 3)] * 12)
    weak = games("weak", [(4, 2)] * 10 + [(5, 2)] * 10)
    table = part(summarize(strong + weak, OPTIONS), "Two models")
    (found,) = table.rows
    assert found["models"] == "strong v weak"
    assert found["pairs"] == 20
    difference = found["difference"]
    assert isinstance(difference, Estimate)
    assert difference.low is not None
    assert 0.1 < difference.low < value(difference) < 0.6
    assert found["p"] == found["p_holm"] < 0.001  # type: ignore[operator]
    assert isinstance(found["p_t"], float)


def test_many_comparisons_are_corrected() -> None:
    played = [
        one
        for number, model in enumerate("abcd")
        for one in games(model, [(1 + (n * (number + 3)) % 5, 1 + (n * 7) % 5) for n in range(20)])
    ]
    table = part(summarize(played, OPTIONS), "Two models")
    assert len(table.rows) == 6
    for one in table.rows:
        assert isinstance(one["p"], float)
        assert isinstance(one["p_holm"], float)
        assert one["p"] <= one["p_holm"] <= 1
    assert max(float(str(one["p_holm"])) / float(str(one["p"])) for one in table.rows) > 1.5


def test_the_ranking_of_games_of_one_against_one() -> None:
    played = games("strong", [(1, 4)] * 8 + [(2, 2)] * 2) + games(
        "weak", [(4, 1)] * 6 + [(1, 4)] * 2 + [(0, 0)] * 2
    )
    ranking = part(summarize(played, OPTIONS), "Ranking of games")
    assert [one["model"] for one in ranking.rows] == ["strong", "other", "weak"]
    tally = {one["model"]: (one["won"], one["drawn"], one["lost"]) for one in ranking.rows}
    assert tally == {"strong": (8, 2, 0), "weak": (2, 2, 6), "other": (6, 4, 10)}


def test_who_finds_the_word_in_the_last_round_beats_one_who_never_does() -> None:
    last = int(OPTIONS["rounds"])
    ranking = part(summarize(games("model", [(last, 0), (last, 0), (0, last)]), OPTIONS), "Ranking of games")
    tally = {one["model"]: (one["won"], one["drawn"], one["lost"]) for one in ranking.rows}
    assert tally == {"model": (2, 0, 1), "other": (1, 0, 2)}
    assert sum(value(one["strength"]) for one in ranking.rows) == pytest.approx(0, abs=1e-6)


def test_a_table_of_four_has_no_such_ranking_and_says_that_confusion_is_shared() -> None:
    options = BENCHMARK.settle({"experiment": "four"})
    cast = {f"player_{letter}": model for letter, model in zip("abcd", ("a", "b", "c", "d"), strict=True)}
    game = game_of({seat: (model, n % 2, n + 1) for n, (seat, model) in enumerate(cast.items())}, 4)
    base = one_played(game)
    board = summarize([Played(base.scenario, "a + b + c + d", 0, outcome=game, cast=cast)], options)
    assert [one["model"] for one in board.rows] and {one["model"] for one in board.rows} == {
        "a",
        "b",
        "c",
        "d",
    }
    assert not any(one.title.startswith("Ranking") for one in board.parts)
    assert any("score of a group" in note for note in board.notes)


def test_other_scores_are_correlated_with_age(tmp_path: Path) -> None:
    file = tmp_path / "other.csv"
    file.write_text("model,mmlu,gsm8k\nstrong,90,80\nmiddle,70,\nweak,50,40\nabsent,10,10\n")
    options = BENCHMARK.settle({"other_scores": read_other_scores(str(file))})
    played = (
        games("strong", [(1, 5)] * 3)
        + games("middle", [(2, 3)] * 3)
        + games("weak", [(5, 2)] * 3)
        + games("new", [(1, 1)] * 3)
    )
    table = part(summarize(played, options), "AGE and other scores")
    found = {one["score"]: one for one in table.rows}
    assert list(found) == ["gsm8k", "mmlu", "mean of these"]
    assert [one["n"] for one in found.values()] == [2, 3, 2]
    assert value(found["mmlu"]["spearman"]) == pytest.approx(1)
    assert any("no score of new" in note for note in table.notes)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name,mmlu\na,1\n", "the first line is model"),
        ("model\na\n", "the first line is model"),
        ("model,mmlu\na,high\n", "line 2: mmlu must be a number of at most 1e+09, not 'high'"),
        ("model,mmlu\na,nan\n", "must be a number"),
        ('model,mmlu\n"a,1\n', "is no CSV"),
        ("model,mmlu\na,1e308\n", "at most 1e+09"),
        ("model,mmlu\na,1\na,2\n", "line 3: 'a' is there already"),
        ("model,mmlu,mmlu\na,1,2\n", "two columns have the same name"),
    ],
)
def test_mistakes_in_a_table_of_other_scores(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "other.csv"
    file.write_text(text)
    with pytest.raises(Mistake) as caught:
        read_other_scores(str(file))
    assert complaint in str(caught.value)
    with pytest.raises(Mistake, match="cannot be read"):
        read_other_scores(str(tmp_path / "none.csv"))


def test_the_same_games_give_the_same_board() -> None:
    played = games("a", [(1, 4), (2, 3), (3, 3)] * 5) + games("b", [(2, 4), (2, 2), (5, 3)] * 5)
    assert summarize(played, OPTIONS) == summarize(list(reversed(played)), OPTIONS)


def test_a_topic_may_have_any_name() -> None:
    board = summarize(games("strong", [(1, 4), (2, 4)], ("model", "food")), OPTIONS)
    heat = part(board, "AGE by model and topic")
    assert heat.rows[0]["model"] == "strong"
    assert [column.title for column in heat.columns] == ["model", "food", "model"]


def test_the_better_one_is_first_in_every_comparison() -> None:
    """By all games a is ahead, on the pairs that both played b is."""
    both = [(3, 3), (2, 4), (3, 4), (2, 3), (3, 5)]
    played = games("b", both) + games("a", [(4, 3), (3, 2), (5, 3), (4, 2), (5, 4)] + [(1, 0)] * 20)
    board = summarize(played, OPTIONS)
    assert [one["model"] for one in board.rows] == ["a", "b"]
    (found,) = part(board, "Two models").rows
    assert found["models"] == "b v a"
    difference = found["difference"]
    assert isinstance(difference, Estimate)
    assert difference.low is not None
    assert difference.high is not None
    assert difference.low < value(difference) < difference.high
    assert value(difference) > 0


def test_who_made_a_game_void_is_named() -> None:
    cast = {"player_a": "openai/fine", "player_b": "openai/broken", "player_c": "openai/other"}
    base = one_played(None)
    void = Played(base.scenario, "all", 0, failure="unreadable", detail="player_b: no JSON", cast=cast)
    lost = Played(base.scenario, "all", 1, failure="provider failure", detail="timeout: slow", cast=cast)
    notes = summarize([void, lost], BENCHMARK.settle({"experiment": "table", "split": "1-2"})).notes
    assert any("by its model: openai/broken 1." in note for note in notes)
