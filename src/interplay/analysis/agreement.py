"""Agreement: each judge and the panel against people, and judges against each other, criterion by criterion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from interplay.analysis.entries import Entry, entries_by, told_of_missing
from interplay.analysis.people import People, people_of
from interplay.core.benchmark import Benchmark, Options, Played
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.core.failures import Mistake
from interplay.core.measures import Measure, criteria_of
from interplay.judging.agreeing import agreement_board, rank_agreement
from interplay.judging.labels import PANEL, Label, Matched
from interplay.running.results import options_of, played_of
from interplay.statistics import agreement
from interplay.statistics.panels import panel
from interplay.store.labels import Given, Labels
from interplay.store.records import Records, Run

_BOTH = (-1.0, 1.0)


@dataclass(frozen=True)
class _Question:
    """All that a run's judges and people said."""

    run: Run
    measures: tuple[Measure, ...]  # by judges
    judges: tuple[str, ...]
    entries: Mapping[str, Sequence[Entry]]  # by measure
    people: People

    def said(self, measure: Measure, judge: str) -> dict[int, float]:
        """What a judge, or the panel, says of each conversation."""
        found = {
            entry.number: entry.value if judge == PANEL else entry.values.get(judge)
            for entry in self.entries[measure.name]
        }
        return {number: value for number, value in found.items() if value is not None}

    @property
    def graded(self) -> list[Measure]:
        """What people said that is not yes or no."""
        return [one for one in self.labelled if not one.scale.is_yes_or_no]

    @property
    def labelled(self) -> list[Measure]:
        """What people said anything by."""
        said = {name for _, name in self.people}
        return [one for one in self.measures if one.name in said]

    def by_people(self, measure: Measure) -> dict[int, float]:
        return {number: value for (number, name), value in self.people.items() if name == measure.name}

    def scenarios(self, measure: Measure) -> dict[int, str]:
        return {entry.number: entry.scenario.id for entry in self.entries[measure.name]}


def agreement_of(records: Records, labels: Labels, run: Run, benchmark: Benchmark) -> Board:
    """The tables of a run: people's in the layout of PingPong's Tables 1 and 2, all measures, and judges alone."""
    options = options_of(run, benchmark)
    measures = [one for one in benchmark.measures(options) if one.by == "judges"]
    if not measures:
        raise Mistake(f"{benchmark.name} is scored by rule: there are no judges to agree with anybody")
    question = _asked(records, labels, run, benchmark, measures)
    if not question.judges:
        raise Mistake(
            f"{run.id} was not judged; judge it with: interplay judge {run.id} --model-role judge=NAME"
        )
    given = labels.of(run)
    parts = []
    if given:
        parts.extend([_against_people(question)] if question.graded else [])
        found = _matched(given, records, run, benchmark)
        opinions = _Opinions(benchmark, options)
        full = agreement_board("Judges and people in full", found, criteria_of(measures), opinions)
        left_out = told_of_missing(question.entries[measures[0].name])
        parts.append(replace(full, notes=(*full.notes, *left_out)))
    if len(question.judges) > 1:
        parts += [*([_erring_together(question)] if question.labelled else []), _among_judges(question)]
    if not parts:
        raise Mistake(
            f"{run.id} has one judge and no labels of people; draw some with: interplay labels draw {run.id} FILE.csv"
        )
    return replace(parts[0], parts=tuple(parts[1:]))


def _asked(
    records: Records, labels: Labels, run: Run, benchmark: Benchmark, measures: Sequence[Measure]
) -> _Question:
    entries = entries_by(records, [run], benchmark, measures, words=False)
    judges = sorted({judge for mine in entries.values() for entry in mine for judge in entry.values})
    return _Question(run, tuple(measures), tuple(judges), entries, people_of(labels, run, measures))


def _against_people(question: _Question) -> Board:
    """A row for each judge and the panel, a column for each measure: Spearman's correlation with people."""
    columns = [
        Column("judge", "judge", "who judged; the panel is the mean of all judges", "text"),
        *(
            Column(one.name, one.name.replace("_", " "), f"Spearman's correlation with people: {one.meaning}",
                   "score", _BOTH)
            for one in question.graded
        ),
        Column("n", "n", "conversations with labels of people, of the measure that has most", "count"),
    ]  # fmt: skip
    rows: list[dict[str, Cell]] = []
    for judge in (*question.judges, *([PANEL] if len(question.judges) > 1 else [])):
        cells = {
            one.name: _held(question, one, question.said(one, judge), question.by_people(one))
            for one in question.graded
        }
        rows.append({"judge": judge, **cells, "n": max(cell.n for cell in cells.values())})
    notes = ["95% intervals; conversations of one scenario are a cluster where the scale has few steps."]
    return Board(f"Judges and people, {question.run.id}", tuple(columns), tuple(rows), tuple(notes))


def _held(
    question: _Question, measure: Measure, mine: Mapping[int, float], theirs: Mapping[int, float]
) -> Estimate:
    """Spearman's correlation of what two say of the same conversations; of yes and no, Cohen's kappa."""
    both = sorted(mine.keys() & theirs.keys())
    scenarios = question.scenarios(measure)
    ways = [scenarios[number] for number in both]
    one, other = [mine[number] for number in both], [theirs[number] for number in both]
    if not measure.scale.is_yes_or_no:
        return rank_agreement(one, other, ways, measure.scale)
    clusters = ways if len(set(ways)) < len(ways) else None
    pairs = agreement.Pairs([value == 1 for value in one], [value == 1 for value in other], clusters)
    return agreement.kappa(pairs, agreement.Drawing(seed=0), levels=(False, True))


def _erring_together(question: _Question) -> Board:
    """Whether the judges of the panel err together, which makes a panel worth less than its number."""
    columns = (
        Column("criterion", "criterion", "what was judged", "text"),
        Column("correlation", "correlation", "of two judges' errors, an error being the judge's value less people's",
               "score", _BOTH),
        Column("variance", "variance", "of the panel's error, as a share of one judge's: 1 / judges where they err "
               "independently, 1 where they err as one", "score"),
        Column("worth", "worth", "so many judges who err independently would be as good", "score"),
        Column("judges", "judges", "on the panel", "count"),
        Column("n", "n", "conversations that people labelled and all judges judged", "count"),
    )  # fmt: skip
    rows: list[dict[str, Cell]] = []
    absent: dict[str, None] = {}
    for measure in question.labelled:
        people = question.by_people(measure)
        by_judge = {judge: question.said(measure, judge) for judge in question.judges}
        absent |= {judge: None for judge, one in by_judge.items() if not people.keys() & one.keys()}
        said = [one for one in by_judge.values() if people.keys() & one.keys()]
        both = sorted(people.keys() & set.intersection(*(set(one) for one in said))) if said else []
        if len(said) < 2 or not both:
            continue
        scenarios = question.scenarios(measure)
        ways = [scenarios[number] for number in both]
        found = panel(
            [[one[number] for number in both] for one in said],
            [people[number] for number in both],
            ways if len(set(ways)) < len(ways) else None,
        )
        rows.append(
            {"criterion": measure.name, "correlation": found.correlation, "variance": found.relative_variance,
             "worth": found.effective, "judges": found.judges, "n": len(both)}
        )  # fmt: skip
    notes = [
        "People's own errors are in all judges' errors, and raise the correlation; several raters lower that.",
        *([f"Judged nothing that people labelled, and is left out: {', '.join(absent)}."] if absent else []),
    ]
    return Board("Judges erring together", columns, tuple(rows), tuple(notes))


def _among_judges(question: _Question) -> Board:
    columns = [
        Column("judge", "judge", "one judge", "text"),
        Column("other", "and", "another, on the same conversations", "text"),
        *(
            Column(one.name, one.name.replace("_", " "),
                   f"{'Kappa' if one.scale.is_yes_or_no else 'Spearman correlation'} of both: {one.meaning}",
                   "score", _BOTH)
            for one in question.measures
        ),
        Column("n", "n", "conversations that both judged", "count"),
    ]  # fmt: skip
    rows: list[dict[str, Cell]] = []
    for one, other in combinations(question.judges, 2):
        cells = {
            measure.name: _held(question, measure, question.said(measure, one), question.said(measure, other))
            for measure in question.measures
        }
        n = max(cell.n for cell in cells.values())
        rows.append({"judge": one, "other": other, **cells, "n": n})
    flags = [one.name.replace("_", " ") for one in question.measures if one.scale.is_yes_or_no]
    kappas = f"; of {', '.join(flags)} Cohen's kappa" if flags else ""
    notes = [f"Spearman's correlation{kappas}; 95% intervals."]
    return Board("Judges among themselves", tuple(columns), tuple(rows), (*notes, *_alphas(question)))


def _alphas(question: _Question) -> list[str]:
    told = []
    for measure in question.measures:
        said = [list(entry.values.values()) for entry in question.entries[measure.name]]
        alpha = agreement.krippendorff(
            [values for values in said if len(values) > 1],
            agreement.Drawing(seed=0),
            measure=_metric(measure, said),
        )
        if alpha.value is not None and alpha.low is not None and alpha.high is not None:
            told.append(
                f"Krippendorff's alpha of all judges on {measure.name}: {alpha.value:.2f} ({alpha.low:.2f} to "
                f"{alpha.high:.2f}), {alpha.n} conversations."
            )
    return told


def _metric(measure: Measure, said: Sequence[Sequence[float]]) -> Literal["nominal", "ordinal", "interval"]:
    """How far two values are apart; means over turns are no steps of a scale."""
    if measure.scale.is_yes_or_no:
        return "nominal"
    whole = all(value.is_integer() for values in said for value in values)
    return "ordinal" if measure.scale.whole and whole else "interval"


def _matched(given: Sequence[Given], records: Records, run: Run, benchmark: Benchmark) -> Matched:
    """The labels of the store with the conversations they are of."""
    by_number = dict(zip(records.numbers(run), played_of(records, run, benchmark), strict=True))
    pairs, strays = [], []
    for one in given:
        label = Label(one.came_from, 0, one.rater, one.criterion, one.value, when=one.made, drawn=one.drawn)
        if one.conversation not in by_number:
            reason = f"conversation {one.conversation} was played anew since"
            strays.append((replace(label, conversation=one.conversation), reason))
            continue
        played = by_number[one.conversation]
        known = replace(label, scenario=played.scenario.id, model=played.subject, repeat=played.repeat + 1)
        pairs.append((known, played))
    return Matched(tuple(pairs), tuple(strays))


@dataclass(frozen=True)
class _Opinions:
    """What each judge says of a conversation, by criterion."""

    benchmark: Benchmark
    options: Options

    def __call__(self, one: Played) -> dict[str, dict[str, float]]:
        if one.outcome is None:
            return {}
        found: dict[str, dict[str, float]] = {}
        for score in self.benchmark.score(one.outcome, one.verdicts, self.options):
            found.setdefault(score.source, {})[score.name] = score.value
        judges = {verdict.judge for verdict in one.verdicts}
        return {source: values for source, values in found.items() if source in judges}
