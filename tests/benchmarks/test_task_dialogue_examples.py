"""The worked examples: enough of each kind in each domain, true to the forms, and found by likeness."""

from collections import Counter

import pytest

from interplay.benchmarks.task_dialogue.city import DAYS, DOMAINS, minutes, own_city
from interplay.benchmarks.task_dialogue.counter import Counter as Desk
from interplay.benchmarks.task_dialogue.examples import Example, Examples, own_examples
from interplay.benchmarks.task_dialogue.office import Office
from interplay.benchmarks.task_dialogue.serving import ACTIONS

ALL = own_examples().all


def test_every_domain_has_at_least_eight_examples_of_several_actions() -> None:
    counted = Counter(one.domain for one in ALL)
    assert counted.keys() == DOMAINS.keys()
    assert min(counted.values()) >= 8
    for domain, about in DOMAINS.items():
        actions = {one.action for one in ALL if one.domain == domain}
        assert {"request", "none"} <= actions
        assert "book" in actions or not about.book
    assert len({one.said for one in ALL}) == len(ALL)


@pytest.mark.parametrize("example", ALL, ids=lambda one: one.said[:30])
def test_an_example_fits_the_form_of_its_domain(example: Example) -> None:
    desk = Desk(Office(own_city(), "salt"))
    assert example.action in ACTIONS
    assert set(example.slots) <= set(desk.slots(example.domain))
    for slot, value in example.slots.items():
        assert value == "dontcare" or value
        if value != "dontcare" and slot in ("time", "leaveAt", "arriveBy"):
            assert minutes(value) is not None
        if slot == "day":
            assert value in DAYS
        if slot in ("people", "stay"):
            assert value.isdecimal()
        if value != "dontcare" and slot in (
            "area",
            "pricerange",
            "stars",
            "internet",
            "parking",
            "food",
            "type",
        ):
            assert value in own_city().values(example.domain, slot)


def test_the_kinds_of_turns_that_are_hard_are_there() -> None:
    assert sum("dontcare" in one.slots.values() for one in ALL) >= 8
    assert sum(any(slot in one.slots for slot in ("time", "leaveAt", "arriveBy")) for one in ALL) >= 10
    words = " ".join(one.said for one in ALL).casefold()
    for slip in ("resturant", "expencive", "gesthouses", "swiming", "staton"):
        assert slip in words
    for time in ("half past", "quarter to", "noon", "in the afternoon"):
        assert time in words


def test_no_example_gives_a_place_of_the_city_away() -> None:
    for one in ALL:
        named = own_city().named_in(f"{one.before} . {one.said}")
        assert [
            row for domain, row in named if domain != "hospital"
        ] == []  # its departments are every hospital's


@pytest.mark.parametrize(
    ("domain", "said", "before", "found"),
    [
        ("restaurant", "reserve a table for 3 at noon", "", "I want to reserve a table for 7"),
        (
            "restaurant",
            "sunday, half past seven",
            "For which day and what time?",
            "saturday, quarter to eight pm",
        ),
        ("restaurant", "cheep resturant wiht chinese foood", "", "im after a expencive resturant"),
        ("restaurant", "thanks a lot, that is all", "", "Wonderful, thanks a lot."),
        ("hotel", "the area does not matter", "Which part of town?", "I don't care about the area"),
        ("train", "arrive by 5 pm, coming from Ostrey", "", "We have to be in Harrow Bay by"),
        ("taxi", "what is the contact number and the car?", "", "What kind of car will it be"),
        ("police", "what is the postcode", "", "What's the postcode"),
    ],
)
def test_the_likest_example_comes_first(domain: str, said: str, before: str, found: str) -> None:
    likest = own_examples().like(domain, said, before)
    assert len(likest) == 3
    assert {one.domain for one in likest} == {domain}
    assert likest[0].said.startswith(found)


def test_every_example_is_likest_to_itself() -> None:
    for one in ALL:
        assert own_examples().like(one.domain, one.said, one.before)[0] == one


def test_retrieval_is_the_same_again_and_keeps_the_files_order_where_nothing_is_alike() -> None:
    examples = Examples(ALL)
    for said in ("xyzzy", "", "friday"):
        assert examples.like("train", said) == own_examples().like("train", said)
    assert [one.said for one in examples.like("train", "")] == [
        one.said for one in ALL if one.domain == "train"
    ][:3]
    assert examples.like("library", "a book") == []
    assert Examples(ALL).digest == own_examples().digest != Examples(ALL[1:]).digest
