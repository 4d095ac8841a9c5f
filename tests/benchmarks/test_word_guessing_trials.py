"""Trials of word guessing: what they play, and that their errors are as large as numbers really scatter."""

from collections.abc import Mapping, Sequence
from math import log, log2, sqrt
from random import Random
from statistics import fmean, pstdev

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.word_guessing.bots import chances, comprehension, moments
from interplay.benchmarks.word_guessing.protocol import Game, Player, Round
from interplay.benchmarks.word_guessing.trials import ROUNDS, TRIALS, guessers
from interplay.benchmarks.word_guessing.words import GENERAL, TOPICS
from interplay.core.benchmark import Played, Scenario
from interplay.core.board import Board, Cell
from interplay.core.trials import Finding, Trial

AGE = find("word_guessing")
HAZARDS = (0.1, 0.3, 0.6, 0.9)


def scenarios_of(trial: Trial) -> Sequence[Scenario]:
    options = AGE.settle(AGE.read(trial.options))
    return AGE.scenarios(options, None).scenarios[: trial.limit]


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_no_two_games_of_a_model_share_a_word(trial: Trial) -> None:
    played = scenarios_of(trial)
    assert len(played) == trial.limit
    words = [one.content[side]["text"] for one in played for side in "ab"]
    assert len(set(words)) == len(words)
    assert {one.content["topic"] for one in played} == {GENERAL, *TOPICS}
    assert {*trial.models, *(name for names in trial.roles.values() for name in names)} == set(
        trial.scripts(0)
    )
    assert not set(trial.order) - set(trial.models)


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_a_board_without_models_recovers_nothing(trial: Trial) -> None:
    findings = trial.findings(Board("empty", (), ()), [])
    assert findings
    assert not any(finding.passed for finding in findings)


# A table of four, played without the product


def cast_of(trial: Trial) -> dict[str, str]:
    """Who sits where: in the order of the names, as runs have it."""
    return dict(zip(("player_a", "player_b", "player_c", "player_d"), sorted(trial.models), strict=True))


def game_of(scenario: Scenario, cast: Mapping[str, str], rng: Random) -> Game:
    """A game by chance alone."""
    players = []
    for place, ((seat, model), hazard) in enumerate(zip(cast.items(), HAZARDS, strict=True), 1):
        found = next((number for number in range(1, ROUNDS + 1) if rng.random() < hazard), 0)
        group = 0 if place in scenario.content["with_a"] else 1
        players.append(Player(seat, seat, seat, model, group, "", found))
    finds = [player.found for player in players]
    rounds = max(finds) if all(finds) else ROUNDS
    return Game(tuple(players), (Round((), ()),) * rounds)


def macro(values: Sequence[tuple[str, float]]) -> float | None:
    """The mean of the topics' means."""
    topics: dict[str, list[float]] = {}
    for topic, value in values:
        topics.setdefault(topic, []).append(value)
    return fmean(fmean(each) for each in topics.values()) if topics else None


def row_of(model: str, games: Sequence[tuple[str, Game]]) -> dict[str, Cell]:
    """A model's row of the board, worked out once more."""
    scores: dict[str, list[tuple[str, float]]] = {key: [] for key in ("comprehension", "confusion", "age")}
    kept = []
    for topic, game in games:
        me = next(player for player in game.players if player.model == model)
        first = min(other.found or ROUNDS + 1 for other in game.players if other.group != me.group)
        understood = 1 / log2(me.found + 1) if me.found else 0.0
        confused = log(first) / log(ROUNDS + 1)
        both = 2 * understood * confused / (understood + confused) if understood + confused else 0.0
        for key, value in zip(scores, (understood, confused, both), strict=True):
            scores[key].append((topic, value))
        if all(player.found for player in game.players) and len(game.rounds) > 2:
            kept.append((topic, understood))
    success = sum(all(player.found for player in game.players) for _, game in games) / len(games)
    return {
        "model": model,
        **{key: macro(values) for key, values in scores.items()},
        "success": success,
        "kept": len(kept) / len(games),
        "comprehension_kept": macro(kept),
        "n": len(games),
    }


def found_by_chance(trial: Trial, scenarios: Sequence[Scenario], seed: int) -> Sequence[Finding]:
    rng, cast = Random(seed), cast_of(trial)
    games = [(str(one.content["topic"]), game_of(one, cast, rng)) for one in scenarios]
    rows = tuple(row_of(model, games) for model in trial.models)
    warning = "Warning: the paper's filter would drop some"
    played = [
        Played(scenario, "all", 0, game, cast=cast)
        for scenario, (_, game) in zip(scenarios, games, strict=True)
    ]
    return trial.findings(Board("by chance", (), rows, (warning,)), played)


def test_errors_are_as_large_as_numbers_really_scatter() -> None:
    """Over many boards the distances from what is planted have mean 0 and standard deviation 1."""
    trial = guessers("far apart", "", HAZARDS, filtered=True, games=60)
    scenarios, boards = scenarios_of(trial), 300
    found = [found_by_chance(trial, scenarios, seed) for seed in range(boards)]
    for each in zip(*found, strict=True):
        if not each[0].error:
            assert all(finding.passed for finding in each)
            continue
        apart = [(one.recovered - one.planted) / one.error for one in each if one.recovered is not None]
        assert len(apart) == boards
        assert abs(fmean(apart)) < 4 / sqrt(boards), each[0].what
        assert 0.85 < pstdev(apart) < 1.15, each[0].what
    assert sum(finding.passed for each in found for finding in each) > 0.999 * boards * len(found[0])


def test_a_game_weighs_less_in_a_topic_of_many() -> None:
    trial = guessers("far apart", "", HAZARDS, filtered=False, games=4)
    by_topic: dict[str, list[Scenario]] = {}
    for scenario in AGE.scenarios(AGE.settle(AGE.read(trial.options)), None).scenarios[:60]:
        by_topic.setdefault(str(scenario.content["topic"]), []).append(scenario)
    chosen = [*by_topic["food"][:3], by_topic["sports"][0]]
    found = {one.what: one for one in found_by_chance(trial, chosen, 0)}
    alone = moments([chances(0.3, ROUNDS)], lambda finds: comprehension(finds[0]))
    assert found["guesser-30: comprehension"].planted == pytest.approx(alone.mean)
    assert found["guesser-30: comprehension"].error == pytest.approx(
        alone.deviation * sqrt(3 * (1 / 6) ** 2 + (1 / 2) ** 2)
    )
