"""The ranks that models can have among those they can be compared with, and what is missing of each."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from interplay.analysis.comparison import RANKS, compare, comparison_board
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board, Cell, Column, Estimate
from interplay.core.failures import Mistake
from interplay.core.measures import Measure
from interplay.running.depending import beats_of
from interplay.running.kept import IN_A_HURRY, Computed, Wish, keep, read
from interplay.running.results import options_of
from interplay.store.browsing import FEW, Browsing
from interplay.store.records import Records, Run

RANK_SET = "rank_set"  # the column's key


@dataclass(frozen=True)
class Place:
    """What a comparison says of one model, by the measure that models are compared by."""

    ranks: str  # as in 1–4; empty where nothing can be told
    missing: float | None = None  # share of conversations that are void or unjudged
    worst: float | None = None  # the mean if all of those were as bad as can be
    best: float | None = None


Places = Mapping[str, Place]  # by model


def main_measure(run: Run, benchmark: Benchmark) -> Measure | None:
    """What the models of a run are compared by; None where single conversations have no score."""
    return next(iter(benchmark.measures(options_of(run, benchmark))), None)


def places_of(records: Records, runs: Sequence[Run], benchmark: Benchmark) -> Places | None:
    """Where the models of runs that share a board stand; None where there are too many to compare at once.

    What was found is kept until something of these runs is written.
    """
    wish = Wish("ranks", benchmark.name, tuple(sorted(run.id for run in runs)))
    beats = beats_of(records, wish.runs, benchmark.name)
    kept = read(records, wish)
    if kept is not None and kept.beats == beats:
        return {model: Place(**one) for model, one in json.loads(kept.body).items()}
    if not _are_few(records, runs):
        return None
    found = _compared(records, runs, benchmark)
    body = json.dumps({model: asdict(one) for model, one in found.items()})
    keep(records, wish, Computed(beats, body, datetime.now(UTC).isoformat(timespec="seconds")), IN_A_HURRY)
    return found


def _are_few(records: Records, runs: Sequence[Run]) -> bool:
    """Can they be compared while somebody waits for a page?"""
    browsing, left = Browsing(records), FEW
    for run in runs:
        left -= browsing.count_up_to(run, left + 1)
        if left < 0:
            return False
    return True


def _compared(records: Records, runs: Sequence[Run], benchmark: Benchmark) -> dict[str, Place]:
    measure = main_measure(runs[0], benchmark)
    if measure is None:
        return {}
    try:
        board = comparison_board(compare(records, runs, benchmark, measure))
    except Mistake:
        return {}  # one model alone, or nothing that was played to its end
    return {
        str(row["model"]): Place(
            str(row["ranks"]), _number(row["missing"]), _number(row["worst"]), _number(row["best"])
        )
        for row in board.rows
    }


def _number(cell: Cell) -> float | None:
    found = cell.value if isinstance(cell, Estimate) else cell
    return None if found is None or isinstance(found, str) else float(found)


def with_rank_sets(board: Board, places: Places | None, measure: Measure | None) -> Board:
    """The board with the ranks that each model can have, beside its rank."""
    if measure is None or not any(one.ranks for one in (places or {}).values()):
        return board
    meaning = f"{RANKS.meaning}; by {measure.name} ({measure.meaning})"
    column = Column(RANK_SET, "rank set", meaning, "count")
    at = next((at for at, one in enumerate(board.columns, 1) if one.key == "rank"), 1)
    ranks = {model: place.ranks or None for model, place in (places or {}).items()}
    rows = tuple({**row, RANK_SET: ranks.get(str(row["model"]))} for row in board.rows)
    return replace(board, columns=(*board.columns[:at], column, *board.columns[at:]), rows=rows)
