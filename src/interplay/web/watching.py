"""Watching a run: its progress while it goes on, its conversations, its calls, two models side by side."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from starlette.responses import Response

from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.core.measures import Measure, measure_called
from interplay.reporting.pages import calls, comparing, listing, pictures, runs
from interplay.reporting.pages.commands import Command, going_on
from interplay.reporting.pages.progress import Standing, standing_of
from interplay.running.progress import progress_of
from interplay.running.results import options_of
from interplay.store.beats import last_beat
from interplay.store.browsing import FEW, PAGE, STATES, Browsing, Page, Shared, Wanted
from interplay.store.faults import failed_calls, failed_verdicts
from interplay.store.finding import conversation_of, label_of, played_by, repeats_of, run_of, scenarios_of
from interplay.store.pace import pace_of
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.store.sums import Sums
from interplay.web.entries import OWNER, Entry, Field, NotThere, Visit
from interplay.web.looking import run_named
from interplay.web.site import Site

LARGEST = 2**62
MODEL = Field("model", "only conversations in which this model, or these together, was measured", most=2_000)
EDGES = (
    Field("after", "conversations after this number", number=(0, LARGEST)),
    Field("before", "conversations before this number", number=(0, LARGEST)),
)
FILTERS = (
    MODEL,
    Field("state", "only those that are so", choices=STATES),
    Field("failure", "only those that are void for this reason"),
    Field("scenario", "only those of the scenario with this id"),
    Field("search", "only those whose scenario's label has these words"),
    *EDGES,
)


def number_in(visit: Visit, name: str) -> int:
    return int(visit.query.get(name) or 0)


def stands(site: Site, records: Records, run: Run, benchmark: Benchmark) -> Standing | None:
    """Where a run stands; None while a large one is counted for the first time."""
    kept = site.keeper.sums(run)
    if kept.value is None:
        return None
    return standing_of(
        run,
        progress_of(records, run, benchmark),
        kept.value,
        as_of=kept.as_of if kept.stale else "",
        pace=pace_of(records, run),
    )


def _part(visit: Visit, records: Records, run: Run, benchmark: Benchmark) -> dict[str, Any]:
    """The part of the page that is fetched again and again."""
    found = stands(visit.site, records, run, benchmark)
    if found is None:
        return {"stands": None}
    command = going_on(run, visit.site.store) if found.state == "stopped" else Command("")
    return runs.progress(found, command)


def show_run(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        run = run_named(records, visit.path["run"])
        benchmark = find(run.benchmark)
        is_small = Browsing(records).count_up_to(run, FEW + 1) <= FEW
        kept = visit.site.keeper.board(run)
        values = runs.page(
            run,
            benchmark,
            kept,
            visit.site.links,
            charts=pictures.of_run(records, run, benchmark, kept.value) if kept.value else (),
            versions=records.totals(run).models if is_small else None,
            sequels=records.made_of(run.id),
        )
        return visit.site.page("run", **values, **_part(visit, records, run, benchmark))


def show_progress(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        run = run_named(records, visit.path["run"])
        return visit.site.page("progress", run=run, **_part(visit, records, run, find(run.benchmark)))


def wanted_in(visit: Visit) -> Wanted:
    said = visit.query
    return Wanted(
        subject=said.get("model", ""),
        state=said.get("state", ""),
        failure=said.get("failure", ""),
        scenario=said.get("scenario", ""),
        search=said.get("search", "").strip(),
    )


def page_in(visit: Visit, records: Records, run: Run, size: int = PAGE) -> Page:
    """The page of conversations that is asked for."""
    before = number_in(visit, "before")
    after = 0 if before else number_in(visit, "after")
    return Browsing(records).page(run, wanted_in(visit), after=after, before=before, size=size)


def list_conversations(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        run = run_named(records, visit.path["run"])
        benchmark = find(run.benchmark)
        page = page_in(visit, records, run)
        measures = listing.first_measures(run, benchmark)
        marks = listing.marks_of(records, run, benchmark, measures, [one.number for one in page.rows])
        sums: Sums | None = visit.site.keeper.sums(run).value
        values = listing.conversations(run, measures, page, marks, wanted_in(visit), sums)
        return visit.site.page("conversations", **values)


def list_faults(visit: Visit) -> Response:
    of, name, before = (
        visit.query.get("of") or "calls",
        visit.query.get("name", ""),
        number_in(visit, "before"),
    )
    with Records(visit.site.store) as records:
        run = run_named(records, visit.path["run"])
        found = (failed_verdicts if of == "verdicts" else failed_calls)(records, run, name, before)
        return visit.site.page("faults", **listing.faults(run, of, name, found.rows, found.before))


def show_call(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        conversation = conversation_of(records, visit.path["number"])
        run = run_of(records, conversation) if conversation is not None else None
        if conversation is None or run is None:
            raise NotThere(f"there is no call {visit.path['number']} in this store")
        browsing = Browsing(records)
        label = records.conversation(conversation).scenario.label
        found, others = browsing.call(visit.path["number"]), browsing.calls_of(conversation)
        return visit.site.page("call", **calls.call(run, label, found, others))


def compare(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        run = run_named(records, visit.path["run"])
        benchmark = find(run.benchmark)
        chosen = _chosen(visit, run, benchmark)
        if visit.query.get("scenario"):
            return _side_by_side(visit, records, chosen, benchmark)
        if chosen.measure is None or not chosen.second:
            return visit.site.page("compare", **comparing.page(chosen, None, (), 0))
        shared = visit.site.keeper.shared(run, chosen.first, chosen.second, chosen.measure.names)
        difference = _difference(visit, records, chosen, chosen.measure, benchmark, shared)
        return visit.site.page(
            "compare", **comparing.page(chosen, difference, shared, number_in(visit, "skip"))
        )


def _chosen(visit: Visit, run: Run, benchmark: Benchmark) -> comparing.Chosen:
    """Two models and a measure, the first ones there are where nobody says which."""
    models, measures = tuple(run.identity["models"]), benchmark.measures(options_of(run, benchmark))
    for name in ("a", "b"):
        if visit.query.get(name) and visit.query[name] not in models:
            raise NotThere(f"{run.id} has no model {visit.query[name]!r}")
    first = visit.query.get("a") or next(iter(one for one in models if one != visit.query.get("b")), "")
    second = visit.query.get("b") or next(iter(one for one in models if one != first), "")
    measure = measure_called(visit.query.get("by", ""), measures, benchmark.name) if measures else None
    return comparing.Chosen(run, models, measures, first, "" if second == first else second, measure)


def _difference(
    visit: Visit,
    records: Records,
    chosen: comparing.Chosen,
    measure: Measure,
    benchmark: Benchmark,
    shared: Sequence[Shared],
) -> comparing.Difference | None:
    if not shared:
        return None
    if Browsing(records).count_up_to(chosen.run, FEW + 1) > FEW:
        scenarios = scenarios_of(records, (one.scenario for one in shared))
        ways = {scenario.id: benchmark.ways(scenario) for scenario in scenarios}
        return comparing.difference_of(shared, chosen, measure, ways)
    board = _pairs(visit.site.store, chosen.run.id, measure.name, last_beat(records.db, chosen.run.number))
    return comparing.difference_on(board, chosen.first, chosen.second) if board else None


@lru_cache(maxsize=64)
def _pairs(store: Store, run: str, measure: str, beat: int) -> Board | None:
    """All pairs of a run; as long as it has the same beat, they are the same."""
    with Records(store) as records:
        found = records.find(run)
        benchmark = find(found.benchmark)
        by = measure_called(measure, benchmark.measures(options_of(found, benchmark)), benchmark.name)
        return comparing.pairs_board(records, found, benchmark, by)


def _side_by_side(visit: Visit, records: Records, chosen: comparing.Chosen, benchmark: Benchmark) -> Response:
    run, scenario, repeat = chosen.run, visit.query["scenario"], max(1, number_in(visit, "repeat"))
    label = label_of(records, run, scenario)
    if label is None:
        raise NotThere(f"{run.id} has no scenario {scenario[:80]!r}")
    models = [chosen.first, *([chosen.second] if chosen.second else [])]
    sides = [_side(records, chosen, benchmark, scenario, model, repeat - 1) for model in models]
    repeats = [one + 1 for one in repeats_of(records, run, scenario)]
    values = comparing.side_by_side(chosen, scenario, label, repeat, repeats, sides)
    return visit.site.page("side_by_side", **values)


def _side(
    records: Records, chosen: comparing.Chosen, benchmark: Benchmark, scenario: str, model: str, repeat: int
) -> comparing.Side:
    run = chosen.run
    numbers = played_by(records, run, scenario, model, repeat)
    marks = listing.marks_of(records, run, benchmark, chosen.measures, numbers[:1])
    given = [one for number in numbers[:1] for item, one in records.verdicts_of(number) if not item]
    return comparing.side_of(
        model,
        [records.conversation(number) for number in numbers],
        next((one.get(model, {}) for one in marks.values()), {}),
        [one for one in given if one.rubric == run.extent["rubric"]],
        chosen,
        [role.name for role in benchmark.subjects(options_of(run, benchmark))],
    )


ENTRIES = (
    Entry("GET", "/runs/{run}/", OWNER, show_run, "a run: what it is, where it stands, its board"),
    Entry(
        "GET",
        "/runs/{run}/progress/",
        OWNER,
        show_progress,
        "the part of a run's page that says where it stands",
    ),
    Entry(
        "GET", "/runs/{run}/conversations/", OWNER, list_conversations, "the conversations of a run", FILTERS
    ),
    Entry(
        "GET",
        "/runs/{run}/faults/",
        OWNER,
        list_faults,
        "calls that failed, or verdicts that were not given",
        (
            Field("of", "which of the two", choices=("calls", "verdicts")),
            Field("name", "only those of this cause, or with this name"),
            EDGES[1],
        ),
    ),
    Entry(
        "GET",
        "/runs/{run}/compare/",
        OWNER,
        compare,
        "two models on the same scenarios",
        (
            Field("a", "a model"),
            Field("b", "another"),
            Field("by", "the measure that they are compared by"),
            Field("scenario", "the id of a scenario: both conversations side by side"),
            Field("repeat", "which of its repeats, from 1", number=(0, 1_000_000)),
            Field("skip", "so many scenarios are left out before the first", number=(0, 1_000_000)),
        ),
    ),
    Entry("GET", "/calls/{number:int}/", OWNER, show_call, "one call: what was asked and answered"),
)
