"""Sheets for raters: conversations that were drawn, blind, with a row for each criterion that waits for a value."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from interplay.core.conversation import Line
from interplay.core.failures import Mistake
from interplay.core.measures import Scale
from interplay.core.wire import clean
from interplay.reporting.export import Returned, defused
from interplay.reporting.transcript import is_private, shown_lines
from interplay.reporting.writing import refuse_store, write_whole
from interplay.store.labels import Given
from interplay.store.records import ConversationRow, Records

SHEET = ("drawn", "conversation", "scenario", "text", "criterion", "scale", "rater", "value")
LABELS = ("conversation", "scenario", "model", "repeat", "rater", "criterion", "value", "when", "drawn")


def write_sheet(
    path: Path, records: Records, draw: str, numbers: Sequence[int], criteria: Mapping[str, Scale]
) -> None:
    """Write conversations of a draw to be labelled.

    The models' names are not on it. What was said is on the first row of each conversation.
    """
    rows = (row for number in numbers for row in _to_fill_in(draw, records.conversation(number), criteria))
    _write(path, records, SHEET, rows)


def _to_fill_in(draw: str, row: ConversationRow, criteria: Mapping[str, Scale]) -> Iterator[dict[str, Any]]:
    text = _told(row)
    for name, scale in criteria.items():
        known = {"drawn": draw, "conversation": row.number, "scenario": row.scenario.label}
        yield {**known, "text": text, "criterion": name, "scale": str(scale), "rater": "", "value": ""}
        text = ""


def _told(row: ConversationRow) -> str:
    """The scenario, and what was said in it."""
    said = "\n\n".join(f"{line.source or '(told)'}: {line.text}" for line in heard(row.lines))
    about = "\n".join(_about(row.scenario.content))
    return f"{about}\n\n* * *\n\n{said}"


def heard(lines: Sequence[Line]) -> list[Line]:
    """What was said, without what nobody else heard; where nobody spoke to anybody, all of it."""
    shown = shown_lines(lines)
    others = [line for line in shown if not is_private(line)]
    return others if any(line.source for line in others) else shown


def _about(content: Any, name: str = "") -> Iterator[str]:
    """The data of a scenario, a line for each of its parts."""
    if isinstance(content, Mapping):
        for key, part in content.items():
            yield from _about(part, f"{name} {key}".strip())
    elif isinstance(content, list | tuple) and any(isinstance(part, Mapping | list) for part in content):
        for number, part in enumerate(content, 1):
            yield from _about(part, f"{name} {number}")
    elif content not in (None, "", [], ()):
        text = ", ".join(map(str, content)) if isinstance(content, list | tuple) else str(content)
        yield f"{name.replace('_', ' ')}: {text}"


def write_labels(path: Path, records: Records, labels: Sequence[Given]) -> None:
    """Write labels as they can be read again."""
    _write(path, records, LABELS, _rows(records, labels))


def labels_in_words(records: Records, labels: Sequence[Given], *, as_csv: bool) -> str:
    """The text of such a file."""
    return "".join(_pieces(LABELS, _rows(records, labels), as_csv=as_csv))


def _rows(records: Records, labels: Sequence[Given]) -> Iterator[dict[str, Any]]:
    return (_as_given(records.conversation(label.conversation), label) for label in labels)


def _as_given(row: ConversationRow, label: Given) -> dict[str, Any]:
    return {
        "conversation": label.conversation,
        "scenario": row.scenario.label,
        "model": row.subject,
        "repeat": row.repeat + 1,
        "rater": label.rater,
        "criterion": label.criterion,
        "value": _digits(label.value),
        "when": label.made,
        "drawn": label.drawn,
    }


def _digits(value: float) -> str:
    """All digits of a number, as people write them."""
    return format(Decimal(str(value)), "f").removesuffix(".0")


def check_ending(path: Path) -> None:
    """Raise a Mistake if labels are not written to such a file."""
    if path.suffix.lower() not in (".csv", ".jsonl"):
        raise Mistake(f"labels are written to a .csv or a .jsonl file, not {path}")


def _write(path: Path, records: Records, columns: Sequence[str], rows: Iterator[dict[str, Any]]) -> None:
    check_ending(path)
    refuse_store(path, records.path)
    write_whole(path, _pieces(columns, rows, as_csv=path.suffix.lower() == ".csv"), "sheet")


def _pieces(columns: Sequence[str], rows: Iterator[dict[str, Any]], *, as_csv: bool) -> Iterator[str]:
    pieces = _csv(columns, rows) if as_csv else (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return (clean(piece) for piece in pieces)


def _csv(columns: Sequence[str], rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    writer = csv.writer(Returned())
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow([defused(str(row[column])) for column in columns])
