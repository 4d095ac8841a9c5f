"""Collecting and extracting where something goes wrong: judges, providers, budgets, files, and what was typed."""

import json
from pathlib import Path
from typing import Any

import pytest

from interplay.models.loopback import Asked, Fault
from tests.benchmarks.dialogue_bots import SCRIPTS, plain
from tests.cli.collector import Desk
from tests.running.typed import provider


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


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
