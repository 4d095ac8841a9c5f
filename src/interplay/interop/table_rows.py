"""The rows of a run's tables, read from its record a few conversations at a time."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.metadata import version
from itertools import chain
from typing import Any

from interplay.core.benchmark import Benchmark
from interplay.core.wire import canonical
from interplay.interop.table_columns import Table
from interplay.running.results import judged_of
from interplay.store.records import Records, Run

AT_A_TIME = 10  # conversations: some are long
Row = tuple[Any, ...]
Known = dict[bytes, tuple[bytes | None, str, str]]  # parent, role and text of messages, by digest

_CALL = (
    "conversation, number, stage, item, participant, step, attempt, model, state, cause, detail, sent, text, reasoning,"
    " stop, version, tokens_in, tokens_out, tokens_estimated, cost, latency, reserved_tokens, reserved_cost"
)
_NEEDED = (
    "WITH RECURSIVE needed(digest) AS (SELECT thread FROM calls WHERE conversation IN ({marks}) UNION"
    " SELECT parent FROM needed CROSS JOIN messages USING (digest) WHERE parent IS NOT NULL)"
    " SELECT digest, parent, role, text FROM needed CROSS JOIN messages USING (digest)"
)


class Reading:
    """One run that is read; of every conversation the newest take, in the record's order."""

    def __init__(self, records: Records, run: Run, benchmark: Benchmark):
        self.records = records
        self.run = run
        self.benchmark = benchmark

    @cached_property
    def numbers(self) -> list[int]:
        return self.records.numbers(self.run)

    def rows(self, table: Table) -> Iterator[Row]:
        """The rows of a table, their cells as the record has them."""
        return READERS[table.name](self)

    def batches(self) -> Iterator[list[int]]:
        return (self.numbers[start : start + AT_A_TIME] for start in range(0, len(self.numbers), AT_A_TIME))

    def hanging(self, query: str) -> Iterator[list[Row]]:
        """What a query finds of each conversation, whose number comes first in its rows."""
        for batch in self.batches():
            found: dict[int, list[Row]] = {number: [] for number in batch}
            for row in self.records.rows(query.format(marks=_marks(batch)), *batch):
                found[row[0]].append(tuple(row))
            yield from found.values()


def _runs(reading: Reading) -> Iterator[Row]:
    records, run = reading.records, reading.run
    all_takes = records.rows("SELECT count(*) FROM conversations WHERE run = ?", run.number)[0][0]
    totals = records.totals(run)
    yield (
        *(run.name, run.benchmark, run.created, canonical(dict(run.identity)), canonical(dict(run.extent))),
        *(len(reading.numbers), all_takes - len(reading.numbers)),
        *(totals.finished, totals.failed, totals.unknown, totals.estimated),
        *(
            totals.tokens_in,
            totals.tokens_out,
            totals.cost,
            canonical(dict(totals.models)),
            version("interplay"),
        ),
    )


def _scores(reading: Reading) -> Iterator[Row]:
    """Made anew, as in every report: what was stored may be of an older rubric."""
    for one in judged_of(reading.records, reading.run, reading.benchmark, lines=False):
        row = one.row
        for score in one.scores:
            place = (row.number, row.scenario.label, score.model or row.subject, row.repeat + 1)
            yield (*place, score.name, score.source, score.value)


def _conversations(reading: Reading) -> Iterator[Row]:
    query = (
        "SELECT c.number, s.id, s.label, subject, cast_roles, repeat + 1, take, state, failure, detail, protocol,"
        " outcome FROM conversations c JOIN scenarios s ON s.id = c.scenario WHERE c.number IN ({marks})"
    )
    return chain.from_iterable(reading.hanging(query))


def _scenarios(reading: Reading) -> Iterator[Row]:
    ids = [row[0] for row in reading.records.rows(_SCENARIOS, reading.run.number)]
    for start in range(0, len(ids), AT_A_TIME):
        some = ids[start : start + AT_A_TIME]
        query = f"SELECT id, label, content FROM scenarios WHERE id IN ({_marks(some)}) ORDER BY id"  # noqa: S608  # our own names
        yield from reading.records.rows(query, *some)


_SCENARIOS = "SELECT DISTINCT scenario FROM conversations WHERE run = ? ORDER BY scenario"


def _lines(reading: Reading) -> Iterator[Row]:
    for rows in reading.hanging("SELECT number, lines FROM conversations WHERE number IN ({marks})"):
        for number, text in rows:
            for place, line in enumerate(json.loads(text or "[]"), 1):
                yield number, place, line["source"], line["heard_by"], line["text"]


def _calls(reading: Reading) -> Iterator[Row]:
    query = (
        f"SELECT {_CALL}, calls.digest, thread, body FROM calls JOIN settings ON settings.digest = calls.settings"  # noqa: S608  # our own names
        " WHERE conversation IN ({marks}) ORDER BY number"
    )
    for row in chain.from_iterable(reading.hanging(query)):
        *columns, digest, thread, body = row
        yield (*columns, *_settings(body), digest.hex(), thread.hex())


@lru_cache(maxsize=1_000)
def _settings(body: str) -> tuple[str, str | None]:
    """The sampling and the schema of a request; many requests share them."""
    found: Mapping[str, Any] = json.loads(body)
    schema = found["schema"]
    return canonical(found["sampling"]), None if schema is None else json.dumps(schema, ensure_ascii=False)


def _messages(reading: Reading) -> Iterator[Row]:
    """Every message after those before it, in the order of the calls that needed it first."""
    records = reading.records
    threads = "SELECT conversation, thread FROM calls WHERE conversation IN ({marks}) ORDER BY number"
    for batch in reading.batches():
        rows = records.rows(_NEEDED.format(marks=_marks(batch)), *batch)
        known: Known = {digest: (parent, role, text) for digest, parent, role, text in rows}
        asked: dict[int, list[bytes]] = {number: [] for number in batch}
        for number, thread in records.rows(threads.format(marks=_marks(batch)), *batch):
            asked[number].append(thread)
        for number, digests in asked.items():
            yield from ((number, *message) for message in _in_order(digests, known))


def _in_order(threads: Sequence[bytes], known: Known) -> Iterator[Row]:
    seen: set[bytes] = set()
    for thread in threads:
        new: list[bytes] = []
        here: bytes | None = thread
        while here is not None and here not in seen:
            seen.add(here)
            new.append(here)
            here = known[here][0]
        for digest in reversed(new):
            parent, role, text = known[digest]
            yield digest.hex(), None if parent is None else parent.hex(), role, text


def _facts(reading: Reading) -> Iterator[Row]:
    query = "SELECT conversation, stage, item, name, value FROM facts WHERE conversation IN ({marks})"
    return chain.from_iterable(sorted(rows) for rows in reading.hanging(query))


def _verdicts(reading: Reading) -> Iterator[Row]:
    counted = reading.run.extent["rubric"]
    query = (
        "SELECT conversation, item, judge, rubric, failure, detail, data FROM verdicts"
        " WHERE conversation IN ({marks})"
    )
    for rows in reading.hanging(query):
        for number, item, judge, rubric, *given in sorted(rows, key=lambda row: row[:4]):
            yield (number, item, judge, rubric, not item and rubric == counted, *given)


def _labels(reading: Reading) -> Iterator[Row]:
    query = (
        "SELECT conversation, rater, criterion, value, made, drawn, came_from FROM labels"
        " WHERE conversation IN ({marks}) ORDER BY number"
    )
    for rows in reading.hanging(query):
        newest = {row[:3]: row for row in rows}
        yield from (newest[key] for key in sorted(newest))


READERS: Mapping[str, Callable[[Reading], Iterator[Row]]] = {
    "runs": _runs,
    "scores": _scores,
    "conversations": _conversations,
    "scenarios": _scenarios,
    "lines": _lines,
    "calls": _calls,
    "messages": _messages,
    "facts": _facts,
    "verdicts": _verdicts,
    "labels": _labels,
}


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
