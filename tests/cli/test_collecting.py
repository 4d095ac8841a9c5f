"""From tasks to scores as it is typed: collect, extract, run, over HTTP, with the provider's ledger as oracle."""

import json
from math import sqrt
from pathlib import Path
from typing import Any

import apsw
import pytest

from interplay.benchmarks.simulation.scenarios import shipped_tasks
from interplay.benchmarks.simulation.scripts import Script, read_scripts
from interplay.cli import main
from interplay.models.loopback import Asked, Fault, Loopback, serving
from tests.benchmarks.dialogue_bots import MIX, SCRIPTS, plain, user_agent
from tests.cli.provider import Typist
from tests.running.typed import provider

TASKS = 20
DIALOGUES = 3 * TASKS


class Desk(Typist):
    """Types the commands of all stages at one provider."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], url: str = ""):
        super().__init__(folder / "interplay.db", capsys)
        self.folder, self.url = folder, url
        self.scripts = folder / "scripts.jsonl"

    def collect(self, *more: str, limit: int = TASKS) -> list[str]:
        line = ["collect", "simulation", "--base-url", self.url, "--limit", str(limit)]
        return [*line, "--model", "openai/sim", "--model-role", "user=openai/user", *more]

    def extract(self, *more: str, judges: tuple[str, ...] = ("judge",), run: str = "last") -> list[str]:
        roles = [part for name in judges for part in ("--model-role", f"judge=openai/{name}")]
        return ["extract", run, "--base-url", self.url, *roles, "--out", str(self.scripts), *more]

    def evaluate(self, *more: str) -> list[str]:
        line = ["run", "simulation", "--data", str(self.scripts), "--base-url", self.url]
        return [*line, "--model", "openai/tested", "--model-role", "judge=openai/rater", *more]

    def rows(self) -> list[Script]:
        return read_scripts(self.scripts)


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
    with provider(SCRIPTS) as (loopback, desk.url):
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
        panel = desk.extract(judges=("judge-2", "judge-3"))
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


# What goes wrong


def test_a_verdict_that_never_comes_in_form_leaves_its_dialogue_out_and_names_it(desk: Desk) -> None:
    def judge(asked: Asked) -> str:
        # dialogues in which the first answer is odd, by a judge who will not say a number
        first = plain(asked).split("Turn 1, simulator:\n<<\n")[-1][:6]
        return (
            "I would say turn two." if first.isdecimal() and int(first) % 2 else str(SCRIPTS["judge"](asked))
        )

    with provider({**SCRIPTS, "judge": judge}) as (loopback, desk.url):
        desk.types(*desk.collect(limit=6))
        before = loopback.calls
        extracted = desk.reads(*desk.extract())
        left_out = extracted["left_out"]
        assert 0 < len(left_out) < 18
        assert loopback.calls - before == 18 + 2 * len(left_out)  # three tries, and no more
        assert extracted["missing_verdicts"] == len(left_out)
        assert extracted["rows"][0]["unjudged"] == len(left_out)
        dialogues = extracted["dialogues"]
        assert dialogues["LastOnly"] + dialogues["FirstChan"] == 18 - len(left_out)
        for one in left_out:
            assert one["missing"] == {"openai/judge": "judge error"}
            assert f"conversation {one['conversation']}, {one['task']}: openai/judge judge error" in desk.said
            assert not any(f"conversation {one['conversation']}:" in script.origin for script in desk.rows())
        before = loopback.calls
        desk.types(*desk.extract())
        assert loopback.calls == before


def test_verdicts_that_got_no_answer_are_asked_for_again_by_the_same_command(desk: Desk) -> None:
    broken = True

    def judge(asked: Asked) -> Any:
        bad = broken and "answered with nothing at all" in plain(asked)
        return Fault("status", status=400) if bad else SCRIPTS["judge"](asked)

    with provider({**SCRIPTS, "judge": judge}) as (_, desk.url):
        desk.types(*desk.collect(limit=6))
        part = desk.reads(*desk.extract(), code=1)
        assert part["left_out"]
        assert "the same command tries them again" in desk.said
        lines = set(desk.scripts.read_text().splitlines())
        broken = False
        whole = desk.reads(*desk.extract())
    assert whole["left_out"] == []
    assert lines < set(desk.scripts.read_text().splitlines())


def test_a_budget_is_kept_and_the_rest_comes_with_a_larger_one(desk: Desk) -> None:
    with provider(SCRIPTS) as (loopback, desk.url):
        desk.types(*desk.collect("--budget-calls", "50", limit=6), code=1)
        assert loopback.calls <= 50
        desk.types(*desk.collect("--budget-calls", "126", limit=6))
        assert loopback.calls == 126
        part = desk.reads(*desk.extract("--budget-calls", "130"), code=1)
        assert loopback.calls <= 130
        assert len(part["left_out"]) >= 14
        assert desk.reads(*desk.extract("--budget-calls", "144"))["left_out"] == []
        assert loopback.calls == 144


def test_a_user_agent_that_goes_in_circles_voids_its_dialogues_and_nothing_is_extracted(desk: Desk) -> None:
    same = json.dumps({"strategy": "next_step", "other": "", "request": "ls"})
    with provider({**SCRIPTS, "user": lambda asked: same}) as (loopback, desk.url):
        told = desk.reads(*desk.collect(limit=2))
        assert (told["rows"][0]["void"], told["rows"][0]["causes"]) == (1.0, "loop 6")
        before = loopback.calls
        extracted = desk.reads(*desk.extract(), code=1)
        assert loopback.calls == before
    assert (extracted["file"], extracted["void"], extracted["unfinished"]) == (None, 6, 0)
    assert "there is nothing to write" in desk.said
    assert not desk.scripts.exists()


def test_a_file_that_holds_something_else_is_not_replaced_unasked(desk: Desk) -> None:
    desk.scripts.write_text("something else\n")
    with provider(SCRIPTS) as (loopback, desk.url):
        desk.types(*desk.collect(limit=2))
        before = loopback.calls
        assert "--force replaces it" in desk.mistakes(*desk.extract())
        assert loopback.calls == before
        assert desk.scripts.read_text() == "something else\n"
        desk.types(*desk.extract("--force"))
        good = desk.scripts.read_text()
        desk.scripts.write_text(good + "{}\n")
        assert "--force replaces it" in desk.types(*desk.extract(), code=2) + desk.said
        assert desk.scripts.read_text() == good + "{}\n"


def test_judges_who_are_asked_otherwise_judge_anew(desk: Desk) -> None:
    prompts = desk.folder / "prompts"
    prompts.mkdir()
    (prompts / "extract.md").write_text("MARKED: which turn is the first challenging one? {{limit}}")
    seen: list[str] = []

    def judge(asked: Asked) -> Any:
        seen.append(plain(asked))
        return SCRIPTS["judge"](asked)

    with provider({**SCRIPTS, "judge": judge}) as (_, desk.url):
        desk.types(*desk.collect(limit=2))
        desk.types(*desk.extract())
        desk.types(*desk.extract("--explanation", "60", "--force", judges=()))
        desk.types(*desk.extract("--judge-prompts", str(prompts), "--force"))
        assert [sum("MARKED" in one for one in seen[n : n + 6]) for n in (0, 6, 12)] == [0, 0, 6]
        assert sum("at most 60 characters" in one for one in seen) == 6
        assert len(seen) == 18


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


# Mistakes


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        (["collect", "role_play"], "nothing can be collected for role_play; there is simulation"),
        (["collect", "simulaton"], "did you mean 'simulation'?"),
        (["collect", "simulation", "--model", "openai/a"], "needs the role user"),
        (["collect", "simulation", "--model-role", "user=openai/a"], "no model to measure"),
        (
            ["collect", "simulation", "--model", "openai/a", "--model-role", "judge=openai/b"],
            "collect judges nothing; the judge comes in with: interplay extract RUN",
        ),
        (["collect", "simulation", "--model-role", "user"], "--model-role is ROLE=NAME"),
        (["collect", "simulation", "--model-role", "users=openai/a"], "did you mean 'user'?"),
        (
            ["collect", "simulation", "--model-role", "user=openai/a", "--model-role", "user=openai/b",
             "--model", "openai/c"],
            "user is played by one model, not 2",
        ),
        (["collect", "simulation", "--turns", "21"], "turns is a whole number from 1 to 20"),
        (["collect", "simulation", "--turns", "no"], "turns is a whole number from 1 to 20"),
        (["collect", "simulation", "--epochs", "0", "--model", "openai/a", "--model-role", "user=openai/b"],
         "--epochs is a number of repeats"),
        (["collect", "simulation", "--limit", "0", "--model", "openai/a", "--model-role", "user=openai/b"],
         "--limit is a number of scenarios"),
        (["collect", "simulation", "--explanation", "60"], "has no flag --explanation"),
        (["collect", "simulation", "--data", "none.toml"], "none.toml cannot be read"),
        (["collect", "simulation", "--data", "tasks.csv"], "tasks are read from a .toml or a .jsonl file"),
        (["collect", "simulation", "--prompts", "none"], "there is no folder of prompts"),
        (["extract"], "Missing argument 'RUN'"),
        (["extract", "last", "--out", "s.jsonl"], "interplay.db"),
    ],
)  # fmt: skip
def test_mistakes(desk: Desk, typed: list[str], complaint: str) -> None:
    assert complaint in desk.mistakes(*typed)


def test_mistakes_of_extracting(desk: Desk) -> None:
    out = ("--out", str(desk.scripts))
    judge = ("--model-role", "judge=openai/judge")
    with provider(SCRIPTS) as (loopback, desk.url):
        desk.types(*desk.collect("--epochs", "1", limit=1))
        run = desk.reads("list")["runs"][0]["run"]
        before = loopback.calls
        for words, complaint in (
            ((*judge,), "name the file to write with --out, as in --out scripts.jsonl"),
            ((*judge, "--out", "scripts.toml"), "must end in .jsonl"),
            ((*judge, "--out", str(desk.folder / "none" / "s.jsonl")), "its folder does not exist"),
            (out, "name the judges with --model-role judge=NAME"),
            ((*out, "--model-role", "user=openai/user"), "and no other role"),
            ((*out, *judge, "--model-role", "user=openai/user"), "and no other role"),
            ((*out, "--model-role", "judge"), "--model-role is ROLE=NAME"),
            ((*out, "--model-role", "judge=nobody/x"), "nobody/x"),
            ((*out, *judge, "--new", "3"), "extract plays nothing"),
            ((*out, *judge, "--explanation", "3"), "explanation is a whole number from 20 to 5,000"),
            ((*out, *judge, "--judge-prompts", "none"), "there is no folder of prompts"),
            ((*out, *judge, "--turns", "3"), "has no flag --turns"),
            ((*out, *judge, "--html", str(desk.folder)), "is a directory"),
            ((*out, *judge, "--html", str(desk.scripts)), "--html and --out cannot both write"),
        ):
            assert complaint in desk.mistakes("extract", run, "--base-url", desk.url, *words)
        assert "there is no run 'nothing'" in desk.mistakes("extract", "nothing", *out, *judge)
        assert loopback.calls == before
        desk.types(*desk.extract(run=run))
        desk.types(*desk.evaluate())
        other = desk.mistakes(*desk.extract())
        assert "is a run of simulation; extract takes what interplay collect has played" in other
    link = desk.folder / "store.jsonl"
    link.symlink_to(desk.store)
    assert "is the store" in desk.mistakes("extract", run, "--out", str(link), *judge)


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
