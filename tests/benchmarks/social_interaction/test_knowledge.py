"""Pieces of knowledge: those that ship, and a user's file with each of its possible mistakes."""

import json
import tomllib
from collections import Counter
from pathlib import Path

import pytest
import tomli_w

from interplay.benchmarks.social_interaction.knowledge import (
    FOLDER,
    LARGEST_FILE,
    LONGEST_TEXT,
    MOST_PIECES,
    Knowledge,
    Point,
    entry_of,
    piece_of,
    read_knowledge,
    shipped,
)
from interplay.core.failures import Mistake

FILES = sorted(FOLDER.glob("*.toml"))
PIECE = '[[pieces]]\ntitle = "The Well"\ntext = "It is deep."\n'


def read(folder: Path, written: str) -> tuple[Knowledge, ...]:
    path = folder / "mine.toml"
    path.write_bytes(written.encode())
    return read_knowledge(path)


def refused(folder: Path, written: str) -> str:
    """What the reader says of a file, without its path; always one line."""
    with pytest.raises(Mistake) as raised:
        read(folder, written)
    said = str(raised.value)
    assert "\n" not in said
    assert said.startswith(str(folder / "mine.toml"))
    return said.removeprefix(str(folder / "mine.toml")).lstrip(":, ")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_file_has_eight_pieces_of_its_kind(path: Path) -> None:
    pieces = read_knowledge(path)
    assert len(pieces) == 8
    assert {piece.kind for piece in pieces} == {path.stem}
    assert all(len(piece.points) == 5 for piece in pieces)
    assert all(point.said and point.wrong for piece in pieces for point in piece.points)


def test_every_shipped_file_has_a_canary_of_its_own() -> None:
    canaries = {path.stem: tomllib.loads(path.read_text(encoding="utf-8"))["canary"] for path in FILES}
    for kind, canary in canaries.items():
        assert canary.startswith(f"INTERPLAY CANARY social_interaction {kind} ")
    assert len({canary.split()[4] for canary in canaries.values()}) == len(FILES)


def test_all_pieces_are_there_by_kind_and_read_once() -> None:
    kinds = Counter(piece.kind for piece in shipped())
    assert {"creatures", "dangers", "items", "places"} <= kinds.keys()
    assert list(kinds) == sorted(path.stem for path in FILES)
    assert shipped() is shipped()
    assert len({piece.title for piece in shipped()}) == 8 * len(FILES)


def test_a_shipped_text_is_one_line_without_the_files_line_breaks() -> None:
    assert not any("\n" in piece.text or "  " in piece.text for piece in shipped())


def test_an_entry_read_back_is_the_same_piece(tmp_path: Path) -> None:
    path = tmp_path / "copy.toml"
    bare = Knowledge(
        "odds", "Two points", "First.\n\nSecond.", (Point("One."), Point("Two.", "Zwei.", "Three."))
    )
    pieces = (*shipped(), bare, Knowledge("odds", "No points", "Only a text."))
    entries = [entry_of(piece) for piece in pieces]
    assert json.loads(json.dumps(entries)) == entries
    path.write_text(tomli_w.dumps({"pieces": entries}), encoding="utf-8")
    assert read_knowledge(path) == pieces
    assert entry_of(bare)["points"][0] == {"point": "One."}
    assert "points" not in entries[-1]


def test_a_users_file_may_be_short(tmp_path: Path) -> None:
    assert read(tmp_path, PIECE) == (Knowledge("mine", "The Well", "It is deep."),)
    assert read(tmp_path, 'kind = " wells "\n' + PIECE)[0].kind == "wells"
    assert len(read(tmp_path, 'canary = "c"\n' + PIECE + '[[characters]]\nname = "Odo"\n')) == 1
    assert read(tmp_path, 'kind = "wells"\n' + PIECE + 'kind = "pits"\n')[0].kind == "pits"


def test_a_users_points_may_lack_what_players_say(tmp_path: Path) -> None:
    points = 'points = [{ point = "Deep." }, { point = "Dry.", said = "", wrong = "" }]\n'
    assert read(tmp_path, PIECE + points)[0].points == (Point("Deep."), Point("Dry."))


def test_lines_are_joined_and_paragraphs_kept(tmp_path: Path) -> None:
    text = 'title = " A  title\\n"\ntext = """\r\n one\r\ntwo \r\n\r\n \r\n\tthree\r\n"""\r\n'
    (piece,) = read(tmp_path, "[[pieces]]\r\n" + text)
    assert (piece.title, piece.text) == ("A title", "one two\n\nthree")


def test_what_no_store_can_hold_is_replaced() -> None:
    piece = piece_of({"title": "A\udc80", "text": "B\0 b"}, "odds", "here")
    assert (piece.title, piece.text) == ("A?", "B\ufffd b")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "has no pieces; write each under its own [[pieces]]"),
        ("pieces = 3", "has no pieces; write each under its own [[pieces]]"),
        ("pieces = [3]", "piece 1 must be a table of its own, written under [[pieces]]"),
        ("peices = []", "has 'peices'; did you mean 'pieces'?"),
        ("kind = 3\n" + PIECE, "kind must be a text in quotes"),
        ('kind = " "\n' + PIECE, "kind is missing: there is no letter in it"),
        (PIECE + 'tittle = "x"', "piece 1 has 'tittle'; did you mean 'title'?"),
        ('[[pieces]]\ntext = "x"', "piece 1: title is missing"),
        ('[[pieces]]\ntitle = "x"', "piece 1: text is missing"),
        ('[[pieces]]\ntitle = "x"\ntext = 7', "piece 1: text must be a text in quotes"),
        ('[[pieces]]\ntitle = "x"\ntext = "..."', "piece 1: text is missing: there is no letter in it"),
        (
            '[[pieces]]\ntitle = "x\\u001b"\ntext = "y"',
            "piece 1: title holds the unprintable character U+001B",
        ),
        (
            '[[pieces]]\ntitle = "x"\ntext = "y\\u202e"',
            "piece 1: text holds the unprintable character U+202E",
        ),
        (
            PIECE + PIECE.replace("Well", "WELL"),
            "pieces 1 and 2 are both titled 'The WELL'; each must be its own",
        ),
        (PIECE + 'points = "x"', "piece 1: points is a list such as [{ point ="),
        (PIECE + 'points = [{ point = "x" }]', "piece 1: it has 1 points; 2 to 12 are right, or none at all"),
        (PIECE + f"points = {['x'] * 13}", "piece 1: it has 13 points; 2 to 12 are right, or none at all"),
        (PIECE + 'points = ["x", "y"]', "piece 1, point 1 is written as { point ="),
        (PIECE + 'points = [{ point = "x", sayd = "y" }, 1]', "point 1 has 'sayd'; did you mean 'said'?"),
        (PIECE + 'points = [{ said = "y" }, 1]', "point 1: point is missing"),
        (
            PIECE + 'points = [{ point = "x", said = "y" }, 1]',
            "point 1 has said alone; write both said and wrong",
        ),
        (
            PIECE + 'points = [{ point = "x", wrong = 3 }, 1]',
            "point 1 has wrong alone; write both said and wrong",
        ),
        (
            PIECE + 'points = [{ point = "x", said = 1, wrong = "y" }, 1]',
            "point 1: said must be a text in quotes",
        ),
        (
            PIECE + 'points = [{ point = "x", said = "y", wrong = "X" }, 1]',
            "point 1: wrong says what is right",
        ),
        (PIECE + 'points = [{ point = "x" }, { point = "X" }]', "points 1 and 2 are both written 'X'"),
    ],
)
def test_a_mistake_in_a_users_file_is_told_in_one_line(tmp_path: Path, written: str, said: str) -> None:
    assert said in refused(tmp_path, written)


def test_what_is_too_long_or_too_many_is_refused(tmp_path: Path) -> None:
    long = f'[[pieces]]\ntitle = "x"\ntext = "{"a" * (LONGEST_TEXT + 1)}"'
    assert refused(tmp_path, long) == "piece 1: text has 8,001 characters; it may have 8,000"
    many = f"pieces = [{'{}, ' * (MOST_PIECES + 1)}]"
    assert refused(tmp_path, many) == "has 2,001 pieces; a file may have 2,000"
    assert len(refused(tmp_path, f"{'k' * 10_000} = 1")) < 400
    assert refused(tmp_path, "#" * (LARGEST_FILE + 1)) == "is larger than 10,000,000 bytes"


def test_what_is_no_file_of_pieces_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, "pieces = [").startswith("is no TOML: ")
    assert refused(tmp_path, "x = " + "[" * 100_000).startswith("is no TOML: ")
    with pytest.raises(Mistake, match=r"read from a \.toml file, not .*pieces\.csv"):
        read_knowledge(tmp_path / "pieces.csv")
    with pytest.raises(Mistake, match=r"none\.toml cannot be read: no such file"):
        read_knowledge(tmp_path / "none.toml")
