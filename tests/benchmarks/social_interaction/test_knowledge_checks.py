"""Checks of pieces of knowledge: the shipped ones pass, and each fault that is planted in one is found."""

from dataclasses import replace
from pathlib import Path

import pytest

from interplay.benchmarks.social_interaction.knowledge import (
    FOLDER,
    Knowledge,
    Point,
    read_knowledge,
    shipped,
)
from interplay.benchmarks.social_interaction.knowledge_checks import (
    Shelf,
    complaints,
    complaints_of_set,
    shared,
)

FILES = sorted(FOLDER.glob("*.toml"))
PIECE = next(piece for piece in shipped() if piece.title == "The Quarrel Bell")
OTHER = next(piece for piece in shipped() if piece.title == "The Glass Hare")


def with_point(**changes: str) -> Knowledge:
    """The piece with its first point changed."""
    first, *others = PIECE.points
    return replace(PIECE, points=(replace(first, **changes), *others))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_shipped_pieces_pass(path: Path) -> None:
    found = {piece.title: complaints(piece) for piece in read_knowledge(path)}
    assert {title: faults for title, faults in found.items() if faults} == {}


def test_the_shipped_pieces_pass_as_a_set() -> None:
    assert complaints_of_set(shipped()) == []


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        (replace(PIECE, title="Bell"), "the title has 1 words, not 2 to 5"),
        (replace(PIECE, text=PIECE.text + " and so on" * 10), "the text has 164 words, not 100 to 150"),
        (replace(PIECE, text=PIECE.text.replace("everyone", "you")), "the text speaks to somebody as you"),
        (replace(PIECE, points=PIECE.points[:4]), "it has 4 points, not 5"),
        (replace(PIECE, points=()), "it has 0 points, not 5"),
        (replace(PIECE, title="The Medicine Bell"), "it names the skill 'medicine'"),
        (
            replace(PIECE, text=PIECE.text.replace("peace", "Sleight  of hand")),
            "it names the skill 'sleight  of hand'",
        ),
        (
            replace(PIECE, text=PIECE.text.replace("peace", "*peace*")),
            "it has a mark of markup or of a template: '*'",
        ),
        (
            replace(PIECE, text=PIECE.text.replace("peace", "pe\u200bace")),
            "it holds characters that cannot be seen",
        ),
        (replace(PIECE, text=PIECE.text.replace("peace", "whores-bane")), "'whores-bane' may offend"),
    ],
)
def test_faults_of_a_piece_are_found(changed: Knowledge, complaint: str) -> None:
    assert complaints(changed) == [complaint]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"point": "Oda Verrin cast eleven pans."}, "the point has 5 words, not 6 to 18"),
        ({"point": "It was cast by Oda Verrin from eleven thrown pans."}, "it begins with 'it' and cannot"),
        (
            {"point": "Ada Verrin cast the bell from eleven stew pans thrown in anger."},
            "the name Ada is not in the",
        ),
        (
            {"point": "Oda Verrin cast the bell from twelve stew pans thrown in anger."},
            "the number 12 is not in the",
        ),
        ({"said": "Old cookware, melted by a woman named Tirzah."}, "the name Tirzah is not in the text"),
        ({"said": "Melted pots and pans."}, "the right statement has 4 words, not 6 to 24"),
        (
            {"said": "She cast it from pans somebody had thrown in anger."},
            "the right statement repeats 67% of its",
        ),
        (
            {"said": "Oda Verrin cast the bell from eleven pans that had been thrown."},
            "the right statement is too much like",
        ),
        ({"said": "", "wrong": ""}, "it lacks what a player may say of it, right and wrong"),
        ({"wrong": "Oda Verrin cast the bell."}, "the wrong statement has 5 words, and the point has 15"),
        (
            {"wrong": "Jugglers can visit every zoo on quiet Sundays with their whole family."},
            "is too unlike the",
        ),
        ({"wrong": PIECE.points[0].point.upper()}, "the wrong statement says what is right"),
        ({"wrong": PIECE.points[4].point}, "the wrong statement is too much like another point"),
    ],
)
def test_faults_of_a_point_are_found(changes: dict[str, str], complaint: str) -> None:
    found = complaints(with_point(**changes))
    assert [one for one in found if one.startswith("point 1: ") and complaint in one]


def test_a_point_must_not_be_there_twice_in_nearly_the_same_words() -> None:
    last = PIECE.points[4]
    assert "points 1 and 5 are too much alike" in complaints(
        with_point(point=last.point.replace("behind", "right behind"), said=last.said)
    )


def test_a_copy_is_never_taken_for_other_words() -> None:
    for piece in shipped():
        copied = replace(piece, points=tuple(Point(one.point, one.point, one.wrong) for one in piece.points))
        assert len([one for one in complaints(copied) if "the right statement is too much like" in one]) == 5


def test_names_and_numbers_may_be_repeated_and_forms_of_a_word_may_not() -> None:
    assert shared("Oda Verrin sold eleven horses.", "Oda Verrin got eleven mares off her hands.") == 0
    assert shared("The smith sold eleven horses.", "One horse after another is selling at the smith's.") == 1
    assert shared("It is what it is.", "It is what it is.") == 0


def test_a_set_must_have_titles_names_and_sentences_of_its_own() -> None:
    titled = replace(OTHER, title="the quarrel  bell")
    assert complaints_of_set([PIECE, titled]) == ["the quarrel  bell: the title 'the quarrel  bell' is taken"]
    named = replace(OTHER, text=OTHER.text.replace("Morrow Bay", "Verrin Bay"))
    assert complaints_of_set([PIECE, named]) == [
        "The Glass Hare: the name Verrin is also in 'The Quarrel Bell'"
    ]
    run = replace(OTHER, text=OTHER.text + " Nor does it come free of charge.")
    assert complaints_of_set([PIECE, run]) == []
    run = replace(OTHER, text=OTHER.text + " Whoever rings it can taste no honey.")
    assert complaints_of_set([PIECE, run]) == [
        "The Glass Hare: the words 'whoever rings it can taste no' are also in 'The Quarrel Bell'"
    ]


def test_places_and_titles_of_rank_are_no_names_by_themselves() -> None:
    one, other = (
        replace(piece, text=f"Here is Lord {name} of Long {name} Hill.")
        for piece, name in ((PIECE, "Ebrin"), (OTHER, "Tossel"))
    )
    assert complaints_of_set([one, other]) == []


def test_a_shelf_takes_a_new_piece_and_not_the_same_again() -> None:
    shelf = Shelf(piece for piece in shipped() if piece is not PIECE)
    assert shelf.about(PIECE) == []
    shelf.put(PIECE)
    assert shelf.about(PIECE)[0] == "the title 'The Quarrel Bell' is taken"
