"""What travels between a seat and the model behind it: messages, sampling, request, reply."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar

MessageRole = Literal["system", "user", "assistant"]
DIGEST_SIZE = 16
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Message:
    """One message as chat endpoints take it."""

    role: MessageRole
    text: str


@dataclass(slots=True, eq=False)
class Thread:
    """A message and all that came before it; its digest is chained, so a long dialogue is hashed once."""

    message: Message
    parent: "Thread | None"
    digest: bytes
    size: int  # bytes of text so far
    length: int  # messages so far
    characters: int  # of text so far

    @classmethod
    def start(cls, message: Message) -> "Thread":
        return cls(message, None, *_chained(b"", message), 1, len(message.text))

    def then(self, role: MessageRole, text: str) -> "Thread":
        message = Message(role, text)
        digest, size = _chained(self.digest, message)
        characters = self.characters + len(text)
        return Thread(message, self, digest, self.size + size, self.length + 1, characters)

    def messages(self) -> list[Message]:
        found, here = [], self
        while here is not None:
            found.append(here.message)
            here = here.parent  # type: ignore[assignment]  # the loop ends on None
        return found[::-1]


def _chained(before: bytes, message: Message) -> tuple[bytes, int]:
    """The digest of a thread that ends in this message, and the bytes of its text."""
    text = message.text.encode("utf-8", "surrogatepass")
    hashed = hashlib.blake2b(b"%b%b\0%b" % (before, message.role.encode(), text), digest_size=DIGEST_SIZE)
    return hashed.digest(), len(text)


SAMPLING_BOUNDS: Mapping[str, tuple[float, float]] = {
    "temperature": (0.0, 10.0),
    "top_p": (0.0, 1.0),
    "max_tokens": (1, 10_000_000),
    "frequency_penalty": (-2.0, 2.0),
}


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model is asked to draw its words; None leaves the choice to the endpoint."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    frequency_penalty: float | None = None

    def settings(self) -> dict[str, float | int]:
        return {
            key: value if key == "max_tokens" else float(value)
            for key in SAMPLING_BOUNDS
            if (value := getattr(self, key)) is not None
        }

    def changed(self, overrides: Mapping[str, float | int | None]) -> "Sampling":
        return replace(self, **overrides)  # type: ignore[arg-type]  # keys were checked where they were typed


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical(value: Any) -> str:
    """JSON with one spelling for one value."""
    return _CANONICAL.encode(value)


def digest_of(value: Any) -> str:
    """A short hash of any JSON value, for ids and comparisons."""
    text = canonical(value).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=DIGEST_SIZE).hexdigest()


class _once(Generic[T]):  # used as a decorator
    """A property that is worked out when it is first asked for; without the lock of functools, which costs as much."""

    def __init__(self, work_out: Callable[[Any], T]):
        self._work_out = work_out
        self._name = work_out.__name__

    def __get__(self, instance: Any, owner: type) -> T:
        found = instance.__dict__[self._name] = self._work_out(instance)
        return found


MOST_SETTINGS = 1_000
_SETTINGS: dict[tuple[str, Sampling, int], tuple[str, bytes, Any]] = {}


@dataclass(frozen=True)
class Request:
    """What one seat asks of one model."""

    model: str
    thread: Thread
    sampling: Sampling
    schema: Mapping[str, Any] | None = None
    session: str = ""  # the same for all a seat asks in one conversation; no part of the digest

    @property
    def settings(self) -> str:
        """All of the request but its messages, as JSON; the order of a schema's fields is part of it."""
        return self._known_settings[0]

    @property
    def settings_digest(self) -> bytes:
        return self._known_settings[1]

    @_once
    def _known_settings(self) -> tuple[str, bytes]:
        """Settings and their digest; few differ in a run, and each is worked out once."""
        key = (self.model, self.sampling, id(self.schema))
        known = _SETTINGS.get(key)
        if known is None:
            parts = {"model": self.model, "sampling": self.sampling.settings(), "schema": self.schema}
            text = json.dumps(parts, separators=(",", ":"))
            if len(_SETTINGS) >= MOST_SETTINGS:
                _SETTINGS.clear()
            digest = hashlib.blake2b(text.encode(), digest_size=DIGEST_SIZE).digest()
            known = _SETTINGS[key] = (text, digest, self.schema)  # kept, so that its id stays its own
        return known[0], known[1]

    @_once
    def digest(self) -> bytes:
        return hashlib.blake2b(self.settings_digest + self.thread.digest, digest_size=DIGEST_SIZE).digest()


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. Reasoning is a field of its own: it enters no view and counts in no length."""

    text: str
    reasoning: str = ""
    stop: str = ""
    version: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_estimated: bool = False
    cost: float | None = None
    latency: float = 0.0
    raw: bytes = b""


def clean(text: str) -> str:
    """Text that any store can hold: no NUL, no lone surrogate."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


_THINKING = re.compile(r"\s*<(think|thinking|reasoning)>(.*?)(?:</\1>|\Z)\s*", re.DOTALL | re.IGNORECASE)


def split_reasoning(text: str) -> tuple[str, str]:
    """Take a leading think block off a reply: (what was said, what was thought)."""
    thought = _THINKING.match(text)
    if thought is None:
        return text, ""
    return text[thought.end() :], thought.group(2).strip()


@dataclass(frozen=True, slots=True)
class Step:
    """The address of a reply within a conversation."""

    stage: str
    item: str
    participant: str
    number: int

    def __str__(self) -> str:
        return f"{self.stage}, {self.participant}, reply {self.number + 1}"
