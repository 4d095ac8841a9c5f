"""Choosing: which charts a board is worth, by its benchmark, the most telling first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from interplay.core.board import Board, Column, Estimate
from interplay.reporting.charts.chart import Chart
from interplay.reporting.charts.costs import cost_chart
from interplay.reporting.charts.further import (
    again_lines,
    ending_bars,
    pair_bars,
    probe_map,
    strategy_bars,
    strength_plot,
    teller_bars,
    topic_map,
)
from interplay.reporting.charts.intervals import Told, interval_plot, side_by_side
from interplay.reporting.charts.learning import gap_plot, learning_curve, skill_map
from interplay.reporting.charts.numbers import (
    column_of,
    has_numbers,
    number_of,
    table_with,
)
from interplay.reporting.charts.tasks import task_plot
from interplay.reporting.charts.words import in_full

MOST_CHARTS = 6
MOST_BESIDE = 9  # columns side by side
Maker = Callable[[Board], Chart | None]
_NO_SCORES = ("void", "unscored", "unread", "unreadable", "empty")  # though they may have an interval


def charts_of(board: Board, benchmark_name: str) -> list[Chart]:
    """The charts of a board, the most telling first; none where it has no numbers."""
    found = (make(board) for make in BY_BENCHMARK.get(benchmark_name, ANY))
    return [chart for chart in found if chart is not None][:MOST_CHARTS]


def _ranking(board: Board) -> Column | None:
    """The first column with estimates, which boards are ordered by."""
    for column in board.columns:
        if column.kind in ("score", "share") and not column.heat and column.key not in _NO_SCORES:
            cells = [row.get(column.key) for row in board.rows]
            if any(isinstance(cell, Estimate) and number_of(cell) is not None for cell in cells):
                return column
    return None


def _first(board: Board, keys: Sequence[str]) -> Column | None:
    """The one of these columns that stands first on the board and has numbers."""
    return next(
        (column for column in board.columns if column.key in keys and has_numbers(board, column)), None
    )


def _any_score(board: Board) -> Chart | None:
    column = _ranking(board)
    return interval_plot(board, column, Told("score", in_full(column.title))) if column else None


def _score(told: Told, key: str) -> Maker:
    return lambda board: interval_plot(board, column_of(board, key), told)


def _either(*choices: tuple[str, Told]) -> Maker:
    """The plot of that one of several columns which stands first on the board."""

    def make(board: Board) -> Chart | None:
        column = _first(board, [key for key, _ in choices])
        return interval_plot(board, column, dict(choices)[column.key]) if column else None

    return make


def _cost(titles: Mapping[str, str] | None = None, of: str = "model") -> Maker:
    """Cost against that one of some columns which stands first on the board."""

    def make(board: Board) -> Chart | None:
        column = _first(board, list(titles)) if titles else _ranking(board)
        if column is None:
            return None
        return cost_chart(board, replace(column, title=(titles or {}).get(column.key, column.title)), of)

    return make


def _beside(told: Told, titles: Mapping[str, str], on: Sequence[str] = ()) -> Maker:
    """Several columns side by side, of the board itself or of the part that has certain columns."""

    def make(board: Board) -> Chart | None:
        where = table_with(board, on) if on else board
        if where is None:
            return None
        columns = {column.key: column for column in where.columns}
        shown = [replace(columns[key], title=title) for key, title in titles.items() if key in columns]
        return side_by_side(where, shown, told)

    return make


def _criteria(board: Board) -> Chart | None:
    """Whatever criteria the rubric has: the columns on the scale of their mean."""
    mean = column_of(board, "aggregate")
    if mean is None:
        return None
    columns = [
        replace(column, title=column.key.replace("_", " "))
        for column in board.columns
        if column.kind == "score"
        and column.scale == mean.scale
        and column.key not in ("aggregate", "ln_score")
    ]
    return side_by_side(board, columns[:MOST_BESIDE], Told("criteria", "Criteria, one by one"))


def _correlations(board: Board) -> Chart | None:
    columns = [column for column in board.columns if column.scale == (-1.0, 1.0)][:MOST_BESIDE]
    told = Told("agreement", "How judges and people agree", of="judge", order="")
    if len(columns) == 1:
        return interval_plot(board, columns[0], told)
    return side_by_side(board, columns, told)


ANY: tuple[Maker, ...] = (_any_score, _cost())
BY_BENCHMARK: Mapping[str, tuple[Maker, ...]] = {
    "role_play": (
        _score(Told("score", "LN score", "mean of the criteria, long replies marked down"), "ln_score"),
        _criteria,
        _cost({"ln_score": "LN score"}),
    ),
    "word_guessing": (
        _either(("age", Told("score", "AGE")), ("age_paper", Told("score", "AGE, as the paper counts it"))),
        _beside(
            Told("abilities", "To understand, and not to be understood"),
            {"comprehension": "comprehension", "confusion": "confusion"},
        ),
        topic_map,
        strength_plot,
        _cost({"age": "AGE", "age_paper": "AGE, as the paper counts it"}),
    ),
    "simulation": (
        _score(Told("score", "Mean rating", "mean rating over all scripts"), "all"),
        _beside(
            Told("scripts", "By type of script and kind of task"),
            {
                "last_only": "last turns only",
                "first_chan": "first challenges",
                "subseq_chan": "turns after them",
                "stateless": "stateless tasks",
                "stateful": "stateful tasks",
            },
        ),
        pair_bars,
        task_plot,
        _cost({"all": "Mean rating"}),
    ),
    "simulation_dialogues": (
        _score(
            Told("score", "Challenging dialogues", "share with a challenging turn", "simulator", "", zero=True),
            "challenging",
        ),
        strategy_bars,
    ),
    "task_dialogue": (
        _either(
            ("success", Told("score", "Success", "share of goals met, by database and office", "system")),
            ("completed", Told("score", "Judged complete", "share of dialogues judged complete", "system")),
        ),
        ending_bars,
        _beside(
            Told("goals", "What of the goals was met", of="system"),
            {"completed": "judged complete", "inform": "inform", "book": "book", "request": "request"},
        ),
        _beside(
            Told("users", "The simulated user", of="system", order=""),
            {"match": "goal told", "diversity": "diversity", "repeats": "repeats"},
            ("diversity", "looped"),
        ),
        again_lines,
        _cost({"success": "Success", "completed": "Judged complete"}, "system"),
    ),
    "social_interaction": (
        _score(Told("score", "Information exchange (IEP)", "key points that players learned, %"), "iep"),
        gap_plot,
        learning_curve,
        skill_map,
        _beside(
            Told("corrected", "IEP, and with judges' errors taken off"),
            {"iep": "IEP", "corrected": "corrected"},
        ),
        teller_bars,
        _beside(
            Told("matchers", "How well judges match key points", of="judge", order="", zero=True),
            {"found": "found", "false": "false pairs"},
            ("found", "rightly", "false"),
        ),
        _cost({"iep": "IEP"}),
    ),
    "social_interaction_reading": (gap_plot, learning_curve, skill_map),
    "judge_probe": (
        _score(
            Told("score", "How far injections fool judges", "rise of attack success over clean twins, low is good",
                 "judge", "the least fooled first", zero=True),
            "change",
        ),
        _score(
            Told("sees", "Planted defects that judges see", "share of defects seen, high is good", "judge", ""),
            "sees",
        ),
        probe_map("kinds", "Planted defects seen, by kind", "kind", "sees"),
        probe_map("families", "Attack success, by family of injections", "family", "success"),
        _cost({"sees": "Defects seen"}, "judge"),
    ),
    "agreement": (_correlations,),
}  # fmt: skip
