"""What a board says of a run that was made elsewhere, and what sets such a run apart."""

from interplay.benchmarks import find
from interplay.core.importing import IMPORTED
from interplay.store.records import Run

MOST_NAMED = 10  # judges


def is_imported(run: Run) -> bool:
    """Were the conversations of a run made elsewhere?"""
    return IMPORTED in run.identity


def format_of(run: Run) -> str:
    """The format that a run was imported from; empty where it was played here."""
    return str(run.identity.get(IMPORTED, {}).get("format", ""))


def set_apart_by(run: Run) -> str:
    """What keeps a run off the board of others: its format, and judges of whom some saw only a part of it."""
    uneven = run.extent["rubric"] == IMPORTED and _panel_notes(run)
    return f"{format_of(run)}, {run.id} judged in part" if uneven else format_of(run)


def import_notes(run: Run) -> list[str]:
    """What a reader must know of a run that was imported; nothing where it was played here."""
    if not is_imported(run):
        return []
    count, left_out = len(run.identity[IMPORTED]["files"]), run.extent[IMPORTED]["left_out"]
    files = "a file" if count == 1 else f"{count} files"
    told = [
        f"Run {run.id} was imported from {files} of the format {format_of(run)} and not played here: nothing is known "
        "of how its models were sampled, of their versions or of what they cost."
    ]
    if left_out:
        told.append(f"Parts of these files that could not be read and are not in here: {left_out:,}.")
    if run.extent["rubric"] == IMPORTED:
        told.append("Its verdicts came with it: what exactly its judges were asked is not in the record.")
        told += _panel_notes(run)
    return [*told, *_remarks(run)]


def _panel_notes(run: Run) -> list[str]:
    """Who judged how many, where some judges left out what others judged."""
    judged, judges = (run.extent[IMPORTED].get(name) for name in ("judged", "judges"))
    if not judged or all(count == judged for count in judges.values()):
        return []
    told = [f"{judge} judged {count:,}" for judge, count in sorted(judges.items())]
    if len(told) > MOST_NAMED:
        told[MOST_NAMED:] = [f"and so on for {len(told) - MOST_NAMED:,} more"]
    return [
        f"Not all of its judges judged the same: of {judged:,} conversations that were judged, {', '.join(told)}. "
        "Its means are over whoever judged each."
    ]


def _remarks(run: Run) -> tuple[str, ...]:
    """What is to be said of all runs of a format."""
    known = {one.name: one.remarks for one in find(run.benchmark).importers}
    return known.get(format_of(run), ())
