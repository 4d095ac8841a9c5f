"""The shapes a provider can speak: how each reads a request and writes an answer or an error."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

_ANTHROPIC_STOPS = {"length": "max_tokens", "stop": "end_turn"}
_ANTHROPIC_ERRORS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class Counted(dict[str, int]):
    """Stands for a usage that the server counts."""


@dataclass(frozen=True)
class Said:
    """What a script answers with when plain text is not enough; usage is in OpenAI's words in every shape."""

    text: str | None = ""
    reasoning: str = ""
    stop: str = "stop"
    version: str = ""
    usage: dict[str, int] | None = field(default_factory=Counted)


@dataclass(frozen=True)
class Asked:
    """What a script sees of a request, the same in every shape but for the body."""

    model: str
    messages: tuple[Mapping[str, Any], ...]
    body: Mapping[str, Any]
    number: int
    schema: Mapping[str, Any] | None
    examples: tuple[Mapping[str, Any], ...] = ()  # what the model was fine-tuned on


class Refused(Exception):
    """A request that gets an error instead of a script's answer."""

    def __init__(self, status: int, message: str, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.param, self.code = status, param, code


class Shape(Protocol):
    """One way of asking and answering."""

    schemas_by: str  # the field of a request by which a reply is held to a schema

    def model_of(self, body: Any) -> str: ...

    def key_of(self, headers: Mapping[str, str]) -> str: ...

    def read(self, body: Any, number: int) -> Asked: ...

    def write(self, asked: Asked, said: Said) -> dict[str, Any]: ...

    def without_choices(self, answer: dict[str, Any]) -> dict[str, Any]:
        """An answer that holds no message."""

    def error(self, status: int, message: str, param: str | None, code: str | None) -> dict[str, Any]: ...


class OpenAIShape:
    """Chat completions."""

    schemas_by = "response_format"

    def model_of(self, body: Any) -> str:
        return _named_model(body)

    def key_of(self, headers: Mapping[str, str]) -> str:
        return _bearer(headers)

    def read(self, body: Any, number: int) -> Asked:
        model, messages = _model_and_messages(body)
        schema: Any = body
        for step in ("response_format", "json_schema", "schema"):
            schema = schema.get(step) if isinstance(schema, dict) else None
        return Asked(model, messages, body, number, schema if isinstance(schema, dict) else None)

    def write(self, asked: Asked, said: Said) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": said.text}
        if said.reasoning:
            message["reasoning_content"] = said.reasoning
        answer: dict[str, Any] = {
            "id": f"chatcmpl-loopback-{asked.number}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": said.version or asked.model,
            "choices": [{"index": 0, "message": message, "finish_reason": said.stop}],
        }
        return answer if said.usage is None else answer | {"usage": _usage(asked, said)}

    def without_choices(self, answer: dict[str, Any]) -> dict[str, Any]:
        return answer | {"choices": []}

    def error(self, status: int, message: str, param: str | None, code: str | None) -> dict[str, Any]:
        kind = "server_error" if status >= 500 else "invalid_request_error"
        kind = "rate_limit_error" if status == 429 else kind
        return {"error": {"message": message, "type": kind, "param": param, "code": code}}


class AnthropicShape:
    """Messages, with a forced tool where a reply is held to a schema."""

    schemas_by = "tools"

    def model_of(self, body: Any) -> str:
        return _named_model(body)

    def key_of(self, headers: Mapping[str, str]) -> str:
        return headers.get("x-api-key", "")

    def read(self, body: Any, number: int) -> Asked:
        model, messages = _model_and_messages(body)
        if type(body.get("max_tokens")) is not int or body["max_tokens"] < 1:
            raise Refused(400, "max_tokens: a number from 1 is required", "max_tokens")
        if any(message.get("role") not in ("user", "assistant") for message in messages):
            raise Refused(400, "messages: a role is 'user' or 'assistant'", "messages")
        flat = [{"role": message["role"], "content": _flat(message.get("content"))} for message in messages]
        if not all(message["content"].strip() for message in flat):
            raise Refused(400, "messages: text content blocks must be non-empty", "messages")
        if system := _flat(body.get("system")):
            flat.insert(0, {"role": "system", "content": system})
        return Asked(model, tuple(flat), body, number, self._schema_of(body))

    def _schema_of(self, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
        choice, tools = body.get("tool_choice"), body.get("tools")
        forced = choice.get("name") if isinstance(choice, dict) and choice.get("type") == "tool" else None
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and forced is not None and tool.get("name") == forced:
                schema = tool.get("input_schema")
                return schema if isinstance(schema, dict) else None
        return None

    def write(self, asked: Asked, said: Said) -> dict[str, Any]:
        content: list[dict[str, Any]] = []
        if said.reasoning:
            content.append({"type": "thinking", "thinking": said.reasoning, "signature": ""})
        used = _object_of(said.text) if asked.schema is not None else None
        stop = _ANTHROPIC_STOPS.get(said.stop, said.stop)
        if used is not None:
            name = asked.body["tool_choice"]["name"]
            content.append({"type": "tool_use", "id": f"toolu_{asked.number}", "name": name, "input": used})
            stop = "tool_use" if stop == "end_turn" else stop
        elif said.text:
            content.append({"type": "text", "text": said.text})
        answer: dict[str, Any] = {
            "id": f"msg_loopback_{asked.number}",
            "type": "message",
            "role": "assistant",
            "model": said.version or asked.model,
            "content": None if said.text is None else content,
            "stop_reason": stop,
            "stop_sequence": None,
        }
        return answer if said.usage is None else answer | {"usage": self._usage(asked, said)}

    def _usage(self, asked: Asked, said: Said) -> dict[str, int]:
        words = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}
        counts = _usage(asked, said)
        return {words.get(name, name): count for name, count in counts.items() if name != "total_tokens"}

    def without_choices(self, answer: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in answer.items() if name not in ("content", "stop_reason")}

    def error(self, status: int, message: str, param: str | None, code: str | None) -> dict[str, Any]:
        kind = _ANTHROPIC_ERRORS.get(status, "api_error" if status >= 500 else "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message}}


class BotShape:
    """A bot that is sent a text, or all messages, and answers with a text."""

    schemas_by = ""

    def model_of(self, body: Any) -> str:
        return "bot"

    def key_of(self, headers: Mapping[str, str]) -> str:
        return _bearer(headers)

    def read(self, body: Any, number: int) -> Asked:
        body = _object(body)
        if "messages" in body:
            messages = _messages(body)
        elif isinstance(body.get("text"), str):
            messages = ({"role": "user", "content": body["text"]},)
        else:
            raise Refused(400, "The request has no text.", "text")
        return Asked("bot", messages, body, number, None)

    def write(self, asked: Asked, said: Said) -> dict[str, Any]:
        return {"text": said.text}

    def without_choices(self, answer: dict[str, Any]) -> dict[str, Any]:
        return {}

    def error(self, status: int, message: str, param: str | None, code: str | None) -> dict[str, Any]:
        return {"error": message}


SHAPES: dict[str, Shape] = {
    "/v1/chat/completions": OpenAIShape(),
    "/v1/messages": AnthropicShape(),
    "/bot": BotShape(),
}


def _named_model(body: Any) -> str:
    model = body.get("model") if isinstance(body, dict) else None
    return model if isinstance(model, str) else ""


def _bearer(headers: Mapping[str, str]) -> str:
    scheme, _, key = headers.get("Authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def _object(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise Refused(400, "The request body is not a JSON object.")
    return body


def _model_and_messages(body: Any) -> tuple[str, tuple[Mapping[str, Any], ...]]:
    model = _named_model(_object(body))
    if not model:
        raise Refused(400, "The request names no model.", "model")
    messages = _messages(body)
    if body.get("stream"):
        raise Refused(400, "Streaming is not offered by the loopback server.", "stream")
    return model, messages


def _messages(body: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) for m in messages):
        raise Refused(400, "The request has no list of messages.", "messages")
    return tuple(messages)


def _flat(content: Any) -> str:
    """The text of a message that is a text, or a list of blocks of which some are."""
    if isinstance(content, list):
        return "".join(_flat(block.get("text")) for block in content if isinstance(block, dict))
    return content if isinstance(content, str) else ""


def _object_of(text: str | None) -> dict[str, Any] | None:
    try:
        value = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _usage(asked: Asked, said: Said) -> dict[str, int]:
    if said.usage is not None and not isinstance(said.usage, Counted):
        return said.usage
    prompt = _tokens(sum(len(_flat(message.get("content"))) for message in asked.messages))
    completion = _tokens(len(said.text or "") + len(said.reasoning))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _tokens(characters: int) -> int:
    return (characters + 3) // 4
