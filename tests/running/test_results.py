"""What a run came to, read from its record without holding all of it."""

import tracemalloc
from collections.abc import Callable
from random import Random

import pytest

from interplay.analysis.entries import entries_of
from interplay.benchmarks import find
from interplay.core.benchmark import Played, Scenario
from interplay.running.plan import make_plan
from interplay.running.results import Seen, board_of, options_of, played_of, summary_of
from interplay.running.spec import make_spec
from interplay.store.records import Records, Run
from tests.web.big_store import JUDGES, MODELS, TURNS, USER, make_store

ROLE_PLAY = find("role_play")
SCENARIOS = 10
FEW, MANY = 400, 1_200
Opened = tuple[Records, Run]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("results")
    found = []
    for count in (FEW, MANY):
        run = make_store(folder / f"{count}.db", count, scenarios=SCENARIOS)
        found.append((Records(folder / f"{count}.db"), run))
    yield found
    for records, _ in found:
        records.close()


def growth(stores: list[Opened], of: Callable[[Records, Run], object]) -> float:
    """Bytes by which the peak of memory grows with every conversation."""
    peaks = []
    for records, run in stores:
        of(records, run)  # what is imported or kept for good is not counted
        tracemalloc.start()
        try:
            of(records, run)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return (peaks[1] - peaks[0]) / (MANY - FEW)


def plan(records: Records, run: Run) -> object:
    spec = make_spec(
        ROLE_PLAY,
        models=MODELS,
        roles={"interrogator": [USER], "judge": list(JUDGES)},
        limit=SCENARIOS,
        epochs=run.extent["epochs"],
        options={"turns": str(TURNS)},
    )
    found = make_plan(ROLE_PLAY, spec, spec.material.scenarios, records, run, run.extent)
    assert (
        found.to_play == records.rows("SELECT count(*) FROM conversations WHERE failure = 'provider'")[0][0]
    )
    return found


def measured(records: Records, run: Run) -> object:
    measure = ROLE_PLAY.measures(options_of(run, ROLE_PLAY))[0]
    return entries_of(records, [run], ROLE_PLAY, measure, words=False)


def test_a_large_run_is_never_in_memory_as_a_whole(stores: list[Opened]) -> None:
    whole = growth(stores, lambda records, run: played_of(records, run, ROLE_PLAY))
    assert whole > 4_000  # this is what it is about
    assert growth(stores, lambda records, run: board_of(records, run, ROLE_PLAY)) < 500
    assert growth(stores, plan) < 1_000
    assert growth(stores, measured) < 1_500


def test_one_pass_in_any_order_comes_to_the_same_board(stores: list[Opened]) -> None:
    records, run = stores[0]
    options, played = options_of(run, ROLE_PLAY), played_of(records, run, ROLE_PLAY)
    board = ROLE_PLAY.summarize(played, options)
    assert len(board.rows) == len(MODELS)
    shuffled = Random(1).sample(played, len(played))
    assert ROLE_PLAY.in_one_pass is not None
    assert ROLE_PLAY.in_one_pass(iter(shuffled), options) == board
    assert summary_of(records, [run], ROLE_PLAY, options)[0] == board


def test_conversations_come_in_the_order_of_models_and_scenarios(stores: list[Opened]) -> None:
    records, run = stores[0]
    found = [(one.subject, one.scenario.id, one.repeat) for one in played_of(records, run, ROLE_PLAY)]
    assert found == sorted(found)
    rows = [records.conversation(number) for number in records.numbers(run)]
    assert found == [(row.subject, row.scenario.id, row.repeat) for row in rows]


def test_what_passes_is_counted() -> None:
    def played(failure: str = "", **cast: str) -> Played:
        return Played(Scenario({}, "s"), "openai/a", 0, failure=failure, cast=cast)

    seen = Seen()
    all_of_it = [
        played(),
        played("loop", player="human/ada"),
        played("loop"),
        played("provider", player="x/y"),
    ]
    assert list(seen.passing(all_of_it)) == all_of_it
    assert (seen.conversations, dict(seen.failures)) == (4, {"loop": 2, "provider": 1})
    assert seen.seated == [{"player": "human/ada"}]
