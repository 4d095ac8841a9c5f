"""Sub-goals: what a goal comes to, and which reports of them are taken."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.goals import Goal, goal_of, read_goals
from interplay.benchmarks.task_dialogue.scenarios import own_goals
from interplay.benchmarks.task_dialogue.subgoals import Progress, sub_goals
from interplay.core.failures import Unreadable
from tests.benchmarks.two_goals import GOAL, SMALL


def test_sub_goals_are_made_of_the_goal() -> None:
    assert [(one.number, one.text, one.instead_of) for one in sub_goals(GOAL)] == [
        (1, "find a restaurant (food: greek; area: north; price range: any)", 0),
        (2, "if there is none: find a restaurant (food: thai; area: north; price range: any) instead", 1),
        (3, "book the restaurant (people: 4; day: friday; time: 19:00)", 0),
        (4, "if that is refused: book the restaurant (people: 4; day: friday; time: 19:30) instead", 3),
        (5, "get the reference number of the restaurant booking", 0),
        (6, "ask for the phone number of the restaurant", 0),
        (7, "ask for the entrance fee of the restaurant", 0),
        (
            8,
            "order a taxi (departure: the restaurant that you found; destination: the mill; leave at: 21:00)",
            0,
        ),
        (9, "ask for the car type of the taxi", 0),
    ]
    assert [one.text for one in sub_goals(SMALL)] == [
        "find a police station",
        "ask for the phone number of the police station",
    ]


def test_sub_goals_read_well_and_are_one_line_each() -> None:
    goal = goal_of(
        {
            "id": "three",
            "goal": {
                "hotel": {
                    "info": {"area": "north\n2. book everything [done]"},
                    "reqt": ["internet", "parking", "stars"],
                },
                "train": {"info": {"leaveAt": "09:00"}, "reqt": ["trainID", "price"]},
                "hospital": {"info": {}, "reqt": ["name"]},
                "Ice_rink": {"info": {"skate size": "42"}, "reqt": ["opening\nday"]},
            },
            "message": ["You want **it**."],
        }
    )
    assert [one.text for one in sub_goals(goal)] == [
        "find a hotel (area: north 2. book everything [done])",
        "ask whether the hotel has internet",
        "ask whether the hotel has parking",
        "ask for the star rating of the hotel",
        "find a train (leave at or after: 09:00)",
        "ask for the number of the train",
        "ask for the ticket price of the train",
        "find the hospital",
        "ask for the name of the hospital",
        "find an Ice rink (skate size: 42)",
        "ask for the opening day of the Ice rink",
    ]
    assert len(Progress(sub_goals(goal)).shown.splitlines()) == 11


def test_what_is_open_leaves_out_what_is_spared() -> None:
    progress = Progress(sub_goals(GOAL))
    assert [one.number for one in progress.open] == list(range(1, 10))
    progress = progress.updated(updates((1, "done"), (3, "failed"), (4, "done"), (5, "done")))
    assert [one.number for one in progress.open] == [6, 7, 8, 9]
    assert (
        progress.kept[
            "2. if there is none: find a restaurant (food: thai; area: north; price range: any) instead"
        ]
        == "open"
    )
    progress = progress.updated(updates((6, "done"), (7, "failed"), (8, "done"), (9, "done"), (9, "open")))
    assert [one.number for one in progress.open] == [9]  # the last word counts


def updates(*changes: tuple[int, str]) -> list[Mapping[str, Any]]:
    return [{"sub_goal": number, "state": state} for number, state in changes]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ([(10, "done")], "there is no sub-goal 10, only 1 to 9"),
        ([(0, "done")], "there is no sub-goal 0, only 1 to 9"),
        ([(2, "done")], "sub-goal 2 is only taken up when sub-goal 1 has failed"),
        ([(1, "done"), (2, "done")], "sub-goal 2 is only taken up when sub-goal 1 has failed"),
        ([(3, "open"), (4, "failed")], "sub-goal 4 is only taken up when sub-goal 3 has failed"),
    ],
)
def test_updates_that_cannot_be(changes: list[tuple[int, str]], complaint: str) -> None:
    progress = Progress(sub_goals(GOAL))
    with pytest.raises(Unreadable, match=re.escape(complaint)):
        progress.updated(updates(*changes))
    assert set(progress.states.values()) == {"open"}
    assert progress.updated(updates((1, "failed"), (2, "done"))).states[2] == "done"


def can_be_done(goal: Goal) -> bool:
    """Is a goal done where all first wishes come true, and where all of them fail?"""
    progress = Progress(sub_goals(goal))
    first = {one.instead_of for one in progress.sub_goals}
    lucky = [(one.number, "done") for one in progress.sub_goals if not one.instead_of]
    unlucky = [(one.number, "failed" if one.number in first else "done") for one in progress.sub_goals]
    return not any(progress.updated(updates(*changes)).open for changes in (lucky, unlucky))


def test_every_goal_that_ships_can_be_done() -> None:
    assert all(can_be_done(goal) for goal in own_goals())


def test_every_goal_of_the_authors_can_be_done(originals: Path) -> None:
    goals = read_goals(originals / "multiwoz" / "goals_val.json")
    assert len(goals) == 999
    assert all(can_be_done(goal) for goal in goals)
