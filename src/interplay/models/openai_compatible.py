"""Any endpoint of the OpenAI shape, over plain HTTP: chat completions, with a JSON schema where it has that."""

import json
from collections.abc import Mapping
from typing import Any

from interplay.core.wire import Message, Reply, Request, clean, split_reasoning
from interplay.models.calling import CallFailed, Unreachable
from interplay.models.posting import Answer, Endpoint, Post, Usage, estimate, usage_of

MOST_FORMS = 100
OPENAI = "https://api.openai.com/v1"
_NOT_IN_STRICT_SCHEMAS = ("maxLength", "minLength")
_SCHEMA_WORDS = ("response_format", "schema")


class OpenAICompatible:
    """A model behind an OpenAI-shaped endpoint."""

    remembers = False

    def __init__(self, name: str, remote_name: str, endpoint: Endpoint):
        self.name = name
        self.endpoint = endpoint.base_url
        self.most_connections = endpoint.most_connections
        self.price = endpoint.price
        self._remote_name = remote_name
        self._at = endpoint
        self._takes_schemas = endpoint.schemas
        self._forms: dict[int, tuple[Mapping[str, Any], dict[str, Any]]] = {}
        self.ignores = endpoint.ignores
        of_its_place = "max_completion_tokens" if endpoint.base_url == OPENAI else "max_tokens"
        self._length_key = endpoint.length or of_its_place
        self._post = Post(
            name,
            endpoint.base_url,
            "/chat/completions",
            headers={"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {},
            secrets=[endpoint.key],
            patience=endpoint.patience,
        )

    async def check(self) -> None:
        needed = "OPENAI_API_KEY" if self._at.base_url == OPENAI else self._at.needs
        if needed and not self._at.key:
            place = "--base-url" if self._at.base_url == OPENAI else "base_url in models.toml"
            raise Unreachable(f"{self.name} needs a key: set {needed}, or name another place with {place}")
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
        body: dict[str, Any] = {
            "model": self._remote_name,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
        }
        for key, value in request.sampling.settings().items():
            if key not in self.ignores:
                body[self._length_key if key == "max_tokens" else key] = value
        if with_schema and request.schema is not None:
            body |= self._asking_for(request.schema)
        return body

    def _asking_for(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """How this endpoint is asked for a schema; a run has few, and each is worked out once."""
        known = self._forms.get(id(schema))
        if known is None:
            if len(self._forms) >= MOST_FORMS:
                self._forms.clear()
            wanted = _llama_grammar(schema) if self._at.llama else _response_format(schema)
            known = self._forms[id(schema)] = (schema, wanted)  # kept, so that its id stays its own
        return known[1]

    def _read(self, answer: Answer, request: Request) -> Reply:
        body = answer.json()
        choice, message = _choice_of(body, answer)
        text = message.get("content")
        refused = message.get("refusal")
        if text is None and isinstance(refused, str):
            text = refused
        if not isinstance(text, str):
            raise answer.malformed("the answer's message has no content")
        said, thought = split_reasoning(clean(text))
        reasoning = message.get("reasoning_content") or message.get("reasoning") or thought
        usage = _usage_of(body, request, text)
        return Reply(
            text=said,
            reasoning=clean(reasoning) if isinstance(reasoning, str) else "",
            stop="refusal" if refused else clean(str(choice.get("finish_reason") or ""))[:100],
            version=_version_of(body),
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            tokens_estimated=usage.estimated,
            cost=usage.cost(self.price),
            latency=answer.latency,
            raw=answer.kept,
        )

    async def close(self) -> None:
        await self._post.close()


def _response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    wanted = {"name": "reply", "schema": strict_subset(schema), "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": wanted}}


def _llama_grammar(schema: Mapping[str, Any]) -> dict[str, Any]:
    spacing = {"item_separator": ", ", "key_separator": ": ", "whitespace_flexible": False}
    return {"grammar": "%llguidance {}\nstart: %json " + json.dumps({**schema, "x-guidance": spacing})}


def merge_system(messages: list[Message]) -> list[Message]:
    """For models without a system role: the brief goes in front of the first user message."""
    if len(messages) < 2 or messages[0].role != "system":
        return messages
    first = Message("user", f"{messages[0].text}\n\n{messages[1].text}")
    return [first, *messages[2:]]


def strict_subset(schema: Any) -> Any:
    """The schema without the words that strict endpoints refuse; our own check still knows them."""
    if not isinstance(schema, Mapping):
        return schema
    kept = {key: value for key, value in schema.items() if key not in _NOT_IN_STRICT_SCHEMAS}
    if "properties" in kept:
        kept["properties"] = {name: strict_subset(value) for name, value in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = strict_subset(kept["items"])
    return kept


def _choice_of(body: Any, answer: Answer) -> tuple[dict[str, Any], dict[str, Any]]:
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise answer.malformed("the answer holds no choice")
    return choice, message


def _version_of(body: dict[str, Any]) -> str:
    """What the endpoint says it answered with: the model's name and the fingerprint of the system behind it."""
    parts = (body.get("model"), body.get("system_fingerprint"))
    return clean(" ".join(str(part) for part in parts if part))[:300]


def _usage_of(body: dict[str, Any], request: Request, text: str) -> Usage:
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return estimate(request, text)
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    return usage_of(usage.get("prompt_tokens"), usage.get("completion_tokens"), cached, request, text)
