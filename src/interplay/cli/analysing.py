"""The verbs that ask what a run's numbers are worth; none calls a model."""

from pathlib import Path

import click

from interplay.analysis.agreement import agreement_of
from interplay.analysis.comparison import compare, comparison_board
from interplay.analysis.correction import correction_board
from interplay.benchmarks import find
from interplay.cli import terminal
from interplay.cli.edge import DONE
from interplay.cli.flags import JSON, STORE, flag, with_flags
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.core.failures import Mistake
from interplay.core.measures import Measure, measure_called
from interplay.running.results import options_of
from interplay.store.labels import Labels
from interplay.store.records import Records, Run


def _show(board: Board, as_json: bool) -> int:
    if as_json:
        terminal.say_json(board.as_json())
    else:
        terminal.show_board(board)
    return DONE


BY = flag(
    "--by",
    default="",
    metavar="MEASURE",
    help="The score that is looked at.  [default: the benchmark's main one]",
)


def _measured(run: Run, by: str) -> tuple[Benchmark, Measure]:
    benchmark = find(run.benchmark)
    return benchmark, measure_called(by, benchmark.measures(options_of(run, benchmark)), benchmark.name)


@click.command("compare")
@click.argument("runs", nargs=-1, required=True)
@with_flags(BY, STORE, JSON)
def compare_verb(runs: tuple[str, ...], by: str, store: Path, json: bool) -> int:
    """Compare the models of RUNS two by two on the scenarios they have in common.

    Differences are paired and clustered as the benchmark's design is; Holm's adjustment says which may be claimed, and
    rank sets follow from the claims. Runs that cannot be compared with the first stand apart, with the reason.
    """
    with Records(store) as records:
        found = [records.find(run) for run in runs]
        benchmark, measure = _measured(found[0], by)
        for run in found:
            if run.benchmark != benchmark.name:
                raise Mistake(
                    f"{run.id} is a run of {run.benchmark}, not of {benchmark.name} as {found[0].id}"
                )
        return _show(comparison_board(compare(records, found, benchmark, measure)), json)


@click.command("correct")
@click.argument("run")
@flag("--judge", default="", metavar="NAME", help="Whose numbers to correct.  [default: the panel's]")
@with_flags(BY, STORE, JSON)
def correct_verb(run: str, judge: str, by: str, store: Path, json: bool) -> int:
    """Correct what the judges of RUN say by people's labels of a part of it that was drawn at random.

    Beside each other: the judge alone, the judge corrected (PPI++, prediction-powered inference), and people alone. The
    judge alone is flagged where the labels show that it differs from people. Labels that were not drawn by
    interplay labels draw are refused: they correct nothing.
    """
    with Records(store) as records, Labels(store) as labels:
        found = records.find(run)
        benchmark, measure = _measured(found, by)
        return _show(correction_board(records, labels, found, benchmark, measure, judge), json)


@click.command("agreement")
@click.argument("run")
@with_flags(STORE, JSON)
def agreement_verb(run: str, store: Path, json: bool) -> int:
    """Hold each judge of RUN, and the panel, against people and against each other.

    People's labels come into the store by interplay labels. Of several raters of a conversation the majority counts,
    of scores else the median; Krippendorff's alpha says how far they agree among themselves.
    """
    with Records(store) as records, Labels(store) as labels:
        found = records.find(run)
        return _show(agreement_of(records, labels, found, find(found.benchmark)), json)
