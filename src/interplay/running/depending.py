"""What a board depends on: its runs, what was made of them, what probed their judges, and the program itself."""

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from interplay.benchmarks import OTHERS, judge_probe
from interplay.core.wire import canonical
from interplay.store.database import trouble_in_words
from interplay.store.records import Records


@cache
def program() -> str:
    """A digest of this program: its version and all files of its package."""
    found = hashlib.blake2b(version("interplay").encode(), digest_size=16)
    root = Path(str(files("interplay")))
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            name, content = str(path.relative_to(root)).encode(), path.read_bytes()
            found.update(b"%d %s %d " % (len(name), name, len(content)) + content)
    return found.hexdigest()


def beats_of(records: Records, runs: Sequence[str], benchmark: str) -> str:
    """The beats of all that a board of these runs depends on, and the program; where none is named, of all runs.

    As long as they are the same, so is the board.
    """
    with trouble_in_words(records.path):
        rows = records.db.execute(
            _BEATS, (json.dumps(list(runs)), not runs, benchmark, judge_probe.benchmark.name)
        ).fetchall()
    written = {"benchmark": digest} if (digest := OTHERS.digest_of(benchmark)) else {}
    return canonical({"program": program(), **written, "runs": {str(id): beat for id, beat in rows}})


def runs_in(beats: str) -> list[str]:
    """The ids of the runs whose beats these are."""
    return list(json.loads(beats)["runs"])


def program_of(beats: str) -> str:
    """The digest of the program that these beats were read by."""
    return str(json.loads(beats)["program"])


# a note on a board tells what the newest probe of its judges found: see results.notes_of
_BEATS = """
WITH RECURSIVE made AS MATERIALIZED (
    SELECT number, json_extract(identity, '$.options.of') AS origin FROM runs
), mine(number) AS (
    SELECT number FROM runs WHERE id IN (SELECT value FROM json_each(?1)) OR (?2 = 1 AND benchmark = ?3)
    UNION
    SELECT made.number FROM mine JOIN runs ON runs.number = mine.number JOIN made ON made.origin = runs.id
), judges(name) AS (
    SELECT value FROM runs, json_each(runs.extent, '$.judges') WHERE number IN (SELECT number FROM mine)
    UNION
    SELECT value FROM runs, json_each(runs.extent, '$.pairs.judges') WHERE number IN (SELECT number FROM mine)
)
SELECT runs.id, coalesce(beat, 0) FROM runs LEFT JOIN beats ON beats.run = runs.number
WHERE runs.number IN (SELECT number FROM mine) OR (benchmark = ?4 AND EXISTS (
    SELECT 1 FROM json_each(runs.identity, '$.models') WHERE value IN (SELECT name FROM judges)
))
"""
