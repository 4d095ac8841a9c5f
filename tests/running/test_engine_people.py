"""While a person thinks nothing is held; whoever goes on does so from the record, and pays for no answer twice."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from interplay.cli import main
from interplay.models.loopback import Asked, Fault, Loopback, serving
from interplay.running.games import complaint
from interplay.store.lock import run_lock
from interplay.store.moves import Move, Moves
from interplay.store.records import Records
from tests.faults.harness import Killer, check_record, finish, finished_rows, in_flight, start
from tests.running.people import (
    CASES,
    JUDGE,
    a_role_play,
    as_model,
    line_of,
    played_to_the_end,
    recorded,
    speak,
    the_player_s,
)
from tests.running.typed import provider, steady

MOVES = {"next_utterance": "What do you keep in the cellar?"}


def test_a_new_process_goes_on_after_each_kill_between_moves_and_pays_for_no_answer_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with provider() as (calm, url):
        store = tmp_path / "calm.db"
        moves = played_to_the_end(the_player_s(url, store), store, as_model("ada"), capsys)
    assert moves == 2
    killer = Killer()
    loopback = Loopback(steady, watch=killer)
    store = tmp_path / "killed.db"
    kept: set[tuple[Any, ...]] = set()
    with serving(loopback) as url:
        # two events are a call: the user's first words, its second ones, the judge's verdict
        for at in (1, 2, 2, 1, 1):
            killer.aim(at)
            killer.process = start(the_player_s(url, store))
            killer.started.set()
            code, _, err = finish(killer.process)
            assert "Traceback" not in err
            now = finished_rows(store)
            assert kept <= now, "a finished row was lost"
            kept = now
            if code != -signal.SIGKILL:
                assert code == 1, err
                speak(store, as_model("ada"))
        killer.aim(0)
        played_to_the_end(the_player_s(url, store), store, as_model("ada"), capsys)
    assert kept <= finished_rows(store)
    assert list(recorded(store)) == list(recorded(tmp_path / "calm.db"))
    check_record(store)
    assert loopback.calls - calm.calls <= in_flight(store)


def test_nothing_is_held_while_somebody_thinks_and_the_question_is_written_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "a.db"
    with provider() as (loopback, url):
        line = a_role_play(url, store)
        for _ in range(3):
            assert main(line) == 1
            with Moves(store) as moves:
                [move] = moves.waiting()
        assert loopback.calls == 0
        with Records(store) as records:
            found = records.find("last")
            assert records.waiting(found) == {move.conversation: ("ada",)}
            assert records.totals(found).unknown == 0
        capsys.readouterr()
        with run_lock(store, found.id):  # it is free
            assert "is being written" in _locked(line, capsys)
    assert (move.call, move.person, move.seat, move.run) == (1, "ada", "interrogator", found.id)
    assert move.schema is not None
    assert list(move.schema["properties"]) == ["next_utterance"]
    assert move.messages[0].role == "system"


def _locked(line: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(line) == 3
    return capsys.readouterr().err


def test_a_run_that_is_still_under_way_goes_on_with_what_somebody_said_meanwhile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "a.db"

    def script(asked: Asked) -> str:
        if asked.number == 2:  # of the second conversation; the first one waits
            assert speak(store, as_model("ada")) == 1
        return steady(asked)

    with provider(script) as (loopback, url):
        line = the_player_s(url, store, "--limit", "2", "--max-connections", "1")
        assert main(line) == 1
        assert "2 conversations wait for ada" in capsys.readouterr().err
        assert loopback.calls_by_model() == {"u": 3}


def test_a_second_try_is_asked_of_a_person_as_of_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "a.db"
    tries = 0

    def say(move: Move) -> str:
        nonlocal tries
        assert complaint(move, "{}") == "Your reply does not fit the form: next_utterance is missing."
        assert complaint(move, json.dumps(MOVES)) == ""
        tries += 1
        return json.dumps({**MOVES, "next_utterance": f"Number {tries}?"}) if tries > 1 else "{}"

    with provider() as (_, url):
        assert played_to_the_end(a_role_play(url, store), store, say, capsys) == 3
        never = tmp_path / "never.db"
        assert played_to_the_end(a_role_play(url, never), never, lambda move: "{}", capsys) == 3
    with Records(never) as records:
        [row] = records.conversations(records.find("last"))
    assert (row.state, row.failure) == ("void", "simulator error")


def test_a_conversation_that_a_provider_broke_off_waits_again_when_it_comes_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told, seat, _, _ = CASES["a player of word guessing"]
    store = tmp_path / "a.db"
    asked_to_guess = 0

    def script(asked: Asked) -> str | Fault:
        nonlocal asked_to_guess
        if asked.schema and "clue" not in asked.schema["properties"]:
            asked_to_guess += 1
            return Fault("status", status=400) if asked_to_guess == 1 else steady(asked)
        return steady(asked)

    with provider(script) as (_, url):
        line = line_of(url, store, *told, *seat)
        assert main(line) == 1
        speak(
            store, as_model("ada")
        )  # the clue; then both guess at once, and the opponent's endpoint refuses
        assert main(line) == 1
        with Moves(store) as moves:
            assert moves.waiting() == []
        assert main(line) == 1
        with Moves(store) as moves:
            assert len(moves.waiting()) == 1
        with Records(store) as records:
            [row] = records.conversations(records.find("last"))
            assert (row.state, row.failure, row.detail) == ("open", "", "")
        played_to_the_end(line, store, as_model("ada"), capsys)
    check_record(store)


def test_a_budget_counts_no_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "a.db"
    with provider() as (loopback, url):
        line = a_role_play(url, store, "--budget-calls", "3", "--budget-tokens", "100000")
        played_to_the_end(line, store, as_model("ada"), capsys)
        assert loopback.calls_by_model() == {"p": 2, "judge": 1}
        with Records(store) as records:
            assert records.spent(records.find("last"), ())[2] == 3


def test_a_bot_that_remembers_is_rejoined_where_it_was_a_person_who_was_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[str] = []

    def script(asked: Asked) -> str:
        if asked.model != "bot":
            return steady(asked)
        heard.append(str(asked.body["session"]))
        return f"I have heard {len(heard)} of you."

    store, models = tmp_path / "a.db", tmp_path / "models.toml"
    with provider(script) as (_, url):
        models.write_text(
            f'[models.mine]\nmodel = "http"\nurl = "{url.removesuffix("/v1")}/bot"\n'
            'request = { session = "{{session}}", text = "{{text}}" }\n'
        )
        line = line_of(url, store, "role_play", "--model", "mine", "--turns", "3", "--models", str(models),
                       "--model-role", "interrogator=human/ada", *JUDGE)  # fmt: skip
        assert played_to_the_end(line, store, as_model("ada"), capsys) == 3
    assert len(heard) == 3
    assert len(set(heard)) == 1
