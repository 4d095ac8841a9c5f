"""A run as one HTML file: its board and its conversations, with nothing loaded from anywhere."""

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.reporting.cells import interval, within, written
from interplay.reporting.transcript import is_private, shown_lines
from interplay.reporting.writing import refuse_store, write_whole
from interplay.running.results import options_of
from interplay.store.records import Records, Run

MOST_CONVERSATIONS = 500  # in one file; a browser has to hold them all
SIZES = 5  # of the words of a cloud; the page's style has as many


def write_report(path: Path, board: Board, records: Records, run: Run, benchmark: Benchmark) -> None:
    """Write the report; a file that is there already is replaced whole or not at all."""
    refuse_store(path, records.path)
    write_whole(path, [report(board, records, run, benchmark)])


def report(board: Board, records: Records, run: Run, benchmark: Benchmark) -> str:
    """The report's text. Everything from models is text: the template escapes it."""
    verdicts = records.verdicts(run)
    rows = records.conversations(run)
    conversations = [
        {
            "row": row,
            "verdicts": [v for v in verdicts.get((row.number, ""), []) if v.rubric == run.extent["rubric"]],
        }
        for row in rows[:MOST_CONVERSATIONS]
    ]
    return _template().render(
        board=board,
        run=run,
        benchmark=benchmark,
        subjects=[role.name for role in benchmark.subjects(options_of(run, benchmark))],
        conversations=conversations,
        left_out=len(rows) - len(conversations),
    )


def write_board(path: Path, board: Board) -> None:
    """Write a board alone, with its parts, as a page that needs nothing else."""
    write_whole(path, [_template().render(board=board, run=None, conversations=[], left_out=0)], "page")


def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("interplay.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.globals.update(written=written, interval=interval, bar=_bar, shade=_shade, cloud=_cloud)
    environment.globals.update(has_bars=_has_bars)
    environment.globals.update(shown_lines=shown_lines, is_private=is_private)
    return environment.get_template("report.html")


def board_as_html(board: Board) -> str:
    """The board alone, as a plain table for a page that has a look of its own; everything is escaped."""
    head = "".join(
        f'<th title="{escape(column.meaning)}">{escape(column.title)}</th>' for column in board.columns
    )
    rows = []
    for row in board.rows:
        cells = [
            (written(column, row[column.key]), interval(column, row[column.key])) for column in board.columns
        ]
        rows.append(
            "".join(f"<td>{escape(value)}<br><small>{escape(below)}</small></td>" for value, below in cells)
        )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    notes = "".join(f"<li>{escape(note)}</li>" for note in board.notes)
    title = f"<strong>{escape(board.title)}</strong>"
    table = f"{title}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><ul>{notes}</ul>"
    return table + "".join(board_as_html(part) for part in board.parts)


def _cloud(board: Board) -> list[tuple[str, int]]:
    """The words of a board that is a cloud, by the alphabet, each with its size from 1 to SIZES.

    Sizes follow the square root of the count, so that the area of a word grows as its count does; where all counts are
    equal, all words have the size in the middle.
    """
    if not board.cloud:
        return []
    roots = {str(row["word"]): _count(row["count"]) ** 0.5 for row in board.rows}
    low, high = min(roots.values(), default=0.0), max(roots.values(), default=0.0)

    def size(root: float) -> int:
        return 1 + round((SIZES - 1) * ((root - low) / (high - low) if high > low else 0.5))

    return [(word, size(roots[word])) for word in sorted(roots)]


def _count(cell: Cell) -> int:
    return max(0, cell) if isinstance(cell, int) else 0


def _shade(board: Board, column: Column, cell: Cell) -> int | None:
    """How much colour a shaded cell has, in percent: never so much that its text is hard to read."""
    warmth = board.warmth(column, cell)
    return None if warmth is None else round(4 + 46 * warmth)


def _has_bars(board: Board) -> bool:
    """Is there a bar to explain on the board?"""
    columns = [column for column in board.columns[1:] if not column.heat]
    return any(_bar(board, column, row[column.key]) is not None for row in board.rows for column in columns)


def _bar(board: Board, column: Column, cell: Cell) -> Mapping[str, Any] | None:
    """Where value and interval stand between the column's lowest and highest end, in percent."""
    if not isinstance(cell, Estimate) or cell.value is None or column.scale is None:
        return None
    ends = [end for row in board.rows for end in _ends(column, row[column.key])]
    low, high = min(ends), max(ends)
    room = (high - low) or 1.0

    def place(number: float) -> float:
        return round(4 + 92 * (number - low) / room, 2)

    left, right = _ends(column, cell)
    middle = within(column, cell.value)
    return {"value": place(middle), "left": place(left), "width": round(place(right) - place(left), 2)}


def _ends(column: Column, cell: Cell) -> tuple[float, ...]:
    if not isinstance(cell, Estimate) or cell.value is None:
        return ()
    low, high = (cell.value if end is None else end for end in (cell.low, cell.high))
    return within(column, low), within(column, high)
