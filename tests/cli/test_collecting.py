"""From tasks to scores as it is typed: collect, extract, run, over HTTP, with the provider's ledger as oracle."""

import json
from math import sqrt
from pathlib import Path
from typing import Any

import apsw
import pytest

from interplay.benchmarks.simulation.scenarios import shipped_tasks
from interplay.cli import main
from interplay.models.loopback import Asked, Loopback, serving
from tests.benchmarks.dialogue_bots import MIX, SCRIPTS, plain, restless_user_agent, user_agent
from tests.cli.collector import TASKS, Desk
from tests.running.typed import provider

DIALOGUES = 3 * TASKS


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def calls_in(plan: Any) -> tuple[int, int]:
    """The least and the most calls of a plan, which add up over its shares."""
    added = tuple(sum(share["calls"][end] for share in plan["shares"]) for end in (0, 1))
    assert list(added) == plan["calls"]
    return added[0], added[1]


def dump(store: Path) -> list[Any]:
    """All that a store holds."""
    with_store = apsw.Connection(str(store))
    try:
        tables = [row[0] for row in with_store.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return [(name, list(with_store.execute(f"SELECT * FROM {name} ORDER BY 1, 2"))) for name in tables]
    finally:
        with_store.close()


# The whole of it


def test_from_tasks_to_scores(desk: Desk) -> None:
    with provider({**SCRIPTS, "user": restless_user_agent()}) as (loopback, desk.url):
        stages = []
        for line in (desk.collect(), desk.extract(), desk.evaluate()):
            before = loopback.calls
            least, most = calls_in(desk.reads(*line, "--plan"))
            assert loopback.calls == before, "a plan sent something"
            stages.append(desk.reads(*line))
            assert least <= loopback.calls - before <= most
            assert calls_in(desk.reads(*line, "--plan")) == (0, 0)
        by_model = loopback.calls_by_model()
    collected, extracted, evaluated = stages
    scripts = desk.rows()
    assert by_model == {
        "sim": 4 * DIALOGUES,
        "user": 3 * DIALOGUES,
        "judge": DIALOGUES,
        "tested": len(scripts),
        "rater": len(scripts),
    }
    assert collected["rows"][0]["dialogues"] == DIALOGUES
    assert "challenging" not in collected["rows"][0]
    row = extracted["rows"][0]
    assert row["last_only"] + row["first_chan"] == DIALOGUES
    assert row["challenging"]["value"] == pytest.approx(row["first_chan"] / DIALOGUES)
    assert extracted["dialogues"]["LastOnly"] == row["last_only"]
    assert sum(extracted["scripts"].values()) == len(scripts)
    assert min(extracted["scripts"].values()) >= 10
    assert len(scripts) > DIALOGUES
    given = row["last_only"] + row["first_chan"] + row["subseq_chan"]
    assert given == len(scripts) + extracted["repeated"]
    assert {type_ for type_, count in extracted["scripts"].items() if count} == {one.type for one in scripts}
    assert evaluated["rows"][0]["n"] == len(scripts)
    known = {task.id: task for task in shipped_tasks()}
    for script in scripts:
        first = script.history[0].request if script.history else script.request
        assert first == known[script.task].description
        assert script.keeps == known[script.task].keeps
        assert f"run {extracted['run']}, conversation " in script.origin
        assert "simulator openai/sim, user agent openai/user, judged by openai/judge" in script.origin
    assert any(not turn.answer for script in scripts for turn in script.history)  # an empty answer is kept


def test_every_script_is_what_the_record_of_its_conversation_says(desk: Desk) -> None:
    with provider(SCRIPTS) as (_, desk.url):
        desk.types(*desk.collect(limit=4))
        run = desk.reads(*desk.extract())["run"]
    for script in desk.rows():
        number = script.origin.split("conversation ")[1].split(":")[0]
        shown = desk.reads("show", run, "--conversation", number)
        turns = shown["outcome"]["turns"]
        named = shown["verdicts"][0]["data"]["challenging_turn"]
        assert script.request == turns[script.turn - 1]["request"]
        assert [(t.request, t.answer) for t in script.history] == [
            (t["request"], t["answer"]) for t in turns[: script.turn - 1]
        ]
        expected = "LastOnly" if not named else "FirstChan" if script.turn == named else "SubseqChan"
        assert script.type == expected
        assert script.turn == 4 if not named else script.turn >= named


def test_the_same_commands_again_cost_nothing_and_change_nothing(desk: Desk) -> None:
    with provider(SCRIPTS) as (loopback, desk.url):
        first = [desk.types(*desk.collect(), "--json"), desk.types(*desk.extract(), "--json")]
        before, store = loopback.calls, dump(desk.store)
        file, changed = desk.scripts.read_bytes(), desk.scripts.stat().st_mtime_ns
        assert desk.types(*desk.extract(), "--json") == first[1]
        assert "0 model calls" in desk.said
        assert dump(desk.store) == store
        assert desk.scripts.read_bytes() == file
        assert desk.scripts.stat().st_mtime_ns == changed
        desk.scripts.unlink()
        # whoever was named once need not be named again
        assert desk.types(*desk.extract(judges=()), "--json") == first[1]
        assert desk.scripts.read_bytes() == file
        desk.types(*desk.collect())
        assert loopback.calls == before


def test_more_dialogues_are_judged_and_added(desk: Desk) -> None:
    with provider(SCRIPTS) as (loopback, desk.url):
        desk.types(*desk.collect("--epochs", "1", limit=3))
        desk.types(*desk.extract())
        before, lines = loopback.calls, set(desk.scripts.read_text().splitlines())
        desk.types(*desk.collect("--epochs", "1", limit=6))
        assert loopback.calls - before == 3 * (4 + 3)  # collect judges nothing, whoever judged before
        extracted = desk.reads(*desk.extract())  # the file is as this run left it, and only grows
        assert loopback.calls - before == 3 * (4 + 3 + 1)
    assert lines < set(desk.scripts.read_text().splitlines())
    assert extracted["rows"][0]["dialogues"] == 6


def test_judges_that_join_judge_what_is_missing_and_the_most_decide(desk: Desk) -> None:
    with provider(SCRIPTS) as (loopback, desk.url):
        desk.types(*desk.collect(limit=5))
        desk.types(*desk.extract())
        alone, before = desk.scripts.read_text(), loopback.calls
        panel = desk.extract(judges=("judge", "judge-2", "judge-3"))
        assert "is there already" in desk.mistakes(*panel)
        assert loopback.calls == before  # refused before anything was spent
        extracted = desk.reads(*panel, "--force")
        assert loopback.calls - before == 2 * 15
    assert desk.scripts.read_text() != alone
    assert "judged by openai/judge, openai/judge-2, openai/judge-3" in desk.rows()[0].origin
    assert any("more judges name one than none" in note for note in extracted["notes"])
    assert "more judges name one than none" in desk.said


def test_several_simulators_have_a_row_each_and_are_named_in_their_scripts(desk: Desk) -> None:
    with provider(SCRIPTS) as (_, desk.url):
        desk.types(*desk.collect("--model", "openai/sim-2", "--epochs", "1", limit=5))
        extracted = desk.reads(*desk.extract())
    assert {row["model"]: row["dialogues"] for row in extracted["rows"]} == {
        "openai/sim": 5,
        "openai/sim-2": 5,
    }
    origins = "\n".join(script.origin for script in desk.rows())
    assert "simulator openai/sim," in origins
    assert "simulator openai/sim-2," in origins


def test_a_planted_mix_of_strategies_is_recovered(desk: Desk) -> None:
    with provider(SCRIPTS) as (_, desk.url):
        told = desk.reads(*desk.collect("--epochs", "1", "--turns", "8", limit=112))
    row, requests = told["rows"][0], 7 * 112
    assert row["dialogues"] == 112
    for name, share in MIX.items():
        assert row[name]["n"] == requests
        assert abs(row[name]["value"] - share) <= 4 * sqrt(share * (1 - share) / requests)
    assert sum(row[name]["value"] for name in MIX) == pytest.approx(1)
    names = {one["name"]: one["requests"] for one in told["parts"][0]["rows"]}
    assert names.keys() == {"a riddle", "small talk"}
    assert sum(names.values()) == round(row["other"]["value"] * requests)


def test_another_mix_is_told_from_it(desk: Desk) -> None:
    """What the test above would say of a user agent with another mix: it would fail."""
    other = {"improvement": 0.3, "next_step": 0.35, "new_request": 0.25, "other": 0.1}
    with provider({**SCRIPTS, "user": user_agent(other)}) as (_, desk.url):
        row = desk.reads(*desk.collect("--epochs", "1", "--turns", "8", limit=112))["rows"][0]
    share = MIX["improvement"]
    assert abs(row["improvement"]["value"] - share) > 4 * sqrt(share * (1 - share) / (7 * 112))


# Tasks of one's own


def test_tasks_of_ones_own(desk: Desk) -> None:
    tasks = desk.folder / "tasks.toml"
    entry = {"id": "echo", "name": "Echo", "kind": "stateless", "request": "a word"}
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())
    tasks.write_text(f'[[tasks]]\n{text}description = "Say it back. My first word is moon."\n')
    with provider(SCRIPTS) as (_, desk.url):
        desk.types(*desk.collect("--data", str(tasks)))
        desk.types(*desk.extract())
    assert {(script.task, script.keeps) for script in desk.rows()} == {("echo", ())}


def test_the_authors_tasks(desk: Desk, originals: Path) -> None:
    file = originals / "simulbench" / "simulbench_tasks.jsonl"
    with provider(SCRIPTS) as (_, desk.url):
        desk.types(*desk.collect("--data", str(file), "--epochs", "1", limit=200))
        extracted = desk.reads(*desk.extract())
        assert desk.reads(*desk.evaluate())["rows"][0]["n"] == len(desk.rows())
    assert extracted["rows"][0]["dialogues"] == 109


# Looking at it


def test_collected_runs_are_listed_shown_compared_and_exported(desk: Desk) -> None:
    with provider(SCRIPTS) as (_, desk.url):
        told = desk.reads(*desk.collect("--html", str(desk.folder / "a.html"), limit=2))
        assert f"Next: interplay extract {told['run']} --model-role judge=NAME" in desk.said
        extracted = desk.reads(*desk.extract("--html", str(desk.folder / "b.html")))
    board = {key: extracted[key] for key in ("title", "rows", "columns", "notes", "parts")}
    assert desk.reads("show", "last") == {"run": told["run"], **board}
    (compared,) = desk.reads("board", "simulation_dialogues")
    assert compared["rows"] == extracted["rows"]
    assert desk.reads("score", "last")["rows"] == extracted["rows"]
    (listed,) = desk.reads("list")["runs"]
    assert (listed["run"], listed["judges"], listed["played"]) == (told["run"], ["openai/judge"], 6)
    number = str(desk.reads("list", "last")[0]["number"])
    shown = desk.types("show", "last", "--conversation", number)
    assert "strategy: " in shown
    assert "challenging_turn: " in shown
    assert "explanation: so it is" in shown
    assert "[its brief]\nYou try out an interface" in desk.types(
        "show", "last", "--conversation", number, "--as", "user"
    )
    assert "challenging turn:" in (desk.folder / "b.html").read_text(encoding="utf-8")
    desk.types("export", "last", str(desk.folder / "run.json"))
    exported = json.loads((desk.folder / "run.json").read_text(encoding="utf-8"))
    assert {one["name"] for one in exported["conversations"][0]["scores"]} >= {
        "next_step",
        "challenging_turn",
    }
    assert len(exported["conversations"][0]["outcome"]["turns"]) == 4


def test_what_is_collected_can_be_judged_by_the_verb_judge_as_well(desk: Desk) -> None:
    with provider(SCRIPTS) as (loopback, desk.url):
        desk.types(*desk.collect(limit=2))
        desk.types("judge", "last", "--base-url", desk.url, "--model-role", "judge=openai/judge")
        before = loopback.calls
        desk.types(*desk.extract())
        assert loopback.calls == before


def test_the_verb_run_plays_and_judges_at_once_where_a_judge_is_named(desk: Desk) -> None:
    line = ["run", "simulation_dialogues", *desk.collect("--epochs", "1", limit=2)[2:]]
    with provider(SCRIPTS) as (loopback, desk.url):
        line[line.index("--base-url") + 1] = desk.url
        assert desk.reads(*line, "--model-role", "judge=openai/judge")["rows"][0]["unjudged"] == 0
        assert loopback.calls_by_model() == {"sim": 8, "user": 6, "judge": 2}
        desk.types(*desk.extract(judges=()))
        assert loopback.calls == 16


def test_the_plan_for_people_speaks_of_no_comparison(desk: Desk) -> None:
    with provider(SCRIPTS) as (_, desk.url):
        told = desk.types(*desk.collect("--plan", limit=2))
        assert "6 conversations and 0 verdicts to do" in told
        assert "Tokens are estimated" in told
        assert "between two models" not in told


def test_tokens_are_at_most_what_the_plan_says(desk: Desk) -> None:
    """A provider that writes as much as it may, by its own count."""
    long = "x " * 2_000

    def user(asked: Asked) -> str:
        return json.dumps(
            {"strategy": "other", "other": "y" * 80, "request": plain(asked)[-20:] + "z" * 1_100}
        )

    with provider({**SCRIPTS, "sim": lambda asked: long, "user": user}) as (_, desk.url):
        plan = desk.reads(*desk.collect("--plan", limit=3))
        row = desk.reads(*desk.collect(limit=3))["rows"][0]
    assert plan["tokens"][0] < row["tokens"] <= plan["tokens"][1]


def test_with_nobody_named_only_who_talks_is_cast(tmp_path: Path) -> None:
    """The tryout: the judge comes in later."""
    from interplay.benchmarks import find
    from interplay.running.spec import EMBEDDED, make_spec

    spec = make_spec(find("simulation_dialogues"))
    assert (spec.models, dict(spec.roles)) == ((EMBEDDED,), {"user": (EMBEDDED,)})
    assert spec.judges() == ()


def test_help_says_what_the_stages_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collect", "simulation", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "user: the user agent" in told
    assert "How many dialogues of each task. [default: 3]" in told
    assert "--judge-prompts" not in told
    assert main(["extract", "--help"]) == 0
    assert "more judges name one" in " ".join(capsys.readouterr().out.split())
    with serving(Loopback()):
        assert main(["collect"]) == 0
    assert "simulation" in capsys.readouterr().out
