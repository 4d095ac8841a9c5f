"""Reading the record: finding runs, and what they have used."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from interplay.core.benchmark import Scenario
from interplay.core.failures import Mistake
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.store.journal import Journal, Place
from interplay.store.places import Store
from interplay.store.records import Records, Run, Totals
from interplay.store.writers import writer_of

EXTENT = {"limit": 1, "epochs": 1, "judges": ["j"]}
STEP = Step("play", "", "player", 0)
REQUEST = Request("openai/a", Thread.start(Message("user", "hello")), Sampling())


@pytest.fixture
def records(place: Store):
    with Records(place, create=True) as made:
        yield made


def begin(records: Records, *ids: str) -> list[Run]:
    return [records.begin(id, "role_play", {"models": [id]}, EXTENT) for id in ids]


def test_a_run_begins_once(records: Records) -> None:
    [first] = begin(records, "role_play-1111")
    again = records.begin("role_play-1111", "role_play", {"models": ["other"]}, {"limit": 9})
    assert again == first
    assert first.identity == {"models": ["role_play-1111"]}
    assert first.extent == EXTENT
    assert len(first.secret) == 16
    assert records.runs() == [first]


def test_every_run_has_a_secret_of_its_own(records: Records) -> None:
    assert len({run.secret for run in begin(records, "a", "b", "c")}) == 3


def test_a_run_is_found_by_its_id_its_beginning_and_as_the_last(records: Records) -> None:
    first, second = begin(records, "role_play-1111", "role_play-2222")
    assert records.find("role_play-1111") == first
    assert records.find("role_play-1") == first
    assert records.find("role_play-22") == second
    assert records.find("last") == second


def test_a_whole_id_is_found_though_others_begin_with_it(records: Records) -> None:
    begin(records, "a-1", "a-12")
    assert records.find("a-1").id == "a-1"


def test_a_beginning_of_several_runs_names_them(records: Records) -> None:
    begin(records, "role_play-1111", "role_play-1122")
    with pytest.raises(Mistake, match="role_play-1111, role_play-1122"):
        records.find("role_play-11")


def test_an_unknown_run_comes_with_the_nearest(records: Records) -> None:
    begin(records, "role_play-1111", "role_play-2222")
    with pytest.raises(Mistake, match="did you mean 'role_play-2222'"):
        records.find("role_play-2223")


def test_an_empty_store_says_how_to_start(records: Records) -> None:
    with pytest.raises(Mistake, match="interplay run BENCHMARK"):
        records.find("last")


def test_a_reader_makes_no_store(tmp_path: Path) -> None:
    with pytest.raises(Mistake):
        Records(tmp_path / "no.db")
    assert list(tmp_path.iterdir()) == []


def test_an_unused_run_has_used_nothing(records: Records) -> None:
    [run] = begin(records, "a")
    assert records.totals(run) == Totals(0, 0, 0, 0.0, 0, 0, 0, 0.0, {})
    assert records.usage_by_subject(run) == {}
    assert records.conversations(run) == []
    assert records.integrity() == "ok"


async def spend(
    path: Store, run: Run, subject: str, replies: list[Reply | str | None], *, cost: float | None = 0.125
) -> None:
    """A call for each entry: a reply, the cause of a failure, or None for one that was never answered.

    Each may use 100 tokens and an eighth of a dollar, as far as prices are known.
    """
    writer = writer_of(path)
    journal = Journal(writer, run.number)
    place = Place(Scenario({"n": 1}, "one"), subject, {"player": subject}, 0)
    number = await journal.open_conversation(place, "p", anew=False)
    for turn, reply in enumerate(replies):
        request = replace(REQUEST, model=subject)
        call = await journal.intend(number, replace(STEP, number=turn), 0, request, (100, cost))
        if isinstance(reply, Reply):
            await journal.settle(call, reply)
        elif reply is not None:
            await journal.settle_failure(call, reply, "", b"")
    await writer.close()


def test_totals_count_what_was_answered_failed_and_never_came_back(records: Records) -> None:
    run, other = begin(records, "a", "b")
    priced = Reply("x", version="a-1", tokens_in=10, tokens_out=5, cost=0.25)
    guessed = replace(priced, version="a-2", tokens_estimated=True, cost=0.5)
    asyncio.run(spend(records.path, run, "openai/a", [priced, guessed, "server", "timeout", None]))
    asyncio.run(spend(records.path, other, "openai/a", [priced, None, None]))
    totals = records.totals(run)
    assert totals == Totals(
        finished=2,
        failed=2,
        unknown=1,
        unknown_cost=0.125,
        tokens_in=20,
        tokens_out=10,
        estimated=1,
        cost=0.75,
        models={"openai/a": ("a-1", "a-2")},
    )
    assert records.totals(other).unknown == 2


def test_one_unknown_price_makes_the_whole_cost_unknown(records: Records) -> None:
    [run] = begin(records, "a")
    asyncio.run(spend(records.path, run, "openai/a", [Reply("x", cost=1.0)]))
    asyncio.run(spend(records.path, run, "openai/b", [Reply("x", cost=1.0, tokens_out=3), Reply("y")]))
    assert records.totals(run).cost is None
    assert records.usage_by_subject(run) == {"openai/a": (0, 1.0), "openai/b": (3, None)}


def test_what_a_lost_call_may_have_cost_is_unknown_where_its_price_is(records: Records) -> None:
    [run] = begin(records, "a")
    asyncio.run(spend(records.path, run, "openai/a", [None, None]))
    assert (records.totals(run).unknown, records.totals(run).unknown_cost) == (2, 0.25)
    asyncio.run(spend(records.path, run, "openai/b", [None], cost=None))
    assert (records.totals(run).unknown, records.totals(run).unknown_cost) == (3, None)


def test_a_budget_counts_answers_as_they_were_and_the_unknown_at_its_most(records: Records) -> None:
    run, other = begin(records, "a", "b")
    answered = Reply("x", tokens_in=10, tokens_out=5, cost=0.5)
    asyncio.run(spend(records.path, run, "openai/a", [answered, answered, "server", "timeout", None]))
    asyncio.run(spend(records.path, other, "openai/a", [answered]))
    # two answers, a refusal that cost nothing, a failure that may have been billed, a call without an answer
    assert records.spent(run, {"timeout", "connection"}) == (2 * 0.5 + 2 * 0.125, 2 * 15 + 2 * 100, 5)
    assert records.spent(run, set()) == (2 * 0.5 + 0.125, 2 * 15 + 100, 5)
    assert records.spent(other, {"timeout"}) == (0.5, 15, 1)


def test_a_budget_counts_the_calls_of_a_store_that_reserved_nothing(records: Records) -> None:
    [run] = begin(records, "a")
    asyncio.run(spend(records.path, run, "openai/a", [Reply("x"), None], cost=None))
    records.db.execute("UPDATE calls SET reserved_tokens = NULL, reserved_cost = NULL")
    assert records.spent(run, {"timeout"}) == (0.0, 0, 2)


def test_answered_calls_are_counted_by_participant_of_unfinished_play_and_of_one_judging(
    records: Records,
) -> None:
    [run] = begin(records, "a")
    asyncio.run(spend(records.path, run, "openai/a", [Reply("x"), Reply("y"), Reply("z"), "server", None]))
    [number] = [row.number for row in records.conversations(run)]
    records.db.execute("UPDATE calls SET stage = 'judge v2', participant = 'j' WHERE step = 2")
    assert records.finished_calls(run, "judge v2") == {(number, "", "player"): 2, (number, "", "j"): 1}
    assert records.finished_calls(run, "judge v1") == {(number, "", "player"): 2}
    records.db.execute("UPDATE conversations SET state = 'done'")
    assert records.finished_calls(run, "judge v2") == {(number, "", "j"): 1}
    records.db.execute("UPDATE calls SET stage = 'pair v2', item = '1 v 2' WHERE step = 2")
    assert records.finished_calls(run, "pair v2") == {(number, "1 v 2", "j"): 1}


def test_a_run_is_found_by_its_name_and_a_name_goes_before_a_beginning(records: Records) -> None:
    first, second = begin(records, "role_play-1111", "role_play-2222")
    records.db.execute("UPDATE runs SET name = 'role_play-2' WHERE id = 'role_play-1111'")
    assert records.find("role_play-2").id == first.id
    assert records.find("role_play-22").id == second.id
    assert records.find("role_play-1111").name == "role_play-2"
    with pytest.raises(Mistake, match="did you mean 'role_play-2'"):
        records.find("role_ploy-2")
