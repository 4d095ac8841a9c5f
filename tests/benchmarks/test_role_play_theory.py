"""What theory expects of planted habits: the chances add up, small cases by hand, and errors as numbers scatter."""

from math import fsum, sqrt
from random import Random
from statistics import fmean, pstdev

import pytest

from interplay.benchmarks.role_play.bots import (
    BROKEN,
    DULL,
    EVADING,
    EXCUSING,
    FAULTS,
    LONG,
    OUT,
    REFUSING,
    WORDS,
    Judge,
    Player,
    User,
)
from interplay.benchmarks.role_play.protocol import Dialogue, Turn
from interplay.benchmarks.role_play.theory import fates, mean_over, refusal_of, score_of
from interplay.benchmarks.role_play.trials import Cast, expected
from interplay.core.benchmark import Played, Scenario, Verdict
from interplay.core.trials import Finding
from tests.benchmarks.stage import BENCHMARK, OPTIONS, SCENARIOS

COSTS = {"in_character": 2, "entertaining": 1, "fluency": 3}
MILD = Judge("mild", 5, COSTS, (REFUSING, EXCUSING), 0.1)
STERN = Judge("stern", 4, {"in_character": 3, "entertaining": 2, "fluency": 1}, (REFUSING, EVADING), 0.2)
PLAYER = Player({OUT: 0.4, DULL: 0.3, BROKEN: 0.2, LONG: 0.3, REFUSING: 0.04, EVADING: 0.05, EXCUSING: 0.06})


def test_the_chances_of_all_fates_add_up() -> None:
    found = list(fates(PLAYER, (MILD, STERN), 4))
    assert fsum(fate.chance for fate in found) == pytest.approx(1)
    silent = fsum(fate.chance for fate in found if not fate.gave)
    assert silent == pytest.approx(0.1 * 0.2)
    both = fsum(fate.chance for fate in found if len(fate.scored) == 2)
    assert both == pytest.approx(0.9 * 0.8 * (0.96 * 0.95 * 0.94) ** 4)
    by_mild = fsum(fate.chance for fate in found if MILD in fate.scored)
    assert by_mild == pytest.approx(0.9 * (0.96 * 0.94) ** 4)


def test_one_judge_who_never_fails_by_hand() -> None:
    judge, player = Judge("one", 5, COSTS), Player({OUT: 0.25, REFUSING: 0.5})
    conversations = [list(fates(player, (judge,), turns)) for turns in (1, 1)]
    mean, error = mean_over(conversations, lambda fate: score_of(fate, player, ["in_character"]))
    assert mean == pytest.approx(5 - 2 * 0.25)
    # Half of the conversations are scored: each has a variance of 4 x .25 x .75, and the sum is over two.
    assert error == pytest.approx(sqrt(2 * 0.5 * 4 * 0.25 * 0.75) / (2 * 0.5))
    aggregate, _ = mean_over(conversations, lambda fate: score_of(fate, player, [*FAULTS]))
    assert aggregate == pytest.approx(5 - 2 * 0.25 / 3)
    assert mean_over(conversations, refusal_of) == pytest.approx((0.5, sqrt(0.25 / 2)))


def test_nothing_is_expected_of_nothing() -> None:
    assert [value != value for value in mean_over([], refusal_of)] == [True, True]


# Boards by chance alone, without bots or endpoints


def by_chance(rng: Random, scenario: Scenario) -> Played:
    turns = []
    for _ in range(scenario.content["situation"]["turns"]):
        habits = [WORDS[habit] for habit, rate in PLAYER.rates.items() if rng.random() < rate]
        turns.append(Turn("Well?", " ".join([f"I am at number {rng.randrange(10**8):08}.", *habits])))
    verdicts = []
    for judge in (MILD, STERN):
        entries = [judge.entry(turn.player) for turn in turns]
        given = None if judge.is_silent(turns[0].player) else {"turns": entries}
        verdicts.append(Verdict(judge.name, "v2", given))
    return Played(scenario, "openai/one", 0, Dialogue(tuple(turns)), verdicts=tuple(verdicts))


def found_by_chance(seed: int) -> list[Finding]:
    rng, cast = Random(seed), Cast({"openai/one": PLAYER}, (MILD, STERN), User())
    played = [by_chance(rng, scenario) for scenario in SCENARIOS[:24]]
    return expected(cast, BENCHMARK.summarize(played, OPTIONS), played, "openai/one")


def test_errors_are_as_large_as_numbers_really_scatter() -> None:
    """Over many boards the distances from what is planted have mean 0 and standard deviation 1."""
    boards = 240
    found = [found_by_chance(seed) for seed in range(boards)]
    assert len(found[0]) == 7
    for each in zip(*found, strict=True):
        apart = [(one.recovered - one.planted) / one.error for one in each if one.recovered is not None]
        assert len(apart) == boards
        assert abs(fmean(apart)) < 4 / sqrt(boards), each[0].what
        assert 0.85 < pstdev(apart) < 1.15, each[0].what
