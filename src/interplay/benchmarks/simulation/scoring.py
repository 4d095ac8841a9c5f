"""Scores of the evaluation: ratings by type of script and kind of task, hard and all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from interplay.benchmarks.simulation.evaluation import Answer
from interplay.benchmarks.simulation.scripts import FIRST_CHAN, HARD, LAST_ONLY, SUBSEQ_CHAN
from interplay.benchmarks.simulation.tasks import STATEFUL, STATELESS
from interplay.core.benchmark import Options, Played, Scenario, Score, Verdict
from interplay.core.board import Estimate
from interplay.core.measures import Measure, Scale
from interplay.statistics.intervals import clustered_mean

Content = Mapping[str, Any]
FULL_MARKS = 10.0

# What each column of the board is a mean over. Stateless and stateful are compared on first challenging turns
# alone, so that the type of script makes no difference between them.
SETS: dict[str, Callable[[Content], bool]] = {
    "all": lambda script: True,
    "hard": lambda script: script["type"] in HARD,
    "last_only": lambda script: script["type"] == LAST_ONLY,
    "first_chan": lambda script: script["type"] == FIRST_CHAN,
    "subseq_chan": lambda script: script["type"] == SUBSEQ_CHAN,
    "stateless": lambda script: script["type"] == FIRST_CHAN and script["kind"] == STATELESS,
    "stateful": lambda script: script["type"] == FIRST_CHAN and script["kind"] == STATEFUL,
}


def measures(options: Options) -> tuple[Measure, ...]:
    return (Measure("rating", "how good the answer is", Scale(1, FULL_MARKS)),)


def ways(scenario: Scenario) -> tuple[str]:
    """Answers to scripts of one task may depend on each other."""
    return (scenario.content["task"],)


@dataclass(frozen=True)
class Rated:
    """One answer with the panel's mean rating."""

    model: str
    script: Content
    scenario: str  # its id
    repeat: int
    rating: float


def score(outcome: Answer, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """The ratings of one answer, judge by judge, and whether it was empty."""
    found = [Score("empty", float(not outcome.text), "rule: an answer without text")]
    found += [
        Score("rating", float(one.data["rating"]), one.judge) for one in verdicts if one.data is not None
    ]
    return found


def rated_of(played: Sequence[Played]) -> list[Rated]:
    """Every answer that at least one judge rated."""
    found = []
    for one in played:
        ratings = [float(verdict.data["rating"]) for verdict in one.verdicts if verdict.data is not None]
        if one.outcome is not None and ratings:
            panel = fsum(ratings) / len(ratings)
            found.append(Rated(one.subject, one.scenario.content, one.scenario.id, one.repeat, panel))
    return found


def mean_over(rated: Sequence[Rated], name: str) -> Estimate:
    """The mean rating over one of the sets, clustered by task."""
    chosen = [one for one in rated if SETS[name](one.script)]
    return clustered_mean([one.rating for one in chosen], [one.script["task"] for one in chosen])


def without_perfect(rated: Sequence[Rated]) -> tuple[list[Rated], int]:
    """The answers without scripts on which every model got full marks, and how many such scripts there are."""
    models = {one.model for one in rated}
    by_script: dict[str, list[Rated]] = {}
    for one in rated:
        by_script.setdefault(one.scenario, []).append(one)
    perfect = {
        script
        for script, mine in by_script.items()
        if min(one.rating for one in mine) >= FULL_MARKS and {one.model for one in mine} == models
    }
    return [one for one in rated if one.scenario not in perfect], len(perfect)
