"""Throughput at few and many connections and at short and long latencies: what the bare loop gets, and the job."""

import itertools
import math
from collections.abc import Iterator

from perf.bench import Bench, Taken
from perf.children import Provider, provider
from perf.measures import Measure, Part, load
from perf.samples import per_call
from perf.sizes import CALLS_PER_CONVERSATION, Cell

LEAST_OF_BARE = 0.85  # where latency is long and connections are many
LEAST_OF_IDEAL = 0.9  # where latency is long and connections are few enough for one process
LONG, MANY = 0.5, 1024  # seconds, connections
SCENARIOS = 16  # divides every number of connections, so that no connection has a conversation less to do
STEADY = (0.1, 0.9)  # the share of all calls at which the steady part begins and ends

JOB, SHARED = "job", "`--workers 2`"

Row = tuple[Cell, dict[str, Taken]]


def grid(bench: Bench) -> Part:
    """A provider for each latency; at each number of connections the bare loop, then the job."""
    before = load()
    rows: list[Row] = []
    for latency, cells in itertools.groupby(bench.size.grid, key=lambda cell: cell.latency):
        with provider(latency=latency, warm=bench.bodies) as at:
            rows += [(cell, _measured(bench, at, cell)) for cell in cells]
    work = (
        "the bare loop, the job, and where one event loop may be the limit the job with `--workers 2` make the same "
        "number of calls over so many connections to a provider that answers after so long; ideal is connections / "
        "latency, and at 0 ms what the bare loop gets"
    )
    measures = [_of_row(row) for row in rows]
    measures += [one for row in rows if row[0].latency >= LONG for one in _of_steady(row)]
    return Part("grid", work, (before, load()), (*measures, _of_provider(rows)))


def _measured(bench: Bench, at: Provider, cell: Cell) -> dict[str, Taken]:
    conversations = cell.connections * cell.conversations
    calls = conversations * CALLS_PER_CONVERSATION
    name = f"grid-{cell.latency * 1000:.0f}-{cell.connections}"
    task = {"limit": SCENARIOS, "epochs": conversations // SCENARIOS, "connections": cell.connections}
    took = {"bare loop": bench.post(at, calls, cell.connections)}
    took[JOB] = bench.play(at, name, **task, watch=True)
    if cell.shared:
        took[SHARED] = bench.play(at, f"{name}-shared", **task, workers=2)
    return took


def _of_row(row: Row) -> Measure:
    cell, took = row
    paces = {name: one["calls"] / one["wall"] for name, one in took.items()}
    bare = paces["bare loop"]
    ideal = cell.connections / cell.latency if cell.latency else bare
    shares = [f"bare loop {bare / ideal:.0%}"] if cell.latency else [f"bare loop {bare:,.0f} calls/s"]
    shares += [f"{name} {paces[name] / ideal:.0%}" for name in (JOB, SHARED) if name in paces]
    better = max(pace for name, pace in paces.items() if name != "bare loop") / bare
    held = cell.latency >= LONG and cell.connections >= MANY
    return Measure(
        _name(cell),
        f"{', '.join(shares)}; {'the better' if SHARED in paces else JOB} : bare loop {better:.0%}",
        f"{took[JOB]['calls']:,} calls each; shares are of "
        + (f"{ideal:,.0f} calls a second" if cell.latency else "what the bare loop gets"),
        f"at least {LEAST_OF_BARE:.0%} of the bare loop" if held else "",
        better >= LEAST_OF_BARE if held else None,
    )


def _of_steady(row: Row) -> Iterator[Measure]:
    """How the job in one process goes where latency is long: how soon all connections are used, and then."""
    cell, took = row
    steady = 1 / per_call(took[JOB], "seconds", *STEADY) * cell.latency / cell.connections
    held = cell.connections < MANY and not math.isnan(steady)
    yield Measure(
        f"the job's steady part, {_name(cell)}",
        "too short to tell" if math.isnan(steady) else f"{steady:.0%} of ideal",
        "in one process, without the first and the last tenth of its calls: a run begins with few calls at once and "
        "learns how many the provider takes, and its last conversations do not end together",
        f"at least {LEAST_OF_IDEAL:.0%}" if held else "",
        steady >= LEAST_OF_IDEAL if held else None,
    )
    yield Measure(
        f"all connections used, {_name(cell)}",
        _full(took[JOB], cell.connections),
        "from the start of the job until 95% of the connections have a call under way",
    )


def _name(cell: Cell) -> str:
    return f"{cell.connections:,} connections, {cell.latency * 1000:.0f} ms"


def _of_provider(rows: list[Row]) -> Measure:
    """Is the provider the limit? Its CPU time is of one core."""
    busy = max(one["served"] / one["wall"] for _, took in rows for one in took.values())
    return Measure(
        "the provider's core, at most",
        f"{busy:.0%} busy",
        "the provider's own CPU time, divided by the time that a client ran, where that is the most; near 100% the "
        "provider would be the limit and not the client",
    )


def _full(job: Taken, connections: int) -> str:
    reached = (one["seconds"] for one in job["samples"] if one["under_way"] >= 0.95 * connections)
    seconds = next(reached, None)
    return "never" if seconds is None else f"{seconds:.1f} s"
