"""Two models on the same scenarios: what is said of their difference is what the statistics say."""

from collections.abc import Iterator

import pytest

from interplay.benchmarks import find
from interplay.core.board import Estimate
from interplay.core.measures import Measure, Scale
from interplay.reporting.pages.comparing import (
    Chosen,
    Difference,
    difference_of,
    difference_on,
    page,
    pairs_board,
    seats_of,
    side_of,
)
from interplay.running.results import options_of
from interplay.store.browsing import Browsing, Shared
from interplay.store.records import Records, Run
from tests.web.big_store import MODELS, make_store

ROLE_PLAY = find("role_play")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Records, Run]]:
    """Models that are a fixed step apart: see tests.web.big_store."""
    store = tmp_path_factory.mktemp("comparing") / "s.db"
    run = make_store(store, 400, scenarios=50)
    with Records(store) as records:
        yield records, records.find(run.id)


def measure_of(run: Run) -> Measure:
    return ROLE_PLAY.measures(options_of(run, ROLE_PLAY))[0]


def chosen(run: Run, first: str, second: str) -> Chosen:
    measures = ROLE_PLAY.measures(options_of(run, ROLE_PLAY))
    return Chosen(run, tuple(run.identity["models"]), measures, first, second, measures[0])


def on_board(made: tuple[Records, Run], first: str, second: str) -> Difference:
    records, run = made
    board = pairs_board(records, run, ROLE_PLAY, measure_of(run))
    assert board is not None
    found = difference_on(board, first, second)
    assert found is not None
    return found


def test_a_difference_that_is_there_may_be_claimed_whoever_comes_first(made: tuple[Records, Run]) -> None:
    up, down = on_board(made, MODELS[3], MODELS[0]), on_board(made, MODELS[0], MODELS[3])
    assert up.estimate.value is not None and up.estimate.value > 0.5
    assert down.estimate.value == -up.estimate.value
    assert (down.estimate.low, down.estimate.high) == (-(up.estimate.high or 0), -(up.estimate.low or 0))
    claim = f"It may be claimed that {MODELS[3]} is better than {MODELS[0]}"
    assert up.claim.startswith(claim) and down.claim == up.claim
    assert "all 6 pairs" in up.basis
    assert up.interval(measure_of(made[1])).count("–") == 1
    assert up.chance_shown == "<0.001"


def test_the_short_way_of_large_runs_comes_to_the_same(made: tuple[Records, Run]) -> None:
    records, run = made
    shared = Browsing(records).shared(run, MODELS[2], MODELS[1], measure_of(run).names)
    ways = {one.id: ROLE_PLAY.ways(one) for one in records.scenarios(run)}
    short = difference_of(shared, chosen(run, MODELS[2], MODELS[1]), measure_of(run), ways)
    whole = on_board(made, MODELS[2], MODELS[1])
    assert short.estimate.value == pytest.approx(whole.estimate.value, abs=0.05)
    assert short.estimate.low == pytest.approx(whole.estimate.low, abs=0.1)
    assert f"interplay compare {run.id}" in short.basis


def test_where_less_is_better_the_lower_is_claimed(made: tuple[Records, Run]) -> None:
    _, run = made
    shared = [Shared(f"s{n}", f"s{n}", 1.0 + 0.01 * n, 3.0, 1, 1) for n in range(20)]
    ways = {one.scenario: (one.scenario,) for one in shared}
    less = Measure("errors", "", Scale(0, 5, whole=False), less_is_better=True)
    found = difference_of(shared, chosen(run, MODELS[0], MODELS[1]), less, ways)
    assert found.claim == f"It may be claimed that {MODELS[0]} is better than {MODELS[1]}."


def test_what_can_be_chance_is_not_claimed(made: tuple[Records, Run]) -> None:
    _, run = made
    shared = [Shared(f"s{n}", f"s{n}", float(n % 2), float((n + 1) % 2), 1, 1) for n in range(20)]
    ways = {one.scenario: (one.scenario,) for one in shared}
    found = difference_of(shared, chosen(run, MODELS[0], MODELS[1]), measure_of(run), ways)
    assert "may not be claimed" in found.claim


def test_too_little_in_common_says_so(made: tuple[Records, Run]) -> None:
    _, run = made
    one = [Shared("s", "s", 1.0, 3.0, 1, 1)]
    found = difference_of(one, chosen(run, MODELS[0], MODELS[1]), measure_of(run), {"s": ("s",)})
    assert "too little" in found.claim
    assert isinstance(found.estimate, Estimate) and found.chance_shown == ""


def test_pages_of_scenarios(made: tuple[Records, Run]) -> None:
    _, run = made
    shared = [Shared(f"s{n}", f"s{n}", float(n), 0.0, 1, 1) for n in range(120)]
    first = page(chosen(run, *MODELS[:2]), None, shared, 0)
    assert (len(first["rows"]), first["newer"], first["older"]) == (50, None, 50)
    last = page(chosen(run, *MODELS[:2]), None, shared, 100)
    assert (len(last["rows"]), last["newer"], last["older"]) == (20, 50, None)
    beyond = page(chosen(run, *MODELS[:2]), None, shared, 5_000)
    assert (len(beyond["rows"]), beyond["older"]) == (0, None)


def test_a_side_without_a_conversation_is_empty(made: tuple[Records, Run]) -> None:
    _, run = made
    side = side_of("openai/else", [], {}, [], chosen(run, *MODELS[:2]), ["player"])
    assert side.row is None and side.turns == () and not side.whole.rows


def test_the_seats_of_a_model(made: tuple[Records, Run]) -> None:
    records, run = made
    row = records.conversations(run)[0]
    assert seats_of(row, row.subject, ["player"]) == ("player",)
