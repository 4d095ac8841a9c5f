"""Memory of a large run, what it stores, and how long the program takes to start."""

from collections.abc import Iterator
from statistics import median

from perf.bench import Bench, Taken, is_installed
from perf.children import provider, said_by, watched
from perf.measures import NOT_HERE, Measure, Part, load, megabytes
from perf.samples import sample, slower

MOST_MEMORY = 400e6  # bytes
CONNECTIONS = 256
IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"

# as they are typed, as modules, and what a program of their users imports
PROGRAMS = (("interplay", "interplay", "interplay.api"), ("inspect", "inspect_ai", "inspect_ai"))


def memory(bench: Bench) -> Part:
    """A large run, its board, and how long the program takes to start."""
    before = load()
    with provider(warm=bench.bodies) as at:
        job = bench.play(at, "memory", epochs=bench.size.memory_epochs, connections=CONNECTIONS, watch=True)
    store = str(bench.folder / "memory.db")
    seconds, shown = watched("-m", "interplay", "show", "last", "--store", store, "--json")
    work = (
        f"{job['conversations']:,} conversations, {job['calls']:,} calls in {job['wall']:.0f} s, over at most "
        f"{CONNECTIONS} connections to a provider that answers at once, into a new store"
    )
    board = Measure(
        "board from the record",
        f"{seconds:.1f} s, {megabytes(shown)}",
        "`interplay show` of that run as a process of its own: its whole time and its peak memory",
    )
    measures = (*_of_memory(job), board, *_of_starting(bench))
    return Part("memory", work, (before, load()), measures)


def _of_memory(job: Taken) -> Iterator[Measure]:
    yield Measure(
        "peak memory of the run",
        megabytes(job["peak"]),
        "the most resident memory that the process ever had",
        f"under {megabytes(MOST_MEMORY)}",
        job["peak"] < MOST_MEMORY,
    )
    yield Measure("of it before the first call", megabytes(job["peak_before"]), "Python and what is imported")
    yield Measure(
        "of it after a tenth of the calls",
        megabytes(sample(job, 0.1)["peak"]),
        "what is added from there on grows with the length of the run",
    )
    yield Measure(
        "CPU per call, late : early",
        slower(job),
        "CPU time per call in the last fifth of the calls, divided by that in the second and third tenth: "
        "how much a larger store slows the run",
    )
    yield Measure(
        "stored per call",
        f"{job['stored'] / job['calls']:,.0f} bytes",
        "the size of the store after the run, divided by the calls: messages, replies and their raw bytes, "
        "transcripts, verdicts and scores",
    )


def _of_starting(bench: Bench) -> Iterator[Measure]:
    starts = bench.size.starts
    for command, module, package in (
        ("interplay", "interplay", "interplay.api"),
        ("inspect", "inspect_ai", "inspect_ai"),
    ):
        if module != "interplay" and not (bench.peers and is_installed(module)):
            yield Measure(f"`{command} --help`", NOT_HERE, f"{module} was left out or is not installed")
            continue
        bench.tell(f"{command} --help")
        helped = median(watched("-m", module, "--help")[0] for _ in range(starts))
        imported = median(float(said_by(IMPORT.format(package))) for _ in range(starts))
        how_often = f"median of {starts}"
        yield Measure(
            f"`{command} --help`",
            f"{helped * 1000:,.0f} ms",
            f"from start to end of the process, {how_often}",
        )
        yield Measure(f"`import {package}`", f"{imported * 1000:,.0f} ms", f"in a fresh Python, {how_often}")
