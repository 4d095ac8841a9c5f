"""Inspect's models behind our seats: a desk that asks them, and a conversation that Inspect's transcript follows."""

import json
from collections.abc import Callable, Mapping, Sequence
from inspect import isawaitable
from typing import Any

from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
)
from inspect_ai.util import JSONSchema, span

from interplay.core.conversation import Conversation, Seat
from interplay.core.failures import ProviderFailure
from interplay.core.wire import Message, Reply, Request, Sampling, Step, canonical, clean, split_reasoning
from interplay.models.openai_compatible import strict_subset

SEAT = "seat"  # the type of the spans in which somebody speaks
CUT_OFF = ("max_tokens", "model_length")  # what Inspect says where our forms read "length"
_SHAPES: Mapping[str, Callable[[str], ChatMessage]] = {
    "system": lambda text: ChatMessageSystem(content=text),
    "user": lambda text: ChatMessageUser(content=text),
    "assistant": lambda text: ChatMessageAssistant(content=text),
}


class InspectDesk:
    """Answers each step by asking the model of Inspect's that sits there; Inspect retries, caches and records."""

    def __init__(self, model_of: Callable[[str], Model], *, schemas: bool):
        self._model_of = model_of  # by the name of a seat
        self._schemas = schemas
        self.views: dict[str, list[Message]] = {}  # what each seat was last shown, with its answer
        self.outputs: dict[str, ModelOutput] = {}

    async def reply(self, step: Step, request: Request) -> Reply:
        model = self._model_of(step.participant)
        asked = request.thread.messages()
        schema = request.schema if self._schemas else None
        async with span(step.participant, type=SEAT):
            output = await model.generate(as_chat(asked), config=config_of(model, request.sampling, schema))
        reply = reply_of(output)
        self.views[step.participant] = [*asked, Message("assistant", reply.text)]
        self.outputs[step.participant] = output
        return reply

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        made = make()
        value = json.loads(canonical(await made if isawaitable(made) else made))
        transcript().info({step.participant: value}, source="once")
        return value


class FollowedTalk(Conversation):
    """A conversation whose every line is in Inspect's transcript, and whose seats are known by their roles."""

    def __init__(self, *args: Any, **settings: Any):
        super().__init__(*args, **settings)
        self.roles: dict[str, str] = {}

    def seat(self, name: str, **settings: Any) -> Seat:
        seat = super().seat(name, **settings)
        self.roles[seat.name] = seat.role
        return seat

    def tell(
        self, seats: Sequence[Seat], text: str, *, source: Seat | None = None, heard_as: str = ""
    ) -> None:
        super().tell(seats, text, source=source, heard_as=heard_as)
        heard_by = ", ".join(seat.name for seat in seats) or "nobody"
        transcript().info(f"to {heard_by}:\n{text}", source=source.name if source else "narrator")


def as_chat(messages: Sequence[Message]) -> list[ChatMessage]:
    """Our messages as Inspect has them."""
    return [_SHAPES[message.role](message.text) for message in messages]


def config_of(model: Model, sampling: Sampling, schema: Mapping[str, Any] | None) -> GenerateConfig:
    """How the model is asked: as its role is sampled, but for what whoever named the model has set."""
    unset = {key: value for key, value in sampling.settings().items() if getattr(model.config, key) is None}
    asking = {} if schema is None else {"response_schema": asking_for(schema)}
    return GenerateConfig.model_validate({**unset, **asking})


def asking_for(schema: Mapping[str, Any]) -> ResponseSchema:
    """A form as Inspect asks endpoints for it; what its schemas cannot say, our own check still knows."""
    return ResponseSchema(
        name="reply", json_schema=JSONSchema.model_validate(strict_subset(schema)), strict=True
    )


def reply_of(output: ModelOutput) -> Reply:
    """What a model said, as our forms read it: reasoning is a field of its own."""
    if output.empty:
        raise ProviderFailure(f"{output.model}: the answer holds no choice")
    said, thought = split_reasoning(clean(output.completion))
    usage = output.usage
    read = (
        (usage.input_tokens, usage.input_tokens_cache_read, usage.input_tokens_cache_write) if usage else ()
    )
    stop = "length" if output.stop_reason in CUT_OFF else output.stop_reason
    return Reply(
        text=said,
        reasoning=clean(_reasoning_in(output)) or thought,
        stop=stop,
        version=clean(output.model),
        tokens_in=sum(count or 0 for count in read) if usage else None,
        tokens_out=usage.output_tokens if usage else None,
        cost=usage.total_cost if usage else None,
        latency=output.time or 0.0,
    )


def _reasoning_in(output: ModelOutput) -> str:
    content = output.message.content
    blocks = [] if isinstance(content, str) else content
    return "\n".join(block.reasoning for block in blocks if isinstance(block, ContentReasoning))
