"""Whole runs that stop when they are decided, of models whose ratings are planted: what counts, worked out by hand."""

from collections import Counter
from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interplay.models.calling import CallFailed
from interplay.running.how import Again
from interplay.statistics.sequences import WinSequence
from interplay.store.records import Records
from tests.running.planted import JUDGE, SECOND_JUDGE, House, Pace, anew, by_hand, limits, rating, recorded

ALPHA, BETA = "alpha", "beta"
UNEQUAL = {ALPHA: 5.0, BETA: 7.5}
Houses = Callable[..., House]


@pytest.fixture
def houses(tmp_path: Path) -> Iterator[Houses]:
    """Makes one store after another."""
    numbers = iter(range(100))

    def house(means: dict[str, float] = UNEQUAL, **more: Any) -> House:
        return House(tmp_path / str(next(numbers)), means, **more)

    yield house


def differences(house: House, without: Set[int] = frozenset()) -> list[float | None]:
    """Of the scripts in their order."""
    return [
        None if number in without else float(house.worth(ALPHA, number) - house.worth(BETA, number))
        for number in house.order()
    ]


def test_the_decision_does_not_hang_on_who_answers_first(houses: Houses) -> None:
    paces: list[Pace] = [
        lambda name, number, worth: 0.0,
        lambda name, number, worth: 0.002 * worth,  # what is good comes late
        lambda name, number, worth: 0.002 * (11 - worth),
        lambda name, number, worth: 0.01 if name == ALPHA else 0.0,
    ]
    found = []
    for pace in paces:
        house = houses(pace=pace)
        engine = house.carry_out()
        assert engine.watch is not None
        found.append((house.order(), house.run.extent["until_decided"]))
        assert recorded(house.run) == by_hand(differences(house))
        assert engine.tally.conversations_done < engine.tally.conversations
    assert all(one == found[0] for one in found)
    assert recorded(house.run).decided


def test_void_and_unscored_scripts_are_passed_over_and_never_count_as_nought(
    houses: Houses,
) -> None:
    mute, lost = {3, 8, 21, 40}, {5, 9, 30}

    def trouble(name: str, number: int) -> str | None:
        if name == BETA and number in lost:
            raise CallFailed("rejected", "not this one")
        return "I would rather not." if name == "judge" and number in mute else None

    house = houses(trouble=trouble)
    engine = house.carry_out()
    first = recorded(house.run)
    assert first == by_hand(differences(house, mute | lost))
    assert first.decided
    assert first.n < first.seen  # some were passed over
    assert engine.tally.failures["provider"] > 0
    house.trouble = lambda name, number: trouble(name, number) if number in mute else None
    house.carry_out()  # what got no answer is asked for again, and counts in its place
    assert recorded(house.run) == by_hand(differences(house, mute))


def asked_twice(house: House) -> int:
    """Calls that were paid for again: of a script, each model answers once and the judge judges two."""
    return sum(
        max(0, count - (2 if name == "judge" else 1)) for (name, _), count in Counter(house.asked).items()
    )


@pytest.mark.parametrize("at", [1, 30, 31, 50])
def test_stopped_in_the_middle_it_counts_no_further_than_it_came_and_goes_on_to_the_same_decision(
    houses: Houses, at: int
) -> None:
    house = houses(pace=lambda name, number, worth: 0.001 * worth)
    engine = house.stopped_at(at, max_connections=2)
    stopped = recorded(house.run)
    assert engine.tally.stopping
    assert not stopped.decided
    assert stopped == by_hand(differences(house), until=stopped.seen)
    assert stopped.n == stopped.seen  # a script that was broken off is not passed over
    assert len(house.asked) >= at
    house.carry_out(max_connections=2)
    assert recorded(house.run) == by_hand(differences(house))
    assert asked_twice(house) == 0


def test_a_budget_that_ends_in_the_middle_counts_no_further_and_a_larger_one_goes_on(
    houses: Houses,
) -> None:
    house = houses()
    engine = house.carry_out(limits=limits(61))
    short = recorded(house.run)
    assert engine.tally.used_up
    assert len(house.asked) <= 61
    assert not short.decided
    assert short == by_hand(differences(house), until=short.seen)
    assert short.n == short.seen
    house.carry_out(limits=limits(1000))
    assert recorded(house.run) == by_hand(differences(house))
    assert asked_twice(house) == 0


def test_what_waits_for_room_in_the_budget_does_not_begin_after_the_decision(houses: Houses) -> None:
    house = houses(scripts=120)
    house.carry_out()
    first = house.order()[0]
    with Records(house.store) as records:
        row = next(row for row in records.conversations(house.run) if house.numbers[row.scenario.id] == first)
    house.asked.clear()
    house.pace = lambda name, number, worth: 0.0 if number == first else 0.2
    # By tokens, two conversations of a model begin, and others wait until it is known what one takes. All that lacks
    # for the decision is the first script.
    engine = house.carry_out(anew=anew(row.number), limits=replace(limits(10_000), tokens=10**9))
    assert recorded(house.run) == by_hand(differences(house))
    assert engine.tally.conversations_done <= 4
    assert len(house.asked) <= 8


def test_the_same_command_asks_nobody_and_without_the_flag_the_rest_is_done(
    houses: Houses,
) -> None:
    house = houses()
    house.carry_out()
    calls, kept = len(house.asked), house.run.extent
    again = house.carry_out()
    assert (len(house.asked), house.run.extent) == (calls, kept)
    assert again.watch is not None
    assert again.watch.is_decided
    house.stopped_at(calls + 1, until_decided=False)
    assert house.run.extent["until_decided"] == kept["until_decided"]  # all is not done yet
    house.carry_out(until_decided=False, spec={"limit": 5})
    assert "until_decided" in house.run.extent  # five are not all
    house.carry_out(until_decided=False)
    assert "until_decided" not in house.run.extent
    assert len(house.asked) == 4 * house.scripts  # two answers and their verdicts, each once
    house.carry_out()
    assert house.run.extent == kept  # in the same order as ever
    assert len(house.asked) == 4 * house.scripts


def test_judging_it_again_leaves_what_was_decided(houses: Houses) -> None:
    house = houses()
    house.carry_out()
    kept = house.run.extent["until_decided"]
    house.carry_out(again=Again(house.run, (SECOND_JUDGE,)), until_decided=False)
    assert house.run.extent["until_decided"] == kept
    assert SECOND_JUDGE in house.run.extent["judges"]


def test_a_longer_run_is_looked_at_further_and_a_shorter_one_at_less(houses: Houses) -> None:
    house = houses({ALPHA: 6.0, BETA: 6.6}, scripts=50)
    house.carry_out(spec={"limit": 15})
    short = house.order()
    assert not recorded(house.run).decided
    assert recorded(house.run).seen == 15
    house.carry_out(spec={"limit": 40})
    assert house.order()[:15] == short
    assert len(set(house.order())) == 40
    assert recorded(house.run) == by_hand(differences(house))
    calls = len(house.asked)
    house.carry_out(spec={"limit": 10})
    assert len(house.asked) == calls
    assert recorded(house.run).seen == 10
    assert house.run.extent["limit"] == 40
    assert len(house.order()) == 40


def test_only_the_newest_take_counts(houses: Houses) -> None:
    house = houses(scripts=8)
    house.carry_out()
    with Records(house.store) as records:
        run = records.find("last")
        rows = {(row.subject, house.numbers[row.scenario.id]): row for row in records.conversations(run)}
    row = rows["python/beta", 4]
    house.means = {**UNEQUAL, BETA: 1.0}  # it answers otherwise today
    house.carry_out(anew=anew(row.number))
    with Records(house.store) as records:
        numbers = records.numbers(run, row.scenario.id)
        assert numbers == [
            one.number for one in records.conversations(run) if one.scenario.id == row.scenario.id
        ]
        assert len(numbers) == 2
        assert row.number not in numbers
        assert [records.conversation(number).take for number in numbers] == [0, 1]
    old, new = rating(BETA, 4, UNEQUAL[BETA]), rating(BETA, 4, 1.0)
    assert old != new
    house.means = UNEQUAL
    expected = [
        None if value is None else value + (old - new if number == 4 else 0)
        for number, value in zip(house.order(), differences(house), strict=True)
    ]
    assert recorded(house.run) == by_hand(expected)


def test_repeats_are_one_result_and_a_start_counts_those_that_it_asks_for(
    houses: Houses,
) -> None:
    house = houses(scripts=12)
    house.stopped_at(100, spec={"epochs": 3}, until_decided=False)  # in the third time
    house.carry_out(spec={"epochs": 2})  # what was broken off of the third holds nothing up
    assert recorded(house.run) == by_hand(differences(house))
    assert recorded(house.run).n == recorded(house.run).seen


# Pairs


def compare(house: House) -> dict[str, Any]:
    """How two models' answers are compared."""
    return {"again": Again(house.run, (JUDGE,), between=("python/alpha", "python/beta"))}


def pairs_by_hand(house: House, seen: int) -> dict[str, Any]:
    """What is known of them after so many scripts, in their order."""
    sequence = WinSequence()
    for value in differences(house)[:seen]:
        assert value is not None
        sequence.add(0.5 if value == 0 else float(value > 0))
    found = sequence.estimate
    return {"n": found.n, "low": found.low, "high": found.high, "decided": sequence.decided}


def pairs_recorded(house: House) -> tuple[int, dict[str, Any]]:
    kept = house.run.extent["pairs"]["until_decided"]
    (pair,) = kept["pairs"]
    return kept["seen"], {name: pair[name] for name in ("n", "low", "high", "decided")}


@pytest.mark.parametrize("at", [1, 20, 21])
def test_pairs_that_were_stopped_in_the_middle_go_on_to_the_same_decision(houses: Houses, at: int) -> None:
    house = houses(scripts=40)
    house.carry_out(until_decided=False)
    house.asked.clear()
    house.pace = lambda name, number, worth: 0.001 * worth
    house.stopped_at(at, max_connections=3, **compare(house))
    seen, found = pairs_recorded(house)
    assert found == pairs_by_hand(house, seen)
    assert (
        seen <= len(house.asked) // 2
    )  # of a script that was broken off no order counts, and nor does it pass for a tie
    assert not found["decided"]
    house.carry_out(max_connections=3, **compare(house))
    seen, found = pairs_recorded(house)
    assert found == pairs_by_hand(house, seen)
    assert found["decided"]
    assert asked_twice(house) == 0
    assert house.run.extent["limit"] == 40


def test_pairs_that_were_judged_by_older_prompts_are_seen_as_they_were_judged(houses: Houses) -> None:
    house = houses(scripts=12)
    house.carry_out(until_decided=False)
    house.carry_out(**compare(house))
    before = pairs_recorded(house)
    digest = house.run.extent["pairs"]["rubric"]
    with Records(house.store) as records:  # as an earlier version of the program would have written them
        records.db.execute("UPDATE runs SET extent = replace(extent, ?, 'older')", (digest,))
        records.db.execute("UPDATE verdicts SET rubric = 'older' WHERE rubric = ?", (digest,))
    calls = len(house.asked)
    house.carry_out(**compare(house))
    assert pairs_recorded(house) == before
    assert before[1]["n"] > 0
    assert len(house.asked) == calls
