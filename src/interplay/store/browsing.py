"""Reading what pages show, a page at a time: quick in a run of any size."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from heapq import merge
from itertools import islice
from typing import Any

import apsw

from interplay.core.failures import Mistake
from interplay.core.wire import Message
from interplay.store.database import snapshot, trouble_in_words
from interplay.store.dialect import SEATED, tidy
from interplay.store.records import Records, Run

PAGE = 50
FEW = 2_000  # conversations: so many are looked through as they are
SELDOM = 20  # where not more than one scenario in so many is wanted, it is looked for scenario by scenario
TOGETHER = " + "  # between the names of models that sat together
STATES = ("done", "open", "void")
LAST = 2**62  # no conversation has a larger number
MOST_RAW = 200_000  # bytes of an answer that are shown


@dataclass(frozen=True)
class Listed:
    """A conversation in a list."""

    number: int
    label: str
    scenario: str
    subject: str
    repeat: int
    take: int
    state: str
    failure: str


@dataclass(frozen=True)
class Page:
    """Some conversations of a run in the order of their numbers, and whether there are more on either side."""

    rows: tuple[Listed, ...]
    has_before: bool
    has_after: bool


@dataclass(frozen=True)
class Wanted:
    """Which conversations are listed; what is empty leaves out none."""

    subject: str = ""
    state: str = ""
    failure: str = ""
    scenario: str = ""  # its id
    search: str = ""  # in the scenario's label


@dataclass(frozen=True)
class ListedCall:
    """A call in a list, without what was said."""

    number: int
    conversation: int
    stage: str
    item: str
    participant: str
    step: int
    attempt: int
    model: str
    state: str
    cause: str
    detail: str
    latency: float | None
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    sent: str


@dataclass(frozen=True)
class WholeCall:
    """One call with all that was asked and answered."""

    listed: ListedCall
    messages: tuple[Message, ...]
    settings: Mapping[str, Any]  # model, sampling, schema
    text: str | None
    reasoning: str
    stop: str
    version: str
    tokens_estimated: bool
    raw: str
    raw_size: int  # bytes; more than `raw` shows where it is long


@dataclass(frozen=True)
class Shared:
    """A scenario that two models played, and what each came to."""

    scenario: str
    label: str
    first: float
    second: float
    first_count: int  # scores behind the mean
    second_count: int

    @property
    def difference(self) -> float:
        return self.first - self.second


class Browsing:
    """A reader of what pages show."""

    def __init__(self, records: Records, *, few: int = FEW):
        self.records = records
        self._few = few

    def page(
        self,
        run: Run,
        wanted: Wanted = Wanted(),  # noqa: B008  # frozen
        *,
        after: int = 0,
        before: int = 0,
        size: int = PAGE,
    ) -> Page:
        """The conversations after a number, or before one; the newest take of each."""
        after, before = min(after, LAST), min(before, LAST)
        with snapshot(self.records.db, self.records.path):
            if before:
                found = self._some(run, wanted, before, -1, size + 1)
                rows = found[:size][::-1]
                later = bool(self._some(run, wanted, (rows[-1].number if rows else before - 1), 1, 1))
                return Page(tuple(rows), len(found) > size, later)
            found = self._some(run, wanted, after, 1, size + 1)
            rows = found[:size]
            first = rows[0].number if rows else after + 1
            earlier = bool(after and self._some(run, wanted, first, -1, 1))
            return Page(tuple(rows), earlier, len(found) > size)

    def count_up_to(self, run: Run, most: int) -> int:
        """How many conversations a run has, all takes; it stops counting after so many."""
        query = "SELECT count(*) FROM (SELECT 1 FROM conversations WHERE run = ? LIMIT ?) AS few"
        return int(self.records.rows(query, run.number, most)[0][0])

    def calls_of(self, conversation: int) -> list[ListedCall]:
        """The calls of a conversation in the order in which they were sent, without what was said."""
        query = f"SELECT {LISTED_CALL} FROM calls WHERE conversation = ? ORDER BY number"  # noqa: S608  # our own names
        return [ListedCall(*row) for row in self.records.rows(query, conversation)]

    def call(self, number: int) -> WholeCall:
        """One call with all that was asked and answered; what came over the wire is cut where it is long."""
        rows = self.records.rows(
            f"SELECT {LISTED_CALL}, thread, settings, text, reasoning, stop, version, tokens_estimated,"  # noqa: S608  # our own names
            " substr(raw, 1, ?), length(raw) FROM calls WHERE number = ?",
            *(MOST_RAW, number),
        )
        if not rows:
            raise Mistake(f"there is no call {number} in {self.records.path}")
        listed, rest = ListedCall(*rows[0][:16]), rows[0][16:]
        thread, settings, text, reasoning, stop, version, estimated, raw, size = rest
        return WholeCall(
            listed=listed,
            messages=tuple(self.records.thread(thread)),
            settings=self.records.settings(settings),
            text=text,
            reasoning=reasoning,
            stop=stop,
            version=version,
            tokens_estimated=bool(estimated),
            raw=(raw or b"").decode("utf-8", "replace"),
            raw_size=size or 0,
        )

    def shared(self, run: Run, first: str, second: str, names: Sequence[str]) -> list[Shared]:
        """The scenarios that two models have scores of, with either one's mean; where they differ most comes first."""
        query = f"SELECT c.scenario, avg(s.value), count(*) {_SCORES} GROUP BY c.scenario"
        with snapshot(self.records.db, self.records.path):
            one, other = (
                {row[0]: row[1:] for row in self.records.rows(query, *self._scores_of(run, model, names))}
                for model in (first, second)
            )
            labels = self._labels(one.keys() & other.keys())
        found = [
            Shared(id, label, tidy(one[id][0]), tidy(other[id][0]), one[id][1], other[id][1])
            for id, label in labels.items()
        ]
        return sorted(found, key=lambda each: (-abs(each.difference), each.label, each.scenario))

    def subjects(self, run: Run) -> list[str]:
        """Every subject that the run has conversations of, found without looking at all of them."""
        return [row[0] for row in self.records.rows(_SUBJECTS, run.number, run.number)]

    def _scores_of(self, run: Run, model: str, names: Sequence[str]) -> tuple[Any, ...]:
        """What _SCORES is filled in with: a model sits alone, or with others under all their names."""
        mine = [one for one in self.subjects(run) if model == one or model in one.split(TOGETHER)]
        return run.number, json.dumps(mine), json.dumps(list(names)), model, model

    def _labels(self, ids: Iterable[str]) -> dict[str, str]:
        query = "SELECT id, label FROM scenarios WHERE id IN (SELECT value FROM json_each(?))"
        return dict(self.records.rows(query, json.dumps(sorted(ids))))

    def _some(self, run: Run, wanted: Wanted, edge: int, way: int, count: int) -> list[Listed]:
        """The first conversations beyond a number, upwards (1) or downwards (-1), that are wanted."""
        scenarios = self._fitting(run, wanted)
        if scenarios is not None and not scenarios:
            return []
        with trouble_in_words(self.records.path):
            cursors = list(self._from_where_they_are(run, wanted, scenarios, edge, way, count))
            try:
                rows = merge(*cursors, key=lambda row: row[0] * way)
                return [Listed(*row) for row in islice(rows, count)]
            finally:
                for cursor in cursors:
                    cursor.close()

    def _fitting(self, run: Run, wanted: Wanted) -> set[str] | None:
        """The scenarios that are asked for; None where all are."""
        if not wanted.search:
            return self._known(run, wanted.scenario) if wanted.scenario else None
        sought = wanted.search.casefold()
        rows = self.records.rows(_SCENARIOS, run.number, run.number)
        fitting = {id for id, label in rows if sought in label.casefold()}
        return fitting & {wanted.scenario} if wanted.scenario else fitting

    def _known(self, run: Run, scenario: str) -> set[str]:
        query = "SELECT scenario FROM conversations WHERE run = ? AND scenario = ? LIMIT 1"
        return {row[0] for row in self.records.rows(query, run.number, scenario)}

    def _from_where_they_are(
        self, run: Run, wanted: Wanted, scenarios: set[str] | None, edge: int, way: int, count: int
    ) -> Iterator[apsw.Cursor]:
        """Those that are wanted, each in the order of numbers, read row by row from where they are found soonest."""
        values = {
            "run": run.number,
            "edge": edge,
            "count": count,
            "among": json.dumps(sorted(scenarios or ())),
            **asdict(wanted),
        }
        beyond = "number > :edge" if way > 0 else "number < :edge"
        # a plus before a column keeps SQLite from looking there first
        also = [f"+{name} = :{name}" for name in ("subject", "state", "failure") if values[name]]
        if scenarios is not None and self._is_seldom(run, scenarios):
            numbers = f"SELECT number FROM conversations WHERE run = :run AND {_AMONG} AND {beyond}"  # noqa: S608  # our own names
            yield self._listed([f"c.number IN ({numbers})", *also], way, values)
            return
        also += [f"c.{beyond}", *([f"c.{_AMONG}"] if scenarios is not None else [])]
        if self.count_up_to(run, self._few + 1) <= self._few:
            yield self._listed(["run = :run", *also], way, values)
            return
        # the index has the numbers of each subject and state in order; only what is void has a failure
        for subject in [wanted.subject] if wanted.subject else self.subjects(run):
            for state in [wanted.state] if wanted.state else ["void"] if wanted.failure else STATES:
                here = ["run = :run", "subject = :here", "state = :now"]
                yield self._listed([*here, *also], way, {**values, "here": subject, "now": state})

    def _listed(self, conditions: Sequence[str], way: int, values: Mapping[str, Any]) -> apsw.Cursor:
        where, order = " AND ".join(conditions), "ASC" if way > 0 else "DESC"
        query = f"{_LISTED} WHERE {where} AND NOT EXISTS ({NEWER}) ORDER BY c.number {order} LIMIT :count"
        return self.records.db.execute(query, values)

    def _is_seldom(self, run: Run, scenarios: set[str]) -> bool:
        return len(scenarios) * SELDOM <= len(self.records.rows(_SCENARIOS, run.number, run.number))


NEWER = (
    "SELECT 1 FROM conversations n WHERE (n.run, n.scenario, n.cast_digest, n.repeat)"
    " = (c.run, c.scenario, c.cast_digest, c.repeat) AND n.take > c.take LIMIT 1"
)
_AMONG = "scenario IN (SELECT value FROM json_each(:among))"
_LISTED = (
    "SELECT c.number, label, c.scenario, subject, repeat, take, state, failure"
    " FROM conversations c CROSS JOIN scenarios s ON s.id = c.scenario"
)
LISTED_CALL = (
    "number, conversation, stage, item, participant, step, attempt, model, state, cause, detail, latency,"
    " tokens_in, tokens_out, cost, sent"
)
_SUBJECTS = """
WITH RECURSIVE seen(subject) AS (
    SELECT min(subject) FROM conversations WHERE run = ?
    UNION ALL
    SELECT (SELECT min(c.subject) FROM conversations c WHERE c.run = ? AND c.subject > seen.subject)
    FROM seen WHERE seen.subject IS NOT NULL
) SELECT subject FROM seen WHERE subject IS NOT NULL
"""
_SCENARIOS = """
WITH RECURSIVE seen(id) AS (
    SELECT min(scenario) FROM conversations WHERE run = ?
    UNION ALL
    SELECT (SELECT min(c.scenario) FROM conversations c WHERE c.run = ? AND c.scenario > seen.id)
    FROM seen WHERE seen.id IS NOT NULL
) SELECT id, label FROM seen JOIN scenarios USING (id)
"""
# a score by rule may name a seat, and is of the model that sat there; any other is of whoever was measured
_SCORES = f"""
FROM conversations c INDEXED BY conversations_of_a_model CROSS JOIN scores s ON s.conversation = c.number
WHERE c.run = ? AND c.subject IN (SELECT value FROM json_each(?)) AND c.state = 'done'
AND s.name IN (SELECT value FROM json_each(?))
AND (s.source NOT LIKE 'rule: %' OR coalesce(
    {SEATED}, ?) = ?)
AND NOT EXISTS ({NEWER})
"""  # noqa: S608  # our own names
