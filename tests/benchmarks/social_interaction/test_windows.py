"""Windows of play: what their files may hold, what is told of them, and how they are split and drawn."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interplay.benchmarks.social_interaction import windows as source
from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.benchmarks.social_interaction.windows import (
    Intention,
    Play,
    Turn,
    Window,
    as_json,
    digest_of_windows,
    from_json,
    last_speaker_share,
    real_play,
    split,
)
from interplay.core.failures import Mistake


def line(id_: str = "e1_1", asked: str = "BEN", **more: Any) -> dict[str, Any]:
    turns = [
        {"speakers": ["ANNA"], "text": "The door is shut."},
        {"speakers": ["CLEO"], "text": "Hm."},
        {"speakers": ["BEN"], "text": "I put my ear to it."},
    ]
    intentions = [{"character": asked, "skill": "perception"}]
    return {"id": id_, "turns": turns, "intentions": intentions, **more}


def written(folder: Path, *lines: Mapping[str, Any] | str, name: str = "play.jsonl") -> Path:
    path = folder / name
    texts = [one if isinstance(one, str) else json.dumps(one) for one in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def window(id_: str, session: str = "", speakers: Sequence[str] = ("BEN",), asked: str = "BEN") -> Window:
    turns = tuple(Turn((name,), "x") for name in speakers)
    return Window(id_, session or id_, turns, (Intention(asked, "stealth"),))


def play(*sizes: int) -> Play:
    """Sessions with so many windows each."""
    return Play(
        "play",
        tuple(window(f"s{s}_{n}", f"s{s}") for s, size in enumerate(sizes) for n in range(size)),
    )


# Reading


def test_a_window_is_read_as_it_is_written(tmp_path: Path) -> None:
    path = written(tmp_path, line(masters=["ANNA"], session="one"), "", line("e2_1", masters=["ANNA"]))
    found = real_play(path)
    assert (found.name, found.remarks, found.sessions) == ("play.jsonl", (), 2)
    first = found.windows[0]
    assert first == Window(
        "e1_1",
        "one",
        (Turn(("ANNA",), "The door is shut."), Turn(("CLEO",), "Hm."), Turn(("BEN",), "I put my ear to it.")),
        (Intention("BEN", "perception"),),
        ("ANNA",),
    )
    assert (first.players, first.last_player) == (("CLEO", "BEN"), "BEN")


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_files_that_are_packed_or_begin_with_a_mark(
    tmp_path: Path, packed: bool, mark: bytes, end: bytes
) -> None:
    text = mark + end.join(json.dumps(line(f"e{n}_1")).encode() for n in (1, 2)) + end
    path = tmp_path / "any.name"
    path.write_bytes(gzip.compress(text) if packed else text)
    assert [one.id for one in real_play(path).windows] == ["e1_1", "e2_1"]


@pytest.mark.parametrize(
    ("id_", "session"),
    [
        ("C1E001_713", "C1E001"),
        ("e12-3", "e12"),
        ("a_b-c", "a_b"),
        ("a-b_c", "a-b"),
        ("whole", "whole"),
        ("_1", "_1"),
        ("-", "-"),
    ],
)
def test_the_session_is_what_stands_before_the_last_mark_of_the_id(
    tmp_path: Path, id_: str, session: str
) -> None:
    assert real_play(written(tmp_path, line(id_))).windows[0].session == session


@pytest.mark.parametrize("skill", ["Sleight of Hand", "sleight_of_hand", "SLEIGHT OF HAND"])
def test_a_skill_may_be_written_in_several_ways(tmp_path: Path, skill: str) -> None:
    path = written(tmp_path, line(intentions=[{"character": "BEN", "skill": skill}]))
    assert real_play(path).windows[0].intentions == (Intention("BEN", "sleight of hand"),)


def test_texts_and_names_come_in_one_line_and_a_turn_may_be_silent_or_nobodys(tmp_path: Path) -> None:
    turns = [
        {"speakers": [" ANNA\tB ", "ANNA B", "BEN"], "text": "  One\n two\0 \ud800"},
        {"speakers": [], "text": ""},
    ]
    path = written(tmp_path, line(turns=turns, intentions=[]))
    assert real_play(path).windows[0].turns == (
        Turn(("ANNA B", "BEN"), "One two\N{REPLACEMENT CHARACTER} ?"),
        Turn((), ""),
    )


def test_who_is_asked_is_found_in_any_case(tmp_path: Path) -> None:
    found = real_play(written(tmp_path, line(asked="Ben", masters=["ANNA"])))
    assert found.windows[0].intentions[0].character == "BEN"
    assert found.remarks == ()


# What is wrong with a file, and where

TURN = {"speakers": ["BEN"], "text": "x"}
BAD = {
    "no JSON": ("{", "line 2 is no JSON object; each line is one window"),
    "a list": ("[]", "line 2 is no JSON object"),
    "deep": ("[" * 100_000, "line 2 is no JSON object"),
    "a long number": ('{"id": ' + "9" * 5_000 + "}", "line 2 is no JSON object"),
    "a strange key": (line(turn=[]), "line 2 has 'turn'; did you mean 'turns'?"),
    "no id": ({**line(), "id": " "}, "line 2 lacks id, a text"),
    "a number for an id": ({**line(), "id": 4}, "line 2 lacks id, a text"),
    "an empty session": (line("b", session=""), "line 2 lacks session, a text"),
    "no turns": (line("b", turns=[]), "line 2: a window has 1 to 400 turns, not 0"),
    "many turns": (line("b", turns=[TURN] * 401), "line 2: a window has 1 to 400 turns, not 401"),
    "turns of another kind": (line("b", turns={}), "line 2 lacks turns, a list"),
    "a turn of another kind": (line("b", turns=[TURN, "x"]), "line 2, turn 2 is no JSON object with"),
    "a strange key in a turn": (
        line("b", turns=[{**TURN, "who": 1}]),
        "line 2, turn 1 has 'who'; a turn has speakers and text",
    ),
    "a turn without text": (line("b", turns=[{"speakers": ["BEN"]}]), "line 2, turn 1 lacks text, a text"),
    "a long turn": (
        line("b", turns=[{"speakers": ["BEN"], "text": "x" * 20_001}]),
        "line 2, turn 1: text has more than 20,000 characters",
    ),
    "a speaker of another kind": (
        line("b", turns=[{"speakers": "BEN", "text": ""}]),
        "line 2, turn 1 lacks speakers, a list",
    ),
    "a nameless speaker": (
        line("b", turns=[{"speakers": ["BEN", " "], "text": ""}]),
        "line 2, turn 1: speakers is a list of names",
    ),
    "a long name": (
        line("b", turns=[{"speakers": ["B" * 101], "text": ""}]),
        "line 2, turn 1: a name has 100 characters at most",
    ),
    "a long name of who is asked": (
        line("b", asked="B" * 101),
        "line 2, intentions: a name has 100 characters at most",
    ),
    "masters of another kind": (line("b", masters=[3]), "line 2: masters is a list of names"),
    "no intentions": ({"id": "b", "turns": [TURN]}, "line 2 lacks intentions, a list"),
    "two checks": (
        line("b", intentions=[{"character": "BEN", "skill": "stealth"}] * 2),
        "line 2 has 2 intentions: windows are cut at one check each",
    ),
    "an intention of another kind": (
        line("b", intentions=["BEN"]),
        "line 2, intentions is no JSON object with character and skill",
    ),
    "no such skill": (
        line("b", intentions=[{"character": "BEN", "skill": "stelth"}]),
        "line 2, intentions: there is no skill 'stelth'; did you mean 'stealth'?",
    ),
    "nobody is asked": (
        line("b", intentions=[{"character": "", "skill": "stealth"}]),
        "line 2, intentions lacks character, a text",
    ),
    "an id twice": (line(), "line 2: the id 'e1_1' is that of line 1 too"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_told_with_its_file_and_line(tmp_path: Path, what: str) -> None:
    bad, told = BAD[what]
    with pytest.raises(Mistake) as raised:
        real_play(written(tmp_path, line(), bad))
    assert str(raised.value).startswith(str(tmp_path / "play.jsonl"))
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join(json.dumps(line(f"e_{n}")) for n in range(200)).encode())
    spoiled = bytearray(packed)
    spoiled[len(packed) // 2] ^= 0xFF
    for name, content in (
        ("cut.gz", packed[: len(packed) // 2]),
        ("spoiled.gz", bytes(spoiled)),
        ("head.gz", b"\x1f\x8b\x00"),
        ("latin.jsonl", "é".encode("latin-1")),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(Mistake, match=f"{name} cannot be read: "):
            real_play(tmp_path / name)
    for path in (tmp_path, tmp_path / "none.jsonl"):
        with pytest.raises(Mistake, match="cannot be read"):
            real_play(path)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_windows(tmp_path: Path, text: str) -> None:
    (tmp_path / "play.jsonl").write_text(text)
    with pytest.raises(Mistake, match=r"play\.jsonl has no windows"):
        real_play(tmp_path / "play.jsonl")


def test_caps_hold_for_what_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST_FILE", 1_000)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b" " * 5_000_000))
    assert path.stat().st_size < 10_000
    with pytest.raises(Mistake, match=r"bomb\.gz has more than 1,000 bytes"):
        real_play(path)
    monkeypatch.undo()
    monkeypatch.setattr(source, "MOST_WINDOWS", 2)
    lines = [line(f"e_{number}") for number in range(3)]
    assert len(real_play(written(tmp_path, *lines[:2])).windows) == 2
    with pytest.raises(Mistake, match="line 3: more than 2 windows are not read"):
        real_play(written(tmp_path, *lines))


# Who leads the game, and who is silent


def spoken(id_: str, *speakers: str, asked: str = "BEN", **more: Any) -> dict[str, Any]:
    return line(id_, asked, turns=[{"speakers": [name], "text": "x"} for name in speakers], **more)


def test_who_speaks_nearly_everywhere_and_is_never_asked_is_taken_to_lead(tmp_path: Path) -> None:
    lines = [spoken(f"e_{n}", "ANNA", "BEN", *(["CLEO"] if n < 3 else [])) for n in range(4)]
    found = real_play(written(tmp_path, *lines, spoken("e_4", "BEN", "DORA")))
    assert [one.masters for one in found.windows] == [("ANNA",)] * 4 + [()]
    assert found.windows[0].players == ("BEN", "CLEO")
    (remark,) = found.remarks
    assert remark.startswith("play.jsonl names no masters: ANNA is taken to lead the game (in 80% ")


def test_where_nobody_fits_nobody_leads(tmp_path: Path) -> None:
    lines = [spoken(f"e_{n}", "ANNA", "BEN", asked=("ANNA", "BEN")[n % 2]) for n in range(4)]
    found = real_play(written(tmp_path, *lines))
    assert not any(one.masters for one in found.windows)
    assert "nobody is taken to lead" in found.remarks[0]


def test_masters_that_are_named_anywhere_are_not_guessed(tmp_path: Path) -> None:
    found = real_play(
        written(tmp_path, spoken("e_0", "ANNA", "BEN"), spoken("e_1", "ANNA", "BEN", masters=["ANNA"]))
    )
    assert [one.masters for one in found.windows] == [(), ("ANNA",)]
    assert found.remarks == ()


def test_who_is_asked_and_does_not_speak_is_told(tmp_path: Path) -> None:
    lines = [spoken(f"e_{n}", "ANNA", "BEN", masters=["ANNA"]) for n in range(3)]
    lines.append(spoken("e_4", "ANNA", "BEN", asked="EVE", masters=["ANNA"]))
    (remark,) = real_play(written(tmp_path, *lines)).remarks
    assert remark == "In 1 of 4 windows of play.jsonl the character who is asked does not speak."


def test_who_spoke_last_may_be_several() -> None:
    turns = (Turn(("A",), ""), Turn(("M", "B", "C"), ""), Turn(("M",), ""), Turn((), ""))
    one = Window("w", "w", turns, (Intention("C", "stealth"),), ("M",))
    assert (one.last_players, one.last_player) == (("B", "C"), "B")
    assert last_speaker_share([one]) == 1
    assert last_speaker_share([one, window("v", speakers=("BEN", "A"))]) == 0.5
    silent = Window("w", "w", (Turn(("M",), ""),), (), ("M",))
    assert (silent.last_player, last_speaker_share([silent])) == ("", 0)


# The record

NAMES = (
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
    .map(lambda text: " ".join(text.replace("\0", "").split()))
    .filter(bool)
)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40).map(
    lambda text: " ".join(text.replace("\0", "").split())
)
WINDOWS = st.builds(
    Window,
    NAMES,
    NAMES,
    st.lists(
        st.builds(Turn, st.lists(NAMES, max_size=3, unique_by=str.casefold).map(tuple), TEXTS),
        min_size=1,
        max_size=5,
    ).map(tuple),
    st.just(()),
    st.lists(NAMES, max_size=2, unique=True).map(tuple),
)


@given(WINDOWS, st.sampled_from(SKILLS), st.integers(0, 10))
def test_what_is_written_is_read_back(one: Window, skill: str, place: int) -> None:
    people = [name for turn in one.turns for name in turn.speakers]
    folded = [name.casefold() for name in people]
    asked = [name for name in people if folded.count(name.casefold()) == people.count(name)]
    if asked:
        one = Window(
            one.id, one.session, one.turns, (Intention(asked[place % len(asked)], skill),), one.masters
        )
    data = json.loads(json.dumps(as_json(one)))
    assert from_json(data) == one
    assert digest_of_windows([from_json(data)]) == digest_of_windows([one])


@given(WINDOWS)
def test_another_window_has_another_digest(one: Window) -> None:
    longer = Window(one.id, one.session, (*one.turns, Turn((), "")), one.intentions, one.masters)
    assert digest_of_windows([one]) != digest_of_windows([longer])
    assert digest_of_windows([one, longer]) != digest_of_windows([longer, one])


# Recorded play


def test_the_windows_of_crd3(originals: Path) -> None:
    found = real_play(originals / "crd3" / "windows.jsonl.gz")
    assert (len(found.windows), found.sessions) == (703, 80)
    assert {name for one in found.windows for name in one.masters} == {"MATT"}
    assert round(703 * last_speaker_share(found.windows)) == 513
    assert [remark.split(":")[0].split(" the character")[0] for remark in found.remarks] == [
        "windows.jsonl.gz names no masters",
        "In 8 of 703 windows of windows.jsonl.gz",
    ]
    parts = split(found, 0.25, 0)
    assert not {one.session for one in parts.learned} & {one.session for one in parts.held_out}
    assert 0.25 <= len(parts.held_out) / 703 <= 0.3
