"""Calls and turns: every turn has the calls that made it, also where an answer had to be asked for again."""

from interplay.core.conversation import Line
from interplay.reporting.pages.speech import turns_of
from interplay.reporting.pages.voices import so_far, sources_of
from interplay.store.closeup import Voice


def voice(number: int, seat: str, step: int, text: str | None, **more: object) -> Voice:
    known = {
        "attempt": 0,
        "model": "m",
        "state": "done",
        "cause": "",
        "reasoning": "",
        "sent": "",
        "latency": 1.0,
    }
    return Voice(
        number=number, stage="play", item="", participant=seat, step=step, text=text, **{**known, **more}
    )  # type: ignore[arg-type]


def calls_of(lines: list[Line], calls: list[Voice]) -> dict[int, list[int]]:
    return {
        turn: [one.number for one in found.calls]
        for turn, found in sources_of(turns_of(lines), calls).items()
    }


LINES = [
    Line("a", ("a",), '{"say": "one", "why": "x"}'),
    Line("a", ("b",), "one"),
    Line("b", ("b",), "two"),
    Line("b", ("a",), "two"),
    Line("a", ("a",), '{"say": "three", "why": "y"}'),
    Line("a", ("b",), "three"),
]


def test_each_turn_has_its_call() -> None:
    last = voice(3, "a", 1, '{"say":"three","why":"y"}')
    calls = [voice(1, "a", 0, '{"say": "one", "why": "x"}'), voice(2, "b", 0, "two"), last]
    assert calls_of(LINES, calls) == {1: [1], 2: [2], 3: [3]}


def test_an_answer_that_could_not_be_read_is_with_the_one_that_could() -> None:
    calls = [
        voice(1, "a", 0, 'Sure: {"say": "one", "why": "x", "more": 1}'),
        voice(2, "a", 1, '{"say": "one", "why": "x"}'),
        voice(3, "b", 0, "two"),
        voice(4, "a", 2, '{"say": "three", "why": "y"}'),
    ]
    assert calls_of(LINES, calls) == {1: [1, 2], 2: [3], 3: [4]}
    later = [
        calls[1],
        voice(3, "b", 0, "two"),
        voice(5, "a", 2, "?"),
        voice(6, "a", 3, '{"say": "three", "why": "y"}'),
    ]
    assert calls_of(LINES, later) == {1: [2], 2: [3], 3: [5, 6]}


def test_a_call_that_failed_is_with_its_next_attempt() -> None:
    calls = [
        voice(1, "a", 0, None, state="failed"),
        voice(2, "a", 0, '{"say": "one", "why": "x"}', attempt=1),
    ]
    assert calls_of(LINES[:2], calls) == {1: [1, 2]}


def test_what_was_thought_before_is_told_with_the_seat() -> None:
    found = sources_of(turns_of(LINES[2:4]), [voice(2, "b", 0, "two", reasoning="hmm")])
    assert found[1].thoughts == (("b", "hmm"),)


def test_fewer_calls_than_lines_are_no_guess() -> None:
    assert calls_of(LINES, [voice(1, "a", 0, '{"say": "one", "why": "x"}')]) == {}


def test_what_was_written_so_far_is_told_from_the_calls() -> None:
    calls = [voice(1, "a", 0, "Hello."), voice(2, "b", 0, None, state="sent")]
    assert so_far(calls) == [Line("a", ("a",), "Hello.")]
