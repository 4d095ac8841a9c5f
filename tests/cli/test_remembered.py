"""What was typed before is listed, shown and forgotten, and no verb runs its code that has nothing to do with it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from interplay.benchmarks.remembering import remember, remembered
from interplay.cli import main
from interplay.models.loopback import Loopback, serving
from interplay.testing import steady
from tests.benchmarks.others import ALONE, as_in_a_new_process, install, write_file
from tests.cli.provider import Typist

CAST = (
    "--model",
    "openai/a",
    "--model-role",
    "keeper=openai/k",
    "--model-role",
    "judge=openai/j",
    "--limit=1",
)
WITH_A_TABLE = """
from interplay.authoring import Option
from dataclasses import replace
OPTION = Option('{flag}', 'yes', 'something of the table', choices=('yes', 'no'), of_table=True)
benchmark = replace(benchmark, options=(*benchmark.options, OPTION))
open({trace!r}, 'a').close()
"""


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


@pytest.fixture
def trace(folder: Path) -> Path:
    """The file that is there once the code of secretive was run, which was typed before."""
    found = folder / "trace"
    _write(folder, "secretive", found)
    return found


def _write(folder: Path, name: str, trace: Path) -> Path:
    text = ALONE.replace("my_benchmark", name) + WITH_A_TABLE.format(flag=f"{name}_rows", trace=str(trace))
    path = write_file(folder, name, text)
    remember(name, path)
    return path


def played(typist: Typist, name: str) -> None:
    with serving(Loopback(steady)) as url:
        typist.types("run", name, *CAST, "--base-url", url)


def unwrapped(text: str) -> str:
    """Where a long path ends a line is not for a test to say."""
    return " ".join(text.split())


def test_no_other_verb_runs_it(folder: Path, typist: Typist, trace: Path) -> None:
    played(typist, str(write_file(folder, "plain")))
    as_in_a_new_process()

    listed = {one["name"]: one for one in typist.reads("list")["benchmarks"]}
    place = str(folder / "secretive.py")
    assert listed["secretive"] == {"name": "secretive", "paper": "", "meaning": "", "place": place}
    assert "run before" in unwrapped(typist.types("list"))
    [found] = [one for one in typist.reads("doctor") if one["what"] == "benchmark secretive"]
    assert (found["state"], found["detail"]) == ("found", f"in {place}, run before")
    assert main(["run", "--help"]) == 0
    assert "run before" in unwrapped(typist.capsys.readouterr().out)
    assert "did you mean 'secretive'?" in typist.mistakes("run", "secretiv")
    assert "did you mean 'secretive'?" in typist.mistakes("board", "secretiv")
    assert "has no flag --bogus" in typist.mistakes("show", "last", "--bogus")
    assert "has no flag --bogus" in typist.mistakes("show", "--bogus")
    assert "has no flag --secretive-rows" in typist.mistakes("show", "last", "--secretive-rows", "no")
    assert "has no flag --secretive-rows" in typist.mistakes("board", "plain", "--secretive-rows", "no")
    assert not trace.exists()


def test_options_of_its_table_are_those_of_the_run_that_is_meant(
    folder: Path, typist: Typist, trace: Path
) -> None:
    played(typist, "secretive")
    trace.unlink()
    other = folder / "other_trace"
    _write(folder, "unconcerned", other)
    for words in (
        ("show", "last", "--secretive-rows", "no"),
        ("show", "--secretive-rows", "no", "last"),
        ("board", "secretive", "--secretive-rows=no"),
        ("board", "--secretive-rows", "no", "./secretive.py"),
    ):
        as_in_a_new_process()
        typist.reads(*words)
        assert trace.exists()
        trace.unlink()
    assert not other.exists()


def test_options_of_what_is_installed_are_known_where_nothing_is_meant(
    folder: Path, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = ALONE.replace("my_benchmark", "of_a_package")
    text += WITH_A_TABLE.format(flag="package_rows", trace=str(folder / "trace"))
    write_file(folder / "site", "of_a_package", text)
    install(folder / "site", "games_apart", {"of_a_package": "of_a_package:benchmark"})
    monkeypatch.syspath_prepend(folder / "site")

    assert "did you mean '--package-rows'?" in typist.mistakes("show", "nothing", "--package-rwos")


def test_who_types_another_of_the_name_is_told_so_in_a_line(
    folder: Path, typist: Typist, trace: Path
) -> None:
    there = write_file(folder / "there", "secretive")
    played(typist, str(there))
    here = folder / "secretive.py"
    assert f"From now on secretive is the one at {there}, and no longer the one at {here}.\n" in typist.said
    as_in_a_new_process()
    played(typist, str(there))
    assert "From now on" not in typist.said


def test_what_was_typed_is_forgotten(folder: Path, typist: Typist, trace: Path) -> None:
    def said(*words: str, code: int = 0) -> str:
        assert main(list(words)) == code
        return "".join(typist.capsys.readouterr())

    assert "no path of 'secretiv' is kept; did you mean 'secretive'?" in said(
        "new", "--forget", "secretiv", code=2
    )
    assert "leave --file out" in said("new", "--forget", "secretive", "--file", code=2)
    told = said("new", "--forget", "secretive")
    assert told == f"secretive is no longer found by its name; it is still at {folder / 'secretive.py'}.\n"
    assert remembered() == {}
    assert (folder / "secretive.py").exists() and not trace.exists()
    assert json.loads((folder.parent / "cache" / "benchmarks.json").read_text()) == {}


def test_a_malformed_place_takes_no_verb_down(
    folder: Path, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(folder, "base", "class E(BaseException): pass\nraise E\n")
    monkeypatch.setenv("INTERPLAY_BENCHMARKS", "~nosuchuser/z.py:./base.py")
    install(folder / "site", "odd_games", {"badval": "not valid!!"})
    monkeypatch.syspath_prepend(folder / "site")

    problems = {one["name"]: one.get("problem", "") for one in typist.reads("list")["benchmarks"]}
    assert all(problems[name] for name in ("z", "base", "badval"))
    typist.types("doctor", code=1)
    assert main(["run", "--help"]) == 0
    typist.capsys.readouterr()
    assert "did you mean 'role_play'?" in typist.mistakes("run", "role_plya")
    assert "there is no file or folder ~nosuchuser/y.py" in typist.mistakes("run", "~nosuchuser/y.py")
