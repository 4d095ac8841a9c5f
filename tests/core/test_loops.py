"""A simulated participant that goes in circles is found at its third repeat, and one that does not never is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.core.failures import LoopFailure
from interplay.core.loops import MOST_REPEATS, LoopWatch


def test_the_same_three_times_in_a_row_is_a_loop() -> None:
    watch = LoopWatch("the user")
    watch.said("What is your name?", "Groot.")
    watch.said("what is  your NAME?", "I said Groot.")
    with pytest.raises(LoopFailure, match="the user said the same 3 times in a row"):
        watch.said("What is your name?\n", "Groot!")


def test_repeating_what_was_just_heard_three_times_in_a_row_is_a_loop() -> None:
    watch = LoopWatch("the user")
    for heard in ("One.", "Two."):
        watch.said(heard, heard)
    with pytest.raises(LoopFailure, match="repeated what it had just heard 3 times"):
        watch.said("Three.", "three.")


def test_something_else_in_between_begins_the_count_anew() -> None:
    watch = LoopWatch("the user")
    for text in ("Yes.", "Yes.", "No.", "Yes.", "Yes.", "Well.", "Yes."):
        watch.said(text, "And now?")
    for heard in ("a", "b", "", "c", "d", ""):
        watch.said(heard or "Hm.", heard)


@given(st.lists(st.integers(0, 2), max_size=40))
def test_it_is_raised_exactly_at_the_third_in_a_row(said: list[int]) -> None:
    watch = LoopWatch("the user")
    row = 0
    for place, number in enumerate(said):
        row = row + 1 if place and said[place - 1] == number else 1
        if row == MOST_REPEATS:
            with pytest.raises(LoopFailure):
                watch.said(f"text {number}")
            return
        watch.said(f"text {number}")


def test_an_echo_that_is_cut_short_is_an_echo() -> None:
    heard = (
        "The ferry leaves at noon, the bread is fresh, and nobody has seen the captain since the fog came in. "
        * 8
    )
    watch = LoopWatch("the user")
    with pytest.raises(LoopFailure, match="just heard"):
        for number in range(3):
            watch.said(f"{number} {heard}"[:600], f"{number} {heard}")


def test_a_short_answer_that_begins_as_what_was_heard_is_none() -> None:
    watch = LoopWatch("the user")
    for number in range(5):
        watch.said(
            f"{number}. The ferry leaves at noon",
            f"{number}. The ferry leaves at noon, and the bread is fresh",
        )
