"""The list of a run's conversations, a page at a time, each with its first scores; and the list of what failed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any

from interplay.core.benchmark import Benchmark
from interplay.core.measures import Measure
from interplay.reporting.pages.progress import counted
from interplay.running.results import Judged, judged_in, options_of
from interplay.store.browsing import TOGETHER, Listed, Page, Wanted
from interplay.store.records import Records, Run
from interplay.store.sums import Sums

MOST_MEASURES = 3
Marks = Mapping[str, float]  # by the name of a measure


@dataclass(frozen=True)
class Row:
    """A conversation in the list, and what each model that was measured in it came to."""

    listed: Listed
    marks: Mapping[str, Marks]  # by model

    def shown(self, measure: Measure) -> list[tuple[str, str]]:
        """The values of a measure, each with the model's name where several sat together."""
        found = [(model, marks[measure.name]) for model, marks in self.marks.items() if measure.name in marks]
        several = len(self.marks) > 1
        return [(model if several else "", in_figures(measure, value)) for model, value in found]


def all_measures(run: Run, benchmark: Benchmark) -> tuple[Measure, ...]:
    return benchmark.measures(options_of(run, benchmark))


def first_measures(run: Run, benchmark: Benchmark) -> tuple[Measure, ...]:
    return all_measures(run, benchmark)[:MOST_MEASURES]


def in_figures(measure: Measure, value: float) -> str:
    """A value of one conversation: yes and no where that is all there is."""
    if measure.scale.is_yes_or_no and value in (0.0, 1.0):
        return "yes" if value else "no"
    return f"{value:.2f}"


def marks_of(
    records: Records, run: Run, benchmark: Benchmark, measures: Sequence[Measure], numbers: Iterable[int]
) -> dict[int, dict[str, Marks]]:
    """What these conversations came to by these measures: by number, and by model."""
    options = options_of(run, benchmark)
    roles = [role.name for role in benchmark.subjects(options)]
    judged = judged_in(records, benchmark, options, run.extent["rubric"], numbers)
    return {one.row.number: _marks(one, roles, measures) for one in judged}


def _marks(one: Judged, roles: Sequence[str], measures: Sequence[Measure]) -> dict[str, Marks]:
    row = one.row
    together = TOGETHER in row.subject
    models = sorted({row.cast[role] for role in roles if role in row.cast}) if together else [row.subject]
    found: dict[str, Marks] = {}
    for model in models:
        mine = [score for score in one.scores if (score.model or row.subject) in (model, row.subject)]
        values = {measure.name: list(measure.by_source(mine).values()) for measure in measures}
        found[model] = {name: fsum(some) / len(some) for name, some in values.items() if some}
    return found


def conversations(
    run: Run,
    measures: Sequence[Measure],
    page: Page,
    marks: Mapping[int, Mapping[str, Marks]],
    wanted: Wanted,
    sums: Sums | None,
) -> dict[str, Any]:
    """What the list shows; with sums, how many there are of each kind."""
    rows = [Row(one, marks.get(one.number, {})) for one in page.rows]
    filters = asdict(wanted)
    return {
        "title": f"Conversations of {run.name or run.id}",
        "here": "home",
        "run": run,
        "rows": rows,
        "measures": measures,
        "wanted": wanted,
        "is_filtered": any(filters.values()),
        "has_repeats": run.extent["epochs"] > 1,
        "subjects": counted(sums.subjects) if sums else [],
        "states": counted(sums.states) if sums else [],
        "failures": counted(sums.failures) if sums else [],
        "all": sums.conversations if sums else None,
        "newer": _edge(filters, before=page.rows[0].number) if page.rows and page.has_before else None,
        "older": _edge(filters, after=page.rows[-1].number) if page.rows and page.has_after else None,
    }


def _edge(filters: Mapping[str, str], **edge: int) -> dict[str, object]:
    """What leads to the page before or after this one, as the query of its address has it."""
    return {**query_of(filters), **edge}


def query_of(filters: Mapping[str, str]) -> dict[str, object]:
    """Filters as the address of the list names them."""
    return {("model" if name == "subject" else name): value for name, value in filters.items()}


def faults(run: Run, of: str, name: str, rows: Sequence[Any], before: int) -> dict[str, Any]:
    """What the list of failed calls, or of verdicts that were not given, shows."""
    what = "Calls that failed" if of == "calls" else "Verdicts that were not given"
    return {
        "title": f"{what}: {name}" if name else what,
        "here": "home",
        "run": run,
        "of": of,
        "name": name,
        "rows": rows,
        "older": before,
    }
