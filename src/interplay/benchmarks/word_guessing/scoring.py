"""Scores of word guessing: what a player understood, how long it confused the others, and both together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log, log2

from interplay.benchmarks.word_guessing.protocol import PAPER, Game, Player
from interplay.benchmarks.word_guessing.scenarios import FEWEST_BY_PAPER
from interplay.core.benchmark import Options, Scenario, Score, Verdict
from interplay.core.measures import Measure, Scale


@dataclass(frozen=True)
class Points:
    """What one player's game comes to."""

    comprehension: float
    confusion: float
    age: float


def comprehension(found: int) -> float:
    """1 / log2(f + 1) for a word that was found in round f; 0 for one that never was."""
    # Paper §3.3: f is undefined for a player who never guesses; we give it 0, not the f after the last round,
    # because two silent players would then beat two who guess in round 2.
    return 1 / log2(found + 1) if found else 0.0


def confusion(found_by_opponents: Sequence[int], rounds: int) -> float:
    """Log to the base l + 1 of the first round in which an opponent found the word; 1 if none ever did."""
    first = min((found for found in found_by_opponents if found), default=rounds + 1)
    return log(first) / log(rounds + 1)


def age(comprehension: float, confusion: float) -> float:
    """The harmonic mean of the two; of nothing and nothing it is nothing."""
    total = comprehension + confusion
    return 2 * comprehension * confusion / total if total else 0.0


def points_of(game: Game, player: Player, rounds: int) -> Points:
    """A player's points; its confusion is its group's, because the first opponent who finds the word ends it."""
    opponents = [other.found for other in game.players if other.group != player.group]
    understood, confused = comprehension(player.found), confusion(opponents, rounds)
    return Points(understood, confused, age(understood, confused))


def points_by_rules(game: Game, player: Player, options: Options, rules: str) -> Points:
    # Paper §3.3: l is "the length of the AGE"; we take the configured maximum, because the length of a game
    # that ends early makes the same play score more.
    return points_of(game, player, len(game.rounds) if rules == PAPER else int(options["rounds"]))


def succeeded(game: Game) -> bool:
    """Did every player find the other group's word?"""
    return all(player.found for player in game.players)


def kept_by_paper(game: Game) -> bool:
    """Would the paper's filter keep this game: more than two rounds, every word found?"""
    return len(game.rounds) >= FEWEST_BY_PAPER and succeeded(game)


def violations(game: Game, player: Player) -> Iterator[bool]:
    """For each of the player's clues, whether it broke a rule, second try and all."""
    for round_ in game.rounds:
        for clue in round_.clues:
            if clue.seat == player.seat:
                yield clue.said_word or clue.repeated


def measures(options: Options) -> tuple[Measure, ...]:
    share = Scale(0, 1, whole=False)
    return (
        Measure("age", "harmonic mean of comprehension and confusion", share, "rule"),
        Measure("comprehension", "how early a player found the others' word", share, "rule"),
        Measure("confusion", "how late an opponent found a player's word", share, "rule"),
        Measure("violations", "share of clues that broke a rule", share, "rule", less_is_better=True),
    )


def ways(scenario: Scenario) -> tuple[str]:
    """Games with the same two words may depend on each other, whoever has which."""
    content = scenario.content
    return (f"{content['topic']}: {content['a']['text']} / {content['b']['text']}",)


def score(outcome: Game, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """The scores of every player in one game, by the rules of the run."""
    found = []
    for player in outcome.players:
        points = points_by_rules(outcome, player, options, options["rules"])
        broken = list(violations(outcome, player))
        scores = {
            "comprehension": points.comprehension,
            "confusion": points.confusion,
            "age": points.age,
            "violations": sum(broken) / len(broken),
        }
        if player.found:  # never is no round
            scores["found"] = float(player.found)
        found += [Score(name, value, f"rule: {player.seat}", player.model) for name, value in scores.items()]
    found.append(Score("rounds", float(len(outcome.rounds)), "rule: rounds played"))
    found.append(Score("success", float(succeeded(outcome)), "rule: every word found"))
    found.append(Score("kept", float(kept_by_paper(outcome)), "rule: the paper's filter"))
    return found
