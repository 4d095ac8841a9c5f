"""Loading a benchmark out of a file, a folder or an installed package; what is wrong with it is told in one line."""

import hashlib
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

from interplay.core.benchmark import Benchmark
from interplay.core.benchmark_checks import check_benchmark
from interplay.core.failures import Mistake

VALUE = "benchmark"  # what a module calls its benchmark
LONGEST_REASON = 300
_ENDINGS = (".py", ".md", ".toml", ".json", ".jsonl", ".csv", ".txt")  # of the files that make a benchmark


@dataclass(frozen=True)
class Loaded:
    """A benchmark of somebody else's, as it was when it was loaded."""

    benchmark: Benchmark
    root: Path  # its file, or the folder of its package
    digest: str  # of its files
    place: str = ""  # the path that it was loaded from; empty where it is installed


def name_in(path: Path) -> str:
    """The name that a file or folder gives its benchmark."""
    return path.stem if path.suffix == ".py" else path.name


def load_path(path: Path) -> Loaded:
    """The benchmark of a file or folder."""
    root = root_in(path)
    if root == path and path.suffix == ".py":
        return _loaded(root, path.stem, lambda: _module(path, _name_of_its_own(path)), str(path))
    return _loaded(root, path.name, lambda: _package(root), str(path))


def load_entry(entry: EntryPoint) -> Loaded:
    """The benchmark that an installed package offers."""
    return _loaded(root_of(entry), entry.name, entry.load)


def root_in(path: Path) -> Path:
    """What is loaded of a path: a file FILE.py, a folder that is a package, or the package of its name in a project."""
    if not path.is_dir():
        if path.suffix != ".py":
            raise Mistake(f"{path} is neither a Python file nor a folder")
        return path
    for package in (path, path / path.name, path / "src" / path.name):
        if (package / "__init__.py").is_file():
            return package
    raise Mistake(f"{path} holds no benchmark: it is no package, and has none at {path / path.name}")


def root_of(entry: EntryPoint) -> Path:
    """Where an installed benchmark's code is, found without running it: its outermost package, or module."""
    try:
        outermost = entry.module.partition(".")[0]
    except AttributeError:  # a value that is not of the form of entry points
        raise Mistake(f"{entry.value!r} names no value of a module, as in my_benchmark:{VALUE}") from None
    with suppress(ImportError, ValueError):
        spec = importlib.util.find_spec(outermost)
        if spec is not None and spec.origin is not None:
            return Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
    return Path(outermost)


def _loaded(root: Path, name: str, load: Callable[[], Any], place: str = "") -> Loaded:
    """What was loaded, checked; whatever other people's code raises is told with its file and line."""
    before = set(sys.modules)
    try:
        found = load()
        benchmark = getattr(found, VALUE, None) if isinstance(found, ModuleType) else found
        if benchmark is None:
            raise Mistake(f"{root} has no value {VALUE!r}; it ends with {VALUE} = Benchmark(...)")
        check_benchmark(benchmark)
        digest = _digest(root)
    except KeyboardInterrupt:
        _forget(before, root)
        raise
    except BaseException as error:  # other people's code: whatever it raises is theirs to mend
        _forget(before, root)
        raise Mistake(told_in(error, root)) from error
    if benchmark.name != name:
        raise Mistake(f"{root} is called {name!r} and its benchmark {benchmark.name!r}; call both alike")
    return Loaded(benchmark, root, digest, place)


def _forget(before: set[str], root: Path) -> None:
    """Half-loaded modules would be taken for whole ones."""
    for name in sys.modules.keys() - before:
        if _is_within(getattr(sys.modules[name], "__file__", None) or "", root):
            del sys.modules[name]


def _name_of_its_own(path: Path) -> str:
    return f"interplay_user_{path.stem}_{hashlib.blake2b(os.fsencode(path), digest_size=4).hexdigest()}"


def _package(folder: Path) -> ModuleType:
    """A folder is known by its own name, as its modules may call it; nobody else's may be called so."""
    name, file = folder.name, folder / "__init__.py"
    there = importlib.util.find_spec(name)
    if there is not None and there.origin is not None:
        if Path(there.origin).resolve() != file.resolve():
            raise Mistake(
                f"{folder} is called like a module that is there already, {there.origin}; rename it"
            )
        return importlib.import_module(name)
    return _module(file, name)


def _module(file: Path, name: str) -> ModuleType:
    folders = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders)
    if spec is None or spec.loader is None:
        raise Mistake(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up by its name
    spec.loader.exec_module(module)
    return module


def told_in(error: BaseException, root: Path) -> str:
    """An error in one line: the file and the line of this benchmark where it came up, and what it says."""
    text = " ".join(_said(error).split())[:LONGEST_REASON]
    if isinstance(error, Mistake):
        return text if str(root) in text else f"{root}: {text}"
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    place = place_in(error, root)
    return f"{place}: {said}" if place else f"{root}: {said}"


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # other people's errors may fail even to say what is wrong
        return ""


def place_in(error: BaseException, root: Path) -> str:
    """The innermost place of a benchmark's own code that an error came through; empty where it did not."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _is_within(frame.filename, root):
            return f"{frame.filename}, line {frame.lineno}"
    return ""


def _is_within(file: str, root: Path) -> bool:
    if not file:
        return False
    path, root = Path(file).resolve(), root.resolve()
    return path == root or root in path.parents


def _digest(root: Path) -> str:
    """What a benchmark's files say, all together."""
    files = [root] if root.is_file() else sorted(root.rglob("*"))
    found = hashlib.blake2b(digest_size=16)
    for path in files:
        if path.suffix in _ENDINGS and path.is_file():
            name, content = os.fsencode(path.relative_to(root.parent)), path.read_bytes()
            found.update(b"%d %s %d " % (len(name), name, len(content)) + content)
    return found.hexdigest()
