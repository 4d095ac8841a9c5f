"""Comparison: models on the same scenarios, two by two, and what remains of it when many are looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from statistics import median
from typing import Literal

from interplay.analysis.entries import Entry, Unit, entries_of, estimated, told_of_missing
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Cell, Column, Estimate, level
from interplay.core.failures import Mistake
from interplay.core.measures import Measure
from interplay.running.comparing import gather
from interplay.running.results import judged_by
from interplay.statistics import special
from interplay.statistics.missing import Bounds, bounds, rate_bounds
from interplay.statistics.power import reach
from interplay.statistics.rank_sets import Pair, all_pairs, claims, rank_sets
from interplay.store.records import Records, Run

ERROR = 0.05
RANKS = Column(
    "ranks", "rank", "the ranks that the model can have by what may be claimed of all pairs", "text"
)
BROWSING = (
    "Holm's p-value is for claims: all pairs with one of at most 0.05 are right together, but for a chance of 5%. "
    "That of Benjamini and Hochberg (BH) is for browsing: some 5% of the pairs it lets through may well be wrong."
)


@dataclass(frozen=True)
class Compared:
    """Models that can be compared, and all that is known of them by one measure."""

    benchmark: Benchmark
    measure: Measure
    entries: Mapping[str, Sequence[Entry]]  # by model
    pairs: Sequence[Pair]
    apart: Sequence[str] = ()  # runs that cannot be compared with these, and why
    judged: Sequence[str] = ()  # each run, and by whom it was judged, with the versions they reported


def compare(records: Records, runs: Sequence[Run], benchmark: Benchmark, measure: Measure) -> Compared:
    """The models of all runs that can be compared with the first."""
    groups = gather(records, runs, benchmark, leading=runs[0].id)
    if not groups:
        raise Mistake("nothing was played to its end yet: there is nothing to compare")
    apart = [f"{', '.join(run.id for run in found)}: {why}" for found, why in groups[1:]]
    by_model: dict[str, list[Entry]] = {}
    for entry in entries_of(records, groups[0][0], benchmark, measure, words=False):
        by_model.setdefault(entry.model, []).append(entry)
    if len(by_model) < 2:
        one = f"; apart: {'; '.join(apart)}" if apart else ""
        raise Mistake(
            f"only {', '.join(by_model) or 'no model'} is there: a comparison needs two models{one}"
        )
    judged = [judged_by(records, run, ", ".join(run.identity["models"])) for run in groups[0][0]]
    return Compared(benchmark, measure, by_model, paired(by_model), apart, judged)


def paired(by_model: Mapping[str, Sequence[Entry]]) -> list[Pair]:
    """Every two models on the scenarios and repeats that both have a value of."""
    ways = {entry.unit: entry.ways for entries in by_model.values() for entry in entries}
    return all_pairs({model: _by_unit(entries) for model, entries in sorted(by_model.items())}, ways)


def _by_unit(entries: Sequence[Entry]) -> dict[Unit, float]:
    """A model's value of each unit; the mean, where it played it at several tables."""
    found: dict[Unit, list[float]] = {}
    for entry in entries:
        if entry.value is not None:
            found.setdefault(entry.unit, []).append(entry.value)
    return {unit: fsum(values) / len(values) for unit, values in found.items()}


def comparison_board(found: Compared) -> Board:
    """The models, best first, with their rank sets; and below them all pairs."""
    measure = found.measure
    shown = claims(found.pairs, error=ERROR)  # of whom the other has more
    worse = {(more, less) for less, more in shown} if measure.less_is_better else shown
    ranks = rank_sets(found.entries, worse)
    rows = [_row(model, entries, measure, ranks[model]) for model, entries in found.entries.items()]
    rows.sort(key=lambda row: _place(row, measure))
    ends = (measure.scale.low, measure.scale.high)
    kind: Literal["share", "score"] = "share" if measure.scale.is_yes_or_no else "score"
    columns = [
        Column("model", "model", "the model that is measured", "text"),
        RANKS,
        Column("value", measure.name, f"{measure.meaning}; 95% interval, clustered as the design is", kind, ends),
        Column("worst", "worst", "the mean if all that is missing were as bad as can be", kind, ends),
        Column("best", "best", "the mean if all that is missing were as good as can be", kind, ends),
        Column("n", "n", "conversations with a value", "count"),
        Column("missing", "missing", "share of conversations that are void or unjudged", "share"),
    ]  # fmt: skip
    if not any(row["missing"] for row in rows):
        columns = [column for column in columns if column.key not in ("worst", "best")]
    entries = [entry for mine in found.entries.values() for entry in mine]
    notes = [
        *found.judged,
        *told_of_missing(entries),
        *_seen(found.pairs),
        *(f"Apart, not compared: {one}." for one in found.apart),
    ]
    title = f"{found.benchmark.name} by {measure.name}"
    return Board(title, tuple(columns), tuple(rows), tuple(notes), (_pairs_board(found),))


def _place(row: Mapping[str, Cell], measure: Measure) -> tuple[bool, float, str]:
    """What rows are ordered by: the better mean first, and none last."""
    here = level(row["value"])
    return not isfinite(here), here if measure.less_is_better else -here, str(row["model"])


def _row(model: str, entries: Sequence[Entry], measure: Measure, ranks: tuple[int, int]) -> dict[str, Cell]:
    counted = [entry for entry in entries if entry.state != "set aside"]
    limits = _limits(counted, measure)
    least = Estimate(limits.lowest, limits.low, limits.lowest, limits.n, limits.clusters, limits.method)
    most = Estimate(limits.highest, limits.highest, limits.high, limits.n, limits.clusters, limits.method)
    best, worst = ranks
    value = estimated(entries, measure)
    return {
        "model": model,
        "ranks": "" if value.low is None else str(best) if best == worst else f"{best}–{worst}",
        "value": value,
        "worst": most if measure.less_is_better else least,
        "best": least if measure.less_is_better else most,
        "n": sum(entry.value is not None for entry in entries),
        "missing": sum(entry.is_missing for entry in counted) / len(counted) if counted else None,
    }


def _limits(entries: Sequence[Entry], measure: Measure) -> Bounds:
    ways = list(zip(*(entry.ways for entry in entries), strict=True))
    values = [entry.value for entry in entries]
    if ways and measure.scale.is_yes_or_no and set(values) <= {0.0, 1.0, None}:
        flags = [None if value is None else value == 1 for value in values]
        return max((rate_bounds(flags, way) for way in ways), key=_width)  # as estimated does
    return bounds(values, (measure.scale.low, measure.scale.high), *ways)


def _width(limits: Bounds) -> float:
    return 0.0 if limits.low is None or limits.high is None else limits.high - limits.low


def _seen(pairs: Sequence[Pair]) -> list[str]:
    """What the design can see, from the spread that it showed."""
    seen = [one for one in (smallest_seen(pair, len(pairs)) for pair in pairs) if one is not None]
    if not seen:
        if all(pair.compared.p_value is None for pair in pairs):
            return ["No two models have enough scenarios in common to compare them."]
        return [
            "What difference this design would claim cannot be told: those of the scenarios are all the same."
        ]
    least, most = f"{min(seen):.2g}", f"{max(seen):.2g}"
    between = f" (of single pairs {least} to {most})" if least != most else ""
    return [
        "The smallest true difference that this design would claim in four of five repetitions, all "
        f"{len(pairs)} pairs looked at: about {median(seen):.2g}{between}."
    ]


def smallest_seen(pair: Pair, comparisons: int) -> float | None:
    """The smallest true difference of two models that would be claimed with a power of 80% among so many pairs."""
    apart = pair.compared.difference
    if apart.low is None or apart.high is None:
        return None
    freedom = min((count for count in apart.clusters if count > 1), default=apart.n) - 1
    error = (apart.high - apart.low) / 2 / _quantile(freedom)
    found = reach(comparisons=comparisons, freedom=freedom) * error
    return found if isfinite(found) else None


def _pairs_board(found: Compared) -> Board:
    width = found.measure.scale.high - found.measure.scale.low
    columns = (
        Column("first", "model", "the better of the two, by the mean difference", "text"),
        Column("second", "against", "the other", "text"),
        Column("difference", "difference", f"{found.measure.name} of the first less that of the other, mean over the "
               "scenarios that both have; 95% interval of this pair alone", "score", (-width, width)),
        Column("p", "p", "chance of a difference as large where there is none, this pair alone", "chance"),
        Column("holm", "Holm", "the same, all pairs looked at: for claims", "chance"),
        Column("bh", "BH", "the same by Benjamini and Hochberg: for browsing", "chance"),
        Column("claim", "claim", "may it be claimed that the first is better?", "text"),
        Column("seen", "can see", "the smallest true difference that would be claimed in four of five repetitions",
               "score"),
        Column("n", "n", "scenarios and repeats that both have", "count"),
    )  # fmt: skip
    rows = sorted(
        (_pair_row(pair, len(found.pairs), found.measure) for pair in found.pairs), key=_by_certainty
    )
    limits = {
        model: _limits([one for one in entries if one.state != "set aside"], found.measure)
        for model, entries in found.entries.items()
    }
    for row in rows:
        if row["claim"] and not _stands(limits[str(row["first"])], limits[str(row["second"])], found.measure):
            row["claim"] = "yes, if the missing are like the rest"
    return Board("Two by two", columns, tuple(rows), (BROWSING,))


def _stands(better: Bounds, other: Bounds, measure: Measure) -> bool:
    """Would the better be the better whatever became of what is missing?"""
    if not better.missing and not other.missing:
        return True
    if measure.less_is_better:
        better, other = other, better
    return better.lowest is not None and other.highest is not None and better.lowest > other.highest


def _pair_row(pair: Pair, comparisons: int, measure: Measure) -> dict[str, Cell]:
    apart = pair.compared.difference
    turned = (apart.value or 0.0) > 0 if measure.less_is_better else (apart.value or 0.0) < 0
    first, second = (pair.second, pair.first) if turned else (pair.first, pair.second)
    claimed = pair.holm is not None and pair.holm <= ERROR and bool(apart.value)
    return {
        "first": first,
        "second": second,
        "difference": _turned(apart) if turned else apart,
        "p": pair.compared.p_value,
        "holm": pair.holm,
        "bh": pair.benjamini_hochberg,
        "claim": "yes" if claimed else "",
        "seen": smallest_seen(pair, comparisons),
        "n": apart.n,
    }


def _turned(apart: Estimate) -> Estimate:
    flipped = apart.times(-1.0)
    return Estimate(flipped.value, flipped.high, flipped.low, apart.n, apart.clusters, apart.method)


def _by_certainty(row: Mapping[str, Cell]) -> tuple[float, float, str, str]:
    holm, p = (2.0 if row[key] is None else float(str(row[key])) for key in ("holm", "p"))
    return holm, p, str(row["first"]), str(row["second"])


def _quantile(freedom: int) -> float:
    """Of the t that the interval of a pair was made with."""
    return float(special.stdtrit(freedom, 0.975))
