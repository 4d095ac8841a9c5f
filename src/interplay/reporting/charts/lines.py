"""Lines: how a number goes with another one, a line for each series."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from interplay.core.board import Column
from interplay.reporting.charts.chart import (
    WIDTH,
    Chart,
    Spec,
    field,
    headline,
    layer,
    told_rows,
    whole,
    word,
)
from interplay.reporting.charts.numbers import Axis, Point, axis
from interplay.reporting.charts.words import breadth, distinct, in_full, short

HEIGHT = 240
MOST_LINES = 7  # as many as there are colours to tell them apart
_BESIDE = 0.04  # of the width: room on both sides of the first and the last place
MOST_PLACES = 8  # with a tick
_APART = 0.02  # of the width: what keeps intervals of several lines from covering each other
_LEGEND_GAP = 38


@dataclass(frozen=True)
class Lines:
    """Points by series and by where they stand, and how the chart is called."""

    name: str
    title: str
    column: Column
    series: Mapping[str, Sequence[tuple[float, Point]]]
    across: str  # the title of the other axis
    doubling: bool = False  # does the other axis go by doublings?
    level: Point | None = None  # what all lines are to be seen against


def line_chart(lines: Lines) -> Chart | None:
    """The chart; None where there is nothing to go from and to."""
    known = {name: sorted(mine, key=lambda one: one[0]) for name, mine in lines.series.items() if mine}
    drawn = dict(list(known.items())[:MOST_LINES])
    places = sorted({place for mine in drawn.values() for place, _ in mine})
    if len(places) < 2:
        return None
    ends = [end for mine in drawn.values() for _, one in mine for end in one.ends]
    on = axis(lines.column, [*ends, *([lines.level.value] if lines.level else [])])
    labels = distinct(short(name) for name in drawn)
    across = _across(lines, places)
    spec = whole({
        "title": headline(lines.column.title),
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [
            {"data": {"values": _values(drawn, labels, across)}, "layer": _series(lines, labels, across, on)},
            *_level(lines, on),
        ],
    })  # fmt: skip
    left = len(known) - len(drawn)
    more = f" {left} more are not drawn." if left else ""
    told = [(name, _told(mine)) for name, mine in drawn.items()]
    alt = f"{in_full(lines.column.title)}, against {lines.across}. {told_rows(told)}.{more}"
    return Chart(lines.name, lines.title, alt, spec)


def _told(mine: Sequence[tuple[float, Point]]) -> str:
    (first, start), (last, end) = mine[0], mine[-1]
    if first == last:
        return f"has {start.told} at {first:g}"
    return f"goes from {start.written} at {first:g} to {end.told} at {last:g}"


def _across(lines: Lines, places: Sequence[float]) -> Axis:
    """The axis of places, a little longer than they need, with a tick at each or, of many, at some."""
    ticks = tuple(places[:: ceil(len(places) / MOST_PLACES)])
    exact = Axis(places[0], places[-1], ticks, ",d", lines.doubling)
    return replace(exact, low=exact.at(-_BESIDE), high=exact.at(1 + _BESIDE))


def _values(
    drawn: Mapping[str, Sequence[tuple[float, Point]]], labels: Sequence[str], across: Axis
) -> list[Spec]:
    """The points; those of several lines in one place stand a little apart."""
    found: list[Spec] = []
    for number, (label, mine) in enumerate(zip(labels, drawn.values(), strict=True)):
        aside = _APART * (number / (len(drawn) - 1) - 0.5) if len(drawn) > 1 else 0.0
        for place, one in mine:
            interval = {"low": one.low, "high": one.high} if one.low is not None else {}
            at = across.at(across.share(place) + aside)
            found.append({"series": label, "at": at, "value": one.value, **interval})
    return found


def _series(lines: Lines, labels: Sequence[str], across: Axis, on: Axis) -> list[Spec]:
    columns = 2 if max(breadth(label, 12) for label in labels) + _LEGEND_GAP <= WIDTH / 2 else 1
    legend = {"title": None, "columns": columns, "symbolType": "circle"}
    color = word("series", scale={"domain": list(labels), "range": "category"}, legend=legend)
    x = field("at", scale=across.scale, axis=across.drawn(lines.across, grid=False, labelOverlap=True))
    y = {"scale": on.scale, "axis": on.drawn(None)}
    ends = {"x": x, "y": field("low", **y), "y2": {"field": "high"}, "color": color}
    intervals = layer("series_interval", "rule", ends)
    intervals["transform"] = [{"filter": "isValid(datum.low)"}]
    at = {"x": x, "y": field("value", **y), "color": color}
    return [intervals, layer("series_line", "line", at), layer("series_dot", "point", at)]


def _level(lines: Lines, on: Axis) -> list[Spec]:
    """A line right across, and what it is."""
    if lines.level is None:
        return []
    y = field("value", scale=on.scale)
    data = {"values": [{"value": lines.level.value, "name": short(lines.level.name)}]}
    line = layer("reference", "rule", {"x": {"value": 0}, "x2": {"value": WIDTH}, "y": y})
    text = layer("note", "text", {"x": {"value": WIDTH}, "y": y, "text": word("name")}, dy=-5)  # fmt: skip
    return [{"data": data, **line}, {"data": data, **text}]
