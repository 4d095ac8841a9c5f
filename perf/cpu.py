"""CPU per call at zero latency: a bare loop, the job in one process and in two, and Inspect AI, in turn."""

from importlib.metadata import version
from statistics import median

from perf.bench import Bench, Taken, is_installed
from perf.children import Provider, provider
from perf.measures import NOT_HERE, Measure, Part, load, microseconds, times
from perf.sizes import CALLS_PER_CONVERSATION, CONNECTIONS, SCENARIOS

MOST_CPU = 2.0  # times the floor
LEAST_LESS = 20.0  # times less than Inspect AI
TINY = 16  # conversations
SETTINGS = (
    "no display, no live log, no trace, no control server, no scores on the way, no retries, connections kept open, "
    "only the header of the log handed back, the log itself written as it is by default"
)


def cpu(bench: Bench) -> Part:
    """All of them in every round, against one provider; the slow peer in fewer rounds, with fewer calls."""
    before, size = load(), bench.size
    floors: list[Taken] = []
    jobs: list[Taken] = []
    shared: list[Taken] = []
    peers: list[Taken] = []
    calls = SCENARIOS * size.cpu_epochs * CALLS_PER_CONVERSATION
    compared = bench.peers and is_installed("inspect_ai") and is_installed("openai")
    with provider(warm=bench.bodies) as at:
        for number in range(size.cpu_rounds):
            floors.append(bench.post(at, calls, CONNECTIONS))
            jobs.append(bench.play(at, f"cpu-{number}", epochs=size.cpu_epochs))
            shared.append(_shared(bench, at, number))
            if compared and number < size.peer_rounds:
                peers.append(bench.inspect(at, size.peer_epochs))
    work = (
        f"in each of {size.cpu_rounds} rounds the bare loop, the job, and the job with `--workers 2` make {calls:,} "
        f"calls each over {CONNECTIONS} connections to the same provider, which answers at once; in "
        f"{len(peers)} of them Inspect AI makes {peers[0]['calls'] if peers else 0:,} calls of the same conversations"
    )
    of_peer = _of_peer(peers, jobs) if peers else (_absent(),)
    return Part("cpu", work, (before, load()), (*_of_job(floors, jobs, shared), *of_peer))


def _shared(bench: Bench, at: Provider, number: int) -> Taken:
    """The job in two processes. What they take to start, as a tiny job shows it, is no part of it, as in the others."""
    tiny = bench.play(at, f"cpu-tiny-{number}", limit=TINY, epochs=1, workers=2)
    whole = bench.play(at, f"cpu-shared-{number}", epochs=bench.size.cpu_epochs, workers=2)
    return {**whole, **{what: whole[what] - tiny[what] for what in ("cpu", "wall", "calls")}}


def _of_job(floors: list[Taken], jobs: list[Taken], shared: list[Taken]) -> tuple[Measure, ...]:
    floor, job, two = (_per_call(took) for took in (floors, jobs, shared))
    ratios = _ratios(job, floor)
    return (
        Measure(
            "CPU per call, job : bare loop",
            times(ratios),
            "the job's CPU time per call, all threads and the store included, divided by the bare loop's in the same "
            "round; the median over rounds, in brackets the least and the most",
            f"at most {MOST_CPU:g} x",
            median(ratios) <= MOST_CPU,
        ),
        Measure("bare loop", microseconds(floor), "CPU time per call: encode, post, read and parse JSON"),
        Measure("job", microseconds(job), "CPU time per call of the reference job"),
        Measure(
            "job, `--workers 2`",
            microseconds(two),
            "the same with two processes that play and one that writes: the CPU time of all three, less that of a job "
            f"of {TINY} conversations in the same round, which is little more than their start",
        ),
        Measure("calls a second, bare loop", _pace(floors), "from its start to its end"),
        Measure(
            "calls a second, job", _pace(jobs), "from the start of the run to its end, the store included"
        ),
        Measure(
            "calls a second, job, `--workers 2`",
            _pace(shared),
            "without their start; the provider shares the cores with all three",
        ),
    )


def _of_peer(peers: list[Taken], jobs: list[Taken]) -> tuple[Measure, ...]:
    peer, job = _per_call(peers), _per_call(jobs)
    ratios = _ratios(peer, job[: len(peer)])
    return (
        Measure(
            "CPU per call, Inspect AI : job",
            times(ratios),
            f"Inspect AI's CPU time per call (all threads and children, after all imports and a first conversation) "
            f"divided by the job's in the same round. Inspect AI {version('inspect_ai')} with openai "
            f"{version('openai')}, at {CONNECTIONS} connections and samples at once; {SETTINGS}",
            f"at least {LEAST_LESS:g} x",
            median(ratios) >= LEAST_LESS,
        ),
        Measure(
            "Inspect AI", microseconds(peer), "CPU time per call of the same conversations, scored by a judge"
        ),
        Measure("calls a second, Inspect AI", _pace(peers), "from the start of its evaluation to its end"),
    )


def _absent() -> Measure:
    return Measure(
        "CPU per call, Inspect AI : job",
        NOT_HERE,
        "Inspect AI was left out or is not installed; `pip install --editable '.[perf]'` brings it",
        f"at least {LEAST_LESS:g} x",
    )


def _per_call(took: list[Taken]) -> list[float]:
    return [one["cpu"] / one["calls"] for one in took]


def _ratios(many: list[float], few: list[float]) -> list[float]:
    return [one / other for one, other in zip(many, few, strict=True)]


def _pace(took: list[Taken]) -> str:
    return f"{median(one['calls'] / one['wall'] for one in took):,.0f}"
