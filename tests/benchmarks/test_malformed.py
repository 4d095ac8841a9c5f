"""Whatever is wrong with somebody else's benchmark, or with how it is named, is one line about it alone."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from interplay.authoring import compose
from interplay.benchmarks import ALL, find, find_playable, others
from interplay.benchmarks.finding import VARIABLE, Others
from interplay.core.benchmark_checks import check_benchmark
from interplay.core.failures import Mistake
from tests import greeting
from tests.benchmarks.others import ALONE, as_in_a_new_process, install, write_file

UNREADABLE = Path("/proc/self/mem")  # even for root


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in, with a cache of its own."""
    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    as_in_a_new_process()
    yield tmp_path
    as_in_a_new_process()


def problems() -> dict[str, str]:
    return {one.name: one.problem for one in others()}


def test_an_entry_point_that_names_nothing_breaks_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(folder, "installed_well")
    values = {"badval": "not valid!!", "empty": ":x", "installed_well": "installed_well:benchmark"}
    install(folder, "odd_games", values)
    monkeypatch.syspath_prepend(folder)

    found = problems()

    assert found["badval"] == "'not valid!!' names no value of a module, as in my_benchmark:benchmark"
    assert found["empty"].startswith("':x' names no value")
    assert found["installed_well"] == ""
    with pytest.raises(Mistake, match="there is no benchmark 'role_plya'; did you mean 'role_play'"):
        find("role_plya")


def test_the_home_of_nobody_is_no_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Mistake, match=r"there is no file or folder ~nosuchuser/z\.py"):
        find_playable("~nosuchuser/z.py")
    monkeypatch.setenv(VARIABLE, "~nosuchuser/z.py")
    assert "~nosuchuser/z.py is gone" in problems()["z"]
    assert find("role_play") is ALL[0]


def test_a_path_that_cannot_be_looked_at_is_no_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    too_long = f"./{'x' * 300}.py"
    with pytest.raises(Mistake, match="there is no file or folder"):
        find_playable(too_long)
    monkeypatch.setenv(VARIABLE, too_long)
    assert "is not in snake_case" in problems()["x" * 300]
    monkeypatch.setenv(VARIABLE, f"./{'x' * 300}/short.py")
    assert "short.py is gone" in problems()["short"]


def test_names_that_are_no_utf_8_can_be_loaded(folder: Path) -> None:
    package = folder / "with_odd_data"
    package.mkdir()
    write_file(package, "__init__", ALONE.replace("my_benchmark", "with_odd_data"))
    Path(os.fsdecode(os.fsencode(package) + b"/caf\xe9.txt")).write_text("x")
    assert find_playable("./with_odd_data").name == "with_odd_data"

    odd = Path(os.fsdecode(os.fsencode(folder) + b"/\xe9\xe8"))
    path = write_file(odd, "in_an_odd_folder")
    assert find_playable(str(path)).name == "in_an_odd_folder"
    assert Others(frozenset()).find("in_an_odd_folder") is not None  # by a later process


@pytest.mark.skipif(not UNREADABLE.exists(), reason="this system has no file that nobody can read")
def test_a_file_that_cannot_be_read_is_told(folder: Path) -> None:
    package = folder / "with_secrets"
    package.mkdir()
    write_file(package, "__init__", ALONE.replace("my_benchmark", "with_secrets"))
    (package / "data.txt").symlink_to(UNREADABLE)
    with pytest.raises(Mistake, match="with_secrets: OSError: "):
        find_playable("./with_secrets")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("class E(Exception):\n def __str__(self): raise ValueError('no')\nraise E\n", "line 3: E"),
        ("class E(BaseException): pass\nraise E('x')\n", "line 2: E: x"),
        ("raise GeneratorExit\n", "line 1: GeneratorExit"),
        ("import asyncio\nraise asyncio.CancelledError\n", "line 2: CancelledError"),
    ],
)
def test_an_error_of_any_kind_at_import_is_told_with_its_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    path = write_file(folder, "falls_over", text)
    with pytest.raises(Mistake) as refused:
        find_playable(str(path))
    assert str(refused.value) == f"{path}, {told}"
    monkeypatch.setenv(VARIABLE, str(path))
    assert problems() == {"falls_over": f"{path}, {told}"}


def test_ctrl_c_while_it_is_loaded_stops_and_leaves_nothing_half_loaded(folder: Path) -> None:
    path = write_file(folder, "stopped_here", "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        find_playable(str(path))
    write_file(folder, "stopped_here")
    assert find_playable(str(path)).name == "stopped_here"


# what would fail once it is paid for


def test_a_benchmark_without_a_measure_is_refused(folder: Path) -> None:
    with pytest.raises(
        Mistake, match="it has no measure, so there is nothing that models could be ranked by"
    ):
        check_benchmark(replace(greeting.benchmark, measures=lambda options: ()))
    at = ALONE.index("    measures=(")
    text = f"{ALONE[:at].replace('my_benchmark', 'unmeasured')}    measures=(),\n)\n"
    path = write_file(folder, "unmeasured", text)
    with pytest.raises(
        Mistake, match=f"^{path}: unmeasured has no measure, and its board ranks by the first"
    ):
        find_playable(str(path))


def test_a_board_of_ones_own_needs_no_measure_to_be_composed() -> None:
    given = {name: getattr(greeting.benchmark, name) for name in ("outcome", "play", "score", "summarize")}
    made = compose(
        name="greeting", meaning="x", roles=greeting.ROLES, scenarios=[], calls={}, measures=(), **given
    )
    assert made.summarize is greeting.benchmark.summarize


@pytest.mark.parametrize("part", ["name", "meaning"])
def test_a_name_and_a_meaning_are_text(part: str) -> None:
    with pytest.raises(Mistake, match=f"^the {part} of a benchmark is text, not 3$"):
        check_benchmark(replace(greeting.benchmark, **{part: 3}))  # type: ignore[arg-type]
