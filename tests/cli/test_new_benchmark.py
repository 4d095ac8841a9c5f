"""The verb new: what it writes is a benchmark that works at once, in a folder that is installed or in a file."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from interplay.cli import interplay as command_line
from interplay.cli import main
from interplay.core.benchmark_checks import RESERVED
from interplay.models.loopback import Loopback, serving
from interplay.testing import steady
from tests.benchmarks.others import ALONE, as_in_a_new_process, install, write_file
from tests.cli.provider import Typist

ROOT = Path(__file__).parents[2]
CAST = (
    "--model",
    "openai/a",
    "--model-role",
    "keeper=openai/k",
    "--model-role",
    "judge=openai/j",
    "--limit",
    "2",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder, with a cache of its own."""
    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path / "cache"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    as_in_a_new_process()
    yield tmp_path / "here"
    as_in_a_new_process()


@pytest.fixture
def typist(folder: Path, capsys: pytest.CaptureFixture[str]) -> Typist:
    return Typist(folder / "interplay.db", capsys)


def started(folder: Path, *words: str, path: list[Path]) -> str:
    """A Python process in this folder, with these folders on its path; what it printed."""
    quick = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # of the plugins that are here, none is needed
    environment = {
        **os.environ,
        **quick,
        "PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], *map(str, path)]),
    }
    done = subprocess.run(
        [sys.executable, "-P", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def board(said: dict[str, Any]) -> Any:
    assert said["code"] == 0, said["told"]
    return json.loads(said["out"])


def test_a_new_folder_is_installed_played_judged_resumed_shown_and_viewed(folder: Path) -> None:
    assert main(["new", "tea_party"]) == 0
    install(folder / "site", "tea_party", {"tea_party": "tea_party:benchmark"})
    path = [folder / "site", folder / "tea_party", ROOT]

    found = json.loads(started(folder, "-m", "tests.cli.new_session", "tea_party", path=path))

    assert {"tea_party"} <= {one["name"] for one in board(found["listed"])["benchmarks"]}
    first = board(found["first"])
    assert first["title"] == "tea_party"
    assert first["columns"].keys() >= {"clarity", "accuracy", "brevity", "n", "void", "unscored", "rank"}
    assert (first["rows"][0]["n"], found["first"]["calls"]) == (2, 2 * (3 + 2 + 1))
    assert (found["again"]["calls"], found["again"]["out"]) == (0, found["first"]["out"])
    assert found["further"]["calls"] == 6 and board(found["further"])["rows"][0]["n"] == 3  # two workers
    assert found["judged"]["calls"] == 3
    assert "judged by openai/j, openai/k" in board(found["shown"])["notes"][1].replace(" (j)", "").replace(
        " (k)", ""
    )
    assert found["exported"]["code"] == 0 and "clarity" in (folder / "run.md").read_text()
    assert "[verdict of openai/j, the board's rubric]" in found["conversation"]["out"]
    assert "--questions N" in found["helped"]["out"] and "explainer: explains" in found["helped"]["out"]
    for page in ("home", "board", "run", "one", "games", "game"):
        assert found[page]["status"] == 200, found[page]["text"]
        assert "tea_party" in found[page]["text"]
    assert "explanation" in found["one"]["text"]
    assert "explainer" in found["game"]["text"]


def test_a_new_folder_passes_its_own_tests_and_is_clean(folder: Path) -> None:
    main(["new", "tea_party"])

    told = started(folder / "tea_party", "-m", "pytest", "-p", "no:cacheprovider", path=[])
    assert "11 passed" in told
    for command in (["ruff", "check", "--no-cache", "."], ["ruff", "format", "--no-cache", "--check", "."]):
        started(folder / "tea_party", "-m", *command, path=[])


def test_a_new_folder_is_named_throughout(folder: Path) -> None:
    main(["new", "tea_party"])

    texts = {path: path.read_text() for path in (folder / "tea_party").rglob("*") if path.is_file()}
    assert {str(path.relative_to(folder / "tea_party")) for path in texts} == {
        *("README.md", "pyproject.toml", "tests/test_tea_party.py"),
        *(f"tea_party/{name}.py" for name in ("__init__", "judging", "protocol", "scoring")),
        *(f"tea_party/prompts/{name}.md" for name in ("explainer", "judge", "learner")),
        "tea_party/data/concepts.toml",
    }
    for path, text in texts.items():
        assert "my_benchmark" not in text and "MyBenchmark" not in text, path
    assert "class TestTeaParty(BenchmarkSuite):" in texts[folder / "tea_party/tests/test_tea_party.py"]
    assert 'tea_party = "tea_party:benchmark"' in texts[folder / "tea_party/pyproject.toml"]


def said(typist: Typist, *words: str, code: int = 0) -> str:
    """What a verb without a store prints."""
    found = main(list(words))
    out, told = typist.capsys.readouterr()
    assert found == code, told
    return out or told


def test_a_new_file_is_played_judged_resumed_and_shown(folder: Path, typist: Typist) -> None:
    assert "interplay run ./riddles.py" in said(typist, "new", "riddles", "--file")
    loopback = Loopback(steady)
    with serving(loopback) as url:
        there = ("--base-url", url)
        first = typist.reads("run", "./riddles.py", *CAST, *there)
        calls = loopback.calls
        assert typist.reads("run", "./riddles.py", *CAST, *there) == first
        assert typist.reads("run", "riddles", *CAST, *there) == first
        assert loopback.calls == calls
        typist.types("judge", "last", *there, "--model-role", "judge=openai/other")
        assert loopback.calls == calls + 2
    assert first["rows"][0]["n"] == 2
    assert first["columns"].keys() >= {"found", "questions", "strategy"}
    assert typist.reads("board", "./riddles.py")[0]["title"] == "riddles"
    assert [row["model"] for row in typist.reads("show", "last")["rows"]] == ["openai/a"]


def test_a_study_names_a_file_beside_it(folder: Path, typist: Typist) -> None:
    write_file(folder / "studies", "riddles_of_a_study")
    study = folder / "studies" / "study.toml"
    study.write_text(
        'benchmark = "./riddles_of_a_study.py"\nmodels = ["openai/a"]\nlimit = 1\n'
        '[roles]\nkeeper = "openai/k"\njudge = "openai/j"\n'
    )
    with serving(Loopback(steady)) as url:
        assert typist.reads("run", "studies/study.toml", "--base-url", url)["rows"][0]["n"] == 1


def test_options_of_the_table_are_typed_where_a_run_is_shown(folder: Path, typist: Typist) -> None:
    lines = [
        "from dataclasses import replace",
        "from interplay.authoring import Option",
        "from tests.greeting import benchmark as made",
        "OPTION = Option('own_words', 'yes', 'with the column words, or not', choices=('yes', 'no'), of_table=True)",
        "def summarize(played, options):",
        "    board = made.summarize(played, options)",
        "    left = [one for one in board.columns if one.key != 'words' or options['own_words'] == 'yes']",
        "    return replace(board, columns=tuple(left))",
        "benchmark = replace(made, name='with_a_table', options=(OPTION,), summarize=summarize)",
    ]
    write_file(folder, "with_a_table", "\n".join(lines))
    with serving(Loopback(steady)) as url:
        cast = ("--model", "openai/a", "--model-role", "guest=openai/g", "--model-role", "judge=openai/j")
        shown = typist.reads("run", "./with_a_table.py", *cast, "--base-url", url)
    assert "words" in shown["columns"]
    assert "words" in typist.reads("show", "last")["columns"]
    assert "words" not in typist.reads("show", "last", "--own-words", "no")["columns"]
    assert "words" not in typist.reads("board", "with_a_table", "--own-words=no")[0]["columns"]
    assert "is not one of 'yes', 'no'" in typist.mistakes("show", "last", "--own-words", "perhaps")
    assert "has no flag --own-wrods; did you mean '--own-words'?" in typist.mistakes(
        "show", "last", "--own-wrods"
    )


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_fault_in_play_is_told_with_its_file_and_line(folder: Path, typist: Typist, workers: str) -> None:
    name = f"faulty_in_{workers}"
    text = ALONE.replace("my_benchmark", name).replace(
        'secret=talk.scenario["secret"]', 'secret=talk.scenario["x"]'
    )
    line = text[: text.index('talk.scenario["x"]')].count("\n") + 1
    path = write_file(folder, name, text)
    with serving(Loopback(steady)) as url:
        typist.types("run", str(path), *CAST, "--base-url", url, "--workers", workers, code=2)
    assert f"a fault in the benchmark's own code: {path}, line {line}: KeyError: 'x'" in typist.said
    assert typist.said.count("\n") == 1


def test_an_outcome_of_another_shape_is_a_mistake_until_it_is_played_anew(
    folder: Path, typist: Typist
) -> None:
    """As authors do: a field of the outcome is renamed after a run."""
    path = write_file(folder / "before", "reshaped")
    with serving(Loopback(steady)) as url:
        typist.types("run", str(path), *CAST, "--base-url", url)
        text = (
            path.read_text()
            .replace("questions: tuple", "asked: tuple")
            .replace("search.questions", "search.asked")
        )
        path = write_file(folder / "after", "reshaped", text)
        as_in_a_new_process()
        typist.types("run", str(path), *CAST, "--base-url", url, code=2)
        told = "has not the parts that Search has now ('questions'); play it anew with --new all"
        assert told in typist.said
        typist.types("run", str(path), *CAST, "--base-url", url, "--new", "all")
    assert typist.reads("show", "last")["rows"][0]["n"] == 2


def test_a_broken_one_is_listed_and_told_of_and_all_else_works(
    folder: Path, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(folder, "fallen_over", "x = 1\nx.fall()\n")
    monkeypatch.setenv("INTERPLAY_BENCHMARKS", str(path))
    why = f"{path}, line 2: AttributeError: 'int' object has no attribute 'fall'"

    listed = {one["name"]: one for one in typist.reads("list")["benchmarks"]}
    assert listed["fallen_over"]["problem"] == why
    assert "problem" not in listed["role_play"]
    assert "BROKEN" in typist.types("list")
    assert "BROKEN" in said(typist, "run", "--help")
    [found] = [one for one in typist.reads("doctor", code=1) if one["what"] == "benchmark fallen_over"]
    assert (found["state"], found["detail"]) == ("problem", why)
    assert (
        typist.mistakes("run", "fallen_over")
        == f"interplay: the benchmark 'fallen_over' cannot be used: {why}\n"
    )
    assert typist.mistakes("run", "./fallen_over.py") == f"interplay: {why}\n"
    assert "role_play-" in typist.types("run", "role_play", "--plan", *_of_role_play())


def _of_role_play() -> tuple[str, ...]:
    cast = ("--model-role", "interrogator=openai/i", "--model-role", "judge=openai/j")
    return ("--model", "openai/a", *cast, "--base-url", "http://127.0.0.1:9/v1", "--limit", "1")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["new", "Tea-Party"], "'Tea-Party' is no name of a benchmark: it is in snake_case"),
        (["new", "role_play"], "'role_play' is a benchmark that comes with Interplay; take another name"),
        (["new", "pingpong"], "'pingpong' is a benchmark that comes with Interplay"),
        (["new", "json"], "Python has something else that is called 'json'; take another name"),
        (["new", "lambda", "--file"], "Python has something else that is called 'lambda'"),
        (["new", "there"], "there is there already; take another name, or move it away"),
        (["new", "there", "--file"], "there.py is there already"),
        (["new"], "Missing argument 'NAME'"),
    ],
)
def test_what_cannot_be_written_is_a_mistake_and_nothing_is(
    folder: Path, typist: Typist, words: list[str], told: str
) -> None:
    (folder / "there").mkdir()
    (folder / "there.py").write_text("mine")

    found = said(typist, *words, code=2)

    assert told in found
    assert found.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["there", "there.py"]
    assert (folder / "there.py").read_text() == "mine"


def test_every_flag_beside_a_benchmarks_options_has_a_name_that_no_option_may_have() -> None:
    """Else an option of somebody's benchmark could hide a flag, or could not be typed."""
    found: set[str] = set()
    for words in (("run", "role_play"), ("show",), ("board",), ("export",)):
        command: click.Command = command_line
        for word in words:
            assert isinstance(command, click.Group)
            there = command.get_command(click.Context(command), word)
            assert there is not None
            command = there
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not (parameter.name or "").startswith("option_"):
                found |= {flag.lstrip("-").replace("-", "_") for flag in parameter.opts}
    assert found <= RESERVED
