"""Placeholders: what can be meant by one is put in its place, and what cannot stays to be counted."""

import pytest

from interplay.benchmarks.task_dialogue.dialogue import placeholders
from tests.benchmarks.system_stage import TABLE, held, office, turn


@pytest.mark.parametrize(
    ("raw", "answer"),
    [
        ("[name] is at [address].", "nasturtium is at 2 mill lane."),
        ("Call [value_phone] or [restaurant_phone].", "Call 01632960002 or 01632960002."),
        (
            "Your reference is <reference>, for [people] on [booking_day].",
            "Your reference is {ref}, for 4 on friday.",
        ),
        ("[booking reference number]: {{post_code}}", "{ref}: tw11ab"),
        ("[Restaurant Name] at {time}", "nasturtium at 19:00"),
        ("There are [count].", "There are 1."),
        (
            "[stars] and [hotel_name] stay, and so does [sic].",
            "[stars] and [hotel_name] stay, and so does [sic].",
        ),
    ],
)
async def test_placeholders_are_filled_with_real_values(raw: str, answer: str) -> None:
    answers, _, at = await held(["book"], ["restaurant"], [turn("book", name="nasturtium", **TABLE)], [raw])
    assert answers == [answer.replace("{ref}", at.made[0].reference)]


async def test_a_placeholder_that_could_mean_several_stays_and_is_counted() -> None:
    answers, _, _ = await held(
        ["italian"],
        ["restaurant"],
        [turn("search", food="italian")],
        ["[name] has [food] food, it is [pricerange]."],
    )
    assert answers == ["[name] has italian food, it is cheap."]
    assert placeholders(answers[0]) == ["[name]"]


async def test_a_row_that_the_answer_names_is_the_one_it_speaks_of() -> None:
    answers, _, _ = await held(
        ["italian"], ["restaurant"], [turn("search", food="italian")], ["Nasturtium is in the [area]."]
    )
    assert answers == ["Nasturtium is in the north."]


async def test_a_refused_booking_lends_no_reference() -> None:
    at = office(restaurant={"people": "4"})
    answers, _, _ = await held(
        ["book"],
        ["restaurant"],
        [turn("book", name="nasturtium", **TABLE)],
        ["Your reference: [reference]."],
        at,
    )
    assert answers == ["Your reference: [reference]."]


async def test_a_placeholder_of_another_domain_is_what_was_booked_there() -> None:
    answers, _, _ = await held(
        ["book", "museum"],
        ["restaurant", "attraction"],
        [turn("book", name="nasturtium", **TABLE), turn("search", type="museum")],
        ["Booked.", "[name] is near [restaurant_name], entrance: [entrance fee]."],
    )
    assert answers[1] == "tollgate museum is near nasturtium, entrance: free."
