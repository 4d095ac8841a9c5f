"""A name means one benchmark in a process, and what was typed before is run only where its very name is asked for."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from interplay.benchmarks import find, find_playable, others
from interplay.benchmarks.finding import VARIABLE, Others
from interplay.benchmarks.remembering import FILE, forget, remember, remembered
from interplay.core.failures import Mistake
from tests.benchmarks.others import ALONE, as_in_a_new_process, write_file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in, with a cache of its own."""
    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    as_in_a_new_process()
    yield tmp_path
    as_in_a_new_process()


def leaving_a_trace(folder: Path, name: str) -> tuple[Path, Path]:
    """A benchmark that works, and the file that is there once its code has run."""
    trace = folder / f"{name}.trace"
    text = f"open({str(trace)!r}, 'w').close()\n"
    return write_file(folder, name, ALONE.replace("my_benchmark", name) + text), trace


# one of a name in a process


def test_another_process_that_types_another_of_the_name_changes_nothing_here(folder: Path) -> None:
    here, there = write_file(folder / "a", "the_one"), write_file(folder / "b", "the_one")
    found = find_playable(str(here))

    told: list[str] = []
    Others(frozenset()).typed(str(there), told.append)

    assert told == [f"From now on the_one is the one at {there}, and no longer the one at {here}."]
    assert remembered() == {"the_one": there}
    assert find("the_one") is found
    assert [one.benchmark for one in others()] == [found]


def test_another_path_of_a_name_that_is_loaded_is_a_mistake(folder: Path) -> None:
    here, there = write_file(folder / "a", "the_one"), write_file(folder / "b", "the_one")
    found = find_playable(str(here))

    with pytest.raises(
        Mistake, match=f"^{there}: this process has loaded another .*'the_one', {here}; rename"
    ):
        find_playable(str(there))
    assert find_playable(str(here)) is find("the_one") is found
    assert remembered() == {"the_one": here}


def test_a_name_found_before_it_is_typed_is_the_same(folder: Path) -> None:
    here, there = write_file(folder / "a", "the_one"), write_file(folder / "b", "the_one")
    remember("the_one", here)
    found = find("the_one")
    remember("the_one", there)  # as another process would

    assert find("the_one") is found
    with pytest.raises(Mistake, match="this process has loaded another"):
        find_playable(str(there))


def test_python_warns_where_a_name_goes_to_another_place_that_is_there(folder: Path) -> None:
    here, there = write_file(folder / "a", "the_one"), write_file(folder / "b", "the_one")
    remember("the_one", here)
    with pytest.warns(UserWarning, match=f"From now on the_one is the one at {there}, and no longer"):
        find_playable(str(there))


def test_nothing_is_told_where_the_other_place_has_gone_or_is_the_same_code(folder: Path) -> None:
    gone, there = write_file(folder / "a", "the_one"), write_file(folder / "b", "the_one")
    remember("the_one", gone)
    gone.unlink()
    find_playable(str(there))  # a warning would be an error

    package = folder / "in_a_project" / "in_a_project"
    package.mkdir(parents=True)
    write_file(package, "__init__", ALONE.replace("my_benchmark", "in_a_project"))
    find_playable(str(package.parent))
    find_playable(str(package))
    assert remembered()["in_a_project"] == package


# only where its name is asked for


def test_what_was_typed_before_is_listed_and_not_run(folder: Path) -> None:
    path, trace = leaving_a_trace(folder, "from_before")
    remember("from_before", path)

    [listed] = others()

    assert (listed.benchmark, listed.problem, listed.told) == (None, "", f"in {path}, run before")
    for typing_error in ("from_befor", "before", "role_plya", "from_beforehand"):
        with pytest.raises(Mistake, match="there is no benchmark"):
            find(typing_error)
    assert not trace.exists()
    find("from_before")
    assert trace.exists()
    assert [one.benchmark for one in others()] == [find("from_before")]


def test_a_writer_is_found_by_the_name_that_it_begins_with(folder: Path) -> None:
    lines = [
        "from dataclasses import replace",
        "from interplay.benchmarks.role_play import benchmark as made",
        "writing = replace(made.generator.writing, name='card_game_writing')",
        "benchmark = replace(made, name='card_game', paper='', generator=replace(made.generator, writing=writing))",
    ]
    remember("card_game", write_file(folder, "card_game", "\n".join(lines)))
    path, trace = leaving_a_trace(folder, "card")
    remember("card_trick", path.rename(folder / "card_trick.py"))

    assert find("card_game_writing").name == "card_game_writing"
    assert not trace.exists()


# only what is still the user's own


@pytest.mark.parametrize(
    ("what", "mode", "refused"),
    [
        ("open_one.py", 0o646, True),
        ("open_one.py", 0o644, False),
        (".", 0o757, True),
        (".", 0o1777, False),
        (".", 0o755, False),
    ],
)
def test_what_others_can_write_is_not_run_by_name(folder: Path, what: str, mode: int, refused: bool) -> None:
    path, trace = leaving_a_trace(folder / "open", "open_one")
    remember("open_one", path)
    (path.parent / what).chmod(mode)

    [listed] = others()
    assert bool(listed.problem) == refused
    if not refused:
        assert find("open_one").name == "open_one"
        return
    told = (
        "can be written by other users, so it is loaded only where its path is typed, as in: interplay run "
    )
    with pytest.raises(Mistake, match=f"{told}{path}"):
        find("open_one")
    assert not trace.exists()
    assert find_playable(str(path)) is find("open_one")


def test_a_group_counts_as_others_unless_it_is_the_users_own(folder: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file to another group")
    path = write_file(folder, "of_a_group")
    remember("of_a_group", path)
    path.chmod(0o664)
    os.chown(path, 0, 12_345)
    assert f"{path} can be written by other users" in others()[0].problem
    os.chown(path, 0, 0)
    path.chmod(0o664)
    assert others()[0].problem == ""


def test_what_another_user_owns_is_not_run_by_name(folder: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file away")
    package = folder / "of_another"
    package.mkdir()
    write_file(package, "__init__", ALONE.replace("my_benchmark", "of_another"))
    part = write_file(package, "part", "x = 1\n")
    remember("of_another", package)
    assert others()[0].problem == ""
    os.chown(part, 12_345, 12_345)

    assert f"{part} belongs to another user" in others()[0].problem


# forgotten


def test_what_is_forgotten_is_found_by_its_path_alone(folder: Path) -> None:
    path = write_file(folder, "once_known")
    remember("once_known", path)
    remember("still_known", path)

    assert forget("once_known") == path
    assert forget("once_known") is None
    assert json.loads((folder / "cache" / FILE).read_text()) == {"still_known": str(path)}
    with pytest.raises(Mistake, match="there is no benchmark 'once_known'"):
        find("once_known")
