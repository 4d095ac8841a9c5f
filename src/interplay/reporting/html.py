"""A run as one HTML file: its board and its conversations, with nothing loaded from anywhere."""

import base64
import hashlib
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from markupsafe import Markup

from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.reporting.cells import interval, written
from interplay.reporting.pages.drawing import assets, environment
from interplay.reporting.writing import refuse_store, write_whole
from interplay.running.results import options_of
from interplay.store.batches import with_verdicts
from interplay.store.records import Records, Run

MOST_CONVERSATIONS = 500  # in one file; a browser has to hold them all
SHEETS = ("style.css", "report.css")


def write_report(path: Path, board: Board, records: Records, run: Run, benchmark: Benchmark) -> None:
    """Write the report; a file that is there already is replaced whole or not at all."""
    refuse_store(path, records.path)
    write_whole(path, [report(board, records, run, benchmark)])


def report(board: Board, records: Records, run: Run, benchmark: Benchmark) -> str:
    """The report's text. Everything from models is text: the template escapes it."""
    numbers = records.numbers(run)
    conversations = [
        {"row": row, "verdicts": [verdict for _, verdict in verdicts]}
        for row, verdicts in with_verdicts(records, numbers[:MOST_CONVERSATIONS], rubric=run.extent["rubric"])
    ]
    return _drawn(
        board=board,
        run=run,
        benchmark=benchmark,
        subjects=[role.name for role in benchmark.subjects(options_of(run, benchmark))],
        conversations=conversations,
        left_out=len(numbers) - len(conversations),
    )


def write_board(path: Path, board: Board) -> None:
    """Write a board alone, with its parts, as a page that needs nothing else."""
    write_whole(path, [_drawn(board=board, run=None, conversations=[], left_out=0)], "page")


def _drawn(**values: Any) -> str:
    style, digest = _style()
    return environment().get_template("report.html").render(style=Markup(style), digest=digest, **values)  # noqa: S704  # our own file


@cache
def _style() -> tuple[str, str]:
    """The style sheets in one, and the digest by which the page's policy lets it in, and nothing else."""
    text = "\n" + "".join(assets()[name][0].decode() for name in SHEETS)
    return text, "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


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
