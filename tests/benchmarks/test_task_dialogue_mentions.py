"""Does a text say a value, or speak of a slot?"""

import pytest

from interplay.benchmarks.task_dialogue.mentions import asks, says, speaks_of


@pytest.mark.parametrize(
    ("slot", "value", "text"),
    [
        ("people", "5", "a table for five"),
        ("people", "5", "there will be 5 of us"),
        ("people", "4", "a party of four"),
        ("people", "1", "just me"),
        ("people", "1", "a single ticket"),
        ("people", "2", "my wife and I"),
        ("stay", "3", "three nights"),
        ("stay", "2", "a couple of nights"),
        ("stay", "1", "overnight"),
        ("stars", "4", "a four-star hotel"),
        ("stars", "4", "two 4-star hotels"),
        ("day", "friday", "fri is best"),
        ("stars", "4", "with a star rating of 4"),
        ("time", "19:30", "half past seven"),
        ("arriveBy", "09:15", "by quarter past 9"),
        ("leaveAt", "21:00", "after 9pm"),
        ("area", "centre", "somewhere central"),
        ("area", "north", "in the northern part"),
        ("pricerange", "cheap", "something affordable"),
        ("pricerange", "moderate", "mid-range"),
        ("pricerange", "expensive", "somewhere fancy"),
        ("internet", "yes", "is there wi-fi"),
        ("internet", "no", "I don't need internet"),
        ("parking", "yes", "no stairs and parking, please"),
        ("type", "guesthouse", "guest houses"),
        ("type", "swimming pool", "swimming pools"),
        ("type", "gallery", "galleries"),
        ("food", "vietnamese", "vietnamse food"),
        ("name", "the copper kettle", "that Copper Kettel place"),
        ("name", "hotel du vin", "Du Vin"),
        ("destination", "king's lynn", "to kings lynn"),
        ("department", "day surgery unit", "the unit for day surgery"),
        ("colour", "dark red", "dark red ones"),
    ],
)
def test_said(slot: str, value: str, text: str) -> None:
    assert says(slot, value, text)


@pytest.mark.parametrize(
    ("slot", "value", "text"),
    [
        ("people", "5", "at 5 o'clock"),
        ("day", "(fr", "friday"),
        ("day", "saturday", "on sunday"),
        ("people", "3", "for 3 nights"),
        ("stay", "3", "3 people"),
        ("time", "19:30", "at 7:30 am"),
        ("time", "19:30", "at 20:30"),
        ("area", "north", "northgate"),
        ("pricerange", "expensive", "inexpensive"),
        ("pricerange", "cheap", "expensive"),
        ("internet", "yes", "without wifi"),
        ("internet", "no", "with free wifi"),
        ("day", "tuesday", "thursday"),
        ("food", "indian", "italian"),
        ("name", "the copper kettle", "the silver spoon"),
        ("destination", "ely", "rely on it"),
        ("food", "thai", ""),
    ],
)
def test_not_said(slot: str, value: str, text: str) -> None:
    assert not says(slot, value, text)


@pytest.mark.parametrize(
    ("slot", "text", "asked"),
    [
        ("phone", "Can I have their number?", True),
        ("phone", "the number of people is 4", False),
        ("postcode", "what's the zip code", True),
        ("address", "where exactly is it", True),
        ("entrance fee", "how much is it to get in", True),
        ("duration", "how long does it take", True),
        ("trainID", "what's the train number", True),
        ("reference", "send me the confirmation code", True),
        ("reference", "book it", False),
        ("spa access", "does it have spa access", True),
    ],
)
def test_asked(slot: str, text: str, asked: bool) -> None:
    assert asks(slot, text) == asked


def test_domains() -> None:
    assert speaks_of("restaurant", "somewhere to eat")
    assert speaks_of("hotel", "a place to stay")
    assert speaks_of("museum shop", "Museum shops")
    assert not speaks_of("train", "trained staff")
