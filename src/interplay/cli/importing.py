"""The verb import: conversations that were made elsewhere become a run, to be judged and analysed."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from interplay.benchmarks import WRITERS, playable
from interplay.cli import terminal
from interplay.cli.edge import DONE
from interplay.cli.flags import JSON, STORE, flag, set_in, with_flags
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake, nearest
from interplay.core.import_files import Unfit
from interplay.core.importing import Importer, name_in
from interplay.running.importing import Survey, Taken, Wanted, import_run
from interplay.store.places import Store

MOST_LEFT = 20  # parts of files that are named
FILE = click.Path(path_type=Path, dir_okay=False)


def formats() -> dict[str, tuple[Benchmark, Importer]]:
    """All formats there are, by the names that are typed."""
    known = (*playable(), *WRITERS)
    return {one.name: (benchmark, one) for benchmark in known for one in benchmark.importers}


class Import(click.Command):
    """A command whose help tells of every format."""

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Formats"):
            formatter.write_dl([
                (name, f"{importer.meaning}; a run of {benchmark.name}")
                for name, (benchmark, importer) in sorted(formats().items())
            ])  # fmt: skip


@click.command("import", cls=Import)
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@flag("--as", "format_", required=True, metavar="FORMAT", help="What the files are: see below.")
@flag("--model", default="", metavar="NAME", help="Whose replies these are, where a file does not say.")
@flag("--judge", default="", metavar="NAME", help="Whose verdicts these are, where a file does not say.")
@flag("--data", type=click.Path(path_type=Path), help="The scenarios, where a file only names them.")
@flag("--set", "changed", multiple=True, metavar="OPTION=VALUE",
      help="Another value of an option of the benchmark, as in language=ru.")  # fmt: skip
@flag("--strict", is_flag=True, help="Take in nothing if there is a part that cannot be read.")
@with_flags(STORE, JSON)
def import_verb(
    files: tuple[Path, ...], format_: str, changed: tuple[str, ...], store: Store, **given: Any
) -> int:
    """Make conversations that were made elsewhere a run, with the verdicts and labels that their FILEs have.

    Several FILEs are one run: of several models, or of several judges of the same conversations. The run can be judged
    (interplay judge), shown, compared and labelled as any other; boards set it apart from what was played here. A row
    that is unknown or broken is listed and left out, never guessed. The same files again change nothing.
    """
    benchmark, importer = _format(format_)
    wanted = Wanted(
        benchmark,
        importer,
        files,
        _options(benchmark, importer, changed),
        _name(given["model"], "--model"),
        _name(given["judge"], "--judge"),
        given["data"],
    )
    tell = terminal.remark if sys.stderr.isatty() else lambda line: None
    taken = import_run(wanted, store, strict=given["strict"], tell=tell)
    if given["json"]:
        terminal.say_json(_told_as_json(benchmark, taken))
        return DONE
    _tell(wanted, taken)
    return DONE


def _format(typed: str) -> tuple[Benchmark, Importer]:
    known = formats()
    if typed not in known:
        raise Mistake(f"there is no format {typed!r}; {nearest(typed, known)}")
    return known[typed]


def _options(benchmark: Benchmark, importer: Importer, changed: tuple[str, ...]) -> dict[str, str]:
    """The options of the run: what the format asks for, and over it what was typed."""
    able = [one for one in benchmark.options if not (one.of_table or one.of_sequel)]
    typed = benchmark.read(set_in(changed, able, benchmark.name))
    return benchmark.settle({**importer.options, **typed})


def _name(typed: str, what: str) -> str:
    try:
        return name_in(typed, what) if typed else ""
    except Unfit as problem:
        raise Mistake(str(problem)) from problem


def _told_as_json(benchmark: Benchmark, taken: Taken) -> dict[str, Any]:
    found = taken.survey
    return {
        "run": taken.run,
        "benchmark": benchmark.name,
        "new": taken.is_new,
        "models": found.models,
        "judges": found.panel,
        "conversations": found.conversations,
        "verdicts": found.verdicts,
        "labels": found.labels,
        "left_out": [asdict(left) for left in found.left],
    }


def _tell(wanted: Wanted, taken: Taken) -> None:
    found = taken.survey
    for left in found.left[:MOST_LEFT]:
        terminal.remark(f"Left out, {left}")
    if len(found.left) > MOST_LEFT:
        terminal.remark(f"Left out, {len(found.left) - MOST_LEFT:,} more; --json lists them all.")
    if not taken.is_new:
        terminal.remark(f"{taken.run} is these files already, and stays as it is.")
        return
    terminal.remark(f"Imported as {taken.run}: {_counted(found)}.")
    terminal.remark(
        f"Look at it: interplay show {taken.run}. Judge it: interplay judge {taken.run} --model-role judge=NAME"
    )


def _counted(found: Survey) -> str:
    parts = (
        (found.conversations, "conversation"),
        (len(found.models), "model"),
        (found.verdicts, "verdict"),
        (found.labels, "label"),
        (len(found.left), "part left out"),
    )
    return ", ".join(f"{count:,} {what if count == 1 else _plural(what)}" for count, what in parts if count)


def _plural(what: str) -> str:
    first, space, rest = what.partition(" ")
    return f"{first}s{space}{rest}"
