"""The agreement of judges and people: a row for each criterion and judge, with intervals."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from interplay.core.benchmark import Played
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.core.measures import Scale
from interplay.judging.labels import PANEL, SETTLED, Item, Matched, Settled, settled
from interplay.statistics import agreement
from interplay.statistics.correlation import spearman
from interplay.statistics.intervals import clustered_mean, mean

FEW_LEVELS = 30  # more are no steps of a scale, but means over turns or judges
SHOWN = 10  # tied items that are named in a note
_BOTH = (-1.0, 1.0)
COLUMNS = (
    Column("criterion", "criterion", "what was labelled", "text"),
    Column("judge", "judge", "who judged; the panel is what most judges say, of scores their mean", "text"),
    Column("n", "n", "conversations with a label that is settled and a verdict", "count"),
    Column("accuracy", "same", "share of conversations of which both say the same; Wilson's interval", "share"),
    Column("f1", "F1", "harmonic mean of precision and recall of yes", "score", (0.0, 1.0)),
    Column("kappa", "kappa", "Cohen's kappa of yes and no", "score", _BOTH),
    Column("mcc", "MCC", "Matthews correlation of yes and no", "score", _BOTH),
    Column("weighted", "weighted kappa", "Cohen's kappa of scores, by the square of the difference", "score", _BOTH),
    Column("spearman", "Spearman", "rank correlation of scores; of numbers between whole ones, its interval takes "
           "conversations as independent", "score", _BOTH),
    Column("difference", "difference", "mean of the judge less that of people; t interval", "score"),
)  # fmt: skip
HOW = (
    "People count by what more than half of them say of a conversation; of scores without such a majority, by the "
    f"median. As many yes as no is a tie, left out until a row of the rater {SETTLED} decides it."
)
AT_RANDOM = (
    "The numbers speak of the whole run only if the labelled conversations were drawn from it at random."
)
Opinions = Callable[[Played], Mapping[str, Mapping[str, float]]]  # what each judge says, by criterion


@dataclass
class _Table:
    """The table of judges and people while it is put together."""

    people: Settled
    said: Mapping[Item, Mapping[str, Mapping[str, float]]]
    judges: Sequence[str]
    unjudged: Counter[str] = field(default_factory=Counter)
    split: int = 0  # conversations on which as many judges said yes as no

    def opinion(self, judge: str, item: Item, criterion: str, scale: Scale) -> float | None:
        if judge != PANEL:
            found = self.said[item].get(judge, {}).get(criterion)
            self.unjudged[judge] += found is None
            return found
        values = [said[criterion] for said in self.said[item].values() if criterion in said]
        if not values:
            return None
        average = fsum(values) / len(values)
        if not scale.is_yes_or_no:
            return average
        self.split += average == 0.5
        return None if average == 0.5 else float(average > 0.5)

    def rows(self, criterion: str, scale: Scale, title: str) -> list[dict[str, Cell]]:
        items = sorted(item for item, name in self.people.values if name == criterion)
        rows: list[dict[str, Cell]] = []
        for judge in self.judges:
            opinions = [(self.opinion(judge, item, criterion, scale), item) for item in items]
            held = [
                (one, self.people.values[item, criterion], item[1])
                for one, item in opinions
                if one is not None
            ]
            rows.append({"criterion": title, "judge": judge, "n": len(held), **_cells(held, scale, judge)})
        return rows if items else []


def _cells(held: Sequence[tuple[float, float, str]], scale: Scale, judge: str) -> dict[str, Cell]:
    """The agreement of a judge with people; conversations of one scenario are a cluster, where there are such."""
    mine, theirs, ways = [one for one, _, _ in held], [one for _, one, _ in held], [way for _, _, way in held]
    clusters = ways if len(set(ways)) < len(ways) else None
    drawing = agreement.Drawing(seed=0)
    cells: dict[str, Cell] = {column.key: None for column in COLUMNS[3:]}
    if scale.is_yes_or_no:
        pairs = agreement.Pairs([one == 1 for one in mine], [one == 1 for one in theirs], clusters)
        return cells | {
            "accuracy": agreement.accuracy(pairs),
            "f1": agreement.f1(pairs, drawing),
            "kappa": agreement.kappa(pairs, drawing, levels=(False, True)),
            "mcc": agreement.matthews(pairs, drawing),
        }
    apart = [one - other for one, other in zip(mine, theirs, strict=True)]
    cells["difference"] = clustered_mean(apart, clusters) if clusters else mean(apart)
    cells["spearman"] = rank_agreement(mine, theirs, ways, scale)
    if not _has_few_levels(mine, theirs, scale):
        return cells
    pairs = agreement.Pairs(mine, theirs, clusters)
    whole = all(float(value).is_integer() for value in (*mine, *theirs))
    return cells | {
        "accuracy": agreement.accuracy(pairs) if whole and judge != PANEL else None,
        "weighted": agreement.weighted_kappa(pairs, drawing, levels=scale.levels),
    }


def _has_few_levels(mine: Sequence[float], theirs: Sequence[float], scale: Scale) -> bool:
    """Are these steps of a scale, rather than means that may lie anywhere on it?"""
    return scale.whole and len({*mine, *theirs}) <= FEW_LEVELS


def rank_agreement(
    mine: Sequence[float], theirs: Sequence[float], ways: Sequence[str], scale: Scale
) -> Estimate:
    """Spearman's correlation of two who judged the same; on few levels by cluster, where clusters repeat."""
    if not _has_few_levels(mine, theirs, scale):
        return spearman(mine, theirs)
    clusters = ways if len(set(ways)) < len(ways) else None
    pairs = agreement.Pairs(mine, theirs, clusters)
    return agreement.rank_correlation(pairs, agreement.Drawing(seed=0), levels=scale.levels)


def agreement_board(
    title: str,
    found: Matched,
    criteria: Mapping[str, Scale],
    opinions: Opinions,
    titles: Mapping[str, str] | None = None,
) -> Board:
    """A row for each criterion that people labelled and each judge, and the panel where there are several."""
    titles = {name: (titles or {}).get(name, name) for name in criteria}
    graded = {name for name, scale in criteria.items() if not scale.is_yes_or_no}
    people = settled([label for label, _ in found.pairs], graded)
    items = {label.item: one for label, one in found.pairs}
    said = {item: opinions(one) for item, one in items.items()}
    judges = sorted({judge for by_judge in said.values() for judge in by_judge})
    table = _Table(people, said, [*judges, PANEL] if len(judges) > 1 else judges)
    rows = [row for name, scale in criteria.items() for row in table.rows(name, scale, titles[name])]
    columns = tuple(
        column for column in COLUMNS if not rows or any(row[column.key] is not None for row in rows)
    )
    labels = {item: one.scenario.label for item, one in items.items()}
    notes = [
        _told(found),
        *_ties(people, labels, titles),
        *_unheard(table),
        *_among_people(found, criteria, titles),
        HOW,
        AT_RANDOM,
    ]
    return Board(title, columns, tuple(rows), tuple(notes))


def _told(found: Matched) -> str:
    labels = [label for label, _ in found.pairs]
    everything = len(labels) + len(found.strays)
    raters = {label.rater for label in labels} - {SETTLED}
    drawn = Counter(label.drawn or "unsaid" for label in {one.item: one for one in labels}.values())
    told = f"Labels {len(labels)}, raters {len(raters)}, conversations {len({one.item for one in labels})}"
    told += f" (how drawn: {', '.join(f'{how} {n}' for how, n in sorted(drawn.items()))})." if drawn else "."
    if found.strays:
        first, reason = found.strays[0]
        told += (
            f" {len(found.strays)} of {everything} labels are left out, the first in {first.where}: {reason}"
        )
        told += "" if reason.endswith("?") else "."
    return told


def _ties(people: Settled, labels: Mapping[Item, str], titles: Mapping[str, str]) -> list[str]:
    told = [f"Settled by discussion: {people.discussed}."] if people.discussed else []
    if people.tied:
        named = [
            f"{labels[item]} ({item[2]}, time {item[3]}) on {titles[name]}" for item, name in people.tied
        ]
        if len(named) > SHOWN:
            named[SHOWN:] = [f"{len(named) - SHOWN} more"]
        told.append(f"Tied and left out {len(people.tied)}: {'; '.join(named)}.")
    return told


def _unheard(table: _Table) -> list[str]:
    silent = [f"{judge} {count}" for judge, count in sorted(table.unjudged.items()) if count]
    told = [f"Labels left out because the judge gave no verdict: {', '.join(silent)}."] if silent else []
    return [
        *told,
        *([f"Left out of the panel, whose judges are split: {table.split}."] if table.split else []),
    ]


def _among_people(found: Matched, criteria: Mapping[str, Scale], titles: Mapping[str, str]) -> list[str]:
    told = []
    for name, scale in criteria.items():
        given: defaultdict[Item, list[float]] = defaultdict(list)
        for label, _ in found.pairs:
            if label.criterion == name and label.rater != SETTLED:
                given[label.item].append(label.value)
        alpha = agreement.krippendorff(
            list(given.values()),
            agreement.Drawing(seed=0),
            measure="nominal" if scale.is_yes_or_no else "ordinal" if scale.whole else "interval",
            levels=scale.levels,
        )
        if alpha.n:
            told.append(
                f"People among themselves on {titles[name]}, {alpha.n} conversations: {_alpha(alpha)}."
            )
    return told


def _alpha(alpha: Estimate) -> str:
    if alpha.value is None:
        return "all said the same, so that Krippendorff's alpha is undefined"
    if alpha.low is None or alpha.high is None:
        return f"Krippendorff's alpha {alpha.value:.2f}"
    return f"Krippendorff's alpha {alpha.value:.2f} ({alpha.low:.2f} to {alpha.high:.2f})"
