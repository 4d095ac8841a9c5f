"""The ledger of a loopback server: what arrived, what was answered and what was dropped, in order."""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO


@dataclass(frozen=True)
class Event:
    number: int
    kind: Literal["request", "reply", "dropped"]
    request: int
    at: float
    model: str
    status: int
    digest: str


def canonical(value: Any) -> bytes:
    """The same bytes for the same JSON value, whatever its key order and spacing."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Ledger:
    def __init__(self, path: Path | None, watch: Callable[[Event], None] | None) -> None:
        self.events: list[Event] = []
        self.by_model: Counter[str] = Counter()
        self.calls = 0
        self.in_flight = 0
        self._path = path
        self._watch = watch
        self._file: TextIO | None = None

    def open(self) -> None:
        if self._path is not None:
            self._file = self._path.open("a", encoding="utf-8")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def received(self, model: str, digest: str) -> Event:
        self.calls += 1
        self.in_flight += 1
        self.by_model[model] += 1
        return self._record("request", self.calls, model, 0, digest)

    def replied(self, request: Event, status: int) -> None:
        self.in_flight -= 1
        self._record("reply", request.request, request.model, status, request.digest)

    def dropped(self, request: Event) -> None:
        self.in_flight -= 1
        self._record("dropped", request.request, request.model, 0, request.digest)

    def _record(
        self, kind: Literal["request", "reply", "dropped"], request: int, model: str, status: int, digest: str
    ) -> Event:
        event = Event(len(self.events) + 1, kind, request, time.monotonic(), model, status, digest)
        self.events.append(event)
        if self._file is not None:
            self._file.write(json.dumps(vars(event)) + "\n")
            self._file.flush()
        if self._watch is not None:
            self._watch(event)
        return event
