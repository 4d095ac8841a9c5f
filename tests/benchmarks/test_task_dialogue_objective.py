"""The objective scores: an offer that meets the goal, a booking as wanted with its reference told, values told."""

from dataclasses import replace

import pytest

from interplay.benchmarks.task_dialogue.city import City
from interplay.benchmarks.task_dialogue.dialogue import COMPLETED, Dialogue, Exchange, placeholders
from interplay.benchmarks.task_dialogue.goals import Goal
from interplay.benchmarks.task_dialogue.objective import Came, achieved, offers_in, succeeded
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


LOOK = wanting(hotel={"info": {"area": "north"}, "reqt": ["parking"]})  # wharf house, which has none


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (("Wharf House it is.", "There is no parking."), True),
        (("Wharf House is in the north. The Regent Arms has no parking.",), False),
        (("The Regent Arms has parking. Wharf House is in the north. It has no parking.",), True),
        (("1. **Wharf House**\n- area: north\n- parking: no\n2. **The Regent Arms**\n- parking: yes",), True),
        (("1. **Wharf House**\n- area: north\n2. **The Regent Arms**\n- parking: no",), False),
        (("There is Wharf House. There is the Regent Arms. Both have no parking.",), True),
        (("Wharf House.", "Nasturtium serves Italian. The hotel has no parking."), True),
        (("Wharf House's rooms are fine. The Regent Arms' are too. It has no parking.",), False),
        (("Would you like parking? Wharf House is in the north.",), False),
    ],
)
def test_a_value_that_is_told_of_another_place_is_not_told(answers: tuple[str, ...], told: bool) -> None:
    assert came(dialogue(LOOK, *answers)).request is told


CALLED = wanting(restaurant={"info": {"name": "nasturtium"}})


@pytest.mark.parametrize(
    ("answer", "offered"),
    [
        ("Nasturtium's phone number is 01632 960002.", True),
        ("NASTURTIUM’S tables are free.", True),
        ("There are no Greek restaurants, but Nasturtium is Italian.", True),
        ("There is no Greek place. How about Nasturtium?", True),
        ("I am sorry, there is no restaurant like that (name nasturtium, area south).", False),
        ("I couldn't find Nasturtium.", False),
        ("Nasturtiums are flowers.", False),
    ],
)
def test_a_name_is_an_offer_unless_there_is_said_to_be_no_such_place(answer: str, offered: bool) -> None:
    assert came(dialogue(CALLED, answer)).inform is offered


def test_a_hospital_is_offered_by_its_own_name_where_no_department_is_wanted() -> None:
    whole = wanting(hospital={"info": {}, "reqt": ["name"]})
    assert came(dialogue(whole, "Go to the Infirmary.")).success
    assert not came(dialogue(whole, "Go to the hospital.")).success
    eyes = wanting(hospital={"info": {"department": "eye clinic"}, "reqt": ["phone"]})
    assert not came(dialogue(eyes, "That is the Infirmary, phone 01632960006.")).inform
    assert came(dialogue(eyes, "The Eye Clinic of the Infirmary, phone 01632960006.")).success


def test_a_train_that_arrives_at_48_has_not_told_that_it_takes_48_minutes() -> None:
    line = {"departure": "tarnwick", "destination": "ferrow", "day": "monday", "leaveAt": "10:00"}
    goal = wanting(train={"info": line, "reqt": ["arriveBy", "duration"]})
    assert not came(dialogue(goal, "TR1002 leaves at 11:00 and arrives at 11:48.")).request
    assert came(dialogue(goal, "TR1002 arrives at 11.48am; it takes 48 mins.")).request
    assert not came(dialogue(goal, "TR1002 is good. TR1003 arrives at 11:48 and takes 48 minutes.")).request


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


def test_who_recites_everything_offers_nothing() -> None:
    words = ("pan", "pot", "jug", "urn", "can", "vat", "tub", "cup", "mug")
    many = City({"restaurant": tuple({"name": f"the copper {word}"} for word in words)})
    names = [row["name"] for row in many.rows["restaurant"]]
    assert offers_in(many, [Exchange("Anything?", ", ".join(names))], ()) == ()
    assert len(offers_in(many, [Exchange("Anything?", ", ".join(names[:8]))], ())) == 8
