"""Playing over real HTTP: any seat of any benchmark, to the end, judged, whatever happens to the server on the way."""

import re
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from interplay.core.failures import RunLocked
from interplay.models.loopback import Asked, Fault, Loopback
from interplay.models.loopback import serving as providing
from interplay.store.lock import run_lock
from interplay.store.moves import Moves
from interplay.store.records import Records
from interplay.web.playing import ANSWERED, GONE
from tests.running.people import lively
from tests.web.gaming import (
    ASKING,
    GUESSING,
    Player,
    alert_in,
    begun,
    directory,
    empty_store,
    filled_in,
    hall,
    invited,
    last_game,
    last_run,
    paid_once,
    until,
)
from tests.web.served import serving

HIDDEN = re.compile(r"openai|zq(model|other|judge)")  # whatever the models here are called
# of each: the benchmark, what is filled in, how often the person speaks, and how many verdicts there are
CASES: dict[str, tuple[str, dict[str, str], int, int]] = {
    "a player of word guessing": ("word_guessing", GUESSING, 2, 0),
    "somebody at a table": (
        "word_guessing",
        {"option__experiment": "table", "option__split": "1-1", "option__rounds": "1",
         "model__player_b": "openai/zqmodel"},
        2,
        0,
    ),
    "the interrogator of a role-play": ("role_play", ASKING, 2, 1),
    "the player of a role-play": (
        "role_play",
        {"seat": "player", "model__interrogator": "openai/zqother", "model__judge": "openai/zqjudge",
         "option__turns": "2"},
        2,
        1,
    ),
    "the user of a task bot": (
        "task_dialogue",
        {"seat": "user", "model__system": "openai/zqmodel", "model__judge": "openai/zqjudge", "option__exchanges": "2"},
        2,
        1,
    ),
    "a task bot": (
        "task_dialogue",
        {"seat": "system", "model__user": "openai/zqother", "model__judge": "", "option__exchanges": "1"},
        3,
        0,
    ),
    "the second player of a scene": (
        "social_interaction",
        {"seat": "player 2", "model__player": "openai/zqmodel", "model__judge": "openai/zqjudge", "option__moves": "6"},
        2,
        1,
    ),
    "a simulated interface": ("simulation", {"model__judge": "openai/zqjudge, openai/zqother"}, 1, 2),
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return empty_store(tmp_path / "a.db")


@pytest.mark.parametrize("case", CASES)
def test_a_game_is_played_by_an_invited_person_who_sees_their_seat_alone_over_two_servers_and_is_judged(
    case: str, store: Path
) -> None:
    benchmark, filled, wanted, judges = CASES[case]
    loopback = Loopback(lively)
    with providing(loopback) as url:
        with serving(store, directory(url)) as served:
            first = invited(begun(served, benchmark, **{"person": "ada", **filled}))
            moves = 0 if wanted == 1 else 1
            for _ in range(moves):
                first.move()
        with serving(store, directory(url)) as served:
            second = Player(served, first.address)
            moves += second.play()
            over = second.pages[-1]
            owner = served.ask(f"/games/{last_run(store)}/").text
            assert "over" in served.ask("/games/").text
    row, verdicts = last_game(store)
    assert (row.state, moves) == ("done", wanted)
    assert len(verdicts) == judges
    assert paid_once(store, loopback)
    before = [*first.pages, *second.pages[:-1]]
    assert before
    for page in before:
        assert not HIDDEN.search(page)
        assert row.scenario.label not in page  # it may say what is to be found out
        assert "All that was said" not in page
    assert not HIDDEN.search(over)
    assert row.scenario.label in over
    assert over.count("<summary>What judge") + over.count("judge error") == judges
    assert f"/conversations/{row.number}/" in owner
    assert f"/conversations/{row.number}/" not in over


def test_what_was_heard_last_is_seen_although_nobody_is_asked_to_answer_it(store: Path) -> None:
    with hall(store) as (served, _):
        ada = begun(served, "role_play", **ASKING)
        ada.play()
    row, _ = last_game(store)
    last = row.outcome["turns"][-1]["player"]
    shown = ada.pages[-1].partition('id="over"')[0]
    assert last in shown


def test_the_owner_sees_where_games_stand(store: Path) -> None:
    may_speak = threading.Event()

    def script(asked: Asked) -> str:
        assert may_speak.wait(10)
        return lively(asked)

    with hall(store, script) as (served, _):
        assert "Begin a game" in served.ask("/games/").text
        ada = begun(served, "role_play", **ASKING)
        ada.wait()
        listed = served.ask("/games/").text
        assert "waits for <bdi>ada</bdi>" in listed
        label = last_game(store)[0].scenario.label
        assert label not in listed
        ada.move()
        assert "The others are thinking" in ada.look()  # a model that takes its time keeps no page waiting
        assert "the others are speaking" in served.ask("/games/").text
        may_speak.set()
        ada.play()
        listed = served.ask("/games/").text
        assert "over, judged" in listed
        assert label in listed


# One question, one answer


def test_a_second_answer_to_a_question_is_told_so_and_what_was_written_is_shown(store: Path) -> None:
    with hall(store) as (served, _):
        ada = begun(served, "role_play", **ASKING)
        action, values = filled_in(ada.wait())
        assert ada.send(action, {**values, "say.next_utterance": "What is your trade?"}).status == 303
        again = ada.send(action, {**values, "say.next_utterance": "What is your trade?"})
        assert again.status == 303  # the same move, sent twice
        other = ada.send(action, {**values, "say.next_utterance": "Where do you live?"})
        assert other.status == 400
        assert alert_in(other.text) == ANSWERED
        assert "Where do you live?" in other.text
        assert "What is your trade?" in other.text
        ada.play()
    assert last_game(store)[0].outcome["turns"][0]["user"] == "What is your trade?"


@pytest.mark.parametrize(
    "texts, taken", [(("Who?", "Who?", "Who?", "Who?"), 4), (("A?", "B?", "C?", "D?"), 1)]
)
def test_answers_at_the_same_moment_are_one(store: Path, texts: tuple[str, ...], taken: int) -> None:
    with hall(store) as (served, _):
        ada = begun(served, "role_play", **ASKING)
        action, values = filled_in(ada.wait())
        with ThreadPoolExecutor(len(texts)) as pool:
            sent = [{**values, "say.next_utterance": text} for text in texts]
            answers = list(pool.map(lambda one: ada.send(action, one), sent))
        assert [one.status for one in answers].count(303) == taken
        assert all(alert_in(one.text) == ANSWERED for one in answers if one.status != 303)
        ada.play()
        kept = last_game(store)[0].outcome["turns"][0]["user"]
        assert kept in [text for text, one in zip(texts, answers, strict=True) if one.status == 303]


def test_nobody_answers_for_somebody_else_or_in_another_game(store: Path) -> None:
    with hall(store) as (served, _):
        ada = begun(served, "role_play", **ASKING)
        other = invited(begun(served, "word_guessing", **{**GUESSING, "person": "bob"}), "bob")
        action, values = filled_in(ada.wait())
        other.wait()
        sent = {**values, "text": "x", "say.next_utterance": "x"}
        assert other.send(other.address, sent).status == 404
        assert ada.send(action, {**sent, "person": "bob"}).status == 404
        assert ada.send(action, {**sent, "call": "999"}).status == 404
        assert ada.send(f"{action.partition('?')[0]}?conversation=x", sent).status == 400
        assert served.post(other.address.replace("/play/", "/play/x"), sent).status == 403
        with Moves(store) as moves:
            assert len(moves.waiting()) == 2


def test_new_lines_are_what_a_model_would_write_and_two_ways_of_sending_are_one_move(store: Path) -> None:
    with hall(store) as (served, _):
        ada = begun(served, "simulation", person="ada", model__judge="openai/zqjudge")
        action, values = filled_in(ada.wait())
        assert ada.send(action, {**values, "text": "one\r\ntwo"}).status == 303
        assert ada.send(action, {**values, "text": "one\ntwo"}).status == 303
        ada.play()
    assert last_game(store)[0].outcome == {"text": "one\ntwo"}


# What cannot be read


def test_a_move_that_does_not_fit_its_form_is_told_before_it_is_said_and_is_kept(store: Path) -> None:
    with hall(store) as (served, _):
        ada = begun(served, "social_interaction", person="ada", seat="npc", model__player="openai/zqmodel",
                    model__judge="openai/zqjudge", option__moves="5")  # fmt: skip
        action, values = filled_in(ada.wait())
        answer = ada.send(action, {**values, "say.move": "fly", "say.say": "Up & away"})
        assert answer.status == 400
        assert "move" in alert_in(answer.text)
        assert "Up &amp; away</textarea>" in answer.text
        answer = ada.send(action, {**values, "say.say": "a" * 100_001})
        assert answer.status == 400
        assert "At most 100,000 characters" in alert_in(answer.text)
        assert ada.send(action, values).status == 303


def test_why_a_reply_could_not_be_read_stands_above_the_next_form(store: Path) -> None:
    filled = CASES["the user of a task bot"][1]
    with hall(store) as (served, _):
        ada = begun(served, "task_dialogue", **{**filled, "person": "ada"})
        action, values = filled_in(ada.wait())
        assert ada.send(action, {**values, "say.utterance": ""}).status == 303
        page = ada.wait()
        assert "utterance must not be empty while you go on" in page.partition("could not be read")[2]
        assert page.index("could not be read") < page.index('id="turn"')
        ada.move()
        assert "could not be read" not in ada.wait()
        ada.play()
    assert last_game(store)[0].state == "done"


# What goes wrong


@pytest.fixture
def broken() -> Mapping[str, Any]:
    """A provider that refuses while it is told to."""
    state: dict[str, Any] = {"refuses": False}

    def script(asked: Asked) -> str | Fault:
        is_guess = asked.schema is not None and "clue" not in asked.schema["properties"]
        return Fault("status", status=400) if state["refuses"] and is_guess else lively(asked)

    return {**state, "state": state, "script": script}


def test_a_provider_that_fails_is_told_in_one_line_and_tried_again_by_the_owner_alone(
    store: Path, broken: Mapping[str, Any]
) -> None:
    broken["state"]["refuses"] = True
    with hall(store, broken["script"]) as (served, loopback):
        owner = begun(served, "word_guessing", **GUESSING)
        ada = invited(owner)
        ada.move()  # the clue; then both guess at once, and the opponent's endpoint refuses
        page = until(ada, lambda page: bool(alert_in(page)))
        assert alert_in(page).startswith("The game did not go on.")
        assert not HIDDEN.search(page)
        assert "came to nothing" not in page
        assert 'data-look-again="5.0"' in page  # it goes on by itself once somebody has tried again
        page = owner.wait()
        assert "The game did not go on: provider failure: openai/zqmodel" in alert_in(page)
        assert 'data-look-again="0"' in page
        calls = loopback.calls
        owner.look()
        assert loopback.calls == calls  # looking tries nothing again
        run = last_run(store)
        assert served.post(f"/games/{run}/go-on/", {}).status == 303
        assert "did not go on" in alert_in(owner.wait())
        broken["state"]["refuses"] = False
        assert served.post(f"/games/{run}/go-on/", {}).status == 303
        assert ada.play() == 1
    assert last_game(store)[0].state == "done"


def test_what_is_said_while_a_game_is_broken_off_is_not_lost(store: Path, broken: Mapping[str, Any]) -> None:
    with hall(store, broken["script"]) as (served, _):
        ada = begun(served, "word_guessing", **GUESSING)
        ada.move()
        action, values = filled_in(ada.wait())
        [guess] = [name for name in values if name.startswith("say.")]
        with Records(store) as records:
            records.db.execute(
                "UPDATE conversations SET state = 'void', failure = 'provider', detail = 'x: down'"
            )
        answer = ada.send(action, {**values, guess: "harpsichord"})
        assert answer.status == 400
        assert GONE in answer.text
        assert "harpsichord" in answer.text
        assert ada.play() == 1


def test_a_model_that_never_answers_in_form_ends_the_game_and_nothing_is_to_be_tried_again(
    store: Path,
) -> None:
    with hall(store, lambda asked: "no JSON at all") as (served, _):
        ada = invited(begun(served, "word_guessing", **GUESSING))
        ada.play()
        page = ada.pages[-1]
        assert "The game came to nothing" in page
        assert "did not go on" not in page
        assert not HIDDEN.search(page)
        owner = served.ask(f"/games/{last_run(store)}/").text
        assert "simulator error: opponent" in owner
        assert "Try again" not in owner


@contextmanager
def held(store: Path, run: str) -> Iterator[None]:
    """The lock of a run, as soon as the server has let go of it."""
    deadline = time.monotonic() + 10
    while True:
        try:
            with run_lock(store, run):
                yield
            return
        except RunLocked:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_game_that_another_process_has_in_hand_goes_on_when_that_is_done(store: Path) -> None:
    with hall(store) as (served, _):
        ada = begun(served, "role_play", **ASKING)
        ada.wait()
        run = last_run(store)
        with held(store, run):
            ada.move()
            page = until(ada, lambda page: f"Run {run} is being written by another process" in page)
            assert "The others are thinking" in page
            assert alert_in(page) == ""
        ada.play()


def test_a_run_of_which_nothing_was_begun_is_not_tried_over_and_over(store: Path) -> None:
    with hall(store) as (served, _):
        ada = begun(served, "simulation", person="ada", model__judge="openai/zqjudge")
        ada.wait()
        with Records(store) as records:
            records.db.execute("DELETE FROM calls")
            records.db.execute("DELETE FROM conversations")
        assert "models have nothing to say in it" in alert_in(ada.wait())


def test_a_server_that_ends_does_not_wait_for_a_model_that_never_answers(store: Path) -> None:
    hangs = threading.Event()

    def script(asked: Asked) -> str | Fault:
        if not hangs.is_set():
            hangs.set()
            return Fault("hang")
        return lively(asked)

    loopback = Loopback(script)
    with providing(loopback) as url:
        with serving(store, directory(url)) as served:
            ada = begun(
                served, "role_play", **{**ASKING, "seat": "player", "model__interrogator": "openai/zqother"}
            )
            assert hangs.wait(10)
        with serving(store, directory(url)) as served:
            assert Player(served, ada.address).play() == 2
    assert last_game(store)[0].state == "done"
