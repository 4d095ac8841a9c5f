"""Boards of many runs: those that can be compared share one, the others stand apart, with the reason."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.core.wire import canonical
from interplay.running.results import benchmark_changes, notes_of, options_of, played_of, with_usage
from interplay.store.records import Records, Run

SHOWN = 60  # characters
PARTS = ("options", "scenarios", "judges", "cast", "sampling", "rubric", "prompts")


@dataclass(frozen=True)
class Group:
    """Runs that share a comparability key, their board, and why they stand apart from the first group."""

    runs: tuple[Run, ...]
    board: Board
    apart: str = ""


def comparability(records: Records, run: Run, benchmark: Benchmark) -> dict[str, Any]:
    """What two runs must share for their numbers to stand on one board, part by part."""
    identity, extent = run.identity, run.extent
    return {
        "options": options_of(run, benchmark),
        "scenarios": f"{extent['limit']} of the set {identity['scenarios'][:8]}",
        "rubric": extent["rubric"],
        "judges": extent["judges"],
        "cast": {role: names for role, names in identity["roles"].items() if role != "judge"},
        "prompts": sorted(records.protocols(run)),
        "sampling": {
            name: change for name, change in identity["sampling"].items() if name not in identity["models"]
        },
    }


def groups_of(
    records: Records, runs: Sequence[Run], benchmark: Benchmark, changes: Mapping[str, str] | None = None
) -> list[Group]:
    """The runs by comparability key; the group with most models first, then the one played last."""
    keyed: dict[str, list[Run]] = {}
    parts: dict[str, dict[str, Any]] = {}
    for run in runs:
        if not records.protocols(run):
            continue  # nothing was played to its end
        part = comparability(records, run, benchmark)
        key = canonical(part)
        keyed.setdefault(key, []).append(run)
        parts[key] = part
    order = sorted(keyed, key=lambda key: (-_models(keyed[key]), -max(run.number for run in keyed[key])))
    return [
        Group(
            tuple(keyed[key]),
            _board(records, keyed[key], benchmark, changes),
            _difference(parts[order[0]], parts[key]) if key != order[0] else "",
        )
        for key in order
    ]


def _models(runs: list[Run]) -> int:
    return len({model for run in runs for model in run.identity["models"]})


def _board(
    records: Records, runs: list[Run], benchmark: Benchmark, changes: Mapping[str, str] | None
) -> Board:
    played = {run.id: played_of(records, run, benchmark) for run in runs}
    options = {**options_of(runs[0], benchmark), **benchmark_changes(benchmark, changes)}
    board = benchmark.summarize([one for run in runs for one in played[run.id]], options)
    notes = [note for run in runs for note in notes_of(records, run, played[run.id])]
    board = with_usage(board, records, runs)
    return replace(board, notes=tuple(dict.fromkeys((*board.notes, *notes))))


def _difference(first: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """In what the other group differs from the first."""
    told = []
    for part in PARTS:
        if first[part] == other[part]:
            continue
        if part in ("rubric", "prompts"):  # digests, which tell a reader nothing, and follow from options
            if first["options"] == other["options"]:
                told.append(f"{part} (the texts changed between the runs)")
        else:
            told.append(f"{part} ({_shown(first[part], other[part])})")
    return "other " + ", ".join(told)


def _shown(first: Any, other: Any) -> str:
    if isinstance(first, dict):
        changed = sorted(name for name in {*first, *other} if first.get(name) != other.get(name))
        return "; ".join(
            f"{name}: {_short(other.get(name))} not {_short(first.get(name))}" for name in changed
        )
    return f"{_short(other)} not {_short(first)}"


def _short(value: Any) -> str:
    """A value in a few words; what was read from a file is named, not quoted."""
    if isinstance(value, str) and value.startswith("{"):
        value = json.loads(value).get("name", "of a file")
    if isinstance(value, list):
        value = ", ".join(str(one) for one in value)
    elif isinstance(value, dict):
        value = ", ".join(f"{name} {inner}" for name, inner in sorted(value.items()))
    text = str(value) if value not in (None, "", {}) else "none"
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
