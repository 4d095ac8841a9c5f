"""Windows out of sessions that models played: one for each want, ending as those of real play do, nobody named."""

import re
from collections.abc import Sequence
from random import Random

import pytest

from interplay.benchmarks.social_interaction.characters import shipped
from interplay.benchmarks.social_interaction.cutting import windows_of
from interplay.benchmarks.social_interaction.form import MASTER, NAMES
from interplay.benchmarks.social_interaction.protocol import Move, Seated, Session, Wanted
from interplay.benchmarks.social_interaction.windows import Window, last_speaker_share
from interplay.core.wire import Message, Step
from tests.benchmarks.social_interaction.at_the_table import move, played, scenario

SEATS = (
    Seated("player", "player", "Ana Bell", "m"),
    Seated("npc", "npc", "Old Bram", "m"),
    Seated("player 2", "player", "Bo of the Long Step", "m"),
    Seated("player 3", "player", "Cy", "m"),
)
ORDER = tuple(seat.seat for seat in SEATS)


def session(
    moves: Sequence[Move] = (), *wants: Wanted, length: int = 12, seats: Sequence[Seated] = SEATS
) -> Session:
    made = moves or [Move(ORDER[n % 4], "speak", "", f"Word {n}.") for n in range(length)]
    asked = wants or (Wanted("player", "stealth", "to hide", 0, len(made)),)
    return Session("intentions", tuple(seats), tuple(made), (), tuple(asked))


def texts(one: Window) -> list[str]:
    return [turn.text for turn in one.turns]


def test_the_same_share_of_windows_ends_on_who_wants() -> None:
    for share in (0.0, 0.25, 0.73, 1.0):
        found = [
            window
            for number in range(600)
            for window in windows_of(
                session((), Wanted(f"player{' 2' * (number % 2)}", "stealth", "x", 0, 12)),
                f"s{number}",
                share,
            )
        ]
        assert len(found) == 600
        assert abs(last_speaker_share(found) - share) < 0.05
        assert (last_speaker_share(found) == share) or share in (0.25, 0.73)


def test_the_share_is_of_draws_that_are_the_same_for_every_model() -> None:
    first, second = ([len(windows_of(session(), f"s{n}", 0.5)[0].turns) for n in range(50)] for _ in range(2))
    assert first == second
    assert len(set(first)) == 2


@pytest.mark.parametrize(("share", "last"), [(1.0, "Word 8."), (0.0, "Word 11.")])
def test_a_window_ends_on_a_players_move(share: float, last: str) -> None:
    (one,) = windows_of(session(), "s", share)
    assert texts(one)[-1] == last
    assert (one.last_player == one.intentions[0].character) == (share == 1.0)


def test_a_window_never_ends_on_the_character_they_meet() -> None:
    order = ("player", "player 2", "player 3", "npc")
    moves = [Move(order[n % 4], "speak", "", f"Word {n}.") for n in range(12)]
    for share in (0.0, 1.0):
        (one,) = windows_of(session(moves), "s", share)
        assert one.turns[-1].speakers != (MASTER,)


def test_silent_moves_are_dropped() -> None:
    moves = [
        Move("player", "speak", "", "One."),
        Move("npc", "pass", "", ""),
        Move("player 2", "act", "", ""),
        Move("player 3", "act", "Two", ""),
        Move("player", "pass", "", ""),
    ]
    (one,) = windows_of(session(moves), "s", 0.0)
    assert texts(one) == ["One.", "Two"]
    assert len(one.players) == 2


def test_a_session_of_passes_has_no_window() -> None:
    passes = [Move(ORDER[n % 4], "pass", "", "") for n in range(8)]
    assert windows_of(session(passes), "s", 0.7) == []


def test_who_wants_and_stays_silent_has_a_window_all_the_same() -> None:
    """Not to let it on at all is play too."""
    moves = [
        Move("player 2", "speak", "", "Ana?"),
        Move("npc", "speak", "", "Hm."),
        Move("player", "pass", "", ""),
    ]
    (one,) = windows_of(session(moves), "s", 1.0)
    asked = one.intentions[0].character
    assert asked in NAMES
    assert asked not in one.players
    assert texts(one) == [f"{asked}?", "Hm."]


def test_one_window_a_want_of_its_own_moves() -> None:
    wants = (
        Wanted("player", "stealth", "x", 0, 4),
        Wanted("player 3", "history", "y", 4, 8),
        Wanted("player 2", "stealth", "z", 8, 12),
    )
    found = windows_of(session((), *wants), "s", 1.0)
    assert [one.intentions[0].skill for one in found] == ["stealth", "history", "stealth"]
    assert [texts(one)[0] for one in found] == ["Word 0.", "Word 4.", "Word 8."]
    assert len({one.id for one in found}) == 3
    assert {one.session for one in found} == {"s"}
    for one, want in zip(found, wants, strict=True):
        assert one.intentions[0].character == one.last_player
        assert len(one.turns) <= want.after - want.first


def test_ids_are_unique_over_sessions() -> None:
    wants = [Wanted(f"player{' 2' * n}", "stealth", "x", 6 * n, 6 * n + 6) for n in range(2)]
    ids = [one.id for n in range(20) for one in windows_of(session((), *wants), f"id-{n}", 0.5)]
    assert len(set(ids)) == len(ids) == 40


def test_what_is_done_and_said_come_one_after_the_other() -> None:
    moves = [
        Move("player", "both", "waves", "Hello."),
        Move("player", "both", "Waves!", "Hello."),
        Move("player", "both", "", "Hello."),
        Move("player", "act", "waves", ""),
        Move("player", "both", "waves…", "Hello."),
    ]
    (one,) = windows_of(session(moves), "s", 1.0)
    assert texts(one) == ["waves. Hello.", "Waves! Hello.", "Hello.", "waves", "waves… Hello."]


def test_names_are_gone_in_all_ways_to_say_them() -> None:
    moves = [
        Move("player", "speak", "", "Bo, ask Old Bram. Step back, Cy! A long step."),
        Move("player 2", "both", "bows to Ana", "Bell? ANA BELL! Bram’s gone."),
        Move("player", "speak", "", "BO OF THE LONG STEP, Bo's here."),
    ]
    (one,) = windows_of(session(moves), "s", 1.0)
    ana, bo = one.players
    text = " / ".join(texts(one))
    cy = re.search(r"back, (\w+)!", text)
    assert cy is not None
    assert cy[1] in NAMES
    assert text == (
        f"{bo}, ask {MASTER}. Step back, {cy[1]}! A long step. / "
        f"bows to {ana}. {ana}? {ana}! {MASTER}’s gone. / {bo}, {bo}'s here."
    )


def test_an_initial_is_no_name_and_a_plain_word_stays() -> None:
    seats = (*SEATS[:3], Seated("player 3", "player", "A Stone", "m"))
    moves = [Move("player", "speak", "", "One stone, Stone! A Stone.")]
    (one,) = windows_of(session(moves, seats=seats), "s", 1.0)
    found = re.fullmatch(r"One stone, (\w+)! (\w+)\.", texts(one)[0])
    assert found is not None
    assert found[1] == found[2] in NAMES


async def test_no_name_of_a_shipped_character_is_left_of_what_is_played() -> None:
    """Everybody speaks of everybody in every move, in full, by the first name and by the last."""
    all_names = {part for one in shipped() for part in one.name.split() if len(part) > 2} - {
        "the",
        "Ninth",
        "Step",
    }
    lots = Random(3)
    for number in (1, 2, 3, 40):
        content = scenario(number, scene="intentions").content
        names = [entry["name"] for entry in content["characters"]]

        def script(step: Step, messages: Sequence[Message], names: list[str] = names) -> str:
            who = lots.choice(names)
            ways = [who, who.split()[0], who.split()[-1], who.upper(), f"{who.split()[0]}'s"]
            said = " and ".join(way for way in ways if way != "Step")
            return move("both", f"looks at {who}", f"You, {said}!")

        one = await played(script, content, scene="intentions", moves="30")
        for window in windows_of(one.session, "s", 0.7):
            words = {word for text in texts(window) for word in re.findall(r"[^\W_]+", text)}
            left = {word for word in words if word.casefold() in {name.casefold() for name in all_names}}
            assert not left
            assert len(window.players) == 3
            assert window.masters == (MASTER,)
