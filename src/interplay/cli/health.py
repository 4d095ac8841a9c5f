"""The health of the installation: what works, what does not, which models are in reach, and what to do."""

import asyncio
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from interplay.benchmarks import ALL, others
from interplay.cli import terminal
from interplay.cli.edge import DONE, UNANSWERED
from interplay.core.failures import InterplayError, Mistake
from interplay.models import embedded, sentences
from interplay.models.connecting import Directory
from interplay.models.fetching import check_file
from interplay.models.nearby import Server, servers_nearby
from interplay.models.providers import HOSTED
from interplay.store.database import SAFE_SQLITE, sqlite_version
from interplay.store.places import Store
from interplay.store.records import Records

TUNING = ("torch", "transformers", "accelerate", "peft", "gguf", "safetensors")  # of the extra
MOST_NAMES = 5  # of a server's models; --json has them all
_TYPEABLE = re.compile(r"[\w.:/@+-]+", re.ASCII)


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    what: str
    state: str
    detail: str
    more: dict[str, Any] = field(default_factory=dict)  # for --json


def show_health(store: Store, directory: Directory, *, as_json: bool) -> int:
    """Print what works, what does not, and what to do; calls no model."""
    checks = [_python(), _sqlite(), _store(store), _embedded(), _encoder(), _llama(), _tuning()]
    checks += _benchmarks()
    keys = _keys(directory)
    endpoints, servers = asyncio.run(_reached(directory))
    if as_json:
        found = [*checks, *keys, *endpoints, *servers]
        terminal.say_json(
            [{"what": one.what, "state": one.state, "detail": one.detail, **one.more} for one in found]
        )
    else:
        shown = [*checks, *_gathered(keys), *endpoints, *servers]
        terminal.show_table(["what", "state", "detail"], [[one.what, one.state, one.detail] for one in shown])
        for command in (one.more["command"] for one in servers if "command" in one.more):
            terminal.say(f"Try it: {command}")
    return UNANSWERED if any(one.state == "problem" for one in (*checks, *endpoints, *servers)) else DONE


def _benchmarks() -> list[Check]:
    """The benchmarks of others, each loaded to see whether it can be, but for those that were typed before."""
    found = []
    for one in others():
        state = "problem" if one.problem else "ok" if one.benchmark else "found"
        detail = one.problem or (one.where if one.benchmark else one.told)
        found.append(Check(f"benchmark {one.name}", state, detail))
    return found


def _python() -> Check:
    return Check("Python", "ok", ".".join(str(part) for part in sys.version_info[:3]))


def _sqlite() -> Check:
    version, safe = sqlite_version(), ".".join(str(part) for part in SAFE_SQLITE)
    text = ".".join(str(part) for part in version)
    if version < SAFE_SQLITE:
        damage = f"{text}; below {safe} two writers can damage a store: pip install -U apsw"
        return Check("SQLite", "problem", damage)
    return Check("SQLite", "ok", text)


def _store(store: Store) -> Check:
    what = f"store {store}"
    try:
        if not store.exists():
            return Check(what, "absent", "it is made by the first run here")
        with Records(store) as records:
            integrity = records.integrity()
            state = "ok" if integrity == "ok" else "problem"
            return Check(what, state, f"{len(records.runs())} runs; integrity {integrity}")
    except InterplayError as error:
        return Check(what, "problem", str(error))


def _embedded() -> Check:
    path = embedded.weights()
    what = f"embedded model local/{embedded.NAME}"
    if path is None:
        return Check(what, "absent", "fetched on first use, about 93 MB")
    try:
        embedded.check_digest(path)
    except Mistake as error:
        return Check(what, "problem", f"{error}; delete {path}")
    return Check(what, "ok", str(path))


def _llama() -> Check:
    try:
        import xllamacpp
    except ImportError as error:
        return Check("llama.cpp", "problem", f"{error}; pip install xllamacpp")
    return Check("llama.cpp", "ok", f"xllamacpp {xllamacpp.__version__}")


def _encoder() -> Check:
    what = f"sentence encoder {sentences.NAME}"
    members = (sentences.WEIGHTS, sentences.VOCABULARY)
    there = [(embedded.cache_folder() / member.name, member.digest) for member in members]
    if not all(path.exists() for path, _ in there):
        why = "fetched on first use, about 91 MB; the light reader of social_interaction needs it"
        return Check(what, "absent", why)
    for path, digest in there:
        try:
            check_file(path, digest, str(path), f"delete {path}")
        except Mistake as error:
            return Check(what, "problem", str(error))
    return Check(what, "ok", str(there[0][0]))


def _tuning() -> Check:
    """Is there what fine-tuning on this machine needs? Looks for it without loading it."""
    lacking = [name for name in TUNING if find_spec(name) is None]
    if lacking:
        how = "pip install 'interplay[tuning]', for --dm local:WEIGHTS of social_interaction"
        return Check("fine-tuning here", "absent", f"lacks {', '.join(lacking)}: {how}")
    return Check("fine-tuning here", "ok", ", ".join(f"{name} {version(name)}" for name in TUNING[:2]))


def _keys(directory: Directory) -> list[Check]:
    """Which keys are set, by the names of their variables alone."""
    checks = []
    for name, hosted in HOSTED.items():
        is_set = bool(directory.environment.get(hosted.key))
        needed = "may be asked for by" if hosted.here else "needed for"
        if is_set or not hosted.here:
            detail = f"{needed} {name}/NAME at {hosted.home}"
            checks.append(Check(f"key {hosted.key}", "set" if is_set else "not set", detail))
    return checks


def _gathered(keys: Sequence[Check]) -> list[Check]:
    """The same in two lines at most, for a reader."""
    found = []
    for state in ("set", "not set"):
        names = [one.what.removeprefix("key ") for one in keys if one.state == state]
        if names:
            found.append(Check("keys", state, ", ".join(names)))
    return found


async def _reached(directory: Directory) -> tuple[list[Check], list[Check]]:
    """The endpoints that the user names, and the servers of models on this machine."""
    endpoints, servers = await asyncio.gather(_endpoints(directory), servers_nearby(directory))
    return endpoints, [_server(one) for one in servers]


async def _endpoints(directory: Directory) -> list[Check]:
    names = list(directory.entries)
    if directory.base_url or directory.environment.get("OPENAI_BASE_URL"):
        names.append("openai/any")
    checks: list[Check] = []
    for name in names:
        try:
            model = directory.connect(name)
            await model.check()
            checks.append(Check(f"model {name}", "ok", model.endpoint))
        except Mistake as error:
            checks.append(Check(f"model {name}", "problem", str(error)))
    return checks


def _server(server: Server) -> Check:
    """A server of models, what it has, and the command that uses it."""
    key = HOSTED[server.provider].key
    told = {
        "found": ("found", _counted(server)),
        "locked": ("found", f"asks for a key at {server.place}: set {key}, then {server.provider}/NAME"),
        "other": ("absent", f"what answers at {server.place} is something else ({server.why})"),
        "absent": (
            "absent",
            f"nothing answers at {server.place}; where it runs it is {server.provider}/NAME",
        ),
        "wrong": ("problem", server.why),
    }
    state, detail = told[server.state]
    more: dict[str, Any] = {"place": server.place, "models": list(server.models)}
    if command := _command(server):
        more["command"] = command
    return Check(server.title, state, detail, more)


def _counted(server: Server) -> str:
    names, rest = server.models[:MOST_NAMES], len(server.models) - MOST_NAMES
    listed = ", ".join(names) + (f" and {rest} more" if rest > 0 else "")
    count = "1 model" if len(server.models) == 1 else f"{len(server.models)} models"
    return f"{count} at {server.place}{f': {listed}' if listed else ''}"


def _command(server: Server) -> str:
    """A command that plays a little with a server's first model that can speak; empty where it has none."""
    usable = [name for name in server.models if _TYPEABLE.fullmatch(name) and "embed" not in name.lower()]
    if not usable:
        return ""
    benchmark, model = ALL[0], f"{server.provider}/{usable[0]}"
    words = ["interplay", "run", benchmark.name, "--limit", "2", "--model", model]
    for role in benchmark.roles(benchmark.settle({})):
        if role.kind != "subject":
            words += ["--model-role", f"{role.name}={model}"]
    return shlex.join(words)
