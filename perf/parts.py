"""The three parts: CPU beside a bare loop, throughput under latency, memory of a large run."""

import math
from pathlib import Path
from statistics import median
from typing import Any

from perf.children import Provider, client, provider, said_by, watched
from perf.measures import (
    CALLS_PER_CONVERSATION,
    CPU_CONNECTIONS,
    MEMORY_CONNECTIONS,
    SCENARIOS,
    Measure,
    Part,
    Size,
    load,
)

MOST_CPU = 3.0  # times the floor
LEAST_THROUGHPUT = 0.9  # of what connections and latency allow
MOST_MEMORY = 400e6  # bytes
STEADY = (0.1, 0.9)  # the share of all calls at which the steady part begins and ends
EARLY, LATE = (0.1, 0.3), (0.8, 1.0)
LEAST_SECONDS = 1.0  # anything shorter says nothing
IMPORT = "import time; start = time.perf_counter(); import interplay.api; print(time.perf_counter() - start)"

Taken = dict[str, Any]  # what a client said it took


def play(at: Provider, store: Path, epochs: int, connections: int, *, watch: bool = False) -> Taken:
    """The reference job, into a store that is new."""
    how = {"limit": SCENARIOS, "epochs": epochs, "connections": connections, "watch": watch}
    return client("job", at, store=str(store), **how)


def record_bodies(folder: Path) -> Path:
    """The bodies of one job's requests, which the bare loop then posts."""
    kept = folder / "bodies"
    with provider(keep=kept) as at:
        play(at, folder / "bodies.db", 1, CPU_CONNECTIONS)
    return kept


def cpu(folder: Path, bodies: Path, size: Size) -> Part:
    """The bare loop and the job in turn, against one provider."""
    before = load()
    floors, jobs = [], []
    calls = SCENARIOS * size.cpu_epochs * CALLS_PER_CONVERSATION
    with provider() as at:
        for number in range(size.cpu_rounds):
            floors.append(client("floor", at, bodies=str(bodies), calls=calls, connections=CPU_CONNECTIONS))
            jobs.append(play(at, folder / f"cpu-{number}.db", size.cpu_epochs, CPU_CONNECTIONS))
    floor, job = [[one["cpu"] / one["calls"] for one in took] for took in (floors, jobs)]
    ratios = [of_job / of_floor for of_job, of_floor in zip(job, floor, strict=True)]
    work = (
        f"in each of {size.cpu_rounds} rounds the bare loop and then the job make {calls:,} calls over "
        f"{CPU_CONNECTIONS} connections to the same provider, which answers at once"
    )
    ratio = Measure(
        "CPU per call, job : bare loop",
        f"{median(ratios):.2f} x ({min(ratios):.2f} to {max(ratios):.2f})",
        "the job's CPU time per call, all threads and the store included, divided by the bare loop's in the same "
        "round; the median over rounds, in brackets the least and the most",
        f"at most {MOST_CPU:g} x",
        median(ratios) <= MOST_CPU,
    )
    alone = (
        Measure("bare loop", _microseconds(floor), "CPU time per call: encode, post, read and parse JSON"),
        Measure("job", _microseconds(job), "CPU time per call of the reference job"),
    )
    return Part("cpu", work, (before, load()), (ratio, *alone))


def latency(folder: Path, bodies: Path, size: Size) -> Part:
    """The job against a provider that takes its time; before it the bare loop, to show what the provider holds."""
    before = load()
    connections = size.latency_connections
    with provider(latency=size.latency) as at:
        calls = connections * size.latency_waves
        floor = client("floor", at, bodies=str(bodies), calls=calls, connections=connections)
        job = play(at, folder / "latency.db", size.latency_epochs, connections, watch=True)
    ideal = connections / size.latency
    work = (
        f"{job['conversations']:,} conversations, {job['calls']:,} calls in {job['wall']:.0f} s, over "
        f"{connections} connections to a provider that answers after {size.latency * 1000:.0f} ms; "
        f"ideal is {ideal:,.0f} calls a second"
    )
    return Part("latency", work, (before, load()), _of_latency(job, floor, ideal, connections))


def _of_latency(job: Taken, floor: Taken, ideal: float, connections: int) -> tuple[Measure, ...]:
    whole = job["calls"] / job["wall"] / ideal
    return (
        Measure(
            "throughput, of ideal",
            f"{whole:.1%}",
            "calls per second of the whole run, its start and its end included, of connections / latency",
            f"at least {LEAST_THROUGHPUT:.0%}",
            whole >= LEAST_THROUGHPUT,
        ),
        Measure(
            "its steady part",
            f"{1 / _per_call(job, 'seconds', *STEADY) / ideal:.1%}",
            "the same without the first and the last tenth of the calls: the run begins with few calls at once and "
            "learns how many the provider takes, and its last conversations do not end together",
        ),
        Measure(
            "until all connections are used",
            _full(job, connections),
            "from the start until 95% of the connections have a call under way",
        ),
        Measure(
            "bare loop, of ideal",
            f"{floor['calls'] / floor['wall'] / ideal:.1%}",
            f"what the bare loop gets from the same provider in {floor['calls']:,} calls",
        ),
    )


def memory(folder: Path, size: Size) -> tuple[Part, str]:
    """A large run, its board, and how long the program takes to start; also the version of SQLite."""
    before = load()
    store = folder / "memory.db"
    with provider() as at:
        job = play(at, store, size.memory_epochs, MEMORY_CONNECTIONS, watch=True)
    seconds, shown = watched("-m", "interplay", "show", "last", "--store", str(store), "--json")
    work = (
        f"{job['conversations']:,} conversations, {job['calls']:,} calls in {job['wall']:.0f} s, over at most "
        f"{MEMORY_CONNECTIONS} connections to a provider that answers at once, into a new store"
    )
    board = Measure(
        "board from the record",
        f"{seconds:.1f} s, {_megabytes(shown)}",
        "`interplay show` of that run as a process of its own: its whole time and its peak memory",
    )
    measures = (*_of_memory(job), board, *_of_starting(size.starts))
    return Part("memory", work, (before, load()), measures), job["sqlite"]


def _of_memory(job: Taken) -> tuple[Measure, ...]:
    slower = _per_call(job, "cpu", *LATE) / _per_call(job, "cpu", *EARLY)
    return (
        Measure(
            "peak memory of the run",
            _megabytes(job["peak"]),
            "the most resident memory that the process ever had",
            f"under {_megabytes(MOST_MEMORY)}",
            job["peak"] < MOST_MEMORY,
        ),
        Measure("of it before the first call", _megabytes(job["peak_before"]), "Python and what is imported"),
        Measure(
            "of it after a tenth of the calls",
            _megabytes(_sample(job, 0.1)["peak"]),
            "what is added from there on grows with the length of the run",
        ),
        Measure(
            "CPU per call, late : early",
            "too short to tell" if math.isnan(slower) else f"{slower:.2f} x",
            "CPU time per call in the last fifth of the calls, divided by that in the second and third tenth: "
            "how much a larger store slows the run",
        ),
        Measure(
            "stored per call",
            f"{job['stored'] / job['calls']:,.0f} bytes",
            "the size of the store after the run, divided by the calls: messages, replies and their raw bytes, "
            "transcripts, verdicts and scores",
        ),
    )


def _of_starting(starts: int) -> tuple[Measure, ...]:
    helped = median(watched("-m", "interplay", "--help")[0] for _ in range(starts))
    imported = median(float(said_by(IMPORT)) for _ in range(starts))
    how_often = f"median of {starts}"
    return (
        Measure(
            "`interplay --help`",
            f"{helped * 1000:.0f} ms",
            f"from start to end of the process, {how_often}",
        ),
        Measure("`import interplay.api`", f"{imported * 1000:.0f} ms", f"in a fresh Python, {how_often}"),
    )


def _full(job: Taken, connections: int) -> str:
    reached = (one["seconds"] for one in job["samples"] if one["under_way"] >= 0.95 * connections)
    seconds = next(reached, None)
    return "never" if seconds is None else f"{seconds:.1f} s"


def _per_call(job: Taken, what: str, first: float, last: float) -> float:
    """Seconds or CPU seconds per call between two shares of all calls; not a number if that is too short to tell."""
    start, end = (_sample(job, share) for share in (first, last))
    if end["seconds"] - start["seconds"] < LEAST_SECONDS:
        return math.nan
    return (end[what] - start[what]) / (end["calls"] - start["calls"])


def _sample(job: Taken, share: float) -> dict[str, float]:
    """The first sample by which this share of all calls was answered, or the last one."""
    reached = (one for one in job["samples"] if one["calls"] >= share * job["calls"])
    found: dict[str, float] = next(reached, job["samples"][-1])
    return found


def _microseconds(seconds: list[float]) -> str:
    return f"{median(seconds) * 1e6:.0f} µs ({min(seconds) * 1e6:.0f} to {max(seconds) * 1e6:.0f})"


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.0f} MB"
