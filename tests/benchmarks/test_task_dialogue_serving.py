"""What the pipeline does about a turn: states merge, times filter, nothing is booked twice."""

import pytest

from interplay.benchmarks.task_dialogue.city import City
from interplay.benchmarks.task_dialogue.office import Office
from tests.benchmarks.small_town import TOWN
from tests.benchmarks.system_stage import TABLE, facts, held, office, served, turn

# Searching


async def test_a_state_merges_over_turns_and_a_change_of_mind_replaces_it() -> None:
    desk, at = await served(
        turn("search", food="italian"),
        turn("search", area="north"),
        turn("search", food="indian", area="centre"),
    )
    assert [asked.wanted for asked in at.looked_up] == [
        {"food": "italian"},
        {"food": "italian", "area": "north"},
        {"food": "indian", "area": "centre"},
    ]
    assert [row["name"] for row in facts(desk)["rows"]] == ["st. elmo's kitchen"]


async def test_a_search_that_fails_says_what_would_be_found() -> None:
    desk, at = await served(turn("search", food="indian", area="north"))
    told = facts(desk)
    assert (told["rows_found"], told["rows"]) == (0, [])
    assert told["would_be_found_with"] == {"food": ["italian"], "area": ["centre"]}
    assert "Nothing meets what the user wants" in desk.heard("system reply")[0]
    assert [asked.found for asked in at.looked_up] == [0]


@pytest.mark.parametrize("words", ["dontcare", "doesn't matter", "any price range is fine", "I don't mind"])
async def test_what_does_not_matter_is_not_matched_literally(words: str) -> None:
    desk, at = await served(
        turn("search", food="italian", pricerange="expensive"), turn("search", pricerange=words)
    )
    assert [asked.found for asked in at.looked_up] == [0, 2]
    assert at.looked_up[1].wanted == {"food": "italian", "pricerange": "dontcare"}
    assert facts(desk)["rows_found"] == 2


@pytest.mark.parametrize(
    ("slots", "trains"),
    [
        ({}, ["TR1001", "TR1002", "TR1003"]),
        ({"leaveAt": "10:30"}, ["TR1002", "TR1003"]),
        ({"leaveAt": "one pm"}, ["TR1003"]),
        ({"arriveBy": "quarter to twelve"}, ["TR1001"]),
        ({"arriveBy": "noon"}, ["TR1002", "TR1001"]),
        ({"leaveAt": "09:30", "arriveBy": "12:00"}, ["TR1002"]),
        ({"leaveAt": "20:00"}, []),
    ],
)
async def test_times_filter_trains(slots: dict[str, str], trains: list[str]) -> None:
    line = {"departure": "tarnwik", "destination": "Ferrow", "day": "Mon"}
    desk, _ = await served(turn("search", **line, **slots), domain="train")
    assert [row["trainID"] for row in facts(desk)["rows"]] == trains


async def test_a_time_that_is_none_filters_nothing_and_is_asked_about() -> None:
    desk, at = await served(turn("search", departure="tarnwick", leaveAt="at teatime"), domain="train")
    assert at.looked_up[0].wanted == {"departure": "tarnwick"}
    assert facts(desk)["not_understood"] == ["leaveAt"]
    assert "was not understood" in desk.heard("system reply")[0]


async def test_at_most_five_rows_are_shown_each_cut_to_size() -> None:
    rows = tuple(
        {"name": f"place {number}", "food": "thai", "introduction": "x" * 999} for number in range(40)
    )
    desk, _ = await served(turn("search", food="thai"), at=Office(City({"restaurant": rows}), "salt"))
    told = facts(desk)
    assert (told["rows_found"], len(told["rows"])) == (40, 5)
    assert len(told["rows"][0]["introduction"]) == 200


async def test_of_a_name_and_a_wish_that_it_does_not_meet_the_newer_holds() -> None:
    _, at = await served(
        turn("search", area="north", food="italian"),
        turn("request", name="st elmos kitchen"),  # neither in the north nor italian
        turn("search", name="st elmos kitchen", pricerange="cheap"),
    )
    assert [asked.wanted for asked in at.looked_up] == [
        {"area": "north", "food": "italian"},
        {"name": "st. elmo's kitchen"},
        {"pricerange": "cheap"},
    ]


async def test_a_name_that_nothing_has_is_given_up_for_another_wish() -> None:
    _, at = await served(
        turn("search", name="the white whale"),
        turn("search", name="the white whale", area="north"),
        turn("search", name="the black swan"),
    )
    assert [asked.wanted for asked in at.looked_up] == [
        {"name": "the white whale"},
        {"area": "north"},
        {"area": "north", "name": "the black swan"},
    ]


@pytest.mark.parametrize(
    ("said", "booked"),
    [
        ("the first one", ["nasturtium"]),
        ("second", ["the copper ladle"]),
        ("the last one", ["the copper ladle"]),
        ("that one", ["nasturtium"]),
        ("", ["nasturtium"]),
        ("the third one", []),
        ("the cheaper one", []),  # nobody can say which: nothing is booked
    ],
)
async def test_one_of_those_that_were_offered_is_pointed_at(said: str, booked: list[str]) -> None:
    _, _, at = await held(
        ["italian food", "book that"],
        ["restaurant"] * 2,
        [turn("search", food="italian"), turn("book", name=said, **TABLE)],
        ["Nasturtium or the copper ladle?", "Well."],
    )
    assert [made.title for made in at.made] == booked


async def test_a_ride_back_has_a_time_of_its_own() -> None:
    there = {"departure": "wharf house", "destination": "nasturtium"}
    back = {"departure": "nasturtium", "destination": "wharf house"}
    desk, at = await served(
        turn("book", leaveAt="18:00"),
        turn("book", **there),
        turn("book", **back),
        turn("book", leaveAt="22:00"),
        domain="taxi",
    )
    assert facts(desk, 2)["missing_for_the_booking"] == ["leaveAt or arriveBy"]
    assert [(made.details["departure"], made.details["leaveAt"]) for made in at.made] == [
        ("wharf house", "18:00"),
        ("nasturtium", "22:00"),
    ]


async def test_what_is_asked_about_stands_first() -> None:
    _, desk, _ = await held(
        ["italian food", "what is the phone number?"],
        ["restaurant"] * 2,
        [turn("search", food="italian"), turn("request")],
        ["How about nasturtium?", "It is 01632960002."],
    )
    assert [row["name"] for row in facts(desk)["rows"]] == ["nasturtium", "the copper ladle"]


async def test_police_and_hospital_have_rows_without_a_booking() -> None:
    desk, _ = await served(turn("request"), domain="police")
    assert facts(desk)["rows"][0]["phone"] == "01632960007"
    desk, at = await served(turn("book", department="eye clnic"), domain="hospital")
    assert facts(desk)["rows"][0]["phone"] == "01632960006"
    assert at.made == at.turned_down == []
    assert "Nothing is booked in this domain. Say so" in desk.heard("system reply")[0]


# Booking


async def test_missing_details_are_asked_for_and_then_it_is_booked_once() -> None:
    desk, at = await served(
        turn("book", name="nasturtium", people="four"),
        turn("book", day="fri", time="half past seven"),
        turn("none"),
        turn(
            "book", name="nasturtium", people="4", day="friday", time="19:30"
        ),  # a thank-you taken for a wish
    )
    assert facts(desk, 0)["missing_for_the_booking"] == ["day", "time"]
    (made,) = at.made
    assert (made.title, made.details) == ("nasturtium", {"people": "4", "day": "friday", "time": "19:30"})
    assert facts(desk, 1)["booked"]["reference"] == made.reference
    assert "was made just now" in desk.heard("system reply")[1]
    assert "booked" not in facts(desk, 2)
    assert facts(desk, 3)["already_booked_before"] is True
    assert facts(desk, 3)["booked"]["reference"] == made.reference
    assert "Do not say that it was booked anew" in desk.heard("system reply")[3]
    assert at.turned_down == []


async def test_a_full_place_is_refused_with_alternatives_and_another_time_is_booked() -> None:
    saturday = {"people": "2", "day": "saturday", "time": "7 pm"}
    _, desk, at = await held(
        ["one", "two", "three"],
        ["restaurant"] * 3,
        [turn("search", food="italian"), turn("book", **saturday), turn("book", time="18:45")],
        ["I can offer the copper ladle.", "It is full.", "Done."],
    )
    told = facts(desk, 1)
    assert "fully booked" in told["refused"]["why"]
    assert told["free_instead"] == [
        "saturday at 18:45",
        "saturday at 19:15",
        "saturday at 18:30",
        "nasturtium",
    ]
    assert "The booking was refused" in desk.heard("system reply")[1]
    (made,) = at.made
    assert (made.title, made.details["time"]) == ("the copper ladle", "18:45")


async def test_a_place_that_is_full_too_is_not_offered_instead() -> None:
    refused = {"restaurant": {"day": "friday"}}
    desk, at = await served(turn("book", food="italian", **TABLE), at=office(**refused))
    told = facts(desk)
    assert told["refused"]["title"] == "the copper ladle"
    assert told["free_instead"] == []
    assert len(at.turned_down) == 1


async def test_other_details_are_another_booking() -> None:
    _, at = await served(
        turn("book", name="nasturtium", **TABLE), turn("book", people="6"), turn("book", people="six people")
    )
    assert [made.details["people"] for made in at.made] == ["4", "6"]


async def test_the_same_details_at_another_place_are_another_booking() -> None:
    _, at = await served(
        turn("book", name="nasturtium", **TABLE),
        turn("book", name="dontcare", food="indian"),
        turn("search", name="dontcare", food="dontcare"),
    )
    assert [made.title for made in at.made] == ["nasturtium", "st. elmo's kitchen"]


async def test_what_the_answer_named_is_what_is_booked() -> None:
    _, _, at = await held(
        ["a train", "two seats please"],
        ["train"] * 2,
        [turn("search", departure="tarnwick", day="monday"), turn("book", people="2")],
        ["TR1003 leaves at 13:00.", "Booked."],
    )
    assert [(made.title, made.details) for made in at.made] == [("TR1003", {"people": "2"})]


async def test_a_train_with_too_few_seats_is_refused_and_the_next_is_named() -> None:
    desk, at = await served(turn("book", trainID="TR1001", people="3"), domain="train")
    assert at.made == []
    assert facts(desk)["free_instead"] == []  # by its number, no other train meets the wish
    line = {"departure": "tarnwick", "destination": "ferrow", "day": "monday"}
    desk, at = await served(turn("book", people="3", **line), domain="train")
    assert facts(desk)["free_instead"] == ["TR1002", "TR1003"]


async def test_details_that_cannot_be_read_are_missing_and_nothing_is_refused() -> None:
    desk, at = await served(turn("book", name="nasturtium", people="a few", day="tomorrow", time="19:00"))
    assert facts(desk)["missing_for_the_booking"] == ["people", "day"]
    assert at.made == at.turned_down == []


async def test_nothing_is_booked_where_nothing_is_found_or_wanted() -> None:
    _, at = await served(
        turn("book", food="indian", area="north", **TABLE),
        turn("search", area="centre"),
        turn("request"),
        turn("none"),
    )
    assert at.made == at.turned_down == []


async def test_a_taxi_is_ordered_once_all_is_known_and_only_once() -> None:
    _, desk, at = await held(
        ["a table", "a taxi to the hotel", "from the restaurant at ten", "thanks", "make it eleven"],
        ["restaurant", "taxi", "taxi", "taxi", "taxi"],
        [
            turn("book", name="nasturtium", **TABLE),
            turn("book", destination="wharf house"),
            turn("search", departure="the restaurant", leaveAt="10 pm"),
            turn("search", departure="nasturtium", destination="wharf house", leaveAt="22:00"),
            turn("book", leaveAt="eleven in the evening"),
        ],
        ["Done.", "From where?", "Your car is a [taxi_type], phone [taxi_phone].", "Bye.", "Done."],
    )
    taxis = [made for made in at.made if made.domain == "taxi"]
    assert facts(desk, 1)["missing_for_the_booking"] == ["departure", "leaveAt or arriveBy"]
    assert [made.details["leaveAt"] for made in taxis] == ["22:00", "23:00"]
    assert taxis[0].details["departure"] == "nasturtium"
    assert facts(desk, 2)["booked"]["details"]["phone"] == taxis[0].details["phone"]
    assert facts(desk, 3)["already_booked_before"] is True
    assert at.turned_down == []


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("the restaurant", "nasturtium"),
        ("my hotel", "wharf house"),
        ("the cheap guesthouse hotel", "wharf house"),
        ("the hospital", "infirmary"),
        ("Regent Hotel", "Regent Hotel"),  # called so, and not the hotel that was booked
        ("the french restaurant", "the french restaurant"),
        ("the ashford hotel", "ashford hotel"),
        ("the train", "the train"),
        ("the museum", "the museum"),
    ],
)
async def test_a_place_by_its_kind_is_the_one_that_came_up_and_one_by_name_is_its_own(
    said: str, meant: str
) -> None:
    ashford = {"id": "h3", "name": "ashford hotel", "type": "hotel", "area": "east"}
    town = City({**TOWN.rows, "hotel": (*TOWN.rows["hotel"], ashford)})
    stay = {"people": "2", "day": "monday", "stay": "2"}
    _, _, at = await held(
        ["a table", "a room", "a doctor", "a train", "a taxi"],
        ["restaurant", "hotel", "hospital", "train", "taxi"],
        [
            turn("book", name="nasturtium", **TABLE),
            turn("book", name="wharf house", **stay),
            turn("search", department="eye clinic"),
            turn("search", departure="ferrow"),
            turn("book", departure="the mill", destination=said, leaveAt="10:00"),
        ],
        ["Done.", "Done.", "The eye clinic.", "TR2001 leaves at 12:00.", "Done."],
        Office(town, "salt"),
    )
    assert at.made[-1].details["destination"] == meant.casefold()
