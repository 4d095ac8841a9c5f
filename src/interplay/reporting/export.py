"""A run as a file for other programs and for people: a pure function of its record, written piece by piece."""

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.core.failures import Mistake, nearest
from interplay.core.wire import clean
from interplay.reporting.html import report
from interplay.reporting.markdown import board_as_markdown
from interplay.reporting.writing import UNSEEN, readable, refuse_store, write_whole
from interplay.running.results import Judged, judged_of
from interplay.store.records import Records, Run

FORMATS = ("json", "jsonl", "csv", "markdown", "html")
_FORMAT_OF = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
}
_COLUMNS = ("run", "conversation", "scenario", "model", "repeat", "score", "source", "value")
_FORMULA = tuple("=+-@＝＋－＠")  # programs of East Asia take the wide signs as well
# Some programs cut lines at semicolons and overlook quotes that do not start a cell.
_STARTS_A_CELL = re.compile(r"([\n;])")


def format_of(path: Path, more: Mapping[str, str] | None = None) -> str:
    """The format that a file's name asks for; a caller may know more endings."""
    known = {**_FORMAT_OF, **(more or {})}
    ending = path.suffix.lower()
    if not ending:
        raise Mistake(f"{path} has no ending that says the format; {nearest('', known)}")
    if ending not in known:
        raise Mistake(f"there is no format for {ending!r}, as in {path}; {nearest(ending, known)}")
    return known[ending]


def write_export(
    path: Path, records: Records, run: Run, benchmark: Benchmark, board: Board | None, format: str = ""
) -> None:
    """Write a run whole or not at all; without a format, in the one that the file's name asks for."""
    pieces = export(records, run, benchmark, board, format or format_of(path))
    refuse_store(path, records.path)
    write_whole(path, pieces, "export")


def needs_board(format: str) -> bool:
    """Is the board part of an export in this format?"""
    return format != "csv"


def export(
    records: Records, run: Run, benchmark: Benchmark, board: Board | None, format: str
) -> Iterator[str]:
    """The text of an export, piece by piece; it always encodes as UTF-8."""
    if not needs_board(format):
        pieces = _csv(records, run, benchmark)
    elif board is None:
        raise ValueError(f"a board is part of an export as {format}")
    else:
        pieces = _with_board(records, run, benchmark, board, format)
    return (clean(piece) for piece in pieces)


def _with_board(records: Records, run: Run, benchmark: Benchmark, board: Board, format: str) -> Iterator[str]:
    match format:
        case "json":
            return _json(records, run, benchmark, board)
        case "jsonl":
            return _json_lines(records, run, benchmark, board)
        case "markdown":
            return iter([board_as_markdown(board, run, benchmark)])
        case "html":
            return iter([report(board, records, run, benchmark)])
        case _:
            raise Mistake(f"there is no format {format!r}; {nearest(format, FORMATS)}")


def _json(records: Records, run: Run, benchmark: Benchmark, board: Board) -> Iterator[str]:
    """One object, with a line for each conversation."""
    before = "{\n"
    for key, value in _of_run(records, run, board).items():
        yield f"{before}{_as_json(key)}: {_as_json(value)}"
        before = ",\n"
    yield ',\n"conversations": ['
    before = "\n"
    for one in judged_of(records, run, benchmark):
        yield before + _as_json(_of_conversation(one))
        before = ",\n"
    yield "\n]\n}\n"


def _json_lines(records: Records, run: Run, benchmark: Benchmark, board: Board) -> Iterator[str]:
    """The run on the first line, then a conversation on each."""
    yield _as_json({"kind": "run", **_of_run(records, run, board)}) + "\n"
    for one in judged_of(records, run, benchmark):
        yield _as_json({"kind": "conversation", **_of_conversation(one)}) + "\n"


def _csv(records: Records, run: Run, benchmark: Benchmark) -> Iterator[str]:
    """Every score on a line of its own."""
    writer = csv.writer(Returned())
    yield writer.writerow(_COLUMNS)
    for one in judged_of(records, run, benchmark, lines=False):
        row = one.row
        for score in one.scores:
            texts = (row.scenario.label, score.model or row.subject, score.name, score.source)
            label, subject, name, source = (defused(text) for text in texts)
            yield writer.writerow(
                (defused(run.id), row.number, label, subject, row.repeat + 1, name, source, score.value)
            )


class Returned:
    """A file for a csv.writer that hands each line back."""

    def write(self, line: str) -> str:
        return line


def defused(text: str) -> str:
    """A cell that no program takes for a formula."""
    parts = _STARTS_A_CELL.split(readable(text))
    return "".join(f"'{part}" if part.lstrip().startswith(_FORMULA) else part for part in parts)


def _of_run(records: Records, run: Run, board: Board) -> dict[str, Any]:
    """What is said once: the run without its secret, its board, and what it used."""
    return {
        "run": {
            "id": run.id,
            "name": run.name,
            "benchmark": run.benchmark,
            "created": run.created,
            "identity": run.identity,
            "extent": run.extent,
        },
        "board": board.as_json(),
        "totals": asdict(records.totals(run)),
    }


def _of_conversation(one: Judged) -> dict[str, Any]:
    """A conversation with all that was made of it."""
    row = one.row
    return {
        "number": row.number,
        "scenario": {
            "id": row.scenario.id,
            "label": row.scenario.label,
            "content": row.scenario.content,
        },
        "model": row.subject,
        "cast": row.cast,
        "repeat": row.repeat + 1,
        "take": row.take,
        "state": row.state,
        "failure": row.failure,
        "detail": row.detail,
        "protocol": row.protocol,
        "outcome": row.outcome,
        "lines": [asdict(line) for line in row.lines],
        "verdicts": [{"item": item, **asdict(verdict)} for item, verdict in one.verdicts],
        "scores": [{**asdict(score), "model": score.model or row.subject} for score in one.scores],
    }


def _as_json(value: Any) -> str:
    """Strict JSON on one line that gives every text back as it is; what cannot be seen is written as an escape."""
    text = json.dumps(_storable(value), ensure_ascii=False, allow_nan=False)
    return UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _storable(value: Any) -> Any:
    """The value with clean texts, and None for a number that JSON does not have."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {clean(str(key)): _storable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_storable(inner) for inner in value]
    return value
