"""Interval plots: a row for each model, its name above a point with its interval; several of them side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from interplay.core.board import Board, Column
from interplay.reporting.charts.chart import (
    MOST_ROWS,
    WIDTH,
    Chart,
    Spec,
    counted,
    field,
    heading,
    layer,
    rows,
    shown,
    told_rows,
    whole,
    word,
)
from interplay.reporting.charts.numbers import Axis, Point, axis, has_numbers, names_of, point, points
from interplay.reporting.charts.words import breadth, distinct, in_full, listed, short

ROW = 42  # pixels
_NAME, _LINE = 15, 29  # where in a row its name stands, and its point
_BESIDE = {"yOffset": 20, "y2Offset": 39}  # from where to where lines go that stand behind a point
_APART = 22  # pixels between plots side by side
_BOLD = 14  # the size of a font, with what bold letters take more
SIDE_BY_SIDE = 3


@dataclass(frozen=True)
class Told:
    """What a chart is called and what is said of it."""

    name: str
    title: str
    measure: str = ""  # what the axis is called, where the column's title says too little
    of: str = "model"  # whose numbers they are
    order: str = "best first"
    zero: bool = False  # must the axis show 0?


def interval_plot(board: Board, column: Column | None, told: Told, names: Sequence[str] = ()) -> Chart | None:
    """The numbers of one column with their intervals; None where there are none."""
    if column is None:
        return None
    return plot_of(points(board, column, list(names) or names_of(board)), column, told)


def plot_of(found: Sequence[Point], column: Column, told: Told) -> Chart | None:
    """The same of points."""
    if not found:
        return None
    drawn = found[:MOST_ROWS]
    on = axis(column, [end for one in drawn for end in one.ends], zero=told.zero)
    measure = told.measure or heading(column.title)
    below = measure + (", 95% interval" if any(one.low is not None for one in drawn) else "")
    left_out = shown(len(drawn), len(found))
    spec = whole({
        "width": WIDTH,
        "height": ROW * len(drawn),
        "data": {"values": _rows(drawn, _labels(drawn))},
        "encoding": {"y": rows(len(drawn))},
        "layer": [*_marks(on, len(drawn), f"{below} · {left_out}" if left_out else below), *_texts(drawn)],
    })  # fmt: skip
    whose = counted(len(found), told.of, told.order)
    named = told_rows([(one.name, one.told) for one in found])
    alt = f"{told.title}, {whose}: {named}. The axis shows {below}.{f' Drawn are {left_out}.' if left_out else ''}"
    return Chart(told.name, told.title, alt, spec)


def _rows(found: Sequence[Point | None], labels: Sequence[str]) -> list[Spec]:
    """The data of a plot; a row without a number has its name alone."""
    values = []
    for place, (one, label) in enumerate(zip(found, labels, strict=True)):
        number = {"value": one.value, "written": one.written} if one else {}
        interval = (
            {"low": one.low, "high": one.high, "interval": one.interval}
            if one and one.low is not None
            else {}
        )
        values.append({"row": place, "name": label, **number, **interval})
    return values


def _marks(on: Axis, count: int, title: str | None, width: float = WIDTH) -> list[Spec]:
    """The points, and where there are any, their intervals, on lines that leave the names free."""
    x = {"scale": {**on.scale, "range": [0, width]}, "axis": on.drawn(title, grid=False)}
    intervals = layer("interval", "rule", {"x": field("low", **x), "x2": {"field": "high"}}, yOffset=_LINE)
    intervals["transform"] = [{"filter": "isValid(datum.low)"}]
    dots = layer(
        "dot" if width > WIDTH / 2 else "small_dot", "point", {"x": field("value", **x)}, yOffset=_LINE
    )
    zero = [_lines("reference", count, [0.0], x)] if on.low < 0 < on.high else []
    return [_lines("guide", count, on.ticks, x), *zero, intervals, dots]


def _lines(style: str, count: int, places: Sequence[float], x: Spec) -> Spec:
    """Upright lines in every row."""
    values = [{"row": row, "at": at} for row in range(count) for at in places]
    return {
        "data": {"values": values},
        **layer(style, "rule", {"x": field("at", **x), "y2": {"field": "row"}}, **_BESIDE),
    }


def _texts(drawn: Sequence[Point]) -> list[Spec]:
    """Names on the left; on the right intervals, and the numbers before them."""
    interval = layer("note", "text", {"x": {"value": WIDTH}, "text": word("interval")}, dy=_NAME)
    interval["transform"] = [{"filter": "isValid(datum.interval)"}]
    number = {"x": {"value": WIDTH - _right_of(drawn)}, "text": word("written")}
    return [
        layer("name", "text", {"x": {"value": 0}, "text": word("name")}, dy=_NAME),
        layer("value", "text", number, dy=_NAME),
        interval,
    ]


def _right_of(drawn: Sequence[Point]) -> float:
    """How much room intervals take, on the right of their numbers."""
    room = max(breadth(one.interval, 12) for one in drawn)
    return room + 12 if room else 0.0


def _labels(drawn: Sequence[Point]) -> list[str]:
    """The names, cut so that they leave the numbers free."""
    numbers = max(breadth(one.written, _BOLD) for one in drawn)
    room = WIDTH - _right_of(drawn) - numbers - 10
    return distinct(short(one.name, room) for one in drawn)


def side_by_side(board: Board, columns: Sequence[Column], told: Told) -> Chart | None:
    """Several columns of one scale, each in a plot of its own; None where fewer than two have numbers."""
    known = [column for column in columns if has_numbers(board, column)]
    if len(known) < 2:
        return None
    names = names_of(board)
    there = [
        place
        for place, row in enumerate(board.rows)
        if any(point(column, row.get(column.key), "") for column in known)
    ]
    labels = distinct(short(names[place], WIDTH) for place in there[:MOST_ROWS])
    table = [
        [point(column, board.rows[place].get(column.key), names[place]) for column in known]
        for place in there[:MOST_ROWS]
    ]
    ends = [end for line in table for one in line if one for end in one.ends]
    wide = ceil(len(known) / ceil(len(known) / SIDE_BY_SIDE))
    width = (WIDTH - _APART * (wide - 1)) / wide
    plot_width = width - max(breadth(one.written, _BOLD) for line in table for one in line if one) - 10
    on = axis(known[0], ends, zero=told.zero, room=plot_width)
    small = _Small(labels, on, width, plot_width)
    plots = [
        small.plot(column, [line[place] for line in table], is_named=place % wide == 0)
        for place, column in enumerate(known)
    ]
    lines = [
        {"hconcat": plots[at : at + wide], "spacing": _APART, "bounds": "flush"}
        for at in range(0, len(plots), wide)
    ]
    spec = whole(lines[0] if len(lines) == 1 else {"vconcat": lines, "spacing": 28})
    return Chart(told.name, told.title, _alt(known, table, len(there), told), spec)


@dataclass(frozen=True)
class _Small:
    """What plots side by side have in common."""

    labels: Sequence[str]
    on: Axis
    width: float
    plot_width: float  # without its numbers

    def plot(self, column: Column, found: Sequence[Point | None], *, is_named: bool) -> Spec:
        """One of the plots; the first in a line has the names, which reach over the others."""
        number = {"x": {"value": self.width}, "text": word("written")}
        written = layer("value", "text", number, dy=_LINE + 4, fontSize=12)
        written["transform"] = [{"filter": "isValid(datum.written)"}]
        name = layer("name", "text", {"x": {"value": 0}, "text": word("name")}, dy=_NAME)
        marks = _marks(self.on, len(found), None, self.plot_width)
        return {
            "title": {"text": short(column.title, self.width, 12.5), "offset": 6, "frame": "group"},
            "width": self.width,
            "height": ROW * len(found),
            "data": {"values": _rows(found, self.labels)},
            "encoding": {"y": rows(len(found))},
            "layer": [*marks, written, *([name] if is_named else [])],
        }


def _alt(columns: Sequence[Column], table: Sequence[Sequence[Point | None]], count: int, told: Told) -> str:
    titles = [in_full(column.title) for column in columns]
    lines = []
    for line in table:
        known = [(title, one) for title, one in zip(titles, line, strict=True) if one]
        lines.append((known[0][1].name, ", ".join(f"{title} {one.told}" for title, one in known)))
    left = f" {count - len(table)} more are not drawn." if count > len(table) else ""
    whose = counted(count, told.of, told.order)
    return f"{told.title}, {whose}, side by side {listed(titles)}: {told_rows(lines)}.{left}"
