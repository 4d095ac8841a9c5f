"""What a conversation costs in runs of very different sizes, and what is made of a large record."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from perf.bench import Bench, Taken
from perf.children import made_store, provider, said_by, watched
from perf.measures import Measure, Part, load, megabytes
from perf.samples import slower

MOST_GROWTH = 1.1  # times the CPU of a conversation in the smallest run
MOST_MEMORY = 500e6  # bytes
MOST_SECONDS = 30.0  # until a report is there
COUNT = "import apsw; print(apsw.Connection({!r}).execute('SELECT count(*) FROM scores').get)"

Watched = tuple[float, int]  # seconds and bytes


def growth(bench: Bench) -> Part:
    """The small run first and last, the larger ones in between, then what is read of the largest."""
    before, size = load(), bench.size
    half = size.growth_rounds // 2
    with provider(warm=bench.bodies) as at:
        few, *more = size.growth_epochs
        smalls = [bench.play(at, f"growth-{few}-{number}", epochs=few) for number in range(half)]
        grown = [bench.play(at, f"growth-{epochs}", epochs=epochs, watch=True) for epochs in more]
        smalls += [bench.play(at, f"growth-{few}-{half + number}", epochs=few) for number in range(half)]
        again = bench.play(at, f"growth-{more[-1]}", epochs=more[-1], again=True)
    store = bench.folder / f"growth-{more[-1]}.db"
    bench.tell("the board of the largest run")
    shown = watched("-m", "interplay", "show", "last", "--store", str(store), "--json")
    _remove(store)
    largest = grown[-1]
    work = (
        f"jobs of {smalls[0]['conversations']:,} to {largest['conversations']:,} conversations against a provider that "
        f"answers at once; the largest makes {largest['calls']:,} calls in {largest['wall'] / 60:.1f} minutes. "
        f"The smallest is run {len(smalls)} times, before the others and after them"
    )
    measures = (
        *_of_runs(smalls, grown),
        *_of_record(largest["conversations"], shown, (again["wall"], again["peak"])),
        *_of_report(bench),
    )
    return Part("growth", work, (before, load()), measures)


def _of_runs(smalls: list[Taken], grown: list[Taken]) -> Iterator[Measure]:
    largest = grown[-1]
    small, large = median(_each(one) for one in smalls), _each(largest)
    few, many = smalls[0]["conversations"], largest["conversations"]
    yield Measure(
        f"CPU per conversation, {many:,} : {few:,}",
        f"{large / small:.2f} x",
        "CPU time per conversation of the largest run, divided by the median of the smallest runs",
        f"at most {MOST_GROWTH:g} x",
        large / small <= MOST_GROWTH,
    )
    for conversations, each, took in [
        (few, small, smalls[0]),
        *((one["conversations"], _each(one), one) for one in grown),
    ]:
        stored = took["stored"] / took["conversations"]
        yield Measure(
            f"{conversations:,} conversations",
            f"{each * 1000:.2f} ms, {stored:,.0f} bytes, {megabytes(took['peak'])}",
            "CPU time and bytes in the store for each conversation of nine calls, and the peak memory of the run",
        )
    yield Measure(
        "CPU per call, late : early",
        slower(largest),
        "in the largest run: the last fifth of the calls, divided by the second and third tenth",
    )
    yield Measure(
        f"peak memory at {many:,}",
        megabytes(largest["peak"]),
        "the most resident memory that the process of the largest run ever had",
        f"under {megabytes(MOST_MEMORY)}",
        largest["peak"] < MOST_MEMORY,
    )


def _of_record(conversations: int, shown: Watched, again: Watched) -> Iterator[Measure]:
    yield _report(
        f"`interplay show` at {conversations:,}", shown, "of the largest run, computed from its record"
    )
    yield Measure(
        "the finished run started again",
        f"{again[0]:.1f} s, {megabytes(again[1])}",
        "until the largest run has found that nothing is left to do; no call is made",
    )


def _of_report(bench: Bench) -> Iterator[Measure]:
    """A run of four models and two judges, written by SQL, with a million scores."""
    store = bench.folder / "report.db"
    bench.tell(f"a store with {bench.size.report_conversations:,} conversations is made and read")
    run = made_store(store, bench.size.report_conversations)
    scores = int(said_by(COUNT.format(str(store))))
    commands = {
        "show": ("show", run),
        "compare": ("compare", run),
    }
    for name, words in commands.items():
        took = watched("-m", "interplay", *words, "--store", str(store), "--json")
        what = (
            f"of a run with {bench.size.report_conversations:,} conversations of four models and two judges"
        )
        yield _report(f"`interplay {name}` of {scores:,} scores", took, what)
    _remove(store)


def _report(name: str, took: Watched, what: str) -> Measure:
    return Measure(
        name,
        f"{took[0]:.1f} s, {megabytes(took[1])}",
        f"{what}: the whole time of a process of its own, and its peak memory",
        f"under {MOST_SECONDS:g} s",
        took[0] < MOST_SECONDS,
    )


def _each(took: Taken) -> float:
    cpu: float = took["cpu"]
    return cpu / int(took["conversations"])


def _remove(store: Path) -> None:
    """Gigabytes that nobody needs any more."""
    for path in store.parent.glob(f"{store.name}*"):
        if path.is_file():
            path.unlink()
