"""How a run stands: what a start has to know of its conversations and calls, without what was said or came of it."""

from collections.abc import Callable
from dataclasses import dataclass
from sys import intern

from interplay.store.records import Records, Run

Address = tuple[str, str, int]  # the scenario's id, the digest of the cast, the repeat


@dataclass(frozen=True, slots=True)
class Standing:
    """The newest take of a conversation."""

    number: int
    state: str
    failure: str


def standings(records: Records, run: Run) -> dict[Address, Standing]:
    """How every conversation of a run stands, by its address."""
    rows = records.stream(
        "SELECT scenario, cast_digest, repeat, number, state, failure FROM conversations WHERE run = ? ORDER BY take",
        run.number,
    )
    return {
        (intern(scenario), intern(cast), repeat): Standing(number, intern(state), intern(failure))
        for scenario, cast, repeat, number, state, failure in rows
    }


def heard(
    records: Records, run: Run, rubric: str, counts: Callable[[str], bool]
) -> dict[int, frozenset[str]]:
    """The judges whose verdict by this rubric each conversation has, if its failure, or none, counts."""
    rows = records.stream(
        "SELECT v.conversation, v.judge, v.failure FROM verdicts v JOIN conversations c ON c.number = v.conversation"
        " WHERE c.run = ? AND v.rubric = ? AND v.item = ''",
        *(run.number, rubric),
    )
    alike: dict[frozenset[str], frozenset[str]] = {}  # nearly all conversations were heard by the same judges
    found: dict[int, frozenset[str]] = {}
    for number, judge, failure in rows:
        if counts(failure):
            judges = found.get(number, frozenset()) | {intern(judge)}
            found[number] = alike.setdefault(judges, judges)
    return found


def all_answered(records: Records, run: Run) -> bool:
    """Was every call of a run answered? Counted by indexes alone, which is much less than the calls themselves."""
    mine = "SELECT count(*) FROM calls JOIN conversations c ON c.number = calls.conversation WHERE c.run = ?"
    sent, answered = (
        records.rows(query, run.number)[0][0] for query in (mine, f"{mine} AND calls.state = 'done'")
    )
    return bool(sent == answered)
