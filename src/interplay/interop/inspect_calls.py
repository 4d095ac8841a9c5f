"""The calls of a conversation as Inspect's model events: what was asked of whom, what came back, what it used."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    StopReason,
)

from interplay.core.people import is_person
from interplay.core.wire import clean
from interplay.interop.inspect_values import id_of, moment, plain
from interplay.store.records import Records, Run

PLAY = "play"
JUDGE = "judge"
_STOPS: Mapping[str, StopReason] = {
    "stop": "stop",
    "length": "max_tokens",
    "content_filter": "content_filter",
    "refusal": "content_filter",
    "tool_calls": "tool_calls",
}


@dataclass(frozen=True)
class Call:
    """One call as the record has it; its messages and settings are elsewhere, under their digests."""

    number: int
    stage: str
    item: str
    seat: str
    step: int
    attempt: int
    model: str
    state: str
    cause: str
    detail: str
    text: str | None
    reasoning: str
    stop: str
    version: str
    tokens_in: int | None
    tokens_out: int | None
    tokens_estimated: int
    cost: float | None
    latency: float | None
    sent: str
    thread: bytes
    settings: bytes

    @property
    def role(self) -> str:
        """A role's seats are named ROLE, ROLE 2, ROLE 3, or after its steps; a judge's seat is its model."""
        return self.seat.partition(" ")[0] if self.stage == PLAY else JUDGE

    @property
    def began(self) -> datetime:
        return moment(self.sent)

    @property
    def ended(self) -> datetime:
        return self.began + timedelta(seconds=self.latency or 0.0)

    @property
    def trouble(self) -> str:
        """Why there is no answer; empty where there is one."""
        if self.state == "done":
            return ""
        if self.state == "failed":
            return clean(f"{self.cause}: {self.detail}")
        return "waiting for a person" if is_person(self.model) else "sent, answer unknown"

    @property
    def usage(self) -> ModelUsage | None:
        """What it used, as far as that is known."""
        if self.tokens_in is None and self.tokens_out is None:
            return None
        read, written = self.tokens_in or 0, self.tokens_out or 0
        total = read + written
        return ModelUsage(
            input_tokens=read, output_tokens=written, total_tokens=total, total_cost=plain(self.cost)
        )


@dataclass
class Calls:
    """The calls of one conversation in the order in which they were sent; each message is read and made once."""

    records: Records
    run: Run
    conversation: int
    settings: dict[bytes, Mapping[str, Any]]  # few in a run: read before, for other conversations
    all: list[Call] = field(init=False)
    _messages: dict[bytes, tuple[bytes | None, ChatMessage]] = field(init=False)

    def __post_init__(self) -> None:
        self.all = [Call(*row) for row in self.records.rows(_CALLS, self.conversation)]
        self._messages = {
            digest: (parent, _message(role, clean(text), digest.hex()))
            for digest, parent, role, text in self.records.rows(_MESSAGES, self.conversation)
        }
        for call in self.all:
            if call.settings not in self.settings:
                self.settings[call.settings] = plain(self.records.settings(call.settings))

    def asked(self, call: Call) -> list[ChatMessage]:
        """The messages of a call, oldest first."""
        found: list[ChatMessage] = []
        here: bytes | None = call.thread
        while here is not None:
            here, message = self._messages[here]
            found.append(message)
        return found[::-1]

    def sampling(self, call: Call) -> GenerateConfig:
        """How the model was asked to draw its words."""
        return GenerateConfig(**(self.settings[call.settings].get("sampling") or {}))

    def output(self, call: Call) -> ModelOutput:
        """What came back; without a choice where nothing did."""
        if call.text is None:
            return ModelOutput(model=call.model, error=call.trouble or None)
        text, reasoning = clean(call.text), clean(call.reasoning)
        message = ChatMessageAssistant(
            id=id_of(self.run.id, self.run.created, "answer", call.number),
            content=[ContentReasoning(reasoning=reasoning), ContentText(text=text)] if reasoning else text,
            source="generate",
            model=call.version or call.model,
        )
        return ModelOutput(
            model=call.version or call.model,
            choices=[ChatCompletionChoice(message=message, stop_reason=_STOPS.get(call.stop, "unknown"))],
            usage=call.usage,
            time=call.latency,
            metadata={"stop": call.stop} if call.stop not in _STOPS.values() else None,
        )

    def event(self, call: Call, span: str, start: datetime) -> ModelEvent:
        """The call as an event in a span; working time is counted from the conversation's start."""
        schema = self.settings[call.settings].get("schema")
        return ModelEvent(
            uuid=id_of(self.run.id, self.run.created, "call", call.number),
            span_id=span,
            timestamp=call.began,
            working_start=(call.began - start).total_seconds(),
            metadata={
                "call": call.number,
                "stage": call.stage,
                **({"item": call.item} if call.item else {}),
                "seat": call.seat,
                "step": call.step,
                "attempt": call.attempt,
                "state": call.state,
                **({"tokens_estimated": True} if call.tokens_estimated else {}),
                **({"schema": schema} if schema else {}),
            },
            model=call.model,
            role=call.role,
            input=self.asked(call),
            tools=[],
            tool_choice="none",
            config=self.sampling(call),
            output=self.output(call),
            retries=call.attempt or None,
            error=call.trouble or None,
            completed=call.ended if call.latency is not None else None,
            working_time=call.latency,
        )


def _message(role: str, text: str, id: str) -> ChatMessage:
    match role:
        case "system":
            return ChatMessageSystem(id=id, content=text)
        case "assistant":
            return ChatMessageAssistant(id=id, content=text)
        case _:
            return ChatMessageUser(id=id, content=text)


_CALLS = (
    "SELECT number, stage, item, participant, step, attempt, model, state, cause, detail, text, reasoning, stop,"
    " version, tokens_in, tokens_out, tokens_estimated, cost, latency, sent, thread, settings"
    " FROM calls WHERE conversation = ? ORDER BY number"
)
_MESSAGES = """
WITH RECURSIVE wanted(digest) AS (
    SELECT thread FROM calls WHERE conversation = ?
    UNION
    SELECT m.parent FROM wanted w JOIN messages m ON m.digest = w.digest WHERE m.parent IS NOT NULL
) SELECT m.digest, m.parent, m.role, m.text FROM wanted w JOIN messages m ON m.digest = w.digest
"""
