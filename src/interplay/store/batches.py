"""Reading many conversations with their verdicts, a few in memory at a time."""

import json
from collections.abc import Iterator, Sequence
from operator import itemgetter
from sys import intern
from typing import Any

from interplay.core.benchmark import Scenario, Verdict
from interplay.store.records import ConversationRow, Records, row_of

AT_A_TIME = 10  # conversations: some are long
MOST_KNOWN = 100  # scenarios

Judgements = list[
    tuple[str, Verdict]
]  # each with the item that it is about, in the order of items and judges


def with_verdicts(
    records: Records, numbers: Sequence[int], *, rubric: str | None = None, lines: bool = True
) -> Iterator[tuple[ConversationRow, Judgements]]:
    """These conversations in this order, each with its verdicts.

    With a rubric, only with its verdicts on the conversations themselves; what was said is left out on demand.
    """
    known: dict[str, Scenario] = {}
    for start in range(0, len(numbers), AT_A_TIME):
        batch = numbers[start : start + AT_A_TIME]
        rows = {row[1]: row for row in _rows(records, batch, lines=lines)}
        known = _scenarios(records, {row[0] for row in rows.values()}, known)
        given = _verdicts(records, batch, rubric)
        for number in batch:
            scenario, *columns = rows[number]
            yield row_of(columns, known[scenario]), given.get(number, [])


def _rows(records: Records, numbers: Sequence[int], *, lines: bool) -> list[Any]:
    said = "lines" if lines else "NULL"
    return records.rows(
        "SELECT scenario, number, subject, cast_roles, repeat, take, state, failure, detail, outcome,"  # noqa: S608  # our own names
        f" {said}, protocol FROM conversations WHERE number IN ({_marks(numbers)})",
        *numbers,
    )


def _scenarios(records: Records, ids: set[str], known: dict[str, Scenario]) -> dict[str, Scenario]:
    """The scenarios of these ids, and some that were read before: conversations come back to them."""
    new = sorted(ids.difference(known))
    if not new:
        return known
    query = f"SELECT id, label, content FROM scenarios WHERE id IN ({_marks(new)})"  # noqa: S608  # our own names
    read = records.rows(query, *new)
    kept = known if len(known) < MOST_KNOWN else {id: known[id] for id in ids.intersection(known)}
    return kept | {id: Scenario(json.loads(content), label) for id, label, content in read}


def _verdicts(records: Records, numbers: Sequence[int], rubric: str | None) -> dict[int, Judgements]:
    wanted = "" if rubric is None else " AND rubric = ? AND item = ''"
    rows = records.rows(
        "SELECT conversation, item, judge, rubric, failure, detail, data FROM verdicts"  # noqa: S608  # our own names
        f" WHERE conversation IN ({_marks(numbers)}){wanted}",
        *numbers,
        *([] if rubric is None else [rubric]),
    )
    found: dict[int, Judgements] = {}
    for number, item, judge, by, failure, detail, data in sorted(rows, key=itemgetter(0, 1, 2, 3)):
        verdict = Verdict(intern(judge), intern(by), json.loads(data) if data else None, failure, detail)
        found.setdefault(number, []).append((item, verdict))
    return found


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
