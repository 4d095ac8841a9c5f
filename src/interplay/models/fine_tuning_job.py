"""A fine-tuning job of the OpenAI shape: how it is asked for, and how it is known again in a list of jobs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from interplay.core.wire import digest_of

SUFFIX = "interplay"
MARK, SETTINGS = "interplay", "interplay_settings"  # in the job's metadata
DONE = frozenset({"succeeded", "success", "completed"})
FAILED = frozenset({"failed", "failed_validation", "error"})
CANCELLED = frozenset({"cancelled", "canceled", "cancelling", "deleted"})
SEEDS = 2**31  # what endpoints take
# What an endpoint may not know, in the order in which it is left out where a refusal names several.
_OPTIONAL = ("method", "metadata", "seed", "suffix")
_NAMED = 10_000  # characters of a refusal in which names are looked for
_LONGEST_ID = 200


@dataclass(frozen=True)
class Wanted:
    """The job that is asked for."""

    model: str
    file: str
    digest: str
    epochs: int | None  # None leaves it to the endpoint
    seed: int

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "training_file": self.file,
            "suffix": SUFFIX,
            "seed": self.seed % SEEDS,
            "metadata": {MARK: self.digest, SETTINGS: self._settings},
        }
        if self.epochs is not None:
            supervised = {"hyperparameters": {"n_epochs": self.epochs}}
            body["method"] = {"type": "supervised", "supervised": supervised}
        return body

    def simpler(self, body: Mapping[str, Any], refusal: str) -> dict[str, Any] | None:
        """What to ask for instead where a refusal names a part that endpoints of another age do not know."""
        said = refusal[:_NAMED].lower()
        for key in _OPTIONAL:
            if key in body and re.search(rf"\b{key}\b", said):
                rest = {name: value for name, value in body.items() if name != key}
                return rest | {"hyperparameters": {"n_epochs": self.epochs}} if key == "method" else rest
        return None

    @property
    def _settings(self) -> str:
        return digest_of([self.model, self.epochs, self.seed])

    def is_it(self, job: Mapping[str, Any]) -> bool:
        """Is a job of the endpoint's list this one, and not over without a model?"""
        if status_of(job) in FAILED | CANCELLED:
            return False
        metadata = job.get("metadata")
        marked = metadata if isinstance(metadata, dict) else {}
        if MARK in marked:
            ours = {MARK: self.digest, SETTINGS: self._settings}
            return all(marked.get(key, value) == value for key, value in ours.items())
        return job.get("training_file") == self.file and self._fits(job)

    def _fits(self, job: Mapping[str, Any]) -> bool:
        """Is the job, by all that it tells of its settings, one that we asked for?"""
        model, seed, epochs = job.get("model"), job.get("seed"), _epochs_in(job)
        if isinstance(model, str) and not is_version(model, self.model):
            return False
        if type(seed) is int and seed != self.seed % SEEDS:
            return False
        return epochs is None or self.epochs is None or epochs == self.epochs


def is_version(model: str, asked: str) -> bool:
    """Is it the model that was asked for, or a dated version of it, as in gpt-4o-mini-2024-07-18?"""
    return re.fullmatch(rf"{re.escape(asked)}([-@:]\d[\d.-]*)?", model) is not None


def _epochs_in(job: Mapping[str, Any]) -> int | None:
    here: Any = job.get("method")
    for step in ("supervised", "hyperparameters"):
        here = here.get(step) if isinstance(here, dict) else None
    for told in (here, job.get("hyperparameters")):
        epochs = told.get("n_epochs") if isinstance(told, dict) else None
        if type(epochs) is int:
            return epochs
    return None


def status_of(thing: Mapping[str, Any]) -> str:
    """What a job or a file says of itself, in one spelling; empty where it says nothing."""
    status = thing.get("status")
    return status.strip().lower() if isinstance(status, str) else ""


def is_id(value: Any) -> bool:
    """Is it an id, which can stand in a URL when it is quoted?"""
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_ID or not value.strip("."):
        return False
    return value.isascii() and value.isprintable() and " " not in value
