"""The first page: the benchmarks that were run, and the runs of each, newest first."""

from typing import Any

from interplay.benchmarks import ALL
from interplay.store.records import Records


def home(records: Records) -> dict[str, Any]:
    """What the first page shows."""
    runs = records.runs()[::-1]
    known = {one.name: one for one in ALL}
    names = list(dict.fromkeys(run.benchmark for run in runs))
    return {
        "title": "Boards",
        "here": "home",
        "benchmarks": [
            {
                "name": name,
                "paper": known[name].paper if name in known else "",
                "meaning": known[name].meaning if name in known else "",
                "runs": [run for run in runs if run.benchmark == name],
            }
            for name in names
        ],
    }
