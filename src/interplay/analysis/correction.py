"""Correction: a judge's numbers as they stand, as people alone tell them, and as a few labels correct them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from interplay.analysis.entries import Entry, entries_of, told_of_missing
from interplay.analysis.people import people_of
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.core.failures import Mistake, nearest
from interplay.core.measures import Measure
from interplay.judging.labels import PANEL, SETTLED
from interplay.statistics.correcting import Correction, people_only, rogan_gladen
from interplay.statistics.correcting import Labels as Sample
from interplay.statistics.correcting import correct as corrected
from interplay.statistics.intervals import rate
from interplay.store.labels import Draw, Labels
from interplay.store.records import Records, Run

FEWEST = 10  # labels of a model; fewer say too little of how it is judged
SKIPPED = 0.1  # of a draw, in its order, that may be without a label
ALL = "all models"
FLAGGED = "differs from people"


@dataclass(frozen=True)
class Labelled:
    """What people said of a part of a run that was drawn at random."""

    draw: Draw
    values: Mapping[int, float]  # by conversation
    raters: int
    apart: int  # conversations with labels that are not of this draw
    skipped: int  # drawn before the last that was labelled, and not labelled themselves
    unsettled: int  # labelled, but tied or without one of the criteria


def labelled_of(labels: Labels, run: Run, measure: Measure) -> Labelled:
    """The labels of the draw that has most; a Mistake where they are no random part of the run."""
    given = [one for one in labels.of(run) if one.criterion in measure.names]
    if not given:
        raise Mistake(
            f"{run.id} has no labels by {', '.join(measure.names)}; draw some with: interplay labels draw {run.id} FILE"
        )
    draws = {draw.id: draw for draw in labels.draws(run)}
    by_draw: dict[str, set[int]] = {}
    for one in given:
        if one.drawn in draws and one.conversation in draws[one.drawn].items:
            by_draw.setdefault(one.drawn, set()).add(one.conversation)
    if not by_draw:
        raise Mistake(
            f"the labels of {run.id} are of conversations that were not drawn at random, and so correct nothing: draw "
            f"some with interplay labels draw {run.id} FILE, and label those"
        )
    draw = draws[max(by_draw, key=lambda id: (len(by_draw[id]), id))]
    reached = draw.order[
        : 1 + max(place for place, number in enumerate(draw.order) if number in by_draw[draw.id])
    ]
    everything = {one.conversation for one in given}
    seen = everything.intersection(reached)  # a label that came in by another sheet is one of these too
    skipped = [number for number in reached if number not in seen]
    people = people_of(labels, run, [measure])
    values = {number: value for (number, _), value in people.items() if number in seen}
    if not values:
        raise Mistake(
            f"no conversation of {draw.id} is settled by {', '.join(measure.names)}: all are tied, or half labelled"
        )
    _check_order(draw, reached, values.keys())
    return Labelled(
        draw,
        values,
        raters=len({one.rater for one in given if one.conversation in seen} - {SETTLED}),
        apart=len(everything - seen),
        skipped=len(skipped),
        unsettled=len(seen - values.keys()),
    )


def _check_order(draw: Draw, reached: Sequence[int], known: Collection[int]) -> None:
    """Labels of the first so many of a draw are a random part of it; labels of those that somebody chose are not.

    Nor are labels without those that raters were divided about, which are the hard ones.
    """
    lacking = [number for number in reached if number not in known]
    if len(lacking) > SKIPPED * len(reached):
        shown = ", ".join(map(str, lacking[:5])) + (" ..." if len(lacking) > 5 else "")
        raise Mistake(
            f"of the first {len(reached)} conversations of {draw.id}, {len(lacking)} have no label, or are tied or "
            f"half labelled ({shown}): what is left is no random part of the run; label those too, or settle them by "
            f"rows of the rater {SETTLED}"
        )


def correction_board(
    records: Records, labels: Labels, run: Run, benchmark: Benchmark, measure: Measure, judge: str = ""
) -> Board:
    """A row for all models together, and one for each that has labels enough."""
    if measure.by != "judges":
        raise Mistake(f"{measure.name} is measured by rule: there is no judge to correct")
    people = labelled_of(labels, run, measure)
    everything = entries_of(records, [run], benchmark, measure, words=False)
    drawn_from = set(people.draw.order)
    gone = drawn_from - {one.number for one in everything}
    if len(gone) > SKIPPED * len(drawn_from):
        raise Mistake(
            f"{len(gone)} conversations of {people.draw.id} were played anew since: draw again with interplay labels "
            f"draw {run.id} FILE"
        )
    entries = [one for one in everything if one.number in drawn_from]
    judges = sorted({name for entry in entries for name in entry.values})
    if not judges:
        raise Mistake(
            f"no judge has said {measure.name} of what was drawn from {run.id}; judge it with: "
            f"interplay judge {run.id} --model-role judge=NAME"
        )
    if judge and judge not in judges:
        raise Mistake(f"{judge!r} did not judge {run.id} by {measure.name}; {nearest(judge, judges)}")
    whose = judge or (judges[0] if len(judges) == 1 else PANEL)
    rows = [_row(ALL, entries, people, measure, whose)]
    models = sorted({entry.model for entry in entries})
    small = []
    for model in models if len(models) > 1 else []:
        mine = [entry for entry in entries if entry.model == model]
        if sum(entry.number in people.values for entry in mine) < FEWEST:
            small.append(model)
        else:
            rows.append(_row(model, mine, people, measure, whose))
    title = f"{benchmark.name} by {measure.name}, {whose} corrected by people"
    later = len([one for one in everything if one.number not in drawn_from and one.state != "void"])
    notes = [
        *_notes(people, small, rows),
        *told_of_missing(everything),
        *([f"Played after the draw, and not in here: {later} conversations."] if later else []),
        *([f"Played anew since the draw, and not in here: {len(gone)} conversations."] if gone else []),
    ]
    return Board(title, _columns(measure, rows), tuple(rows), tuple(notes))


def _row(
    name: str, entries: Sequence[Entry], people: Labelled, measure: Measure, judge: str
) -> dict[str, Cell]:
    judged = [(entry, _said(entry, judge)) for entry in entries]
    known = [(entry, value) for entry, value in judged if value is not None]
    sample = Sample(
        judge=[value for _, value in known],
        people=[people.values.get(entry.number) for entry, _ in known],
        ways=tuple(zip(*(entry.ways for entry, _ in known), strict=True)),
        yes_or_no=measure.scale.is_yes_or_no and set(people.values.values()) <= {0.0, 1.0},
    )
    found = corrected(sample)
    labelled = [entry for entry in entries if entry.number in people.values]
    alone = Sample(
        judge=[0.0] * len(labelled),  # whom nobody asks here
        people=[people.values[entry.number] for entry in labelled],
        ways=tuple(zip(*(entry.ways for entry in labelled), strict=True)),
        yes_or_no=sample.yes_or_no,
    )
    return {
        "model": name,
        "judge": found.judge,
        "together": found.together,
        "people": people_only(alone),
        "rates": _by_rates(sample) if sample.yes_or_no else None,
        **_sees(sample),
        "bias": found.bias.difference,
        "flag": FLAGGED if found.flagged else "",
        "labels": sample.count,
        "worth": _worth(found),
        "unjudged": len(labelled) - sample.count,
        "n": len(known),
    }


def _said(entry: Entry, judge: str) -> float | None:
    return entry.value if judge == PANEL else entry.values.get(judge)


def _worth(found: Correction) -> float | None:
    return None if found.effective is None else round(found.effective)


def _by_rates(sample: Sample) -> Estimate | None:
    """By Rogan and Gladen, where the judge says yes or no as well."""
    if not set(sample.judge) <= {0.0, 1.0}:
        return None
    hits, spared = _right(sample, 1.0), _right(sample, 0.0)
    if not hits or not spared:
        return None
    yes = (int(sum(sample.judge)), len(sample.judge))
    return rogan_gladen(yes, (sum(hits), len(hits)), (sum(spared), len(spared)))


def _sees(sample: Sample) -> dict[str, Cell]:
    """How often the judge says yes where people do, and no where they do."""
    if not sample.yes_or_no or not set(sample.judge) <= {0.0, 1.0}:
        return {"sees_yes": None, "sees_no": None}
    hits, spared = _right(sample, 1.0), _right(sample, 0.0)
    return {"sees_yes": rate(sum(hits), len(hits)), "sees_no": rate(sum(spared), len(spared))}


def _right(sample: Sample, value: float) -> list[bool]:
    """Of what people gave this value, whether the judge did too."""
    return [said == value for said, truth in zip(sample.judge, sample.people, strict=True) if truth == value]


def _columns(measure: Measure, rows: Sequence[Mapping[str, Cell]]) -> tuple[Column, ...]:
    kind: Literal["share", "score"] = "share" if measure.scale.is_yes_or_no else "score"
    ends = (measure.scale.low, measure.scale.high)
    width = ends[1] - ends[0]
    columns = (
        Column("model", "model", "whose conversations", "text"),
        Column("judge", "judge alone", "the judge's mean over all its verdicts, as if it were never wrong", kind, ends),
        Column("together", "corrected", "the judge's mean corrected on people's labels (PPI++)", kind, ends),
        Column("people", "people alone", "the mean of people's labels, as if there were no judge", kind, ends),
        Column("rates", "Rogan-Gladen", "the rate corrected by the judge's sensitivity and specificity; conversations "
               "taken as independent", kind, ends),
        Column("sees_yes", "sees yes", "of what people say yes to, the judge's share of yes (sensitivity)", "share"),
        Column("sees_no", "sees no", "of what people say no to, the judge's share of no (specificity)", "share"),
        Column("bias", "judge less people", "mean difference on what both judged", "score", (-width, width)),
        Column("flag", "flag", f"{FLAGGED}: the interval of the difference leaves out 0, so that the judge's own "
               "number misleads", "text"),
        Column("labels", "labels", "conversations with a label of people and a verdict", "count"),
        Column("unjudged", "unjudged", "conversations with a label of people and no verdict", "count"),
        Column("worth", "worth", "so many labels without a judge would leave as little doubt", "count"),
        Column("n", "n", "conversations with a verdict", "count"),
    )  # fmt: skip
    at_times = ("rates", "sees_yes", "sees_no", "unjudged")
    return tuple(one for one in columns if one.key not in at_times or any(row[one.key] for row in rows))


def _notes(people: Labelled, small: Sequence[str], rows: Sequence[Mapping[str, Cell]]) -> list[str]:
    draw = people.draw
    told = [
        f"{draw.id}: {draw.reach} of {len(draw.order)} conversations were drawn at random; {len(people.values)} are "
        f"labelled, by {people.raters} {'rater' if people.raters == 1 else 'raters'}."
    ]
    if people.skipped or people.unsettled:
        told.append(
            f"Left out of those drawn: {people.skipped} passed over, {people.unsettled} tied or half labelled."
        )
    if people.apart:
        told.append(f"{people.apart} conversations with labels were not drawn in {draw.id}: left out.")
    if small:
        told.append(f"With fewer than {FEWEST} labels, and no row of their own: {', '.join(small)}.")
    flagged = [str(row["model"]) for row in rows if row["flag"]]
    if flagged:
        told.append(
            f"The judge {FLAGGED} on {', '.join(flagged)}: its own interval is not to be believed, however narrow."
        )
    told.append(
        "All three speak of conversations like these. Which conversations people label must not hang on what anybody "
        "said of them: labels that were not drawn are refused."
    )
    return told
