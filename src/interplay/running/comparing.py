"""Boards of many runs: those that can be compared share one, the others stand apart, with the reason."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.core.importing import IMPORTED
from interplay.running.import_note import set_apart_by
from interplay.running.results import (
    notes_of,
    options_of,
    sequels_of,
    summary_of,
    table_changes,
    with_usage,
)
from interplay.store.records import Records, Run

SHOWN = 60  # characters
PARTS = ("imported", "options", "scenarios", "judges", "cast", "sampling", "rubric", "prompts")


@dataclass(frozen=True)
class Group:
    """Runs that share a comparability key, their board, and why they stand apart from the first group."""

    runs: tuple[Run, ...]
    board: Board
    apart: str = ""


def comparability(records: Records, run: Run, benchmark: Benchmark) -> dict[str, Any]:
    """What two runs must share for their numbers to stand on one board, part by part."""
    identity, extent = run.identity, run.extent
    options = options_of(run, benchmark)
    aside = {option.name for option in benchmark.options if option.of_judging or option.of_sequel}
    together = len(benchmark.subjects(options)) > 1
    measured = set(identity["models"]).difference(extent["judges"], *identity["roles"].values())
    return {
        "imported": set_apart_by(run),  # what was played by nobody knows which prompts
        "options": {name: value for name, value in options.items() if name not in aside},
        "scenarios": f"{extent['limit']} of the set {identity['scenarios'][:8]}",
        "rubric": {"name": _rubric(run, benchmark), "digest": extent["rubric"]},
        "judges": extent["judges"],
        "cast": {role: names for role, names in identity["roles"].items() if role != "judge"}
        | ({"table": identity["models"]} if together else {}),  # a score depends on who else sat there
        "prompts": sorted(records.protocols(run)),
        "sampling": {name: change for name, change in identity["sampling"].items() if name not in measured},
    }


def _rubric(run: Run, benchmark: Benchmark) -> str:
    """What the rubric is called that a run was last judged with."""
    if run.extent["rubric"] == IMPORTED:
        return IMPORTED
    return benchmark.judging(options_of(run, benchmark)).name


@dataclass
class _Gathering:
    """A group while it is put together: its key, its runs, and how each of its subjects is sampled."""

    key: Mapping[str, Any]
    runs: list[Run] = field(default_factory=list)
    sampled: dict[str, Any] = field(default_factory=dict)

    def takes(self, key: Mapping[str, Any], sampled: Mapping[str, Any]) -> bool:
        """A subject sampled in two ways would be two models in one row."""
        return key == self.key and all(self.sampled.get(name, own) == own for name, own in sampled.items())

    def has(self, id: str) -> bool:
        return any(run.id == id for run in self.runs)


def groups_of(
    records: Records, runs: Sequence[Run], benchmark: Benchmark, changes: Mapping[str, str] | None = None
) -> list[Group]:
    """The runs by comparability key, with the board of each group."""
    return [
        Group(tuple(found), _board(records, found, benchmark, changes), apart)
        for found, apart in gather(records, runs, benchmark)
    ]


def gather(
    records: Records, runs: Sequence[Run], benchmark: Benchmark, leading: str = ""
) -> list[tuple[list[Run], str]]:
    """The runs by comparability key, and why each group stands apart from the first.

    The group of the leading run comes first, where one is named by its id; then the one with most models, then the one
    played last.
    """
    gathered: list[_Gathering] = []
    for run in runs:
        if not records.protocols(run):
            continue  # nothing was played to its end
        key = comparability(records, run, benchmark)
        sampled = {name: run.identity["sampling"].get(name, {}) for name in run.identity["models"]}
        fitting = next((one for one in gathered if one.takes(key, sampled)), None)
        if fitting is None:
            gathered.append(fitting := _Gathering(key))
        fitting.runs.append(run)
        fitting.sampled |= sampled
    gathered.sort(
        key=lambda one: (not one.has(leading), -len(one.sampled), -max(run.number for run in one.runs))
    )
    return [(one.runs, "" if one is gathered[0] else _difference(gathered[0], one)) for one in gathered]


def _board(
    records: Records, runs: list[Run], benchmark: Benchmark, changes: Mapping[str, str] | None
) -> Board:
    options = {**options_of(runs[0], benchmark), **table_changes(benchmark, changes)}
    board, seen = summary_of(records, runs, benchmark, options)
    notes = [note for run, of_run in zip(runs, seen, strict=True) for note in notes_of(records, run, of_run)]
    board = with_usage(board, records, runs)
    made = [part for run in reversed(runs) for part in sequels_of(records, run, benchmark)]
    return replace(board, notes=tuple(dict.fromkeys((*board.notes, *notes))), parts=(*made, *board.parts))


def _difference(first: _Gathering, other: _Gathering) -> str:
    """In what the other group differs from the first."""
    told = []
    before, now = _told_of(first, other), _told_of(other, first)
    for part in PARTS:
        if before[part] == now[part]:
            continue
        if part == "prompts":  # digests, which tell a reader nothing, and follow from options
            if before["options"] == now["options"]:
                told.append("prompts (the texts differ)")
        elif part == "rubric" and before[part]["name"] == now[part]["name"]:
            told.append("rubric (the texts differ)")
        elif part == "rubric":
            told.append(f"rubric ({now[part]['name']} not {before[part]['name']})")
        else:
            told.append(f"{part} ({_shown(before[part], now[part])})")
    return "other " + ", ".join(told)


def _told_of(one: _Gathering, other: _Gathering) -> dict[str, Any]:
    """The key of a group, with the sampling of those of its subjects that the other has too."""
    shared = {name: own for name, own in one.sampled.items() if name in other.sampled}
    return {**one.key, "sampling": {**one.key["sampling"], **shared}}


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
