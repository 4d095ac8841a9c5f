"""The scores of word guessing: the formulas' values, what never guessing costs, a game worked out by hand."""

from math import log

import pytest

from interplay.benchmarks.word_guessing.protocol import PAPER
from interplay.benchmarks.word_guessing.scoring import (
    age,
    comprehension,
    confusion,
    kept_by_paper,
    points_by_rules,
    points_of,
    score,
    succeeded,
)
from tests.benchmarks.word_table import BENCHMARK, OPTIONS, duel, game_of


@pytest.mark.parametrize(
    ("found", "value"), [(1, 1.0), (2, 0.6309), (3, 0.5), (4, 0.4307), (5, 0.3869), (0, 0.0)]
)
def test_comprehension_by_the_round_of_the_first_right_guess(found: int, value: float) -> None:
    assert comprehension(found) == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize(
    ("first", "value"), [(1, 0.0), (2, 0.3869), (3, 0.6131), (4, 0.7737), (5, 0.8982), (6, 1.0)]
)
def test_confusion_by_the_first_opponent_who_finds_the_word(first: int, value: float) -> None:
    assert confusion([first, 6], 5) == pytest.approx(value, abs=5e-5)


def test_a_word_that_no_opponent_finds_gives_exactly_one_and_is_never_the_smallest() -> None:
    assert confusion([0], 5) == 1.0
    assert confusion([0, 0], 7) == 1.0
    assert confusion([0, 2], 5) == confusion([2], 5)


def test_age_is_the_harmonic_mean_and_of_nothing_it_is_nothing() -> None:
    assert age(0.0, 0.0) == 0.0
    assert age(1.0, 0.0) == 0.0
    assert age(0.5, 1.0) == pytest.approx(2 / 3)


def test_two_silent_players_do_not_beat_two_who_guess_in_round_two() -> None:
    silent, quick = duel(0, 0), duel(2, 2)
    ages = [points_of(game, game.players[0], 5).age for game in (silent, quick)]
    assert ages[0] == 0.0
    assert ages[1] == pytest.approx(0.480, abs=5e-4)


def test_everyone_guesses_in_round_one() -> None:
    game = duel(1, 1)
    for player in game.players:
        assert points_of(game, player, 5) == points_of(game, game.players[0], 5)
        assert points_of(game, player, 5).comprehension == 1.0
        assert points_of(game, player, 5).age == 0.0


def test_four_players_worked_out_by_hand() -> None:
    """Ann and Bob have bread and find cake in rounds 2 and 4; Cat finds bread in round 3, Dan never does."""
    game = game_of(
        {
            "player_a": ("ann", 0, 2),
            "player_c": ("cat", 1, 3),
            "player_b": ("bob", 0, 4),
            "player_d": ("dan", 1, 0),
        },
        rounds=5,
    )
    options = BENCHMARK.settle({"experiment": "four"})
    points = {player.model: points_of(game, player, 5) for player in game.players}
    # comprehension: 1 / log2 of 3, 5, 4; nothing. Confusion: bread is first found in round 3, cake in round 2.
    bread, cake = log(3) / log(6), log(2) / log(6)
    expected = {
        "ann": (0.6309, bread, 0.6219),
        "bob": (0.4307, bread, 0.5060),
        "cat": (0.5, cake, 0.4362),
        "dan": (0.0, cake, 0.0),
    }
    for name, (understood, confused, both) in expected.items():
        assert points[name].comprehension == pytest.approx(understood, abs=5e-5)
        assert points[name].confusion == pytest.approx(confused)
        assert points[name].age == pytest.approx(both, abs=5e-5)
    assert not succeeded(game)
    scores = {(one.name, one.model or one.source): one.value for one in score(game, (), options)}
    assert scores["age", "bob"] == pytest.approx(0.5060, abs=5e-5)
    assert scores["found", "bob"] == 4
    assert ("found", "dan") not in scores  # never is no round
    assert scores["rounds", "rule: rounds played"] == 5
    assert scores["kept", "rule: the paper's filter"] == 0


def test_the_papers_length_is_that_of_the_game() -> None:
    """The same play, found in round 3 of a game that ended there, scores .792 by the paper and .613 by us."""
    game = duel(3, 3)
    ours = points_by_rules(game, game.players[0], OPTIONS, OPTIONS["rules"])
    papers = points_by_rules(game, game.players[0], OPTIONS, PAPER)
    assert ours.confusion == pytest.approx(0.613, abs=5e-4)
    assert papers.confusion == pytest.approx(0.792, abs=5e-4)
    assert papers.comprehension == ours.comprehension


@pytest.mark.parametrize(
    ("mine", "theirs", "kept"), [(3, 3, True), (1, 3, True), (2, 2, False), (1, 2, False), (0, 3, False)]
)
def test_the_papers_filter(mine: int, theirs: int, kept: bool) -> None:
    assert kept_by_paper(duel(mine, theirs)) is kept


def test_scores_by_the_rules_of_the_run() -> None:
    game = duel(3, 3)
    for rules, value in (("interplay", 0.6131), ("paper", 0.7925)):
        scores = score(game, (), BENCHMARK.settle({"rules": rules}))
        found = next(one for one in scores if one.name == "confusion" and one.model == "model")
        assert found.value == pytest.approx(value, abs=5e-5)


def test_violations_are_a_share_of_the_players_own_clues() -> None:
    game = game_of({"player": ("model", 0, 4), "opponent": ("other", 1, 2)}, rounds=4, violations=1)
    scores = {(one.name, one.model): one.value for one in score(game, (), OPTIONS)}
    assert scores["violations", "model"] == 0.25
    assert scores["violations", "other"] == 0.0
