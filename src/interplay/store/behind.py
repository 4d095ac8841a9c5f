"""What is behind one number of a board: the conversations it was made of, with what each of them came to."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from interplay.core.measures import Measure
from interplay.store.browsing import NEWER, PAGE, TOGETHER, Browsing
from interplay.store.dialect import SEATED, tidy
from interplay.store.records import Records, Run

FEW_TO_NAME = 20  # conversations that are looked at to see which scores a run has


@dataclass(frozen=True)
class Scored:
    """One score of a conversation."""

    name: str
    source: str
    value: float


@dataclass(frozen=True)
class Measured:
    """A conversation with what it came to by a measure, and judge by judge."""

    number: int
    label: str
    repeat: int
    value: float
    scores: tuple[Scored, ...]


@dataclass(frozen=True)
class Spoiled:
    """A conversation that came to nothing, or lacks a verdict, and why."""

    number: int
    label: str
    repeat: int
    failure: str
    detail: str
    judge: str = ""


@dataclass(frozen=True)
class Used:
    """What the calls of a conversation took."""

    number: int
    label: str
    repeat: int
    tokens: int
    cost: float | None


class Behind:
    """A reader of what one model did in one run."""

    def __init__(self, records: Records, run: Run, model: str):
        self.records = records
        self.run = run
        self.model = model
        subjects = Browsing(records).subjects(run)
        self.subjects = [one for one in subjects if model == one or model in one.split(TOGETHER)]
        self._mine = json.dumps(self.subjects)

    def score_names(self) -> dict[str, list[str]]:
        """The names of the scores that the model's conversations have, and the sources of each, from a few of them."""
        found: dict[str, list[str]] = {}
        for name, source in self.records.rows(_NAMES, self.run.number, self._mine, FEW_TO_NAME):
            found.setdefault(name, []).append(source)
        return found

    def by_measure(
        self, measure: Measure, *, ascending: bool = True, skip: int = 0, size: int = PAGE
    ) -> list[Measured]:
        """The model's conversations by what they came to, the lowest or the highest first, after the first so many."""
        names, way = json.dumps(measure.names), "ASC" if ascending else "DESC"
        inner, outer = ("s.source", "1 = 1") if measure.by == "judges" else ("s.name", "count(*) = ?5")
        lacking = "HAVING count(*) = ?5" if measure.by == "judges" else ""
        found = self.records.rows(
            f"WITH one AS (SELECT c.number AS number, avg(s.value) AS value {_SCORES}"  # noqa: S608  # our own names
            f" GROUP BY c.number, {inner} {lacking})"
            f" SELECT number, avg(value) AS value FROM one GROUP BY number HAVING {outer}"
            f" ORDER BY value {way}, number LIMIT ?6 OFFSET ?7",
            *(self.run.number, self._mine, names, self.model, len(measure.names), size, skip),
        )
        values: dict[int, float] = {number: tidy(value) for number, value in found}
        told = self._told(values)
        scores: dict[int, list[Scored]] = {number: [] for number in values}
        for number, *score in self.records.rows(
            _OF_SOME, self.run.number, self._mine, names, self.model, _json(values)
        ):
            scores[number].append(Scored(*score))
        return [Measured(number, *told[number], values[number], tuple(scores[number])) for number in values]

    def failures(self) -> dict[str, int]:
        """Why conversations came to nothing, and how often."""
        return dict(self.records.rows(_FAILURES, self.run.number, self._mine))

    def void(self, *, skip: int = 0, size: int = PAGE) -> list[Spoiled]:
        """The conversations that came to nothing, by failure."""
        found = self.records.rows(_VOID, self.run.number, self._mine, size, skip)
        told = self._told([row[0] for row in found])
        return [Spoiled(number, *told[number], *why) for number, *why in found]

    def unjudged(self, *, skip: int = 0, size: int = PAGE) -> list[Spoiled]:
        """The verdicts that were asked for and not given."""
        rubric = self.run.extent.get("rubric", "")
        found = self.records.rows(_UNJUDGED, self.run.number, self._mine, rubric, size, skip)
        told = self._told([row[0] for row in found])
        return [
            Spoiled(number, *told[number], failure, detail, judge) for number, judge, failure, detail in found
        ]

    def most_used(self, *, skip: int = 0, size: int = PAGE) -> list[Used]:
        """The conversations that took most tokens first, counted as the board does; this looks at every call."""
        alone = self.model in self.subjects
        rubric = self.run.extent.get("rubric", "")[:12]
        found = self.records.rows(_USED, self.run.number, self._mine, rubric, alone, self.model, size, skip)
        told = self._told([row[0] for row in found])
        return [
            Used(number, *told[number], int(tokens), None if unknown else tidy(cost))
            for number, tokens, cost, unknown in found
        ]

    def _told(self, numbers: Iterable[int]) -> dict[int, tuple[str, int]]:
        """Label and repeat of some conversations."""
        rows = self.records.rows(_TOLD, _json(numbers))
        return {number: (label, repeat) for number, label, repeat in rows}


def _json(numbers: Iterable[int]) -> str:
    return json.dumps(list(numbers))


_MINE = f"c.run = ?1 AND c.subject IN (SELECT value FROM json_each(?2)) AND NOT EXISTS ({NEWER})"  # noqa: S608  # our own names
# a score by rule may name a seat, and is of the model that sat there; any other is of whoever was measured
_SCORES = f"""
FROM conversations c JOIN scores s ON s.conversation = c.number
WHERE {_MINE} AND c.state = 'done' AND s.name IN (SELECT value FROM json_each(?3))
AND (s.source NOT LIKE 'rule: %' OR coalesce(
    {SEATED}, ?4) = ?4)
"""  # noqa: S608  # our own names
_OF_SOME = f"""
SELECT c.number, s.name, s.source, s.value {_SCORES}
AND c.number IN (SELECT CAST(value AS BIGINT) FROM json_each(?5)) ORDER BY c.number, s.source, s.name
"""  # noqa: S608  # our own names
_NAMES = """
SELECT DISTINCT s.name, s.source FROM scores s WHERE s.conversation IN (
    SELECT c.number FROM conversations c WHERE c.run = ?1 AND c.subject IN (SELECT value FROM json_each(?2))
    AND c.state = 'done' LIMIT ?3
) ORDER BY 1, 2
"""
_FAILURES = f"""
SELECT failure, count(*) FROM conversations c WHERE {_MINE} AND c.state = 'void' GROUP BY 1 ORDER BY 2 DESC, 1
"""  # noqa: S608  # our own names
_VOID = f"""
SELECT c.number, c.failure, c.detail FROM conversations c WHERE {_MINE} AND c.state = 'void'
ORDER BY c.failure, c.number LIMIT ?3 OFFSET ?4
"""  # noqa: S608  # our own names
_UNJUDGED = f"""
SELECT c.number, v.judge, v.failure, v.detail FROM conversations c JOIN verdicts v ON v.conversation = c.number
WHERE {_MINE} AND c.state = 'done' AND v.rubric = ?3 AND v.item = '' AND v.failure <> ''
ORDER BY c.number, v.judge LIMIT ?4 OFFSET ?5
"""  # noqa: S608  # our own names
_USED = """
SELECT c.number, total(k.tokens_in) + total(k.tokens_out) AS tokens, sum(k.cost),
    count(CASE WHEN k.cost IS NULL THEN 1 END)
FROM conversations c JOIN calls k ON k.conversation = c.number
WHERE c.run = ?1 AND c.subject IN (SELECT value FROM json_each(?2)) AND k.state = 'done' AND (?4 = 1 OR k.model = ?5)
AND k.stage NOT LIKE 'pair %' AND (k.stage NOT LIKE 'judge %' OR substr(k.stage, length(k.stage) - 11) = ?3)
GROUP BY c.number ORDER BY tokens DESC, c.number LIMIT ?6 OFFSET ?7
"""
_TOLD = """
SELECT c.number, s.label, c.repeat FROM conversations c JOIN scenarios s ON s.id = c.scenario
WHERE c.number IN (SELECT CAST(value AS BIGINT) FROM json_each(?1))
"""
