"""What a board says of people: who sat where, and who is to speak."""

from pathlib import Path

import pytest

from interplay.core.failures import FAILURES
from interplay.running.people_note import people_notes, waiting_remarks
from interplay.store.records import Records, Run
from tests.running.people import as_model, speak
from tests.running.typed import provider, run

RUN = Run(1, "r-1", "social_interaction", {}, {}, b"", "")


def cast_of(**cast: str) -> dict[str, str]:
    return {key.replace("_", " "): name for key, name in cast.items()}


def test_nothing_is_said_of_models() -> None:
    assert people_notes(RUN, [cast_of(player="openai/p", npc="openai/humanist")]) == []


def test_a_note_says_who_sat_where_and_how_often() -> None:
    with_ada = cast_of(player="openai/p", player_2="human/ada", npc="human/bo")
    [note] = people_notes(RUN, [with_ada, with_ada, cast_of(player="human/ada", npc="openai/p")])
    assert note == (
        "People, no models, sat down in run r-1: human/ada as player in 1 conversation; human/ada as player 2 in "
        "2 conversations; human/bo as npc in 2 conversations. What a conversation comes to counts all who sat in it."
    )


def test_a_person_who_has_a_whole_role_shares_its_scores_with_nobody() -> None:
    [note] = people_notes(RUN, [cast_of(player="human/ada", npc="openai/p")])
    assert note == "People, no models, sat down in run r-1: human/ada as player in 1 conversation."


def test_a_conversation_that_waits_is_told_by_a_name_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "a.db"
    with provider() as (_, url):
        line = ["run", "role_play", "--base-url", url, "--store", str(store), "--limit", "1", "--json"]
        line += ["--model", "human/ada", "--model", "human/bo", "--model-role", "interrogator=openai/u"]
        line += ["--model-role", "judge=openai/judge", "--turns", "1"]
        board = run(line, capsys, code=1)
        assert "Void by name: waiting for a person 2." in board["notes"]
        assert [row["model"] for row in board["rows"]] == ["human/ada", "human/bo"]
        with Records(store) as records:
            [told] = waiting_remarks(records, records.find("last"))
        assert told.startswith(
            "2 conversations wait for ada and bo to speak, which is done in interplay view"
        )
        speak(store, as_model("x"))
        board = run(line, capsys)
        assert not any(note.startswith("Void by name") for note in board["notes"])
        assert [row["n"] for row in board["rows"]] == [1, 1]
    with Records(store) as records:
        assert waiting_remarks(records, records.find("last")) == []
    assert FAILURES["waiting for a person"].again
