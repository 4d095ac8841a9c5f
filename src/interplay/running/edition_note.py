"""Which editions of the files of somebody else's benchmark a run was played with, and what a board says of it."""

from collections.abc import Mapping
from typing import Any

from interplay.benchmarks import OTHERS
from interplay.store.records import Run

KEPT_AS = "editions"  # in the extent of a run: digests, the oldest first, and never a path


def editions_after(extent: Mapping[str, Any], benchmark: str) -> dict[str, list[str]]:
    """What the record keeps of editions from this start on; nothing of a benchmark that comes with Interplay."""
    known, now = extent.get(KEPT_AS, []), OTHERS.digest_of(benchmark)
    found = [*known, now] if now and now not in known else known
    return {KEPT_AS: found} if found else {}


def edition_notes(run: Run) -> list[str]:
    """What a reader must know where the files that score a run are not those that it was played with.

    Where they are is not told: a board is kept in the store, and goes to others.
    """
    known, now = run.extent.get(KEPT_AS, []), OTHERS.digest_of(run.benchmark)
    if not now or not [one for one in known if one != now]:
        return []
    share = "in part " if now in known else ""
    return [
        f"Run {run.id} was played {share}with another edition of {run.benchmark}'s files than the one that scores it "
        "here."
    ]
