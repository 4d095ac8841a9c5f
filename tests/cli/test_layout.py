"""The folder listing is the architecture: sizes, docstrings and public names."""

import ast
import importlib
from pathlib import Path

import pytest

import interplay

SOURCES = Path(interplay.__file__).parent
MODULES = sorted(SOURCES.rglob("*.py"))
LONGEST_FILE = 400
NAMELESS = {"utils", "util", "common", "helpers", "base", "types", "misc", "legacy"}
PUBLIC = {
    "interplay": {"Run", "load", "run", "setup"},
    "interplay.authoring": {
        *("YES_OR_NO", "Benchmark", "Board", "BoardOfMeasures", "CapFailure", "Column"),
        *("Conversation", "Estimate", "Failure", "FormJudge", "JsonForm", "Judging"),
        *("Longest", "LoopFailure", "LoopWatch", "Material", "Measure", "Message"),
        *("Mistake", "Option", "Options", "Played", "Preset", "Prompts"),
        *("Range", "RefusalFailure", "Role", "Sampling", "Scale", "Scenario"),
        *("Score", "Seat", "SystemFailure", "Text", "Tryout", "Unreadable"),
        *("Verdict", "check_benchmark", "clustered_mean", "compose", "digest_of", "fenced"),
        *("fixed", "judged", "mark_of", "mean", "place_by", "prompts_option"),
        *("rate", "scenarios_in"),
    },
    "interplay.models.embedded": {
        *("CAVEAT", "DIGEST", "FILE", "NAME", "PACKAGE", "cache_folder", "check_digest", "fetch", "weights"),
    },
    "interplay.models.loopback": {
        *("Asked", "Event", "Fault", "Loopback", "ROUTES", "Said", "Script", "Tuning", "rehearse", "serving"),
    },
    "interplay.reporting.charts": {"Chart", "charts_of", "judge_pairs", "judge_scatter", "svg"},
    "interplay.models.tuning": {"Progress", "Settings", "told", "tune"},
}


def name_of(path: Path) -> str:
    return path.relative_to(SOURCES).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def names_exported(path: Path) -> list[str] | None:
    for node in tree_of(path).body:
        if isinstance(node, ast.Assign) and [getattr(one, "id", "") for one in node.targets] == ["__all__"]:
            return list(ast.literal_eval(node.value))
    return None


def test_there_is_something_to_look_at() -> None:
    assert len(MODULES) > 40


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_file_is_too_long_to_read(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(tree_of(path))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_is_named_after_nothing(path: Path) -> None:
    assert not {path.stem, *path.relative_to(SOURCES).parts} & NAMELESS


@pytest.mark.parametrize("folder", sorted({path.parent for path in MODULES}), ids=lambda path: path.name)
def test_every_folder_with_code_is_a_package(folder: Path) -> None:
    assert (folder / "__init__.py").exists()


def test_public_names_are_pinned() -> None:
    found = {}
    for path in MODULES:
        exported = names_exported(path)
        if exported is not None:
            module = ".".join(("interplay", *path.relative_to(SOURCES).with_suffix("").parts))
            module = module.removesuffix(".__init__")
            loaded = importlib.import_module(module)
            assert [name for name in exported if not hasattr(loaded, name)] == []
            found[module] = set(exported)
    benchmarks = {name for name in found if name.startswith("interplay.benchmarks.")}
    for name in benchmarks:
        assert found.pop(name) == {"benchmark"}
    assert found == PUBLIC
