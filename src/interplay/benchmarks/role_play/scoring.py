"""Scores of role play: means over turns, judges and conversations, refusals apart, length normalised."""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, tanh
from statistics import median
from typing import Any

from interplay.benchmarks.role_play.cards import LANGUAGE_NAMES
from interplay.benchmarks.role_play.protocol import Dialogue
from interplay.benchmarks.role_play.rubrics import REFUSAL, name_of_rubric, rubric_for
from interplay.core.benchmark import Options, Played, Scenario, Score, Verdict
from interplay.core.board import Board, Cell, Column, Estimate, level, place_by
from interplay.core.measures import YES_OR_NO, Measure, Scale
from interplay.judging.rubric import Rubric, flagged, panel_mean, turn_scores
from interplay.models.null import NULL
from interplay.statistics.intervals import clustered_mean, mean, rate

LENGTH_WEIGHT = 0.07  # of the score
LENGTH_RULE = (
    "aggregate x clip(1 + 0.07 (M / length - 1), 0.93, 1): replies longer than the board's median M cost up "
    "to 7%"
)
LENGTH_RULE_V1 = (
    "aggregate + range x min(0, tanh((M - length) / 3M)): replies longer than the board's median M cost a part of "
    "the range, which is the distance between the best and the worst aggregate on the board"
)
SHORT = {"in_character": "in char.", "entertaining": "entert."}


def columns(rubric: Rubric) -> tuple[Column, ...]:
    """The columns of a board: the rubric's criteria between the totals and the counts."""
    low, high = scale = (float(rubric.scale[0]), float(rubric.scale[1]))
    v1 = rubric.name == "v1"
    criteria = [
        Column(
            one.name,
            SHORT.get(one.name, one.name),
            f"{one.statement} {low:g} to {high:g}",
            "score",
            scale,
            True,
        )
        for one in rubric.criteria
    ]
    flags = [
        Column(
            "refusal_ratio" if flag == REFUSAL.name else flag,
            "refused" if flag == REFUSAL.name else flag,
            f"share of conversations that any judge flags ({meaning.rstrip('.')}); Wilson",
            "share",
        )
        for flag, meaning in ((flag.name, flag.meaning) for flag in rubric.flags)
    ]
    return (
        Column("model", "model", "the model that plays the characters", "text"),
        Column("rank", "rank", "its place by LN score; equal scores share a place", "count"),
        Column(
            "ln_score",
            "LN score",
            (LENGTH_RULE_V1 if v1 else LENGTH_RULE) + "; the interval is the aggregate's on this scale",
            "score",
            (2 * low - high if v1 else low * (1 - LENGTH_WEIGHT), high),
        ),
        Column(
            "aggregate",
            "aggr.",
            "mean of the criteria over conversations; 95% interval clustered by character and situation",
            "score",
            scale,
        ),
        *criteria,
        *flags,
        Column("length", "length", "mean characters of a player's message", "amount"),
        Column("n", "n", "conversations that were played and scored", "count"),
        Column("void", "void", "share of conversations that came to nothing: not played to the end", "share"),
        Column("unscored", "unscored", "share of verdicts that were asked for and not given", "share"),
    )


def measures(options: Options) -> tuple[Measure, ...]:
    """What a conversation is measured by: the mean of the criteria, each of them, and the flags."""
    rubric = rubric_for(options)
    scale = Scale(*rubric.scale)
    flags = [("refused" if flag.name == REFUSAL.name else flag.name, flag.meaning) for flag in rubric.flags]
    return (
        Measure("final", "mean of the criteria", Scale(*rubric.scale, whole=False), of=rubric.names),
        *(Measure(one.name, one.statement, scale) for one in rubric.criteria),
        *(Measure(name, meaning, YES_OR_NO, less_is_better=True) for name, meaning in flags),
    )


def ways(scenario: Scenario) -> tuple[str, str]:
    """Conversations of one character, or in one situation, may depend on each other."""
    return scenario.content["character"]["id"], scenario.content["situation"]["id"]


def score(outcome: Dialogue, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """The scores of one conversation, judge by judge; a judge that flags a refusal gives no criterion scores."""
    rubric = rubric_for(options)
    scores = [Score("length", length_of(outcome), "rule: characters per player message")]
    for verdict in verdicts:
        if verdict.data is None:
            continue
        flags, means = _said(verdict.data, rubric)
        for flag, raised in flags.items():
            name = "refused" if flag == REFUSAL.name else flag
            scores.append(Score(name, float(raised), verdict.judge))
        scores += [Score(name, value, verdict.judge) for name, value in means.items()]
    return scores


def _said(verdict: Mapping[str, Any], rubric: Rubric) -> tuple[dict[str, bool], dict[str, float]]:
    """What a judge says of a conversation: the flags, raised or not, and the criteria's means unless it was refused."""
    flags = {flag.name: flagged(verdict, flag.name) for flag in rubric.flags}
    if flags.get(REFUSAL.name):
        return flags, {}
    turns = {name: turn_scores(verdict, name) for name in rubric.names}
    return flags, {name: sum(scores) / len(scores) for name, scores in turns.items()}


def length_of(outcome: Dialogue) -> float:
    """Mean characters of a player's message."""
    return sum(len(turn.player) for turn in outcome.turns) / len(outcome.turns)


def length_normalised(aggregate: float, length: float, median_length: float) -> float:
    """The LN score: replies longer than the median cost up to seven percent."""
    return aggregate * length_factor(length, median_length)


def length_factor(length: float, median_length: float) -> float:
    # Paper §4.3 says "median length of player messages"; its printed columns fit with the mean, so L is the mean.
    if length <= 0:
        return 1.0
    return min(1.0, max(1.0 - LENGTH_WEIGHT, 1.0 + LENGTH_WEIGHT * (median_length / length - 1.0)))


def length_adjusted_v1(aggregate: float, length: float, median_length: float, score_range: float) -> float:
    """The LN score of version 1: long replies cost a part of the distance between best and worst."""
    return aggregate + score_range * min(0.0, tanh((median_length - length) / (3 * median_length)))


def summarize(played: Iterable[Played], options: Options) -> Board:
    """The board: a row for each model, best LN score first. The conversations are gone over once."""
    rubric = rubric_for(options)
    by_subject: dict[str, _Numbers] = {}
    for one in played:
        by_subject.setdefault(one.subject, _Numbers(rubric)).add(one)
    rows = [_row(subject, mine) for subject, mine in sorted(by_subject.items())]
    median_length = _median_length(rows, options["length_median"])
    adjust = _adjusted_v1 if rubric.name == "v1" else _normalised
    for row, adjusted in zip(rows, adjust(rows, median_length), strict=True):
        row["ln_score"] = adjusted
    place_by(rows, "ln_score")
    return Board(_title(options), columns(rubric), tuple(rows), tuple(_notes(median_length, options)))


def _title(options: Options) -> str:
    rubric = name_of_rubric(options)
    judged = f", rubric {rubric}" if rubric != options["version"] else ""
    setup = ", symmetric" if options["setup"] == "symmetric" else ""
    language = "" if options["language"] == "en" else f", {LANGUAGE_NAMES[options['language']]}"
    return f"role_play (PingPong {options['version']}{judged}{setup}{language})"


@dataclass
class _Numbers:
    """What the board needs of a model's conversations, gathered one by one: numbers, and no texts."""

    rubric: Rubric
    conversations: int = 0
    finished: int = 0
    judged: int = 0  # by at least one judge
    asked: int = 0  # verdicts
    missing: int = 0  # of those
    raised: Counter[str] = field(
        default_factory=Counter
    )  # flags, by conversations in which any judge raised them
    lengths: "array[float]" = field(default_factory=lambda: array("d"))  # of the player's messages
    criteria: "dict[str, array[float]]" = field(default_factory=dict)  # the panel's means, where there is one
    characters: list[str] = field(default_factory=list)  # of the same conversations
    situations: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.criteria = {name: array("d") for name in self.rubric.names}

    def add(self, one: Played) -> None:
        self.conversations += 1
        if one.outcome is None:
            return
        self.finished += 1
        self.lengths.extend(len(turn.player) for turn in one.outcome.turns)
        self.asked += len(one.verdicts)
        given = [_said(verdict.data, self.rubric) for verdict in one.verdicts if verdict.data is not None]
        self.missing += len(one.verdicts) - len(given)
        self.judged += bool(given)
        self.raised.update(
            flag.name for flag in self.rubric.flags if any(flags[flag.name] for flags, _ in given)
        )
        by_judge = [means for _, means in given if means]
        for name, values in self.criteria.items():
            if (panel := panel_mean([means[name] for means in by_judge])) is not None:
                values.append(panel)
        if by_judge:
            character, situation = ways(one.scenario)
            self.characters.append(character)
            self.situations.append(situation)

    def estimate(self, values: Sequence[float]) -> Estimate:
        return clustered_mean(values, self.characters, self.situations)


def _row(subject: str, mine: _Numbers) -> dict[str, Cell]:
    criteria = mine.criteria
    aggregates = [fsum(values) / len(criteria) for values in zip(*criteria.values(), strict=True)]
    row: dict[str, Cell] = {
        "model": subject,
        "rank": None,
        "ln_score": None,
        "aggregate": mine.estimate(aggregates),
    }
    row |= {name: mine.estimate(values) for name, values in criteria.items()}
    for flag in mine.rubric.flags:
        key = "refusal_ratio" if flag.name == REFUSAL.name else flag.name
        row[key] = rate(mine.raised[flag.name], mine.judged)
    row |= {
        "length": mean(mine.lengths).value,
        "n": len(aggregates),
        "void": rate(mine.conversations - mine.finished, mine.conversations).value,
        "unscored": rate(mine.missing, mine.asked).value,
    }
    return row


def _median_length(rows: list[dict[str, Cell]], fixed: str) -> float | None:
    if fixed:
        return float(fixed)
    lengths = [
        float(row["length"])
        for row in rows
        if isinstance(row["length"], float) and row["model"] != NULL  # which must not move the others
    ]
    return median(lengths) if lengths else None


def _normalised(rows: list[dict[str, Cell]], median_length: float | None) -> list[Cell]:
    adjusted: list[Cell] = []
    for aggregate, length in ((row["aggregate"], row["length"]) for row in rows):
        if not isinstance(aggregate, Estimate) or not isinstance(length, float) or median_length is None:
            adjusted.append(None)
            continue
        adjusted.append(aggregate.times(length_factor(length, median_length)))
    return adjusted


def _adjusted_v1(rows: list[dict[str, Cell]], median_length: float | None) -> list[Cell]:
    values = [found for row in rows if (found := level(row["aggregate"])) > float("-inf")]
    score_range = max(values) - min(values) if values else 0.0
    adjusted: list[Cell] = []
    for aggregate, length in ((row["aggregate"], row["length"]) for row in rows):
        if not isinstance(aggregate, Estimate) or not isinstance(length, float) or not median_length:
            adjusted.append(None)
            continue
        adjusted.append(aggregate.plus(length_adjusted_v1(0.0, length, median_length, score_range)))
    return adjusted


def _notes(median_length: float | None, options: Options) -> list[str]:
    notes = []
    if median_length is not None:
        how = (
            "fixed by --length-median" if options["length_median"] else "the median over this board's models"
        )
        notes.append(f"M = {median_length:.1f} characters, {how}.")
    notes.append("Void and unscored conversations are left out of the means and never counted as zero.")
    return notes
