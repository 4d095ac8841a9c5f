"""Scores of a session: shares worked by hand, and what counts as a pass, an empty or a repeated move."""

from dataclasses import replace

import pytest

from interplay.benchmarks.social_interaction.protocol import Move
from interplay.benchmarks.social_interaction.scoring import (
    LAST_FEW,
    habits_of,
    score,
    session_iep,
    shares_of,
)
from tests.benchmarks.social_interaction.exchanged import (
    OPTIONS,
    TOLD,
    counted,
    intentions,
    missing,
    session,
)


def says(*texts: str, seat: str = "player") -> list[Move]:
    return [Move(seat, "speak", "", text) for text in texts]


def repeated(*moves: Move, role: str = "player") -> int:
    return habits_of(session(moves=moves), role).repeated


def test_each_judge_has_a_score_for_each_player_and_their_mean() -> None:
    found = score(session(), [counted(5, 3, 1), counted(3, 3, 0, judge="k"), missing("l")], OPTIONS)
    values = {(one.name, one.source): one.value for one in found if one.name.startswith("iep")}
    assert values == {
        ("iep player", "j"): 1.0,
        ("iep player 2", "j"): 0.6,
        ("iep player 3", "j"): 0.2,
        ("iep player", "k"): 0.6,
        ("iep player 2", "k"): 0.6,
        ("iep player 3", "k"): 0.0,
        ("iep", "j"): pytest.approx(0.6),
        ("iep", "k"): pytest.approx(0.4),
    }


def test_the_share_is_of_what_there_was_to_learn_and_not_of_what_was_said() -> None:
    """Who answers with the two points that it learned, and nothing else, has learned no more by that."""
    wordy = counted(2, 1, 0)
    assert wordy.data is not None
    brief = [{**one, "learned": one["learned"][: len(one["pairs"])]} for one in wordy.data["players"]]
    terse = replace(wordy, data={**wordy.data, "players": brief})
    assert session_iep([terse]) == session_iep([wordy]) == pytest.approx((2 / 5 + 1 / 5 + 0) / 3)
    assert score(session(), [terse], OPTIONS) == score(session(), [wordy], OPTIONS)


def test_without_a_verdict_there_is_no_iep_and_never_a_zero() -> None:
    assert session_iep([missing()]) is None
    for outcome in (session(), intentions("stealth")):
        names = [one.name for one in score(outcome, [missing()], OPTIONS)]
        assert [name for name in names if name.startswith("iep")] == []


def test_moves_are_scored_by_rule_in_either_scene_players_and_npc_apart() -> None:
    for outcome in (session(), intentions("stealth")):
        found = {one.name: (one.value, one.source) for one in score(outcome, [], OPTIONS)}
        assert found["passes"][0] == found["empty"][0] == pytest.approx(1 / 3)
        assert found["repeated"][0] == 0
        assert found["length"][0] == len("What do you know?")
        assert found["npc passes"][0] == 0
        assert found["npc length"][0] == len("points to the bridge") + len("It is mended with salt.")
        assert all(source.startswith("rule: ") for _, source in found.values())


def test_a_session_without_a_move_has_no_shares() -> None:
    assert score(session(moves=()), [], OPTIONS) == []
    assert shares_of(habits_of(session(moves=TOLD[2:3]), "player")) == {
        "passes": 1.0,
        "empty": 0.0,
        "repeated": 0.0,
    }


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["Hello there.", "Hello there."], 1),
        (["Hello there.", "  HELLO   there. "], 1),
        (["Hello there."] * 4, 3),
        (["Where is the key?", "Where is the king?"], 0),
        (["Is it 40 coins?", "Is it 90 coins?"], 0),
        (["We should really go down to the river before the sun sets.",
          "We should really go down to the river before the sun sets!"], 1),
        (["Aye.", *(letter * 9 for letter in "bcdefghij"), "Aye."], 1),
    ],
)  # fmt: skip
def test_a_move_that_says_the_same_again_is_repeated(texts: list[str], count: int) -> None:
    assert repeated(*says(*texts)) == count


def test_nearly_the_same_counts_among_the_last_few_alone() -> None:
    line = "We should really go down to the river before the sun sets"
    others = [word * 12 for word in ("ab ", "cd ", "ef ", "gh ", "ij ", "kl ", "mn ")]
    near, far = others[: LAST_FEW - 1], others[:LAST_FEW]
    assert repeated(*says(line + ".", *near, line + "!")) == 1
    assert repeated(*says(line + ".", *far, line + "!")) == 0
    assert repeated(*says(line + ".", *far, line + ".")) == 1


def test_nobody_repeats_somebody_else_a_pass_or_an_empty_move() -> None:
    assert repeated(*says("Hello."), *says("Hello.", seat="player 2")) == 0
    assert repeated(*says("Hello.", "Hello.", seat="npc")) == 0
    assert repeated(*says("Hello.", "Hello.", seat="npc"), role="npc") == 1
    passes = [Move("player", "pass", "", "")] * 3
    empty = [Move("player", "speak", "", "")] * 3
    assert repeated(*passes, *empty) == 0
    assert habits_of(session(moves=[*passes, *empty]), "player").empty == 3


def test_what_is_done_counts_as_what_is_said_does() -> None:
    assert repeated(Move("player", "act", "nods", ""), Move("player", "act", "nods", "")) == 1
    assert (
        repeated(Move("player", "act", "nods", ""), Move("player", "both", "nods", "Very well, then.")) == 0
    )
