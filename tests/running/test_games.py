"""People in any seat of any benchmark: asked by the record, resumed from it, judged like any run, and paid for once."""

import asyncio
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.cli import main
from interplay.core.failures import Mistake, RunLocked
from interplay.models.connecting import Directory
from interplay.models.loopback import Asked, Fault, Loopback, serving
from interplay.running.engine import How
from interplay.running.games import Wish, begin_game, complaint, game_of, has_person, play_on
from interplay.store.lock import run_lock
from interplay.store.moves import Move, Moves
from interplay.store.records import Records
from tests.faults.harness import Killer, check_record, finish, finished_rows, in_flight, start
from tests.running.people import as_model, lively, played_to_the_end, recorded, speak
from tests.running.typed import provider, refused, run, steady

JUDGE = ("--model-role", "judge=openai/judge")
# of each: the benchmark and its options, the person's seat, the seat of the model that is the person's twin, and who
# the person speaks like
CASES = {
    "the emulated user of a role-play": (
        ("role_play", "--model", "openai/p", "--turns", "2", *JUDGE),
        ("--model-role", "interrogator=human/ada"),
        ("--model-role", "interrogator=openai/ada"),
        "ada",
    ),
    "the player of a role-play": (
        ("role_play", "--model-role", "interrogator=openai/u", "--turns", "2", *JUDGE),
        ("--model", "human/ada"),
        ("--model", "openai/ada"),
        "ada",
    ),
    "a player of word guessing": (
        ("word_guessing", "--model-role", "opponent=openai/o", "--rounds", "2", "--epochs", "1"),
        ("--model", "human/ada"),
        ("--model", "openai/ada"),
        "ada",
    ),
    "the opponent in word guessing": (
        ("word_guessing", "--model", "openai/p", "--rounds", "2", "--epochs", "1"),
        ("--model-role", "opponent=human/ada"),
        ("--model-role", "opponent=openai/ada"),
        "ada",
    ),
    "one of two opponents in word guessing": (
        ("word_guessing", "--model", "openai/p", "--rounds", "1", "--epochs", "1", "--split", "1-2",
         "--model-role", "opponent=openai/o"),
        ("--model-role", "opponent 2=human/ada"),
        (),
        "o",
    ),
    "somebody at a table of word guessing": (
        ("word_guessing", "--experiment", "table", "--split", "1-1", "--rounds", "1", "--epochs", "1",
         "--model", "openai/p"),
        ("--model", "human/ada"),
        ("--model", "openai/ada"),
        "ada",
    ),
    "the user of a task bot": (
        ("task_dialogue", "--model", "openai/p", "--exchanges", "2", "--system", "prompt", *JUDGE),
        ("--model-role", "user=human/ada"),
        ("--model-role", "user=openai/ada"),
        "ada",
    ),
    "the second of three players of a scene": (
        ("social_interaction", "--model", "openai/p", "--moves", "6", *JUDGE),
        ("--model-role", "player 2=human/ada"),
        (),
        "p",
    ),
    "the first of three players of a scene": (
        ("social_interaction", "--model", "openai/p", "--moves", "5", *JUDGE),
        ("--model-role", "player 1=human/ada"),
        (),
        "p",
    ),
    "the one who knows in a scene": (
        ("social_interaction", "--model", "openai/p", "--moves", "5", *JUDGE),
        ("--model-role", "npc=human/ada"),
        ("--model-role", "npc=openai/ada"),
        "ada",
    ),
    "a simulated terminal": (
        ("simulation", *JUDGE),
        ("--model", "human/ada"),
        ("--model", "openai/ada"),
        "ada",
    ),
}  # fmt: skip


def line_of(url: str, store: Path, *more: str) -> list[str]:
    return ["run", *more, "--base-url", url, "--store", str(store), "--limit", "1"]


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


MOVES = {"next_utterance": "What do you keep in the cellar?"}


def a_role_play(url: str, store: Path, *more: str) -> list[str]:
    told, seat, _, _ = CASES["the emulated user of a role-play"]
    return line_of(url, store, *told, *seat, *more)


def the_player_s(url: str, store: Path, *more: str) -> list[str]:
    told, seat, _, _ = CASES["the player of a role-play"]
    return [*line_of(url, store, *told, *seat), *more]


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


# Games as pages begin them


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
