"""Understanding people who speak as they like: wishes, bookings and questions in free words."""

import pytest

from interplay.benchmarks.task_dialogue.city import City, own_city
from interplay.benchmarks.task_dialogue.understanding import understand
from tests.benchmarks.small_town import TOWN


@pytest.mark.parametrize(
    ("said", "domain", "wanted"),
    [
        ("hi there! any cheap chinese places in the centre?", "restaurant",
         {"food": "chinese", "area": "centre", "pricerange": "cheap"}),
        ("need a hotel with free wi-fi in the north", "hotel", {"area": "north", "internet": "yes"}),
        ("somewhere moderately priced to stay, it doesn't need parking", "hotel",
         {"pricerange": "moderate", "parking": "no"}),
        ("Could you find me a four-star hotel?", "hotel", {"stars": "4"}),
        ("what museums are there in the west?", "attraction", {"type": "museum", "area": "west"}),
        ("I need to get to Hexmarsh from Marlhythe by 9.30 on monday by train", "train",
         {"departure": "marlhythe", "destination": "hexmarsh", "day": "monday", "arriveBy": "09:30"}),
        ("a train to Tarrowby; I leave from Marlhythe at half past nine", "train",
         {"departure": "marlhythe", "destination": "tarrowby", "leaveAt": "09:30"}),
        ("a cab to the marigold verandah, pick me up at the linnow grand at 7:30 pm", "taxi",
         {"departure": "the linnow grand", "destination": "the marigold verandah", "leaveAt": "19:30"}),
        ("That restaurant is too expensive. Anything cheaper?", "restaurant", {"pricerange": "cheap"}),
        ("A restaurant; I do not want chinese food", "restaurant", {}),
        ("A restaurant: never mind the price range, and any area is fine", "restaurant",
         {"area": "dontcare", "pricerange": "dontcare"}),
    ],
)  # fmt: skip
def test_wishes_in_free_words(said: str, domain: str, wanted: dict[str, str]) -> None:
    heard = understand(said, own_city(), "")
    assert (heard.domain, heard.wanted) == (domain, wanted)


@pytest.mark.parametrize(
    ("said", "asked", "booking"),
    [
        (
            "book a table for two at seven thirty pm on friday",
            "",
            {"people": "2", "day": "friday", "time": "19:30"},
        ),
        ("a table for 4, at half past seven", "", {"people": "4", "time": "19:30"}),
        ("just me", "people", {"people": "1"}),
        ("at 7pm", "time", {"time": "19:00"}),
    ],
)
def test_bookings_in_free_words(said: str, asked: str, booking: dict[str, str]) -> None:
    assert understand(said, TOWN, "restaurant", asked).booking == booking


@pytest.mark.parametrize(
    ("said", "domain", "requests"),
    [
        ("what's the number?", "restaurant", ["phone"]),
        ("where is it exactly?", "restaurant", ["address"]),
        ("how much does it cost to get in?", "attraction", ["entrance fee"]),
        ("when does it open?", "attraction", ["openhours"]),
        ("Is there any wi-fi?", "hotel", ["internet"]),
    ],
)
def test_questions_in_free_words(said: str, domain: str, requests: list[str]) -> None:
    assert understand(said, TOWN, domain).requests == requests


def test_slots_of_a_domain_of_a_users_own_are_asked_by_their_names() -> None:
    rows = ({"name": "funghi", "vegan": True, "hot": True, "ingredient_list": "mushrooms"},)
    city = City({"pizza": rows})
    assert understand("Could you tell me the ingredient list?", city, "pizza").requests == ["ingredient_list"]
    assert understand("I am looking for a pizza with vegan yes.", city, "").wanted == {"vegan": "yes"}
