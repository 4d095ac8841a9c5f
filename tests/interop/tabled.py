"""What a store's own tables say of a run, column by column, beside what was read back from its export."""

import json
from collections.abc import Container, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from pyarrow import parquet

from interplay.core.wire import clean
from interplay.interop.table_folders import flat
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.store.schema import MIGRATIONS

Rows = list[dict[str, Any]]
# what of the store is in no export: keys of its own, what can be worked out, and the bytes of answers
LEFT_OUT = {
    "runs": {"number", "secret"},
    "conversations": {"run", "cast_digest", "lines"},  # lines are a table
    "calls": {"raw", "settings"},  # settings are two columns
    "labels": {"number"},
}
RENAMED = {
    "conversations": {
        "number": "conversation",
        "scenario": "scenario_id",
        "subject": "model",
        "cast_roles": "cast",
    },
    "calls": {
        "number": "call",
        "digest": "request",
        "thread": "message",
        "tokens_estimated": "estimated",
        "reserved_tokens": "most_tokens",
        "reserved_cost": "most_cost",
    },
    "scenarios": {"id": "scenario_id", "label": "scenario"},
    "runs": {"id": "run"},
}
JSON = {"cast", "outcome", "content", "sampling", "schema", "value", "data", "identity", "extent", "versions"}


def read(path: Path) -> Rows:
    rows: Rows = parquet.read_table(path).to_pylist()
    return rows


def read_all(folder: Path) -> dict[str, Rows]:
    """Every table of an export."""
    return {path.stem: read(path) for path in sorted(folder.glob(flat("*")))}


def columns_of(table: str) -> list[str]:
    """The columns of a table of the store, as its schema makes them."""
    found: list[str] = []
    for step in MIGRATIONS:
        body = step.partition(f"CREATE TABLE {table} (")[2].partition("\n    )")[0]
        lines = (line.split() for line in body.splitlines())
        found += [words[0] for words in lines if words and words[0].islower()]
        for line in step.splitlines():
            if f"ALTER TABLE {table} ADD COLUMN" in line:
                found.append(line.split()[5])
    return found


def whole(records: Records, table: str, where: str, *values: Any) -> Rows:
    """All columns of some rows of the store, by the names that exports have for them."""
    columns = columns_of(table)
    rows = records.rows(f"SELECT {', '.join(columns)} FROM {table} WHERE {where}", *values)
    return [renamed(table, dict(zip(columns, row, strict=True))) for row in rows]


def renamed(table: str, row: Mapping[str, Any]) -> dict[str, Any]:
    names = RENAMED.get(table, {})
    return {names.get(key, key): cell for key, cell in row.items() if key not in LEFT_OUT.get(table, ())}


def in_form(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row in the form in which it can be compared: bytes as digits, texts clean, JSON read."""
    return {key: _in_form(key, cell) for key, cell in row.items()}


def _in_form(key: str, cell: Any) -> Any:
    if isinstance(cell, bytes):
        return cell.hex()
    if isinstance(cell, str) and key in JSON:
        return cleaned(read_strictly(cell))
    if isinstance(cell, str) and key in ("sent", "created"):
        return datetime.fromisoformat(cell).isoformat()
    return cell.isoformat() if isinstance(cell, datetime) else cleaned(cell)


def cleaned(value: Any) -> Any:
    """A value with all its texts clean."""
    if isinstance(value, dict):
        return {clean(key): cleaned(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [cleaned(inner) for inner in value]
    return clean(value) if isinstance(value, str) else value


def read_strictly(text: str) -> Any:
    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def newest(records: Records, run: Run) -> dict[int, dict[str, Any]]:
    """The conversations that count, by their numbers, found without a word of SQL."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    columns = columns_of("conversations")
    for row in records.rows(f"SELECT {', '.join(columns)} FROM conversations WHERE run = ?", run.number):
        one = dict(zip(columns, row, strict=True))
        key = (one["scenario"], one["cast_digest"], one["repeat"])
        if key not in found or one["take"] > found[key]["take"]:
            found[key] = one
    return {one["number"]: one for one in found.values()}


def expected(store: Store, run_id: str) -> dict[str, Rows]:
    """The tables as the store's own rows make them; scores and the run are looked at apart."""
    with Records(store) as records:
        run = records.find(run_id)
        talks = newest(records, run)
        labels = {row[0]: row[1] for row in records.rows("SELECT id, label FROM scenarios")}
        settings = {
            bytes(digest): json.loads(body)
            for digest, body in records.rows("SELECT digest, body FROM settings")
        }
        bodies = {
            row[0]: settings[bytes(row[1])] for row in records.rows("SELECT number, settings FROM calls")
        }

        def hanging(table: str) -> Rows:
            return [row for row in whole(records, table, "1 = 1") if row["conversation"] in talks]

        calls = [
            {**row, "estimated": bool(row["estimated"]), **_settings(bodies[row["call"]])}
            for row in hanging("calls")
        ]
        tables: dict[str, Rows] = {
            "conversations": [
                {
                    **renamed("conversations", one),
                    "repeat": one["repeat"] + 1,
                    "scenario": labels[one["scenario"]],
                }
                for one in talks.values()
            ],
            "scenarios": [
                row
                for row in whole(records, "scenarios", "1 = 1")
                if row["scenario_id"] in {one["scenario"] for one in talks.values()}
            ],
            "lines": [
                {"conversation": number, "line": place, **line}
                for number, one in talks.items()
                for place, line in enumerate(json.loads(one["lines"] or "[]"), 1)
            ],
            "calls": calls,
            "messages": list(_messages(records, calls)),
            "facts": hanging("facts"),
            "verdicts": [
                {**row, "counts": row["item"] == "" and row["rubric"] == run.extent["rubric"]}
                for row in hanging("verdicts")
            ],
            "labels": _newest_labels(records, talks),
        }
    return {name: [in_form({"run": run_id, **row}) for row in rows] for name, rows in tables.items()}


def _settings(body: Mapping[str, Any]) -> dict[str, Any]:
    schema = body["schema"]
    return {
        "sampling": json.dumps(body["sampling"]),
        "schema": None if schema is None else json.dumps(schema),
    }


def _newest_labels(records: Records, talks: Container[int]) -> Rows:
    rows = whole(records, "labels", "1 = 1 ORDER BY number")
    found = {(row["conversation"], row["rater"], row["criterion"]): row for row in rows}
    return [row for row in found.values() if row["conversation"] in talks]


def _messages(records: Records, calls: Rows) -> Iterable[dict[str, Any]]:
    known = {bytes(row[0]): row for row in records.rows("SELECT digest, parent, role, text FROM messages")}
    seen = set()
    for call in calls:
        here = call["message"]
        while here is not None:
            digest, parent, role, text = known[bytes(here)]
            if (call["conversation"], digest) not in seen:
                seen.add((call["conversation"], digest))
                yield {
                    "conversation": call["conversation"],
                    "message": digest,
                    "parent": parent,
                    "role": role,
                    "text": text,
                }
            here = parent


def in_order(rows: Rows) -> list[str]:
    """Rows in an order of their own, so that two lists of them can be compared."""
    return sorted(json.dumps(row, sort_keys=True) for row in rows)
