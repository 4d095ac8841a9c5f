"""A desk that answers a conversation's seats from a script."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from interplay.core.conversation import Casting, Conversation, RoleKind
from interplay.core.wire import Reply, Request, Sampling, Step


@dataclass(frozen=True)
class Word:
    word: str


class Desk:
    """Answers from a script, one list of replies per seat, and remembers what it was asked."""

    def __init__(self, latency: dict[str, float] | None = None, **replies: list[str | Reply]):
        self.replies = replies
        self.latency = latency or {}
        self.asked: list[tuple[Step, Request]] = []
        self.arrived: list[str] = []
        self.facts: dict[Step, Any] = {}

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append((step, request))
        said = self.replies[step.participant].pop(0)
        await asyncio.sleep(self.latency.get(step.participant, 0))
        self.arrived.append(step.participant)
        return said if isinstance(said, Reply) else Reply(said, stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        self.facts[step] = make()
        return self.facts[step]

    def views(self, seat: str) -> list[list[tuple[str, str]]]:
        """What a seat was shown, request by request."""
        return [
            [(message.role, message.text) for message in request.thread.messages()]
            for step, request in self.asked
            if step.participant == seat
        ]


def talk_of(desk: Desk, kinds: dict[str, RoleKind] | None = None, **more: Any) -> Conversation:
    kinds = kinds or {"a": "subject", "b": "simulator", "c": "simulator"}
    return Conversation(
        {name: Casting(f"model of {name}", Sampling(0.5), kind) for name, kind in kinds.items()}, desk, **more
    )
