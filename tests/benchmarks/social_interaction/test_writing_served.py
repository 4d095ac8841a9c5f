"""Characters and knowledge that a scripted writer hands in over loopback HTTP, try by try, until they can be played."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from interplay.benchmarks.social_interaction.characters import drawn, read_characters
from interplay.benchmarks.social_interaction.drafting import CHARACTERS, KNOWLEDGE, WHAT
from interplay.benchmarks.social_interaction.knowledge import read_knowledge
from interplay.benchmarks.social_interaction.scenarios import EXCHANGE, PARTY, scenarios
from interplay.benchmarks.social_interaction.writing import generator, lacking, write, writing
from interplay.cli.generating import Job
from interplay.core.making import Piece
from interplay.models.connecting import Directory
from interplay.models.loopback import Loopback, Script, serving
from interplay.running.how import How
from interplay.running.results import board_of
from interplay.running.spec import make_spec
from interplay.store.records import Records
from tests.benchmarks.social_interaction.new_pieces import Writer, good, said, spoiled

REFUSAL = "I would rather not."
TITLES = {CHARACTERS: "name", KNOWLEDGE: "title"}


@dataclass(frozen=True)
class Handed:
    """What came of a writer: the pieces, the row of the board, the calls, and the file of what passed."""

    pieces: Sequence[Piece]
    row: Mapping[str, object]
    calls: int
    path: Path

    @property
    def kept(self) -> list[Piece]:
        return [piece for piece in self.pieces if not piece.complaints]


def hand_in(folder: Path, what: str, script: Script, n: int = 6) -> Handed:
    """Have all tries made, as the command makes them; the same folder again goes on where it stood."""
    loopback = Loopback({"writer": script})
    with serving(loopback) as url:
        how = How(folder / "runs.db", Directory(base_url=url, environment={}))
        spec = make_spec(writing, models=["openai/writer"], options={"what": what, "n": str(n)})
        job = Job(writing, generator, spec, how)
        for engine in job.tries():
            asyncio.run(engine.carry_out())
    pieces = job.pieces()
    with Records(how.store) as records:
        [row] = board_of(records, job.run(records), writing).rows
    handed = Handed(pieces, row, loopback.calls, folder / "new.toml")
    if not lacking(handed.kept):
        handed.path.write_text(write(handed.kept, job.origin(reviewed=False)), encoding="utf-8")
    return handed


def names_in(path: Path, what: str) -> list[str]:
    found = read_characters(path) if what == CHARACTERS else read_knowledge(path)
    return [getattr(one, TITLES[what]) for one in found]


@pytest.mark.parametrize("what", WHAT)
def test_good_bad_and_unreadable_pieces_are_told_apart_and_what_passes_is_played(
    what: str, tmp_path: Path
) -> None:
    copied = said(good(what, "0/5"))
    writer = Writer(
        what,
        {
            1: [spoiled(what, "you", "a"), spoiled(what, "a shipped one", "b")],  # the third try is good
            2: [spoiled(what, "an insult", "c")] * 3,
            3: [REFUSAL] * 9,
            4: [REFUSAL, "{}"],  # the third answer can be read
            7: [copied] * 3,  # always that of number 5
        },
    )
    handed = hand_in(tmp_path, what, writer, n=8)
    told = [piece.complaints for piece in handed.pieces]
    assert [not complaints for complaints in told] == [True, False, False, True, True, True, False, True]
    assert told[1] == ("'idiot' may offend",)
    assert told[2] == ("the writer never answered in form",)
    assert any("is taken" in complaint for complaint in told[6])
    assert [bool(piece.text) for piece in handed.pieces] == [True, True, False, True, True, True, False, True]
    counts = ("written", "pieces", "rejected", "unreadable")
    assert [handed.row[key] for key in counts] == [5, 8, 2 + 3 + 3, 3]
    assert handed.calls == 3 + 3 + 9 + 3 + 1 + 1 + 3 + 1

    names = [good(what, f"0/{number}")[TITLES[what]] for number in (1, 4, 5, 6, 8)]
    assert names_in(handed.path, what) == names
    drawn_from = scenarios({"scene": EXCHANGE, "sessions": "5"}, handed.path).scenarios
    met = [
        {one["name"] for one in session.content["characters"]}
        if what == CHARACTERS
        else {session.content["knowledge"]["title"]}
        for session in drawn_from
    ]
    assert set.union(*met) == set(names)
    assert {len(party) for party in met} == {PARTY if what == CHARACTERS else 1}


@pytest.mark.parametrize("what", WHAT)
def test_the_same_again_costs_nothing_and_writes_the_same_bytes(what: str, tmp_path: Path) -> None:
    first = {1: [spoiled(what, "an insult", "x")], 2: [spoiled(what, "short", "y")] * 3}
    handed = hand_in(tmp_path, what, Writer(what, first))
    before = handed.path.read_bytes()
    assert (len(handed.kept), handed.calls) == (5, 6 + 2 + 1)
    again = hand_in(tmp_path, what, Writer(what))
    assert (again.calls, handed.path.read_bytes()) == (
        0,
        before,
    )  # what failed three times is not tried for ever


@pytest.mark.parametrize("what", WHAT)
def test_a_writer_that_repeats_itself_writes_one(what: str, tmp_path: Path) -> None:
    handed = hand_in(tmp_path, what, lambda asked: said(good(what, "always")))
    assert len(handed.kept) == 1
    assert handed.calls == 1 + 3 * 5
    assert handed.path.exists() == (what == KNOWLEDGE)  # nobody can meet alone
    assert all("is taken" in piece.complaints[0] for piece in handed.pieces[1:])


def test_a_character_keeps_what_was_drawn_whatever_way_the_record_took(tmp_path: Path) -> None:
    handed = hand_in(tmp_path, CHARACTERS, Writer(CHARACTERS))
    made = [drawn(f"0/{number}").called(**good(CHARACTERS, f"0/{number}")) for number in range(1, 7)]
    assert list(read_characters(handed.path)) == made
    assert "abilities = { strength = " in handed.path.read_text(encoding="utf-8")


def test_knowledge_is_of_every_kind(tmp_path: Path) -> None:
    handed = hand_in(tmp_path, KNOWLEDGE, Writer(KNOWLEDGE), n=8)
    assert len({piece.kind for piece in read_knowledge(handed.path)}) == 8
