"""A run as a dataset of Hugging Face's: Parquet files, and a card that names them and shows the board."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Cell
from interplay.core.wire import clean
from interplay.interop.table_cells import Names
from interplay.interop.table_columns import CONVERSATIONS, RUNS, SCORES, TABLES, Table, described
from interplay.interop.table_files import write_file
from interplay.interop.table_folders import README, check_folder, nested, write_folder
from interplay.interop.table_rows import Reading
from interplay.interop.tables import ABOUT, size_of, unnamed
from interplay.reporting.markdown import board_as_markdown
from interplay.running.results import board_of
from interplay.store.database import snapshot
from interplay.store.records import Records, Run


def write_dataset(
    records: Records,
    run: Run,
    benchmark: Benchmark,
    folder: Path,
    *,
    names: bool = False,
    changes: Mapping[str, str] | None = None,
) -> str:
    """Write a run as a folder that load_dataset opens, and that can be put on the hub; what is said of it.

    Changes are options that only concern the board.
    """
    check_folder(folder)  # before the board is made, which takes a while
    reading = Reading(records, run, benchmark)
    with snapshot(records.db, records.path):
        people = Names(reading, told=names)
        board = _unnamed(board_of(records, run, benchmark, changes), people)
        rows = write_folder(folder, lambda place: _write_all(place, reading, people, board))
    told = f"{len(rows)} tables of {run.id} with {sum(rows.values()):,} rows, {size_of(folder)}"
    return (
        f"Wrote {folder}: {told}. Open one with datasets.load_dataset({str(folder)!r}, {_first(rows).name!r});"
        f" add a license to {README} before you publish it.{unnamed(people, *TABLES)}"
    )


def _write_all(folder: Path, reading: Reading, names: Names, board: Board) -> dict[str, int]:
    """All tables that have rows: of one without, load_dataset says that it is damaged."""
    rows: dict[str, int] = {}
    for table in TABLES:
        path = folder / nested(table.name)
        path.parent.mkdir(parents=True)
        count = write_file(path, table, reading, names)
        if count:
            rows[table.name] = count
        else:
            path.unlink()
            path.parent.rmdir()
    card = _card(board, reading.run, reading.benchmark, rows)
    (folder / README).write_text(clean(card), encoding="utf-8")
    return rows


def _unnamed(board: Board, names: Names) -> Board:
    """The board without the names of people; keys, which no reader of a card sees, stay as they are."""

    def cell(found: Cell) -> Cell:
        return names.of(found) if isinstance(found, str) else found

    return replace(
        board,
        title=names.of(board.title),
        columns=tuple(
            replace(column, title=names.of(column.title), meaning=names.of(column.meaning))
            for column in board.columns
        ),
        rows=tuple({key: cell(found) for key, found in row.items()} for row in board.rows),
        notes=tuple(names.of(note) for note in board.notes),
        parts=tuple(_unnamed(part, names) for part in board.parts),
    )


def _first(rows: Mapping[str, int]) -> Table:
    """The table that is opened where none is named."""
    return next(table for table in (SCORES, CONVERSATIONS, RUNS) if table.name in rows)


def _card(board: Board, run: Run, benchmark: Benchmark, rows: Mapping[str, int]) -> str:
    tables = [table for table in TABLES if table.name in rows]
    empty = [table.name for table in TABLES if table.name not in rows]
    left_out = f" This run has nothing for {', '.join(empty)}." if empty else ""
    return "\n\n".join(
        [
            _front_matter(run, benchmark, tables, _first(rows)),
            board_as_markdown(board, run, benchmark).rstrip("\n"),
            f"## How to load it\n\n{_LOADING.format(first=_first(rows).name)}",
            f"## Tables\n\n{ABOUT}{left_out}",
            described(tables, dict(rows)),
            f"## Before you publish it\n\n{_PUBLISHING}\n",
        ]
    )


def _front_matter(run: Run, benchmark: Benchmark, tables: Sequence[Table], first: Table) -> str:
    """What the hub reads; a text in JSON's quotes is the same text in YAML."""
    lines = [
        "---",
        f"pretty_name: {_quoted(f'Interplay: {benchmark.name}, run {run.id}')}",
        "tags:",
        *(f"- {_quoted(tag)}" for tag in ("interplay", "evaluation", benchmark.name)),
        "configs:",
    ]
    for table in tables:
        lines += [f"- config_name: {table.name}", f"  data_files: data/{table.name}/*.parquet"]
        lines += ["  default: true"] if table is first else []
    return "\n".join([*lines, "---"])


def _quoted(text: str) -> str:
    """In ASCII alone: YAML knows no halves of characters, and fewer whole ones than JSON."""
    return json.dumps(text.encode("ascii", "replace").decode())


_LOADING = """```python
from datasets import load_dataset

{first} = load_dataset("path/of/this/folder", "{first}", split="train").to_pandas()
```

Any of the tables below is a configuration. The messages before a call are found from its `message`, by `parent`:

```python
def thread(messages, message):
    before = {{row["message"]: row for row in messages}}
    while message:
        yield before[message]["role"], before[message]["text"]  # the last one first
        message = before[message]["parent"]
```"""
_PUBLISHING = (
    "Say in the first lines under which `license` others may use it: what models wrote may be bound to the terms of "
    "their makers, and a scenario to those of its author. Look through the texts: nobody has checked them. The next "
    "export to this folder replaces it, this page too."
)
