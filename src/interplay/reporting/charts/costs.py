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
from interplay.reporting.charts.words import breadth, distinct, plain, short

HEIGHT = 240
FAR_APART = 30  # times: costs that differ more stand on a logarithmic axis
_LINE = 20  # pixels of a row of the key
_SIDES = (
    (11, 0),
    (-11, 0),
    (9, -10),
    (-9, -10),
    (9, 10),
    (-9, 10),
    (0, -13),
    (0, 13),
)  # of a dot, for its number
_NEAR = (13, 12)  # pixels between the middles of a number and of what it must not cover
Priced = tuple[Point, float]


def cost_chart(board: Board, column: Column, of: str = "model") -> Chart | None:
    """Score against cost; None where fewer than two models have both, or nothing cost anything."""
    names = names_of(board)
    found: list[Priced] = []
    for row, name in zip(board.rows, names, strict=True):
        one, cost = point(column, row.get(column.key), name), number_of(row.get("cost"))
        if one is not None and cost is not None and cost >= 0:
            found.append((one, cost))
    found = found[:MOST_ROWS]
    if len(found) < 2 or not any(cost for _, cost in found):
        return None
    score = axis(column, [end for one, _ in found for end in one.ends])
    price = _price_axis([cost for _, cost in found])
    spec = whole({"vconcat": [_plot(found, column, score, price), _key(found)], "spacing": 18})
    lines = [(one.name, f"{one.told} for {_money(cost)}") for one, cost in found]
    alt = f"{plain(column.title)} against cost, of {counted(len(found), of)}: {told_rows(lines)}."
    return Chart("cost", f"{plain(column.title)} against cost", alt, spec)


def _money(cost: float) -> str:
    return f"${cost:,.2f}" if cost >= 0.1 or cost == 0 else f"${cost:.2g}" if cost >= 1e-4 else "<$0.0001"


def _price_axis(costs: Sequence[float]) -> Axis:
    low, high = min(costs), max(costs)
    if low > 0 and high > FAR_APART * low:
        return Axis(low / 1.3, high * 1.3, log_ticks(low / 1.3, high * 1.3), "$,~r", is_log=True)
    step = nice_step(high * 1.06 / 5)
    ticks = tuple(round(place * step, 12) for place in range(int(high * 1.06 / step) + 1))
    return Axis(0.0, high * 1.06, ticks, "$,~r")


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
    numbers = [
        {"data": {"values": [value]}, **layer("mark_number", "text", {**at, "text": word("number")},
                                              dx=dx, dy=dy)}
        for value, (dx, dy) in zip(values, _beside(dots), strict=True)
    ]  # fmt: skip
    return {
        "title": headline(plain(column.title)),
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": values},
        "layer": [intervals, layer("dot", "point", at), *numbers],
    }


def _beside(dots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """For each dot the side on which its number covers fewest other dots and numbers."""
    taken: list[tuple[float, float]] = list(dots)
    found: list[tuple[float, float]] = []
    for place, (x, y) in enumerate(dots):
        others = [one for one in taken if one != (x, y)]
        broader = 1.0 if place < 9 else 1.3  # two digits
        sides = [(broader * dx, dy) for dx, dy in _SIDES]
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
