"""Tables of pairs: every two models on the same scripts, and the judges who compared them."""

from collections.abc import Sequence
from itertools import combinations

from interplay.benchmarks.simulation.duels import (
    Judged,
    Met,
    by_script,
    consistency,
    counts_of,
    delta_of,
    first_position,
    judged_in,
    met_in,
    unscored,
)
from interplay.benchmarks.simulation.scoring import SETS, rated_of, without_perfect
from interplay.core.benchmark import Options, Played
from interplay.core.board import Board, Cell, Column
from interplay.statistics.comparing import holm

PERCENT = (0.0, 100.0)
JUDGING = (
    Column("consistency", "consistency", "share of pairs whose orders agree; interval clustered by task", "share"),
    Column("first_position", "first position", "share of verdicts, ties apart, that prefer what was shown first: .5 "
           "is no bias; interval clustered by task", "share"),
)  # fmt: skip
UNSCORED = Column("unscored", "unscored", "share of verdicts that were asked for and not given", "share")
COLUMNS = (
    Column("models", "models", "two models, the one with the higher rank first", "text"),
    Column("win", "win %", "pairs in which the first model's answer is preferred in both orders", "score", PERCENT),
    Column("tie", "tie %", "pairs in which the orders disagree, or both say tie", "score", PERCENT),
    Column("lose", "lose %", "pairs in which the second model's answer is preferred in both orders", "score", PERCENT),
    Column("delta", "delta", "win % less lose %; 95% interval clustered by task", "score", (-100.0, 100.0)),
    Column("p", "p", "of wins and losses being as likely: exact sign test on scripts, ties apart; it takes scripts as "
           "independent, those of one task as well", "chance"),
    Column("p_holm", "p Holm", "the same, corrected for all comparisons of this table (Holm)", "chance"),
    *JUDGING,
    Column("n", "n", "pairs of answers that a judge saw in both orders", "count"),
    UNSCORED,
)  # fmt: skip
JUDGES = (
    Column("judge", "judge", "who compared", "text"),
    *JUDGING,
    Column("n", "n", "pairs that this judge saw in both orders", "count"),
    UNSCORED,
)
HOW = (
    "A pair is two models' answers to one script. It is won only where a judge prefers the same answer in both orders; "
    "where the orders disagree it is a tie, so that a bias towards a position shows as ties. Of several judges, what "
    "more than half of them found counts, else it is a tie."
)
MIXED = "Mixed: the pairs of this table were not all compared by the same judges and prompts."


def pair_tables(played: Sequence[Played], models: Sequence[str], options: Options) -> list[Board]:
    """The tables of what was compared, all scripts and hard ones, best models first."""
    met = met_in(played, models)
    if options["drop_perfect"] == "yes":
        rated = rated_of(played)
        kept = {one.scenario for one in without_perfect(rated)[0]}
        perfect = {one.scenario for one in rated} - kept
        met = [one for one in met if one.scenario not in perfect]
    if not met:
        return []
    hard = [one for one in met if SETS["hard"](one.script)]
    tables = [_table("Two models on the same scripts", met, models, (HOW,))]
    if 0 < len(hard) < len(met):
        tables.append(_table("Two models on the same hard scripts", hard, models))
    return [*tables, _judges(met)]


def _table(title: str, met: Sequence[Met], models: Sequence[str], notes: tuple[str, ...] = ()) -> Board:
    between: dict[tuple[str, str], list[Met]] = {}
    for one in met:
        between.setdefault((one.first, one.second), []).append(one)
    rows = [_row(" v ".join(two), between[two]) for two in combinations(models, 2) if two in between]
    tested = [(row, p) for row in rows if isinstance(p := row["p"], float)]
    for (row, _), adjusted in zip(tested, holm([p for _, p in tested]), strict=True):
        row["p_holm"] = adjusted
    return Board(title, COLUMNS, tuple(rows), (*notes, MIXED) if _is_mixed(met) else notes)


def _row(models: str, met: Sequence[Met]) -> dict[str, Cell]:
    counts = counts_of(one.result for one in met if one.result is not None)
    return {
        "models": models,
        "win": counts.win,
        "tie": counts.tie,
        "lose": counts.lose,
        "delta": delta_of(met),
        "p": by_script(met).p_value,
        "p_holm": None,
        **_judging(judged_in(met)),
        "n": counts.n,
    }


def _judging(judged: Judged) -> dict[str, Cell]:
    return {
        "consistency": consistency(judged),
        "first_position": first_position(judged),
        "unscored": unscored(judged),
    }


def _is_mixed(met: Sequence[Met]) -> bool:
    """Does the panel differ from pair to pair, as where a judge joined and did not finish, or between runs?"""
    return len({(one.rubrics, *(seen.judge for seen in one.seen)) for one in met}) > 1


def _judges(met: Sequence[Met]) -> Board:
    rows = []
    for judge in sorted({seen.judge for one in met for seen in one.seen}):
        mine = judged_in(met, judge)
        rows.append({"judge": judge, **_judging(mine), "n": sum(seen.in_both_orders for seen, _ in mine)})
    return Board("Judges who compared", JUDGES, tuple(rows))
