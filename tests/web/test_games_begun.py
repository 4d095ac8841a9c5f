"""Games are begun by a form, and people come to them by links."""

import re
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from interplay.cli import main
from interplay.models.connecting import Directory
from interplay.models.loopback import Asked, Loopback
from interplay.models.loopback import serving as providing
from interplay.store.passes import Passes
from interplay.store.records import Records
from tests.running.people import lively
from tests.web.gaming import (
    ASKING,
    Player,
    alert_in,
    begin,
    begun,
    directory,
    empty_store,
    filled_in,
    form_in,
    hall,
    invited,
    last_game,
    last_run,
    paid_once,
    until,
)
from tests.web.served import serving


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return empty_store(tmp_path / "a.db")


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"model__player": "nowhere/zqmodel"}, "nowhere/zqmodel"),
        ({"model__player": ""}, "no model to measure"),
        ({"model__player": "openai/zqmodel, openai/zqother"}, "2 tables would be laid"),
        ({"model__judge": ""}, "role_play needs the role judge"),
        ({"model__judge": "human/bob"}, "human/bob is a person and no judge"),
        ({"person": "a b"}, "a person's name is up to 40 letters"),
        ({"person": ""}, "a person's name is up to 40 letters"),
        ({"seat": "judge"}, "role_play has no seat 'judge' for a person"),
        ({"seat": ""}, "role_play has no seat '' for a person"),
        ({"scenario": "nowhere"}, "role_play has no scenario 'nowhere'"),
    ],
)
def test_a_mistake_comes_back_above_the_form_with_what_was_typed(
    store: Path, changes: dict[str, str], said: str
) -> None:
    with hall(store) as (served, loopback):
        typed = {**ASKING, "model__player": "openai/rather-special", **changes}
        answer = begin(served, "role_play", **typed)
        assert answer.status == 400
        assert said in alert_in(answer.text)
        found = form_in(answer.text, "/games/")
        assert found is not None
        for name in ("person", "model__player", "model__judge", "option__turns"):
            assert found[1][name.replace("__", ".")] == typed[name]
        assert loopback.calls == 0
    with Records(store) as records:
        assert records.runs() == []


def test_a_missing_key_is_told_before_anything_is_written(store: Path) -> None:
    with serving(store, Directory(environment={})) as served:
        answer = begin(served, "role_play", **ASKING)
        assert answer.status == 400
        assert "OPENAI_API_KEY" in alert_in(answer.text)
    with Records(store) as records:
        assert records.runs() == []


def test_options_change_what_can_be_chosen_and_keep_what_was_typed(store: Path) -> None:
    with hall(store) as (served, _):
        page = served.ask("/games/new/?benchmark=word_guessing").text
        assert 'value="opponent"' in page
        assert 'name="option.rounds" value="5"' in page
        assert 'name="option.prompts"' not in page  # files are for the command line
        page = served.ask(
            "/games/new/?benchmark=word_guessing&option.experiment=table&option.split=1-1&person=grace&model.player_b=x"
        ).text
        assert "at the table" in page
        assert 'value="opponent"' not in page
        assert 'value="grace"' in page
        assert 'name="model.player_b" type="text" list="known" value="x"' in page
        wrong = served.ask("/games/new/?benchmark=word_guessing&option.rounds=99&person=grace")
        assert wrong.status == 400
        assert "rounds is a whole number from 1 to 20" in alert_in(wrong.text)
        assert 'value="grace"' in wrong.text
        assert served.ask("/games/new/?benchmark=chess").status == 400
        assert served.ask("/games/new/?benchmark=judge_probe").status == 400
        assert served.ask("/games/new/").status == 400


def test_a_second_click_is_no_second_game_also_while_models_speak(store: Path) -> None:
    may_speak = threading.Event()

    def script(asked: Asked) -> str:
        assert may_speak.wait(10)
        return lively(asked)

    with hall(store, script) as (served, _):
        found = form_in(served.ask("/games/new/?benchmark=role_play&seat=player").text, "/games/")
        assert found is not None
        names = {"model.interrogator": "openai/zqother", "model.judge": "openai/zqjudge", "option.turns": "1"}
        sent = {**found[1], **names, "scenario": "any"}
        places = [served.post("/games/", sent) for _ in range(3)]
        assert {one.status for one in places} == {303}
        assert len({one.headers["location"] for one in places}) == 1
        may_speak.set()
        Player(served, places[0].headers["location"]).wait()
    with Records(store) as records:
        [run] = records.runs()
        assert len(records.conversations(run)) == 1


def test_play_again_is_the_same_form_once_more_and_both_times_can_be_seen(store: Path) -> None:
    with hall(store) as (served, _):
        ada = begun(served, "role_play", **ASKING)
        ada.play()
        row, _ = last_game(store)
        link = re.search(r'href="([^"]+)">Play again', ada.pages[-1])
        assert link is not None
        again = parse_qs(urlsplit(link[1].replace("&amp;", "&")).query)
        assert again == {
            "benchmark": ["role_play"],
            "seat": ["interrogator"],
            "person": ["ada"],
            "option.turns": ["2"],
        }
        found = form_in(served.ask(link[1].replace("&amp;", "&")).text, "/games/")
        assert found is not None
        assert (found[1]["model.player"], found[1]["seat"]) == ("openai/zqmodel", "interrogator")
        answer = served.post("/games/", {**found[1], "scenario": row.scenario.id})
        second = Player(served, answer.headers["location"])
        assert "You play this 2 times" in second.wait()
        first = Player(served, f"{second.address}&conversation={row.number}").look()
        assert "The game is over" in first  # although the other one waits
        assert 'data-look-again="0"' in first
        second.play()
    with Records(store) as records:
        assert [row.repeat for row in records.conversations(records.find("last"))] == [0, 1]


def test_names_that_may_be_meant_are_offered(store: Path) -> None:
    with hall(store) as (served, _):
        begun(served, "role_play", **ASKING).wait()
        page = served.ask("/games/new/?benchmark=task_dialogue").text
        offered = re.findall(r'<option value="([^"]+)"></option>', page)
        assert {"openai/zqmodel", "openai/zqjudge", "rule/agenda", "local/smollm2"} <= set(offered)
        assert not [name for name in offered if name.startswith("human/")]


# Links


def test_a_link_lets_somebody_into_one_game_as_one_person(store: Path) -> None:
    with hall(store) as (served, _):
        owner = begun(served, "role_play", **ASKING)
        run = owner.address.split("/")[2]
        assert served.post(f"/games/{run}/invite/", {"person": "bob"}).status == 400
        ada = invited(owner)
        assert invited(owner).address == ada.address
        page = ada.wait()
        assert "You are <bdi>ada</bdi>" in page
        assert 'href="/games/' not in page
        assert "Let somebody else play" not in page
        assert served.ask(f"/games/{run}/", owner=False).status == 403
        assert served.ask(f"/games/{run}/?person=bob").status == 404
        with Passes(store) as passes:
            passes.revoke("player", run, "ada")
        assert served.ask(ada.address, owner=False).status == 403
        assert ada.address not in owner.look()


def test_a_run_that_was_begun_by_a_command_is_a_game_as_well(store: Path) -> None:
    loopback = Loopback(lively)
    with providing(loopback) as url:
        line = ["run", "role_play", "--model", "openai/zqmodel", "--turns", "1", "--limit", "2", "--base-url", url,
                "--model-role", "interrogator=human/ada", "--model-role", "judge=openai/zqjudge"]  # fmt: skip
        assert main([*line, "--store", str(store)]) == 1
        with serving(store, directory(url)) as served:
            run = last_run(store)
            assert f'href="/games/{run}/"' in served.ask("/games/").text
            assert served.ask(f"/games/{run}x/").status == 404
            assert Player(served, f"/games/{run}/").play() == 2
            until(Player(served, "/games/"), lambda page: "over, judged" in page)
    assert paid_once(store, loopback)


def test_two_people_at_one_table_each_see_that_the_other_is_to_speak(store: Path) -> None:
    with hall(store) as (served, _):
        changes = {
            "person": "ada",
            "option__experiment": "table",
            "option__split": "1-1",
            "option__rounds": "1",
        }
        owner = begun(served, "word_guessing", **changes, model__player_b="human/bob")
        ada, bob = invited(owner), invited(owner, "bob")
        for _ in range(200):
            for one in (ada, bob):
                page = one.look()
                if form_in(page) is not None:
                    assert one.send(*filled_in(page)).status == 303
            if 'id="over"' in page:
                break
        assert 'id="over"' in page
        seen = [*ada.pages, *bob.pages]
        assert any("It is somebody else's turn" in page for page in seen)
        assert not any("bob" in page for page in ada.pages)
    assert last_game(store)[0].state == "done"
