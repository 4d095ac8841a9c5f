"""The command that goes on with a recorded run, as somebody could type it."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from interplay.benchmarks import find, playable
from interplay.core.benchmark import Benchmark, Option
from interplay.core.failures import Mistake
from interplay.core.wire import canonical, digest_of
from interplay.models.null import NULL
from interplay.running.decided import KEPT_AS as UNTIL_DECIDED
from interplay.running.import_note import is_imported
from interplay.store.places import Store
from interplay.store.records import Run

STORE = "interplay.db"  # what every verb takes unless somebody names another
OF_A_FILE = "{"  # what an option keeps of a file begins so


@dataclass(frozen=True)
class Command:
    """A command; and what the record does not tell, so that somebody has to fill it in."""

    text: str  # empty where none can be told
    to_fill_in: tuple[str, ...] = ()


def going_on(run: Run, store: Store) -> Command:
    """What goes on with a run where it stopped: the same run by all that makes it one."""
    where = [] if str(store) == STORE else ["--store", str(store)]
    if run.made_of:
        return Command(shlex.join(["interplay", "read", run.made_of, *where]))
    benchmark = next((one for one in playable() if one.name == run.benchmark), None)
    if benchmark is None or is_imported(run):
        return Command("")  # made by a verb of its own
    missing: list[str] = []
    words = ["interplay", "run", benchmark.name, *_cast(run), *_options(run, benchmark, missing)]
    words += [*_data(run, benchmark, missing), *_reach(run, benchmark), *where]
    return Command(" ".join(word if word in missing else shlex.quote(word) for word in words), tuple(missing))


def _cast(run: Run) -> Iterator[str]:
    for name in run.identity["models"]:
        yield from ["--null"] if name == NULL else ["--model", name]
    for role, names in run.identity["roles"].items():
        for name in names:
            yield from ("--model-role", f"{role}={name}")
    for who, change in run.identity["sampling"].items():
        for key, value in change.items():
            yield from ("--sampling", f"{who}.{key}={'none' if value is None else value}")


def _options(run: Run, benchmark: Benchmark, missing: list[str]) -> Iterator[str]:
    known = {option.name: option for option in benchmark.options}
    for name, value in run.identity["options"].items():
        yield f"--{name.replace('_', '-')}"
        if _is_of_a_file(known.get(name), value):
            missing.append(name.upper())
            yield name.upper()
        else:
            yield value


def _is_of_a_file(option: Option | None, value: str) -> bool:
    return option is not None and option.read is not None and value.startswith(OF_A_FILE)


def _data(run: Run, benchmark: Benchmark, missing: list[str]) -> list[str]:
    if run.identity["scenarios"] == _shipped(benchmark.name, canonical(dict(run.identity["options"]))):
        return []
    missing.append("DATA")
    return ["--data", "DATA"]


@cache
def _shipped(benchmark: str, options: str) -> str:
    """The digest of the scenarios that ship, as a run names them; empty where there are none."""
    found = find(benchmark)
    try:
        material = found.scenarios(found.settle(json.loads(options)), None)
    except Mistake:
        return ""
    return digest_of([scenario.id for scenario in material.scenarios])


def _reach(run: Run, benchmark: Benchmark) -> Iterator[str]:
    extent: Mapping[str, Any] = run.extent
    yield from ("--limit", str(extent["limit"]))
    if extent["epochs"] != benchmark.epochs:
        yield from ("--epochs", str(extent["epochs"]))
    if run.identity["seed"]:
        yield from ("--seed", str(run.identity["seed"]))
    if UNTIL_DECIDED in extent:
        yield "--until-decided"
