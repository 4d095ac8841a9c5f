"""People in any seat of any benchmark come to what a model would, and sit only where they can."""

import json
from pathlib import Path

import pytest

from interplay.cli import main
from interplay.store.records import Records
from tests.faults.harness import check_record
from tests.running.people import (
    CASES,
    JUDGE,
    a_role_play,
    as_model,
    line_of,
    lively,
    played_to_the_end,
    recorded,
)
from tests.running.typed import provider, refused, run


@pytest.mark.parametrize("case", CASES)
def test_whoever_says_what_a_model_would_say_comes_to_the_same_and_pays_for_nothing_twice(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told, seat, twin, like = CASES[case]
    with provider(lively, jitter=0.004, seed=1) as (loopback, url):
        assert main(line_of(url, tmp_path / "twin.db", *told, *twin)) == 0, capsys.readouterr().err
        of_models = loopback.calls_by_model()
    capsys.readouterr()
    with provider(lively, jitter=0.004, seed=2) as (loopback, url):
        store = tmp_path / "people.db"
        moves = played_to_the_end(line_of(url, store, *told, *seat), store, as_model(like), capsys)
        with_people = loopback.calls_by_model()
    assert moves > 0
    assert with_people == {**of_models, like: of_models[like] - moves} or (
        with_people == {name: count for name, count in of_models.items() if name != like}
        and moves == of_models[like]
    )
    [before] = recorded(tmp_path / "twin.db")
    [now] = recorded(store, ada=f"openai/{like}")
    assert now == before
    assert "'done'" in now[0]
    assert main(["show", "last", "--store", str(store), "--json"]) == 0
    board = json.loads(capsys.readouterr().out)
    key = seat[1].partition("=")[0] if "=" in seat[1] else ""
    note = next(note for note in board["notes"] if note.startswith("People, no models, sat down in run"))
    assert f"human/ada as {key}" in note
    check_record(store)


def test_who_sat_where_is_in_the_outcome(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told, seat, _, like = CASES["the second of three players of a scene"]
    store = tmp_path / "a.db"
    with provider() as (_, url):
        played_to_the_end(line_of(url, store, *told, *seat), store, as_model(like), capsys)
    with Records(store) as records:
        [row] = records.conversations(records.find("last"))
    assert row.outcome is not None
    assert {one["seat"]: one["model"] for one in row.outcome["seats"]} == {
        "player": "openai/p",
        "player 2": "human/ada",
        "player 3": "openai/p",
        "npc": "openai/p",
    }
    assert row.cast == {"player": "openai/p", "npc": "openai/p", "player 2": "human/ada"}


def test_such_a_run_stands_apart_on_boards_of_many_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told, seat, twin, like = CASES["the second of three players of a scene"]
    store = tmp_path / "a.db"
    with provider() as (_, url):
        assert main(line_of(url, store, *told, *twin)) == 0
        played_to_the_end(line_of(url, store, *told, *seat), store, as_model(like), capsys)
    groups = run(["board", "social_interaction", "--store", str(store), "--json"], capsys)
    assert "cast (player 2: " in json.dumps(groups)


# Mistakes


@pytest.mark.parametrize(
    "told, said",
    [
        (("role_play", "--model", "openai/p", "--model-role", "judge=human/ada"), "human/ada is a person and no judge"),
        (("role_play", "--model", "human/a b", *JUDGE), "human/a b: a person's name is up to 40 letters"),
        (("role_play", "--model", "human/", *JUDGE), "a person's name is up to 40 letters"),
        (("role_play", "--model", "openai/p", "--model-role", "player 2=human/ada", *JUDGE),
         "player has one seat here, which is called player and not 'player 2'"),
        (("social_interaction", "--model", "openai/p", "--model-role", "player 4=human/ada", *JUDGE),
         "social_interaction has no seat 'player 4'; did you mean 'player 3'?"),
        (("social_interaction", "--model", "openai/p", "--model-role", "player 2=openai/q", *JUDGE),
         "player 2 is one seat of player, which only a person takes alone"),
        (("social_interaction", "--model", "openai/p", "--model-role", "plyer 2=human/ada", *JUDGE),
         "social_interaction has no role 'plyer'; did you mean 'player'?"),
        (("social_interaction", "--model", "openai/p", *(part for number in (1, 2, 3) for part in
          ("--model-role", f"player {number}=human/p{number}")), *JUDGE), "people have all seats of player"),
        (("social_interaction", "--model-role", "player 2=human/ada", *JUDGE), "no model to measure"),
        (("role_play", "--model", "human/ada", "--model-role", "interrogator=openai/u",
          "--sampling", "human/ada.temperature=0", *JUDGE), "human/ada is a person and takes no temperature"),
    ],
)  # fmt: skip
def test_where_people_cannot_sit(
    told: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with provider() as (loopback, url):
        roles = () if "interrogator=openai/u" in told or told[0] != "role_play" else (
            "--model-role", "interrogator=openai/u")  # fmt: skip
        assert said in refused(line_of(url, tmp_path / "a.db", *told, *roles), capsys)
        assert loopback.calls == 0
    assert not (tmp_path / "a.db").exists()


def test_a_person_cannot_join_the_judges_later(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "a.db"
    with provider() as (_, url):
        played_to_the_end(a_role_play(url, store), store, as_model("ada"), capsys)
        said = refused(["judge", "last", "--model-role", "judge=human/ada", "--store", str(store)], capsys)
    assert "human/ada is a person and no judge" in said


def test_a_plan_says_what_people_are_asked_and_that_it_costs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told, seat, _, _ = CASES["the second of three players of a scene"]
    line = line_of("http://127.0.0.1:9/v1", tmp_path / "a.db", *told, *seat)
    plan = run([*line, "--plan", "--json"], capsys)
    shares = {one["role"]: one for one in plan["shares"]}
    assert shares["player 2"]["model"] == "human/ada"
    assert (shares["player 2"]["tokens"], shares["player 2"]["cost"]) == ([0, 0], [0.0, 0.0])
    # six moves of four seats and three interviews, of which the person has its share
    assert shares["player 2"]["calls"] == [2, 3]
    assert shares["player"]["calls"] == [4, 6]
    assert not (tmp_path / "a.db").exists()
