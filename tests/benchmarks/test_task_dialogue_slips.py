"""Planted slot errors: what the rules mishear, or the agenda misspeaks, decides success, and nothing else does."""

from math import sqrt
from random import Random

import pytest

from interplay.benchmarks.task_dialogue.city import own_city
from interplay.benchmarks.task_dialogue.goals import goal_of
from interplay.benchmarks.task_dialogue.objective import succeeded
from interplay.benchmarks.task_dialogue.scenarios import own_goals, scenarios
from interplay.benchmarks.task_dialogue.slips import chance, slots_at_risk, wrong_value
from interplay.core.trials import FURTHEST
from tests.benchmarks.held import OPTIONS, achieved_on, held_by_rule
from tests.benchmarks.small_town import TOWN, wanting

GOALS = 200


def test_without_errors_every_goal_of_our_city_is_met() -> None:
    came = achieved_on(None)
    assert (came.goals, came.possible, came.met) == (240, 240, 240)


@pytest.mark.parametrize("who", ["slot_error", "user_error"])
@pytest.mark.parametrize("percent", [1, 5, 10])
def test_success_is_what_was_planted(who: str, percent: int) -> None:
    options = {**OPTIONS, who: str(percent)}
    chosen = scenarios({}).scenarios[:GOALS]
    chances = [chance(own_city(), goal_of(one.content), percent / 100) for one in chosen]
    met = [bool(succeeded(held_by_rule(one.content, options, seed=percent))) for one in chosen]
    planted, error = sum(chances) / GOALS, sqrt(sum(p * (1 - p) for p in chances)) / GOALS
    assert abs(sum(met) / GOALS - planted) <= FURTHEST * error
    assert planted < 1 - error  # a rate of nothing would show nothing


def test_a_wrong_value_cannot_meet_the_wish() -> None:
    goal = wanting(
        restaurant={
            "info": {"food": "italian", "area": "dontcare"},
            "book": {"people": "2", "day": "monday", "time": "12:00"},
        }
    )
    (wish,) = goal.wishes
    assert wrong_value(TOWN, wish, "food", Random(0)) == "indian"
    assert wrong_value(TOWN, wish, "area", Random(0)) == ""  # any area will do, so that none is wrong
    assert wrong_value(TOWN, wish, "people", Random(0)) not in ("2", "")
    assert list(slots_at_risk(TOWN, goal)) == [
        ("restaurant", slot) for slot in ("food", "people", "day", "time")
    ]
    assert chance(TOWN, goal, 0.5) == 0.5**4


@pytest.mark.parametrize(
    ("slot", "limit", "wrong"),
    [
        ("leaveAt", "10:00", "09:00"),
        ("leaveAt", "08:00", ""),
        ("arriveBy", "12:00", "13:48"),
        ("arriveBy", "14:00", ""),
    ],
)
def test_a_time_is_wrong_where_its_train_is_too_early_or_too_late(slot: str, limit: str, wrong: str) -> None:
    line = {"departure": "tarnwick", "destination": "ferrow", "day": "monday"}
    (wish,) = wanting(train={"info": {**line, slot: limit}}).wishes
    assert wrong_value(TOWN, wish, slot, Random(0)) == wrong


def test_a_slip_of_a_place_is_none_that_would_do() -> None:
    (_, ride) = wanting(
        attraction={"info": {"type": "museum"}},
        taxi={"info": {"departure": "@attraction", "destination": "wharf house", "leaveAt": "09:00"}},
    ).wishes
    drawn = {wrong_value(TOWN, ride, "departure", Random(seed)) for seed in range(20)}
    assert drawn == {"wharf house", "the regent arms"}


def test_there_are_enough_goals() -> None:
    assert len(own_goals()) >= GOALS
