"""Score against cost: numbered points, and below them who they are."""

from collections.abc import Sequence

from interplay.core.board import Board, Column
from interplay.reporting.charts.chart import (
    MOST_ROWS,
    WIDTH,
    Chart,
    Spec,
    counted,
    field,
    headline,
    layer,
    rows,
    told_rows,
    whole,
    word,
)
from interplay.reporting.charts.numbers import (
    Axis,
    Point,
    axis,
    log_ticks,
    names_of,
    nice_step,
    number_of,
    point,
)
from interplay.reporting.charts.words import breadth, distinct, in_full, short

HEIGHT = 240
FAR_APART = 30  # times: costs that differ more stand on a logarithmic axis
LEAST_COST = 1e-9  # dollars: what is less is nothing
_LINE = 20  # pixels of a row of the key
_SIDES = (
    (11, 0),
    (-11, 0),
    (12, -13),
    (-12, -13),
    (12, 13),
    (-12, 13),
    (0, -13),
    (0, 13),
)  # where a number may stand
_NEAR = (11, 12)  # pixels between the middles of a number and of what it must not cover
_TWO_DIGITS = 10
Priced = tuple[Point, float]


def cost_chart(board: Board, column: Column, of: str = "model") -> Chart | None:
    """Score against cost; None where fewer than two models have both, or nothing cost anything."""
    found: list[Priced] = []
    for row, name in zip(board.rows, names_of(board), strict=True):
        one, cost = point(column, row.get(column.key), name), number_of(row.get("cost"))
        if one is not None and cost is not None and cost >= 0:
            found.append((one, cost if cost > LEAST_COST else 0.0))
    found = found[:MOST_ROWS]
    if len(found) < 2 or not any(cost for _, cost in found):
        return None
    score = axis(column, [end for one, _ in found for end in one.ends])
    price = _price_axis([cost for _, cost in found])
    spec = whole({"vconcat": [_plot(found, column, score, price), _key(found)], "spacing": 18})
    lines = [(one.name, f"{one.told} for {_money(cost)}") for one, cost in found]
    title = f"{in_full(column.title)} against cost"
    return Chart("cost", title, f"{title}, of {counted(len(found), of)}: {told_rows(lines)}.", spec)


def _money(cost: float) -> str:
    return f"${cost:,.2f}" if cost >= 0.1 or cost == 0 else f"${cost:.2g}" if cost >= 1e-4 else "<$0.0001"


def _price_axis(costs: Sequence[float]) -> Axis:
    """From nothing on, unless costs are so far apart that the small ones would all stand there."""
    low, high = min(costs), max(costs)
    if low > 0 and high > FAR_APART * low:
        low, high = low / 1.3, high * 1.3
        return Axis(low, high, log_ticks(low, high), "$,~r", is_log=True)
    high *= 1.06
    step = nice_step(high / 5)
    return Axis(0.0, high, tuple(place * step for place in range(int(high / step) + 1)), "$,~r")


def _plot(found: Sequence[Priced], column: Column, score: Axis, price: Axis) -> Spec:
    x = {"scale": price.scale, "axis": price.drawn("cost of its conversations", grid=True)}
    y = {"scale": score.scale, "axis": score.drawn(None)}
    values = [
        {"cost": cost, "value": one.value, "number": str(place + 1),
         **({"low": one.low, "high": one.high} if one.low is not None else {})}
        for place, (one, cost) in enumerate(found)
    ]  # fmt: skip
    at = {"x": field("cost", **x), "y": field("value", **y)}
    intervals = layer("thin_interval", "rule", {**at, "y": field("low", **y), "y2": {"field": "high"}})
    intervals["transform"] = [{"filter": "isValid(datum.low)"}]
    dots = [(WIDTH * price.share(cost), HEIGHT * (1 - score.share(one.value))) for one, cost in found]
    text = {**at, "text": word("number")}
    numbers = [
        {"data": {"values": [value]}, **layer("mark_number", "text", text, dx=dx, dy=dy)}
        for value, (dx, dy) in zip(values, _beside(dots), strict=True)
    ]
    return {
        "title": headline(column.title),
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": values},
        "layer": [intervals, layer("dot", "point", at), *numbers],
    }


def _beside(dots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """For each dot the side on which its number covers fewest other dots and numbers."""
    taken = list(dots)
    found = []
    for number, (x, y) in enumerate(dots, start=1):
        others = [one for one in taken if one != (x, y)]
        sides = [(dx * (1.0 if number < _TWO_DIGITS else 1.3), float(dy)) for dx, dy in _SIDES]
        covered = [
            sum(abs(x + dx - a) < _NEAR[0] and abs(y + dy - b) < _NEAR[1] for a, b in others)
            for dx, dy in sides
        ]
        dx, dy = sides[covered.index(min(covered))]
        taken.append((x + dx, y + dy))
        found.append((dx, dy))
    return found


def _key(found: Sequence[Priced]) -> Spec:
    """Which number is which model, with what it reached and what that cost."""
    costs = [_money(cost) for _, cost in found]
    before = WIDTH - max(breadth(cost, 12) for cost in costs) - 12
    room = before - max(breadth(one.written, 14) for one, _ in found) - 38
    labels = distinct(short(one.name, room) for one, _ in found)
    values = [
        {"row": place, "number": str(place + 1), "name": label, "written": one.written, "cost": cost}
        for place, ((one, _), label, cost) in enumerate(zip(found, labels, costs, strict=True))
    ]

    def text(style: str, key: str, x: float) -> Spec:
        return layer(style, "text", {"x": {"value": x}, "text": word(key)}, dy=14)

    return {
        "width": WIDTH,
        "height": _LINE * len(found),
        "data": {"values": values},
        "encoding": {"y": rows(len(found))},
        "layer": [
            text("value", "number", 16),
            text("name", "name", 28),
            text("value", "written", before),
            text("note", "cost", WIDTH),
        ],
    }
