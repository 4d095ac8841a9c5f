"""Biases: what sways the judges of a run besides merit, in ratings and in pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from interplay.analysis.entries import Entry, entries_of, said_by
from interplay.analysis.people import people_of
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.core.failures import Mistake, nearest
from interplay.core.measures import Measure, measure_called
from interplay.judging.families import family_of
from interplay.running.pairing import KEPT_AS, item_of, judges_of_pairs, pairing_of, rivals
from interplay.running.results import options_of
from interplay.statistics.bias import Comparison, Rating, RatingBias, pairwise_bias, rating_bias, rating_trend
from interplay.statistics.swaps import Swap, steadiness
from interplay.store.labels import Labels
from interplay.store.records import ConversationRow, Records, Run

PEOPLE, OTHERS, NOBODY = "people", "the other judges", "nobody"
ALL_JUDGES = "all judges"
FEWEST = 10  # conversations labelled by people, to hold a judge against them
EFFECTS = ("length", "same_family", "refusal")
OF_RATINGS = (
    Column("judge", "judge", "who judged", "text"),
    Column("against", "held against", "whose ratings of the same conversations show what merit is", "text"),
    Column("length", "length", "points for a conversation longer by one standard deviation", "score"),
    Column("same_family", "own family", "points for a model of the judge's family", "score"),
    Column("refusal", "refusal", "points for a conversation in which the model declines, by how messages begin",
           "score"),
    Column("n", "n", "ratings of this judge", "count"),
)  # fmt: skip
OF_PAIRS = (
    Column("judge", "judge", "who compared", "text"),
    Column("position", "shown first", "logits for the answer that is shown first, strengths held fixed", "score"),
    Column("length", "length", "logits for an answer longer by the typical ratio", "score"),
    Column("same_family", "own family", "logits for a model of the judge's family", "score"),
    Column("consistent", "consistent", "share of pairs of which both orders say the same", "share"),
    Column("first", "first place", "share of verdicts, ties apart, for what is shown first; half without bias",
           "share"),
    Column("tied", "tied", "share of pairs that neither answer won in both orders", "share"),
    Column("by_order", "by order", "of these, the share that is a tie only because the orders disagree", "share"),
    Column("n", "n", "verdicts", "count"),
)  # fmt: skip
Families = Mapping[str, str]  # that the user says


def measure_of_judges(run: Run, benchmark: Benchmark, by: str) -> Measure:
    """The measure of this name; the first that judges measure by, where nobody says."""
    measures = benchmark.measures(options_of(run, benchmark))
    judged = [one for one in measures if one.by == "judges"]
    return measure_called(by, measures if by else judged or measures, benchmark.name)


def bias_board(
    records: Records, labels: Labels, run: Run, benchmark: Benchmark, measure: Measure, families: Families
) -> Board:
    """What sways each judge of a run; of pairs, where two answers were compared, in a table of their own."""
    if measure.by != "judges":
        raise Mistake(f"{measure.name} is measured by rule: there is no judge to be swayed")
    entries = [one for one in entries_of(records, [run], benchmark, measure) if one.values]
    _check_names(families, run, entries)
    boards = []
    if entries:
        people = people_of(labels, run, [measure])
        boards.append(_ratings_board(entries, {n: v for (n, _), v in people.items()}, measure, families))
    if KEPT_AS in run.extent:
        boards.append(_pairs_board(records, run, benchmark, families))
    if not boards:
        raise Mistake(f"{run.id} was not judged by {measure.name}; judge it with: interplay judge {run.id}")
    first, *others = boards
    return Board(first.title, first.columns, first.rows, first.notes, tuple(others))


def _check_names(families: Families, run: Run, entries: Sequence[Entry]) -> None:
    judges = {judge for entry in entries for judge in entry.values}
    known = {*run.identity["models"], *judges, *judges_of_pairs(run)}
    for name in families:
        if name not in known:
            raise Mistake(f"--family: {run.id} has no model or judge {name!r}; {nearest(name, known)}")


def _ratings_board(
    entries: Sequence[Entry], people: Mapping[int, float], measure: Measure, families: Families
) -> Board:
    ratings = [one for entry in entries for one in _ratings(entry, people, families)]
    judges = sorted({judge for entry in entries for judge in entry.values})
    labelled = len({one.answer for one in ratings if one.judge == PEOPLE})
    rows: list[dict[str, Cell]] = []
    told = _Told()
    for judge in judges:
        if labelled >= FEWEST:
            rows.append(told.row(judge, PEOPLE, rating_bias(ratings, judge, against=(PEOPLE,))))
        if len(judges) > 1:
            others = [one for one in judges if one != judge]
            rows.append(told.row(judge, OTHERS, rating_bias(ratings, judge, against=others)))
        elif labelled < FEWEST:
            rows.append(told.row(judge, NOBODY, rating_trend(ratings, judge)))
    notes = [
        "Against people an effect is the judge's bias. Against other judges it is what this one makes more of than "
        "they do: what all share does not show. Against nobody it may be merit: longer may be better.",
        *([f"One standard deviation of length: {told.ratio:.2g} times as long."] if told.ratio else []),
        f"Families by names: {', '.join(_families(entries, judges, families))}. --family NAME=FAMILY says otherwise.",
        *told.reasons,
    ]
    return Board(f"What sways judges, by {measure.name}", OF_RATINGS, tuple(rows), tuple(notes))


def _ratings(entry: Entry, people: Mapping[int, float], families: Families) -> list[Rating]:
    said = dict(entry.values)
    if entry.number in people:
        said[PEOPLE] = people[entry.number]
    kin = family_of(entry.model, families)
    return [
        Rating(
            value=value,
            judge=judge,
            answer=entry.number,
            model=entry.model,
            scenario=entry.scenario.id,
            length=int(entry.length or 0),
            own=judge != PEOPLE and family_of(judge, families) == kin,
            refused=entry.refused,
        )
        for judge, value in said.items()
    ]


@dataclass
class _Told:
    """Rows of a table, and why some of their cells are empty."""

    reasons: list[str] = field(default_factory=list)
    ratio: float | None = None

    def row(self, judge: str, against: str, found: RatingBias) -> dict[str, Cell]:
        self.ratio = found.ratio or self.ratio
        effects = {name: getattr(found, name) for name in EFFECTS}
        for name, estimate in effects.items():
            self.why(f"{judge} against {against}, {name.replace('_', ' ')}", estimate)
        return {"judge": judge, "against": against, **effects, "n": max(one.n for one in effects.values())}

    def why(self, what: str, estimate: Estimate) -> None:
        lacks = "value" if estimate.value is None else "interval" if estimate.low is None else ""
        if lacks:
            self.reasons.append(f"No {lacks} for {what}: {estimate.method.removeprefix('none: ')}.")


def _families(entries: Sequence[Entry], judges: Sequence[str], families: Families) -> list[str]:
    named = sorted({*judges, *(entry.model for entry in entries)})
    return [f"{name} {family_of(name, families)}" for name in named]


@dataclass(frozen=True)
class _Seen:
    """One judge's verdict on an ordered pair: 1 for what is shown first, -1 for the other."""

    judge: str
    first: ConversationRow
    second: ConversationRow
    preferred: int


def _pairs_board(records: Records, run: Run, benchmark: Benchmark, families: Families) -> Board:
    roles = {role.name for role in benchmark.subjects(options_of(run, benchmark))}
    seen = _verdicts(records, run, benchmark)
    lengths = {
        row.number: sum(map(len, said_by(row, roles))) for one in seen for row in (one.first, one.second)
    }
    rows: list[dict[str, Cell]] = []
    told = _Told()
    judges = sorted({one.judge for one in seen})
    for judge in (*judges, *([ALL_JUDGES] if len(judges) > 1 else [])):
        mine = [one for one in seen if judge in (one.judge, ALL_JUDGES)]
        found = pairwise_bias([_comparison(one, lengths, families) for one in mine])
        steady = steadiness(_swaps(mine))
        effects = {"position": found.position, "length": found.length, "same_family": found.same_family}
        for name, estimate in effects.items():
            told.why(f"{judge}, {name.replace('_', ' ')}", estimate)
        told.ratio = found.ratio or told.ratio
        rows.append(
            {"judge": judge, **effects, "consistent": steady.consistent, "first": steady.first_position,
             "tied": steady.tied, "by_order": steady.tied_by_order, "n": len(mine)}
        )  # fmt: skip
    ratio = f" The typical ratio of two lengths: {told.ratio:.2g}." if told.ratio else ""
    notes = [f"Logits: 0.4 is odds of 1.5 to 1. Ties are left out of them.{ratio}", *told.reasons]
    return Board("What sways judges of pairs", OF_PAIRS, tuple(rows), tuple(notes))


def _verdicts(records: Records, run: Run, benchmark: Benchmark) -> list[_Seen]:
    rows, verdicts, rubric = records.conversations(run), records.verdicts(run), run.extent[KEPT_AS]["rubric"]
    pairing = pairing_of(benchmark)(options_of(run, benchmark))
    return [
        _Seen(verdict.judge, first, second, pairing.preferred(verdict.data))
        for one, other in rivals(rows, {row.subject for row in rows})
        for first, second in ((one, other), (other, one))
        for verdict in verdicts.get((first.number, item_of(first.number, second.number)), ())
        if verdict.rubric == rubric and verdict.data is not None
    ]


def _comparison(one: _Seen, lengths: Mapping[int, int], families: Families) -> Comparison:
    kin = family_of(one.judge, families)
    return Comparison(
        first=one.first.subject,
        second=one.second.subject,
        won=(one.preferred + 1) / 2,
        lengths=(lengths[one.first.number], lengths[one.second.number]),
        own=(
            family_of(one.first.subject, families) == kin,
            family_of(one.second.subject, families) == kin,
        ),
        scenario=one.first.scenario.id,
    )


def _swaps(seen: Sequence[_Seen]) -> list[Swap]:
    """The pairs of which a judge saw both orders."""
    by_order = {(one.judge, one.first.number, one.second.number): one for one in seen}
    found = []
    for (judge, first, second), one in by_order.items():
        turned = by_order.get((judge, second, first))
        if turned is not None and one.first.subject < one.second.subject:
            found.append(Swap(one.preferred, -turned.preferred, one.first.scenario.id))
    return found
