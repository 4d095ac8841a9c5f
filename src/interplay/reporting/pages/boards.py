"""The page of a benchmark: one board for each group of runs that can be compared, and why others stand apart."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from interplay.benchmarks.role_play.cards import LANGUAGE_NAMES
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Cell, Column
from interplay.reporting.charts import Chart
from interplay.reporting.pages.links import Links
from interplay.reporting.pages.pictures import of_board
from interplay.reporting.pages.ranks import RANK_SET, main_measure, places_of, with_rank_sets
from interplay.reporting.pages.tables import plain
from interplay.running.comparing import Group
from interplay.running.keeping import Kept
from interplay.running.results import options_of
from interplay.store.records import Records, Run

LANGUAGE = "language"  # the option that makes a board for each of its values
LONGEST = 60  # characters of an option's value
Explain = Callable[[Mapping[str, Cell], Column], str]


@dataclass(frozen=True)
class Shown:
    """A group of runs as its page shows it."""

    id: str
    name: str
    language: str
    facts: tuple[tuple[str, str], ...]
    runs: tuple[tuple[Run, str], ...]  # each with what is said of it
    board: Board
    apart: str
    charts: tuple[Chart, ...]
    explain: Explain
    is_large: bool  # too large for rank sets while somebody waits


def id_of(group: Group) -> str:
    """What a group is called in an address: by its oldest run."""
    return min(group.runs, key=lambda run: run.number).id


def page(records: Records, benchmark: Benchmark, kept: Kept[list[Group]], links: Links) -> dict[str, Any]:
    """What the page of a benchmark shows; of each language the first group stands out, others stand below."""
    groups = [shown(records, one, benchmark, links) for one in kept.value or [] if one.runs]
    leading: dict[str, Shown] = {}
    for one in groups:
        leading.setdefault(one.language, one)
    return {
        "title": benchmark.title,
        "here": "home",
        "benchmark": benchmark,
        "kept": kept,
        "leading": list(leading.values()),
        "apart": [one for one in groups if one is not leading[one.language]],
    }


def shown(records: Records, group: Group, benchmark: Benchmark, links: Links) -> Shown:
    """A group with its name in words, its rank sets and its charts."""
    runs = sorted(group.runs, key=lambda run: run.number)
    places = places_of(records, runs, benchmark)
    board = with_rank_sets(group.board, places, main_measure(runs[0], benchmark))
    told = _told_of_runs(runs, board.notes)
    board = replace(board, notes=tuple(note for note in board.notes if note not in told.values()))
    options = options_of(runs[0], benchmark)
    return Shown(
        id=id_of(group),
        name=name_of(runs[0], benchmark),
        language=options.get(LANGUAGE, ""),
        facts=tuple(facts_of(runs, benchmark)),
        runs=tuple((run, told.get(run.id, "").removeprefix(f"Run {run.id}: ")) for run in reversed(runs)),
        board=board,
        apart=group.apart,
        charts=tuple(of_board(group.board, benchmark)),
        explain=explainer(links, runs),
        is_large=places is None,
    )


def _told_of_runs(runs: Sequence[Run], notes: Sequence[str]) -> dict[str, str]:
    """The first note on each run, which says what it has and who judged it."""
    found: dict[str, str] = {}
    for note in notes:
        for run in runs:
            if note.startswith(f"Run {run.id}: "):
                found.setdefault(run.id, note)
    return found


def name_of(run: Run, benchmark: Benchmark) -> str:
    """A group in a few words: its language where there are several, and who judged."""
    options = options_of(run, benchmark)
    language = [LANGUAGE_NAMES.get(options[LANGUAGE], options[LANGUAGE])] if LANGUAGE in options else []
    judges = run.extent["judges"]
    judged = f"judged by {_listed(judges)}" if judges else _unjudged(run)
    told = ", ".join([*language, judged])
    return told[:1].upper() + told[1:]


def _unjudged(run: Run) -> str:
    return "scored by rule" if run.extent["rubric"] == "none" else "not judged"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def facts_of(runs: Sequence[Run], benchmark: Benchmark) -> Iterator[tuple[str, str]]:
    """What all runs of a group share, as far as it is worth telling."""
    run = runs[0]
    times = {one.extent["epochs"] for one in runs}
    often = f", each {max(times):,} times" if len(times) == 1 and max(times) > 1 else ""
    yield "scenarios", f"{run.extent['limit']:,}{often}"
    for role, names in run.identity["roles"].items():
        if role != "judge":
            yield role, ", ".join(names)
    meant = {option.name: option for option in benchmark.options}
    for name, value in options_of(run, benchmark).items():
        if name != LANGUAGE and value != meant[name].default:
            yield name.replace("_", " "), _short(value)


def _short(value: str) -> str:
    """An option's value in a few words; what was read from a file is named, not quoted."""
    if value.startswith("{"):
        try:
            found = json.loads(value)
        except ValueError:
            found = None
        value = str(found.get("name", "of a file")) if isinstance(found, dict) else value
    return value if len(value) <= LONGEST else f"{value[: LONGEST - 3]}..."


def explainer(links: Links, runs: Sequence[Run]) -> Explain:
    """The address of the page behind a number: of the newest of these runs that measured the model."""
    of_model = {model: run.id for run in runs for model in run.identity["models"]}

    def explain(row: Mapping[str, Cell], column: Column) -> str:
        model = str(row.get("model", ""))
        if links.is_static or column.kind == "text" or column.key == RANK_SET or not plain(row[column.key]):
            return ""
        return links.number(of_model[model], model, column.key) if model in of_model else ""

    return explain
