"""Values as people say them: clocks, numbers, days, what does not matter, and what is misspelt."""

import pytest

from interplay.benchmarks.task_dialogue.city import minutes, own_city
from interplay.benchmarks.task_dialogue.values import brought_into_form, clock, day, is_readable, number

FOODS = ("chinese", "gastropub", "indian", "italian", "japanese", "modern european", "seafood", "vietnamese")
AREAS = ("centre", "east", "north", "south", "west")
PRICES = ("cheap", "expensive", "moderate")
NAMES = ("the golden wok", "copper ladle", "pizza corner centre", "pizza corner east")


@pytest.mark.parametrize(
    ("said", "time"),
    [
        *(
            ("18:30", "18:30"),
            ("6:30 pm", "18:30"),
            ("6.30pm", "18:30"),
            ("6 pm", "18:00"),
            ("1830", "18:30"),
        ),
        *(
            ("5:45 p.m.", "17:45"),
            ("18h30", "18:30"),
            ("09:05", "09:05"),
            ("9:05", "09:05"),
            ("after 5pm", "17:00"),
        ),
        *(("half past six in the evening", "18:30"), ("half six pm", "18:30"), ("quarter to 7 pm", "18:45")),
        *(
            ("a quarter past two in the afternoon", "14:15"),
            ("twenty to nine", "08:40"),
            ("six oh five", "06:05"),
        ),
        *(
            ("twenty-five past nine am", "09:25"),
            ("eleven fifteen pm", "23:15"),
            ("ten past twelve", "12:10"),
        ),
        *(
            ("noon", "12:00"),
            ("midnight", "00:00"),
            ("12 am", "00:00"),
            ("12 pm", "12:00"),
            ("24:30", "24:30"),
        ),
        *(
            ("seven o'clock in the morning", "07:00"),
            ("seven o’clock tonight", "19:00"),
            ("around 10:15", "10:15"),
        ),
        *(("teatime", ""), ("25:00", ""), ("", ""), ("12:75", "")),
        *(
            ("in 20 minutes", ""),
            ("in two hours", ""),
            ("20 minutes past 7", "07:20"),
            ("1900 hours", "19:00"),
        ),
    ],
)
def test_clocks(said: str, time: str) -> None:
    assert clock(said) == time


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("half past six", "18:30"),
        ("7", "19:00"),
        ("half past nine", "21:30"),
        ("10", "10:00"),
        ("6:30", "18:30"),
        ("06:30", "06:30"),
        ("8 am", "08:00"),
        ("11", "11:00"),
    ],
)
def test_a_table_is_taken_in_the_evening_where_nobody_says_otherwise(said: str, time: str) -> None:
    assert clock(said, evening=True) == time


def test_every_time_of_day_is_read_as_it_is_written() -> None:
    for minute in range(24 * 60):
        hour = minute // 60
        written = f"{hour:02}:{minute % 60:02}"
        half = "am" if hour < 12 else "pm"
        assert clock(written) == written
        assert clock(written, evening=True) == written
        assert clock(f"{hour % 12 or 12}:{minute % 60:02} {half}") == written
        assert minutes(written) == minute


@pytest.mark.parametrize(
    ("said", "digits"),
    [
        *(("4", "4"), ("four", "4"), ("party of four", "4"), ("4 people", "4"), ("the three of us", "3")),
        *(("a couple", "2"), ("just me", "1"), ("myself", "1"), ("a night", "1"), ("twenty five", "25")),
        *(("4-star", "4"), ("05", "5"), ("two adults and three children", ""), ("a few", ""), ("", "")),
    ],
)
def test_numbers(said: str, digits: str) -> None:
    assert number(said) == digits


@pytest.mark.parametrize(
    ("said", "found"),
    [
        *(
            ("Friday", "friday"),
            ("on fri", "friday"),
            ("weds", "wednesday"),
            ("thurs.", "thursday"),
            ("mon", "monday"),
        ),
        *(
            ("saturdy", "saturday"),
            ("wenesday", "wednesday"),
            ("this coming sunday", "sunday"),
            ("tuesdays", "tuesday"),
        ),
        *(("tomorrow", ""), ("friday or saturday", ""), ("sunny", ""), ("month", "")),
    ],
)
def test_days(said: str, found: str) -> None:
    assert day(said) == found


@pytest.mark.parametrize(
    "said",
    [
        *(
            "dontcare",
            "don't care",
            "doesn't matter",
            "It doesn't really matter",
            "no preference",
            "any",
            "anything",
        ),
        *(
            "any price range is fine",
            "whatever",
            "I don’t mind",
            "not important",
            "either one",
            "I have no preference",
        ),
    ],
)
def test_what_does_not_matter(said: str) -> None:
    for slot in ("pricerange", "time", "day", "people", "name"):
        assert brought_into_form(slot, said, PRICES) == "dontcare"


@pytest.mark.parametrize("said", ["", " ", "none", "None", "not mentioned", "N/A", "unknown", "?"])
def test_what_was_not_said(said: str) -> None:
    assert brought_into_form("area", said, AREAS) == ""


@pytest.mark.parametrize(
    ("said", "known", "value"),
    [
        *(("chinise", FOODS, "chinese"), ("Itallian food", FOODS, "italian"), ("indain", FOODS, "indian")),
        *(
            ("vietnamise", FOODS, "vietnamese"),
            ("gastro pub", FOODS, "gastropub"),
            ("sea food", FOODS, "seafood"),
        ),
        *(
            ("modern europian", FOODS, "modern european"),
            ("center", AREAS, "centre"),
            ("souht", AREAS, "south"),
        ),
        *(
            ("the north part of town", AREAS, "north"),
            ("city centre", AREAS, "centre"),
            ("eastern", AREAS, "east"),
        ),
        *(
            ("moderately priced", PRICES, "moderate"),
            ("expencive", PRICES, "expensive"),
            ("budget", PRICES, "cheap"),
        ),
        *(
            ("free parking", ("no", "yes"), "yes"),
            ("true", ("no", "yes"), "yes"),
            ("without", ("no", "yes"), "no"),
        ),
    ],
)
def test_a_value_is_brought_to_the_databases_spelling(said: str, known: tuple[str, ...], value: str) -> None:
    assert brought_into_form("slot", said, known) == value


@pytest.mark.parametrize(
    "said", ["javanese", "belgian", "north indian", "african", "modern", "european", "chimes"]
)
def test_a_value_that_the_database_does_not_have_stays_what_it_is(said: str) -> None:
    assert brought_into_form("food", said, FOODS) == said


@pytest.mark.parametrize(
    ("said", "name"),
    [
        *(("Golden Wok", "the golden wok"), ("goldn wok", "the golden wok"), ("Copper", "copper ladle")),
        *(
            ("pizza corner", "pizza corner"),
            ("pizza corner east", "pizza corner east"),
            ("silver wok", "silver wok"),
        ),
    ],
)
def test_a_name_may_be_said_in_part_where_only_one_is_meant(said: str, name: str) -> None:
    assert brought_into_form("name", said, NAMES, of_names=True) == name


def test_every_value_of_the_city_is_brought_to_itself() -> None:
    city = own_city()
    for domain in ("restaurant", "hotel", "attraction", "train", "hospital"):
        for slot in (*city.search_slots(domain), "trainID"):
            values = city.values(domain, slot)
            for value in values if slot != "trainID" else values[:50]:
                assert brought_into_form(slot, value.upper(), values) == value, (domain, slot)


def test_what_can_be_looked_up_and_booked() -> None:
    assert is_readable("time", "18:30")
    assert not is_readable("time", "teatime")
    assert is_readable("people", "9")
    assert not is_readable("people", "0")
    assert not is_readable("people", "100")
    assert not is_readable("stay", "two")
    assert is_readable("day", "monday")
    assert not is_readable("day", "tomorrow")
    assert not is_readable("area", "")
