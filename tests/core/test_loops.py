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
