"""Trials of simulation: simulators that err at a planted rate on each type of script, and a judge that sees it."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import sqrt
from random import Random

from interplay.benchmarks.simulation.judges import JUDGE
from interplay.benchmarks.simulation.scenarios import shipped
from interplay.benchmarks.simulation.scoring import SETS
from interplay.benchmarks.simulation.scripts import FIRST_CHAN, LAST_ONLY, SUBSEQ_CHAN
from interplay.core.benchmark import Played
from interplay.core.board import Board
from interplay.core.trials import Finding, Trial, number_on
from interplay.core.wire import digest_of
from interplay.models.loopback import Asked

RIGHT, WRONG = "As it should be.", "As it should not be."
GOOD, BAD = 9, 3  # what the judge gives for them
REPEATS = 4
JUDGE_BOT = "openai/seeing-judge"
Rates = Mapping[str, float]
SIMULATORS: dict[str, Rates] = {
    "openai/steady": {LAST_ONLY: 0.05, FIRST_CHAN: 0.2, SUBSEQ_CHAN: 0.35},
    "openai/shaky": {LAST_ONLY: 0.3, FIRST_CHAN: 0.6, SUBSEQ_CHAN: 0.8},
}


def simulator(rates: Rates, seed: int) -> Callable[[Asked], str]:
    """Errs at the rate of the script's type, which it knows by the messages of the scripts that ship.

    Every repeat of a script is drawn anew: the endpoint counts how often it was asked.
    """
    asked_before: dict[str, int] = {}

    def answer(asked: Asked) -> str:
        told = digest_of([[message["role"], message["content"]] for message in asked.messages])
        number = asked_before[told] = asked_before.get(told, 0) + 1
        drawn = Random(digest_of([seed, asked.model, told, number])).random()  # noqa: S311  # plays, guards nothing
        return WRONG if drawn < rates[_types()[told]] else RIGHT

    return answer


@cache
def _types() -> dict[str, str]:
    """The types of the scripts that ship, by the digest of what a model is sent."""
    found = {}
    for script in shipped():
        told = [
            part for turn in script.history for part in (["user", turn.request], ["assistant", turn.answer])
        ]
        found[digest_of([*told, ["user", script.request]])] = script.type
    return found


def judge(asked: Asked) -> str:
    """Sees whether the answer is as it should be, and nothing else."""
    answer = str(asked.messages[-1]["content"]).rpartition("The answer to judge:")[2]
    rating = GOOD if RIGHT in answer else BAD
    return json.dumps({"explanation": "This is what I saw.", "rating": rating})


def scripts(seed: int) -> dict[str, Callable[[Asked], str]]:
    return {**{name: simulator(rates, seed) for name, rates in SIMULATORS.items()}, JUDGE_BOT: judge}


def findings(board: Board, played: Sequence[Played]) -> list[Finding]:
    """The mean rating of every set of scripts: 9 less 6 times the rate of errors, over the types in the set."""
    found = []
    for model, rates in SIMULATORS.items():
        mine = [one.scenario.content for one in played if one.subject == model]
        for name, holds in SETS.items():
            errors = [rates[content["type"]] for content in mine if holds(content)]
            planted = GOOD - (GOOD - BAD) * sum(errors) / len(errors)
            error = (GOOD - BAD) * sqrt(sum(rate * (1 - rate) for rate in errors)) / len(errors)
            found.append(
                Finding(f"{model.partition('/')[2]}: {name}", planted, number_on(board, model, name), error)
            )
    return found


TRIALS = (
    Trial(
        name="simulators that err",
        meaning="simulators with a rate of errors of their own on each type of script, before a judge that sees it",
        scripts=scripts,
        models=tuple(SIMULATORS),
        findings=findings,
        roles={JUDGE: (JUDGE_BOT,)},
        epochs=REPEATS,
        order=("openai/steady", "openai/shaky"),
        ordered_by="all",
    ),
)
