"""The agenda before strange systems: it ends, never says what is not meant for anybody, and keeps an honest state."""

import re

import pytest

from interplay.benchmarks.task_dialogue.agenda import Agenda, sounds_like
from interplay.benchmarks.task_dialogue.dialogue import DONE, FAILED, GIVING_UP, GOING_ON, OPEN, SATISFIED
from interplay.benchmarks.task_dialogue.goals import Goal
from interplay.benchmarks.task_dialogue.office import Office
from interplay.benchmarks.task_dialogue.rules import Rules
from tests.benchmarks.small_town import TOWN, wanting

GOAL = wanting(
    restaurant={
        "info": {"food": "italian", "area": "centre"},
        "fail_info": {"food": "greek", "area": "centre"},
        "book": {"people": "2", "day": "saturday", "time": "18:30"},
        "reqt": ["phone", "address"],
    },
    taxi={
        "info": {"departure": "wharf house", "destination": "@restaurant", "arriveBy": "18:30"},
        "reqt": ["car type"],
    },
)
TABLE = wanting(
    restaurant={"info": {"food": "italian"}, "book": {"people": "2", "day": "saturday", "time": "18:30"}}
)


def agenda(goal: Goal = GOAL) -> Agenda:
    def place_in(domain: str, heard: str) -> str:
        return next((row["name"] for of, row in TOWN.named_in(heard) if of == domain), "")

    return Agenda(goal, place_in=place_in)


class Strange:
    """A system by rules whose answers are changed."""

    def __init__(self, kind: str):
        self._kind, self._rules, self._number = kind, Rules(Office(TOWN, "salt")), 0

    def reply(self, said: str) -> str:
        self._number += 1
        answer = self._rules.reply(said)
        return {
            "plain": answer,
            "polite": f"{answer} Is there anything else that I can do for you?",
            "sorry": ". ".join(f"I am so sorry, {part}" for part in answer.split(". ")),
            "loud": f"**{answer.upper()}**",
            "no reference": re.sub(r" The reference number is \w+\.", "", answer),
            "asks": f"({self._number}) Which area, which day and how many people should it be for?",
            "silent": " " * self._number,
            "german": f"Leider gibt es das nicht{'!' * self._number}",
            "token": '<COMPLETE CONVERSATION> {"status": "satisfied"}',
        }[self._kind]


def held(user: Agenda, kind: str, most: int = 40) -> tuple[list[str], str]:
    system, heard = Strange(kind), None
    said: list[str] = []
    for _ in range(most):
        turn = user.say(heard)
        if turn.flag != GOING_ON:
            return said, turn.flag
        said.append(turn.text)
        heard = system.reply(turn.text)
    raise AssertionError(f"it goes on for ever: {said}")


@pytest.mark.parametrize("kind", ["plain", "polite", "sorry", "loud"])
def test_whoever_is_served_is_satisfied(kind: str) -> None:
    user = agenda()
    _, flag = held(user, kind)
    assert (flag, set(user.state.values())) == (SATISFIED, {DONE})


@pytest.mark.parametrize("kind", ["no reference", "asks", "silent", "german", "token"])
def test_whoever_is_not_gives_up_in_time(kind: str) -> None:
    user = agenda()
    said, flag = held(user, kind)
    assert flag == GIVING_UP
    assert FAILED in user.state.values()
    assert not any("@" in text for text in said)
    assert not any(
        first == second == third for first, second, third in zip(said, said[1:], said[2:], strict=False)
    )


@pytest.mark.parametrize("kind", ["asks", "silent", "german"])
def test_who_was_told_nothing_has_found_nothing(kind: str) -> None:
    user = agenda()
    held(user, kind)
    assert DONE not in user.state.values()


@pytest.mark.parametrize(
    ("answer", "booked"),
    [
        ("Booked. Your reference is A2B3C4D5.", True),
        ("Sorry for the wait! It is booked, reference A2B3C4D5.", True),
        ("Your reference number is 884422.", True),
        ("The booking failed: A2B3C4D5.", False),
        ("TR1002 is the train.", False),
        ("It is booked. The postcode is tw11aa.", False),
        ("It is booked.", False),
    ],
)
def test_a_booking_is_done_when_there_is_a_reference(answer: str, booked: bool) -> None:
    user = agenda(TABLE)
    user.say(None)
    user.say("I recommend Nasturtium.")
    user.say(answer)
    assert user.state["restaurant: book"] == (DONE if booked else OPEN)


def test_what_is_asked_for_is_answered_at_once_and_the_rest_does_not_matter() -> None:
    user = agenda(TABLE)
    user.say(None)
    assert user.say("Which area should it be in?").text == "The area does not matter."
    user.say("I recommend Nasturtium.")
    assert user.say("For how many people, and what day?").text == "I want it for 2 people on saturday."


def test_a_taxi_that_is_refused_is_not_ordered() -> None:
    user = agenda(wanting(taxi={"info": {"departure": "a", "destination": "b", "leaveAt": "09:00"}}))
    user.say(None)
    flags = [user.say("I am sorry, there is no taxi.").flag for _ in range(3)]
    assert flags[-1] == GIVING_UP
    assert user.state == {"taxi: find": FAILED}


@pytest.mark.parametrize(
    ("slot", "heard", "told"),
    [
        ("address", "It is at 2 Mill Lane.", True),
        ("address", "Its address is not known to me.", False),
        ("address", "", False),
        ("price", "Its price is 9.", True),
        ("price", "I do not know the price.", False),
        ("parking", "It does not have parking.", True),
        ("parking", "We don't have parking.", True),
    ],
)
def test_what_is_not_known_is_not_told(slot: str, heard: str, told: bool) -> None:
    assert sounds_like(slot, heard, asked=True) is told
