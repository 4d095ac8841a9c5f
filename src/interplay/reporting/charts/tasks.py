"""Tasks: the hardest and the easiest ones of either kind, in one plot."""

from interplay.core.board import Board, Column
from interplay.reporting.charts.chart import Chart
from interplay.reporting.charts.intervals import Told, plot_of
from interplay.reporting.charts.numbers import Point, has_columns, point

MOST = 6  # of the hardest, and of the easiest


def task_plot(board: Board) -> Chart | None:
    """The hardest tasks, the hardest first, and after them the easiest; each with its kind."""
    column: Column | None = None
    found: dict[bool, list[tuple[float, str, Point]]] = {True: [], False: []}
    for part in board.parts:
        if not has_columns(part, ("task", "rating")):
            continue
        side, _, kind = part.title.removesuffix(" tasks").partition(" ")
        column = next(one for one in part.columns if one.key == "rating")
        for row in part.rows:
            name = f"{row.get('task')} ({kind})"
            one = point(column, row.get("rating"), name)
            if one is not None:
                found[side == "Hardest"].append((one.value, name, one))
    hard = sorted(found[True], key=lambda one: one[:2])[:MOST]
    easy = sorted(found[False], key=lambda one: one[:2])[-MOST:]
    drawn = [one for _, _, one in (*hard, *(one for one in easy if one not in hard))]
    if column is None or len(drawn) < 2:
        return None
    title = f"The {len(hard)} hardest and the {len(easy)} easiest tasks"
    return plot_of(
        drawn, column, Told("tasks", title, "mean rating over all models", "task", "the hardest first")
    )
