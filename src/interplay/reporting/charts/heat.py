"""Heat maps: a line of shaded cells for each row, its name above it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from interplay.core.board import Cell, Column
from interplay.reporting.cells import within, written
from interplay.reporting.charts.chart import (
    MOST_ROWS,
    WIDTH,
    Chart,
    Spec,
    field,
    layer,
    rows,
    told_rows,
    whole,
    word,
)
from interplay.reporting.charts.numbers import number_of
from interplay.reporting.charts.themes import STEPS
from interplay.reporting.charts.words import breadth, distinct, in_full, plain, short

ROW = 48  # pixels
_NAME, _CELL = 15, (21, 44)
_MOST_BESIDE = 12  # columns: more stand in a second map below
MOST_COLUMNS = 36
_SLANT = -40  # degrees of headings that do not fit above their cells
_LONGEST_HEADING = 110  # pixels
Numbers = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Heat:
    """Cells by row and heading, all of one column's kind, and how the chart is called."""

    name: str
    title: str
    column: Column
    cells: Mapping[tuple[str, str], Cell]
    rows: Sequence[str]
    headings: Sequence[str]

    def written(self, number: float) -> str:
        return written(self.column, within(self.column, number))


def heat_map(heat: Heat) -> Chart | None:
    """The map; None where there are no two cells with a number."""
    known = {key: number for key, cell in heat.cells.items() if (number := number_of(cell)) is not None}
    if len(known) < 2:
        return None
    columns = [heading for heading in heat.headings if any((row, heading) in known for row in heat.rows)]
    headings = columns[:MOST_COLUMNS]
    lines = [row for row in heat.rows if any((row, heading) in known for heading in headings)]
    maps = ceil(len(headings) / _MOST_BESIDE)
    drawn = lines[: MOST_ROWS // maps]
    shown = {(row, heading): known[row, heading] for row in drawn for heading in headings
             if (row, heading) in known}  # fmt: skip
    each = ceil(len(headings) / maps)
    plots = [_map(heat, shown, drawn, headings[at : at + each]) for at in range(0, len(headings), each)]
    spec = whole(plots[0] if maps == 1 else {"vconcat": plots, "spacing": 16})
    left = _left_out(len(lines) - len(drawn), len(columns) - len(headings))
    told = [(row, _extremes(heat, shown, row)) for row in drawn]
    return Chart(heat.name, heat.title, f"{heat.title}, as a heat map. {told_rows(told)}.{left}", spec)


def _left_out(lines: int, columns: int) -> str:
    told = [f"{count} {what}" for count, what in ((lines, "rows"), (columns, "columns")) if count > 0]
    return f" Not drawn: {' and '.join(told)}." if told else ""


def _map(heat: Heat, shown: Numbers, drawn: Sequence[str], headings: Sequence[str]) -> Spec:
    """Some of the columns; shades go from the lowest to the highest number of all."""
    each = WIDTH / len(headings)
    slanted = any(breadth(plain(heading), 12) > each - 4 for heading in headings)
    labels = distinct(short(heading, _LONGEST_HEADING if slanted else each, 12) for heading in headings)
    low, high = min(shown.values()), max(shown.values())
    values: list[Spec] = []
    for place, row in enumerate(drawn):
        for heading, label in zip(headings, labels, strict=True):
            if (row, heading) in shown:
                number = shown[row, heading]
                warmth = (number - low) / (high - low) if high > low else 0.5
                step = min(STEPS - 1, int(STEPS * warmth))
                values.append(
                    {
                        "row": place,
                        "at": label,
                        "warmth": warmth,
                        "step": step,
                        "number": heat.written(number),
                    }
                )
    names = [
        {"row": place, "name": label} for place, label in enumerate(distinct(short(name) for name in drawn))
    ]
    name = layer("name", "text", {"x": {"value": 0}, "text": word("name")}, dy=_NAME)
    return {
        "width": WIDTH,
        "height": ROW * len(drawn),
        "encoding": {"y": rows(len(drawn))},
        "layer": [_cells(values, labels, slanted), {"data": {"values": names}, **name}],
    }


def _cells(values: Sequence[Spec], labels: Sequence[str], slanted: bool) -> Spec:
    heads = {"orient": "top", "title": None, "labelAngle": _SLANT if slanted else 0,
             "labelAlign": "left" if slanted else "center", "labelBaseline": "bottom", "grid": False,
             "labelOverlap": False, "labelPadding": 2}  # fmt: skip
    x = word("at", scale={"domain": list(labels), "paddingInner": 0, "paddingOuter": 0}, axis=heads)
    shade = field("warmth", scale={"domain": [0, 1], "range": "ramp"}, legend=None)
    ink = {"field": "step", "type": "ordinal", "legend": None,
           "scale": {"domain": list(range(STEPS)), "range": "numbers"}}  # fmt: skip
    cells = layer("shade", "rect", {"x": x, "fill": shade, "y2": {"field": "row"}}, yOffset=_CELL[0],
                  y2Offset=_CELL[1])  # fmt: skip
    numbers = layer(
        "cell_number", "text", {"x": x, "text": word("number"), "color": ink}, yOffset=sum(_CELL) / 2
    )
    return {"data": {"values": list(values)}, "layer": [cells, numbers]}


def _extremes(heat: Heat, shown: Numbers, row: str) -> str:
    """The highest and the lowest of a row."""
    mine = [(number, heading) for (line, heading), number in shown.items() if line == row]
    (least, lowest), (most, highest) = min(mine), max(mine)
    if len(mine) == 1:
        return f"has {heat.written(most)} in {in_full(highest)}"
    if most == least:
        return f"has {heat.written(most)} everywhere"
    return f"has most in {in_full(highest)} ({heat.written(most)}), least in {in_full(lowest)} ({heat.written(least)})"
