"""The first page: the benchmarks that were run, and the runs of each, newest first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from interplay.benchmarks import find, playable
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake
from interplay.running.progress import Progress, progress_of
from interplay.store.records import Records, Run

SHOWN = 10  # runs of each benchmark, unless all are asked for
MOST_MODELS = 3  # named in a line
States = Callable[
    [Run], Mapping[str, int] | None
]  # how many conversations are done, void and open, where that is known


@dataclass(frozen=True)
class Line:
    """A run in a few words."""

    run: Run
    models: tuple[str, ...]
    more_models: int
    played: str
    is_live: bool
    is_complete: bool
    waits: bool  # for somebody to speak
    when: str

    @property
    def name(self) -> str:
        return self.run.name or self.run.id


def home(
    records: Records, states: States, *, everything: bool = False, chosen: Sequence[Run] | None = None
) -> dict[str, Any]:
    """What the first page shows: a card for each benchmark, those played last first, and what could be played.

    Of all runs, or of those that were chosen.
    """
    by_benchmark: dict[str, list[Run]] = {}
    for run in reversed(records.runs() if chosen is None else chosen):
        by_benchmark.setdefault(run.benchmark, []).append(run)
    cards = [_card(records, name, runs, states, everything) for name, runs in by_benchmark.items()]
    can_be_played = playable()
    own = {one.name for one in can_be_played}
    return {
        "title": "Boards",
        "here": "home",
        "cards": [card for card in cards if card["name"] in own],
        "others": [card for card in cards if card["name"] not in own],
        "unplayed": [one for one in can_be_played if one.name not in by_benchmark],
        "everything": everything,
    }


def _card(
    records: Records, name: str, runs: Sequence[Run], states: States, everything: bool
) -> dict[str, Any]:
    benchmark = known(name)
    shown = runs if everything else runs[:SHOWN]
    return {
        "name": name,
        "benchmark": benchmark,
        "count": len(runs),
        "lines": [line_of(records, run, benchmark, states(run)) for run in shown],
        "left_out": len(runs) - len(shown),
    }


def known(name: str) -> Benchmark | None:
    """The benchmark of this very name; None where this program has none."""
    try:
        found = find(name)
    except Mistake:
        return None
    return found if found.name == name else None


def line_of(
    records: Records, run: Run, benchmark: Benchmark | None, states: Mapping[str, int] | None
) -> Line:
    """A run as the first page has it."""
    progress = progress_of(records, run, benchmark) if benchmark else None
    models = tuple(run.identity["models"])
    written = (
        progress.last_written if progress and progress.last_written else datetime.fromisoformat(run.created)
    )
    return Line(
        run=run,
        models=models[:MOST_MODELS],
        more_models=max(0, len(models) - MOST_MODELS),
        played=played_in_words(states, progress.planned if progress else 0),
        is_live=bool(progress and progress.written_by),
        is_complete=_is_complete(states, progress),
        waits=bool(progress and progress.waiting),
        when=written.strftime("%Y-%m-%d %H:%M"),
    )


def played_in_words(states: Mapping[str, int] | None, planned: int) -> str:
    """How many conversations there are, by what became of them."""
    if states is None:
        return f"{planned:,} planned; being counted" if planned else "being counted"
    done, void, open_ = (states.get(state, 0) for state in ("done", "void", "open"))
    told = [f"{done:,} done"]
    told += [f"{void:,} void"] if void else []
    told += [f"{open_:,} open"] if open_ else []
    return f"{', '.join(told)} of {max(planned, done + void + open_):,}"


def _is_complete(states: Mapping[str, int] | None, progress: Progress | None) -> bool:
    if states is None or progress is None:
        return False
    return not states.get("open") and sum(states.values()) >= progress.planned
