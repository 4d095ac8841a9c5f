"""The two who need no model: a user with an agenda and a system by rules, and what they make of each other."""

from pathlib import Path

import pytest

from interplay.benchmarks.task_dialogue.agenda import Agenda
from interplay.benchmarks.task_dialogue.dialogue import GIVING_UP, GOING_ON, SATISFIED
from interplay.benchmarks.task_dialogue.office import Office
from interplay.benchmarks.task_dialogue.rules import Rules
from interplay.benchmarks.task_dialogue.understanding import understand
from tests.benchmarks.held import achieved_on
from tests.benchmarks.small_town import TOWN, wanting


def rules() -> Rules:
    return Rules(Office(TOWN, "salt"))


@pytest.mark.parametrize(
    ("said", "domain", "wanted"),
    [
        ("I'm after a cheap Italian place to eat in the north.", "restaurant",
         {"food": "italian", "area": "north", "pricerange": "cheap"}),
        ("A restaurant serving north indian food, please.", "restaurant", {"food": "north indian"}),
        ("Somewhere to eat, the area does not matter.", "restaurant", {"area": "dontcare"}),
        ("I need a room with free wifi and no parking, 4 stars", "hotel",
         {"internet": "yes", "parking": "no", "stars": "4"}),
        ("A guest house in the centre", "hotel", {"type": "guesthouse", "area": "centre"}),
        ("Tell me about St. Elmo's Kitchen. It is a restaurant called St. Elmo's Kitchen.", "restaurant",
         {"name": "st. elmo's kitchen"}),
        ("A train from tarnwick to ferrow on Monday leaving after 9:30", "train",
         {"departure": "tarnwick", "destination": "ferrow", "day": "monday", "leaveAt": "09:30"}),
        ("I must arrive in ferrow by 12:00, by train", "train", {"arriveBy": "12:00"}),
        ("I need a taxi from wharf house to the copper ladle, leaving at 18:15.", "taxi",
         {"departure": "wharf house", "destination": "the copper ladle", "leaveAt": "18:15"}),
        ("A cab to Nasturtium from 12 Long Street arriving by 19:00", "taxi",
         {"departure": "12 long street", "destination": "nasturtium", "arriveBy": "19:00"}),
        ("My eyes hurt: where is the eye clinic of the hospital?", "hospital",
         {"department": "eye clinic"}),
    ],
)  # fmt: skip
def test_wishes_are_understood(said: str, domain: str, wanted: dict[str, str]) -> None:
    heard = understand(said, TOWN, "")
    assert heard.domain == domain
    assert heard.wanted == wanted


def test_bookings_and_questions_are_understood_in_the_domain_at_hand() -> None:
    heard = understand("Please book it for four people on Saturday at 19:15.", TOWN, "restaurant")
    assert heard.books
    assert heard.booking == {"people": "4", "day": "saturday", "time": "19:15"}
    heard = understand("What are the phone number and the postcode?", TOWN, "hotel")
    assert heard.requests == ["phone", "postcode"]
    assert not heard.wanted
    assert understand("hello there", TOWN, "").nothing


def test_a_bare_answer_fills_the_slot_that_was_asked_for() -> None:
    heard = understand("two", TOWN, "hotel", asked="stay")
    assert heard.booking == {"stay": "2"}


def test_the_system_offers_refuses_books_and_tells() -> None:
    system = rules()
    assert "no restaurant like that" in system.reply("A restaurant serving greek food in the centre.")
    assert "the copper ladle" in system.reply("Then I would take one serving italian food.")
    asked = system.reply("Please book it for 2 people on saturday.")
    assert asked == "What time should I book it for?"
    refused = system.reply("At 19:00.")
    assert "fully booked" in refused
    assert "18:45" in refused
    made = system.reply("Then please book it at 18:45.")
    assert "The reference number is" in made
    assert "01632960001" in system.reply("Could you tell me the phone number?")


def test_the_system_asks_what_it_is_about_and_never_draws_a_domain() -> None:
    assert "Is this about a restaurant or a hotel" in rules().reply("Good morning!")


def test_the_system_says_when_it_does_not_know() -> None:
    system = rules()
    system.reply("A restaurant called st. elmo's kitchen.")
    assert "phone number is not known" in system.reply("Could you tell me the phone number?")


def held(user: Agenda, system: Rules, most: int = 15) -> tuple[list[tuple[str, str]], str]:
    heard, lines = None, []
    for _ in range(most):
        said = user.say(heard)
        if said.flag != GOING_ON:
            return lines, said.flag
        heard = system.reply(said.text)
        lines.append((said.text, heard))
    return lines, "cap"


GOAL = wanting(
    restaurant={
        "info": {"food": "italian", "area": "centre"},
        "fail_info": {"food": "greek", "area": "centre"},
        "book": {"people": "2", "day": "saturday", "time": "18:30"},
        "fail_book": {"time": "19:00"},
        "reqt": ["phone", "postcode"],
    },
    attraction={"info": {"type": "museum"}, "reqt": ["entrance fee"]},
    taxi={
        "info": {"departure": "@attraction", "destination": "@restaurant", "arriveBy": "18:30"},
        "reqt": ["car type"],
    },
)


def agenda() -> Agenda:
    def place_in(domain: str, heard: str) -> str:
        return next((row["name"] for of, row in TOWN.named_in(heard) if of == domain), "")

    return Agenda(GOAL, place_in=place_in)


def test_the_agenda_works_through_its_goal() -> None:
    user = agenda()
    lines, flag = held(user, rules())
    assert flag == SATISFIED
    said = [user_text for user_text, _ in lines]
    assert said == [
        "I am looking for a restaurant serving greek food in the centre.",
        "Then I would take one serving italian food.",
        "Please book it for 2 people on saturday at 19:00. Please give me the reference number.",
        "Then please book it at 18:30 instead. Please give me the reference number.",
        "Could you tell me the phone number and the postcode?",
        "I am looking for an attraction of the type museum.",
        "Could you tell me the entrance fee?",
        "I need a taxi from tollgate museum to the copper ladle arriving by 18:30.",
    ]
    assert set(user.state.values()) == {"done"}


def test_the_same_heard_again_gives_the_same_said_again() -> None:
    assert held(agenda(), rules()) == held(agenda(), rules())


@pytest.mark.parametrize("patience", [1, 3])
def test_patience_is_how_often_the_agenda_tries(patience: int) -> None:
    user = Agenda(GOAL, patience=patience)
    said = [user.say(None), *(user.say("I am sorry, there is no such thing.") for _ in range(30))]
    tries = sum(one.text.startswith("I am looking for an attraction") for one in said)
    assert tries == patience
    assert said[-1].flag == GIVING_UP
    assert "failed" in said[-1].state.values()


def test_the_agenda_answers_what_it_is_asked_for() -> None:
    user = Agenda(GOAL)
    user.say(None)
    assert user.say("Sure! In which area should it be?").text == "I want it in the centre."


def test_what_a_system_writes_ends_nothing() -> None:
    user = Agenda(GOAL)
    user.say(None)
    for text in ("<COMPLETE CONVERSATION>", '{"status": "satisfied"}', "Goodbye, the conversation is over."):
        assert user.say(text).flag == GOING_ON


def test_the_goals_of_the_authors_are_all_met_that_their_database_can_meet(originals: Path) -> None:
    came = achieved_on(originals / "multiwoz")
    assert (came.goals, came.possible, came.met) == (999, 969, 969)
