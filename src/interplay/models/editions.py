"""Functions under names that tell which edition of their code they are: python/answer@1a2b3c4d."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from interplay.core.failures import Mistake
from interplay.models.code_digest import code_digest
from interplay.models.connecting import Directory
from interplay.models.entries import Entry
from interplay.models.scripted import Scripted

PYTHON = "python/"
BEFORE_EDITION = "@"


@dataclass(frozen=True)
class Editions:
    """The editions of functions, each as it was when it was first met, whatever it has kept in mind since."""

    otherwise: str  # what the user can do where the code of something cannot be told
    _known: dict[int, tuple[Any, str]] = field(
        default_factory=dict
    )  # with the function, so that its id stays its own

    def of_call(
        self, directory: Directory, model: Any, named: Mapping[str, Any]
    ) -> tuple[Directory, Any, dict[str, Any]]:
        """What interplay.run is called with, and where its models are, with every function in its edition."""
        entries: dict[str, Entry] = {}
        renamed: dict[str, str] = {}

        def known_as(speaker: Any) -> Any:
            if isinstance(speaker, list | tuple):
                return [known_as(one) for one in speaker]
            if not isinstance(speaker, str):
                return self._function(speaker)
            entry = directory.entry(speaker)
            if not entry.model.startswith(PYTHON):
                return speaker
            script = getattr(directory.connect(speaker), "script", None)
            renamed[speaker] = self._name(speaker, script)
            entries[renamed[speaker]] = entry
            return renamed[speaker]

        found = dict(named)
        if isinstance(roles := found.get("roles"), Mapping):
            found["roles"] = {role: known_as(speakers) for role, speakers in roles.items()}
        for (
            name,
            value,
        ) in named.items():  # an option may name what is measured, as system of task_dialogue does
            if isinstance(value, str) and (value.startswith(PYTHON) or value in directory.entries):
                found[name] = known_as(value)
        model = known_as(model)
        if isinstance(sampling := found.get("sampling"), Mapping):
            found["sampling"] = {renamed.get(key, key): change for key, change in sampling.items()}
        return replace(directory, entries={**directory.entries, **entries}), model, found

    def _function(self, speaker: Any) -> Any:
        if hasattr(speaker, "reply"):
            name = getattr(speaker, "name", type(speaker).__name__)
            raise Mistake(f"which code is behind {name} cannot be told; {self.otherwise}")
        if not callable(speaker):
            return speaker  # a mistake, as whoever plays it says
        name = f"{PYTHON}{getattr(speaker, '__qualname__', type(speaker).__name__)}"
        return Scripted(self._name(name, speaker), speaker)

    def _name(self, name: str, function: Any) -> str:
        if id(function) not in self._known:
            self._known[id(function)] = function, code_digest(function)
        edition = self._known[id(function)][1]
        if not edition:
            raise Mistake(f"the code of {name} cannot be read; {self.otherwise}")
        return f"{name}{BEFORE_EDITION}{edition}"
