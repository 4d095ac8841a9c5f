"""Windows of play in two parts that share no session, and draws of them that grow."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.benchmarks.social_interaction.windows import (
    Intention,
    Play,
    Turn,
    Window,
    drawn,
    split,
)
from interplay.core.failures import Mistake


def window(id_: str, session: str = "", speakers: Sequence[str] = ("BEN",), asked: str = "BEN") -> Window:
    turns = tuple(Turn((name,), "x") for name in speakers)
    return Window(id_, session or id_, turns, (Intention(asked, "stealth"),))


def play(*sizes: int) -> Play:
    """Sessions with so many windows each."""
    return Play(
        "play",
        tuple(window(f"s{s}_{n}", f"s{s}") for s, size in enumerate(sizes) for n in range(size)),
    )


@given(st.lists(st.integers(1, 9), min_size=2, max_size=20), st.integers(1, 99), st.integers(0, 2**31))
def test_no_session_is_on_both_sides_and_the_share_is_kept(sizes: list[int], percent: int, seed: int) -> None:
    whole = play(*sizes)
    parts = split(whole, percent / 100, seed)
    learned, held_out = ({one.session for one in part} for part in (parts.learned, parts.held_out))
    assert learned
    assert held_out
    assert not learned & held_out
    assert sorted([*parts.learned, *parts.held_out], key=lambda one: one.id) == sorted(
        whole.windows, key=lambda one: one.id
    )
    wanted = percent / 100 * len(whole.windows)
    assert len(parts.held_out) < wanted + max(sizes)
    assert len(parts.held_out) >= wanted or len(learned) == 1
    assert split(whole, percent / 100, seed) == parts


def test_another_seed_is_another_split_and_more_holds_out_the_same_sessions_first() -> None:
    whole = play(*[3] * 20)
    small, large = ({one.session for one in split(whole, share, 1).held_out} for share in (0.25, 0.5))
    assert (len(small), len(large)) == (5, 10)
    assert small < large
    assert {one.session for one in split(whole, 0.25, 2).held_out} != small


def test_the_order_of_the_file_changes_no_session() -> None:
    whole = play(3, 4, 5, 2, 6)
    turned = Play("play", tuple(reversed(whole.windows)))
    assert set(split(whole, 0.3, 4).held_out) == set(split(turned, 0.3, 4).held_out)


def test_windows_of_one_session_cannot_be_split() -> None:
    with pytest.raises(Mistake, match="play has windows of one session alone") as raised:
        split(play(30), 0.25, 0)
    assert "\n" not in str(raised.value)


# Draws


@given(st.integers(0, 40), st.integers(0, 40), st.text(max_size=5))
def test_a_smaller_draw_is_the_beginning_of_a_larger_one(one: int, other: int, draw: str) -> None:
    all_windows = play(10, 10, 10).windows
    small, large = (drawn(all_windows, size, draw) for size in sorted((one, other)))
    assert large[: len(small)] == small
    assert len(set(large)) == len(large) == min(30, max(one, other))
    assert drawn(list(reversed(all_windows)), len(large), draw) == large


def test_other_draws_are_other_windows() -> None:
    all_windows = play(10, 10, 10).windows
    assert len({drawn(all_windows, 5, str(number)) for number in range(20)}) == 20
