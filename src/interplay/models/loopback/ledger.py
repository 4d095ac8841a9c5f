"""The ledger of a loopback server: what arrived, what was answered and what was dropped, in order."""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
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
    route: str  # the method and the path, with {file} or {job} in the place of an id


def canonical(value: Any) -> bytes:
    """The same bytes for the same JSON value, whatever its key order and spacing."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Ledger:
    def __init__(self, path: Path | None, watch: Callable[[Event], None] | None) -> None:
        self.events: list[Event] = []
        self.by_model: Counter[str] = Counter()
        self.requests = 0
        self.calls = 0  # those of the requests that ask a model
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

    def received(self, route: str, model: str, digest: str, *, asks_a_model: bool = True) -> Event:
        self.requests += 1
        self.in_flight += 1
        if asks_a_model:
            self.calls += 1
            self.by_model[model] += 1
        return self._record("request", Event(0, "request", self.requests, 0.0, model, 0, digest, route), 0)

    def replied(self, request: Event, status: int) -> None:
        self.in_flight -= 1
        self._record("reply", request, status)

    def dropped(self, request: Event) -> None:
        self.in_flight -= 1
        self._record("dropped", request, 0)

    def _record(self, kind: Literal["request", "reply", "dropped"], request: Event, status: int) -> Event:
        event = replace(request, number=len(self.events) + 1, kind=kind, at=time.monotonic(), status=status)
        self.events.append(event)
        if self._file is not None:
            self._file.write(json.dumps(vars(event)) + "\n")
            self._file.flush()
        if self._watch is not None:
            self._watch(event)
        return event
