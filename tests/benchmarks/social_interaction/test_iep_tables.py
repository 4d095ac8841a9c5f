"""The board: numbers worked by hand, what is missing and its bounds, who told first, and weak sessions for raters."""

from typing import Any

import pytest

from interplay.benchmarks.social_interaction.exchange_tables import IN_SAMPLE, weak_sample
from interplay.benchmarks.social_interaction.protocol import Move
from interplay.benchmarks.social_interaction.tables import summarize
from interplay.core.benchmark import Played
from interplay.core.board import Board, Cell, Estimate
from interplay.reporting.cells import interval, written
from tests.benchmarks.social_interaction.exchanged import (
    OPTIONS,
    counted,
    intentions,
    missing,
    played,
    session,
    tried,
    verdict,
    void,
)

INTENTIONS = OPTIONS | {"scene": "intentions"}


def board(*conversations: Played, **options: str) -> Board:
    """The board; every cell of every table can be shown."""
    found = summarize(conversations, OPTIONS | options)
    for one in (found, *found.parts):
        for row in one.rows:
            for column in one.columns:
                written(column, row[column.key])
                interval(column, row[column.key])
    return found


def part(of: Board, title: str) -> Board:
    return next(one for one in of.parts if one.title == title)


def titles(of: Board) -> list[str]:
    return [one.title for one in of.parts]


def value(cell: Cell) -> float | None:
    assert isinstance(cell, Estimate)
    return cell.value


def rows_of(of: Board, **where: str) -> list[dict[str, Any]]:
    return [dict(row) for row in of.rows if all(row[key] == wanted for key, wanted in where.items())]


FIRST = (2, 1, 0, 0, 2)  # by the NPC, by a player, never, never, by the NPC
THREE = [
    played(1, counted(5, 5, 5, first=FIRST)),
    played(2, counted(3, 2, 1, first=FIRST)),
    played(3, counted(0, 0, 0, first=FIRST)),
]


def test_iep_is_a_mean_over_sessions_and_players_in_percent_with_its_interval() -> None:
    (row,) = board(*THREE).rows
    cell = row["iep"]
    assert isinstance(cell, Estimate)
    assert cell.value == pytest.approx((100 + 40 + 0) / 3)
    assert cell.low is not None
    assert cell.high is not None
    assert 0 <= cell.low < cell.value < cell.high <= 100
    assert (cell.n, cell.clusters, row["n"]) == (9, (3,), 3)


def test_what_was_told_by_whom_and_what_came_of_it() -> None:
    (row,) = board(*THREE).rows
    assert value(row["told"]) == pytest.approx(3 / 5)
    assert value(row["told_npc"]) == pytest.approx(2 / 5)
    assert value(row["told_player"]) == pytest.approx(1 / 5)
    # Of points 1, 2 and 5, three players each: 9 of 9, then 3 + 2 + 0 of 9, then none.
    assert value(row["learned"]) == pytest.approx(14 / 27)
    table = part(board(*THREE), "Who told which key point first")
    (whole,) = rows_of(table, point="all")
    assert [value(whole[key]) for key in ("told_npc", "told_player", "never")] == [0.4, 0.2, 0.4]
    assert value(whole["untold"]) == pytest.approx((6 + 1) / 18)  # points 3 and 4
    (second,) = rows_of(table, point="2")
    assert (value(second["told_player"]), value(second["told_npc"]), second["n"]) == (1.0, 0.0, 3)
    assert [row["point"] for row in table.rows] == ["all", "1", "2", "3", "4", "5"]


def test_models_are_ranked_by_iep_and_equal_ones_share_a_place() -> None:
    found = board(
        played(1, counted(1, 1, 1), model="weak"),
        played(1, counted(4, 4, 4), model="b"),
        played(1, counted(4, 4, 4), model="a"),
        void(1, model="none"),
    )
    assert [(row["model"], row["rank"]) for row in found.rows] == [
        ("a", 1),
        ("b", 1),
        ("weak", 3),
        ("none", None),
    ]


def test_void_sessions_and_missing_verdicts_are_no_zeros_and_have_their_bounds() -> None:
    found = board(played(1, counted(5, 5, 5)), played(2, missing()), void(3), played(4, counted(3, 3, 3)))
    (row,) = found.rows
    assert value(row["iep"]) == pytest.approx(80.0)
    assert (row["n"], row["sessions"], value(row["void"]), value(row["unscored"])) == (2, 3, 0.25, 0.5)
    (note,) = [note for note in found.notes if "missing" in note]
    assert note.startswith("m: 2 verdicts are missing")
    assert "40.00 or 90.00" in note
    table = part(found, "What came to nothing")
    assert [(row["what"], row["failure"], row["count"]) for row in table.rows] == [
        ("session", "unreadable", 1),
        ("verdict", "judge error", 1),
    ]
    assert [value(row["share"]) for row in table.rows] == [0.25, pytest.approx(1 / 3)]
    assert "What came to nothing" not in titles(board(*THREE))
    assert not [note for note in board(*THREE).notes if "missing" in note]


def test_bounds_count_every_judge_that_should_have_spoken() -> None:
    found = board(
        played(1, counted(5, 5, 5), missing("k")), played(2, counted(5, 5, 5), counted(0, 0, 0, judge="k"))
    )
    (row,) = found.rows
    assert value(row["unscored"]) == 0.25
    assert any("1 verdicts are missing" in note and "50.00 or 75.00" in note for note in found.notes)
    assert value(row["iep"]) == pytest.approx(75.0)


def many(count: int, **more: Any) -> list[Played]:
    """Sessions in which half was learned, each with a planted list of another piece."""
    return [
        played(n, counted(5, 2, 1 if n % 2 else 0, planted=tried(piece=f"p{n}", **more)))
        for n in range(1, count + 1)
    ]


def test_a_corrected_value_takes_the_matchers_own_errors_off() -> None:
    sharp = board(*many(20)).rows[0]
    assert value(sharp["corrected"]) == pytest.approx(value(sharp["iep"]))
    found = board(*many(20, said=(1, 1, 1, 0), wrong=(0,)))  # t = 3/4, f = 0
    assert value(found.rows[0]["corrected"]) == pytest.approx((value(found.rows[0]["iep"]) or 0) / 0.75)
    cells = found.rows[0]["iep"], found.rows[0]["corrected"]
    widths = [cell.high - cell.low for cell in cells if isinstance(cell, Estimate)]  # type: ignore[operator]
    assert widths[1] > widths[0]


def test_a_judge_that_pairs_anything_is_not_corrected_and_the_board_says_so() -> None:
    found = board(*many(20, said=(1, 1, 0), wrong=(1, 1, 0)))
    assert value(found.rows[0]["corrected"]) is None
    assert any(
        note.startswith("What j found cannot be corrected: it pairs what was not") for note in found.notes
    )
    assert value(found.rows[0]["iep"]) is not None


def test_the_table_of_matchers_by_hand() -> None:
    lists = [
        tried((1, 1, 2), (0, 0), "x"),
        tried((1, 0), (1, 2, 0), "y"),
        tried((0,), (0,), "z", absent=(1, 0, 0)),
    ]
    found = board(*(played(n, counted(1, 1, 1, planted=one)) for n, one in enumerate(lists, 1)))
    (row,) = part(found, "How well judges match key points").rows
    assert value(row["found"]) == pytest.approx(4 / 6)
    assert value(row["rightly"]) == pytest.approx(3 / 6)
    assert value(row["false"]) == pytest.approx(3 / 9)
    assert value(row["false_wrong"]) == pytest.approx(2 / 6)
    assert value(row["false_absent"]) == pytest.approx(1 / 3)
    assert (row["said"], row["wrong"], row["absent"]) == (6, 6, 3)
    assert (row["mispaired"], row["lists"]) == (3, 3)


def test_each_of_several_judges_has_a_line_of_its_own() -> None:
    both = board(*(played(n, counted(5, 5, 5), counted(1, 1, 1, judge="k")) for n in (1, 2)))
    assert [(row["judge"], value(row["iep"])) for row in part(both, "By judge").rows] == [
        ("j", 100.0),
        ("k", pytest.approx(20.0)),
    ]
    assert [row["judge"] for row in part(both, "How well judges match key points").rows] == ["j", "k"]
    assert "By judge" not in titles(board(*THREE))


def test_a_piece_that_is_used_twice_is_one_cluster() -> None:
    found = board(
        *(played(n, counted(n % 5, 1, 1), title="The Well" if n < 3 else "") for n in range(1, 5)),
    )
    cell = found.rows[0]["iep"]
    assert isinstance(cell, Estimate)
    assert cell.clusters == (3,)


def test_habits_of_players_and_npc_stand_apart() -> None:
    moves = [
        Move("player", "speak", "", "Hello there."),
        Move("npc", "pass", "", ""),
        Move("player", "speak", "", "Hello there."),
        Move("player 2", "both", "", ""),
        Move("player 3", "pass", "", ""),
    ]
    found = board(*(played(n, counted(1, 1, 1), outcome=session(moves=moves)) for n in (1, 2)))
    (row,) = found.rows
    assert [value(row[key]) for key in ("passes", "repeated", "empty")] == [0.25, 0.25, 0.25]
    players, npc = part(found, "Moves").rows
    assert (players["who"], players["n"], value(players["speak"]), value(players["length"])) == (
        "players",
        8,
        0.5,
        len("Hello there."),
    )
    assert (npc["who"], npc["n"], value(npc["pass"]), value(npc["length"])) == ("NPC", 2, 1.0, None)


def test_without_judges_the_board_has_what_rules_know() -> None:
    found = board(played(1), played(2))
    assert not {"iep", "corrected", "rank", "unscored"} & {column.key for column in found.columns}
    assert "--model-role judge=NAME" in found.notes[0]
    assert titles(found) == ["Moves"]


def test_nothing_at_all_is_a_board_too() -> None:
    assert board().rows == ()
    assert titles(board(void(1))) == ["What came to nothing"]
    assert board(scene="intentions").rows == ()


def test_who_plays_the_npc_and_who_judges_itself_is_said() -> None:
    own = board(played(1, counted(1, 1, 1)))
    assert any("Each model plays the NPC" in note for note in own.notes)
    other = board(played(1, counted(1, 1, 1), npc="x/npc"))
    assert any("The NPC is played by x/npc" in note for note in other.notes)
    itself = board(played(1, counted(1, 1, 1, judge="m")))
    assert any(note == "m plays and judges its own play." for note in itself.notes)
    assert not any("judges its own" in note for note in own.notes)


def test_weak_sessions_are_those_below_half() -> None:
    found = board(
        played(1, counted(3, 2, 2)),
        played(2, counted(5, 5, 0)),
        played(3, verdict([], [], [])),
        played(4, missing()),
    )
    table = part(found, "Weak sessions, for raters")
    assert [row["session"] for row in table.rows] == ["session 1: The Bridge 1", "session 3: The Bridge 3"]
    assert [row["iep"] for row in table.rows] == [pytest.approx(100 * 7 / 15), 0.0]
    assert table.notes[0].startswith("2 of 3 scored sessions are below 50%")
    assert "session,model,rater,word" in table.notes[1]
    assert "--words" in table.notes[1]
    half = played(1, counted(5, 5, 0), counted(0, 0, 5, judge="k"))
    assert "Weak sessions, for raters" not in titles(board(half)), "a half is not below a half"


def test_the_sample_is_drawn_evenly_stays_put_and_follows_no_order() -> None:
    weak = [played(n, counted(0, 0, 0)) for n in range(1, 101)]
    sample = weak_sample(weak)
    assert len(sample) == IN_SAMPLE
    assert weak_sample(weak[::-1]) == sample
    numbers = [one.scenario.content["number"] for one in sample]
    assert numbers == sorted(numbers)
    assert numbers != list(range(1, IN_SAMPLE + 1))
    assert (
        len(set(map(str, numbers)) - {str(one.scenario.content["number"]) for one in weak_sample(weak[:99])})
        <= 1
    )
    strong = [played(n, counted(5, 5, 5)) for n in range(101, 201)]
    assert weak_sample([*weak, *strong]) == sample


def test_repeats_of_one_session_can_be_told_apart() -> None:
    found = board(*(played(1, counted(0, 0, 0), repeat=repeat) for repeat in (0, 1)))
    assert [row["repeat"] for row in part(found, "Weak sessions, for raters").rows] == [1, 2]
    assert found.rows[0]["n"] == 2


def test_intentions_have_counts_of_moves_and_wants_and_point_to_the_reading() -> None:
    sessions = [
        played(1, outcome=intentions("stealth", "insight"), model="a"),
        played(2, outcome=intentions("stealth"), model="a"),
        played(1, outcome=intentions("arcana"), model="b"),
        void(2, model="b"),
    ]
    found = board(*sessions, scene="intentions")
    one, other = found.rows
    assert (one["sessions"], one["moves"], one["wants"], value(one["void"])) == (2, 6, 3, 0.0)
    assert (other["sessions"], other["wants"], value(other["void"])) == (1, 1, 0.5)
    assert value(one["passes"]) == pytest.approx(1 / 3)
    assert "gap (IEG)" in found.notes[0]
    (stealth,) = rows_of(part(found, "What players were told to want"), skill="stealth")
    assert (stealth["wants"], stealth["sessions"], stealth["of a"], stealth["of b"]) == (2, 2, 2, 0)
    assert titles(found) == ["What players were told to want", "Moves", "What came to nothing"]


def test_the_same_record_gives_the_same_board() -> None:
    assert summarize(many(12), OPTIONS) == summarize(many(12), OPTIONS)
    assert summarize(THREE, INTENTIONS).as_json() == summarize(THREE, INTENTIONS).as_json()
