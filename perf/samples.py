"""Reading the samples that a job takes of itself while it runs."""

import math

from perf.bench import Taken

LEAST_SECONDS = 1.0  # anything shorter says nothing
EARLY, LATE = (0.1, 0.3), (0.8, 1.0)


def per_call(job: Taken, what: str, first: float, last: float) -> float:
    """Seconds or CPU seconds per call between two shares of all calls; not a number if that is too short to tell."""
    start, end = (sample(job, share) for share in (first, last))
    if end["seconds"] - start["seconds"] < LEAST_SECONDS:
        return math.nan
    return (end[what] - start[what]) / (end["calls"] - start["calls"])


def sample(job: Taken, share: float) -> dict[str, float]:
    """The first sample by which this share of all calls was answered, or the last one."""
    reached = (one for one in job["samples"] if one["calls"] >= share * job["calls"])
    found: dict[str, float] = next(reached, job["samples"][-1])
    return found


def slower(job: Taken) -> str:
    """CPU time per call late in a run, divided by that early in it."""
    ratio = per_call(job, "cpu", *LATE) / per_call(job, "cpu", *EARLY)
    return "too short to tell" if math.isnan(ratio) else f"{ratio:.2f} x"
