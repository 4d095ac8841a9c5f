"""Games as pages begin them: written down, played on whenever somebody has spoken, judged, and played once more."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.cli import main
from interplay.core.failures import Mistake, RunLocked
from interplay.models.connecting import Directory
from interplay.models.loopback import Asked, Fault
from interplay.running.games import Wish, begin_game, game_of, has_person, play_on
from interplay.running.how import How
from interplay.store.lock import run_lock
from interplay.store.records import Records
from tests.running.people import (
    as_model,
    speak,
    the_player_s,
)
from tests.running.typed import provider, steady


def wish(**changes: Any) -> Wish:
    role_play = find("role_play")
    scenario = role_play.scenarios(role_play.settle({}), None).scenarios[3].id
    asked: dict[str, Any] = {
        "benchmark": role_play,
        "scenario": scenario,
        "person": "ada",
        "seat": "interrogator",
        "models": ("openai/p",),
        "roles": {"judge": ("openai/judge",)},
        "options": {"turns": "2"},
    }
    return Wish(**{**asked, **changes})


def how_at(url: str, store: Path) -> How:
    return How(store, Directory(base_url=url, environment={}))


def standing(store: Path, run: str) -> tuple[str, tuple[str, ...], int]:
    with Records(store) as records:
        found = game_of(records, records.find(run))
        assert has_person(records.find(run))
    return found.state, found.people, len(found.conversations)


def test_a_game_is_begun_played_on_and_judged_and_can_be_played_once_more(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    with provider() as (loopback, url):
        how = how_at(url, store)
        game = asyncio.run(begin_game(wish(), how))
        assert standing(store, game) == ("to be continued", (), 1)
        assert asyncio.run(begin_game(wish(), how)) == game
        assert standing(store, game)[2] == 1  # a second click is no second game
        asyncio.run(play_on(game, how))
        assert standing(store, game) == ("waiting", ("ada",), 1)
        assert asyncio.run(play_on(game, how)).parked == 1
        for _ in range(2):
            speak(store, as_model("ada"))
            assert standing(store, game)[0] == "to be continued"
            asyncio.run(play_on(game, how))
        assert standing(store, game) == ("over", (), 1)
        assert loopback.calls_by_model() == {"p": 2, "judge": 1}
        assert asyncio.run(play_on(game, how)).calls == 0
        assert asyncio.run(begin_game(wish(), how)) == game
        assert standing(store, game) == ("to be continued", (), 2)
        asyncio.run(play_on(game, how))
        assert standing(store, game) == ("waiting", ("ada",), 2)
    with Records(store) as records:
        rows = records.conversations(records.find(game))
    assert [(row.repeat, row.state) for row in rows] == [(0, "done"), (1, "open")]
    assert len({row.scenario.id for row in rows}) == 1


@pytest.mark.parametrize(
    "changes, cast",
    [
        ({"seat": "player", "models": (), "roles": {"interrogator": ("openai/u",), "judge": ("openai/judge",)}},
         {"player": "human/ada", "interrogator": "openai/u"}),
        ({"benchmark": find("social_interaction"), "seat": "player 3", "options": {"moves": "4"}},
         {"player": "openai/p", "npc": "openai/p", "player 3": "human/ada"}),
        ({"benchmark": find("word_guessing"), "seat": "player_a", "roles": {},
          "options": {"experiment": "table", "split": "1-1"}},
         {"player_a": "human/ada", "player_b": "openai/p"}),
    ],
)  # fmt: skip
def test_a_person_takes_the_seat_it_wishes_for(
    changes: dict[str, Any], cast: dict[str, str], tmp_path: Path
) -> None:
    benchmark = changes.get("benchmark", find("role_play"))
    options = benchmark.settle(benchmark.read(changes.get("options", {})))
    changes = {**changes, "scenario": benchmark.scenarios(options, None).scenarios[0].id}
    with provider() as (_, url):
        game = asyncio.run(begin_game(wish(**changes), how_at(url, tmp_path / "a.db")))
    with Records(tmp_path / "a.db") as records:
        [row] = records.conversations(records.find(game))
    assert row.cast == cast


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"seat": "judge"}, "role_play has no seat 'judge' for a person"),
        ({"seat": "interogator"}, "did you mean 'interrogator'?"),
        ({"seat": "player"}, "ada alone is measured as player"),
        ({"scenario": "nowhere"}, "role_play has no scenario 'nowhere' with these options"),
        ({"person": "a/b"}, "a person's name is up to 40 letters"),
        ({"models": ()}, "no model to measure"),
        ({"models": ("openai/p", "openai/q")}, "2 tables would be laid"),
        ({"roles": {"interrogator": ("openai/u",), "judge": ("openai/judge",)}}, "name nobody else for it"),
        ({"roles": {}}, "role_play needs the role judge"),
    ],
)
def test_a_wish_that_cannot_be_granted_leaves_no_trace(
    changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(Mistake, match=said.replace("?", r"\?")):
        asyncio.run(begin_game(wish(**changes), how_at("http://127.0.0.1:9/v1", tmp_path / "a.db")))
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_is_being_written_is_not_played_on(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    with provider() as (loopback, url):
        game = asyncio.run(begin_game(wish(), how_at(url, store)))
        with run_lock(store, game), pytest.raises(RunLocked):
            asyncio.run(play_on(game, how_at(url, store)))
        assert loopback.calls == 0


def test_a_person_s_move_spends_nothing_on_conversations_without_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "a.db"
    refusing: Callable[[Asked], str | Fault] = lambda asked: (  # noqa: E731
        Fault("status", status=400) if asked.model == "p" else steady(asked)
    )
    with provider(refusing) as (_, url):
        line = the_player_s(url, store, "--model", "openai/p")
        assert main(line) == 1
    capsys.readouterr()
    with provider() as (loopback, url):
        with Records(store) as records:
            game = records.find("last").id
        while standing(store, game)[0] == "waiting":
            speak(store, as_model("ada"))
            asyncio.run(play_on(game, how_at(url, store)))
        assert "p" not in loopback.calls_by_model()
        assert loopback.calls_by_model()["judge"] == 1
    with Records(store) as records:
        states = {row.subject: row.state for row in records.conversations(records.find(game))}
    assert states == {"human/ada": "done", "openai/p": "void"}
    assert standing(store, game) == ("over", (), 1)
