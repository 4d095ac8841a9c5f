"""The booking office: references, refusals of what is booked out with what is free instead, taxis to order."""

import pytest

from interplay.benchmarks.task_dialogue.city import City
from interplay.benchmarks.task_dialogue.office import Booking, Office, Refusal
from tests.benchmarks.small_town import TOWN

TABLE = {"people": "4", "day": "saturday", "time": "19:00"}
STAY = {"people": "2", "day": "friday", "stay": "2"}


def office(city: City = TOWN, salt: str = "one") -> Office:
    return Office(city, salt)


def test_a_booking_has_a_reference_of_letters_and_digits() -> None:
    made = office().book("restaurant", "Nasturtium", TABLE)
    assert isinstance(made, Booking)
    assert made.title == "nasturtium"
    assert made.details == TABLE
    assert len(made.reference) == 8
    assert any(map(str.isalpha, made.reference))
    assert any(map(str.isdigit, made.reference))


def test_references_differ_from_booking_to_booking_and_are_the_same_in_a_replay() -> None:
    first, again, other = office(), office(), office(salt="two")
    codes = [one.book("restaurant", "nasturtium", TABLE).reference for one in (first, again, other)]  # type: ignore[union-attr]
    assert codes[0] == codes[1] != codes[2]
    assert first.book("restaurant", "nasturtium", TABLE).reference != codes[0]  # type: ignore[union-attr]


def test_a_booked_out_slot_is_refused_with_others() -> None:
    desk = office()
    refused = desk.book("restaurant", "the copper ladle", TABLE)
    assert isinstance(refused, Refusal)
    assert "fully booked" in refused.why
    assert refused.others == ("saturday at 18:45", "saturday at 19:15", "saturday at 18:30")
    assert desk.made == []
    assert desk.turned_down == [refused]
    assert isinstance(desk.book("restaurant", "the copper ladle", {**TABLE, "time": "19:15"}), Booking)


def test_a_stay_is_refused_for_one_full_night() -> None:
    refused = office().book("hotel", "wharf house", STAY)
    assert isinstance(refused, Refusal)
    assert refused.others[0] == "1 night from friday"
    assert isinstance(office().book("hotel", "wharf house", {**STAY, "stay": "1"}), Booking)
    assert isinstance(office().book("hotel", "wharf house", {**STAY, "day": "sunday", "stay": "6"}), Booking)
    assert isinstance(office().book("hotel", "wharf house", {**STAY, "day": "sunday", "stay": "7"}), Refusal)


def test_a_train_has_only_so_many_seats() -> None:
    assert isinstance(office().book("train", "TR1001", {"people": "3"}), Refusal)
    assert isinstance(office().book("train", "TR1001", {"people": "2"}), Booking)
    assert isinstance(office().book("train", "tr1002", {"people": "9"}), Booking)


def test_a_goal_may_say_what_is_refused_where_nothing_is_booked_out() -> None:
    desk = Office(City(TOWN.rows), "x", {"restaurant": {"time": "19:00"}})
    assert isinstance(desk.book("restaurant", "nasturtium", TABLE), Refusal)
    assert isinstance(desk.book("restaurant", "nasturtium", {**TABLE, "time": "20:00"}), Booking)


def test_a_taxi_is_made_to_order() -> None:
    made = office().book(
        "taxi", "", {"departure": "wharf house", "destination": "nasturtium", "leaveAt": "10:00"}
    )
    assert isinstance(made, Booking)
    assert made.details["car type"] in ("green volvo", "green skoda", "grey volvo", "grey skoda")
    assert made.details["phone"].startswith("016329609")


@pytest.mark.parametrize(
    ("domain", "title", "details", "why"),
    [
        ("restaurant", "nowhere", TABLE, "there is no restaurant called nowhere"),
        ("restaurant", "nasturtium", {"people": "4"}, "needs day, time"),
        ("restaurant", "nasturtium", {**TABLE, "people": "many"}, "people must be a number"),
        ("restaurant", "nasturtium", {**TABLE, "people": "0"}, "people must be a number"),
        ("restaurant", "nasturtium", {**TABLE, "day": "someday"}, "day must be one of"),
        ("restaurant", "nasturtium", {**TABLE, "time": "evening"}, "time must be as in 18:30"),
        ("attraction", "tollgate museum", {"people": "1"}, "nothing is booked in the domain attraction"),
        ("taxi", "", {"departure": "here"}, "a taxi needs destination and leaveAt or arriveBy"),
    ],
)
def test_what_cannot_be_booked_is_refused_and_says_why(
    domain: str, title: str, details: dict[str, str], why: str
) -> None:
    refused = office().book(domain, title, details)
    assert isinstance(refused, Refusal)
    assert why in refused.why


def test_a_look_up_is_noted() -> None:
    desk = office()
    assert len(desk.look_up("restaurant", {"food": "italian"})) == 2
    assert [(one.domain, one.wanted, one.found) for one in desk.looked_up] == [
        ("restaurant", {"food": "italian"}, 2)
    ]
