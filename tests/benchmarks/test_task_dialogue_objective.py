"""The objective scores: an offer that meets the goal, a booking as wanted with its reference told, values told."""

from dataclasses import replace

import pytest

from interplay.benchmarks.task_dialogue.dialogue import COMPLETED, Dialogue, Exchange, placeholders
from interplay.benchmarks.task_dialogue.goals import Goal
from interplay.benchmarks.task_dialogue.objective import Came, achieved, offers_in, succeeded
from interplay.benchmarks.task_dialogue.telling import is_told
from interplay.benchmarks.task_dialogue.office import Booking, Office
from tests.benchmarks.small_town import TOWN, wanting

TABLE = {"people": "2", "day": "friday", "time": "18:30"}
DINNER = wanting(
    restaurant={"info": {"food": "italian", "area": "centre"}, "book": TABLE, "reqt": ["phone", "postcode"]}
)


def dialogue(goal: Goal, *answers: str, office: Office | None = None, booked: bool = True) -> Dialogue:
    office = office or Office(TOWN, "salt")
    if booked and goal is DINNER and not office.made:
        office.book("restaurant", "the copper ladle", TABLE)
    exchanges = [
        Exchange(f"turn {number}", _with_reference(text, office)) for number, text in enumerate(answers, 1)
    ]
    offers = offers_in(TOWN, exchanges, office.made)
    return Dialogue(goal.content(), tuple(exchanges), COMPLETED, offers=offers, bookings=tuple(office.made))


def _with_reference(text: str, office: Office) -> str:
    return text.replace("REF", office.made[0].reference if office.made else "none")


def came(found: Dialogue) -> Came:
    (one,) = achieved(found) or ()
    return one


WHOLE = ("The Copper Ladle is what you want: 01632 960 001, TW1 1AA.", "Booked, the reference is REF.")


def test_a_dialogue_in_which_all_is_done_succeeds() -> None:
    found = dialogue(DINNER, *WHOLE)
    assert came(found) == Came("restaurant", inform=True, book=True, request=True)
    assert succeeded(found) is True


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (("We have nothing.", "REF"), Came("restaurant", inform=False, book=True, request=False)),
        (
            ("Nasturtium: 01632960002, tw11ab.", "REF"),
            Came("restaurant", inform=False, book=True, request=False),
        ),
        ((WHOLE[0], "It is booked."), Came("restaurant", inform=True, book=False, request=True)),
        (
            (WHOLE[0].replace("001", "002"), WHOLE[1]),
            Came("restaurant", inform=True, book=True, request=False),
        ),
        (
            (WHOLE[0].replace("1AA", "1AB"), WHOLE[1]),
            Came("restaurant", inform=True, book=True, request=False),
        ),
    ],
)
def test_what_is_missing_fails_in_its_own_part(answers: tuple[str, ...], expected: Came) -> None:
    found = dialogue(DINNER, *answers)
    assert came(found) == expected
    assert succeeded(found) is False


@pytest.mark.parametrize("change", [{"people": "3"}, {"day": "monday"}, {"time": "18:45"}])
def test_a_booking_must_be_the_one_that_was_wanted(change: dict[str, str]) -> None:
    office = Office(TOWN, "salt")
    office.book("restaurant", "the copper ladle", {**TABLE, **change})
    assert came(dialogue(DINNER, *WHOLE, office=office)).book is False


def test_a_booking_of_a_place_that_does_not_meet_the_goal_is_none() -> None:
    office = Office(TOWN, "salt")
    office.book("restaurant", "nasturtium", TABLE)
    found = came(dialogue(DINNER, *WHOLE, office=office))
    assert (found.inform, found.book) == (True, False)


def test_a_reference_that_somebody_made_up_is_none() -> None:
    assert came(dialogue(DINNER, WHOLE[0], "Your reference is A2B3C4D5.")).book is False


def test_a_system_that_books_elsewhere_is_not_held_to_the_office() -> None:
    found = replace(dialogue(DINNER, WHOLE[0], "Your reference is A2B3C4D5.", booked=False), has_office=False)
    assert came(found) == Came("restaurant", inform=True, book=None, request=True)
    assert succeeded(found) is None
    look = wanting(restaurant={"info": {"food": "italian", "area": "centre"}})
    assert succeeded(replace(dialogue(look, WHOLE[0]), has_office=False)) is True


def test_without_a_database_nobody_can_tell() -> None:
    found = replace(dialogue(DINNER, *WHOLE), has_rows=False)
    assert achieved(found) is None
    assert succeeded(found) is None


def test_a_taxi_goes_between_the_places_that_were_found() -> None:
    goal = wanting(
        attraction={"info": {"type": "museum"}},
        taxi={
            "info": {"departure": "@attraction", "destination": "wharf house", "leaveAt": "9:00"},
            "reqt": ["car type", "phone"],
        },
    )
    office = Office(TOWN, "salt")
    ride = {"departure": "Tollgate Museum", "destination": "the wharf house", "leaveAt": "09:00"}
    made = office.book("taxi", "", ride)
    assert isinstance(made, Booking)
    told = f"A {made.details['car type']}, call {made.details['phone']}."
    assert [
        one.success for one in achieved(dialogue(goal, "Tollgate museum.", told, office=office)) or ()
    ] == [True, True]
    assert [
        one.success for one in achieved(dialogue(goal, "Tollgate museum.", "Done.", office=office)) or ()
    ] == [True, False]
    assert [one.success for one in achieved(dialogue(goal, "Nothing.", told, office=office)) or ()] == [
        False,
        False,
    ]


def test_a_train_is_offered_by_its_number() -> None:
    line = {"departure": "tarnwick", "destination": "ferrow", "day": "monday", "leaveAt": "10:00"}
    goal = wanting(train={"info": line, "reqt": ["price", "arriveBy"]})
    assert came(dialogue(goal, "TR1002 arrives at 11:48 and costs £12.40.")).success
    assert not came(dialogue(goal, "TR1001 arrives at 9:48 and costs £12.40.")).success


@pytest.mark.parametrize(
    ("slot", "value", "text", "told"),
    [
        ("phone", "01632960001", "Call 01632-960-001.", True),
        ("phone", "01632960001", "Call 01632960002.", False),
        ("postcode", "tw11aa", "The postcode is TW1 1AA.", True),
        ("address", "main entrance, infirmary road", "It is at the main entrance.", True),
        ("address", "1 mill lane", "It is at 11 Mill Lane.", False),
        ("price", "12.40 pounds", "That is 12.4 pounds.", True),
        ("price", "12.40 pounds", "That is 24.80 pounds.", False),
        ("entrance fee", "free", "Admission is free.", True),
        ("entrance fee", "free", "There is no charge.", True),
        ("entrance fee", "4 pounds", "It is free.", False),
        ("duration", "108 minutes", "It takes 1 hour 48 minutes.", True),
        ("duration", "48 minutes", "It takes 48 min.", True),
        ("leaveAt", "13:05", "It leaves at 1:05 pm.", True),
        ("leaveAt", "00:10", "It leaves at 12:10 am.", True),
        ("leaveAt", "13:05", "It leaves at 1:05.", False),
        ("leaveAt", "09:00", "It leaves at 9 am.", True),
        ("leaveAt", "09:00", "There are 9 trains.", False),
        ("internet", "yes", "It has free wifi.", True),
        ("internet", "yes", "It has no wifi.", False),
        ("parking", "no", "There is no parking, sadly.", True),
        ("parking", "no", "It has wifi and parking.", False),
        ("stars", "4", "a four-star hotel", True),
        ("stars", "4", "It has 3 stars and 4 rooms.", False),
        ("area", "centre", "It is in the city center.", True),
        ("food", "indian", "They cook Indian dishes.", True),
        ("type", "guesthouse", "It is a guest house.", True),
        ("openhours", "daily, 10:00 to 17:00", "Open daily 10:00 to 17:00.", True),
        ("phone", "", "anything", False),
    ],
)
def test_values_are_heard_however_they_are_written(slot: str, value: str, text: str, told: bool) -> None:
    assert is_told(slot, value, text) is told


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[restaurant_name] is at [address].", ["[restaurant_name]", "[address]"]),
        ("Your reference is [value reference].", ["[value reference]"]),
        ("Call <phone_number> or {phone}.", ["<phone_number>", "{phone}"]),
        ("It is at 5 Mill Lane [open daily 9 to 5].", []),
        ("a <b>bold</b> claim, see [1]", []),
        ("The Copper Ladle, TW1 1AA.", []),
    ],
)
def test_raw_placeholders_are_found(text: str, found: list[str]) -> None:
    assert placeholders(text) == found
