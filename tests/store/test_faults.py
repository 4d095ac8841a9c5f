"""What failed in a run: every failed call and verdict is on one page, once."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from interplay.store import faults
from interplay.store.faults import Faults, failed_calls, failed_verdicts
from interplay.store.records import Records, Run
from tests.store.databases import KINDS, of_kind
from tests.store.two_runs import two_runs

Look = Callable[..., Faults[Any]]


@pytest.fixture(scope="module", params=KINDS)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Records, Run]]:
    """Two runs in one store, so that numbers of one are not all there are."""
    store = tmp_path_factory.mktemp("faults") / "s.db"
    run = two_runs(store, 800, 50, "number % 3 = 0")
    with Records(of_kind(request.param, request, store)) as records:
        yield records, records.find(run.id)


def all_of(look: Look, made: tuple[Records, Run], name: str = "", size: int = 3) -> list[Any]:
    """What there is on all pages, one after the other."""
    records, run = made
    rows, before = [], 0
    while True:
        page = look(records, run, name, before, size)
        rows += page.rows
        before = page.before
        if not before:
            return rows


def test_every_failed_call_is_there_once_newest_conversations_first(made: tuple[Records, Run]) -> None:
    records, run = made
    rows = all_of(failed_calls, made)
    query = (
        "SELECT k.number FROM calls k JOIN conversations c ON c.number = k.conversation"
        " WHERE c.run = ? AND k.state = 'failed' ORDER BY k.conversation DESC, k.number DESC"
    )
    assert [one.number for one in rows] == [row[0] for row in records.db.execute(query, (run.number,))]
    assert rows
    assert {one.cause for one in rows} == {"timeout"}


def test_every_verdict_that_was_not_given_is_there_once(made: tuple[Records, Run]) -> None:
    rows = all_of(failed_verdicts, made)
    records, run = made
    given = [
        (number, one.judge)
        for (number, item), verdicts in records.verdicts(run).items()
        for one in verdicts
        if one.failure and not item
    ]
    assert sorted((one.conversation, one.judge) for one in rows) == sorted(given)
    assert rows
    assert rows[0].detail == "no verdict in three tries"


@pytest.mark.parametrize("look", [failed_calls, failed_verdicts])
def test_only_those_of_a_name(made: tuple[Records, Run], look: Look) -> None:
    named = "timeout" if look is failed_calls else "unreadable"
    assert all_of(look, made, named) == all_of(look, made)
    assert all_of(look, made, "nothing of the kind") == []


def test_those_of_a_conversation_are_not_torn_apart(made: tuple[Records, Run]) -> None:
    records, run = made
    everything = all_of(failed_verdicts, made, size=1_000)
    several = {
        one.conversation
        for one in everything
        if sum(o.conversation == one.conversation for o in everything) > 1
    }
    page = failed_verdicts(records, run, size=1)
    assert {one.conversation for one in page.rows} == {page.rows[0].conversation}
    for number in several:
        page = failed_verdicts(records, run, before=number + 1, size=1)
        assert len([one for one in page.rows if one.conversation == number]) > 1


def test_where_few_fail_a_page_looks_through_so_many_and_says_where_to_go_on(
    made: tuple[Records, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = all_of(failed_calls, made)
    monkeypatch.setattr(faults, "LOOKED_THROUGH", 7)
    records, run = made
    first = failed_calls(records, run)
    assert first.before
    assert all_of(failed_calls, made) == whole
