"""Any endpoint of the Anthropic shape, over plain HTTP: messages, with a forced tool where a schema is asked for."""

import json
from collections.abc import Mapping
from typing import Any

from interplay.core.wire import Message, Reply, Request, clean, split_reasoning
from interplay.models.calling import CallFailed, Unreachable
from interplay.models.openai_compatible import merge_system
from interplay.models.posting import Answer, Endpoint, Post, Usage, estimate, is_count, usage_of

ANTHROPIC = "https://api.anthropic.com"
VERSION = "2023-06-01"
MOST_TOKENS_WRITTEN = 4096  # where the sampling names no limit: this API does not do without one
NOTHING = "(nothing)"  # stands for an empty message, which this API refuses
TOOL = "reply"
_SCHEMA_WORDS = ("tool", "schema")
_STOPS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


class Anthropic:
    """A model behind an Anthropic-shaped endpoint."""

    remembers = False
    ignores = frozenset({"frequency_penalty"})

    def __init__(self, name: str, remote_name: str, endpoint: Endpoint):
        self.name = name
        self.endpoint = endpoint.base_url.rstrip("/").removesuffix("/v1")
        self.most_connections = endpoint.most_connections
        self.price = endpoint.price
        self._remote_name = remote_name
        self._at = endpoint
        self._takes_schemas = endpoint.schemas
        key = {"x-api-key": endpoint.key} if endpoint.key else {}
        self._post = Post(
            name,
            self.endpoint,
            "/v1/messages",
            headers={"anthropic-version": VERSION, **key},
            secrets=[endpoint.key],
            patience=endpoint.patience,
        )

    async def check(self) -> None:
        if self.endpoint == ANTHROPIC and not self._at.key:
            raise Unreachable(
                f"{self.name} needs a key: set ANTHROPIC_API_KEY, or name another place with"
                " base_url in models.toml"
            )
        await self._post.check()

    async def reply(self, request: Request) -> Reply:
        with_schema = request.schema is not None and self._takes_schemas
        try:
            answer = await self._post.ask(
                self._body(request, with_schema), _SCHEMA_WORDS if with_schema else ()
            )
        except CallFailed as failure:
            self._takes_schemas = self._takes_schemas and failure.cause != "unsupported"
            raise
        return self._read(answer, request)

    def _body(self, request: Request, with_schema: bool) -> dict[str, Any]:
        messages = request.thread.messages()
        if not self._at.system_role:
            messages = merge_system(messages)
        brief = messages.pop(0).text if len(messages) > 1 and messages[0].role == "system" else ""
        body: dict[str, Any] = {
            "model": self._remote_name,
            "max_tokens": MOST_TOKENS_WRITTEN,
            "messages": [_as_sent(message) for message in messages],
        }
        if brief.strip():
            body["system"] = brief
        for key, value in request.sampling.settings().items():
            if key not in self.ignores:
                body[key] = value
        if with_schema and request.schema is not None:
            body |= _forced_tool(request.schema)
        return body

    def _read(self, answer: Answer, request: Request) -> Reply:
        body = answer.json()
        said, thought = _content_of(body, answer)
        usage = _usage_of(body, request, said + thought)
        text, reasoning = split_reasoning(said)
        stop = str(body.get("stop_reason") or "")
        return Reply(
            text=text,
            reasoning=thought or reasoning,
            stop=_STOPS.get(stop) or clean(stop)[:100],
            version=clean(str(body.get("model") or ""))[:300],
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            tokens_estimated=usage.estimated,
            cost=usage.cost(self.price),
            latency=answer.latency,
            raw=answer.kept,
        )

    async def close(self) -> None:
        await self._post.close()


def _as_sent(message: Message) -> dict[str, str]:
    role = "assistant" if message.role == "assistant" else "user"  # a brief that stands alone is said to it
    return {"role": role, "content": message.text if message.text.strip() else NOTHING}


def _forced_tool(schema: Mapping[str, Any]) -> dict[str, Any]:
    tool = {"name": TOOL, "description": "Give your reply by this tool.", "input_schema": schema}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}


def _content_of(body: Any, answer: Answer) -> tuple[str, str]:
    """What was said, by the tool or else in text, and what was thought."""
    content = body.get("content") if isinstance(body, dict) else None
    if not isinstance(content, list):
        raise answer.malformed("the answer has no list of content")
    texts, thoughts, inputs = [], [], []
    for block in content:
        match block:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": "thinking", "thinking": str(text)}:
                thoughts.append(text)
            case {"type": "redacted_thinking"}:
                thoughts.append("[redacted]")
            case {"type": "tool_use", "input": dict(given)}:
                inputs.append(json.dumps(given, ensure_ascii=False))
            case {"type": "text" | "thinking" | "tool_use" as kind}:
                raise answer.malformed(f"the answer has a block of {kind} without its content")
            case {"type": str()}:
                pass  # of a kind that we did not ask for
            case _:
                raise answer.malformed("the answer has a block of no kind")
    said = "\n".join(inputs) if inputs else "".join(texts)
    return clean(said), clean("\n\n".join(thoughts))


def _usage_of(body: dict[str, Any], request: Request, written: str) -> Usage:
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return estimate(request, written)
    cached = usage.get("cache_read_input_tokens") or 0
    read: list[Any] = [usage.get("input_tokens"), usage.get("cache_creation_input_tokens") or 0, cached]
    total = sum(read) if all(is_count(count) for count in read) else None
    return usage_of(total, usage.get("output_tokens"), cached, request, written)
