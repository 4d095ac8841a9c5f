"""Sums of a run: the same as counting what its records say."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from interplay.core.benchmark import Scenario
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.store.browsing import Browsing
from interplay.store.journal import Journal, Place
from interplay.store.places import Store
from interplay.store.records import Records, Run
from interplay.store.sums import Sums, sums_of
from interplay.store.writers import writer_of
from tests.store.databases import KINDS, of_kind
from tests.store.replayed import make_replayed
from tests.web.big_store import MODELS

EXTENT = {"limit": 1, "epochs": 1, "judges": [], "rubric": "r"}


@pytest.mark.parametrize("kind", KINDS)
def test_sums_are_what_the_records_say(request: pytest.FixtureRequest, kind: str, tmp_path: Path) -> None:
    run = make_replayed(tmp_path / "a.db")
    with Records(of_kind(kind, request, tmp_path / "a.db")) as records:
        check(records, records.find(run.id))


def check(records: Records, run: Run) -> None:
    found, totals = sums_of(records, run), records.totals(run)
    assert found.states == records.states(run)
    rows = records.conversations(run)
    assert found.subjects == {name: sum(r.subject == name for r in rows) for name in MODELS}
    assert found.failures == {
        name: sum(r.failure == name for r in rows if r.state == "void")
        for name in ("loop", "provider", "refusal")
    }
    done = {row.number for row in rows if row.state == "done"}
    given = [one for (number, _), all_of in records.verdicts(run).items() if number in done for one in all_of]
    assert found.verdicts == sum(one.data is not None for one in given)
    assert found.judge_failures == {"unreadable": sum(one.data is None for one in given)}
    assert (found.finished, found.failed, found.unknown) == (totals.finished, totals.failed, totals.unknown)
    assert (found.tokens_in, found.tokens_out) == (totals.tokens_in, totals.tokens_out)
    assert found.cost == pytest.approx(totals.cost)
    assert found.causes == {"timeout": found.failed}
    assert [one.cause for one in found.failed_calls] == ["timeout"] * len(found.failed_calls)
    assert found.failed_calls[0].number == max(one.number for one in found.failed_calls)
    numbers = records.db.execute("SELECT number FROM conversations WHERE run = ?", (run.number,)).fetchall()
    calls = [one for (number,) in numbers for one in Browsing(records).calls_of(number)]
    slowest = sorted((one.latency for one in calls if one.latency is not None), reverse=True)
    assert [one.latency for one in found.slowest] == slowest[: len(found.slowest)]
    assert Sums.from_record(json.loads(json.dumps(found.record()))) == found


async def ask(path: Store, run: Run, asked: dict[str, Reply | None]) -> None:
    """A call for each model; None was never answered."""
    writer = writer_of(path)
    journal = Journal(writer, run.number)
    place = Place(Scenario({"n": 1}, "one"), "openai/a", {"player": "openai/a"}, 0)
    number = await journal.open_conversation(place, "p", anew=False)
    request = Request("", Thread.start(Message("user", "hello")), Sampling())
    for step, (model, reply) in enumerate(asked.items()):
        call = await journal.intend(
            number, Step("play", "", "player", step), 0, replace(request, model=model)
        )
        if reply is not None:
            await journal.settle(call, reply)
    await writer.close()


def test_a_person_is_not_lost_and_not_slow_and_an_unknown_price_stays_unknown(place: Store) -> None:
    with Records(place, create=True) as records:
        run = records.begin("a", "role_play", {"models": []}, EXTENT)
        empty = sums_of(records, run)
        assert (empty.conversations, empty.finished, empty.cost, empty.slowest) == (0, 0, 0.0, ())
        asked = {
            "openai/a": Reply("x", cost=0.5, latency=2.0),
            "openai/b": Reply("x", latency=1.0),
            "openai/c": None,
            "human/ada": Reply("x", cost=0.0, latency=9e4),
            "human/bob": None,
        }
        asyncio.run(ask(place, run, asked))
        found = sums_of(records, run)
    assert (found.finished, found.unknown, found.cost) == (3, 1, None)
    assert [one.model for one in found.slowest] == ["openai/a", "openai/b"]
    assert found.states == {"open": 1}
