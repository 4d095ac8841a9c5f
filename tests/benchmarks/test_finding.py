"""Benchmarks of others are found by path and by name, and a broken one breaks nothing but itself."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from interplay.benchmarks import ALL, OTHERS, WRITERS, find, find_playable, finding, others, playable
from interplay.benchmarks.finding import GROUP, VARIABLE, Others
from interplay.benchmarks.remembering import FILE
from interplay.core.benchmark import Benchmark, Option, Preset, Role, Tryout, Unjudged
from interplay.core.benchmark_checks import check_benchmark
from interplay.core.failures import Mistake
from interplay.core.measures import YES_OR_NO, Measure, Scale
from interplay.core.wire import Sampling
from interplay.running.setup import check_shared
from tests import greeting
from tests.benchmarks.others import as_in_a_new_process, install, write_file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in, with a cache of its own; what is installed is looked up anew."""
    monkeypatch.setenv("INTERPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    as_in_a_new_process()
    yield tmp_path
    as_in_a_new_process()


def problem_of(name: str) -> str:
    return next(one.problem for one in others() if one.name == name)


# by path, and by name ever after


def test_a_file_is_found_by_its_path_and_from_then_on_by_its_name(folder: Path) -> None:
    path = write_file(folder, "twenty_one")
    with pytest.raises(
        Mistake, match=r"the one in this folder is run by its path: interplay run \./twenty_one.py"
    ):
        find("twenty_one")

    found = find_playable("./twenty_one.py")

    assert found.name == "twenty_one"
    assert find("twenty_one") is found
    assert find("Twenty-One") is found
    assert json.loads((folder / "cache" / FILE).read_text()) == {"twenty_one": str(path)}
    later = Others(frozenset())  # another process
    assert later.find("twenty_one") is not None
    assert [one.name for one in playable()] == [*(one.name for one in ALL), "twenty_one"]


def test_a_folder_is_a_package_or_a_project_around_one(folder: Path) -> None:
    package = folder / "game_in_folder"
    package.mkdir()
    (package / "part.py").write_text("from tests.greeting import benchmark as made\n")
    text = "from dataclasses import replace\n{0} import made\nbenchmark = replace(made, name='{1}')\n"
    (package / "__init__.py").write_text(text.format("from .part", "game_in_folder"))
    inner = folder / "game_in_project" / "game_in_project"
    inner.mkdir(parents=True)
    (inner / "part.py").write_text("from tests.greeting import benchmark as made\n")
    (inner / "__init__.py").write_text(text.format("from game_in_project.part", "game_in_project"))

    assert find_playable("./game_in_folder").name == "game_in_folder"
    assert find_playable(f"{folder}/game_in_project/").name == "game_in_project"
    with pytest.raises(Mistake, match="nothing_here holds no benchmark: it is no package"):
        (folder / "nothing_here").mkdir()
        find_playable("./nothing_here")
    with pytest.raises(Mistake, match="called like a module that is there already"):
        (folder / "email").mkdir()
        (folder / "email" / "__init__.py").write_text("")
        find_playable("./email")


def test_a_remembered_file_that_has_gone_is_told_in_a_line(folder: Path) -> None:
    path = write_file(folder, "moved_away")
    find_playable(str(path))
    path.unlink()

    later = Others(frozenset())
    with pytest.raises(
        Mistake, match=r"'moved_away' cannot be used: .*moved_away.py is gone; run the benchmark from"
    ):
        later.find("moved_away")
    assert find("role_play") is ALL[0]


def test_what_is_remembered_is_believed_only_where_it_can_be(folder: Path) -> None:
    memory = folder / "cache" / FILE
    memory.parent.mkdir()
    for text in ("", "[]", "{", '{"one": 1, "Two-Words": "/x", "../three": "/y"}', "[" * 100_000):
        memory.write_text(text)
        assert others() == []
    path = write_file(folder, "kept_anyway")
    memory.write_text("{")
    find_playable(str(path))
    assert json.loads(memory.read_text()) == {"kept_anyway": str(path)}


def test_a_cache_that_cannot_be_written_costs_nothing_in_this_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text("in the way")
    monkeypatch.setenv("INTERPLAY_CACHE", str(folder / "file" / "cache"))
    mine = Others(frozenset())

    found = mine.typed(str(write_file(folder, "not_kept")))

    assert mine.find("not_kept") is found
    assert Others(frozenset()).find("not_kept") is None


def test_the_environment_names_files_and_folders(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [
        write_file(folder / "a", "named_one"),
        write_file(folder / "b", "named_two"),
        folder / "none.py",
    ]
    monkeypatch.setenv(VARIABLE, os.pathsep.join(["", *map(str, places)]))

    assert find("named_two").name == "named_two"
    assert [(one.name, bool(one.benchmark)) for one in others()] == [
        ("named_one", True),
        ("named_two", True),
        ("none", False),
    ]
    assert "none.py is gone" in problem_of("none")
    assert not (folder / "cache" / FILE).exists()  # nobody typed it


def test_a_name_is_never_taken_for_a_path(folder: Path) -> None:
    """A store may come from a stranger, and names the benchmark of its runs."""
    marker = folder / "ran"
    path = write_file(folder, "evil", f"open({str(marker)!r}, 'w').close()\nraise SystemExit\n")

    for name in (str(path), "./evil.py", "evil", "../evil", "evil.py", f"{folder}/evil"):
        with pytest.raises(Mistake, match="there is no benchmark"):
            find(name)
    assert not marker.exists()


# what is broken


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f(:\n", "{path}, line 1: SyntaxError: invalid syntax"),
        ("x = 1\n\nx = 1 / 0\n", "{path}, line 3: ZeroDivisionError: division by zero"),
        ("import no_such_module_at_all\n", "{path}, line 1: ModuleNotFoundError: No module named"),
        ("import sys\nsys.exit(3)\n", "{path}, line 2: SystemExit: 3"),
        ("raise ValueError('two\\nlines')\n", "{path}, line 1: ValueError: two lines"),
        ("import json\njson.loads('{')\n", "{path}, line 2: JSONDecodeError"),
        ("x = 1\n", "{path} has no value 'benchmark'; it ends with benchmark = Benchmark(...)"),
        ("benchmark = 3\n", "{path}: a benchmark is a value of Benchmark, not of int"),
        (
            "from tests.greeting import benchmark\n",
            "is called 'broken' and its benchmark 'greeting'; call both alike",
        ),
    ],
)
def test_a_broken_one_is_told_with_its_file_and_line_and_breaks_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    path = write_file(folder, "broken", text)
    sound = write_file(folder, "sound")
    monkeypatch.setenv(VARIABLE, f"{path}{os.pathsep}{sound}")
    mine = Others(frozenset())  # a file is loaded once in a process, and these share a name

    [broken, whole] = mine.all()

    assert told.format(path=path) in broken.problem
    assert "\n" not in broken.problem
    assert whole.benchmark is not None and not whole.problem
    with pytest.raises(Mistake, match="the benchmark 'broken' cannot be used: "):
        mine.find("broken")
    assert find("role_play") is ALL[0]


def test_what_is_half_loaded_is_not_taken_for_whole(folder: Path) -> None:
    package = folder / "half_done"
    package.mkdir()
    (package / "__init__.py").write_text("from . import part\nfrom . import missing_part\n")
    (package / "part.py").write_text("")

    for _ in range(2):
        with pytest.raises(Mistake, match=r"half_done.__init__.py, line 2: ImportError"):
            Others(frozenset()).typed("./half_done")


@pytest.mark.parametrize("name", ["role_play", "pingpong", "judge_probe", "role_play_writing", "judges"])
def test_no_other_may_be_called_as_one_of_ours(folder: Path, name: str) -> None:
    with pytest.raises(
        Mistake, match=f"'{name}' is a benchmark that comes with Interplay; take another name"
    ):
        find_playable(str(write_file(folder, name)))
    assert {one.name for one in (*ALL, *WRITERS)} <= OTHERS._taken


@pytest.mark.parametrize("name", ["Upper", "two-words", "1st", "_own", "a__b", "x" * 61])
def test_a_name_is_in_snake_case(folder: Path, name: str) -> None:
    with pytest.raises(Mistake, match="is not in snake_case, as in my_benchmark"):
        find_playable(str(write_file(folder, name)))


def test_two_of_one_name_are_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = write_file(folder / "a", "the_same"), write_file(folder / "b", "the_same")
    monkeypatch.setenv(VARIABLE, f"{here}{os.pathsep}{there}")

    with pytest.raises(
        Mistake, match=f"there are several of this name, {here} and {there}; rename all but one"
    ):
        find("the_same")
    monkeypatch.setenv(VARIABLE, f"{here}{os.pathsep}{here}")
    assert find("the_same").name == "the_same"
    with pytest.raises(Mistake, match=r"another benchmark is called 'the_same', .*rename one of them"):
        find_playable(str(there))


# installed


def test_what_is_installed_is_found_by_its_entry_point(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file(folder, "installed_one")
    write_file(folder, "installed_two")
    write_file(folder, "installed_broken", "\n\nraise KeyError('x')\n")
    entries = {
        "installed_one": "installed_one:benchmark",
        "installed_two": "installed_two",
        "installed_broken": "installed_broken:benchmark",
        "without_value": "installed_one:nothing",
        "without_module": "nowhere_at_all:benchmark",
        "Not-Snake": "installed_one:benchmark",
        "role_play": "installed_one:benchmark",
        "other_name": "installed_one:benchmark",
    }
    install(folder, "some_games", entries)
    monkeypatch.syspath_prepend(folder)

    assert find("installed_one").name == "installed_one"
    assert find("installed_two").name == "installed_two"
    assert "installed_broken.py, line 3: KeyError: 'x'" in problem_of("installed_broken")
    assert "has no attribute 'nothing'" in problem_of("without_value")
    assert "ModuleNotFoundError: No module named 'nowhere_at_all'" in problem_of("without_module")
    assert "is not in snake_case" in problem_of("Not-Snake")
    assert "comes with Interplay" in problem_of("role_play")
    assert "is called 'other_name' and its benchmark 'installed_one'" in problem_of("other_name")
    assert find("role_play") is ALL[0]
    # the same code by its path is the same benchmark; another of its name is not
    assert find_playable("./installed_two.py").name == "installed_two"
    with pytest.raises(Mistake, match="'installed_two', installed_two of some_games; rename one of them"):
        find_playable(str(write_file(folder / "elsewhere", "installed_two")))


def test_what_is_ours_is_found_without_looking_for_others() -> None:
    find("role_play")
    find_playable("pingpong")
    find("judge_probe")

    assert finding._entries.cache_info().misses == 0


def test_writers_of_others_are_found_by_name_too(folder: Path) -> None:
    lines = [
        "from dataclasses import replace",
        "from interplay.benchmarks.role_play import benchmark as made",
        "writing = replace(made.generator.writing, name='own_cards_writing')",
        "benchmark = replace(made, name='own_cards', paper='', generator=replace(made.generator, writing=writing))",
    ]
    find_playable(str(write_file(folder, "own_cards", "\n".join(lines))))

    assert find("own_cards_writing").name == "own_cards_writing"


def test_other_processes_know_what_has_a_path(folder: Path) -> None:
    found = find_playable(str(write_file(folder, "shared_one")))

    check_shared(found)
    with pytest.raises(Mistake, match="known to this process alone"):
        check_shared(replace(found, meaning="another"))
    assert OTHERS.place_of(found) == str(folder / "shared_one.py")
    assert OTHERS.place_of(ALL[0]) == ""
    assert OTHERS.digest_of("shared_one") and not OTHERS.digest_of("role_play")


def test_names_of_this_module_are_what_the_guide_says() -> None:
    assert (GROUP, VARIABLE) == ("interplay.benchmarks", "INTERPLAY_BENCHMARKS")


# what a benchmark must be like

SOUND = greeting.benchmark
SUBJECT, GUEST, JUDGE = greeting.ROLES
WARMTH, WORDS = greeting.MEASURES


def with_roles(*roles: Role) -> Benchmark:
    return replace(SOUND, roles=lambda options: roles, tryout=Tryout(1, {}, {}))


def with_option(**changes: object) -> Benchmark:
    option = Option(**{"name": "turns", "default": "2", "meaning": "how many", **changes})  # type: ignore[arg-type]
    return replace(SOUND, options=(option,))


def with_measures(*measures: Measure) -> Benchmark:
    return replace(SOUND, measures=lambda options: measures)


@pytest.mark.parametrize(
    ("benchmark", "told"),
    [
        (replace(SOUND, name="No Name"), "its name must be in snake_case"),
        (replace(SOUND, meaning=" "), "it has no meaning"),
        (replace(SOUND, outcome=dict), "its outcome must be a dataclass"),
        (replace(SOUND, spread=lambda options: 0.0), "its spread must be above 0, not 0.0"),
        (replace(SOUND, protocol=lambda options: ""), "its protocol has no digest"),
        (replace(SOUND, epochs=0), "it must be played at least once, not 0 times"),
        (with_option(meaning=""), "the option 'turns' has no meaning"),
        (with_option(name="limit"), "the option 'limit' has the name of a flag"),
        (with_option(name="Turns"), "the option 'Turns' must be named in snake_case"),
        (with_option(choices=("1", "3")), "the option 'turns' is '2' unless somebody says, which is none of its"),
        (with_option(number=(3, 1)), "the option 'turns' has bounds that no number is between"),
        (with_option(of_table=True, of_judging=True), "the option 'turns' concerns the table, judging or"),
        (replace(SOUND, options=(Option("a", "", "x"), Option("a", "", "y"))), "the option 'a' is there 2 times"),
        (with_roles(GUEST, JUDGE), "no role is the subject, so no model is measured"),
        (with_roles(SUBJECT, SUBJECT, JUDGE), "the role 'greeter' is there 2 times"),
        (with_roles(replace(SUBJECT, meaning=""), JUDGE), "the role 'greeter' has no meaning"),
        (with_roles(replace(SUBJECT, kind="host"), JUDGE), "the role 'greeter' is of the kind 'host'"),  # type: ignore[arg-type]
        (with_roles(SUBJECT, replace(JUDGE, name="critic")), "the role of judges, and no other, is called 'judge'"),
        (with_roles(SUBJECT, JUDGE, replace(GUEST, stands_in="hots")), "taken by 'hots', which is no role"),
        (with_roles(SUBJECT, JUDGE, replace(GUEST, seats=0)), "the role 'guest' has no seat"),
        (with_roles(SUBJECT, GUEST), "it has a judging step, and no role 'judge'"),
        (replace(SOUND, judging=lambda options: Unjudged()), "it has a judge, and no judging step"),
        (with_measures(WARMTH, WARMTH), "the measure 'warmth' is there 2 times"),
        (with_measures(replace(WARMTH, meaning="")), "the measure 'warmth' has no meaning"),
        (with_measures(replace(WARMTH, scale=Scale(1, 1))), "the measure 'warmth' has a scale without a width"),
        (with_measures(Measure("n", "how many", YES_OR_NO)), "the measure 'n' has the name of a column"),
        (replace(SOUND, presets={"p": Preset("", lambda options: {})}), "the preset 'p' has no meaning"),
        (replace(SOUND, presets={"p": Preset("x", lambda options: {"gest": ()})}), "casts 'gest', which is no role"),
        (replace(SOUND, tryout=Tryout(1, {"nope": "1"}, {})), "its tryout: greeting has no option 'nope'"),
        (replace(SOUND, tryout=Tryout(1, {}, {"gest": {}})), "its tryout samples 'gest', which is no role; did you"),
    ],
)  # fmt: skip
def test_a_benchmark_that_does_not_hold_together_is_refused_with_the_reason(
    benchmark: Benchmark, told: str
) -> None:
    with pytest.raises(Mistake, match="does not hold together: ") as refused:
        check_benchmark(benchmark)
    assert told in str(refused.value)
    check_benchmark(SOUND)


def test_all_that_is_wrong_is_told_at_once() -> None:
    twice = Role("greeter", "subject", Sampling(), "")
    with pytest.raises(Mistake) as refused:
        check_benchmark(replace(with_roles(twice, twice, JUDGE), meaning=""))
    for told in ("it has no meaning", "is there 2 times", "the role 'greeter' has no meaning"):
        assert str(refused.value).count(told) == 1
