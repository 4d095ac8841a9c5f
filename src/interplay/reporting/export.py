"""A run as a file for other programs and for people: a pure function of its record, written piece by piece."""

import csv
import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from interplay.core.benchmark import Benchmark, Scenario, Score, Verdict
from interplay.core.board import Board
from interplay.core.failures import Mistake, nearest
from interplay.core.forms import build
from interplay.core.wire import clean
from interplay.reporting.html import report
from interplay.reporting.markdown import board_as_markdown
from interplay.reporting.writing import UNSEEN, readable, write_whole
from interplay.running.results import options_of
from interplay.store.database import trouble_in_words
from interplay.store.records import ConversationRow, Records, Run

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


def format_of(path: Path) -> str:
    """The format that a file's name asks for."""
    ending = path.suffix.lower()
    if not ending:
        raise Mistake(f"{path} has no ending that says the format; {nearest('', _FORMAT_OF)}")
    if ending not in _FORMAT_OF:
        raise Mistake(f"there is no format for {ending!r}, as in {path}; {nearest(ending, _FORMAT_OF)}")
    return _FORMAT_OF[ending]


def write_export(
    path: Path, records: Records, run: Run, benchmark: Benchmark, board: Board, format: str = ""
) -> None:
    """Write a run whole or not at all; without a format, in the one that the file's name asks for."""
    pieces = export(records, run, benchmark, board, format or format_of(path))
    if os.path.realpath(path) == os.path.realpath(records.path):
        raise Mistake(f"the export cannot be written to {path}: it is the store")
    write_whole(path, pieces, "export")


def export(records: Records, run: Run, benchmark: Benchmark, board: Board, format: str) -> Iterator[str]:
    """The text of an export, piece by piece; it always encodes as UTF-8."""
    match format:
        case "json":
            pieces = _json(records, run, benchmark, board)
        case "jsonl":
            pieces = _json_lines(records, run, benchmark, board)
        case "csv":
            pieces = _csv(records, run, benchmark)
        case "markdown":
            pieces = iter([board_as_markdown(board, run, benchmark)])
        case "html":
            pieces = iter([report(board, records, run, benchmark)])
        case _:
            raise Mistake(f"there is no format {format!r}; {nearest(format, FORMATS)}")
    return (clean(piece) for piece in pieces)


def _json(records: Records, run: Run, benchmark: Benchmark, board: Board) -> Iterator[str]:
    """One object, with a line for each conversation."""
    before = "{\n"
    for key, value in _of_run(records, run, board).items():
        yield f"{before}{_as_json(key)}: {_as_json(value)}"
        before = ",\n"
    yield ',\n"conversations": ['
    before = "\n"
    for one in _conversations(records, run, benchmark):
        yield before + _as_json(one.as_json())
        before = ",\n"
    yield "\n]\n}\n"


def _json_lines(records: Records, run: Run, benchmark: Benchmark, board: Board) -> Iterator[str]:
    """The run on the first line, then a conversation on each."""
    yield _as_json({"kind": "run", **_of_run(records, run, board)}) + "\n"
    for one in _conversations(records, run, benchmark):
        yield _as_json({"kind": "conversation", **one.as_json()}) + "\n"


def _csv(records: Records, run: Run, benchmark: Benchmark) -> Iterator[str]:
    """Every score on a line of its own."""
    writer = csv.writer(_Returned())
    yield writer.writerow(_COLUMNS)
    for one in _conversations(records, run, benchmark):
        row = one.row
        for score in one.scores:
            texts = (row.scenario.label, row.subject, score.name, score.source)
            label, subject, name, source = (_defused(text) for text in texts)
            yield writer.writerow(
                (_defused(run.id), row.number, label, subject, row.repeat + 1, name, source, score.value)
            )


class _Returned:
    """A file for a csv.writer that hands each line back."""

    def write(self, line: str) -> str:
        return line


def _defused(text: str) -> str:
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


@dataclass(frozen=True)
class _Conversation:
    """A conversation with all that was made of it."""

    row: ConversationRow
    verdicts: tuple[tuple[str, Verdict], ...]  # with the item that each is about
    scores: tuple[Score, ...]

    def as_json(self) -> dict[str, Any]:
        row = self.row
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
            "verdicts": [{"item": item, **asdict(verdict)} for item, verdict in self.verdicts],
            "scores": [asdict(score) for score in self.scores],
        }


def _conversations(records: Records, run: Run, benchmark: Benchmark) -> Iterator[_Conversation]:
    """The newest take of every conversation in the record's order, one in memory at a time."""
    options = options_of(run, benchmark)
    for (number,) in _rows(records, _NUMBERS, run.number):
        row = _row(records, number)
        verdicts = tuple(
            (item, Verdict(judge, rubric, json.loads(data) if data else None, failure, detail))
            for item, judge, rubric, failure, detail, data in _rows(records, _VERDICTS, number)
        )
        scores: Sequence[Score] = ()
        if row.state == "done":
            counted = [one for item, one in verdicts if not item and one.rubric == run.extent["rubric"]]
            # made anew, as the board is: a run that was stopped may hold scores of an older rubric, or none yet
            scores = benchmark.score(build(benchmark.outcome, row.outcome), counted, options)
        yield _Conversation(row, verdicts, tuple(scores))


def _row(records: Records, number: int) -> ConversationRow:
    found = _rows(records, _CONVERSATION, number)[0]
    label, content, cast, subject, repeat, take, state, failure, detail, protocol, outcome, lines = found
    return ConversationRow(
        number=number,
        scenario=Scenario(json.loads(content), label),
        subject=subject,
        cast=json.loads(cast),
        repeat=repeat,
        take=take,
        state=state,
        failure=failure,
        detail=detail,
        protocol=protocol,
        outcome_text=outcome,
        lines_text=lines,
    )


_NUMBERS = (
    "SELECT number FROM conversations c WHERE run = ? AND take = (SELECT max(take) FROM conversations n"
    " WHERE (n.run, n.scenario, n.cast_digest, n.repeat) = (c.run, c.scenario, c.cast_digest, c.repeat))"
    " ORDER BY subject, scenario, repeat, number"
)
_CONVERSATION = (
    "SELECT label, content, cast_roles, subject, repeat, take, state, failure, detail, protocol, outcome, lines"
    " FROM conversations c JOIN scenarios s ON s.id = c.scenario WHERE c.number = ?"
)
_VERDICTS = (
    "SELECT item, judge, rubric, failure, detail, data FROM verdicts WHERE conversation = ? ORDER BY 1, 2, 3"
)


def _rows(records: Records, query: str, number: int) -> list[Any]:
    with trouble_in_words(records.path):
        return records.db.execute(query, (number,)).fetchall()


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
