"""A run in a file: interplay run study.toml; what is typed beside it goes before what the file says."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from interplay.benchmarks import find_playable, is_path
from interplay.cli import terminal
from interplay.core.benchmark import Benchmark
from interplay.core.failures import Mistake, nearest, why

_PLAIN: Mapping[str, type] = {
    "limit": int,
    "epochs": int,
    "seed": int,
    "preset": str,
    "data": str,
    "null": bool,
    "until_decided": bool,
}
_HOW: Mapping[str, type] = {
    "store": str,
    "base_url": str,
    "models": str,
    "max_connections": int,
    "timeout": float,
    "budget": float,
    "budget_tokens": int,
    "budget_calls": int,
    "html": str,
}
_PATHS = ("data", "store", "models", "html")
_HEADINGS = ("benchmark", "models", "roles", "options", "sampling", "how", *_PLAIN)


def read_study(path: Path) -> tuple[Benchmark, dict[str, Any]]:
    """The benchmark of a study, and what its file sets, as defaults for the flags of a run."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Mistake(f"{path} cannot be read: {why(error)}") from error
    reader = _Reader(path)
    reader.known(data, _HEADINGS, "")
    if not isinstance(data.get("benchmark"), str):
        raise Mistake(f'{path} lacks benchmark, as in benchmark = "role_play"')
    named = data["benchmark"]
    benchmark = find_playable(
        str(path.parent / Path(named).expanduser()) if is_path(named) else named, terminal.remark
    )
    defaults = reader.plain(data, _PLAIN, "")
    defaults |= reader.plain(reader.table(data, "how"), _HOW, "[how] ")
    if "models" in data:
        defaults["models_"] = reader.names(data["models"], "models")
    roles = reader.table(data, "roles")
    defaults["model_roles"] = [
        f"{r}={n}" for r, names in roles.items() for n in reader.names(names, f"[roles] {r}")
    ]
    defaults["sampling"] = reader.sampling(reader.table(data, "sampling"))
    defaults |= reader.options(reader.table(data, "options"), benchmark)
    return benchmark, {key: value for key, value in defaults.items() if value != []}


class _Reader:
    """Reads one file; every complaint names it; paths in it are seen from its folder."""

    def __init__(self, path: Path):
        self.path = path

    def known(self, data: Mapping[str, Any], keys: Any, place: str) -> None:
        for key in data:
            if key not in keys:
                raise Mistake(f"{self.path}: {place}{key!r} is not part of a study; {nearest(key, keys)}")

    def table(self, data: Mapping[str, Any], heading: str) -> Mapping[str, Any]:
        table = data.get(heading, {})
        if not isinstance(table, dict):
            raise Mistake(f"{self.path}: {heading} is a table, written as [{heading}]")
        return table

    def plain(self, data: Mapping[str, Any], kinds: Mapping[str, type], place: str) -> dict[str, Any]:
        if place:
            self.known(data, kinds, place)
        found = {}
        for key, kind in kinds.items():
            if key not in data:
                continue
            value = data[key]
            accepted = (int, float) if kind is float else kind
            if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
                raise Mistake(f"{self.path}: {place}{key} must be {kind.__name__}, not {value!r}")
            found[key] = self._from_here(str(value)) if key in _PATHS else value
        return found

    def names(self, value: Any, what: str) -> list[str]:
        several = [value] if isinstance(value, str) else value
        if not isinstance(several, list) or not all(isinstance(name, str) for name in several):
            raise Mistake(f"{self.path}: {what} is a name, or a list of names")
        return several

    def sampling(self, table: Mapping[str, Any]) -> list[str]:
        found = []
        for name, change in table.items():
            if not isinstance(change, dict):
                raise Mistake(f"{self.path}: sampling is written as [sampling.ROLE] temperature = 0")
            found += [f"{name}.{key}={value}" for key, value in change.items()]
        return found

    def options(self, table: Mapping[str, Any], benchmark: Benchmark) -> dict[str, Any]:
        known = {option.name: option for option in benchmark.options}
        self.known(table, known, "[options] ")
        found = {}
        for key, value in table.items():
            if isinstance(value, bool) or not isinstance(value, str | int):
                raise Mistake(f"{self.path}: [options] {key} must be a text or a number, not {value!r}")
            there = known[key].path and (self.path.parent / str(value)).exists()
            found[f"option_{key}"] = self._from_here(str(value)) if there else str(value)
        return found

    def _from_here(self, path: str) -> str:
        return str(self.path.parent / path)
