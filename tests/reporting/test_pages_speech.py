"""Turns: who said what, who heard it, what was kept back, and the same numbers in every view."""

from typing import Any

from interplay.core.conversation import Line
from interplay.reporting.pages.drawing import environment
from interplay.reporting.pages.speech import COLOURS, colours_of, heard_in, seats_of, turns_of

CLUE = '{"clue": "It is round", "why": "a hint"}'
LINES = [
    Line("", (), "Ada has the word apple."),
    Line("", ("ada",), "Give a clue."),
    Line("ada", ("ada",), CLUE),
    Line("ada", ("bo", "cy"), "It is round"),
    Line("", ("bo",), "What is it?"),
    Line("", ("cy",), "What is it?"),
    Line("bo", ("bo",), '{"guess": "ball"}'),
    Line("cy", ("cy",), '{"guess": "apple"}'),
]


def test_what_a_seat_wrote_and_then_said_is_one_turn() -> None:
    turns = turns_of(LINES, ["ada"])
    assert [turn.number for turn in turns] == [1, 2, 3, 4, 5, 6]
    said = turns[2]
    assert (said.seat, said.text, said.heard_by) == ("ada", "It is round", ("bo", "cy"))
    assert said.is_subject and said.is_public and not said.is_private
    assert said.thoughts == [("why", "a hint")]


def test_what_the_narrator_told_several_is_one_turn_to_all_of_them() -> None:
    assert turns_of(LINES)[3].heard_by == ("bo", "cy")


def test_what_nobody_else_heard_is_private_and_laid_out_by_its_fields() -> None:
    guess = turns_of(LINES)[4]
    assert guess.is_private and not guess.is_public and guess.fields == {"guess": "ball"}
    assert turns_of([Line("a", ("a",), "[1]"), Line("b", ("b",), "{oh}")])[0].fields is None


def test_who_is_alone_says_nothing_in_private() -> None:
    turns = turns_of([Line("", ("solo",), "Go."), Line("solo", ("solo",), "Done.")], ["solo"])
    assert turns[1].is_public and not turns[1].is_private


def test_a_seat_knows_what_it_heard_and_what_it_kept_back_and_no_more() -> None:
    turns = turns_of(LINES)

    def known(seat: str) -> dict[int, str]:
        return {turn.number: turn.text for turn in turns if heard_in(turn, seat)}

    assert known("ada") == {2: "Give a clue.", 3: "It is round"}
    assert known("bo") == {3: "It is round", 4: "What is it?", 5: '{"guess": "ball"}'}
    assert set(known("cy")) == {3, 4, 6}
    heard = heard_in(turns[2], "bo")
    assert heard is not None and heard.thoughts == []
    own = heard_in(turns[2], "ada")
    assert own is not None and own.thoughts == [("why", "a hint")]


def test_a_part_of_a_system_sees_its_own_step() -> None:
    lines = [
        Line("user", ("system",), "Book it."),
        Line("", ("system reply",), "Book it."),
        Line("system reply", ("system reply",), "Booked."),
        Line("system", ("user",), "Booked."),
    ]
    turns = turns_of(lines)
    assert [turn.seat for turn in turns] == ["user", "system"]
    assert turns[0].heard_by == ("system",)  # what a part is handed is no word of the narrator's to others
    step = heard_in(turns[1], "system reply")
    assert step is not None and (step.seat, step.text, step.number) == ("system reply", "Booked.", 2)


def test_two_who_talk_sit_on_two_sides_with_the_measured_one_on_the_right() -> None:
    lines = [Line("asker", ("player",), "Hello?"), Line("player", ("asker",), "Hello.")]
    assert [turn.side for turn in turns_of(lines, ["player"])] == ["left", "right"]
    assert [turn.side for turn in turns_of(lines, ["asker"])] == ["right", "left"]
    assert {turn.side for turn in turns_of(LINES, ["ada"])} == {"left"}


def test_colours_are_stable_and_go_round() -> None:
    lines = [Line(f"seat {number}", ("all",), "hm") for number in range(COLOURS + 2)]
    assert list(colours_of(lines).values()) == [*range(1, COLOURS + 1), 1, 2]
    assert all(turn.colour == colours_of(lines)[turn.seat] for turn in turns_of(lines))


def test_seats_come_in_the_order_of_first_words_and_who_was_only_asked_last() -> None:
    assert seats_of(LINES, ["bo", "dee"]) == ["ada", "bo", "cy", "dee"]


def test_nothing_said_is_no_turn() -> None:
    assert turns_of([]) == []


def test_a_transcript_is_drawn_for_any_page_with_or_without_links_to_its_turns() -> None:
    module: Any = environment().get_template("transcript.html").module
    text = str(module.lines([*LINES, Line("ada", ("bo",), "<img src=x onerror=alert(1)>\u202e")], ["ada"]))
    assert text.count("<li ") == 7 and 'id="turn-3"' in text and 'href="#turn-3"' in text
    assert "<img" not in text and "\u202e" not in text and "U+202E" in text
    assert text.count("subject") == 2 and text.count("in private") == 2
    plain = str(module.lines(LINES, (), anchors=False))
    assert "id=" not in plain and "href=" not in plain and "measured" not in plain
    assert "Nothing was said yet." in str(module.lines([]))
