"""social_interaction from the command line: exchange with judges, intentions with readers, what a user types wrong."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interplay.models.loopback import Loopback, serving
from interplay.store.records import Records
from tests.cli.provider import Account, Typist, write_prices
from tests.cli.sessions import (
    JUDGES,
    MODELS,
    MOVES,
    READ,
    SCRIPTS,
    SESSIONS,
    exchange,
    gaps,
    intentions,
    real_file,
    serving_tables,
)

NOWHERE = "http://127.0.0.1:9/v1"
PLAYED = len(MODELS) * SESSIONS * MOVES
READERS = 2 + len(MODELS)  # one who learned nothing, one from real play, one from each model's


@pytest.fixture
def typist(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typist:
    monkeypatch.chdir(tmp_path)
    return Typist(tmp_path / "interplay.db", capsys)


def part(board: Any, title: str) -> Any:
    return next(one for one in board["parts"] if one["title"].startswith(title))


# Exchange


def test_two_models_and_two_judges_of_an_exchange(typist: Typist) -> None:
    loopback = serving_tables()
    with serving(loopback) as url:
        board = typist.reads(*exchange(url, "--limit", "4"))
        calls = loopback.calls
        assert typist.reads(*exchange(url, "--limit", "4")) == board
        assert loopback.calls == calls
        more = typist.reads(*exchange(url, "--limit", "6"))
        assert calls < loopback.calls < 2 * calls
    assert board["title"] == "social_interaction (AntEval, IEP)"
    assert {row["model"]: row["n"] for row in board["rows"]} == dict.fromkeys(MODELS, 4)
    assert {row["model"]: row["n"] for row in more["rows"]} == dict.fromkeys(MODELS, 6)
    assert more["run"] == board["run"]
    assert {(row["model"], row["judge"]) for row in part(board, "By judge")["rows"]} == {
        (model, judge) for model in MODELS for judge in JUDGES
    }
    assert not gaps(board)


def test_a_judge_who_comes_later_finds_what_one_who_was_there_found(typist: Typist) -> None:
    loopback = serving_tables()
    with serving(loopback) as url:
        typist.types(*exchange(url, "--limit", "3", judges=JUDGES[:1]))
        before = loopback.calls_by_model()
        later = typist.reads("judge", "last", "--model-role", f"judge={JUDGES[1]}", "--base-url", url)
        assert {k: v for k, v in loopback.calls_by_model().items() if k != "j2"} == before
        other = Typist(typist.store.with_name("at_once.db"), typist.capsys)
        at_once = other.reads(*exchange(url, "--limit", "3"))
    assert later["rows"] == at_once["rows"]
    assert later["parts"] == at_once["parts"]


def test_another_number_of_points_is_judged_without_playing(typist: Typist) -> None:
    loopback = serving_tables()
    with serving(loopback) as url:
        typist.types(*exchange(url, "--limit", "2", judges=JUDGES[:1]))
        before = loopback.calls_by_model()
        typist.types("judge", "last", "--set", "points=3", "--base-url", url)
        after = loopback.calls_by_model()
    assert {name: after[name] for name in ("a", "b")} == {name: before[name] for name in ("a", "b")}
    assert after["j1"] > before["j1"]


def test_an_exchange_is_not_played_to_be_read(typist: Typist) -> None:
    with serving(serving_tables()) as url:
        typist.types(*exchange(url, "--limit", "1", judges=JUDGES[:1]))
    said = typist.mistakes("read", "last", "--base-url", NOWHERE)
    assert "is not played to be read" in said
    assert "--scene intentions" in said


# Intentions


def test_what_was_played_is_read_at_the_end_of_the_run(typist: Typist) -> None:
    loopback = serving_tables()
    with serving(loopback) as url:
        line = intentions(url, typist.store.parent)
        board = typist.reads(*line, "--html", "report.html")
        assert loopback.calls_by_model() == {"a": PLAYED // 2, "b": PLAYED // 2, "dm": READERS * READ}
        assert typist.reads(*line) == board
        assert loopback.calls == PLAYED + READERS * READ
    (gap,) = gaps(board)
    assert board["title"] == "social_interaction (AntEval, intentions)"
    assert {row["model"] for row in gap["rows"]} == set(MODELS)
    assert {row["dm"] for row in gap["rows"]} == {"examples:openai/dm"}
    assert typist.reads("show", "last") == board
    page = Path("report.html").read_text(encoding="utf-8")
    assert "AntEval, intentions" in page
    assert "Expressiveness gap" in page


def test_a_plan_tells_what_reading_takes(typist: Typist) -> None:
    loopback = serving_tables()
    with serving(loopback) as url:
        line = intentions(url, typist.store.parent, dm="light,examples:openai/dm")
        plan = typist.reads(*line, "--plan")
        assert plan["calls"] == [PLAYED, PLAYED]
        assert "light takes no calls" in plan["then"]
        assert f"examples:openai/dm takes at most {READERS * READ} calls" in plan["then"]
        assert plan["then"] in typist.types(*line, "--plan")
        fitted = typist.reads(*intentions(url, typist.store.parent, dm="api:openai/dm"), "--plan")
        assert f"takes {READERS - 1} fine-tuning jobs" in fitted["then"]
        assert "then" not in typist.reads(*intentions(url, typist.store.parent, dm="none"), "--plan")
        assert "then" not in typist.reads(*exchange(url, "--limit", "2"), "--plan")
    assert (loopback.calls, typist.store.exists()) == (0, False)


def test_a_run_that_goes_on_is_read_anew_and_the_old_reading_is_marked(typist: Typist) -> None:
    loopback = serving_tables()
    with serving(loopback) as url:
        typist.types(*intentions(url, typist.store.parent, limit=10))
        board = typist.reads(*intentions(url, typist.store.parent))
    new, old = gaps(board)
    assert loopback.calls == PLAYED + 2 * READERS * READ
    assert not any("went on" in note for note in new["notes"])
    assert any("went on after this was made of it" in note for note in old["notes"])


def test_play_that_is_not_finished_is_not_read_yet(typist: Typist) -> None:
    loopback = serving_tables()
    with serving(loopback) as url:
        line = intentions(url, typist.store.parent)
        board = typist.reads(*line, "--budget-calls", "50", code=1)
        assert "nobody reads it yet: the same command goes on" in typist.said
        assert "dm" not in loopback.calls_by_model()
        assert not gaps(board)
        read = typist.reads(
            "read", "last", "--dm", "examples:openai/dm", "--real", line[-1], "--base-url", url
        )
        assert len(gaps(read)) == 1
        typist.types(*line)
    assert len(gaps(typist.reads("show", "last"))) == 2


@pytest.mark.parametrize(("kind", "flag"), [("calls", "--budget-calls"), ("tokens", "--budget-tokens")])
def test_play_and_reading_share_a_budget(kind: str, flag: str, typist: Typist) -> None:
    calm, loopback = serving_tables(), serving_tables()
    with serving(calm) as url:
        other = Typist(typist.store.with_name("calm.db"), typist.capsys)
        undisturbed = other.reads(*intentions(url, typist.store.parent))
    spent = {"calls": calm.calls, "tokens": _tokens(other)}[kind]
    with serving(loopback) as url:
        line = intentions(url, typist.store.parent)
        short = spent - (10 if kind == "calls" else 400)
        board = typist.reads(*line, flag, str(short), code=1)
        assert "The budget does not cover more" in typist.said
        assert f"of {short:,} {kind}" in typist.said  # of the whole, not of what reading had left
        assert {"calls": loopback.calls, "tokens": _tokens(typist)}[kind] <= short
        assert PLAYED < loopback.calls < calm.calls
        assert len(gaps(board)) == 1
        assert typist.reads(*line, flag, str(2 * spent + 100_000))["rows"] == undisturbed["rows"]
    assert loopback.calls == calm.calls


def _tokens(typist: Typist) -> int:
    """All tokens of the runs of a store."""
    with Records(typist.store) as records:
        totals = [records.totals(run) for run in records.runs()]
    return sum(one.tokens_in + one.tokens_out for one in totals)


def test_a_budget_in_money_holds_over_play_and_reading(typist: Typist) -> None:
    prices = {"a": (2, 8), "b": (1, 4), "dm": (3, 15)}
    models = str(write_prices(typist.store.parent, prices))
    account = Account(SCRIPTS["*"], prices)
    reader = replace(account, script=SCRIPTS["dm"])
    with serving(Loopback({"*": account, "dm": reader})) as url:
        line = [*intentions(url, typist.store.parent), "--models", models]
        typist.types(*line)
        whole = account.money + reader.money
    account.millionths = reader.millionths = 0
    other = Typist(typist.store.with_name("other.db"), typist.capsys)
    with serving(Loopback({"*": account, "dm": reader})) as url:
        line = [*intentions(url, typist.store.parent), "--models", models]
        for share in (0.5, 0.9, 0.97):
            other.types(*line, "--budget", str(share * whole), code=1)
            assert account.money + reader.money <= share * whole
        other.types(*line, "--budget", str(3 * whole))
        assert account.money + reader.money == pytest.approx(whole)


def test_what_readings_cost_is_counted_where_the_run_is_extended(typist: Typist) -> None:
    loopback = serving_tables()
    with serving(loopback) as url:
        typist.types(*intentions(url, typist.store.parent, limit=10))
        before = loopback.calls
        line = intentions(url, typist.store.parent)
        typist.types(*line, "--budget-calls", str(before + 5), code=1)
        assert loopback.calls <= before + 5
        assert f"used: {loopback.calls} of {before + 5} calls" in typist.said


# Files and variables


def test_a_study_in_a_file_has_options_of_reading(typist: Typist) -> None:
    folder = Path("studies")
    folder.mkdir()
    real_file(folder)
    study = """
benchmark = "social_interaction"
models = ["openai/a"]
limit = 10

[options]
scene = "intentions"
moves = 8
dm = "examples:openai/dm"
real = "real.jsonl"
held_out = 30
"""
    Path("studies/study.toml").write_text(study, encoding="utf-8")
    with serving(serving_tables()) as url:
        board = typist.reads("run", "studies/study.toml", "--base-url", url)
        by_hand = [
            "run",
            "social_interaction",
            "--model",
            "openai/a",
            "--limit",
            "10",
            "--scene",
            "intentions",
        ]
        by_hand += ["--moves", "8", "--dm", "examples:openai/dm", "--real", "studies/real.jsonl"]
        assert typist.reads(*by_hand, "--held-out", "30", "--base-url", url) == board
    assert len(gaps(board)) == 1
    Path("studies/study.toml").write_text(study.replace("held_out", "heldout"), encoding="utf-8")
    assert "did you mean 'held_out'?" in typist.mistakes("run", "studies/study.toml")


def test_environment_variables_stand_for_flags(typist: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(serving_tables()) as url:
        board = typist.reads(*intentions(url, typist.store.parent, limit=10))
        names = {"SCENE": "intentions", "MOVES": "8", "LIMIT": "10", "DM": "examples:openai/dm"}
        for name, value in {**names, "REAL": "real.jsonl", "BASE_URL": url}.items():
            monkeypatch.setenv(f"INTERPLAY_{name}", value)
        again = typist.reads("run", "social_interaction", "--model", "openai/a", "--model", "openai/b")
    assert again == board


@pytest.fixture
def broken_files(typist: Typist) -> None:
    good = Path(real_file(typist.store.parent)).read_text(encoding="utf-8").splitlines()
    files = {
        "broken.jsonl": f"{good[0]}\nnot JSON\n",
        "one.jsonl": "\n".join(line for line in good if '"session": "s0"' in line),
        "empty.jsonl": "\n",
        "skill.jsonl": good[0].replace("perception", "percepton"),
        "columns.csv": "session,rater,word\n1,ann,dull\n",
        "words.csv": "session,model,rater,word\n1,openai/a,ann,two words\n",
        "data.toml": '[[goals]]\nname = "x"\n',
    }
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")


MISTAKES = [
    (["--dm", "lite"], "did you mean 'light'?"),
    (["--dm", "light,none"], "--dm none stands alone"),
    (["--dm", "examples"], "write examples:NAME"),
    (["--dm", "examples:openia/dm"], "did you mean 'openai/NAME'?"),
    (["--dm", "api:anthropic/x"], "has no fine-tuning API"),
    (["--dm", "api:openai/dm", "--budget", "3"], "it takes no budget"),
    (["--dm", "api:openai/dm", "--budget-calls", "300"], "it takes no budget"),
    (["--dm", "local:/nowhere"], "there is no such file or folder"),
    (["--real", "missing.jsonl"], "missing.jsonl cannot be read"),
    (["--real", "broken.jsonl"], "broken.jsonl, line 2 is no JSON"),
    (["--real", "one.jsonl"], "windows of one session alone"),
    (["--real", "empty.jsonl"], "empty.jsonl"),
    (["--real", "skill.jsonl"], "did you mean 'perception'?"),
    (["--real", "."], ". cannot be read"),
    (["--held-out", "0"], "held_out is a whole number from 1 to 99"),
    (["--shots", "0"], "shots is a whole number from 1"),
    (["--dm-epochs", "none"], "dm_epochs is a whole number"),
    (["--curve", "lite"], "is not one of"),
    (["--points", "1"], "points is a whole number from 2 to 12"),
    (["--moves", "3"], "moves is a whole number from 4"),
    (["--sessions", "0"], "sessions is a whole number from 1"),
    (["--wants", "4"], "wants is a whole number from 1 to 3"),
    (["--words", "columns.csv"], "columns.csv"),
    (["--words", "words.csv"], "words.csv, line 2: word is one word"),
    (["--data", "real.jsonl"], "real.jsonl"),
    (["--data", "data.toml"], "data.toml"),
    (["--scene", "intension"], "is not one of 'exchange', 'intentions'"),
    (["--model-role", "judge=openai/j1"], "no role 'judge'"),
    (["--html", "nowhere/report.html"], "its folder does not exist"),
]


@pytest.mark.usefixtures("broken_files")
@pytest.mark.parametrize(("typed", "complaint"), MISTAKES, ids=[" ".join(typed) for typed, _ in MISTAKES])
def test_a_mistake_is_one_line_and_nothing_is_written(
    typed: list[str], complaint: str, typist: Typist
) -> None:
    before = sorted(Path().rglob("*"))
    line = [
        "run",
        "social_interaction",
        "--scene",
        "intentions",
        "--model",
        "openai/a",
        "--base-url",
        NOWHERE,
    ]
    assert complaint in typist.mistakes(*line, *typed)
    assert sorted(Path().rglob("*")) == before


def test_an_endpoint_without_a_key_is_told_before_anything_is_played(typist: Typist) -> None:
    loopback = serving_tables()
    with serving(loopback) as url:
        Path("models.toml").write_text(
            f'[models.here]\nmodel = "openai/a"\nbase_url = "{url}"\n', encoding="utf-8"
        )
        line = ("run", "social_interaction", "--scene", "intentions", "--model", "here")
        assert "openai/dm needs a key" in typist.mistakes(*line, "--dm", "api:openai/dm")
    assert loopback.calls == 0


def test_runs_that_are_made_of_others_are_not_run_by_themselves(typist: Typist) -> None:
    for name in ("social_interaction_reading", "social_interaction_training"):
        said = typist.mistakes("run", name, "--model", "openai/a")
        assert "is made of what a run of social_interaction played" in said
    Path("study.toml").write_text('benchmark = "social_interaction_reading"\n', encoding="utf-8")
    assert "is made of what a run" in typist.mistakes("run", "study.toml")
