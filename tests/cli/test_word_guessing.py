"""Word guessing as it is typed: both experiments over HTTP, killed and resumed, planned, shown and mistyped."""

import csv
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.word_guessing.bots import Bot
from interplay.cli import main
from interplay.models.loopback import Loopback, serving
from tests.faults.harness import Killer, check_record, finish, finished_rows, in_flight, start
from tests.running.typed import provider, refused, run

BOTS = {"quick": Bot(hazard=0.6), "slow": Bot(hazard=0.2), "silent": Bot(), "middle": Bot(hazard=0.4)}
PATIENCE = 900.0  # seconds; the whole experiment takes minutes
SCRIPTS = {name: bot.script(0) for name, bot in BOTS.items()}


def versus(url: str, store: Path, *more: str) -> list[str]:
    return [
        *("run", "word_guessing", "--base-url", url, "--store", str(store), "--json"),
        *("--model", "openai/quick", "--model", "openai/slow", "--model-role", "opponent=openai/middle"),
        *more,
    ]


def four(url: str, store: Path, *more: str) -> list[str]:
    models = [part for name in BOTS for part in ("--model", f"openai/{name}")]
    line = [
        "run",
        "word_guessing",
        "--experiment",
        "four",
        "--base-url",
        url,
        "--store",
        str(store),
        "--json",
    ]
    return [*line, *models, *more]


def heat_map(told: Any) -> Any:
    return next(part for part in told["parts"] if part["title"] == "AGE by model and topic")


def killed_and_resumed(folder: Path, kills: tuple[int, ...], *extent: str) -> None:
    """Kill a run at each of these events of the ledger in turn, resume it, compare it with its undisturbed twin."""
    calm = Loopback(SCRIPTS)
    with serving(calm) as url:
        code, undisturbed, err = finish(start(versus(url, folder / "calm.db", *extent)), PATIENCE)
    assert code == 0, err
    killer = Killer()
    loopback = Loopback(SCRIPTS, latency=0.002, jitter=0.004, watch=killer)
    store = folder / "killed.db"
    kept: set[tuple[Any, ...]] = set()
    with serving(loopback) as url:
        for at in kills:
            killer.aim(at)
            killer.process = start(versus(url, store, *extent))
            killer.started.set()
            code, _, err = finish(killer.process, PATIENCE)
            assert code == -signal.SIGKILL, err
            now = finished_rows(store)
            assert kept <= now, "a finished row was lost"
            kept = now
        killer.aim(0)
        code, resumed, err = finish(start(versus(url, store, *extent)), PATIENCE)
    assert code == 0, err
    assert resumed == undisturbed
    rows = heat_map(json.loads(resumed))["rows"]
    assert [row["model"] for row in rows] == ["openai/quick", "openai/slow"]
    assert all(len(row) == 11 and None not in row.values() for row in rows)
    check_record(store)
    assert kept <= finished_rows(store)
    assert loopback.calls - calm.calls <= in_flight(store)


def test_versus_over_ten_topics_killed_and_resumed_gives_the_same_heat_map(tmp_path: Path) -> None:
    killed_and_resumed(tmp_path, (37, 400, 801), "--limit", "20", "--epochs", "3")


@pytest.mark.soak
def test_the_whole_of_versus_killed_and_resumed(tmp_path: Path) -> None:
    """All pairs of ten topics, three games with each word: 6,480 games."""
    killed_and_resumed(tmp_path, (5_000, 60_000))


def test_the_plan_brackets_the_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extent = ("--limit", "15", "--epochs", "1")
    with provider(SCRIPTS) as (loopback, url):
        plan = run([*versus(url, tmp_path / "a.db", *extent), "--plan"], capsys)
        assert loopback.calls == 0
        run(versus(url, tmp_path / "a.db", *extent), capsys)
        least, most = (sum(share["calls"][end] for share in plan["shares"]) for end in (0, 1))
        assert (least, most) == (2 * 15 * 4, 2 * 15 * 20)
        assert least < loopback.calls < most


@pytest.mark.parametrize("rounds", [1, 5])
def test_bots_that_never_guess_take_as_many_calls_as_the_plan_says_at_most(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rounds: int
) -> None:
    silent = {name: Bot().script(1) for name in BOTS}
    more = ("--limit", "10", "--epochs", "2", "--rounds", str(rounds))
    for command in (versus, four):
        with provider(silent) as (loopback, url):
            plan = run([*command(url, tmp_path / f"{command.__name__}.db", *more), "--plan"], capsys)
            told = run(command(url, tmp_path / f"{command.__name__}.db", *more), capsys)
            most = sum(share["calls"][1] for share in plan["shares"])
            assert loopback.calls == most
            assert {row["comprehension"]["value"] for row in told["rows"]} == {0.0}
            assert {row["confusion"]["value"] for row in told["rows"]} == {1.0}
            left = run([*command(url, tmp_path / f"{command.__name__}.db", *more), "--plan"], capsys)
            assert left["shares"] == []


def test_four_models_sit_in_every_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "interplay.db"
    with provider(SCRIPTS) as (loopback, url):
        told = run(four(url, store, "--limit", "12", "--epochs", "1"), capsys)
        assert {row["model"] for row in told["rows"]} == {f"openai/{name}" for name in BOTS}
        assert all(row["n"] == 12 for row in told["rows"])
        # each model's own calls, not those of the whole table
        tokens = {row["model"]: row["tokens"] for row in told["rows"]}
        assert len(set(tokens.values())) > 1
        before = loopback.calls
        mirrored = ["--model", "openai/slow", "--model", "openai/middle", "--model", "openai/silent"]
        same = [
            part
            for part in four(url, store, "--limit", "12", "--epochs", "1")
            if not part.startswith("openai/")
        ]
        same = [part for part in same if part != "--model"] + [*mirrored, "--model", "openai/quick"]
        assert run(same, capsys) == told  # whom one names first changes nothing
        assert loopback.calls == before
    listed = run(["list", "last", "--store", str(store), "--json"], capsys)
    assert {one["model"] for one in listed} == {"openai/middle + openai/quick + openai/silent + openai/slow"}


def test_every_choice_of_models_sits_down_at_a_smaller_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = [part for name in ("quick", "slow", "middle") for part in ("--model", f"openai/{name}")]
    with provider(SCRIPTS) as (_, url):
        line = [
            "run",
            "word_guessing",
            "--experiment",
            "table",
            "--split",
            "1-1",
            "--base-url",
            url,
            "--json",
        ]
        told = run(
            [*line, *models, "--store", str(tmp_path / "a.db"), "--limit", "30", "--epochs", "1"], capsys
        )
    assert {row["model"]: row["n"] for row in told["rows"]} == {
        "openai/quick": 60,
        "openai/slow": 60,
        "openai/middle": 60,
    }
    ranking = next(part for part in told["parts"] if part["title"].startswith("Ranking"))
    assert [row["model"] for row in ranking["rows"]] == ["openai/quick", "openai/middle", "openai/slow"]


def test_a_conversation_is_shown_whole_and_as_each_seat_saw_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "a.db")
    with provider(SCRIPTS) as (_, url):
        run(versus(url, Path(store), "--limit", "1", "--epochs", "1"), capsys)
    number = str(run(["list", "last", "--store", store, "--json"], capsys)[0]["number"])
    show = ["show", "last", "--store", store, "--conversation", number]
    assert main(show) == 0
    whole = capsys.readouterr().out
    assert "[player in private]" in whole
    assert "[opponent in private]" in whole
    assert "[player -> opponent]\n" in whole
    views = {}
    for seat in ("player", "opponent"):
        assert main([*show, "--as", seat]) == 0
        views[seat] = capsys.readouterr().out
        assert f"as seen by {seat}" in views[seat]
        assert "[its brief]\nYou are Player" in views[seat]
    secret = {seat: views[seat].split("Your secret word: ")[1].split("\n")[0] for seat in views}
    assert len(set(secret.values())) == 2
    messages = run([*show, "--as", "player", "--json"], capsys)["messages"]
    assert [one["role"] for one in messages[:3]] == ["system", "user", "assistant"]
    assert "did you mean 'opponent'?" in refused([*show, "--as", "oponent"], capsys)
    assert "--conversation" in refused(["show", "last", "--store", store, "--as", "player"], capsys)


def test_the_board_can_be_shown_again_with_other_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, table = str(tmp_path / "a.db"), tmp_path / "other.csv"
    table.write_text("model,mmlu\nopenai/quick,80\nopenai/slow,60\n")
    with provider(SCRIPTS) as (_, url):
        told = run(versus(url, Path(store), "--limit", "4", "--epochs", "1"), capsys)
    assert not any(part["title"] == "AGE and other scores" for part in told["parts"])
    again = run(["show", "last", "--store", store, "--json", "--other-scores", str(table)], capsys)
    assert again["parts"][-1]["title"] == "AGE and other scores"
    assert again["rows"] == told["rows"]
    assert "cannot be read" in refused(
        ["show", "last", "--store", store, "--other-scores", "none.csv"], capsys
    )


def test_runs_at_one_table_are_compared_only_with_the_same_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "a.db"
    line = [
        "run",
        "word_guessing",
        "--experiment",
        "table",
        "--split",
        "1-1",
        "--store",
        str(store),
        "--json",
    ]
    with provider(SCRIPTS) as (_, url):
        for names in (("quick", "slow"), ("quick", "middle")):
            models = [part for name in names for part in ("--model", f"openai/{name}")]
            run([*line, "--base-url", url, *models, "--limit", "4", "--epochs", "1"], capsys)
        for names in (("quick",), ("slow",)):
            models = [part for name in names for part in ("--model", f"openai/{name}")]
            opponent = ["--model-role", "opponent=openai/middle"]
            typed = [
                "run",
                "word_guessing",
                "--base-url",
                url,
                "--store",
                str(store),
                "--json",
                *models,
                *opponent,
            ]
            run([*typed, "--limit", "4", "--epochs", "1"], capsys)
    boards = run(["board", "word_guessing", "--store", str(store), "--json"], capsys)
    assert sorted(len(board["runs"]) for board in boards) == [1, 1, 2]
    shared = next(board for board in boards if len(board["runs"]) == 2)
    assert {row["model"] for row in shared["rows"]} == {"openai/quick", "openai/slow"}
    assert any(part["title"].startswith("Two models") for part in shared["parts"])


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        (["--model", "openai/a"], "needs the role opponent"),
        (
            ["--experiment", "four", "--model", "openai/a", "--model", "openai/b"],
            "4 different models sit down together",
        ),
        (["--experiment", "four"], "and none is named; name 4 or more with --model"),
        (
            ["--experiment", "four", *four("u", Path("s"))[9:], "--sampling", "player_a.temperature=0"],
            "sampling is changed for a role or a model of this run, not 'player_a'; did you mean 'player'?",
        ),
        (["--experiment", "for"], "'for' is not one of"),
        (["--experiment", "table", "--model", "openai/a"], "--split as in 2-2"),
        (["--experiment", "four", "--model-role", "opponent=openai/a"], "has no role 'opponent'"),
        (["--topics", "sport"], "did you mean 'sports'?"),
        (["--rounds", "50"], "from 1 to 20"),
        (["--data", "none.toml"], "cannot be read"),
    ],
)
def test_mistakes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: list[str], complaint: str
) -> None:
    store = tmp_path / "a.db"
    assert complaint in refused(["run", "word_guessing", "--store", str(store), *typed], capsys)
    assert not store.exists()


def test_judging_a_game_is_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "a.db"
    with provider(SCRIPTS) as (_, url):
        run(versus(url, store, "--limit", "1", "--epochs", "1"), capsys)
        line = ["judge", "last", "--store", str(store), "--base-url", url]
        assert "has no role 'judge'" in refused([*line, "--model-role", "judge=openai/x"], capsys)
        assert "has no option 'rubric'" in refused([*line, "--rubric", "v1"], capsys)


def test_scores_are_exported_with_the_model_that_they_belong_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "a.db"
    with provider(SCRIPTS) as (_, url):
        told = run(four(url, store, "--limit", "6", "--epochs", "1"), capsys)
    assert main(["export", "last", "-", "--format", "csv", "--store", str(store)]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    for row in told["rows"]:
        mine = [float(one["value"]) for one in rows if one["model"] == row["model"] and one["score"] == "age"]
        assert len(mine) == 6
        assert sum(mine) / 6 == pytest.approx(row["age"]["value"])
    assert main(["export", "last", "-", "--format", "html", "--store", str(store)]) == 0
    page = capsys.readouterr().out
    assert "sits as player_a and has the word" in page
    assert ", in private</div>" in page


def test_a_plan_says_what_the_rules_ask_for_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = [part for part in versus("http://127.0.0.1:9/v1", tmp_path / "a.db", "--plan") if part != "--json"]
    assert main(line) == 0
    assert "says the word or repeats another is asked for once more" in " ".join(
        capsys.readouterr().out.split()
    )
