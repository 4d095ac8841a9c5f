"""A run in a file: the same run as its flags, with what is typed beside it before it, and its mistakes by name."""

import json
import os
from pathlib import Path
from typing import Any

import click
import pytest

from interplay.cli import main
from interplay.cli.playing import run_verb
from interplay.core.failures import Mistake
from interplay.models.loopback import Loopback, serving
from tests.cli.provider import Typist
from tests.running.job import answer

CARDS = """
[[characters]]
name = "Ada"
summary = "A counter of things."
persona = "You count."
[[situations]]
text = "Ask for a number."
turns = 2
"""
RUBRIC = """
scale = [1, 3]
criteria = [{ name = "warm", statement = "The reply is warm." }]
"""
STUDY = """
benchmark = "pingpong"
models = ["openai/a", "openai/b"]
epochs = 2
seed = 3
limit = 4

[roles]
interrogator = "openai/u"
judge = ["openai/j", "openai/k"]

[options]
language = "ru"
turns = 2
explanation = "100"

[sampling.player]
temperature = 0.5
max_tokens = 90

[sampling."openai/k"]
top_p = 0.25
"""
FLAGS = [
    *("--model", "openai/a", "--model", "openai/b", "--epochs", "2", "--seed", "3", "--limit", "4"),
    *("--model-role", "interrogator=openai/u", "--model-role", "judge=openai/j"),
    *("--model-role", "judge=openai/k", "--language", "ru", "--turns", "2", "--explanation", "100"),
    *("--sampling", "player.temperature=0.5", "--sampling", "player.max_tokens=90"),
    *("--sampling", "openai/k.top_p=0.25"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in; studies are in one below it."""
    for name in [name for name in os.environ if name.startswith(("INTERPLAY_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    (tmp_path / "studies").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str, name: str = "study.toml") -> str:
    path = Path("studies") / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def planned(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["run", *words, "--plan", "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def test_a_study_is_the_run_of_the_same_flags(capsys: pytest.CaptureFixture[str]) -> None:
    by_flags = planned(capsys, "role_play", *FLAGS)
    assert planned(capsys, write(STUDY)) == by_flags
    assert by_flags["conversations"] == 16


@pytest.mark.parametrize(
    "typed",
    [
        ["--limit", "1"],
        ["--epochs", "1"],
        ["--seed", "4"],
        ["--language", "en"],
        ["--turns", "1"],
        ["--model", "openai/c"],
        ["--explanation", "200", "--limit", "2"],
    ],
    ids=" ".join,
)
def test_what_is_typed_beside_it_goes_before_it(typed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    names = {flag for flag in typed if flag.startswith("--")}
    kept, words = [], iter(FLAGS)
    for flag in words:
        value = next(words)
        kept += [] if flag in names else [flag, value]
    found = planned(capsys, write(STUDY), *typed)
    assert found == planned(capsys, "role_play", *kept, *typed)
    assert found != planned(capsys, write(STUDY))


def test_a_role_that_is_typed_takes_the_place_of_that_role_alone(capsys: pytest.CaptureFixture[str]) -> None:
    text = STUDY.partition('[sampling."openai/k"]')[0]  # who is not in this run
    found = planned(capsys, write(text), "--model-role", "judge=openai/new")
    cast = {(share["role"], share["model"]) for share in found["shares"]}
    assert cast == {
        ("player", "openai/a"),
        ("player", "openai/b"),
        ("interrogator", "openai/u"),
        ("judge", "openai/new"),
    }


def test_a_sampling_setting_that_is_typed_takes_the_place_of_that_setting_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = planned(capsys, write(STUDY), "--sampling", "player.temperature=0.1")
    same = STUDY.replace("temperature = 0.5", "temperature = 0.1")
    assert found["run"] == planned(capsys, write(same))["run"]


def test_a_name_may_stand_alone_where_a_list_may(capsys: pytest.CaptureFixture[str]) -> None:
    one = STUDY.replace('["openai/a", "openai/b"]', '"openai/a"')
    some = STUDY.replace('["openai/a", "openai/b"]', '["openai/a"]')
    assert planned(capsys, write(one)) == planned(capsys, write(some))


def test_a_study_of_nothing_but_its_benchmark_is_the_tryout(capsys: pytest.CaptureFixture[str]) -> None:
    assert planned(capsys, write('benchmark = "role_play"')) == planned(capsys, "role_play")


def test_a_preset_and_none_may_be_said_in_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    text = 'benchmark = "role_play"\nmodels = "openai/a"\npreset = "paper"\n[sampling.judge]\ntemperature = "none"\n'
    flags = ["--model", "openai/a", "--preset", "paper", "--sampling", "judge.temperature=none"]
    assert planned(capsys, write(text)) == planned(capsys, "role_play", *flags)


def test_an_environment_variable_goes_before_the_file_and_a_flag_before_both(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERPLAY_LIMIT", "1")
    assert planned(capsys, write(STUDY))["conversations"] == 4
    assert planned(capsys, write(STUDY), "--limit", "2")["conversations"] == 8


# Paths and the how


def test_paths_are_seen_from_the_folder_of_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    studies = folder / "studies"
    (studies / "cards.toml").write_text(CARDS)
    (studies / "warm.toml").write_text(RUBRIC)
    (studies / "prompts").mkdir()
    (studies / "prompts" / "interrogator_opening.md").write_text("Begin.")
    loopback = Loopback(answer)
    with serving(loopback) as url:
        (studies / "names.toml").write_text(
            f'[models.mine]\nmodel = "openai/mine"\nbase_url = "{url}"\n'
            f'[models.user]\nmodel = "openai/user"\nbase_url = "{url}"\n'
        )
        text = (
            'benchmark = "role_play"\nmodels = "mine"\ndata = "cards.toml"\n'
            '[roles]\ninterrogator = "user"\njudge = "user"\n'
            '[options]\nrubric = "warm.toml"\nprompts = "prompts"\n'
            '[how]\nstore = "here.db"\nmodels = "names.toml"\nhtml = "report.html"\nmax_connections = 2\n'
            "timeout = 20\nbudget_calls = 5\n"
        )
        assert main(["run", write(text)]) == 0, capsys.readouterr().err
        assert loopback.calls_by_model() == {"mine": 2, "user": 3}
    assert (studies / "here.db").exists()
    assert "warm" in (studies / "report.html").read_text(encoding="utf-8")
    assert sorted(path.name for path in folder.iterdir()) == ["studies"]
    capsys.readouterr()
    typist = Typist(studies / "here.db", capsys)
    assert typist.reads("runs")[0]["played"] == 1


@pytest.mark.parametrize(
    "how, flags",
    [
        ("budget = 2.5", ["--budget", "2.5"]),
        ("budget = 2", ["--budget", "2"]),
        ("budget_tokens = 1000", ["--budget-tokens", "1000"]),
        ("budget_calls = 3", ["--budget-calls", "3"]),
    ],
)
def test_a_budget_in_the_file_is_the_budget_of_the_flag(
    how: str, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for words in ([write(f"{STUDY}[how]\n{how}\n")], ["role_play", *FLAGS, *flags]):
        assert main(["run", *words, "--plan"]) == 0
        told.append(
            [line for line in capsys.readouterr().out.splitlines() if "The budget of the run" in line]
        )
    assert told[0] == told[1] != []


def test_the_help_of_a_study_is_its_benchmark_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", write(STUDY), "--help"]) == 0
    assert "--model-role" in capsys.readouterr().out


# Mistakes


ROLE_PLAY = 'benchmark = "role_play"\n'


@pytest.mark.parametrize(
    "text, words",
    [
        ("", 'lacks benchmark, as in benchmark = "role_play"'),
        ("benchmark = 3", "lacks benchmark"),
        ('benchmark = "rol_play"', "did you mean 'role_play'"),
        ("benchmark = ", "cannot be read"),
        (ROLE_PLAY + "modles = 'openai/a'", "'modles' is not part of a study; did you mean 'models'"),
        (ROLE_PLAY + "models = 3", "models is a name, or a list of names"),
        (ROLE_PLAY + "models = ['a', 3]", "models is a name, or a list of names"),
        (ROLE_PLAY + "models = { a = 'b' }", "models is a name, or a list of names"),
        (ROLE_PLAY + "limit = '3'", "limit must be int, not '3'"),
        (ROLE_PLAY + "limit = true", "limit must be int"),
        (ROLE_PLAY + "limit = 1.5", "limit must be int"),
        (ROLE_PLAY + "limit = 0", "--limit is a number of scenarios from 1"),
        (ROLE_PLAY + "epochs = 'two'", "epochs must be int"),
        (ROLE_PLAY + "seed = 1.5", "seed must be int"),
        (ROLE_PLAY + "preset = 3", "preset must be str"),
        (ROLE_PLAY + "preset = 'papr'", "did you mean 'paper'"),
        (ROLE_PLAY + "data = ['x']", "data must be str"),
        (ROLE_PLAY + "data = 'no.toml'", "studies/no.toml cannot be read"),
        (ROLE_PLAY + "roles = 'judge'", "roles is a table, written as [roles]"),
        (ROLE_PLAY + "roles.judge = 3", "[roles] judge is a name, or a list of names"),
        (ROLE_PLAY + "roles.juge = 'openai/j'", "did you mean 'judge'"),
        (ROLE_PLAY + "options = 3", "options is a table, written as [options]"),
        (
            ROLE_PLAY + "options.langage = 'ru'",
            "[options] 'langage' is not part of a study; did you mean 'language'",
        ),
        (ROLE_PLAY + "options.turns = 1.5", "[options] turns must be a text or a number, not 1.5"),
        (ROLE_PLAY + "options.turns = true", "[options] turns must be a text or a number"),
        (ROLE_PLAY + "options.turns = 0", "turns is a whole number from 1 to 100"),
        (ROLE_PLAY + "options.language = 'xx'", "'xx'"),
        (ROLE_PLAY + "options.rubric = 'no.toml'", "no.toml cannot be read"),
        (ROLE_PLAY + "sampling = 3", "sampling is a table, written as [sampling]"),
        (ROLE_PLAY + "sampling.player = 0.5", "sampling is written as [sampling.ROLE] temperature = 0"),
        (ROLE_PLAY + "sampling.player.temprature = 0.5", "did you mean 'temperature'"),
        (ROLE_PLAY + "sampling.playr.temperature = 0.5", "did you mean 'player'"),
        (ROLE_PLAY + "sampling.player.temperature = 'hot'", "'hot' is no number"),
        (ROLE_PLAY + "sampling.player.temperature = 11", "from 0 to 10"),
        (ROLE_PLAY + "how = 3", "how is a table, written as [how]"),
        (ROLE_PLAY + "how.budgt = 3", "[how] 'budgt' is not part of a study; did you mean 'budget'"),
        (ROLE_PLAY + "how.budget = 'all'", "[how] budget must be float, not 'all'"),
        (ROLE_PLAY + "how.budget = -1", "--budget"),
        (ROLE_PLAY + "how.budget_calls = 1.5", "[how] budget_calls must be int"),
        (ROLE_PLAY + "how.store = 3", "[how] store must be str"),
        (ROLE_PLAY + "how.models = 'no.toml'", "studies/no.toml cannot be read"),
        (ROLE_PLAY + "how.max_connections = 0", "--max-connections"),
    ],
)
def test_every_mistake_in_a_study_is_named(
    text: str, words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(text)
    assert main(["run", path]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err
    if "is not part" in words or "must be" in words or "written as" in words:
        assert path in err
    assert sorted(one.name for one in folder.rglob("*")) == ["studies", "study.toml"]


def test_a_file_that_cannot_be_read_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    Path("latin.toml").write_bytes(b"benchmark = 'r\xe9'")
    Path("folder.toml").mkdir()
    for name in ("no.toml", "latin.toml", "folder.toml"):
        assert main(["run", name]) == 2
        assert f"{name} cannot be read" in capsys.readouterr().err


def test_a_study_is_known_by_how_its_name_ends() -> None:
    with pytest.raises(Mistake, match="role_play"):
        run_verb.get_command(click.Context(run_verb), "study.json")  # type: ignore[attr-defined]
