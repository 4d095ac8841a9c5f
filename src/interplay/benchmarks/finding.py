"""Benchmarks of others: in a file or folder that was typed, named by the environment, installed, or typed before.

Code is only run that is installed here or that the user has named: a store, which may come from anybody, has names
alone.
"""

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from threading import RLock

from filelock import FileLock, Timeout

from interplay.benchmarks.loading import (
    Loaded,
    load_entry,
    load_path,
    name_in,
    place_in,
    root_in,
    root_of,
    told_in,
)
from interplay.core.benchmark import Benchmark
from interplay.core.benchmark_checks import is_name
from interplay.core.failures import Mistake
from interplay.models.fetching import cache_folder

GROUP = "interplay.benchmarks"  # of entry points
VARIABLE = "INTERPLAY_BENCHMARKS"
FILE = "benchmarks.json"  # in the user's cache: where the benchmarks are that were typed as a path
PATIENCE = 5.0  # seconds, for another process that writes it
GONE = "is gone; run the benchmark from where it is now, as in: interplay run ./FILE.py"


@dataclass(frozen=True)
class Other:
    """A benchmark of somebody else's by its name; or why it cannot be used."""

    name: str
    where: str
    benchmark: Benchmark | None = None
    problem: str = ""


@dataclass(frozen=True)
class _Source:
    """Where a benchmark of some name is to be found."""

    where: str
    root: Callable[[], Path]  # of its code, told without running it
    load: Callable[[], Loaded]


class Others:
    """The benchmarks of others that this process can play; none may be called as one of ours."""

    def __init__(self, taken: frozenset[str]):
        self._taken = taken
        self._lock = RLock()  # pages are made in many threads
        self._loaded: dict[tuple[str, str], Loaded | Mistake] = {}  # by name and place
        self._typed: dict[str, Path] = {}  # what could not be written down

    def all(self) -> list[Other]:
        """Every one there is, in the order of names; the broken ones too."""
        return [self._look_at(name, sources) for name, sources in sorted(self._sources().items())]

    def names(self) -> list[str]:
        """The same without looking at them."""
        return sorted(self._sources())

    def find(self, name: str) -> Benchmark | None:
        """The one of this name, None where there is none; a Mistake says what is wrong with it."""
        sources = self._sources().get(name)
        if sources is None:
            return None
        found = self._look_at(name, sources)
        if found.benchmark is None:
            raise Mistake(f"the benchmark {name!r} cannot be used: {found.problem}")
        return found.benchmark

    def typed(self, text: str) -> Benchmark:
        """The benchmark of a path that the user has typed; found by its name from now on, in later processes too."""
        path = Path(text).expanduser()
        if not path.exists():
            raise Mistake(f"there is no file or folder {path}, where a benchmark should be")
        path = path.resolve()
        name, mine = name_in(path), _at(path)
        self._check_name(name, mine.where)
        declared = [*_named().get(name, ()), *_installed().get(name, ())]
        for source in declared:
            if source.root().resolve() != mine.root().resolve():
                raise Mistake(
                    f"{path}: another benchmark is called {name!r}, {source.where}; rename one of them"
                )
        loaded = self._load(name, mine)
        if not _remember(name, path):
            self._typed[name] = path
        return loaded.benchmark

    def check_new(self, name: str) -> None:
        """Raise a Mistake if a new benchmark cannot be called so: another is, here or among what is installed."""
        self._check_name(name, "the name")
        for source in (*_named().get(name, ()), *_installed().get(name, ())):
            raise Mistake(f"another benchmark is called {name!r}, {source.where}; take another name")

    def place_of(self, benchmark: Benchmark) -> str:
        """The path that a benchmark was loaded from; empty where any process finds it without."""
        found = [one for one in self._done() if one.benchmark is benchmark]
        return found[0].place if found else ""

    def digest_of(self, name: str) -> str:
        """What the files of a benchmark said when it was loaded; empty where none is of that name."""
        found = [one for one in self._done() if one.benchmark.name == name]
        return found[-1].digest if found else ""

    def told(self, error: BaseException) -> str:
        """An error that came up in the code of one of these, with its file and line; empty where it did not."""
        roots = [one.root for one in self._done() if place_in(error, one.root)]
        return f"a fault in the benchmark's own code: {told_in(error, roots[0])}" if roots else ""

    def _done(self) -> list[Loaded]:
        return [one for one in list(self._loaded.values()) if isinstance(one, Loaded)]

    def _sources(self) -> dict[str, list[_Source]]:
        """Where each name is to be found: what the environment and packages declare goes before what was typed."""
        typed = {**{name: Path(place) for name, place in _remembered().items()}, **self._typed}
        declared = _named()
        for name, sources in _installed().items():
            declared[name] = [*declared.get(name, ()), *sources]
        return {**{name: [_at(path)] for name, path in typed.items()}, **declared}

    def _look_at(self, name: str, sources: list[_Source]) -> Other:
        where = " and ".join(dict.fromkeys(source.where for source in sources))
        try:
            self._check_name(name, where)
            if len({source.root().resolve() for source in sources}) > 1:
                raise Mistake(f"there are several of this name, {where}; rename all but one")
            return Other(name, where, self._load(name, sources[0]).benchmark)
        except Mistake as mistake:
            return Other(name, where, problem=str(mistake))

    def _load(self, name: str, source: _Source) -> Loaded:
        """Load it, once: what is broken stays so until the next process."""
        key = name, source.where
        with self._lock:
            if key not in self._loaded:
                try:
                    self._loaded[key] = source.load()
                except Mistake as mistake:
                    self._loaded[key] = mistake
            found = self._loaded[key]
        if isinstance(found, Mistake):
            raise Mistake(str(found)) from found
        return found

    def _check_name(self, name: str, where: str) -> None:
        if not is_name(name):
            raise Mistake(f"{where}: {name!r} is not in snake_case, as in my_benchmark; take another name")
        if name in self._taken:
            raise Mistake(f"{where}: {name!r} is a benchmark that comes with Interplay; take another name")


def _at(path: Path) -> _Source:
    def root() -> Path:
        if not path.exists():
            raise Mistake(f"{path} {GONE}")
        return root_in(path)

    def load() -> Loaded:
        root()
        return load_path(path)

    return _Source(str(path), root, load)


def _named() -> dict[str, list[_Source]]:
    """What the environment names: files and folders."""
    found: dict[str, list[_Source]] = {}
    for text in os.environ.get(VARIABLE, "").split(os.pathsep):
        if text.strip():
            path = Path(text.strip()).expanduser().absolute()
            found.setdefault(name_in(path), []).append(_at(path))
    return found


@cache
def _entries() -> tuple[EntryPoint, ...]:
    """What is installed, looked up when it is first needed: that takes a moment."""
    return tuple(entry_points(group=GROUP))


def _installed() -> dict[str, list[_Source]]:
    found: dict[str, list[_Source]] = {}
    for entry in _entries():
        package = entry.dist.name if entry.dist else "a package"
        where = f"{entry.value} of {package}"
        source = _Source(where, partial(root_of, entry), partial(load_entry, entry))
        found.setdefault(entry.name, []).append(source)
    return found


def _remembered() -> dict[str, str]:
    """Where benchmarks are that were typed as a path before, by name; a damaged file remembers nothing."""
    try:
        found = json.loads((cache_folder() / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: place for name, place in found.items() if isinstance(place, str) and is_name(name)}


def _remember(name: str, path: Path) -> bool:
    """Keep where a benchmark is; a cache that cannot be written costs no more than typing the path again."""
    if _remembered().get(name) == str(path):
        return True
    folder = cache_folder()
    with suppress(OSError, Timeout):
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{FILE}.lock", timeout=PATIENCE):
            known = {**_remembered(), name: str(path)}
            with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as made:
                json.dump(known, made, indent=2, sort_keys=True)
            Path(made.name).replace(folder / FILE)
        return True
    return False
