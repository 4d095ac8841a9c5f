"""Tables as frames of pandas: one table of a run in memory, each column of its own type."""

from typing import TYPE_CHECKING, Any

from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake
from interplay.interop.table_cells import Cells, cells_of
from interplay.interop.table_columns import Column, table_called
from interplay.interop.table_rows import Reading
from interplay.store.database import snapshot
from interplay.store.records import Records, Run

if TYPE_CHECKING:
    import pandas


def frame_of(records: Records, run: Run, benchmark: Benchmark, name: str) -> "pandas.DataFrame":
    """A table of a run, as its owner sees it: people have their names."""
    try:
        import pandas
    except ImportError as error:
        raise Mistake("a frame needs pandas: pip install interplay[frames]") from error
    table = table_called(name)
    with snapshot(records.db, records.path):
        cells = cells_of(table, list(Reading(records, run, benchmark).rows(table)))
    columns = zip(table.columns, cells, strict=True)
    series = {column.name: pandas.Series(found, dtype=_type(column, found)) for column, found in columns}
    return pandas.DataFrame(series)


def _type(column: Column, cells: Cells) -> Any:
    match column.kind:
        case "whole number":
            return "Int64" if column.may_be_missing else "int64"
        case "number":
            return "float64"
        case "yes or no":
            return "bool"
        case "time":
            return "datetime64[ms, UTC]"
        case _:
            return None if cells else object  # texts are as this pandas has them
