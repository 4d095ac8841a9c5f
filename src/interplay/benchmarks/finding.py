"""Benchmarks of others: in a file or folder that was typed, named by the environment, installed, or typed before.

Code is only run that is installed here or that the user has named: a store, which may come from anybody, has names
alone. What was typed before is run only where exactly its name is asked for.
"""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from threading import RLock

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
from interplay.benchmarks.remembering import doubt_about, remember, remembered
from interplay.core.benchmark import Benchmark
from interplay.core.benchmark_checks import is_name
from interplay.core.failures import Mistake, why

GROUP = "interplay.benchmarks"  # of entry points
VARIABLE = "INTERPLAY_BENCHMARKS"
GONE = "is gone; run the benchmark from where it is now, as in: interplay run ./FILE.py"
Tell = Callable[[str], None]  # who hears what is worth knowing, and wrong with nothing


def warn(remark: str) -> None:
    """As Python tells it; who has a terminal tells it there."""
    warnings.warn(remark, stacklevel=3)


@dataclass(frozen=True)
class Other:
    """A benchmark of somebody else's by its name; or why it cannot be used.

    One that was typed before, and that nobody asks for now, has neither: it is not loaded to be listed.
    """

    name: str
    where: str
    benchmark: Benchmark | None = None
    problem: str = ""

    @property
    def told(self) -> str:
        """What a list says of it."""
        if self.problem:
            return f"BROKEN: {self.problem}"
        return self.benchmark.meaning if self.benchmark else f"in {self.where}, run before"


@dataclass(frozen=True)
class _Source:
    """Where a benchmark of some name is to be found."""

    where: str
    root: Callable[[], Path]  # of its code, without links, told without running it
    load: Callable[[], Loaded]


class Others:
    """The benchmarks of others that this process can play; none may be called as one of ours."""

    def __init__(self, taken: frozenset[str]):
        self._taken = taken
        self._lock = RLock()  # pages are made in many threads
        self._loaded: dict[
            str, Loaded
        ] = {}  # what a name has come to mean in this process, and means to its end
        self._broken: dict[tuple[str, str], Mistake] = {}  # by name and place

    def all(self) -> list[Other]:
        """Every one there is, in the order of names; the broken ones too."""
        declared, loaded = _declared(), dict(self._loaded)
        found = {name: self._look_at(name, sources) for name, sources in declared.items()}
        for name, one in loaded.items():
            found.setdefault(name, Other(name, one.place, one.benchmark))
        for name, path in remembered().items():
            if name not in found:
                found[name] = self._look_from_afar(name, path)
        return [found[name] for name in sorted(found)]

    def names(self) -> list[str]:
        """The same without looking at them."""
        return sorted({*_declared(), *dict(self._loaded), *remembered()})

    def find(self, name: str) -> Benchmark | None:
        """The one of this name, None where there is none; a Mistake says what is wrong with it."""
        if name in self._loaded:
            return self._loaded[name].benchmark
        found = self._look_for(name)
        if found is None:
            return None
        if found.benchmark is None:
            raise Mistake(f"the benchmark {name!r} cannot be used: {found.problem}")
        return found.benchmark

    def may_have(self, name: str) -> Iterator[Benchmark]:
        """Those that may have a part of this name: of what was typed before, only what the name begins with."""
        for one in self.all():
            asked_for = not one.problem and name.startswith(f"{one.name}_")
            found = self._look_for(one.name) if one.benchmark is None and asked_for else one
            if found and found.benchmark:
                yield found.benchmark

    def typed(self, text: str, tell: Tell = warn) -> Benchmark:
        """The benchmark of a path that the user has typed; found by its name from now on, in later processes too."""
        path = _without_tilde(text)
        if not _is_there(path):
            raise Mistake(f"there is no file or folder {path}, where a benchmark should be")
        path = path.resolve()
        name, mine = name_in(path), _at(path)
        self._check_name(name, mine.where)
        for source in _declared().get(name, ()):
            if source.root() != mine.root():
                raise Mistake(
                    f"{path}: another benchmark is called {name!r}, {source.where}; rename one of them"
                )
        loaded = self._load(name, mine)
        before = remember(name, path)
        if before is not None and _is_elsewhere(before, mine.root()):
            tell(f"From now on {name} is the one at {path}, and no longer the one at {before}.")
        return loaded.benchmark

    def check_new(self, name: str) -> None:
        """Raise a Mistake if a new benchmark cannot be called so: another is, here or among what is installed."""
        self._check_name(name, "the name")
        for source in _declared().get(name, ()):
            raise Mistake(f"another benchmark is called {name!r}, {source.where}; take another name")

    def place_of(self, benchmark: Benchmark) -> str:
        """The path that a benchmark was loaded from; empty where any process finds it without."""
        found = self._loaded.get(benchmark.name)
        return found.place if found and found.benchmark is benchmark else ""

    def digest_of(self, name: str) -> str:
        """What the files of a benchmark said when it was loaded; empty where none is of that name."""
        found = self._loaded.get(name)
        return found.digest if found else ""

    def told(self, error: BaseException) -> str:
        """An error that came up in the code of one of these, with its file and line; empty where it did not."""
        roots = [one.root for one in list(self._loaded.values()) if place_in(error, one.root)]
        return f"a fault in the benchmark's own code: {told_in(error, roots[0])}" if roots else ""

    def _look_for(self, name: str) -> Other | None:
        """What the environment and packages declare goes before what was typed."""
        sources, path = _declared().get(name), remembered().get(name)
        if sources:
            return self._look_at(name, sources)
        if path is None:
            return None
        seen = self._look_from_afar(name, path)
        return seen if seen.problem else self._look_at(name, [_at(path)])

    def _look_from_afar(self, name: str, path: Path) -> Other:
        """What was typed before, without running any of it: is it there, and still the user's own?"""
        try:
            self._check_name(name, str(path))
            doubt = doubt_about(path, _at(path).root())
        except Mistake as mistake:
            return Other(name, str(path), problem=str(mistake))
        except OSError as error:
            return Other(name, str(path), problem=_cannot_be_read(path, error))
        if doubt:
            how = f"only where its path is typed, as in: interplay run {path}, or named by {VARIABLE}"
            return Other(name, str(path), problem=f"{doubt}, so it is loaded {how}")
        return Other(name, str(path))

    def _look_at(self, name: str, sources: list[_Source]) -> Other:
        where = " and ".join(dict.fromkeys(source.where for source in sources))
        try:
            self._check_name(name, where)
            if len({source.root() for source in sources}) > 1:
                raise Mistake(f"there are several of this name, {where}; rename all but one")
            return Other(name, where, self._load(name, sources[0]).benchmark)
        except Mistake as mistake:
            return Other(name, where, problem=str(mistake))

    def _load(self, name: str, source: _Source) -> Loaded:
        """Load it, once: what is broken stays so until the next process, and a name means one benchmark in this one."""
        key = name, source.where
        with self._lock:
            if key in self._broken:
                raise Mistake(str(self._broken[key])) from self._broken[key]
            if name not in self._loaded:
                try:
                    self._loaded[name] = source.load()
                except Mistake as mistake:
                    self._broken[key] = mistake
                    raise
            found = self._loaded[name]
            if found.root.resolve() != source.root():
                raise Mistake(
                    f"{source.where}: this process has loaded another benchmark called {name!r}, {found.root}; "
                    "rename one of them, or use each in a process of its own"
                )
            return found

    def _check_name(self, name: str, where: str) -> None:
        if not is_name(name):
            raise Mistake(f"{where}: {name!r} is not in snake_case, as in my_benchmark; take another name")
        if name in self._taken:
            raise Mistake(f"{where}: {name!r} is a benchmark that comes with Interplay; take another name")


def _at(path: Path) -> _Source:
    def root() -> Path:
        if not _is_there(path):
            raise Mistake(f"{path} {GONE}")
        try:
            return root_in(path).resolve()
        except OSError as error:
            raise Mistake(_cannot_be_read(path, error)) from error

    def load() -> Loaded:
        root()
        return load_path(path)

    return _Source(str(path), root, load)


def _is_there(path: Path) -> bool:
    """What nobody lets us look at is not there for us."""
    with suppress(OSError):
        return path.exists()
    return False


def _is_elsewhere(before: Path, root: Path) -> bool:
    """Is there still a benchmark at a place, and is it another than the one whose code is here?"""
    with suppress(Mistake):
        return _at(before).root() != root
    return False


def _cannot_be_read(path: Path, error: OSError) -> str:
    return f"{path} cannot be read: {why(error)}"


def _without_tilde(text: str) -> Path:
    """A path as it was typed; where ~NAME is nobody's home, it is the name of a folder."""
    with suppress(RuntimeError):
        return Path(text).expanduser()
    return Path(text)


def _declared() -> dict[str, list[_Source]]:
    """What the environment names, and what packages offer."""
    found = _named()
    for name, sources in _installed().items():
        found[name] = [*found.get(name, ()), *sources]
    return found


def _named() -> dict[str, list[_Source]]:
    """What the environment names: files and folders."""
    found: dict[str, list[_Source]] = {}
    for text in os.environ.get(VARIABLE, "").split(os.pathsep):
        if text.strip():
            path = _without_tilde(text.strip()).absolute()
            found.setdefault(name_in(path), []).append(_at(path))
    return found


@cache
def _entries() -> tuple[EntryPoint, ...]:
    """What is installed, looked up when it is first needed: that takes a moment."""
    return tuple(entry_points(group=GROUP))


def _installed() -> dict[str, list[_Source]]:
    found: dict[str, list[_Source]] = {}
    for entry in _entries():
        package = (entry.dist and entry.dist.name) or "a package"
        where = f"{entry.value} of {package}"
        source = _Source(where, partial(_root_of, entry), partial(load_entry, entry))
        found.setdefault(entry.name, []).append(source)
    return found


def _root_of(entry: EntryPoint) -> Path:
    return root_of(entry).resolve()
