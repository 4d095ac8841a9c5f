"""Where benchmarks are that were typed as a path: kept by name in the user's cache, and told without running them."""

import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from interplay.core.benchmark_checks import is_name
from interplay.models.fetching import cache_folder

FILE = "benchmarks.json"  # in the user's cache
PATIENCE = 5.0  # seconds, for another process that writes it


def remembered() -> dict[str, Path]:
    """Where benchmarks are that were typed as a path before, by name; a damaged file remembers nothing."""
    try:
        found = json.loads((cache_folder() / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: Path(place) for name, place in found.items() if isinstance(place, str) and is_name(name)}


def remember(name: str, path: Path) -> Path | None:
    """Keep where a benchmark is; the place that was kept before, where that was another.

    A cache that cannot be written costs no more than typing the path again.
    """
    before = remembered().get(name)
    if before == path:
        return None
    with suppress(OSError, Timeout):
        cache_folder().mkdir(parents=True, exist_ok=True)
        with _locked():
            _write({**remembered(), name: path})
    return before


def forget(name: str) -> Path | None:
    """Keep no longer where a benchmark is; the place that was kept, None where none was."""
    if name not in remembered():
        return None
    with _locked():
        known = remembered()
        place = known.pop(name, None)
        _write(known)
    return place


def _locked() -> FileLock:
    return FileLock(cache_folder() / f"{FILE}.lock", timeout=PATIENCE)


def _write(known: Mapping[str, Path]) -> None:
    """Whole or not at all: another process may read it meanwhile."""
    folder = cache_folder()
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as made:
        json.dump({name: str(place) for name, place in known.items()}, made, indent=2, sort_keys=True)
    Path(made.name).replace(folder / FILE)


def doubt_about(path: Path, root: Path) -> str:
    """What of a benchmark another user could have written since it was typed; empty where nothing is."""
    if not hasattr(os, "getuid"):
        return ""  # a system that has no such owners
    for one in _code_of(path, root):
        found = one.stat()
        if found.st_uid not in (0, os.getuid()):
            return f"{one} belongs to another user"
        if _is_open_to_others(found):
            return f"{one} can be written by other users"
    for folder in dict.fromkeys((path.parent, root.parent)):
        found = folder.stat()
        if _is_open_to_others(found) and not found.st_mode & stat.S_ISVTX:
            return f"{folder} can be written by other users"
    return ""


def _code_of(path: Path, root: Path) -> Iterator[Path]:
    yield path
    if root.is_dir():
        yield root
        yield from sorted(root.rglob("*.py"))


def _is_open_to_others(found: os.stat_result) -> bool:
    """A group that has nobody in it but its user is no other: on many systems every new file is open to it."""
    if found.st_mode & stat.S_IWOTH:
        return True
    return bool(found.st_mode & stat.S_IWGRP) and not _is_own_group(found.st_gid)


def _is_own_group(number: int) -> bool:
    import grp  # no such module where there are no such groups
    import pwd

    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return (group.gr_gid, group.gr_name) == (user.pw_gid, user.pw_name) and {*group.gr_mem} <= {user.pw_name}
