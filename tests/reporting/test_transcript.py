"""What of a conversation is shown: what is told right after it was said once, what nobody heard as well."""

from interplay.core.conversation import Line
from interplay.reporting.transcript import is_private, shown_lines

QUESTION = Line("", ("ann",), "Your turn.")
SAID = Line("ann", ("ann",), '{"clue": "soft"}')
TOLD = Line("ann", ("bob", "cat"), "soft")
GUESS = Line("ann", ("ann",), '{"bob": "cake"}')


def test_what_a_seat_tells_right_after_saying_it_is_shown_once() -> None:
    assert shown_lines([QUESTION, SAID, TOLD]) == [QUESTION, TOLD]


def test_nothing_was_said() -> None:
    assert shown_lines([]) == []


def test_what_nobody_else_heard_is_shown() -> None:
    assert shown_lines([QUESTION, GUESS]) == [QUESTION, GUESS]
    assert shown_lines([GUESS, QUESTION, SAID, TOLD]) == [GUESS, QUESTION, TOLD]


def test_a_guess_before_the_same_seat_s_next_clue_is_shown() -> None:
    """Nothing stands between the two where the seat guesses last and describes first."""
    assert shown_lines([GUESS, SAID, TOLD]) == [GUESS, TOLD]


def test_another_s_line_does_not_hide_a_private_one() -> None:
    other = Line("bob", ("ann",), "hard")
    assert shown_lines([GUESS, other]) == [GUESS, other]


def test_private_is_what_the_speaker_alone_heard() -> None:
    assert [is_private(line) for line in (QUESTION, SAID, TOLD)] == [False, True, False]


def test_what_the_narrator_only_passes_on_is_shown_once() -> None:
    said = Line("user", ("system",), "A table, please.")
    passed_on = Line("", ("system state",), "A table, please.")
    other = Line("", ("system state",), "The domain is restaurant.")
    assert shown_lines([said, passed_on, other]) == [said, other]


def test_what_another_seat_of_the_role_says_in_the_same_words_is_shown_once() -> None:
    private = Line("system reply", ("system reply",), "There is one.")
    public = Line("system", ("user",), "There is one.")
    assert shown_lines([private, public]) == [public]
    other = Line("system", ("user",), "There is none.")
    assert shown_lines([private, other]) == [private, other]
    note = Line("", (), "There is one.")
    assert shown_lines([public, note]) == [public, note]
