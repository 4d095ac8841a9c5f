"""Learning: the gap between readers who learned from models' play and from real play, and how they learned."""

from interplay.core.board import Board, Column
from interplay.reporting.charts.chart import Chart
from interplay.reporting.charts.heat import Heat, heat_map
from interplay.reporting.charts.intervals import Told, interval_plot
from interplay.reporting.charts.lines import Lines, line_chart
from interplay.reporting.charts.numbers import Point, column_of, number_of, point, table_with

_BASELINE = "last speaker"


def gap_plot(board: Board) -> Chart | None:
    """The gap of each model, the smallest first; with the game master who read, where there are several."""
    part = table_with(board, ("gap_o", "dm", "model"))
    if part is None:
        return None
    told = Told("gap", "Gap to real play (IEG)", "gap on who is asked for which check (G^o, %), low is good", "model",
                "the nearest to real play first", zero=True)  # fmt: skip
    several = len({str(row.get("dm")) for row in part.rows}) > 1
    names = [
        f"{row.get('model')}, read by {row.get('dm')}" if several else str(row.get("model"))
        for row in part.rows
    ]
    return interval_plot(part, column_of(part, "gap_o"), told, names)


def learning_curve(board: Board) -> Chart | None:
    """What more windows to learn from bring, against the reader that names the last speaker."""
    part = table_with(board, ("reader", "dm", "size", "f_o"), without=("above_o",))
    column = column_of(part, "f_o") if part else None
    if part is None or column is None:
        return None
    several = len({str(row.get("dm")) for row in part.rows}) > 1
    series: dict[str, list[tuple[float, Point]]] = {}
    for row in part.rows:
        name = f"{row.get('reader')}, {row.get('dm')}" if several else str(row.get("reader"))
        one, size = point(column, row.get("f_o"), name), number_of(row.get("size"))
        if one is not None and size is not None:
            series.setdefault(name, []).append((size, one))
    doubling = all(size > 0 for mine in series.values() for size, _ in mine)
    title = Column(column.key, "F-score on who is asked for which check, %", "", "score", column.scale)
    return line_chart(Lines("learning", "What more play to learn from brings", title, _ordered(series),
                            "windows that the reader learned from", doubling, _baseline(board)))  # fmt: skip


def _ordered(series: dict[str, list[tuple[float, Point]]]) -> dict[str, list[tuple[float, Point]]]:
    """Those of real play first, then by what they reached in the end."""

    def reached(name: str) -> tuple[bool, float, str]:
        return not name.startswith("real play"), -max(series[name], key=lambda one: one[0])[1].value, name

    return {name: series[name] for name in sorted(series, key=reached)}


def _baseline(board: Board) -> Point | None:
    part = table_with(board, ("reader", "dm", "size", "f_o", "above_o"))
    column = column_of(part, "f_o") if part else None
    if part is None or column is None:
        return None
    row = next((row for row in part.rows if row.get("reader") == _BASELINE), None)
    return point(column, row.get("f_o"), _BASELINE) if row else None


def skill_map(board: Board) -> Chart | None:
    """How often each skill was found, by what the reader learned from."""
    part = table_with(board, ("skill", "n"), without=("wants",))
    columns = [column for column in part.columns if column.heat] if part else []
    if part is None or not columns:
        return None
    skills = [str(row.get("skill")) for row in part.rows]
    cells = {
        (column.title, skill): row.get(column.key)
        for column in columns
        for skill, row in zip(skills, part.rows, strict=True)
    }
    whole = Column("recall", "recall", "", "amount", columns[0].scale)
    readers = [column.title for column in columns]
    return heat_map(
        Heat("skills", "Skills found, by what the reader learned from (%)", whole, cells, readers, skills)
    )
