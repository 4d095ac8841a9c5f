"""New characters and situations: what is gathered from a record, what a board says of it, what the file holds."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.benchmarks import ALL, WRITERS, find
from interplay.benchmarks.role_play.card_files import read_cards
from interplay.benchmarks.role_play.drafting import FOLDER, Written
from interplay.benchmarks.role_play.writing import (
    gather,
    generator,
    lacking,
    score,
    summarize,
    write,
    writing,
)
from interplay.core.benchmark import Played, Scenario
from interplay.core.failures import Mistake
from interplay.core.making import Origin, Piece
from tests.benchmarks.pieces import SPOILED, character, situation

OPTIONS = writing.settle({"characters": "4", "situations": "2"})
SCENARIOS = {one.label: one for one in writing.scenarios(OPTIONS, None).scenarios}
ORIGIN = Origin("role_play_writing-1", "openai/m", "2026-01-02T03:04:05+00:00", "u-u-i-d", OPTIONS, False)


def written(draft: dict[str, Any]) -> Written:
    """What play makes of a draft."""
    if "text" in draft:
        return Written("situation", {**draft, "turns": 4})
    entry = {key: value for key, value in draft.items() if key != "secret"}
    return Written("character", {**entry, "example": entry["example"].replace("\n\n", "\n")}, draft["secret"])


def tried(label: str, draft: dict[str, Any] | None, repeat: int = 0, failure: str = "") -> Played:
    return Played(SCENARIOS[label], "openai/m", repeat, written(draft) if draft else None, failure)


def spoiled(kind: str = "short persona", seed: str = "spoiled") -> dict[str, Any]:
    return SPOILED[kind][0](character(seed))


def test_the_writing_is_found_but_is_no_benchmark_to_run() -> None:
    assert find("role_play_writing") is writing is find("role-play-writing")
    assert writing in WRITERS
    assert writing not in ALL
    with pytest.raises(Mistake, match="did you mean 'role_play'"):
        find("role_plays")


def test_what_passes_is_gathered_in_order() -> None:
    played = [
        tried("situation 1", situation("s")),
        tried("character 2", character("b")),
        tried("character 1", character("a")),
    ]
    pieces = gather(played, OPTIONS)
    assert [piece.label for piece in pieces] == ["character 1", "character 2", "situation 1"]
    assert all(not piece.complaints for piece in pieces)
    assert pieces[0].entry["name"] == character("a")["name"]
    assert pieces[0].entry["tags"] == SCENARIOS["character 1"].content["tags"]
    assert "secret" not in pieces[0].entry
    assert character("a")["secret"] in pieces[0].text


def test_the_first_try_that_passes_counts_and_the_best_where_none_does() -> None:
    worse = SPOILED["nobody speaks"][0](spoiled())
    pieces = gather(
        [
            tried("character 1", spoiled(), 0),
            tried("character 1", character("a"), 1),
            tried("character 1", character("b"), 2),
            tried("character 2", worse, 0),
            tried("character 2", spoiled(seed="better"), 1),
            tried("character 2", None, 2, "unreadable"),
            tried("character 3", None, 0, "unreadable"),
            tried("character 4", None, 0, "provider"),
        ],
        OPTIONS,
    )
    assert pieces[0].entry["name"] == character("a")["name"]
    assert pieces[1].entry["name"] == character("better")["name"]
    assert [len(piece.complaints) for piece in pieces] == [0, 1, 1, 1]
    assert pieces[2].complaints == ("the writer never answered in form",)
    assert pieces[3].complaints == ("provider",)
    assert (pieces[2].text, pieces[3].text) == ("", "")


def test_of_two_that_are_alike_the_first_stays_and_a_second_try_takes_no_place_from_it() -> None:
    twice = [tried("character 1", spoiled(), 0), tried("character 2", character("a"), 0)]
    later = [*twice, tried("character 1", character("a"), 1)]
    assert [bool(piece.complaints) for piece in gather(twice, OPTIONS)] == [True, False]
    found = gather(later, OPTIONS)
    assert not found[1].complaints
    assert found[0].complaints
    first, second = gather(
        [tried("character 1", character("a")), tried("character 2", character("a"))], OPTIONS
    )
    assert not first.complaints
    assert f"its name is that of {character('a')['id']}" in second.complaints


def test_a_copy_of_what_ships_is_refused() -> None:
    shipped = read_cards(FOLDER / "data" / "en.toml", "en")
    copied = Played(
        SCENARIOS["situation 1"],
        "openai/m",
        0,
        Written("situation", {"id": "fresh", "text": shipped.situations[0].text, "turns": 4}),
    )
    [piece] = gather([copied], OPTIONS)
    assert piece.complaints == (
        f"it is much like {shipped.situations[0].id}",
        f"it shares 12 words in a row with {shipped.situations[0].id}",
    )


def test_the_order_of_the_record_does_not_matter() -> None:
    played = [
        tried("character 1", character("a")),
        tried("character 2", character("a"), 0),
        tried("character 2", character("b"), 1),
        tried("situation 1", situation("s")),
    ]
    assert gather(played, OPTIONS) == gather(played[::-1], OPTIONS)


def test_a_board_counts_pieces_and_tries() -> None:
    board = summarize(
        [
            tried("character 1", spoiled(), 0),
            tried("character 1", character("a"), 1),
            tried("character 2", None, 0, "unreadable"),
            tried("situation 1", situation("s")),
            replace(tried("situation 1", None, 0, "budget"), subject="openai/poor"),
        ],
        OPTIONS,
    )
    first, second = board.rows
    assert first == {
        "model": "openai/m",
        "written": 2,
        "pieces": 3,
        "rejected": 1,
        "unreadable": 1,
        "unanswered": 0,
    }
    assert (second["model"], second["written"], second["unanswered"]) == ("openai/poor", 0, 1)
    assert board.title == "role_play_writing (English, seed 0)"
    assert board.notes == ("character 2: the writer never answered in form.", "situation 1: budget.")


def test_a_board_tells_so_many_reasons_and_counts_the_rest() -> None:
    many = writing.settle({"characters": "60"})
    played = [Played(one, "m", 0, None, "unreadable") for one in writing.scenarios(many, None).scenarios]
    notes = summarize(played, many).notes
    assert len(notes) == 41
    assert notes[-1] == f"{len(played) - 40} more pieces failed their checks."
    assert summarize([], many).rows == ()


def test_the_score_of_a_piece_is_how_many_of_its_own_checks_fail() -> None:
    [sound], [bad] = (score(written(draft), (), OPTIONS) for draft in (character("a"), spoiled()))
    assert (sound.name, sound.value, bad.value) == ("complaints", 0.0, 1.0)


def test_a_file_lacks_what_it_cannot_be_played_without() -> None:
    one, other = gather([tried("character 1", character("a")), tried("situation 1", situation("s"))], OPTIONS)
    assert lacking([one, other]) == ""
    assert lacking([one]) == "a situation"
    assert lacking([]) == "a character and a situation"


def pieces_of(*entries: dict[str, Any]) -> list[Piece]:
    return [Piece("s", "p", "t", entry) for entry in entries]


def parts(path: Path, text: str) -> tuple[dict[str, Any], Any]:
    path.write_text(text, encoding="utf-8")
    return tomllib.loads(text), read_cards(path, "en")


def test_the_file_is_what_run_reads_and_says_where_it_comes_from(tmp_path: Path) -> None:
    pieces = gather([tried("character 1", character("a")), tried("situation 1", situation("s"))], OPTIONS)
    data, cards = parts(tmp_path / "new.toml", write(pieces, ORIGIN))
    assert cards.remarks == ()
    assert cards.characters == (written(character("a")).card(),)
    assert cards.situations == (written(situation("s")).card(),)
    assert list(data) == [
        "language", "canary", "written_by", "run", "started", "seed", "reviewed", "characters", "situations"
    ]  # fmt: skip
    assert data["canary"].startswith("INTERPLAY CANARY role_play en u-u-i-d: ")
    assert (data["written_by"], data["seed"], data["reviewed"]) == ("openai/m", 0, False)
    assert data["characters"][0]["tags"] == SCENARIOS["character 1"].content["tags"]


def test_a_card_without_example_and_greeting_has_no_such_key(tmp_path: Path) -> None:
    bare = written(character("a") | {"example": "", "greeting": ""})
    scene = written(situation("s"))
    data, cards = parts(tmp_path / "new.toml", write(pieces_of(bare.entry, scene.entry), ORIGIN))
    assert set(data["characters"][0]) == {"id", "name", "summary", "persona"}
    assert cards.characters == (bare.card(),)


def test_ids_that_a_person_kept_twice_are_numbered(tmp_path: Path) -> None:
    entry, scene = written(character("a")).entry, written(situation("s")).entry
    text = write(pieces_of(entry, {**entry, "id": f"{entry['id']}-2"}, entry, entry, scene), ORIGIN)
    _, cards = parts(tmp_path / "new.toml", text)
    assert [one.id.removeprefix(entry["id"]) for one in cards.characters] == ["", "-2", "-3", "-4"]


# Carriage returns and NUL do not come out of a reply that was read and tidied.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), min_size=1).filter(
    lambda text: text.strip() == text
)


@given(persona=TEXT, greeting=TEXT)
def test_any_text_comes_back_from_the_file_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, persona: str, greeting: str
) -> None:
    entry = written(character("a")).entry | {"persona": persona, "greeting": greeting}
    text = write(pieces_of(entry, written(situation("s")).entry), ORIGIN)
    _, cards = parts(tmp_path_factory.mktemp("files") / "new.toml", text)
    assert (cards.characters[0].persona, cards.characters[0].greeting) == (persona, greeting)


def test_nobody_judges_what_was_written() -> None:
    assert [role.kind for role in writing.roles(OPTIONS)] == ["subject"]
    judging = writing.judging(OPTIONS)
    assert judging.calls(Scenario({}, "x"), {}, "j") == (0, 0)
    assert generator.tries == 3
