"""The board of the gap: its rows, its order within a virtual game master, its parts and what its notes say."""

from collections.abc import Mapping, Sequence
from random import Random

import pytest

from interplay.benchmarks.social_interaction.gap import REAL, UNTRAINED, Reading
from interplay.benchmarks.social_interaction.gap_notes import Told, told_of
from interplay.benchmarks.social_interaction.gap_tables import board
from interplay.benchmarks.social_interaction.windows import WRITTEN, Intention, Play, Turn, Window
from interplay.core.board import Board, Cell, Estimate
from interplay.reporting.cells import interval, written

SKILLS = ("stealth", "stealth", "insight", "arcana")


def _window(session: int, number: int) -> Window:
    """The one who is asked spoke last in every other window."""
    speakers = ("Game master", "Ash", "Brook") if number % 2 else ("Ash", "Brook", "Ash", "Brook", "Clay")
    asked = Intention("Ash" if number % 4 == 2 else speakers[-1], SKILLS[number % 4])
    turns = tuple(Turn((name,), "...") for name in speakers)
    return Window(f"s{session}-{number}", f"s{session}", turns, (asked,), ("Game master",))


WINDOWS = tuple(_window(session, number) for session in range(10) for number in range(8))
TOLD = Told(play="table.jsonl", written=False, windows=320, sessions=40, skill="stealth")


def reading(dm: str, source: str, size: int, right: float, unread: int = 0) -> Reading:
    """A reader that is right in about this share of windows, names nobody else, and leaves the first ones unread."""
    random = Random(f"{dm} {source} {size}")
    read: dict[str, frozenset[Intention] | None] = {}
    for number, window in enumerate(WINDOWS):
        wrong = frozenset({Intention("Nobody", "arcana")})
        read[window.id] = frozenset(window.intentions) if random.random() < right else wrong
        if number < unread:
            read[window.id] = None
    return Reading(dm, source, size, read, f"{source} by {dm}")


READINGS = (
    reading("light", UNTRAINED, 0, 0.1),
    reading("light", REAL, 40, 0.8),
    reading("light", REAL, 120, 0.95),
    reading("light", "poor", 120, 0.2),
    reading("light", "good", 120, 0.8),
    reading("tuned", REAL, 120, 0.3),
    reading("tuned", "poor", 100, 0.45, unread=8),
)


def row(table: Board, **wanted: Cell) -> Mapping[str, Cell]:
    (found,) = (one for one in table.rows if all(one[key] == value for key, value in wanted.items()))
    return found


def value(cell: Cell) -> float:
    assert isinstance(cell, Estimate) and cell.value is not None
    return cell.value


def part(table: Board, title: str) -> Board:
    (found,) = (one for one in table.parts if one.title == title)
    return found


class TestMainTable:
    table = board(READINGS, WINDOWS, TOLD)

    def test_the_smallest_gap_is_first_within_each_virtual_game_master(self) -> None:
        told = [(one["dm"], one["model"], one["rank"], one["subject"]) for one in self.table.rows]
        assert told == [
            ("light", "good", 1, "good by light"),
            ("light", "poor", 2, "poor by light"),
            ("tuned", "poor", 1, "poor by tuned"),
        ]

    def test_gaps_are_those_of_the_f_scores_beside_them(self) -> None:
        for one in self.table.rows:
            for level in ("c", "o"):
                f_r, f_g = value(one[f"f_r_{level}"]), value(one[f"f_g_{level}"])
                assert value(one[f"gap_{level}"]) == pytest.approx(100 * abs(f_r - f_g) / (f_r + f_g))
                assert one[f"side_{level}"] == ("below" if one["dm"] == "light" else "above")
                assert (f_g < f_r) == (one["dm"] == "light")

    def test_what_stands_beside_a_gap(self) -> None:
        good, poor = row(self.table, model="good"), row(self.table, dm="tuned")
        assert (good["n"], good["size"], good["unread"]) == (80, 120, 0)
        assert (poor["n"], poor["size"], poor["unread"]) == (72, 100, pytest.approx(0.1))
        assert value(good["f_0_o"]) < value(good["f_g_o"])
        assert isinstance(poor["f_0_o"], Estimate) and poor["f_0_o"].value is None  # nobody untrained there
        gap = good["gap_o"]
        assert isinstance(gap, Estimate) and gap.clusters == (10,) and gap.low is not None

    def test_every_cell_can_be_written(self) -> None:
        for table in (self.table, *self.table.parts):
            for one in table.rows:
                for column in table.columns:
                    assert written(column, one[column.key]) is not None
                    assert "nan" not in interval(column, one[column.key])
        assert self.table.as_json()["title"] == "Expressiveness gap (IEG)"

    def test_the_order_of_readings_does_not_show(self) -> None:
        assert board(READINGS[::-1], WINDOWS[::-1], TOLD) == self.table

    def test_equal_gaps_share_a_place_and_undefined_ones_have_none(self) -> None:
        nothing = {window.id: frozenset[Intention]() for window in WINDOWS}
        readings = [
            READINGS[2],
            Reading("light", "a", 120, nothing, "a"),
            Reading("light", "b", 120, nothing, "b"),
            Reading("blind", REAL, 120, nothing, "real"),
            Reading("blind", "a", 120, nothing, "a"),
        ]
        found = board(readings, WINDOWS, TOLD)
        assert [(one["dm"], one["model"], one["rank"], one["side_o"]) for one in found.rows] == [
            ("blind", "a", None, ""),
            ("light", "a", 1, "below"),
            ("light", "b", 1, "below"),
        ]


class TestParts:
    table = board(READINGS, WINDOWS, TOLD)

    def test_readers_begin_with_the_baselines(self) -> None:
        readers = part(self.table, "Readers")
        told = [(one["reader"], one["dm"], one["size"]) for one in readers.rows]
        assert told == [
            ("last speaker", "", 0),
            ("most turns", "", 0),
            ("nothing", "light", 0),
            ("real play", "light", 120),
            ("good", "light", 120),
            ("poor", "light", 120),
            ("real play", "tuned", 120),
            ("poor", "tuned", 100),
        ]

    def test_last_speaker_worked(self) -> None:
        last = row(part(self.table, "Readers"), reader="last speaker")
        # Of eight windows of a session it has the character in six, and stealth is asked for in those four of them
        # that are numbered 0, 1, 4 and 5.
        assert (value(last["f_c"]), value(last["f_o"])) == (75.0, 50.0)
        assert (value(last["precision_o"]), value(last["recall_o"])) == (50.0, 50.0)
        assert last["above_o"] is None

    def test_how_far_above_last_speaker_a_reader_is_on_the_windows_that_it_read(self) -> None:
        readers = part(self.table, "Readers")
        real, poor = row(readers, reader="real play", dm="light"), row(readers, reader="poor", dm="tuned")
        assert value(real["above_o"]) == pytest.approx(value(real["f_o"]) - 50)
        assert value(poor["above_c"]) == pytest.approx(value(poor["f_c"]) - 75)
        assert (poor["n"], poor["unread"]) == (72, pytest.approx(0.1))
        worst, best = poor["o_worst"], poor["o_best"]
        assert isinstance(worst, float) and isinstance(best, float)
        assert best - worst == pytest.approx(10) and worst < value(poor["f_o"]) < best

    def test_bounds_are_shown_where_something_is_unread_alone(self) -> None:
        keys = [column.key for column in part(self.table, "Readers").columns]
        without = [column.key for column in part(board(READINGS[:5], WINDOWS, TOLD), "Readers").columns]
        assert set(keys) - set(without) == {"c_worst", "c_best", "o_worst", "o_best"}

    def test_a_learning_curve_for_those_with_several_sizes(self) -> None:
        curve = part(self.table, "Learning curve")
        assert [(one["reader"], one["dm"], one["size"]) for one in curve.rows] == [
            ("real play", "light", 40),
            ("real play", "light", 120),
        ]
        assert value(curve.rows[0]["f_o"]) < value(curve.rows[1]["f_o"])
        assert "Learning curve" not in [one.title for one in board(READINGS[2:5], WINDOWS, TOLD).parts]

    def test_by_skill_the_frequent_first(self) -> None:
        skills = part(self.table, "By skill")
        assert [(one["skill"], one["n"]) for one in skills.rows] == [
            ("stealth", 40),
            ("arcana", 20),
            ("insight", 20),
        ]
        shares = [value(one["light/real/120"]) for one in skills.rows]
        real = row(part(self.table, "Readers"), reader="real play", dm="light")
        assert (2 * shares[0] + shares[1] + shares[2]) / 4 == pytest.approx(value(real["recall_o"]))
        keys = [column.key for column in skills.columns]
        assert "light/untrained/0" not in keys and "tuned/poor/100" in keys


def notes(readings: Sequence[Reading], told: Told = TOLD) -> str:
    return "\n".join(board(readings, WINDOWS, told).notes)


class TestNotes:
    def test_whose_play_it_was(self) -> None:
        assert "Real play is table.jsonl: 320 windows of 40 sessions, 80 of 10 held out." in notes(READINGS)
        assert "written by" not in notes(READINGS)

    def test_written_play_is_said_to_be_written(self) -> None:
        told = told_of(Play(WRITTEN, WINDOWS), WINDOWS)
        assert told == Told(play=WRITTEN, written=True, windows=80, sessions=10, skill="stealth")
        said = notes(READINGS, told)
        assert "written by the authors of this program, not recorded from people at play" in said

    def test_sizes_are_equal_or_said_to_differ(self) -> None:
        said = notes(READINGS)
        assert "learned from equally many windows (120)" in said
        assert (
            "tuned that learned from poor learned from 100 windows and the reader of real play from 120"
            in said
        )
        alone = notes([READINGS[3]])
        assert "Nobody learned from real play for light" in alone and "equally many" not in alone

    def test_whether_a_reader_beats_last_speaker(self) -> None:
        said = notes(READINGS)
        light, tuned = (line for line in said.splitlines() if "that learned from real play, 120" in line)
        assert light.count(" beats last speaker") == 2 and "says little" not in light
        assert tuned.count("does not beat last speaker") == 2 and "says little" in tuned
        assert "against 50.00, difference " in light
        assert "Read by light, what poor played does not teach to beat last speaker" in said

    def test_what_a_reader_must_know(self) -> None:
        said = notes(READINGS)
        assert "In 75% of the held-out windows the character who is asked spoke last." in said
        assert "always stealth" in said
        assert "Gaps of different virtual game masters do not compare" in said
        assert "another seed" in said
        assert "tuned that learned from poor did not read every window in form" in said
        assert "in form" not in notes(READINGS[:5])

    def test_no_readings_at_all(self) -> None:
        found = board([], WINDOWS, TOLD)
        assert found.rows == () and [one.title for one in found.parts] == ["Readers"]
        assert "do not compare" not in "\n".join(found.notes)
