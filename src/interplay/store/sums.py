"""What a run came to so far in counts: conversations, verdicts, calls, tokens and money, and its odd calls."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from interplay.store.browsing import LISTED_CALL, NEWER, ListedCall
from interplay.store.database import trouble_in_words
from interplay.store.dialect import by_a_person, count_where, tidy
from interplay.store.records import Records, Run

SLOWEST = 10
FAILED = 50


@dataclass(frozen=True)
class Sums:
    """Counts over all of a run; of conversations, the newest takes."""

    states: Mapping[str, int]
    subjects: Mapping[str, int]
    failures: Mapping[str, int]
    verdicts: int  # of the board's rubric, given
    judge_failures: Mapping[str, int]  # of the board's rubric, by name
    finished: int  # calls
    failed: int
    causes: Mapping[str, int]  # of calls that failed
    unknown: int  # sent, answer unknown; people who are asked are not among them
    tokens_in: int
    tokens_out: int
    estimated: int
    cost: float | None
    slowest: tuple[ListedCall, ...]
    failed_calls: tuple[ListedCall, ...]  # the newest

    @property
    def conversations(self) -> int:
        return sum(self.states.values())

    def record(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        return asdict(self)

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> "Sums":
        """The sums of which this is the record."""
        calls = {
            name: tuple(ListedCall(**call) for call in record[name]) for name in ("slowest", "failed_calls")
        }
        return Sums(**{**record, **calls})


def sums_of(records: Records, run: Run) -> Sums:
    """Count; this looks at every call of the run."""

    def rows(query: str, *values: Any) -> list[Any]:
        with trouble_in_words(records.path):
            return records.db.execute(query, values).fetchall()

    states, subjects, failures = Counter[str](), Counter[str](), Counter[str]()
    for subject, state, failure, count in rows(_CONVERSATIONS, run.number):
        states[state] += count
        subjects[subject] += count
        if state == "void":
            failures[failure] += count
    judged = dict(rows(_VERDICTS, run.number, run.extent.get("rubric", "")))
    verdicts = judged.pop("", 0)
    lost = rows(_FAILED, run.number)
    causes = Counter[str](cause for _, cause in lost)
    slowest = [number for number, _ in rows(_SLOWEST, run.number, SLOWEST)]
    newest = sorted((number for number, _ in lost), reverse=True)[:FAILED]
    finished, unknown, tokens_in, tokens_out, estimated, cost, unpriced = rows(_CALLS, run.number)[0]
    return Sums(
        states=dict(sorted(states.items())),
        subjects=dict(sorted(subjects.items())),
        failures=dict(sorted(failures.items())),
        verdicts=verdicts,
        judge_failures=judged,
        finished=int(finished),
        failed=len(lost),
        causes=dict(sorted(causes.items())),
        unknown=int(unknown),
        tokens_in=int(tokens_in),
        tokens_out=int(tokens_out),
        estimated=int(estimated),
        cost=None if unpriced else tidy(cost),
        slowest=tuple(ListedCall(*rows(_ONE, number)[0]) for number in slowest),
        failed_calls=tuple(ListedCall(*rows(_ONE, number)[0]) for number in newest),
    )


_BY_A_PERSON = by_a_person("k.model")
_DONE = "k.state = 'done'"
_LOST = f"k.state = 'sent' AND NOT {_BY_A_PERSON}"
_MINE = "FROM calls k JOIN conversations c ON c.number = k.conversation WHERE c.run = ?"
_CONVERSATIONS = (
    f"SELECT subject, state, failure, count(*) FROM conversations c WHERE run = ? AND NOT EXISTS ({NEWER})"  # noqa: S608  # our own names
    " GROUP BY 1, 2, 3"
)
_VERDICTS = (
    "SELECT v.failure, count(*) FROM conversations c JOIN verdicts v ON v.conversation = c.number"  # noqa: S608  # our own names
    f" WHERE c.run = ? AND c.state = 'done' AND v.rubric = ? AND v.item = '' AND NOT EXISTS ({NEWER})"
    " GROUP BY 1 ORDER BY 1"
)
_CALLS = (
    f"SELECT {count_where(_DONE)}, {count_where(_LOST)},"
    " total(tokens_in), total(tokens_out), total(tokens_estimated), total(cost),"
    f" {count_where(f'{_DONE} AND cost IS NULL')} {_MINE}"
)
_FAILED = f"SELECT k.number, k.cause {_MINE} AND k.state = 'failed'"
_SLOWEST = (
    f"SELECT k.number, k.latency {_MINE} AND k.latency IS NOT NULL AND NOT {_BY_A_PERSON}"
    " ORDER BY k.latency DESC, k.number LIMIT ?"
)
_ONE = f"SELECT {LISTED_CALL} FROM calls WHERE number = ?"  # noqa: S608  # our own names
