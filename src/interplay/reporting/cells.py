"""How a cell of a board is written, the same everywhere."""

from interplay.core.board import Cell, Column, Estimate

NOTHING = "–"
LOPSIDED = 0.1  # of an interval's width: more of a difference between its sides is shown
LEAST_CHANCE = 0.001  # below it a probability is only said to be small


def written(column: Column, cell: Cell) -> str:
    """The cell's value."""
    if isinstance(cell, Estimate):
        cell = cell.value
    if cell is None:
        return "unknown" if column.kind == "money" else NOTHING
    if isinstance(cell, str):
        return cell
    match column.kind:
        case "score":
            return f"{cell:.2f}"
        case "share":
            return f"{cell:.0%}" if cell in (0, 1) or 0.1 <= cell <= 0.9 else f"{cell:.1%}"
        case "amount":
            return f"{cell:,.0f}"
        case "money":
            return f"{cell:,.2f}"
        case "chance":
            return "<0.001" if cell < LEAST_CHANCE else f"{cell:.3f}"
        case _:
            return f"{cell:,}"


def interval(column: Column, cell: Cell) -> str:
    """The cell's interval, kept within the scale; empty where the column has none."""
    if not isinstance(cell, Estimate):
        return ""
    if cell.low is None or cell.high is None:
        return "no interval" if cell.value is not None else ""
    low, high = within(column, cell.low), within(column, cell.high)
    if column.kind == "share":
        return f"{100 * low:.0f}–{100 * high:.0f}%"
    return f"{low:.2f} to {high:.2f}" if low < 0 else f"{low:.2f}–{high:.2f}"


def half_width(column: Column, cell: Cell) -> str:
    """The interval where there is little room: what may be added or taken away, if it is the same on both sides."""
    if isinstance(cell, Estimate) and cell.value is not None and cell.low is None:
        return "±?"
    if not isinstance(cell, Estimate) or cell.low is None or cell.high is None or column.kind == "share":
        return interval(column, cell)
    above, below = cell.high - (cell.value or 0.0), (cell.value or 0.0) - cell.low
    if abs(above - below) > LOPSIDED * (above + below):
        return interval(column, cell)
    return f"±{(above + below) / 2:.2f}"


def within(column: Column, number: float) -> float:
    """No interval reaches beyond what its scale can show."""
    low, high = column.scale or ((0.0, 1.0) if column.kind == "share" else (float("-inf"), float("inf")))
    return min(max(number, low), high)
