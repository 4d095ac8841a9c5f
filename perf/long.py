"""Long conversations: does our own work for a call grow with what was said before it?"""

from collections.abc import Iterator
from statistics import median

from perf.bench import Bench
from perf.children import provider
from perf.measures import Measure, Part, load

MOST_TIMES = 1.25  # the longest against the shortest

Pair = tuple[float, float]  # CPU seconds per call of the job, and of the bare loop with its requests


def long(bench: Bench) -> Part:
    """For each length the job, whose requests are kept, and then the bare loop with those very requests."""
    before, size = load(), bench.size
    taken = {turns: _measured(bench, turns, conversations) for turns, conversations in size.long}
    work = (
        f"conversations of {min(taken)} to {max(taken)} turns of simulator and subject and one judge, over "
        f"{size.long_connections} connections to a provider that answers at once; the median of {size.long_rounds} "
        "rounds"
    )
    rows = [_row(turns, pairs) for turns, pairs in taken.items()]
    return Part("long", work, (before, load()), (*_growth(taken), *rows))


def _growth(taken: dict[int, list[Pair]]) -> Iterator[Measure]:
    few, many = min(taken), max(taken)
    first, last = taken[few], taken[many]
    steep = f"if it went with the length, it would be near {many / few:.0f}"
    for name, grown, meaning in (
        (
            f"{many} turns : {few} turns, job : bare loop",
            _ratio(last) / _ratio(first),
            "the ratio below at the most turns, divided by that at the fewest",
        ),
        (
            f"{many} turns : {few} turns, job less bare loop",
            _own(last) / _own(first),
            f"the same for our own work, the CPU time per call of the job less the bare loop's; {steep}",
        ),
    ):
        target = f"at most {MOST_TIMES:g} x"
        yield Measure(name, f"{grown:.2f} x", meaning, target, grown <= MOST_TIMES)


def _row(turns: int, pairs: list[Pair]) -> Measure:
    job, floor = ([pair[which] for pair in pairs] for which in (0, 1))
    return Measure(
        f"{turns} turns, job : bare loop",
        f"{_ratio(pairs):.2f} x ({median(job) * 1e6:,.0f} µs : {median(floor) * 1e6:,.0f} µs)",
        "CPU time per call of the job, divided by that of the bare loop which posts the same requests: both have to "
        "send the whole conversation every time",
    )


def _measured(bench: Bench, turns: int, conversations: int) -> list[Pair]:
    """Round by round."""
    found = []
    for number in range(bench.size.long_rounds):
        kept = bench.folder / f"long-{turns}.bodies"
        connections = bench.size.long_connections
        with provider(keep=kept) as at:
            task = {"limit": min(conversations, connections), "turns": turns, "connections": connections}
            epochs = conversations // task["limit"]
            job = bench.play(at, f"long-{turns}-{number}", **task, epochs=epochs)
        with provider() as at:
            floor = bench.post(at, job["calls"], connections, kept)
        kept.unlink()
        found.append((job["cpu"] / job["calls"], floor["cpu"] / floor["calls"]))
    return found


def _ratio(pairs: list[Pair]) -> float:
    return median(job / floor for job, floor in pairs)


def _own(pairs: list[Pair]) -> float:
    return median(job - floor for job, floor in pairs)
