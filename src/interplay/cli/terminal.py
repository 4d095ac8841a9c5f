"""The one exit to the terminal: everything that is printed passes here, stripped of control characters."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from interplay.core.board import Board, Cell, Column
from interplay.reporting.cells import half_width, written
from interplay.running.tally import Tally

_WIDTH_OF_A_PIPE = 110
_LONGEST_NAME = 40
_LEAST_NAME = 10
FEWEST_COLUMNS = 3  # of a board in a very narrow window
# black on lighter and lighter ground, lowest to highest; a terminal of few colours takes the nearest
SHADES = [f"black on {colour}" for colour in ("#5f87af", "#87afd7", "#afd7d7", "#d7d7af", "#ffd787")]
# ESC and other C0, DEL and C1, and what turns the direction of text
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


for _stream in (sys.stdout, sys.stderr):
    if hasattr(_stream, "reconfigure"):
        _stream.reconfigure(errors="replace")  # a terminal of few characters shows ? for the rest


def harmless(text: str) -> str:
    """Text that can only be read: no escape sequences, no carriage returns, no bidi overrides."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def say(text: str = "") -> None:
    """Print a result."""
    sys.stdout.write(harmless(text) + "\n")


def say_json(value: Any) -> None:
    """Print a result as JSON."""
    say(json.dumps(value, indent=2, ensure_ascii=True))


def pass_on(piece: str) -> None:
    """Print a piece of an exported file, without adding to it."""
    sys.stdout.write(harmless(piece))


def ask(question: str) -> str:
    """Ask the person at the terminal; what was typed."""
    sys.stderr.write(harmless(question) + " ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def ask_yes_or_no(question: str) -> bool:
    return ask(f"{question} [y/N]").lower() in ("y", "yes")


def remark(text: str) -> None:
    """Print something about the work, not a result of it."""
    sys.stderr.write(harmless(text) + "\n")
    sys.stderr.flush()


def show_board(board: Board) -> None:
    """Print a board: values with their intervals below, then the notes."""
    console = _console(sys.stdout)
    columns, notes = list(board.columns), list(board.notes)
    if not console.is_terminal:
        console.width = max(console.width, _least_width(console, board, columns))
    elif _least_width(console, board, columns) > console.width:
        columns = [column for column in columns if not column.detail]
        while len(columns) > FEWEST_COLUMNS and _least_width(console, board, columns) > console.width:
            columns.pop()
        notes.append(
            "Columns are left out for want of room: a wider window, --html and --json have them all."
        )
    table = _table_of(board, columns)
    console.print(Text(harmless(board.title), style="bold"))
    console.print(table)
    for note in notes:
        console.print(Text("· " + harmless(note)))
    for part in board.parts:
        console.print()
        show_board(part)


def _least_width(console: Console, board: Board, columns: Sequence[Column]) -> int:
    """How wide a table of these columns is at least, without cutting a number."""
    wide = console.options.update(max_width=10_000)
    return Measurement.get(console, wide, _table_of(board, columns)).minimum


def _table_of(board: Board, columns: Sequence[Column]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for column in columns:
        text = column.kind == "text"
        table.add_column(
            harmless(column.title).replace(" ", "\n"),
            justify="left" if text else "right",
            overflow="fold",
            no_wrap=not text,
            min_width=_LEAST_NAME if column is columns[0] else None,
        )
    for row in board.rows:
        table.add_row(*(_cell(board, column, row[column.key]) for column in columns))
    return table


def _cell(board: Board, column: Column, cell: Cell) -> Text:
    """The value, what may be added or taken away below it, and a shade where the column has one."""
    below = half_width(column, cell)
    lines = Text(harmless(written(column, cell)))
    if below:
        lines = Text.assemble(lines, "\n", (below, "dim"))
    warmth = board.warmth(column, cell)
    if warmth is not None:
        lines.stylize(SHADES[round(warmth * (len(SHADES) - 1))])
    return lines


def show_table(headings: list[str], rows: list[list[str]]) -> None:
    """Print a plain table; what its rows are called by is never cut, since people type it."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    short = all(len(row[0]) <= _LONGEST_NAME for row in rows)
    for number, heading in enumerate(headings):
        table.add_column(heading, overflow="fold", no_wrap=number == 0 and short)
    for row in rows:
        table.add_row(*(Text(harmless(cell)) for cell in row))
    _console(sys.stdout).print(table)


@contextmanager
def progress(tally: Tally, title: str) -> Iterator[None]:
    """Show a run's counts while it goes on; where nobody watches, say nothing."""
    console = _console(sys.stderr)
    if not console.is_terminal:
        yield
        return
    with Live(_Progress(tally, title), console=console, refresh_per_second=4, transient=True):
        yield


class _Progress:
    """Drawn anew from the tally at every refresh."""

    def __init__(self, tally: Tally, title: str):
        self._tally, self._title = tally, title

    def __rich__(self) -> Group:
        tally = self._tally
        pace = tally.calls / tally.seconds if tally.seconds else 0.0
        left = tally.seconds_left()
        lines = [
            f"{self._title}: {tally.conversations_done} of {tally.conversations} conversations, "
            f"{tally.verdicts_done} of {tally.verdicts} verdicts",
            f"  {tally.calls:,} calls ({pace:.1f}/s, {tally.in_flight} under way)   "
            f"{tally.tokens_in + tally.tokens_out:,} tokens   {_money(tally)}   {_time_left(left)}",
        ]
        trouble = {**tally.failures, **{f"call: {cause}": n for cause, n in tally.failed_calls.items()}}
        if trouble:
            lines.append("  " + ", ".join(f"{name} {count}" for name, count in sorted(trouble.items())))
        if tally.stopping:
            lines.append("  stopping: waiting for calls under way; Ctrl-C again to stop at once")
        return Group(*(Text(harmless(line)) for line in lines))


def _money(tally: Tally) -> str:
    if tally.cost_unknown:
        return "cost unknown"
    return f"${tally.cost:,.2f}" if tally.cost else "no cost"


def _time_left(seconds: float | None) -> str:
    if seconds is None:
        return "time left unknown"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"about {hours}:{minutes:02}:{rest:02} left" if hours else f"about {minutes}:{rest:02} left"


def _console(stream: Any) -> Console:
    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _WIDTH_OF_A_PIPE
    return console
