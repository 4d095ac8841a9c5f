"""What is kept in a store once it was computed: boards, and the sums of runs."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Literal

from interplay.benchmarks import find
from interplay.core.benchmark import Benchmark
from interplay.core.board import Board
from interplay.core.failures import Mistake, StoreTrouble
from interplay.core.wire import canonical
from interplay.running.collecting import rare_collections
from interplay.running.comparing import Group, groups_of
from interplay.running.depending import beats_of, runs_in
from interplay.running.results import board_of
from interplay.store.browsing import Browsing, Shared
from interplay.store.database import patience as waiting_at_most
from interplay.store.database import snapshot, trouble_in_words
from interplay.store.records import Records, Run
from interplay.store.sums import Sums, sums_of

PATIENCE = 2_000  # milliseconds that keeping may wait for another who writes
IN_A_HURRY = 200  # the same, where somebody waits for a page


@dataclass(frozen=True)
class Wish:
    """What is to be computed, of which runs; no runs means all of the benchmark."""

    what: Literal["board", "groups", "sums", "shared", "ranks"]
    benchmark: str
    runs: tuple[str, ...]
    more: Mapping[str, Any] = field(
        default_factory=dict
    )  # options of the table, or names of models and scores

    @cached_property
    def key(self) -> str:
        return canonical(asdict(self))

    @staticmethod
    def of(key: str) -> "Wish":
        found = json.loads(key)
        return Wish(found["what"], found["benchmark"], tuple(found["runs"]), found["more"])


@dataclass(frozen=True)
class Computed:
    """What came of a wish, the beats that it is true of, and when that was."""

    beats: str
    body: str  # JSON
    made: str


def wish_for_board(run: Run, benchmark: Benchmark, changes: Mapping[str, str] | None = None) -> Wish:
    return Wish("board", benchmark.name, (run.id,), _table(benchmark, changes))


def wish_for_groups(benchmark: Benchmark, changes: Mapping[str, str] | None = None) -> Wish:
    """Boards of all runs of a benchmark that the store has."""
    return Wish("groups", benchmark.name, (), _table(benchmark, changes))


def _table(benchmark: Benchmark, changes: Mapping[str, str] | None) -> dict[str, str]:
    """Options of the table, where they are not as they would be anyway."""
    settled = benchmark.settle(changes or {})
    return {name: settled[name] for name in sorted(changes or {})}


def compute(records: Records, wish: Wish) -> tuple[Any, Computed]:
    """Do what is wished: what was found, and as it can be kept. All of it sees the same state of the store."""
    made = datetime.now(UTC).isoformat(timespec="seconds")
    with snapshot(records.db, records.path):
        beats = beats_of(records, wish.runs, wish.benchmark)
        found = _found(records, wish)
    return found, Computed(beats, encode(found), made)


def compute_and_keep(records: Records, wish: Wish) -> Any:
    """Compute it anew, and keep it for who looks next; for a process that does nothing else meanwhile."""
    with rare_collections():
        found, computed = compute(records, wish)
    keep(records, wish, computed)
    return found


def _found(records: Records, wish: Wish) -> Any:
    known = {run.id: run for run in records.runs()}
    if wish.what == "groups":
        mine = [run for run in known.values() if run.benchmark == wish.benchmark]
        return groups_of(records, mine, find(wish.benchmark), wish.more)
    if wish.runs[0] not in known:
        raise Mistake(f"there is no run {wish.runs[0]!r} any more")
    run = known[wish.runs[0]]
    if wish.what == "board":
        return board_of(records, run, find(wish.benchmark), wish.more)
    if wish.what == "sums":
        return sums_of(records, run)
    return Browsing(records).shared(run, **wish.more)


def encode(found: Any) -> str:
    """What was computed, as JSON that is ASCII alone: any store can hold it."""
    return json.dumps(_plain(found), separators=(",", ":"))


def _plain(found: Any) -> Any:
    if isinstance(found, Board | Sums):
        return found.record()
    if isinstance(found, Group):
        return {"runs": [run.id for run in found.runs], "board": found.board.record(), "apart": found.apart}
    return [_plain(one) for one in found] if isinstance(found, list) else asdict(found)


def decode(wish: Wish, body: str, records: Records) -> Any:
    """The same again."""
    kept = json.loads(body)
    if wish.what == "board":
        return Board.from_record(kept)
    if wish.what == "sums":
        return Sums.from_record(kept)
    if wish.what == "groups":
        known = {run.id: run for run in records.runs()}
        return [
            Group(
                tuple(known[id] for id in one["runs"] if id in known),
                Board.from_record(one["board"]),
                one["apart"],
            )
            for one in kept
        ]
    return [Shared(**one) for one in kept]


def read(records: Records, wish: Wish) -> Computed | None:
    """What the store has kept of a wish, up to date or not."""
    with trouble_in_words(records.path):
        row = records.db.execute("SELECT beats, body, made FROM kept WHERE key = ?", (wish.key,)).fetchone()
    return Computed(*row) if row else None


def keep(records: Records, wish: Wish, computed: Computed, patience: int = PATIENCE) -> bool:
    """Write down what was computed, unless one of its runs was deleted since, or somebody began later and was faster.

    It can be computed again at any time: a store that cannot be written now is no trouble, and False.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    runs = json.dumps(runs_in(computed.beats))
    with suppress(StoreTrouble), trouble_in_words(records.path), waiting_at_most(records.db, patience):
        records.db.execute(_KEEP, (wish.key, computed.beats, computed.body, computed.made, runs, now))
        return True
    return False


_KEEP = """
INSERT INTO kept (key, beats, body, made) SELECT ?1, ?2, ?3, ?4
WHERE NOT EXISTS (SELECT 1 FROM json_each(?5) AS one WHERE one.value NOT IN (SELECT id FROM runs))
ON CONFLICT (key) DO UPDATE SET beats = excluded.beats, body = excluded.body, made = excluded.made
WHERE excluded.made >= kept.made OR kept.made > ?6
"""
