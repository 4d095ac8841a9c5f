"""A store with two runs in it, made of one: some of its conversations are given to another."""

from pathlib import Path

from interplay.store.records import Records, Run
from tests.web.big_store import make_store


def two_runs(store: Path, conversations: int, scenarios: int, given: str) -> Run:
    """The first of two runs; the other has those conversations of which an SQL condition holds."""
    run = make_store(store, conversations, scenarios=scenarios)
    with Records(store) as records, records.db:
        records.db.execute(
            "INSERT INTO runs (id, benchmark, identity, extent, secret, created)"
            " SELECT id || '-2', benchmark, identity, extent, secret, created FROM runs"
        )
        records.db.execute(
            f"UPDATE conversations SET run = (SELECT max(number) FROM runs) WHERE {given}",
        )
    return run
