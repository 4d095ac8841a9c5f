"""Trials of role play: players with planted habits before judges who see them, and what the board must show."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum, nan, sqrt, tanh
from statistics import median
from typing import Any

from interplay.benchmarks.role_play.bots import (
    BROKEN,
    DULL,
    EVADING,
    EXCUSING,
    FAULTS,
    LONG,
    OUT,
    REFUSING,
    Judge,
    Player,
    Script,
    User,
    examiner,
)
from interplay.benchmarks.role_play.panel import JUDGE
from interplay.benchmarks.role_play.theory import Fate, fates, mean_over, refusal_of, score_of
from interplay.core.benchmark import Played
from interplay.core.board import Board
from interplay.core.trials import Finding, Trial, number_on

ROUNDING = 1e-9  # what a mean may be off that was added up in another order
USER_BOT = "openai/planted-user"
CHATTY = "Well now, sit down, the evening is long."
Scripts = dict[str, Script]


@dataclass(frozen=True)
class Cast:
    """Who takes part in a trial."""

    players: Mapping[str, Player]
    panel: tuple[Judge, ...]
    user: User
    ends_at_refusals: bool = False  # as under version 1, where the first of the panel is the user

    def fared(self, model: str, played: Sequence[Played]) -> list[list[Fate]]:
        """All ways that each of these conversations can fare."""
        return [list(fates(self.players[model], self.panel, _turns(one))) for one in played]

    def comes_to_nothing(self, one: Played) -> bool:
        content = one.scenario.content
        return self.user.goes_in_circles(content["character"]["name"], content["situation"]["text"])

    def turns_due(self, one: Played) -> int:
        """How many turns this conversation has to have, by what was said in it."""
        if self.ends_at_refusals:
            for number, reply in enumerate(_replies(one), 1):
                if self.panel[0].is_refused(reply):
                    return number
        return _turns(one)


def _turns(one: Played) -> int:
    return int(one.scenario.content["situation"]["turns"])


def _replies(one: Played) -> list[str]:
    return [turn.player for turn in one.outcome.turns]


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values) if values else nan


def _short(model: str) -> str:
    return model.partition("/")[2]


# What theory expects of the planted rates


def expected(cast: Cast, board: Board, played: Sequence[Played], model: str) -> list[Finding]:
    """A model's numbers on the board against the rates that were planted in it and in its judges."""
    player, number = cast.players[model], partial(number_on, board, model)
    finished = [one for one in played if not cast.comes_to_nothing(one)]
    fared = cast.fared(model, finished)
    found = []
    for key, criteria in {**{name: (name,) for name in FAULTS}, "aggregate": tuple(FAULTS)}.items():
        mean, error = mean_over(fared, partial(score_of, player=player, criteria=criteria))
        found.append(Finding(f"{_short(model)}: {key}", mean, number(key), error))
    mean, error = mean_over(fared, refusal_of)
    found.append(Finding(f"{_short(model)}: refusal ratio", mean, number("refusal_ratio"), error))
    found.append(_unscored(cast, model, len(finished), number("unscored")))
    mean, variance = player.length()
    messages = sum(len(_replies(one)) for one in finished if one.outcome is not None)
    error = sqrt(variance / messages) if messages else nan
    return [*found, Finding(f"{_short(model)}: length", mean, number("length"), error)]


def _unscored(cast: Cast, model: str, conversations: int, recovered: float | None) -> Finding:
    silences = [judge.silence for judge in cast.panel]
    variance = fsum(rate * (1 - rate) for rate in silences)
    error = sqrt(variance / conversations) / len(silences) if conversations else nan
    return Finding(f"{_short(model)}: unscored", _mean(silences), recovered, error)


# What was said in these very conversations


@dataclass(frozen=True)
class Seen:
    """What the panel saw in a model's conversations, worked out from the words once more."""

    scores: Mapping[str, float]  # by criterion
    refusal_ratio: float
    unscored: float
    length: float
    n: int

    @property
    def aggregate(self) -> float:
        return _mean([*self.scores.values()])


def seen(cast: Cast, played: Sequence[Played]) -> Seen:
    scores: dict[str, list[float]] = {name: [] for name in FAULTS}
    refused, gave, asked, lengths = [], 0, 0, []
    for replies in (_replies(one) for one in played if one.outcome is not None):
        lengths += [float(len(reply)) for reply in replies]
        given = [judge for judge in cast.panel if not judge.is_silent(replies[0])]
        scoring = [judge for judge in given if not any(map(judge.is_refused, replies))]
        asked, gave = asked + len(cast.panel), gave + len(given)
        refused += [float(len(scoring) < len(given))] if given else []
        for name, values in scores.items():
            by_judge = [_mean([judge.scores(reply)[name] for reply in replies]) for judge in scoring]
            values += [_mean(by_judge)] if by_judge else []
    means = {name: _mean(values) for name, values in scores.items()}
    unscored = (asked - gave) / asked if asked else nan
    return Seen(means, _mean(refused), unscored, _mean(lengths), len(scores["fluency"]))


def by_length(found: Mapping[str, Seen]) -> dict[str, float]:
    """The LN scores of version 2, over all models of a board."""
    middle = median(one.length for one in found.values())
    return {
        model: one.aggregate * min(1.0, 0.93 + 0.07 * middle / one.length) for model, one in found.items()
    }


def by_length_v1(found: Mapping[str, Seen]) -> dict[str, float]:
    """The LN scores of version 1."""
    middle = median(one.length for one in found.values())
    aggregates = [one.aggregate for one in found.values()]
    reach = max(aggregates) - min(aggregates)
    return {
        model: one.aggregate - reach * max(0.0, tanh((one.length / middle - 1) / 3))
        for model, one in found.items()
    }


def as_played(
    cast: Cast,
    rule: Callable[[Mapping[str, Seen]], Mapping[str, float]],
    board: Board,
    played: Sequence[Played],
) -> list[Finding]:
    """The numbers of all models on the board against the words of these very conversations: all must be equal."""
    by_model = {model: [one for one in played if one.subject == model] for model in cast.players}
    found = {model: seen(cast, mine) for model, mine in by_model.items()}
    adjusted = rule(found)
    findings = []
    for model, one in found.items():
        name, number = _short(model), partial(number_on, board, model)
        planted = {
            **one.scores,
            "aggregate": one.aggregate,
            "ln_score": adjusted[model],
            "length": one.length,
        }
        planted |= {"refusal_ratio": one.refusal_ratio, "unscored": one.unscored}
        for key, value in planted.items():
            findings.append(Finding(f"{name}: {_words(key)}, as played", value, number(key), ROUNDING))
        findings.append(Finding(f"{name}: conversations scored", one.n, number("n")))
        findings += _ends(cast, name, by_model[model], number("void"))
    return findings


def _words(key: str) -> str:
    return {"ln_score": "LN score", "refusal_ratio": "refusal ratio"}.get(key, key)


def _ends(cast: Cast, name: str, played: Sequence[Played], void: float | None) -> list[Finding]:
    """Where the user goes in circles, and only there, a conversation is void; all others have their turns."""
    finished = [one for one in played if one.outcome is not None]
    turns = [len(one.outcome.turns) for one in finished]
    due = [cast.turns_due(one) for one in finished]
    circling = _mean([float(cast.comes_to_nothing(one)) for one in played])
    return [
        Finding(f"{name}: void", circling, void),
        Finding(f"{name}: turns", sum(due), sum(turns) if finished else None),
    ]


# The trials


def _trial(name: str, meaning: str, cast: Cast, **more: Any) -> Trial:
    rule = by_length_v1 if cast.ends_at_refusals else by_length

    def findings(board: Board, played: Sequence[Played]) -> list[Finding]:
        by_theory = []
        for model in cast.players:
            mine = [one for one in played if one.subject == model]
            by_theory += expected(cast, board, mine, model)
        return by_theory + as_played(cast, rule, board, played)

    def scripts(seed: int) -> Scripts:
        found = {model: player.script(seed) for model, player in cast.players.items()}
        found |= {judge.name: judge.script for judge in cast.panel}
        v1 = cast.ends_at_refusals
        return {
            **found,
            USER_BOT: examiner(cast.user, cast.panel[0], seed) if v1 else cast.user.script(seed),
        }

    judges = tuple(judge.name for judge in cast.panel)
    return Trial(
        name,
        meaning,
        scripts,
        tuple(cast.players),
        findings,
        roles={"interrogator": (USER_BOT,), JUDGE: judges},
        order=tuple(cast.players),
        ordered_by="ln_score",
        **more,
    )


def faulty(limit: int | None = None) -> Trial:
    """Version 2: a rambler who has the fewest faults, and whom the length rule puts second, and three others."""
    players = {
        "openai/steady": Player({OUT: 0.03, DULL: 0.04, BROKEN: 0.02, EVADING: 0.01, EXCUSING: 0.01}, CHATTY),
        "openai/rambler": Player({OUT: 0.02, DULL: 0.02, BROKEN: 0.02, LONG: 0.9, REFUSING: 0.01}, CHATTY),
        "openai/terse": Player({OUT: 0.05, DULL: 0.8, BROKEN: 0.05}),
        "openai/careless": Player(
            {OUT: 0.4, DULL: 0.3, BROKEN: 0.35, LONG: 0.3, REFUSING: 0.05, EVADING: 0.05, EXCUSING: 0.05},
            CHATTY,
        ),
    }
    mild = Judge(
        "openai/mild-judge",
        5,
        {"in_character": 2, "entertaining": 1, "fluency": 3},
        (REFUSING, EXCUSING),
        0.05,
        0.1,
    )
    stern = Judge(
        "openai/stern-judge",
        4,
        {"in_character": 3, "entertaining": 2, "fluency": 1},
        (REFUSING, EVADING),
        0.12,
        0.1,
    )
    return _trial(
        "players with faults",
        "each turn is out of character, dull, not fluent, too long or a refusal at planted rates; one judge is a point "
        "sterner, each misses some refusals, and some verdicts cannot be read",
        Cast(players, (mild, stern), User(circles=0.1)),
        fails=("judge error", "loop"),
        limit=limit,
    )


def examined(limit: int | None = None) -> Trial:
    """Version 1: the user judges as it talks, and a second judge follows turn by turn."""
    players = {
        "openai/plain": Player({OUT: 0.05, DULL: 0.1, BROKEN: 0.05, REFUSING: 0.02}, CHATTY),
        "openai/windy": Player({OUT: 0.3, DULL: 0.4, BROKEN: 0.2, LONG: 0.6, REFUSING: 0.06}, CHATTY),
    }
    own = Judge(USER_BOT, 9, {"in_character": 4, "entertaining": 3, "fluency": 6})
    second = Judge(
        "openai/second-judge",
        7,
        {"in_character": 5, "entertaining": 2, "fluency": 1},
        silence=0.1,
        stammer=0.1,
    )
    return _trial(
        "players with faults, version 1",
        "the user judges every reply, and a refusal ends the conversation; a second judge, two points sterner, follows "
        "turn by turn and gives no verdict that can be read at a planted rate",
        Cast(players, (own, second), User(), ends_at_refusals=True),
        fails=("judge error",),
        options={"version": "v1"},
        limit=limit,
    )


TRIALS = (faulty(), examined())
