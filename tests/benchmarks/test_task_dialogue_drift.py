"""Drift: what a user asks for that its goal does not have, and what only looks like it."""

from dataclasses import replace

import pytest

from interplay.benchmarks.task_dialogue.dialogue import Offer
from interplay.benchmarks.task_dialogue.office import LookUp
from interplay.benchmarks.task_dialogue.quality import DRIFTED, faults
from tests.benchmarks.hand_written import GOOD, dialogue_of, good, instead


@pytest.mark.parametrize(
    "turn",
    [
        "A table for six people on Friday at 19:30, please.",
        "A table for four on Saturday at half past seven, please.",
        "A table for four on Friday at 8pm, please.",
        "A table for four on Friday at 19:30. Or could it be in the south?",
        "A table for four on Friday at 19:30. I'd like some sushi, I mean Japanese food.",
        "A table for four on Friday at 19:30. I also need a taxi.",
        "A table for four on Friday at 19:30. Please find me a hotel as well.",
    ],
)
def test_drift(turn: str) -> None:
    assert DRIFTED in faults(instead(4, turn))


@pytest.mark.parametrize(
    "turn",
    [
        "A table for four on Friday at half seven in the evening. Not in the south, mind you.",
        "A table for four on Friday at 19:30, please. Is it far from the centre?",
        "For Friday at 19:30, a table for four. We don't need a taxi.",
        "Four of us on Friday, 7.30 pm. We are at the West Street hotel now, is it near the east station?",
        "Friday at 7:30 for 4 people please, and that's 4 people, not 6 people.",
        "Table for four, friday, 19:30. I had Indian yesterday rather than Thai, ha!",
        "Table for four, friday, 19:30. We did Indian in the south last time and it was awful.",
        "Table for four, friday, 19:30, at the least expensive one.",
        "Table for four, friday, 19:30. The film starts at 22:15, so that is fine.",
    ],
)
def test_no_drift(turn: str) -> None:
    assert DRIFTED not in faults(instead(4, turn))


def test_a_value_that_the_system_brought_up_is_no_drift_but_one_of_a_list_is() -> None:
    offered = good(
        *GOOD[:4], GOOD[4], "Friday is full. Would Sunday at 20:15 do?", "Sunday at 20:15? Hmm, no.", "Ok."
    )
    assert DRIFTED not in faults(offered)
    listed = good(
        "Food in the north, Greek", "Which area: centre, north, east, south or west?", "West, please.", "Ok."
    )
    assert DRIFTED in faults(listed)


def test_a_stay_goes_on_to_other_days() -> None:
    goal = {
        "hotel": {"info": {"name": "the old vane"}, "book": {"people": "2", "day": "friday", "stay": "2"}}
    }
    ask = "Two people at the Old Vane, {}, two nights, please. What is the reference?"
    for days, drifts in (
        ("Friday to Sunday", False),
        ("from Friday until Sunday", False),
        ("Friday and Saturday night", False),
        ("from Saturday", True),
        ("from Tuesday", True),
    ):
        found = faults(dialogue_of(goal, [ask.format(days), "Friday it is. B2C4D6F8."]))
        assert (DRIFTED in found) == drifts, days


def test_what_was_looked_up_in_the_users_words_is_drift_where_the_goal_has_another() -> None:
    goal = {"train": {"info": {"departure": "ayle", "destination": "morwick", "day": "monday"}}}
    turns = ["A train from Ayle to Pellam on Monday", "TR1234 goes to Pellam."]
    silent = dialogue_of(goal, turns)
    assert DRIFTED not in faults(silent)  # nobody knows that Pellam is a town
    asked = {"departure": "ayle", "destination": "pellam", "day": "monday"}
    assert DRIFTED in faults(replace(silent, lookups=(LookUp("train", asked, 3),)))
    right = dialogue_of(
        goal, ["A train from Ayle to Morwick on Monday", "Shall it be Pellam?", "Pellam? No.", "Ok"]
    )
    assert DRIFTED not in faults(replace(right, lookups=(LookUp("train", asked, 3),)))


def test_what_is_in_a_name_is_no_wish() -> None:
    turns = [
        *GOOD[:4],
        "Is Sunday in the West its name? I take Sunday in the West for four, Friday, 19:30.",
        "Ok",
    ]
    named = good(*turns)
    assert DRIFTED in faults(named)
    offer = Offer("restaurant", {"name": "sunday in the west"}, 2)
    assert DRIFTED not in faults(replace(named, offers=(offer,)))
