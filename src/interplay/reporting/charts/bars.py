"""Stacked bars: what a whole is made of, a bar for each row, its name above it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of

from interplay.core.board import Board
from interplay.reporting.charts.chart import (
    MOST_ROWS,
    WIDTH,
    Chart,
    Spec,
    field,
    headline,
    layer,
    rows,
    shown,
    told_rows,
    whole,
    word,
)
from interplay.reporting.charts.numbers import number_of
from interplay.reporting.charts.words import breadth, distinct, short

ROW = 46  # pixels
_NAME, _BAR = 15, (22, 40)  # where in a row its name stands, and from where to where its bar goes
_LEAST_NUMBER = 0.075  # of a bar: a smaller part has no room for its number
_LEGEND_GAP = 38  # pixels beside a word of the legend
_ALONG = {"scale": {"domain": [0, 1]}, "axis": None}


@dataclass(frozen=True)
class Parts:
    """What bars are made of, and how the chart is called."""

    name: str
    title: str
    keys: Sequence[str]  # columns of the board, in the order of the range's colours
    range: str  # of the theme
    of: str  # what is told of them, in a sentence
    counted: str = ""  # what is counted, as dialogues; empty where the columns are shares of a whole
    titles: Mapping[str, str] = field_of(default_factory=dict)  # by key, where a column's own says too little

    def written(self, amount: float, total: float) -> str:
        return f"{amount:,.0f}" if self.counted else f"{amount / total:.0%}"


@dataclass(frozen=True)
class _Bar:
    name: str
    other: str  # the name on the right, where two share the whole
    amounts: Mapping[str, float]  # by what a part is called

    @property
    def total(self) -> float:
        return sum(self.amounts.values())


def stacked(board: Board, parts: Parts, names: Sequence[tuple[str, str]]) -> Chart | None:
    """A bar for each row that has any of the parts; None where there is none.

    A name stands above each bar on the left; of two that share a whole, the other's on the right.
    """
    columns = {column.key: column for column in board.columns}
    titles = {
        key: parts.titles.get(key) or short(columns[key].title, WIDTH / 2, 12)
        for key in parts.keys
        if key in columns
    }
    found = []
    for row, (name, other) in zip(board.rows, names, strict=True):
        amounts = {title: max(0.0, number_of(row.get(key)) or 0.0) for key, title in titles.items()}
        found.append(_Bar(name, other, amounts))
    found = [bar for bar in found if bar.total > 0]
    if not found:
        return None
    drawn = found[:MOST_ROWS]
    left_out = shown(len(drawn), len(found))
    spec = whole({
        "width": WIDTH,
        "height": ROW * len(drawn),
        "encoding": {"y": rows(len(drawn))},
        "layer": [_bars(drawn, list(titles.values()), parts.range), _numbers(drawn, parts), _names(drawn, parts)],
        **({"title": headline(left_out)} if left_out else {}),
    })  # fmt: skip
    told = [(f"{bar.name} v {bar.other}" if bar.other else bar.name, _told(bar, parts)) for bar in found]
    return Chart(parts.name, parts.title, f"{parts.of}, as stacked bars. {told_rows(told)}.", spec)


def _bars(drawn: Sequence[_Bar], titles: Sequence[str], range_: str) -> Spec:
    values: list[Spec] = []
    for place, bar in enumerate(drawn):
        reached = 0.0
        for title, amount in bar.amounts.items():
            end = reached + amount / bar.total
            if amount > 0:
                values.append({"row": place, "part": title, "from": reached, "to": end})
            reached = end
    there = [title for title in titles if any(bar.amounts[title] > 0 for bar in drawn)]
    widest = max(breadth(title, 12) for title in there) + _LEGEND_GAP
    legend = {"title": None, "values": there, "columns": max(1, min(len(there), int(WIDTH // widest)))}
    encoding = {
        "x": field("from", **_ALONG),
        "x2": {"field": "to"},
        "y2": {"field": "row"},
        "color": word("part", scale={"domain": list(titles), "range": range_}, legend=legend),
    }
    return {
        "data": {"values": values},
        **layer("part", "rect", encoding, yOffset=_BAR[0], y2Offset=_BAR[1]),
    }


def _numbers(drawn: Sequence[_Bar], parts: Parts) -> Spec:
    """Numbers in those parts that have the room."""
    values: list[Spec] = []
    for place, bar in enumerate(drawn):
        reached = 0.0
        for amount in bar.amounts.values():
            share = amount / bar.total
            if share >= _LEAST_NUMBER:
                number = parts.written(amount, bar.total)
                values.append({"row": place, "at": reached + share / 2, "number": number})
            reached += share
    encoding = {"x": field("at", **_ALONG), "text": word("number")}
    return {"data": {"values": values}, **layer("part_number", "text", encoding, yOffset=sum(_BAR) / 2)}


def _names(drawn: Sequence[_Bar], parts: Parts) -> Spec:
    """Names above the bars, and on the right how many the whole is, or the other name."""
    half = WIDTH / 2 - 8
    if any(bar.other for bar in drawn):
        left, right = ([short(name, half) for name in names] for names in (
            [bar.name for bar in drawn], [bar.other for bar in drawn]))  # fmt: skip
        style = {"style": "name", "align": "right"}
    else:
        left = distinct(short(bar.name) for bar in drawn)
        right = [f"{bar.total:,.0f} {parts.counted}" if parts.counted else "" for bar in drawn]
        style = {"style": "note"}
    both = enumerate(zip(left, right, strict=True))
    values = [{"row": place, "left": one, "right": other} for place, (one, other) in both]
    name = layer("name", "text", {"x": {"value": 0}, "text": word("left")}, dy=_NAME)
    other = layer("", "text", {"x": {"value": WIDTH}, "text": word("right")}, dy=_NAME)
    other["mark"] |= style
    return {"data": {"values": values}, "layer": [name, other]}


def _told(bar: _Bar, parts: Parts) -> str:
    known = [(title, amount) for title, amount in bar.amounts.items() if amount > 0]
    named = ", ".join(f"{title} {parts.written(amount, bar.total)}" for title, amount in known)
    return f"{named} of {bar.total:,.0f} {parts.counted}" if parts.counted else named
