"""A store with two runs mixed, conversations that were played anew, and some that are open."""

from pathlib import Path

from interplay.store.records import Records, Run
from tests.web.big_store import make_store


def make_replayed(path: Path) -> Run:
    """Two runs of the same scenarios, in turn in the record; the first of them."""
    run = make_store(path, 400, scenarios=25)
    with Records(path) as records:
        db = records.db
        db.execute(
            "INSERT INTO runs (id, benchmark, identity, extent, secret, created)"
            " SELECT 'other', benchmark, identity, extent, secret, created FROM runs"
        )
        db.execute(
            "UPDATE conversations SET run = (SELECT number FROM runs WHERE id = 'other') WHERE number % 7 = 3"
        )
        db.execute(
            "INSERT INTO conversations (run, scenario, subject, cast_digest, cast_roles, repeat, take, state, failure,"
            " outcome, lines, protocol) SELECT run, scenario, subject, cast_digest, cast_roles, repeat, take + 1,"
            " iif(number % 2, 'void', 'done'), iif(number % 2, 'refusal', ''), outcome, lines, protocol"
            " FROM conversations WHERE run = ? AND number % 11 = 0",
            (run.number,),
        )
        db.execute("UPDATE conversations SET state = 'open' WHERE run = ? AND number % 29 = 0", (run.number,))
    return run
