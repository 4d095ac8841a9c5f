"""Tables of what comes in and what goes out: formats that can be imported, and the tables of a run."""

from building.markdown import table
from interplay.cli.importing import formats as importable
from interplay.interop.table_columns import RUN, TABLES


def formats() -> str:
    """What `interplay import` reads."""
    rows = [
        (f"`{name}`", importer.meaning, benchmark.name)
        for name, (benchmark, importer) in sorted(importable().items())
    ]
    return table(("`--as`", "what the files are", "a run of"), rows)


def tables() -> str:
    """The tables of a run, each with its columns folded up."""
    listed = table(("table", "a row is"), [(f"`{one.name}`", one.meaning) for one in TABLES])
    parts = [listed, f"Each has first a column `{RUN.name}`: {RUN.meaning}."]
    for one in TABLES:
        rows = [(f"`{column.name}`", column.kind, column.meaning) for column in one.columns]
        columns = table(("column", "kind", "meaning"), rows)
        inside = "\n".join(f"    {line}" for line in columns.splitlines())
        parts.append(f'??? abstract "{one.name}"\n\n{inside}')
    return "\n\n".join(parts) + "\n"
