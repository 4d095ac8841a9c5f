"""What every model is to the engine, and how a call can fail."""

from typing import Literal, Protocol

from interplay.core.failures import InterplayError, Mistake
from interplay.core.wire import Reply, Request
from interplay.models.prices import Price

Cause = Literal[
    "rate limit",
    "timeout",
    "connection",
    "server",
    "malformed",
    "rejected",
    "unsupported",
    "key",
    "not found",
    "broken",
]
RETRIED: frozenset[str] = frozenset({"rate limit", "timeout", "connection", "server", "malformed"})
HOPELESS: frozenset[str] = frozenset({"key", "not found"})  # no call of this run can do better


class Model(Protocol):
    """Something that answers requests. Models of one endpoint share its limits."""

    name: str
    endpoint: str
    most_connections: int | None  # what the endpoint can take at once, where that is known
    price: Price | None  # None where it is unknown
    remembers: bool  # has a memory of its own, so that a dialogue cannot be rejoined in the middle
    ignores: frozenset[str]  # the sampling settings that it does not know

    async def check(self) -> None:
        """Raise a Mistake if it is plain that no call can succeed; costs no model call."""

    async def reply(self, request: Request) -> Reply: ...

    async def close(self) -> None: ...


class Unreachable(Mistake):
    """Nobody answers where a model should be, or the key that it needs is not set: elsewhere it may be there."""


class CallFailed(InterplayError):
    """One call failed; the cause says by what, `after` how long the endpoint asks us to wait."""

    def __init__(self, cause: Cause, detail: str, *, raw: bytes = b"", after: float | None = None):
        super().__init__(f"{cause}: {detail}")
        self.cause = cause
        self.detail = detail
        self.raw = raw
        self.after = after
