"""Which charts stand on the page of a run or of a board, and the one of them that an address names."""

from collections.abc import Sequence

from interplay.analysis.people import people_of
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.core.measures import Measure
from interplay.reporting.charts import Chart, charts_of, judge_scatter
from interplay.running.results import judged_in, options_of
from interplay.store.labels import Labels
from interplay.store.records import Records, Run

THEMES = {"-light.svg": False, "-dark.svg": True}  # how the names of files end
MOST_LABELLED = 2_000  # conversations that a scatter is drawn of


def of_board(board: Board, benchmark: Benchmark) -> list[Chart]:
    """The charts of a board of several runs."""
    return charts_of(board, benchmark.name)


def of_run(records: Records, run: Run, benchmark: Benchmark, board: Board) -> list[Chart]:
    """The charts of a run's board; and its judges against people, where people labelled it."""
    scatter = judges_and_people(records, run, benchmark)
    return [*of_board(board, benchmark), *([scatter] if scatter else [])]


def judges_and_people(records: Records, run: Run, benchmark: Benchmark) -> Chart | None:
    """What judges say against what people say, by the first measure that people spoke of; None where nobody did."""
    options = options_of(run, benchmark)
    measures = [one for one in benchmark.measures(options) if one.by == "judges"]
    with Labels(records.path) as labels:
        people = people_of(labels, run, measures) if measures else {}
    measure = _first(measures, {name for _, name in people})
    if measure is None:
        return None
    said = {number: value for (number, name), value in people.items() if name == measure.name}
    numbers = sorted(said)[:MOST_LABELLED]
    pairs = [
        (said[one.row.number], value, judge)
        for one in judged_in(records, benchmark, options, run.extent["rubric"], numbers)
        for judge, value in measure.by_source(one.scores).items()
    ]
    return judge_scatter(pairs, f"Judges and people: {measure.name.replace('_', ' ')}", measure.scale)


def _first(measures: Sequence[Measure], said: set[str]) -> Measure | None:
    """The first that people spoke of; what is yes or no makes no picture."""
    return next((one for one in measures if one.name in said and not one.scale.is_yes_or_no), None)


def named(charts: Sequence[Chart], file: str) -> tuple[Chart, bool] | None:
    """The chart that a file's name stands for, and whether it is the dark one; None where there is none."""
    for ending, dark in THEMES.items():
        if file.endswith(ending):
            name = file.removesuffix(ending)
            return next(((one, dark) for one in charts if one.name == name), None)
    return None
