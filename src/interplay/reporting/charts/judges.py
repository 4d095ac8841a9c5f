"""Judges against people: what each judge says of a conversation against what people say of the same."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from math import fsum, isfinite
from random import Random

from interplay.analysis.entries import Entry
from interplay.analysis.people import People
from interplay.core.board import Column
from interplay.core.measures import Measure, Scale
from interplay.reporting.charts.chart import Chart, Spec, field, layer, told_rows, whole
from interplay.reporting.charts.numbers import LARGEST, Axis, axis
from interplay.reporting.charts.words import distinct, in_full, short

_SQUARE, _LARGE = 170, 300  # pixels of a plot, and of one that stands alone
MOST_DOTS = 600  # of one judge
MOST_JUDGES = 6
Pair = tuple[float, float, str]  # people's value, a judge's, and the judge's name


def judge_pairs(entries: Sequence[Entry], people: People, measure: Measure) -> list[Pair]:
    """What people settled on and what each judge says, of the conversations that both have a value for."""
    return [
        (people[entry.number, measure.name], value, judge)
        for entry in entries
        if (entry.number, measure.name) in people
        for judge, value in entry.values.items()
    ]


def judge_scatter(pairs: Sequence[Pair], title: str, scale: Scale | None = None) -> Chart | None:
    """The plots; None where there is no pair.

    There is one for each judge; points are moved a little, always in the same way, so that those in one place show.
    """
    known = sorted(
        (judge, human, machine)
        for human, machine, judge in pairs
        if isfinite(human) and isfinite(machine) and max(abs(human), abs(machine)) < LARGEST
    )
    if not known:
        return None
    ends = [number for _, *both in known for number in both]
    if scale and not all(scale.low <= number <= scale.high for number in ends):
        scale = None
    column = Column("value", "", "", "score", (scale.low, scale.high) if scale else None)
    by_judge = {
        judge: [(one, two) for _, one, two in mine] for judge, mine in groupby(known, lambda one: one[0])
    }
    side = _SQUARE if len(by_judge) > 1 else _LARGE
    on = _axis(column, [scale.low, scale.high] if scale else ends, scale, side)
    drawn = list(by_judge.items())[:MOST_JUDGES]
    labels = distinct(short(judge, side, 12.5) for judge, _ in drawn)
    plots = [_against(label, mine, on, side) for label, (_, mine) in zip(labels, drawn, strict=True)]
    spec = whole({"concat": plots, "columns": 2, "spacing": 24})
    lines = [(judge, _apart(mine)) for judge, mine in by_judge.items()]
    alt = f"{in_full(title)}: judges' values against people's, with a line where both are equal. {told_rows(lines)}."
    return Chart("judges", in_full(title), alt, spec)


def _apart(mine: Sequence[tuple[float, float]]) -> str:
    """How far a judge is from people, in words."""
    apart = fsum(machine - human for human, machine in mine) / len(mine)
    side = "above" if apart > 0 else "below"
    far = (
        f"on average {abs(apart):.2f} {side} people"
        if abs(apart) >= 0.005
        else "on average level with people"
    )
    return f"is {far}, over {len(mine):,}"


def _axis(column: Column, ends: Sequence[float], scale: Scale | None, side: float) -> Axis:
    """One axis for both, with two ticks where there is only yes and no."""
    found = axis(column, ends, room=side)
    return replace(found, ticks=(0.0, 1.0)) if scale and scale.is_yes_or_no else found


def _against(label: str, mine: Sequence[tuple[float, float]], on: Axis, side: float) -> Spec:
    rng = Random(label)  # noqa: S311  # moves points on a page, always in the same way
    drawn = mine if len(mine) <= MOST_DOTS else rng.sample(mine, MOST_DOTS)
    far = _jitter(mine, on)
    values = [
        {"human": human + rng.uniform(-far, far), "judge": machine + rng.uniform(-far, far)}
        for human, machine in drawn
    ]
    reach = max(far, 0.02 * (on.high - on.low)) + 0.02 * (on.high - on.low)
    low, high = on.low - reach, on.high + reach
    scale = {**on.scale, "domain": [low, high]}
    names = {"labelExpr": "datum.value ? 'yes' : 'no'"} if on.ticks == (0.0, 1.0) else {}
    x, y = ({"scale": scale, "axis": on.drawn(title, **names)} for title in ("people", "judge"))
    ends = {"x": field("from", **x), "x2": {"field": "to"}, "y": field("from", **y), "y2": {"field": "to"}}
    equal = {"data": {"values": [{"from": low, "to": high}]}, **layer("reference", "rule", ends)}
    both = {"x": field("human", **x), "y": field("judge", **y)}
    return {
        "title": {"text": label, "offset": 8, "frame": "group"},
        "width": side,
        "height": side,
        "layer": [equal, {"data": {"values": values}, **layer("cloud_dot", "point", both)}],
    }


def _jitter(mine: Sequence[tuple[float, float]], on: Axis) -> float:
    """How far points are moved: within their own step of the scale, or hardly where there are no steps."""
    hardly = 0.008 * (on.high - on.low)
    whole_steps = all(float(number).is_integer() for both in mine for number in both)
    return max(0.18, hardly) if whole_steps else hardly
