"""New characters and knowledge: what is gathered from a record, what a board says of it, what the file holds."""

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.benchmarks.generating import told_of
from interplay.benchmarks.social_interaction import characters, knowledge
from interplay.benchmarks.social_interaction.characters import read_characters
from interplay.benchmarks.social_interaction.drafting import CHARACTERS, KNOWLEDGE, WHAT, Written
from interplay.benchmarks.social_interaction.knowledge import read_knowledge
from interplay.benchmarks.social_interaction.scenarios import EXCHANGE
from interplay.benchmarks.social_interaction.scenarios import scenarios as sessions
from interplay.benchmarks.social_interaction.writing import (
    gather,
    generator,
    lacking,
    score,
    summarize,
    write,
    writing,
)
from interplay.core.benchmark import Played, Scenario
from interplay.core.making import Origin, Piece
from tests.benchmarks.social_interaction.new_pieces import BAD, Draft, good

OPTIONS = {what: writing.settle({"what": what, "n": "6"}) for what in WHAT}
SCENARIOS = {what: writing.scenarios(OPTIONS[what], None).scenarios for what in WHAT}
ORIGIN = {
    what: Origin("run-1", "openai/m", "2026-01-02T03:04:05+00:00", "u-u-i-d", OPTIONS[what], False)
    for what in WHAT
}
FIRST = {CHARACTERS: "name", KNOWLEDGE: "title"}
EVERY_BAD = [(what, kind) for what in WHAT for kind in BAD[what]]
BOTH = pytest.mark.parametrize("what", WHAT)


def tried(what: str, number: int, draft: Draft | None = None, repeat: int = 0, failure: str = "") -> Played:
    scenario = SCENARIOS[what][number - 1]
    if draft is None:
        return Played(scenario, "openai/m", repeat, None, failure)
    own: Mapping[str, Any] = scenario.content["attributes"] if what == CHARACTERS else {}
    entry = {**own, **draft} if own else {"kind": scenario.content["kind"], **draft}
    return Played(scenario, "openai/m", repeat, Written(what, entry))


def fine(what: str, number: int, seed: object = None, repeat: int = 0) -> Played:
    return tried(what, number, good(what, str(seed or number)), repeat)


def bad(what: str, number: int, kind: str, repeat: int = 0) -> Played:
    return tried(what, number, BAD[what][kind][0](good(what, f"bad {number}")), repeat)


def gathered(what: str, *played: Played) -> list[Piece]:
    return gather(played, OPTIONS[what])


def called(what: str, pieces: list[Piece]) -> list[str]:
    return [piece.entry[FIRST[what]] if piece.entry else "" for piece in pieces]


def names(what: str, *seeds: object) -> list[str]:
    return [good(what, str(seed))[FIRST[what]] for seed in seeds]


@BOTH
def test_what_passes_is_gathered_in_order(what: str) -> None:
    pieces = gathered(what, fine(what, 3), fine(what, 1), fine(what, 2))
    assert called(what, pieces) == names(what, 1, 2, 3)
    assert [piece.label for piece in pieces] == [one.label for one in SCENARIOS[what][:3]]
    assert not any(piece.complaints for piece in pieces)
    assert all(name in piece.text for piece, name in zip(pieces, names(what, 1, 2, 3), strict=True))


@pytest.mark.parametrize("what, kind", EVERY_BAD)
def test_a_bad_piece_is_complained_of_and_a_good_try_after_it_is_taken(what: str, kind: str) -> None:
    [alone] = gathered(what, bad(what, 1, kind))
    assert any(BAD[what][kind][1] in complaint for complaint in alone.complaints), alone.complaints
    [better] = gathered(what, bad(what, 1, kind), fine(what, 1, repeat=1))
    assert (called(what, [better]), better.complaints) == (names(what, 1), ())


@BOTH
def test_of_bad_tries_the_least_bad_is_shown(what: str) -> None:
    worse = tried(what, 1, BAD[what]["you"][0](BAD[what]["an insult"][0](good(what, "1"))))
    less = bad(what, 1, "an insult", repeat=1)
    [piece] = gathered(what, worse, less)
    assert piece.complaints == ("'idiot' may offend",)
    [before] = gathered(what, replace(less, repeat=0), replace(worse, repeat=1))
    assert before == piece


@BOTH
def test_what_a_person_could_keep_goes_before_what_no_file_may_have(what: str) -> None:
    worse = tried(what, 1, BAD[what]["you"][0](BAD[what]["an insult"][0](good(what, "1"))), repeat=1)
    unreadable = tried(what, 1, {**good(what, "1"), FIRST[what]: "-- --"})
    [piece] = gathered(what, unreadable, worse)
    assert len(piece.complaints) == 2
    assert piece.text


@BOTH
def test_the_same_piece_again_is_taken_once_whatever_its_capitals(what: str) -> None:
    copied = good(what, "1")
    copied[FIRST[what]] = copied[FIRST[what]].upper()
    first, second = gathered(what, fine(what, 1), tried(what, 2, copied))
    assert not first.complaints
    assert any("is taken" in complaint for complaint in second.complaints)
    assert second.text == ""  # a file cannot have both


@BOTH
def test_a_later_try_never_changes_what_has_passed(what: str) -> None:
    twice = [bad(what, 1, "an insult"), fine(what, 2, "a")]
    found = gathered(what, *twice, fine(what, 1, "a", repeat=1))
    assert [bool(piece.complaints) for piece in found] == [True, False]
    found = gathered(what, *twice, fine(what, 1, "b", repeat=1), fine(what, 2, "c", repeat=1))
    assert called(what, found) == names(what, "b", "a")
    found = gathered(what, tried(what, 1, failure="unreadable"), fine(what, 1, "d", repeat=2))
    assert called(what, found) == names(what, "d")


@BOTH
def test_the_order_of_the_record_does_not_matter(what: str) -> None:
    played = [
        bad(what, 1, "an insult"),
        fine(what, 1, "a", repeat=1),
        fine(what, 2, "a"),
        fine(what, 3, "b"),
        tried(what, 4, failure="unreadable"),
    ]
    assert gathered(what, *played) == gathered(what, *played[::-1])


@BOTH
def test_one_that_failed_stands_back_behind_one_of_its_name_that_passed(what: str) -> None:
    def rude(number: int) -> Played:
        return tried(what, number, {**good(what, "1"), **_insulting(what)})

    offered = [piece for piece in gathered(what, rude(1), fine(what, 2, 1)) if piece.text]
    assert [piece.complaints for piece in offered] == [()]
    first, second = gathered(what, rude(1), rude(2))
    assert (bool(first.text), bool(second.text)) == (True, False)
    assert second.complaints == ("'idiot' may offend", "a file has another of this name already")


def _insulting(what: str) -> Draft:
    draft = good(what, "1")
    if what == CHARACTERS:
        return {"description": draft["description"] + " Idiot."}
    return {"text": draft["text"].replace(".", " idiot.", 1)}


@BOTH
def test_what_ships_would_pass_by_itself(what: str) -> None:
    for one in characters.shipped() if what == CHARACTERS else knowledge.shipped():
        entry = characters.entry_of(one) if isinstance(one, characters.Character) else knowledge.entry_of(one)
        [made] = score(Written(what, entry), (), OPTIONS[what])
        assert (made.name, made.value) == ("complaints", 0.0), entry
        assert (
            len(gathered(what, Played(SCENARIOS[what][0], "m", 0, Written(what, entry)))[0].complaints) >= 1
        )


@BOTH
def test_the_score_of_a_try_is_how_many_checks_it_fails_by_itself(what: str) -> None:
    def value(one: Played) -> float:
        [made] = score(one.outcome, (), OPTIONS[what])
        return made.value

    assert value(fine(what, 1)) == 0.0
    assert value(bad(what, 1, "an insult")) == 1.0
    assert value(bad(what, 1, "a shipped one")) == 0.0  # only the whole can tell


def test_nothing_passes_that_a_file_cannot_have() -> None:
    [made] = score(Written(KNOWLEDGE, {"kind": "items", **good(KNOWLEDGE, "1"), "title": "-- --"}), (), {})
    assert made.value == 1.0


def test_a_board_counts_pieces_and_tries() -> None:
    board = summarize(
        [
            bad(KNOWLEDGE, 1, "an insult"),
            fine(KNOWLEDGE, 1, repeat=1),
            tried(KNOWLEDGE, 2, failure="unreadable"),
            replace(tried(KNOWLEDGE, 3, failure="budget"), subject="openai/poor"),
        ],
        OPTIONS[KNOWLEDGE],
    )
    first, second = board.rows
    assert first == {
        "model": "openai/m", "written": 1, "pieces": 2, "rejected": 1, "unreadable": 1, "unanswered": 0
    }  # fmt: skip
    assert (second["model"], second["written"], second["unanswered"]) == ("openai/poor", 0, 1)
    assert board.title == "social_interaction_writing (knowledge, seed 0)"
    labels = [one.label for one in SCENARIOS[KNOWLEDGE]]
    assert board.notes == (f"{labels[1]}: the writer never answered in form.", f"{labels[2]}: budget.")


def test_a_file_lacks_what_a_session_needs() -> None:
    assert lacking([]) == "a piece"
    assert lacking(gathered(KNOWLEDGE, fine(KNOWLEDGE, 1))) == ""
    people = gathered(CHARACTERS, *(fine(CHARACTERS, number) for number in range(1, 5)))
    assert lacking(people) == ""
    assert lacking(people[:3]) == "1 of the 4 characters of a session"


def written(folder: Path, what: str, *played: Played) -> Path:
    path = folder / "new.toml"
    path.write_text(write(gathered(what, *played), ORIGIN[what]), encoding="utf-8")
    return path


def test_a_file_of_knowledge_is_what_run_reads_and_says_where_it_comes_from(tmp_path: Path) -> None:
    path = written(tmp_path, KNOWLEDGE, *(fine(KNOWLEDGE, number) for number in (1, 2)))
    made = [fine(KNOWLEDGE, number).outcome.made() for number in (1, 2)]
    assert list(read_knowledge(path)) == made
    text = path.read_text(encoding="utf-8")
    data = tomllib.loads(text)
    assert list(data) == [*told_of(ORIGIN[KNOWLEDGE], ""), "pieces"]
    assert data["canary"].startswith("INTERPLAY CANARY social_interaction knowledge u-u-i-d: ")
    assert (data["written_by"], data["seed"], data["reviewed"]) == ("openai/m", 0, False)
    assert all(len(line) <= 116 or line.startswith("    { point = ") for line in text.splitlines())
    assert text.count("\n    { point = ") == 10  # one a line


def test_a_file_of_characters_is_what_run_reads_and_says_where_it_comes_from(tmp_path: Path) -> None:
    path = written(tmp_path, CHARACTERS, *(fine(CHARACTERS, number) for number in (1, 2, 3, 4)))
    people = read_characters(path)
    assert list(people) == [
        characters.drawn(f"0/{number}").called(**good(CHARACTERS, str(number))) for number in (1, 2, 3, 4)
    ]
    text = path.read_text(encoding="utf-8")
    data = tomllib.loads(text)
    assert list(data) == [*told_of(ORIGIN[CHARACTERS], ""), "characters"]
    assert data["canary"].startswith("INTERPLAY CANARY social_interaction characters u-u-i-d: ")
    assert list(data["characters"][0]["abilities"]) == list(characters.ABILITIES)
    assert text.count("\nabilities = { strength = ") == 4


def in_sessions(path: Path, key: str) -> tuple[list[Any], tuple[str, ...]]:
    """What is met in the sessions that are drawn from a file, and what a user is told of the file."""
    options = {"scene": EXCHANGE, "sessions": "4"}
    found = sessions(options, path)
    return [one.content[key] for one in found.scenarios], found.remarks


def test_what_was_written_is_played(tmp_path: Path) -> None:
    path = written(tmp_path, KNOWLEDGE, *(fine(KNOWLEDGE, number) for number in (1, 2, 3, 4)))
    met, remarks = in_sessions(path, "knowledge")
    assert Counter(one["title"] for one in met) == Counter(names(KNOWLEDGE, 1, 2, 3, 4))
    assert remarks == ("new.toml has no characters: ours are used.",)
    path = written(tmp_path, CHARACTERS, *(fine(CHARACTERS, number) for number in (1, 2, 3, 4)))
    parties, remarks = in_sessions(path, "characters")
    assert all({one["name"] for one in party} == set(names(CHARACTERS, 1, 2, 3, 4)) for party in parties)
    assert remarks == ("new.toml has no pieces of knowledge: ours are used.",)


def test_one_file_may_hold_both(tmp_path: Path) -> None:
    people = gathered(CHARACTERS, *(fine(CHARACTERS, number) for number in (1, 2, 3, 4)))
    pieces = gathered(KNOWLEDGE, *(fine(KNOWLEDGE, number) for number in (1, 2, 3, 4)))
    path = tmp_path / "new.toml"
    path.write_text(write([*people, *pieces], ORIGIN[KNOWLEDGE]), encoding="utf-8")
    assert (len(read_characters(path)), len(read_knowledge(path))) == (4, 4)
    met, remarks = in_sessions(path, "knowledge")
    assert ({one["title"] for one in met}, remarks) == (set(names(KNOWLEDGE, 1, 2, 3, 4)), ())


def test_what_ships_could_have_been_written_so(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    pieces = [Piece("s", "p", "t", knowledge.entry_of(one)) for one in knowledge.shipped()]
    people = [Piece("s", "p", "t", characters.entry_of(one)) for one in characters.shipped()]
    path.write_text(write([*people, *pieces], ORIGIN[KNOWLEDGE]), encoding="utf-8")
    assert read_knowledge(path) == knowledge.shipped()
    assert read_characters(path) == characters.shipped()


ODD = st.sampled_from(
    ["Ada Loom", "ADA LOOM", "Ada: Loom", "---", "\x1b[1m", "tab\there", 'quo"te """ x', "back\\slash", "\x7f",
     "café", "\u202eolleh", "7", "ﬁ", "x" * 60, "The  Well", "'''", "you idiot", "{{x}}", "İ", "ß SS"]
)  # fmt: skip
POINT = st.fixed_dictionaries({"point": ODD, "said": ODD, "wrong": ODD})
ODD_DRAFTS: dict[str, st.SearchStrategy[Draft]] = {
    CHARACTERS: st.fixed_dictionaries({"name": ODD, "description": ODD}),
    KNOWLEDGE: st.fixed_dictionaries(
        {"title": ODD, "text": ODD, "points": st.lists(POINT, min_size=5, max_size=5)}
    ),
}


def _in_one_line(draft: Any) -> Any:
    """As drafting hands it on."""
    if isinstance(draft, str):
        return " ".join(draft.split())
    if isinstance(draft, dict):
        return {key: _in_one_line(value) for key, value in draft.items()}
    return [_in_one_line(one) for one in draft]


@BOTH
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_whatever_a_person_keeps_of_what_is_offered_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, what: str, data: st.DataObject
) -> None:
    usual = st.integers(1, 4).map(lambda seed: good(what, str(seed)))
    mixed = st.tuples(usual, ODD_DRAFTS[what], st.sets(st.sampled_from(sorted(good(what, "1"))))).map(
        lambda found: found[0] | {key: found[1][key] for key in found[2]}
    )
    tries = st.tuples(st.integers(1, 6), st.integers(0, 2), mixed)
    played = [
        tried(what, number, _in_one_line(draft), repeat)
        for number, repeat, draft in data.draw(st.lists(tries, max_size=8))
    ]
    offered = [piece for piece in gathered(what, *played) if piece.text]
    assert all(piece.text for piece in gathered(what, *played) if not piece.complaints)
    kept = [piece for piece in offered if data.draw(st.booleans())]
    if kept:
        path = tmp_path_factory.mktemp("files") / "new.toml"
        path.write_text(write(kept, ORIGIN[what]), encoding="utf-8")
        found = read_characters(path) if what == CHARACTERS else read_knowledge(path)
        assert [getattr(one, FIRST[what]) for one in found] == called(what, kept)


def test_nobody_judges_what_was_written() -> None:
    for what in WHAT:
        assert [role.kind for role in writing.roles(OPTIONS[what])] == ["subject"]
    assert writing.judging(OPTIONS[KNOWLEDGE]).calls(Scenario({}, "x"), {}, "j") == (0, 0)
    assert generator.tries == 3
    assert writing.name == "social_interaction_writing"
