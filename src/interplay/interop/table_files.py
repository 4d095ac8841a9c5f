"""Tables as Parquet, written a piece at a time."""

import os
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake
from interplay.interop.table_cells import Names, cells_of, pieces
from interplay.interop.table_columns import RUN, Column, Kind, Table
from interplay.interop.table_rows import Reading
from interplay.reporting.writing import check_path, refuse_store

try:
    import pyarrow  # type: ignore[import-untyped]  # it has no types
    from pyarrow import parquet
except ImportError as error:
    raise Mistake(f"Parquet needs pyarrow ({error}): pip install 'interplay[parquet]'") from error

_TYPES: Mapping[Kind, Any] = {
    "text": pyarrow.string(),
    "texts": pyarrow.list_(pyarrow.string()),
    "JSON": pyarrow.string(),
    "whole number": pyarrow.int64(),
    "number": pyarrow.float64(),
    "yes or no": pyarrow.bool_(),
    "time": pyarrow.timestamp("ms", "UTC"),
}


def write_file(path: Path, table: Table, reading: Reading, names: Names) -> int:
    """Write one table to a new file; how many rows it has."""
    schema, count = _schema(table, reading), 0
    with parquet.ParquetWriter(os.fspath(path), schema, compression="zstd") as writer:
        for rows in pieces(names.rows(table, reading.rows(table))):
            cells = [[reading.run.id] * len(rows), *cells_of(table, rows)]
            arrays = [pyarrow.array(found, field.type) for found, field in zip(cells, schema, strict=True)]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
            count += len(rows)
    return count


def replace_file(path: Path, table: Table, reading: Reading, names: Names) -> int:
    """Write one table beside its place, then put it there: a file that is there is replaced whole."""
    check_path(path, "export")
    refuse_store(path, reading.records.path)
    place = Path(os.path.realpath(path))  # a link stays a link
    beside = place.with_name(f".interplay-{secrets.token_hex(8)}.part")
    try:
        count = write_file(beside, table, reading, names)
        with suppress(FileNotFoundError):
            shutil.copymode(place, beside)  # what only its owner could read stays so
        beside.replace(place)
    except OSError as error:
        raise Mistake(f"the export cannot be written to {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            beside.unlink()
    return count


def _schema(table: Table, reading: Reading) -> Any:
    """The columns with what they mean, and what the file is of."""
    told = {
        "interplay": version("interplay"),
        "run": reading.run.id,
        "benchmark": reading.run.benchmark,
        "table": table.name,
        "meaning": f"A row is {table.meaning}.",
    }
    return pyarrow.schema([_field(column) for column in (RUN, *table.columns)], metadata=told)


def _field(column: Column) -> Any:
    told = {"kind": column.kind, "meaning": column.meaning}
    return pyarrow.field(column.name, _TYPES[column.kind], metadata=told)
