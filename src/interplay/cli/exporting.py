"""Writing runs for others: a file or folder in one of many formats, or a static site."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from interplay.benchmarks import find
from interplay.cli import terminal
from interplay.cli.edge import DONE
from interplay.cli.flags import STORE, flag, with_flags
from interplay.cli.verbs import TABLE, OfTable, table_in
from interplay.core.failures import Mistake
from interplay.reporting.export import FORMATS, export, format_of, needs_board, write_export
from interplay.running.results import board_of
from interplay.store.places import Store
from interplay.store.records import Records, Run

ELSEWHERE = ("inspect", "parquet", "huggingface")  # written by other packages' means, some as folders
_ENDINGS = {".eval": "inspect", ".parquet": "parquet"}


@click.command("export", cls=OfTable)
@click.argument("names", nargs=-1, metavar="RUN FILE")
@flag("--format", "--to", "format_", type=click.Choice((*FORMATS, *ELSEWHERE)),
      help="Of the file; else as its name ends.")  # fmt: skip
@flag("--model", "models_", multiple=True, metavar="NAME",
      help="Of inspect: a model of the run whose log is written, in place of all; may be repeated.")  # fmt: skip
@flag("--site", type=click.Path(path_type=Path), metavar="DIR",
      help="Write boards and conversations as a folder of pages for any web host, with a search; of all runs, or of "
      "the RUNs that are named.")  # fmt: skip
@flag("--most", type=click.IntRange(1), default=2_000, show_default=True, metavar="N",
      help="Of a site: the most conversations of a run that get a page.")  # fmt: skip
@flag("--with-names", is_flag=True,
      help="Of a site, of tables and of logs: also say who sat in seats and who labelled, by name.")  # fmt: skip
@with_flags(TABLE, STORE)
def export_verb(names: tuple[str, ...], format_: str | None, store: Store, **given: Any) -> int:
    """Write RUN to FILE: .json or .jsonl (everything), .csv (every score), .md (the board), .html (the report).

    For other programs: .eval (a log of Inspect AI), .parquet (every score). FILE is a folder with --to inspect (a log
    for each model), --to parquet (every table) and --to huggingface (a dataset).

    FILE may be - for the terminal, with --format. With --site, write a static site instead.
    """
    if given["site"] is not None:
        return _write_site(names, store, given)
    if len(names) != 2:
        raise Mistake("export takes a RUN and a FILE, as in: interplay export last run.jsonl; or --site DIR")
    run, file = names[0], Path(names[1])
    to_terminal = str(file) == "-"
    if to_terminal and format_ not in FORMATS:
        raise Mistake(f"say what to write with --format: {', '.join(FORMATS)}")
    if file.is_dir() and format_ not in ELSEWHERE:
        raise Mistake(f"{file} is a directory; name a file, or write a site there with --site {file}")
    kind = format_ or format_of(file, _ENDINGS)
    if kind != "inspect" and _is_typed("models_"):
        raise Mistake(
            f"--model is for --to inspect, which has one model in a log; {kind} has all of the run's"
        )
    with Records(store) as records:
        found = records.find(run)
        benchmark = find(found.benchmark)
        if kind in ELSEWHERE:
            terminal.remark(_write_elsewhere(kind, file, records, found, given))
            return DONE
        changes = table_in(given, benchmark)
        board = board_of(records, found, benchmark, changes) if needs_board(kind) else None
        if to_terminal:
            for piece in export(records, found, benchmark, board, kind):
                terminal.pass_on(piece)
            return DONE
        write_export(file, records, found, benchmark, board, kind)
    terminal.remark(f"Wrote {file}.")
    return DONE


def _is_typed(name: str) -> bool:
    """Was it typed, and not set by the environment for all verbs?"""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def _write_elsewhere(kind: str, place: Path, records: Records, run: Run, given: Mapping[str, Any]) -> str:
    """Write a run by means of another package, which is imported now; what is said of it."""
    benchmark, names = find(run.benchmark), given["with_names"]
    changes = table_in(given, benchmark)
    if kind == "inspect":
        from interplay.interop.inspect_log import write_logs

        models = given["models_"]
        return write_logs(records, run, benchmark, place, models=models, names=names, changes=changes)
    if kind == "parquet":
        from interplay.interop.tables import write_tables

        return write_tables(records, run, benchmark, place, names=names)
    from interplay.interop.hugging_face import write_dataset

    return write_dataset(records, run, benchmark, place, names=names, changes=changes)


def _write_site(names: tuple[str, ...], store: Store, given: Mapping[str, Any]) -> int:
    from interplay.reporting.site import write_site  # pages and charts take a moment to import

    with Records(store) as records:
        chosen = [records.find(name) for name in names] or records.runs()
        if not chosen:
            raise Mistake(f"{store} holds no runs yet; start one with: interplay run BENCHMARK")
        runs = list({run.id: run for run in chosen}.values())
        folder: Path = given["site"]
        tell = terminal.remark if sys.stderr.isatty() else lambda line: None
        found = write_site(folder, records, runs, most=given["most"], names=given["with_names"], tell=tell)
    terminal.remark(
        f"Wrote {folder}: {found.runs} runs, {found.conversations:,} conversations, {found.files:,} files, "
        f"{found.bytes / 1e6:,.1f} MB. Open {folder / 'index.html'}, or put the folder on a web host."
    )
    if found.left_out:
        terminal.remark(f"{found.left_out:,} conversations have no page; --most N writes more.")
    return DONE
