"""What failed in a run, newest conversations first, a page at a time: calls by cause, verdicts by name."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, Protocol, TypeVar

from interplay.store.browsing import LISTED_CALL, NEWER, PAGE, ListedCall
from interplay.store.records import Records, Run

LOOKED_THROUGH = 2_000  # conversations; where few things fail, a page may be short of some


class _OfAConversation(Protocol):
    @property
    def conversation(self) -> int: ...


F = TypeVar("F", bound=_OfAConversation)


@dataclass(frozen=True)
class FailedVerdict:
    """A judge who gave no verdict on a conversation, and why."""

    conversation: int
    judge: str
    failure: str
    detail: str


@dataclass(frozen=True)
class Faults(Generic[F]):
    """Some of what failed; a further page begins before `before`, and 0 says that there is none."""

    rows: tuple[F, ...]
    before: int


def failed_calls(
    records: Records, run: Run, cause: str = "", before: int = 0, size: int = PAGE
) -> Faults[ListedCall]:
    """Calls that failed, of all causes or one; those of a conversation are together."""
    query = (
        f"SELECT {LISTED_CALL} FROM calls WHERE conversation IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"  # noqa: S608  # our own names
        " AND state = 'failed' AND ? IN ('', cause) ORDER BY conversation DESC, number DESC"
    )
    return _page(
        records,
        run,
        before,
        size,
        lambda some: (ListedCall(*row) for row in records.rows(query, some, cause)),
    )


def failed_verdicts(
    records: Records, run: Run, failure: str = "", before: int = 0, size: int = PAGE
) -> Faults[FailedVerdict]:
    """Verdicts of the board's rubric that came to nothing, of all names or one."""
    query = (
        "SELECT conversation, judge, v.failure, v.detail FROM verdicts v"  # noqa: S608  # our own names
        " JOIN conversations c ON c.number = v.conversation"
        " WHERE conversation IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"
        " AND v.failure <> '' AND ? IN ('', v.failure) AND rubric = ? AND item = ''"
        f" AND NOT EXISTS ({NEWER}) ORDER BY conversation DESC, judge"
    )
    rubric = run.extent.get("rubric", "")
    return _page(
        records,
        run,
        before,
        size,
        lambda some: (FailedVerdict(*row) for row in records.rows(query, some, failure, rubric)),
    )


def _page(
    records: Records, run: Run, before: int, size: int, found_in: Callable[[str], Iterable[F]]
) -> Faults[F]:
    numbers = _numbers(records, run, before)
    rows: list[F] = []
    for _, of_one in groupby(found_in(json.dumps(numbers)), lambda row: row.conversation):
        if len(rows) >= size:
            return Faults(tuple(rows), rows[-1].conversation)
        rows.extend(of_one)
    return Faults(tuple(rows), numbers[-1] if len(numbers) == LOOKED_THROUGH else 0)


def _numbers(records: Records, run: Run, before: int) -> list[int]:
    """The conversations that are looked through, newest first."""
    if not before:
        last = records.rows("SELECT max(number) FROM conversations WHERE run = ?", run.number)[0][0]
        before = (last or 0) + 1
    query = "SELECT number FROM conversations NOT INDEXED WHERE run = ? AND number < ? ORDER BY number DESC LIMIT ?"
    return [row[0] for row in records.rows(query, run.number, before, LOOKED_THROUGH)]
