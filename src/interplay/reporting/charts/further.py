"""Further charts: of the tables that stand below a board."""

from collections.abc import Callable
from dataclasses import replace

from interplay.core.board import Board
from interplay.reporting.charts.bars import Parts, stacked
from interplay.reporting.charts.chart import Chart
from interplay.reporting.charts.heat import Heat, heat_map
from interplay.reporting.charts.intervals import Told, interval_plot
from interplay.reporting.charts.lines import Lines, line_chart
from interplay.reporting.charts.numbers import Point, column_of, names_of, point, table_with
from interplay.reporting.charts.words import in_full

_VERSUS = " v "  # stands between the names of two models


def topic_map(board: Board) -> Chart | None:
    """The part with shaded columns, as it is."""
    part = next((one for one in board.parts if any(column.heat for column in one.columns)), None)
    if part is None:
        return None
    columns, names = [column for column in part.columns if column.heat], names_of(part)
    cells = {
        (name, column.title): row.get(column.key)
        for name, row in zip(names, part.rows, strict=True)
        for column in columns
    }
    headings = [column.title for column in columns]
    return heat_map(Heat("topics", in_full(part.title), columns[0], cells, names, headings))


def strength_plot(board: Board) -> Chart | None:
    part = table_with(board, ("strength", "won", "lost"))
    told = Told(
        "strength", "Who finds the other's word first", "Bradley-Terry strength in logits, 0 is the mean"
    )
    return interval_plot(part, column_of(part, "strength"), told) if part else None


def pair_bars(board: Board) -> Chart | None:
    part = table_with(board, ("models", "win", "tie", "lose"))
    if part is None:
        return None
    parts = Parts(
        "pairs",
        "Two models on the same scripts",
        ("win", "tie", "lose"),
        "sides",
        "Shares of scripts that the first of two models wins, ties or loses",
        titles={"win": "left wins", "tie": "tie", "lose": "right wins"},
    )
    known = set(names_of(board))
    return stacked(part, parts, [_two(name, known) for name in names_of(part, "models")])


def _two(both: str, known: set[str]) -> tuple[str, str]:
    """The two models of a row; a name may have the word between them in itself."""
    words = both.split(_VERSUS)
    splits = [(_VERSUS.join(words[:at]), _VERSUS.join(words[at:])) for at in range(1, len(words))]
    return next((two for two in splits if known.issuperset(two)), splits[0] if splits else (both, ""))


def _alone(board: Board) -> list[tuple[str, str]]:
    return [(name, "") for name in names_of(board)]


def strategy_bars(board: Board) -> Chart | None:
    keys = ("improvement", "next_step", "new_request", "other")
    of = "Shares of the user agent's requests by strategy"
    return stacked(
        board, Parts("strategies", "What user agents do next", keys, "category", of), _alone(board)
    )


def ending_bars(board: Board) -> Chart | None:
    part = table_with(board, ("completed", "gave up", "loop", "all"))
    keys = ("completed", "gave up", "loop", "cap", "simulator error", "system error", "other", "not told")
    parts = Parts("endings", "How dialogues ended", keys, "endings", "How dialogues ended", "dialogues")
    return stacked(part, parts, _alone(part)) if part else None


def again_lines(board: Board) -> Chart | None:
    """pass^k: by what the database says, or where it says nothing, by judges."""
    part = table_with(board, ("by", "k1", "k2"))
    if part is None or not part.rows:
        return None
    columns = [column for column in part.columns if column.key[1:].isdecimal()]
    by = str(part.rows[0].get("by"))
    series: dict[str, list[tuple[float, Point]]] = {}
    for row in part.rows:
        if str(row.get("by")) == by:
            name = str(row.get("model"))
            found = [(column, point(column, row.get(column.key), name)) for column in columns]
            series[name] = [(float(column.key[1:]), one) for column, one in found if one is not None]
    chance = replace(columns[0], title=f"chance that all of k dialogues pass, by {in_full(by)}", kind="share")
    return line_chart(
        Lines(
            "again",
            "The same goal again and again (pass^k)",
            chance,
            series,
            "k, dialogues with the same goal",
        )
    )


def teller_bars(board: Board) -> Chart | None:
    """Who told key points first, over all of them."""
    part = table_with(board, ("point", "told_npc", "told_player", "never"))
    if part is None:
        return None
    every = replace(part, rows=tuple(row for row in part.rows if row.get("point") == "all"))
    parts = Parts(
        "tellers",
        "Who told key points first",
        ("told_npc", "told_player", "never"),
        "tellers",
        "Shares of key points by who told them first",
        titles={"told_npc": "the one who knows", "told_player": "a player", "never": "nobody"},
    )
    return stacked(every, parts, _alone(every))


def probe_map(name: str, title: str, group: str, key: str) -> Callable[[Board], Chart | None]:
    """Judges by groups of probes."""

    def make(board: Board) -> Chart | None:
        part = table_with(board, (group, key))
        column = column_of(part, key) if part else None
        if part is None or column is None:
            return None
        cells = {(str(row.get("model")), _words(row.get(group))): row.get(key) for row in part.rows}
        judges = list(dict.fromkeys(judge for judge, _ in cells))
        return heat_map(Heat(name, title, column, cells, judges, sorted({words for _, words in cells})))

    return make


def _words(cell: object) -> str:
    return str(cell).replace("_", " ")
