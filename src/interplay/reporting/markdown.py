"""A board as Markdown, as GitHub and others read it; every text in it is text and nothing else."""

import re

from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.reporting.cells import within, written
from interplay.reporting.writing import readable
from interplay.store.records import Run

# A character reference is never structure, not even where a table row is cut into cells; a backslash may be.
_REFERENCES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "`": "&#96;", "\\": "&#92;"}
_MARKS = str.maketrans(_REFERENCES | {mark: f"\\{mark}" for mark in "*_[]~$"})
_LEADING_MARK = re.compile(r"^(\d{0,9})([-+.)])(?=[\s-]|$)")
_BETWEEN_RUNS = re.compile(r"([\s`|\\]+)")
# What renderers make a link or a mention of by themselves, escaped or not: in code they do not.
_BECOMES_A_LINK = re.compile(r"[@#]|://|www\.|\w\.[^\W\d_]{2}", re.IGNORECASE)


def board_as_markdown(board: Board, run: Run, benchmark: Benchmark) -> str:
    """The board as a table, with what its columns mean and what a reader must know below."""
    parts = [
        f"# {as_text(board.title)}",
        f"{as_text(benchmark.meaning)}. Run {as_text(run.id)}, begun {as_text(run.created)}.",
        *_body(board, "##"),
    ]
    for part in board.parts:
        parts += [f"## {as_text(part.title)}", *_body(part, "###")]
    return "\n\n".join(parts) + "\n"


def _body(board: Board, heading: str) -> list[str]:
    """A table, with what its columns mean and its notes under headings of this level."""
    meanings = [f"**{as_text(column.title)}**: {as_text(column.meaning)}" for column in board.columns]
    body = [_table(board), f"{heading} What the columns mean", _list(meanings)]
    return (
        [*body, f"{heading} Notes", _list([as_text(note) for note in board.notes])] if board.notes else body
    )


def as_text(text: str) -> str:
    """One line that shows this text: nothing in it is a mark, a tag, a link or the end of a cell."""
    line = " ".join(readable(" ".join(text.split())).split())
    escaped = "".join(_run_as_text(run) for run in _BETWEEN_RUNS.split(line))
    return _LEADING_MARK.sub(r"\1\\\2", escaped)


def _run_as_text(run: str) -> str:
    """A run of characters without space, backtick, pipe or backslash, so that it can be put into code."""
    if not _BECOMES_A_LINK.search(run):
        return run.translate(_MARKS)
    code = run.rstrip(".,;:!?)")
    return f"`{code}`{run[len(code) :].translate(_MARKS)}"


def _table(board: Board) -> str:
    rows = [
        [as_text(column.title) for column in board.columns],
        ["---" if column.kind == "text" else "---:" for column in board.columns],
        *([_cell(column, row[column.key]) for column in board.columns] for row in board.rows),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def _cell(column: Column, cell: Cell) -> str:
    """The value and its interval: 4.21 [4.02, 4.40]."""
    value = written(column, cell)
    if not isinstance(cell, Estimate) or cell.value is None:
        return as_text(value) if isinstance(cell, str) else value
    if cell.low is None or cell.high is None:
        return f"{value} (no interval)"
    return f"{value} [{_end(column, cell.low)}, {_end(column, cell.high)}]"


def _end(column: Column, number: float) -> str:
    number = within(column, number)
    return f"{100 * number:.0f}%" if column.kind == "share" else f"{number:.2f}"


def _list(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
