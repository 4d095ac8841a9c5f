"""Showing a run: its board in the terminal, as JSON, and as an HTML file."""

from collections.abc import Mapping
from typing import Any

from interplay.cli import terminal
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.reporting.html import write_report
from interplay.reporting.writing import check_path, refuse_store
from interplay.running.kept import compute_and_keep, wish_for_board
from interplay.running.results import remarks_of
from interplay.store.records import Records


def check_html(given: Mapping[str, Any]) -> None:
    """Raise a Mistake before anything is paid for if the report cannot be written."""
    if given["html"]:
        check_path(given["html"])
        refuse_store(given["html"], given["store"])


def show_run(
    given: Mapping[str, Any],
    run: str,
    benchmark: Benchmark,
    changes: Mapping[str, str] | None = None,
    also: Mapping[str, Any] | None = None,
) -> None:
    """Show the board of a run; as JSON with what there is to say besides."""
    with Records(given["store"]) as records:
        found = records.find(run)
        board: Board = compute_and_keep(records, wish_for_board(found, benchmark, changes))
        remarks = remarks_of(records, found)
        if given["html"]:
            write_report(given["html"], board, records, found, benchmark)
    if given["json"]:
        terminal.say_json({"run": found.id, **(also or {}), **board.as_json()})
    else:
        terminal.show_board(board)
    for line in remarks:
        terminal.remark(line)
    if given["html"]:
        terminal.remark(f"Report: {given['html']}")
