"""What all writing of new data has in common: draws, the best of the tries, a board, what a file says of itself."""

from pathlib import Path

import pytest

from interplay.benchmarks.generating import best_pieces, board_of_writing, drawn, refuse_data, told_of
from interplay.core.benchmark import Played, Scenario
from interplay.core.failures import Mistake
from interplay.core.making import Origin, Piece

SCENARIOS = [Scenario({"number": number}, f"piece {number}") for number in (1, 2, 3)]


def place(scenario: Scenario) -> int:
    number: int = scenario.content["number"]
    return number


def read(one: Played) -> Piece:
    """An outcome is (what a person may read, complaints)."""
    text, complaints = one.outcome
    return Piece(one.scenario.id, one.scenario.label, text, {"as": "read"}, complaints)


def tried(number: int, repeat: int, text: str = "", *complaints: str, failure: str = "") -> Played:
    outcome = None if failure else (text, complaints)
    return Played(SCENARIOS[number - 1], "m", repeat, outcome, failure)


def best(*played: Played) -> list[tuple[str, tuple[str, ...]]]:
    return [(piece.text, piece.complaints) for piece in best_pieces(played, place, read)]


def test_the_first_try_that_passes_counts_and_nothing_is_read_of_the_piece_after_it() -> None:
    seen: list[str] = []

    def noting(one: Played) -> Piece:
        seen.append(one.outcome[0])
        return read(one)

    played = [tried(1, 2, "third"), tried(1, 0, "first", "bad"), tried(1, 1, "second"), tried(2, 0, "other")]
    found = best_pieces(played, place, noting)
    assert [piece.text for piece in found] == ["second", "other"]
    assert seen == ["first", "other", "second"]  # all first tries before a second


@pytest.mark.parametrize(
    "tries, wanted",
    [
        ([("worse", "a", "b"), ("better", "c")], ("better", ("c",))),
        ([("better", "c"), ("worse", "a", "b")], ("better", ("c",))),
        ([("earlier", "a"), ("later", "b")], ("later", ("b",))),
        ([("shown", "a", "b"), ("", "c")], ("shown", ("a", "b"))),
        ([("", "c"), ("shown", "a", "b")], ("shown", ("a", "b"))),
    ],
)
def test_where_none_passes_the_fewest_complaints_count_among_what_can_be_shown(
    tries: list[tuple[str, ...]], wanted: tuple[str, tuple[str, ...]]
) -> None:
    assert best(*(tried(1, repeat, *one) for repeat, one in enumerate(tries))) == [wanted]


def test_a_try_that_was_read_goes_before_one_that_was_not() -> None:
    unreadable = tried(1, 0, failure="unreadable")
    hidden = tried(1, 1, "", "a", "b")
    assert best(unreadable, hidden) == best(hidden, unreadable) == [("", ("a", "b"))]
    assert best(unreadable) == [("", ("the writer never answered in form",))]
    assert best(tried(1, 0, failure="provider")) == [("", ("provider",))]


def test_a_list_is_drawn_to_its_end_before_anything_comes_again() -> None:
    entries = list("abcdefgh")
    found = [drawn(entries, number, "0/letters") for number in range(1, 25)]
    rounds = [found[:8], found[8:16], found[16:]]
    assert all(sorted(one) == entries for one in rounds)
    assert rounds[0] != rounds[1] != rounds[2]
    assert entries == list("abcdefgh")
    assert found != [drawn(entries, number, "1/letters") for number in range(1, 25)]


def test_a_board_says_of_each_piece_some_of_its_complaints() -> None:
    played = [tried(1, 0, "x", *map(str, range(8))), tried(2, 0, "y"), tried(3, 0, failure="budget")]
    board = board_of_writing("title", played, lambda tries: best_pieces(tries, place, read))
    assert board.notes == ("piece 1: 0; 1; 2; 3; 4; 3 more.", "piece 3: budget.")
    assert [board.rows[0][key] for key in ("written", "pieces", "rejected", "unanswered")] == [1, 3, 1, 1]


def test_the_model_that_wrote_most_stands_first() -> None:
    def by(name: str, *texts: str) -> list[Played]:
        return [Played(one, name, 0, (text, ())) for one, text in zip(SCENARIOS, texts, strict=False)]

    board = board_of_writing(
        "title", by("a", "x") + by("b", "x", "y"), lambda tries: best_pieces(tries, place, read)
    )
    assert [row["model"] for row in board.rows] == ["b", "a"]


def test_writing_reads_no_data() -> None:
    refuse_data(None)
    with pytest.raises(Mistake, match=r"leave x\.toml out"):
        refuse_data(Path("x.toml"))


def test_a_file_names_its_origin_and_its_canary() -> None:
    origin = Origin("run-1", "openai/m", "2026-01-02", "u-u-i-d", {"seed": "7"}, True)
    assert told_of(origin, "words") == {
        "canary": "INTERPLAY CANARY words u-u-i-d: benchmark data, keep out of training corpora",
        "written_by": "openai/m",
        "run": "run-1",
        "started": "2026-01-02",
        "seed": 7,
        "reviewed": True,
    }
