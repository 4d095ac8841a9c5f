"""The three parts: CPU beside a bare loop, throughput under latency, memory of a large run."""

import math
from pathlib import Path
from statistics import median
from typing import Any

from perf.children import client, provider, said_by, watched
from perf.measures import SCENARIOS, Measure, Part, Size, load

MOST_CPU = 3.0  # times the floor
LEAST_THROUGHPUT = 0.9  # of what connections and latency allow
MOST_MEMORY = 400e6  # bytes
STEADY = (0.1, 0.9)  # the share of all calls at which the steady part begins and ends
LEAST_SECONDS = 1.0  # anything shorter says nothing
EARLY, LATE = (0.1, 0.3), (0.8, 1.0)
IMPORT = "import time; start = time.perf_counter(); import interplay.api; print(time.perf_counter() - start)"


def record_bodies(folder: Path) -> Path:
    """The bodies of one job's requests, which the bare loop then posts."""
    kept = folder / "bodies"
    with provider(keep=kept) as at:
        client("job", at, store=str(folder / "bodies.db"), limit=SCENARIOS, epochs=1, connections=32)
    return kept


def cpu(folder: Path, bodies: Path, size: Size) -> Part:
    """The bare loop and the job in turn, against one provider."""
    before = load()
    floors, jobs = [], []
    many: dict[str, Any] = {"connections": size.cpu_connections}
    with provider() as at:
        for number in range(size.cpu_rounds):
            calls = SCENARIOS * size.cpu_epochs * 9
            floors.append(client("floor", at, bodies=str(bodies), calls=calls, **many))
            store = str(folder / f"cpu-{number}.db")
            jobs.append(client("job", at, store=store, limit=SCENARIOS, epochs=size.cpu_epochs, **many))
    floor, job = [[one["cpu"] / one["calls"] for one in took] for took in (floors, jobs)]
    ratios = [of_job / of_floor for of_job, of_floor in zip(job, floor, strict=True)]
    return Part(
        "cpu",
        f"{size.cpu_rounds} rounds; in each the bare loop and then the job make {jobs[0]['calls']:,} calls over "
        f"{size.cpu_connections} connections to the same provider, which answers at once",
        before,
        (
            Measure(
                "CPU per call, job : bare loop",
                f"{median(ratios):.2f} x ({min(ratios):.2f} to {max(ratios):.2f})",
                "the median over rounds of the job's CPU time per call, all threads and the store included, "
                "divided by the bare loop's in the same round; in brackets the least and the most",
                f"at most {MOST_CPU:g} x",
                median(ratios) <= MOST_CPU,
            ),
            Measure(
                "bare loop", _microseconds(floor), "CPU time per call of posting JSON and parsing the answer"
            ),
            Measure("job", _microseconds(job), "CPU time per call of the reference job"),
        ),
    )


def latency(folder: Path, bodies: Path, size: Size) -> Part:
    """The job against a provider that takes its time; before it the bare loop, which shows what the provider holds."""
    before = load()
    ideal = size.latency_connections / size.latency
    many: dict[str, Any] = {"connections": size.latency_connections}
    with provider(latency=size.latency) as at:
        calls = size.latency_connections * size.latency_waves
        floor = client("floor", at, bodies=str(bodies), calls=calls, **many)
        job = client(
            "job",
            at,
            store=str(folder / "latency.db"),
            limit=SCENARIOS,
            epochs=size.latency_epochs,
            watch=True,
            **many,
        )
    whole = job["calls"] / job["wall"] / ideal
    return Part(
        "latency",
        f"{job['conversations']:,} conversations, {job['calls']:,} calls in {job['wall']:.0f} s, over "
        f"{size.latency_connections} connections to a provider that answers after {size.latency * 1000:.0f} ms; "
        f"ideal is {ideal:,.0f} calls a second",
        before,
        (
            Measure(
                "throughput, of ideal",
                f"{whole:.1%}",
                "calls per second of the whole run, from its first line to its last commit, of connections / latency",
                f"at least {LEAST_THROUGHPUT:.0%}",
                whole >= LEAST_THROUGHPUT,
            ),
            Measure(
                "its steady part",
                f"{1 / _per_call(job, 'seconds', *STEADY) / ideal:.1%}",
                "the same from the tenth to the ninetieth hundredth of the calls: without the slow start, in which "
                "the run learns how many calls the provider takes at once, and without the last conversations",
            ),
            Measure(
                "until all connections are used",
                _full(job, size.latency_connections),
                "from the start until 95% of the connections have a call under way",
            ),
            Measure(
                "bare loop, of ideal",
                f"{floor['calls'] / floor['wall'] / ideal:.1%}",
                f"what the bare loop gets from the same provider in {floor['calls']:,} calls",
            ),
        ),
    )


def _full(job: dict[str, Any], connections: int) -> str:
    reached = (one["seconds"] for one in job["samples"] if one["under_way"] >= 0.95 * connections)
    seconds = next(reached, None)
    return "never" if seconds is None else f"{seconds:.1f} s"


def _per_call(job: dict[str, Any], what: str, first: float, last: float) -> float:
    """Seconds or CPU seconds per call between two shares of all calls; not a number if that is too short to tell."""
    start, end = (_sample(job, share) for share in (first, last))
    if end["seconds"] - start["seconds"] < LEAST_SECONDS:
        return math.nan
    return (end[what] - start[what]) / (end["calls"] - start["calls"])


def _sample(job: dict[str, Any], share: float) -> dict[str, float]:
    """The first sample by which this share of all calls was answered."""
    found: dict[str, float] = next(
        (one for one in job["samples"] if one["calls"] >= share * job["calls"]), job["samples"][-1]
    )
    return found


def memory(folder: Path, size: Size) -> tuple[Part, str]:
    """A large run, its board, and how long the program takes to start; also the version of SQLite."""
    before = load()
    store = str(folder / "memory.db")
    with provider() as at:
        job = client(
            "job",
            at,
            store=store,
            limit=size.memory_scenarios,
            epochs=size.memory_epochs,
            connections=256,
            watch=True,
        )
    seconds, shown = watched("-m", "interplay", "show", "last", "--store", store, "--json")
    helped = median(watched("-m", "interplay", "--help")[0] for _ in range(size.starts))
    imported = median(float(said_by(IMPORT)) for _ in range(size.starts))
    slower = _per_call(job, "cpu", *LATE) / _per_call(job, "cpu", *EARLY)
    part = Part(
        "memory",
        f"{job['conversations']:,} conversations, {job['calls']:,} calls in {job['wall']:.0f} s, over at most 256 "
        "connections to a provider that answers at once, into a new store",
        before,
        (
            Measure(
                "peak memory of the run",
                _megabytes(job["peak"]),
                "the most resident memory the process ever had",
                f"under {_megabytes(MOST_MEMORY)}",
                job["peak"] < MOST_MEMORY,
            ),
            Measure(
                "of it before the first call", _megabytes(job["peak_before"]), "Python and what is imported"
            ),
            Measure(
                "of it after a tenth of the calls",
                _megabytes(_sample(job, 0.1)["peak"]),
                "what is added from there on grows with the length of the run",
            ),
            Measure(
                "CPU per call, late : early",
                f"{slower:.2f} x",
                "CPU time per call in the last fifth of the calls, divided by that in the second and third tenth: "
                "how much a larger store slows the run",
            ),
            Measure(
                "stored per call",
                f"{job['stored'] / job['calls']:,.0f} bytes",
                "the size of the store after the run, divided by the calls: request, reply and raw bytes",
            ),
            Measure(
                "board from the record",
                f"{seconds:.1f} s, {_megabytes(shown)}",
                "`interplay show` of that run as a process of its own: its whole time and its peak memory",
            ),
            Measure(
                "`interplay --help`",
                f"{helped * 1000:.0f} ms",
                f"from start to end of the process, median of {size.starts}",
            ),
            Measure(
                "`import interplay.api`",
                f"{imported * 1000:.0f} ms",
                f"in a fresh Python, median of {size.starts}",
            ),
        ),
    )
    return part, job["sqlite"]


def _microseconds(seconds: list[float]) -> str:
    return f"{median(seconds) * 1e6:.0f} µs ({min(seconds) * 1e6:.0f} to {max(seconds) * 1e6:.0f})"


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.0f} MB"
