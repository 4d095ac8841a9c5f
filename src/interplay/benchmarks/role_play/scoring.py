"""Scores of role play: means over turns, judges and conversations, refusals apart, length normalised."""

from collections.abc import Sequence
from math import fsum
from statistics import median

from interplay.benchmarks.role_play.protocol import CRITERIA, REFUSAL, Dialogue
from interplay.core.benchmark import Options, Played, Score, Verdict
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.judging.rubric import flagged, panel_mean, turn_scores
from interplay.statistics.intervals import clustered_mean, mean, rate

LIKERT = (1.0, 5.0)
LENGTH_WEIGHT = 0.07
NAMES = tuple(criterion.name for criterion in CRITERIA)

COLUMNS = (
    Column("model", "model", "the model that plays the characters", "text"),
    Column("rank", "rank", "its place by LN score; equal scores share a place", "count"),
    Column(
        "ln_score",
        "LN score",
        "aggregate x clip(1 + 0.07 (M / length - 1), 0.93, 1): replies longer than the board's median M cost up "
        "to 7%; the interval is the aggregate's on this scale",
        "score",
        (LIKERT[0] * (1 - LENGTH_WEIGHT), LIKERT[1]),
    ),
    Column(
        "aggregate",
        "aggr.",
        "mean of the three criteria over conversations; 95% interval clustered by character and situation",
        "score",
        LIKERT,
    ),
    Column("in_character", "in char.", "the replies fit the card, 1 to 5", "score", LIKERT, True),
    Column("entertaining", "entert.", "the replies are engaging, 1 to 5", "score", LIKERT, True),
    Column("fluency", "fluency", "the language is flawless, 1 to 5", "score", LIKERT, True),
    Column(
        "refusal_ratio", "refused", "share of conversations that any judge flags as refused; Wilson", "share"
    ),
    Column("length", "length", "mean characters of a player's message", "amount"),
    Column("n", "n", "conversations that were played and scored", "count"),
    Column("void", "void", "share of conversations that came to nothing: not played to the end", "share"),
    Column("unscored", "unscored", "share of verdicts that were asked for and not given", "share"),
)


def score(outcome: Dialogue, verdicts: Sequence[Verdict]) -> list[Score]:
    """The scores of one conversation, judge by judge; a judge that flags a refusal gives no criterion scores."""
    scores = [Score("length", length_of(outcome), "rule: characters per player message")]
    for verdict in verdicts:
        if verdict.data is None:
            continue
        refused = flagged(verdict.data, REFUSAL.name)
        scores.append(Score("refused", float(refused), verdict.judge))
        if not refused:
            for name in NAMES:
                turns = turn_scores(verdict.data, name)
                scores.append(Score(name, sum(turns) / len(turns), verdict.judge))
    return scores


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


def summarize(played: Sequence[Played], options: Options) -> Board:
    """The board: a row for each model, best LN score first."""
    subjects = sorted({one.subject for one in played})
    rows = [_row(subject, [one for one in played if one.subject == subject]) for subject in subjects]
    median_length = _median_length(rows, options["length_median"])
    for row in rows:
        row["ln_score"] = _normalised(row["aggregate"], row["length"], median_length)
    rows.sort(key=lambda row: (-_value(row["ln_score"]), row["model"]))
    for row in rows:
        better = sum(_value(other["ln_score"]) > _value(row["ln_score"]) for other in rows)
        row["rank"] = better + 1 if _has_value(row["ln_score"]) else None
    return Board("role_play (PingPong v2)", COLUMNS, tuple(rows), tuple(_notes(median_length, options)))


def _row(subject: str, played: list[Played]) -> dict[str, Cell]:
    finished = [one for one in played if one.outcome is not None]
    judged = [one for one in finished if any(verdict.data is not None for verdict in one.verdicts)]
    by_criterion = {name: _panel_scores(judged, name) for name in NAMES}
    scored = sorted(by_criterion[NAMES[0]])  # a conversation has all criteria or none
    aggregates = [fsum(by_criterion[name][place] for name in NAMES) / len(NAMES) for place in scored]
    characters = [judged[place].scenario.content["character"]["id"] for place in scored]
    situations = [judged[place].scenario.content["situation"]["id"] for place in scored]

    def estimate(values: list[float]) -> Estimate:
        return clustered_mean(values, characters, situations)

    asked = [verdict for one in finished for verdict in one.verdicts]
    row: dict[str, Cell] = {
        "model": subject,
        "rank": None,
        "ln_score": None,
        "aggregate": estimate(aggregates),
    }
    row |= {name: estimate([by_criterion[name][place] for place in scored]) for name in NAMES}
    row |= {
        "refusal_ratio": rate(sum(_refused(one) for one in judged), len(judged)),
        "length": mean([len(turn.player) for one in finished for turn in one.outcome.turns]).value,
        "n": len(scored),
        "void": rate(len(played) - len(finished), len(played)).value,
        "unscored": rate(sum(verdict.data is None for verdict in asked), len(asked)).value,
    }
    return row


def _panel_scores(judged: list[Played], criterion: str) -> dict[int, float]:
    """The panel's mean for each conversation that at least one judge scored."""
    found = {}
    for place, one in enumerate(judged):
        by_judge = [item.value for item in score(one.outcome, one.verdicts) if item.name == criterion]
        panel = panel_mean(by_judge)
        if panel is not None:
            found[place] = panel
    return found


def _refused(one: Played) -> bool:
    return any(verdict.data is not None and flagged(verdict.data, REFUSAL.name) for verdict in one.verdicts)


def _median_length(rows: list[dict[str, Cell]], fixed: str) -> float | None:
    if fixed:
        return float(fixed)
    lengths = [float(row["length"]) for row in rows if isinstance(row["length"], float)]
    return median(lengths) if lengths else None


def _normalised(aggregate: Cell, length: Cell, median_length: float | None) -> Cell:
    if not isinstance(aggregate, Estimate) or not isinstance(length, float) or median_length is None:
        return None
    return aggregate.times(length_factor(length, median_length))


def _value(cell: Cell) -> float:
    return cell.value if isinstance(cell, Estimate) and cell.value is not None else float("-inf")


def _has_value(cell: Cell) -> bool:
    return isinstance(cell, Estimate) and cell.value is not None


def _notes(median_length: float | None, options: Options) -> list[str]:
    notes = []
    if median_length is not None:
        how = (
            "fixed by --length-median" if options["length_median"] else "the median over this board's models"
        )
        notes.append(f"M = {median_length:.1f} characters, {how}.")
    notes.append("Void and unscored conversations are left out of the means and never counted as zero.")
    return notes
