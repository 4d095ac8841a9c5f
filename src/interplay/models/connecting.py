"""From a name such as openai/gpt-4o, local/smollm2 or an entry of models.toml to a model that answers."""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from interplay.core.failures import Mistake, nearest
from interplay.models.calling import Model
from interplay.models.local import Local
from interplay.models.openai_compatible import OPENAI, Endpoint, OpenAICompatible, Patience

PROVIDERS = ("openai", "local")
MODELS = "models.toml"


@dataclass(frozen=True)
class Entry:
    """One model of models.toml: a name of the user's own for a model at an endpoint."""

    model: str
    base_url: str = ""
    key: str = ""  # the environment variable that holds the key, never the key itself
    system_role: bool = True
    schemas: bool = True
    max_connections: int = 0
    timeout: float = 0.0


@dataclass(frozen=True)
class Directory:
    """Where names are looked up: the user's entries, a base URL for all others, models made in Python."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    base_url: str = ""
    timeout: float = 0.0
    made: Mapping[str, Model] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def check(self, name: str) -> None:
        """Raise a Mistake if the name cannot be that of a model; connects to nothing."""
        if name in self.made:
            return
        provider, _, rest = self._entry(name).model.partition("/")
        if provider not in PROVIDERS or not rest:
            known = [*(self.entries.keys() - {name}), *self.made, *(f"{known}/NAME" for known in PROVIDERS)]
            wrong = self._entry(name).model
            raise Mistake(f"{wrong!r} is no model; {nearest(wrong, known)}")

    def connect(self, name: str) -> Model:
        """The model of this name."""
        self.check(name)
        if name in self.made:
            return self.made[name]
        entry = self._entry(name)
        provider, _, rest = entry.model.partition("/")
        connectors: dict[str, Callable[[], Model]] = {
            "openai": lambda: OpenAICompatible(name, rest, self._endpoint(name, entry)),
            "local": lambda: Local(
                name,
                rest,
                system_role=entry.system_role,
                most_connections=entry.max_connections,
                timeout=entry.timeout or self.timeout,
            ),
        }
        return connectors[provider]()

    def _entry(self, name: str) -> Entry:
        return self.entries.get(name) or Entry(name)

    def _endpoint(self, name: str, entry: Entry) -> Endpoint:
        base_url = entry.base_url or self.base_url or self.environment.get("OPENAI_BASE_URL") or OPENAI
        if entry.key and not self.environment.get(entry.key):
            raise Mistake(f"{name} takes its key from {entry.key}, which is not set")
        timeout = entry.timeout or self.timeout
        return Endpoint(
            base_url=base_url.rstrip("/"),
            key=self.environment.get(entry.key or "OPENAI_API_KEY", ""),
            system_role=entry.system_role,
            schemas=entry.schemas,
            most_connections=entry.max_connections or None,
            patience=Patience(first_byte=timeout, total=max(timeout, Patience.total))
            if timeout
            else Patience(),
        )


def directory_of(models: Path | None, base_url: str = "", timeout: float = 0.0) -> Directory:
    """The directory that a user means: the named file of models, or models.toml where there is one."""
    path = models or Path(MODELS)
    entries = read_entries(path) if models or path.exists() else {}
    return Directory(entries=entries, base_url=base_url, timeout=timeout)


def read_entries(path: Path) -> dict[str, Entry]:
    """The entries of a models.toml, checked."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Mistake(f"{path} cannot be read: {error}") from error
    for heading in data:
        if heading != "models":
            raise Mistake(f"{path} has {heading!r}; {nearest(heading, ['models'])} as in [models.NAME]")
    models = data.get("models", {})
    if not isinstance(models, dict):
        raise Mistake(f"{path}: models are written as [models.NAME], one for each")
    return {name: _entry(path, name, content) for name, content in models.items()}


def _entry(path: Path, name: str, content: Any) -> Entry:
    where = f"{path}, [models.{name}]"
    known = {part.name: type(part.default) if part.default is not None else str for part in fields(Entry)}
    known["model"] = str
    if not isinstance(content, dict) or "model" not in content:
        raise Mistake(f'{where} lacks model, as in model = "openai/NAME"')
    for key, value in content.items():
        if key not in known:
            raise Mistake(f"{where} has {key!r}; {nearest(key, known)}")
        wanted = (int, float) if known[key] is float else known[key]
        if not isinstance(value, wanted) or (isinstance(value, bool) and known[key] is not bool):
            raise Mistake(f"{where}: {key} must be {known[key].__name__}, not {value!r}")
        if isinstance(value, int | float) and not 0 <= value < 1e9:
            raise Mistake(f"{where}: {key} must be a number from 0, not {value!r}")
    return Entry(**content)
