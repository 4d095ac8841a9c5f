"""A text in one spelling, and the times in it."""

import pytest

from interplay.benchmarks.task_dialogue.wording import is_time, normal, times_in


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("at 18:30", [(1110, "")]),
        ("at 6:30?", [(390, "x")]),
        ("at 06:30.", [(390, "")]),
        ("at 6.30 pm", [(1110, "")]),
        ("by 18.30", [(1110, "")]),
        ("7pm, or 7 a.m.", [(1140, ""), (420, "")]),
        ("12 pm and 12am", [(720, ""), (0, "")]),
        ("half past seven", [(450, "x")]),
        ("half 9", [(570, "x")]),
        ("a quarter to nine on Friday morning", [(525, "")]),
        ("seven o'clock in the evening", [(1140, "")]),
        ("twenty past seven, or twenty-five to eight", [(440, "x"), (455, "x")]),
        ("at nine tonight", [(1260, "")]),
        ("between 5 to 7 people, from 10 to 12 pounds", []),
        ("seven thirty", []),
        ("at seven thirty", [(450, "x")]),
        ("around 1830", [(1110, "x")]),
        ("at 7", [(420, "w")]),
        ("at 7 in the evening", [(1140, "")]),
        ("noon, not midnight", [(720, ""), (0, "")]),
        ("12.40 pounds", []),
        ("for £12.40", []),
        ("for 7 people", []),
        ("about 5 nights", []),
        ("99:99 or 25:00", []),
        ("TR1234 and 01632960123", []),
    ],
)
def test_times(text: str, times: list[tuple[int, str]]) -> None:
    assert list(times_in(normal(text))) == times


def test_a_time_without_a_half_of_the_day_may_be_either() -> None:
    assert is_time(1110, 390, "x") and is_time(390, 390, "")
    assert not is_time(1110, 390, "") and not is_time(1110, 400, "x")


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("Wi-Fi, WIFI and the internet", "wifi . wifi and the wifi"),
        ("A guest-house in the city center", "a guesthouse in the city centre"),
        ("four of us, don’t you know?", "4 of us . dont you know ."),
        ("moderate price-range", "moderate pricerange"),
        ("What's the post code", "whats the postcode"),
        ("B&B for two", "guesthouse for 2"),
        ("", ""),
        ("  ", ""),
    ],
)
def test_one_spelling(text: str, spelling: str) -> None:
    assert normal(text) == spelling
