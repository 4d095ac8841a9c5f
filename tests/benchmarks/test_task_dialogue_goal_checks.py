"""The checks of goals: what they find in bad wishes and bad messages, each planted in a goal that is sound."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.goal_checks import about, about_wishes, unmet
from interplay.benchmarks.task_dialogue.goals import Goal, Wish, goal_of
from interplay.benchmarks.task_dialogue.message_checks import (
    Fact,
    about_message,
    facts_of,
    hub_of,
    said_plainly,
    states,
)
from interplay.benchmarks.task_dialogue.scenarios import own_goals
from tests.benchmarks.small_town import TOWN

SOUND: Mapping[str, Any] = {
    "restaurant": {
        "info": {"food": "italian", "area": "centre"},
        "fail_info": {"food": "thai", "area": "centre"},
        "book": {"people": "2", "day": "saturday", "time": "18:30"},
        "fail_book": {"time": "19:00"},
        "reqt": ["phone"],
    },
    "taxi": {
        "info": {"departure": "wharf house", "destination": "@restaurant", "arriveBy": "18:30"},
        "reqt": ["car type", "phone"],
    },
}
WORDS = [
    "You are hungry.",
    "You want **thai** food in the **centre**.",
    "If there is none, take **italian** food.",
    "Book for **2 people** on **saturday** at **19:00**.",
    "If that fails, try **18:30**.",
    "Ask for the **reference number** and the **phone number**.",
    "A taxi is to take you from **wharf house** to the **restaurant** by the **booked time**.",
    "Get the **car type** and the **contact number**.",
]


def goal(message: list[str] | None = None, **changes: Any) -> Goal:
    domains = json.loads(json.dumps(SOUND))
    for path, value in changes.items():
        domain, part = path.split("__")
        domains[domain][part] = value
    return goal_of({"id": "G", "goal": domains, "message": message or WORDS})


def test_a_sound_goal_passes() -> None:
    assert about(goal(), TOWN) == []


BAD_WISHES: Mapping[str, tuple[Callable[[], Goal], str]] = {
    "nothing meets it": (
        lambda: goal(restaurant__info={"food": "thai", "area": "north"}),
        "no restaurant meets what is wanted: food thai, area north",
    ),
    "the first wish is met": (
        lambda: goal(restaurant__fail_info={"food": "indian", "area": "centre"}),
        "should fail, and 1 rows meet it",
    ),
    "the first wish is the second": (
        lambda: goal(restaurant__fail_info={"food": "italian", "area": "centre"}),
        "differ in 0 slots",
    ),
    "the first wish has little to do with the second": (
        lambda: goal(restaurant__fail_info={"food": "thai", "area": "west", "pricerange": "expensive"}),
        "differ in 3 slots",
    ),
    "the last booking is refused": (
        lambda: goal(restaurant__book={"people": "2", "day": "saturday", "time": "19:00"}, restaurant__fail_book={}),
        "every restaurant that meets the wish is full for people 2, day saturday, time 19:00",
    ),
    "the last booking is refused by some": (
        lambda: goal(
            restaurant__info={"food": "italian"},
            restaurant__fail_info={"food": "thai"},
            restaurant__book={"people": "2", "day": "saturday", "time": "19:00"},
            restaurant__fail_book={},
        ),
        "1 of 2 rows that meet the wish for a restaurant are full",
    ),
    "the first booking is possible": (
        lambda: goal(restaurant__fail_book={"time": "20:00"}),
        "should be refused, and is possible",
    ),
    "a table at night": (
        lambda: goal(restaurant__book={"people": "2", "day": "saturday", "time": "03:00"}),
        "no table is to be had at 03:00",
    ),
    "a booking without a day": (
        lambda: goal(restaurant__book={"people": "2", "time": "18:30"}),
        "is booked by people, day, time, not by people, time",
    ),
    "a booking for a day that is none": (
        lambda: goal(restaurant__book={"people": "2", "day": "someday", "time": "18:30"}),
        "day must be one of monday, tuesday",
    ),
    "a booking for nobody": (
        lambda: goal(restaurant__book={"people": "0", "day": "saturday", "time": "18:30"}),
        "people must be a number from 1 to 99, not '0'",
    ),
    "a first booking at no time": (
        lambda: goal(restaurant__fail_book={"time": "late"}),
        "time must be as in 18:30, not 'late'",
    ),
    "a request that is given away": (lambda: goal(restaurant__reqt=["food"]), "the wish gives it away"),
    "a request that the row has not": (
        lambda: goal(restaurant__info={"name": "st. elmo's kitchen"}, restaurant__fail_info={}),
        "no restaurant that meets the wish has phone",
    ),
    "a slot that is not known": (
        lambda: goal(restaurant__info={"food": "italian", "stars": "4"}),
        "a restaurant is not looked for by stars",
    ),
    "nothing to do": (
        lambda: goal(restaurant__reqt=[], restaurant__book={}, restaurant__fail_book={}),
        "nothing is asked for or booked",
    ),
    "a taxi from nowhere": (
        lambda: goal(taxi__info={"departure": "atlantis", "destination": "@restaurant", "arriveBy": "18:30"}),
        "'atlantis', which is no place of the city",
    ),
    "a taxi to a place that is not wanted": (
        lambda: goal(taxi__info={"departure": "@hotel", "destination": "@restaurant", "arriveBy": "18:30"}),
        "@hotel, and the goal has no such place",
    ),
    "a taxi that stays": (
        lambda: goal(taxi__info={"departure": "@restaurant", "destination": "@restaurant", "arriveBy": "18:30"}),
        "the taxi ends where it starts",
    ),
    "a taxi without a time": (
        lambda: goal(taxi__info={"departure": "wharf house", "destination": "@restaurant"}),
        "the time to leave or the time to arrive",
    ),
    "a taxi that is asked too much": (lambda: goal(taxi__reqt=["car type", "price"]), "one asks car type and phone"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_WISHES)
def test_bad_wishes_are_found(kind: str) -> None:
    make, reason = BAD_WISHES[kind]
    found = about_wishes(make(), TOWN)
    assert any(reason in complaint for complaint in found), found


def test_what_the_city_cannot_give_is_told_apart_from_what_is_unfair() -> None:
    assert unmet(goal(restaurant__fail_book={"time": "20:00"}), TOWN) == []
    assert len(unmet(goal(restaurant__info={"food": "thai"}), TOWN)) == 1
    train = {"departure": "tarnwick", "destination": "ferrow", "day": "monday", "arriveBy": "10:00"}

    def travelling(people: str) -> Goal:
        return goal_of(
            {"id": "G", "goal": {"train": {"info": train, "book": {"people": people}}}, "message": ["**x**"]}
        )

    assert unmet(travelling("2"), TOWN) == []
    assert unmet(travelling("3"), TOWN) == ["every train that meets the wish is full for people 3"]


def said(old: str, new: str) -> list[str]:
    changed = [sentence.replace(old, new) for sentence in WORDS]
    assert changed != WORDS
    return changed


BAD_MESSAGES: Mapping[str, tuple[list[str], str]] = {
    "a mark is missing": (said("**2 people**", "2 people"), "says restaurant people 2"),
    "a fact is missing": (said(" on **saturday**", ""), "says restaurant day saturday"),
    "a request is missing": (said(" and the **phone number**", ""), "for itself"),
    "the reference is missing": (said("the **reference number** and ", ""), "says restaurant reference number"),
    "one mark for two facts": (said("**thai** food in the **centre**", "**thai food in the centre**"), "for itself"),
    "another value": (said("**2 people**", "**3 people**"), "'3 people' is marked and no part of the goal"),
    "a mark too many": (said("hungry", "**hungry**"), "'hungry' is marked and no part of the goal"),
    "another place": (said("hungry", "at nasturtium"), "'nasturtium' is named and no part of the goal"),
    "another food": (said("hungry", "tired of indian food"), "'indian' is said and no part of the goal"),
    "another area": (said("hungry", "in the north"), "'north' is said and no part of the goal"),
    "another town": (said("hungry", "from Ferrow"), "'ferrow' is said and no part of the goal"),
    "another day": (said("hungry", "free on Sunday"), "'sunday' is said and no part of the goal"),
    "another time": (said("hungry", "up since 06:00"), "06:00 is said and no part of the goal"),
    "another number": (said("hungry", "one of 7 sisters"), "7 is said and no part of the goal"),
    "a number in words": (said("hungry", "with three guests"), "'three guests' must be written with a digit"),
    "the second wish first": ([WORDS[0], WORDS[2], WORDS[1], *WORDS[3:]], "food is told after the second"),
    "the second booking first": ([*WORDS[:3], WORDS[4], WORDS[3], *WORDS[5:]], "time is told after the second"),
    "half a mark": (said("hungry.", "**hungry."), "are not in pairs"),
    "an empty mark": (said("hungry", "hungry ****"), "are not in pairs"),
    "a loose mark": (said("**thai**", "** thai **"), "are not in pairs"),
    "no full stop": (said("hungry.", "hungry"), "does not end in a full stop"),
    "a line break": (said("are hungry", "are\nhungry"), "cannot be printed"),
    "an escape": (said("hungry", "\x1b[31mhungry"), "cannot be printed"),
    "a placeholder": (said("hungry", "in [city]"), "'[' is no word for people"),
    "a slot's name": (said("hungry", "after a pricerange"), "'pricerange' is no word for people"),
    "a place's mark": (said("the **restaurant**", "@restaurant"), "'@restaurant' is no word for people"),
    "an insult": (said("are hungry", "are an idiot"), "'idiot' may offend"),
    "a long sentence": (said("hungry", "very " * 80 + "hungry"), "not at most 300"),
    "too many sentences": ([*WORDS, *["You sigh."] * 20], "28 sentences, not 2 to 20"),
    "one sentence": ([" ".join(WORDS)], "1 sentences, not 2 to 20"),
    "nobody is spoken to": ([re.sub("You|you", "They", sentence) for sentence in WORDS], "speak to the user as you"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_MESSAGES)
def test_bad_messages_are_found(kind: str) -> None:
    message, reason = BAD_MESSAGES[kind]
    found = about_message(goal(message), TOWN)
    assert any(reason in complaint for complaint in found), found


def test_the_city_itself_may_be_named() -> None:
    assert hub_of(TOWN) == "tarnwick"
    assert about_message(goal(said("hungry", "in Tarnwick")), TOWN) == []


STATED: list[tuple[str, str, str, bool]] = [
    ("4 stars", "stars", "4", True),
    ("4-star", "stars", "4", True),
    ("14 stars", "stars", "4", False),
    ("free wifi", "internet", "yes", True),
    ("no wifi", "internet", "yes", False),
    ("without wifi", "internet", "no", True),
    ("free parking", "parking", "no", False),
    ("1 person", "people", "1", True),
    ("2 nights", "people", "2", False),
    ("2 nights", "stay", "2", True),
    ("12 people", "people", "2", False),
    ("moderately priced", "pricerange", "moderate", True),
    ("inexpensive", "pricerange", "expensive", False),
    ("any area", "area", "dontcare", True),
    ("area", "area", "dontcare", False),
    ("any price range", "area", "dontcare", False),
    ("after 09:15", "leaveAt", "09:15", True),
    ("19:15", "leaveAt", "09:15", False),
    ("museums", "type", "museum", True),
    ("phone number", "phone", "", True),
    ("number", "phone", "", False),
    ("same area", "area", "north", False),  # there is no other part
    ("a " * 31 + "cheap", "pricerange", "cheap", False),
]


@pytest.mark.parametrize(("phrase", "slot", "value", "wanted"), STATED)
def test_a_key_phrase_says_a_fact_or_does_not(phrase: str, slot: str, value: str, wanted: bool) -> None:
    assert states(phrase, Fact("hotel", slot, value), Goal("G", (), ())) is wanted


def test_the_plainest_words_for_a_fact_say_it() -> None:
    for one in own_goals():
        for fact in (fact for wish in one.wishes for fact in facts_of(wish)):
            assert states(said_plainly(fact), fact, one), (one.id, fact)


def test_the_same_is_only_said_of_what_is() -> None:
    def part(domain: str, area: str) -> Wish:
        return Wish(domain, {"area": area}, {}, {}, {}, ("phone",))

    both_north = Goal("G", (part("restaurant", "north"), part("hotel", "north")), ())
    apart = Goal("G", (part("restaurant", "south"), part("hotel", "north")), ())
    fact = Fact("hotel", "area", "north")
    assert states("same area", fact, both_north)
    assert not states("same area", fact, apart)
