"""Single things of a store are found, and what is not there is not."""

from collections.abc import Iterator

import pytest

from interplay.store.finding import (
    conversation_of,
    label_of,
    played_by,
    repeats_of,
    run_of,
    scenarios_of,
)
from interplay.store.records import Records, Run
from tests.store.databases import KINDS, of_kind
from tests.store.two_runs import two_runs
from tests.web.big_store import MODELS


@pytest.fixture(scope="module", params=KINDS)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Records, Run]]:
    store = tmp_path_factory.mktemp("finding") / "s.db"
    run = two_runs(store, 40, 5, "scenario = (SELECT max(scenario) FROM conversations)")
    with Records(of_kind(request.param, request, store)) as records:
        yield records, records.find(run.id)


def test_the_run_of_a_conversation_and_the_conversation_of_a_call(made: tuple[Records, Run]) -> None:
    records, run = made
    number = records.numbers(run)[0]
    found = run_of(records, number)
    assert found is not None and found.id == run.id
    call = records.db.execute("SELECT max(number) FROM calls WHERE conversation = ?", (number,)).get
    assert conversation_of(records, call) == number
    assert run_of(records, 424242) is None
    assert conversation_of(records, 424242) is None


def test_who_played_a_scenario(made: tuple[Records, Run]) -> None:
    records, run = made
    row = records.conversations(run)[0]
    assert repeats_of(records, run, row.scenario.id) == [0, 1]
    assert played_by(records, run, row.scenario.id, row.subject, row.repeat) == [row.number]
    assert played_by(records, run, row.scenario.id, row.subject, 9) == []
    assert played_by(records, run, row.scenario.id, "openai/else", row.repeat) == []
    assert label_of(records, run, row.scenario.id) == row.scenario.label
    assert label_of(records, run, "nothing") is None


def test_a_scenario_of_another_run_is_none_of_this_one(made: tuple[Records, Run]) -> None:
    records, run = made
    other = next(one for one in records.runs() if one.id != run.id)
    mine = {one.id for one in records.scenarios(run)}
    foreign = next(one.id for one in records.scenarios(other) if one.id not in mine)
    assert label_of(records, run, foreign) is None
    assert [one.id for one in scenarios_of(records, [foreign, "nothing"])] == [foreign]


def test_the_newest_take_and_who_sat_together(made: tuple[Records, Run]) -> None:
    records, run = made
    row = records.conversations(run)[0]
    both = f"{MODELS[0]} + {MODELS[1]}"
    newest = records.db.execute(
        "INSERT INTO conversations (run, scenario, subject, cast_digest, cast_roles, repeat, take, state, protocol)"
        " SELECT run, scenario, ?, cast_digest, cast_roles, repeat, take + 1, 'open', protocol FROM conversations"
        " WHERE number = ? RETURNING number",
        (both, row.number),
    ).get
    assert newest in played_by(records, run, row.scenario.id, MODELS[1], row.repeat)
    assert row.number not in played_by(records, run, row.scenario.id, row.subject, row.repeat)
