"""What a board says of the null model, by the ranks that it has."""

from collections.abc import Mapping

import pytest

from interplay.core.board import Board, Cell, Column
from interplay.models.null import NULL
from interplay.running.null_note import WHAT_IT_IS, null_notes

MODEL, DM, RANK = (Column(key, key, key, "text") for key in ("model", "dm", "rank"))
AHEAD, LEVEL = (f"By the ranks here, {NULL} is {how} " for how in ("ahead of", "level with"))


def board(*ranked: tuple[str, int | None]) -> Board:
    rows: list[Mapping[str, Cell]] = [{"model": model, "rank": rank} for model, rank in ranked]
    return Board("title", (MODEL, RANK), tuple(rows))


def test_a_board_without_it_says_nothing_of_it() -> None:
    assert null_notes(board(("a", 1), ("b", 2))) == []
    assert null_notes(Board("words", (Column("name", "name", "name", "text"),), ({"name": NULL},))) == []


def test_it_is_named_for_what_it_is_where_everybody_is_better() -> None:
    assert null_notes(board(("a", 1), ("b", 2), (NULL, 3))) == [WHAT_IT_IS]


@pytest.mark.parametrize(
    "ranked, told",
    [
        ([(NULL, 1), ("a", 2)], [f"{AHEAD}a."]),
        ([("a", 1), (NULL, 2), ("b", 3), ("c", 4)], [f"{AHEAD}b and c."]),
        ([(NULL, 1), ("a", 2), ("b", 3), ("c", 4)], [f"{AHEAD}a, b and c."]),
        ([("a", 1), (NULL, 1), ("b", 3)], [f"{AHEAD}b.", f"{LEVEL}a."]),
        ([("a", 1), ("b", 2), (NULL, 2)], [f"{LEVEL}b."]),
        ([(NULL, 1), ("a", None)], []),
        ([("a", 1), (NULL, None)], []),
        ([("a", None), (NULL, None)], []),
    ],
)
def test_who_is_no_better_is_named(ranked: list[tuple[str, int | None]], told: list[str]) -> None:
    assert null_notes(board(*ranked)) == [WHAT_IT_IS, *told]


def test_ranks_are_compared_within_what_stands_before_them_and_a_model_is_named_once() -> None:
    rows: list[Mapping[str, Cell]] = [
        {"model": model, "dm": dm, "rank": rank}
        for dm, ranked in (("x", ("a", NULL)), ("y", (NULL, "b", "a")), ("z", (NULL, "b")))
        for rank, model in enumerate(ranked, 1)
    ]
    found = Board("title", (MODEL, DM, RANK), tuple(rows))
    assert null_notes(found) == [WHAT_IT_IS, f"{AHEAD}b and a."]


def test_a_board_without_ranks_says_what_it_is_alone() -> None:
    assert null_notes(Board("title", (MODEL,), ({"model": NULL}, {"model": "a"}))) == [WHAT_IT_IS]
