"""What fine-tuning is made of at a loopback server: uploaded files, checked, and jobs that take a while."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

LEAST_EXAMPLES = 10
CHARACTERS_PER_TOKEN = 4
USUAL_EPOCHS = 3
ROLES = ("system", "user", "assistant")


@dataclass(frozen=True)
class Tuning:
    """How a loopback server fine-tunes: a job is done after so many looks at it and so many seconds."""

    polls: int = 3
    seconds: float = 0.0
    metadata: Literal["kept", "ignored", "refused"] = "kept"
    method: bool = True  # does it know `method`, or only the older `hyperparameters`?


@dataclass(frozen=True)
class File:
    id: str
    name: str
    purpose: str
    content: bytes
    created: int = field(default_factory=lambda: int(time.time()))

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": "file",
            "bytes": len(self.content),
            "created_at": self.created,
            "filename": self.name,
            "purpose": self.purpose,
            "status": "processed",
        }


class Spoiled(Exception):
    """A training file that no model can be trained on; the code says of what kind the trouble is."""

    def __init__(self, message: str, code: str = "invalid_training_file") -> None:
        super().__init__(message)
        self.code = code


def examples_in(content: bytes) -> tuple[Mapping[str, Any], ...]:
    """The examples of a training file, one JSON object a line, or Spoiled."""
    lines = [line for line in content.split(b"\n") if line.strip()]
    found = tuple(_example(number, line) for number, line in enumerate(lines, 1))
    if len(found) < LEAST_EXAMPLES:
        told = f"The training file has {len(found)} examples, but at least {LEAST_EXAMPLES} are needed."
        raise Spoiled(told, "invalid_n_examples")
    return found


def _example(number: int, line: bytes) -> Mapping[str, Any]:
    where = f"Line {number} of the training file"
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise Spoiled(f"{where} is not JSON.") from None
    messages = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(messages, list) or not messages:
        raise Spoiled(f"{where} has no list of messages.")
    for message in messages:
        if not isinstance(message, dict) or message.get("role") not in ROLES:
            raise Spoiled(f"{where} has a message whose role is none of {', '.join(ROLES)}.")
        if not isinstance(message.get("content"), str):
            raise Spoiled(f"{where} has a message without text.")
    if messages[-1]["role"] != "assistant":
        raise Spoiled(f"{where} does not end in a message of the assistant.")
    return dict(value)


@dataclass
class Job:
    """One job; it moves on when it is looked at."""

    id: str
    asked: Mapping[str, Any]
    file: File
    tuning: Tuning
    epochs: int | None
    polled: int = 0
    cancelled: bool = False
    began: float = field(default_factory=time.monotonic)
    created: int = field(default_factory=lambda: int(time.time()))
    examples: tuple[Mapping[str, Any], ...] = ()
    problem: Spoiled | None = None

    def __post_init__(self) -> None:
        try:
            self.examples = examples_in(self.file.content)
        except Spoiled as problem:
            self.problem = problem

    @property
    def base(self) -> str:
        return str(self.asked["model"])

    @property
    def model(self) -> str:
        """What the model is called that comes of it."""
        return f"ft:{self.base}:{self.asked.get('suffix') or 'personal'}::{self.id.removeprefix('ftjob-')}"

    @property
    def status(self) -> str:
        if self.cancelled:
            return "cancelled"
        if not self.polled:
            return "validating_files"
        if self.problem:
            return "failed"
        looks = self.polled / self.tuning.polls if self.tuning.polls else 1.0
        passed = (time.monotonic() - self.began) / self.tuning.seconds if self.tuning.seconds else 1.0
        share = min(looks, passed)
        return "succeeded" if share >= 1 else "running" if share > 0.5 else "queued"

    @property
    def trained_tokens(self) -> int:
        return len(self.file.content) // CHARACTERS_PER_TOKEN * (self.epochs or USUAL_EPOCHS)

    def as_json(self) -> dict[str, Any]:
        status = self.status
        done = status == "succeeded"
        epochs = {"n_epochs": self.epochs or (USUAL_EPOCHS if done else "auto")}
        told: dict[str, Any] = {
            "id": self.id,
            "object": "fine_tuning.job",
            "created_at": self.created,
            "finished_at": int(time.time()) if status in ("succeeded", "failed", "cancelled") else None,
            "model": self.base,
            "fine_tuned_model": self.model if done else None,
            "status": status,
            "error": self._error() if status == "failed" else {},
            "training_file": self.file.id,
            "validation_file": None,
            "result_files": [],
            "trained_tokens": self.trained_tokens if done else None,
            "user_provided_suffix": self.asked.get("suffix"),
            "seed": self.asked.get("seed", 0),
            "hyperparameters": epochs,
        }
        if self.tuning.method:
            told["method"] = {"type": "supervised", "supervised": {"hyperparameters": epochs}}
        if self.tuning.metadata == "kept":
            told["metadata"] = self.asked.get("metadata") or {}
        return told

    def _error(self) -> dict[str, Any]:
        problem = self.problem or Spoiled("")
        return {"code": problem.code, "message": str(problem), "param": "training_file"}
