"""Reading many conversations with their verdicts, a few at a time."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from interplay.store import batches
from interplay.store.batches import AT_A_TIME, with_verdicts
from interplay.store.records import Records, Run
from tests.web.big_store import make_store

CONVERSATIONS = 8 * AT_A_TIME  # four models, so that each plays twice as many as are read at a time
SCENARIOS = 2 * AT_A_TIME


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("batches") / "a.db"
    make_store(path, CONVERSATIONS, scenarios=SCENARIOS)
    with Records(path) as records:
        # verdicts of another rubric, and of something else than the conversation
        records.db.execute(
            "INSERT INTO verdicts SELECT conversation, judge, 'other', '', '', '', '{\"n\":1}' FROM verdicts;"
            "INSERT INTO verdicts SELECT conversation, judge, rubric, '1 v 2', '', '', '{\"n\":2}' FROM verdicts"
        )
    return path


@pytest.fixture
def records(store: Path) -> Iterator[Records]:
    with Records(store) as found:
        yield found


@pytest.fixture
def run(records: Records) -> Run:
    return records.find("last")


def test_every_conversation_comes_with_all_its_verdicts_in_the_order_asked_for(
    records: Records, run: Run
) -> None:
    numbers = records.numbers(run)
    Random(1).shuffle(numbers)
    numbers = numbers[: 3 * AT_A_TIME + 1]  # the last batch is not full
    found = list(with_verdicts(records, numbers))
    assert [row for row, _ in found] == [records.conversation(number) for number in numbers]
    assert [verdicts for _, verdicts in found] == [records.verdicts_of(number) for number in numbers]
    assert {row.state for row, _ in found} == {"done", "void"}
    assert {(item, verdict.rubric == "other") for _, of in found for item, verdict in of} == {
        ("", False),
        ("", True),
        ("1 v 2", False),
        ("1 v 2", True),
    }


def test_of_a_rubric_its_verdicts_on_the_conversations_themselves(records: Records, run: Run) -> None:
    numbers, rubric = records.numbers(run), run.extent["rubric"]
    found = {row.number: verdicts for row, verdicts in with_verdicts(records, numbers, rubric=rubric)}
    for number in numbers:
        wanted = [
            (item, one) for item, one in records.verdicts_of(number) if not item and one.rubric == rubric
        ]
        assert found[number] == wanted
    assert all(not given for _, given in with_verdicts(records, numbers, rubric="unheard of"))


def test_what_was_said_is_left_out_on_demand(records: Records, run: Run) -> None:
    numbers = records.numbers(run)[:5]
    for (bare, _), (whole, _) in zip(
        with_verdicts(records, numbers, lines=False), with_verdicts(records, numbers), strict=True
    ):
        assert (bare.lines, bare.outcome, bare.number) == ((), whole.outcome, whole.number)
        assert whole.lines


def test_the_repeats_of_a_scenario_share_it_in_memory(records: Records, run: Run) -> None:
    held = {id(row.scenario) for row, _ in list(with_verdicts(records, records.numbers(run)))}
    assert len(held) == SCENARIOS


def test_no_more_scenarios_are_held_than_may_be(
    records: Records, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MOST_KNOWN", AT_A_TIME)
    numbers = sorted(records.numbers(run))  # models and scenarios take turns
    found = [row.scenario for row, _ in with_verdicts(records, numbers)]
    assert found == [records.conversation(number).scenario for number in numbers]


def test_nothing_is_read_of_no_conversations(records: Records) -> None:
    assert list(with_verdicts(records, [])) == []
