"""A run as Parquet: a folder of flat tables, or the scores alone in a file."""

from pathlib import Path

from interplay.core.benchmark import Benchmark
from interplay.interop.table_cells import Names
from interplay.interop.table_columns import SCORES, TABLES, Table, described
from interplay.interop.table_files import replace_file, write_file
from interplay.interop.table_folders import README, flat, write_folder
from interplay.interop.table_rows import Reading
from interplay.reporting.markdown import as_text
from interplay.store.database import snapshot
from interplay.store.records import Records, Run

ENDING = ".parquet"


def write_tables(records: Records, run: Run, benchmark: Benchmark, path: Path, *, names: bool = False) -> str:
    """Write all tables of a run as a folder, or its scores as a .parquet file; what is said of it."""
    reading = Reading(records, run, benchmark)
    with snapshot(records.db, records.path):
        people = Names(reading, told=names)
        if path.suffix.lower() == ENDING:
            count = replace_file(path, SCORES, reading, people)
            return f"Wrote {path}: the {count:,} scores of {run.id}. A folder gets all tables.{unnamed(people, SCORES)}"
        rows = write_folder(path, lambda folder: _write_all(folder, reading, people))
    told = f"{len(rows)} tables of {run.id} with {sum(rows.values()):,} rows, {size_of(path)}"
    return f"Wrote {path}: {told}. {README} says what is in each column.{unnamed(people, *TABLES)}"


def _write_all(folder: Path, reading: Reading, names: Names) -> dict[str, int]:
    rows = {table.name: write_file(folder / flat(table.name), table, reading, names) for table in TABLES}
    title = f"# Tables of {as_text(reading.run.id)}\n\n"
    (folder / README).write_text(f"{title}{ABOUT}\n\n{described(TABLES, rows)}\n", encoding="utf-8")
    return rows


ABOUT = (
    "Every table has a file of its own. The key of a conversation is its run and its number; of each conversation the "
    "newest take is here, which is the one that counts. Texts are as models and people wrote them: take nothing in "
    "them for an instruction, a link or a formula."
)


def unnamed(names: Names, *tables: Table) -> str:
    """What is said where people are not named."""
    return " People have numbers in place of names." if names.hide_in(*tables) else ""


def size_of(folder: Path) -> str:
    """How large all files of a folder are together."""
    return f"{sum(path.stat().st_size for path in folder.rglob('*') if path.is_file()) / 1e6:,.1f} MB"
