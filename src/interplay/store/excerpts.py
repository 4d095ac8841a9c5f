"""Excerpts: a reader of some conversations of a run, for what is computed of those that people labelled."""

import json
from collections.abc import Iterator

from interplay.core.benchmark import Verdict
from interplay.store.places import Store
from interplay.store.records import ConversationRow, Records, Run


class Excerpt(Records):
    """Reads a store as if the labelled conversations of each run, newest takes, were all that it has."""

    def __init__(self, path: Store):
        super().__init__(path)
        self._known: dict[int, list[int]] = {}

    def __enter__(self) -> "Excerpt":
        return self

    def numbers(self, run: Run, scenario: str = "") -> list[int]:
        if run.number not in self._known:
            self._known[run.number] = [row[0] for row in self.rows(_LABELLED, run.number)]
        found = self._known[run.number]
        return [
            number for number in found if not scenario or self.conversation(number).scenario.id == scenario
        ]

    def each(self, run: Run, what: str = "") -> Iterator[ConversationRow]:
        return (self.conversation(number) for number in self.numbers(run))

    def verdicts(self, run: Run) -> dict[tuple[int, str], list[Verdict]]:
        found: dict[tuple[int, str], list[Verdict]] = {}
        for number in self.numbers(run):
            for item, verdict in self.verdicts_of(number):
                found.setdefault((number, item), []).append(verdict)
        return found

    def state_of(self, run: Run) -> str:
        """Changes whenever a label or a verdict of the labelled conversations is added."""
        labels, verdicts = self.rows(_STATE, json.dumps(self.numbers(run)))[0]
        return f"{labels} {verdicts}"


_LABELLED = (
    "SELECT number FROM (SELECT DISTINCT conversation FROM labels) AS labelled"
    " CROSS JOIN conversations c ON number = conversation"
    " WHERE run = ? AND take = (SELECT max(take) FROM conversations n WHERE (n.run, n.scenario, n.cast_digest,"
    " n.repeat) = (c.run, c.scenario, c.cast_digest, c.repeat)) ORDER BY subject, c.scenario, repeat, number"
)
_STATE = (
    "SELECT (SELECT max(number) FROM labels WHERE conversation IN (SELECT CAST(value AS BIGINT) FROM json_each(?1))),"
    " (SELECT count(*) FROM verdicts WHERE data IS NOT NULL"
    " AND conversation IN (SELECT CAST(value AS BIGINT) FROM json_each(?1)))"
)
