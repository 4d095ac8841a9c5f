"""Finding single things of a store: the run that a conversation is of, and who played a scenario."""

import json
from collections.abc import Iterable

from interplay.core.benchmark import Scenario
from interplay.store.browsing import NEWER, TOGETHER
from interplay.store.records import Records, Run


def run_of(records: Records, conversation: int) -> Run | None:
    """The run that a conversation is of; None where there is no such conversation."""
    rows = records.rows("SELECT run FROM conversations WHERE number = ?", conversation)
    return next((run for run in records.runs() if rows and run.number == rows[0][0]), None)


def conversation_of(records: Records, call: int) -> int | None:
    """The conversation that a call is of; None where there is no such call."""
    rows = records.rows("SELECT conversation FROM calls WHERE number = ?", call)
    return int(rows[0][0]) if rows else None


def label_of(records: Records, run: Run, scenario: str) -> str | None:
    """What people call a scenario; None where the run has no conversation of it."""
    query = (
        "SELECT label FROM scenarios s WHERE id = ?"
        " AND EXISTS (SELECT 1 FROM conversations c WHERE c.run = ? AND c.scenario = s.id)"
    )
    rows = records.rows(query, scenario, run.number)
    return str(rows[0][0]) if rows else None


def scenarios_of(records: Records, ids: Iterable[str]) -> list[Scenario]:
    """The scenarios with these ids."""
    query = "SELECT label, content FROM scenarios WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
    rows = records.rows(query, json.dumps(sorted(ids)))
    return [Scenario(json.loads(content), label) for label, content in rows]


def played_by(records: Records, run: Run, scenario: str, model: str, repeat: int) -> list[int]:
    """The conversations of a scenario and repeat in which a model was measured, alone or with others; newest takes."""
    query = (
        "SELECT number, subject FROM conversations c WHERE run = ? AND scenario = ? AND repeat = ?"  # noqa: S608  # our own names
        f" AND NOT EXISTS ({NEWER}) ORDER BY number"
    )
    rows = records.rows(query, run.number, scenario, repeat)
    return [number for number, subject in rows if model == subject or model in subject.split(TOGETHER)]


def repeats_of(records: Records, run: Run, scenario: str) -> list[int]:
    """How often a scenario was played, as the numbers of its repeats."""
    query = "SELECT DISTINCT repeat FROM conversations WHERE run = ? AND scenario = ? ORDER BY 1"
    return [int(row[0]) for row in records.rows(query, run.number, scenario)]
