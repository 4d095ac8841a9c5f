"""Looking: the first page, boards and charts, and the numbers behind them."""

from collections.abc import Mapping
from functools import lru_cache

from starlette.responses import Response

from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Column
from interplay.core.failures import Mistake
from interplay.reporting.charts import Chart, svg
from interplay.reporting.pages import boards, homes, numbers, pictures
from interplay.reporting.pages.ranks import places_of
from interplay.running.keeping import Kept
from interplay.store.beats import last_beat
from interplay.store.behind import Behind
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.web.entries import OWNER, Entry, Field, NotThere, Visit
from interplay.web.site import go_to

# a picture holds no script, style or link, and needs none
PICTURE = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}


def home(visit: Visit) -> Response:
    keeper = visit.site.keeper

    def states(run: Run) -> Mapping[str, int] | None:
        sums = keeper.sums(run).value
        return sums.states if sums else None

    with Records(visit.site.store) as records:
        return visit.site.page(
            "home", **homes.home(records, states, everything=visit.query.get("all") == "1")
        )


def show_board(visit: Visit) -> Response:
    benchmark = benchmark_named(visit.path["benchmark"])
    if benchmark.name != visit.path["benchmark"]:
        return go_to(visit.site.links.board(benchmark.name))
    kept = visit.site.keeper.groups(benchmark.name)
    with Records(visit.site.store) as records:
        return visit.site.page("board", **boards.page(records, benchmark, kept, visit.site.links))


def chart_of_board(visit: Visit) -> Response:
    benchmark = benchmark_named(visit.path["benchmark"])
    groups = visit.site.keeper.groups(benchmark.name).value or []
    group = next((one for one in groups if one.runs and boards.id_of(one) == visit.path["group"]), None)
    if group is None:
        raise NotThere("there is no such board")
    return _picture(pictures.of_board(group.board, benchmark), visit.path["file"])


def chart_of_run(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        run = run_named(records, visit.path["run"])
        benchmark = benchmark_named(run.benchmark)
        board = _board_of(visit.site.keeper.board(run))
        return _picture(pictures.of_run(records, run, benchmark, board), visit.path["file"])


def _picture(charts: list[Chart], file: str) -> Response:
    found = pictures.named(charts, file)
    if found is None:
        raise NotThere("there is no such chart")
    return Response(svg(*found), headers=PICTURE, media_type="image/svg+xml")


def explain_number(visit: Visit) -> Response:
    with Records(visit.site.store) as records:
        run = run_named(records, visit.path["run"])
        benchmark = benchmark_named(run.benchmark)
        kept = visit.site.keeper.board(run)
        if kept.is_being_computed and kept.value is None:
            return visit.site.page("waiting", title="Not there yet", here="home", run=run)
        board = _board_of(kept)
        asked = numbers.question(run, benchmark, board, visit.path["model"], visit.path["column"])
        if asked is None:
            raise NotThere(
                f"the board of {run.id} has no number {visit.path['column']!r} of {visit.path['model']!r}"
            )
        behind = Behind(records, run, asked.model)
        seen = numbers.Seen(visit.query.get("order") == "highest", int(visit.query.get("skip") or 0))
        beat = last_beat(records.db, run.number)
        listed = _listed(visit.site.store, run.id, beat, asked.model, asked.column, seen)
        place = (places_of(records, [run], benchmark) or {}).get(asked.model)
        values = numbers.page(asked, behind, listed, seen, place)
    groups = visit.site.keeper.groups(benchmark.name).value or []
    return visit.site.page("number", **values, elsewhere=numbers.elsewhere(asked, groups))


@lru_cache(maxsize=256)
def _listed(
    store: Store, run: str, beat: int, model: str, column: Column, seen: numbers.Seen
) -> numbers.Listed:
    """What is behind a number; as long as the run has the same beat, it is the same."""
    with Records(store) as records:
        found = records.find(run)
        return numbers.list_behind(
            column, benchmark_named(found.benchmark), Behind(records, found, model), seen
        )


def _board_of(kept: Kept[Board]) -> Board:
    if kept.value is None:
        raise NotThere(kept.trouble or "the board of this run is being computed; look again in a moment")
    return kept.value


def benchmark_named(name: str) -> Benchmark:
    """A benchmark by its name or its paper's."""
    try:
        return find(name)
    except Mistake as mistake:
        raise NotThere(str(mistake)) from None


def run_named(records: Records, wanted: str) -> Run:
    """The run that an address names by its id or its name."""
    try:
        return records.find(wanted)
    except Mistake as mistake:
        raise NotThere(str(mistake)) from None


ENTRIES = (
    Entry(
        "GET",
        "/",
        OWNER,
        home,
        "the benchmarks and runs of the store",
        query=(Field("all", "1 shows all runs, not the newest alone", choices=("1",)),),
    ),
    Entry("GET", "/boards/{benchmark}/", OWNER, show_board, "the boards of a benchmark"),
    Entry(
        "GET",
        "/boards/{benchmark}/{group}/charts/{file}",
        OWNER,
        chart_of_board,
        "a chart of a board, light or dark",
        answers="image/svg+xml",
    ),
    Entry(
        "GET",
        "/runs/{run}/charts/{file}",
        OWNER,
        chart_of_run,
        "a chart of a run's board, light or dark",
        answers="image/svg+xml",
    ),
    Entry(
        "GET",
        "/runs/{run}/numbers/{model:path}/{column}/",
        OWNER,
        explain_number,
        "what is behind a number of a run's board",
        query=(
            Field("order", "which conversations come first", choices=("lowest", "highest")),
            Field(
                "skip",
                "conversations that are left out before those that are shown",
                number=(0, numbers.LARGEST_SKIP),
            ),
        ),
    ),
)
