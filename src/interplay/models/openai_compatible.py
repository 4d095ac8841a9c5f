"""Any endpoint of the OpenAI shape, over plain HTTP: chat completions, with a JSON schema where it has that."""

import asyncio
import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from interplay.core.failures import Mistake
from interplay.core.wire import Message, Reply, Request, clean, split_reasoning
from interplay.models.calling import CallFailed, Cause
from interplay.models.patience import seconds_to_wait

OPENAI = "https://api.openai.com/v1"
LARGEST_REPLY = 8_000_000
KEPT_OF_A_HUGE_REPLY = 1_000_000
CHARACTERS_PER_TOKEN = 4
MOST_TOKENS = 10**9  # a larger count is a mistake of the endpoint
_NOT_IN_STRICT_SCHEMAS = ("maxLength", "minLength")


@dataclass(frozen=True)
class Patience:
    """How long to wait, in seconds, for each part of an answer."""

    connect: float = 10
    first_byte: float = 60
    idle: float = 30
    total: float = 300


@dataclass(frozen=True)
class Endpoint:
    """Where a model is, and what is particular about it there."""

    base_url: str = OPENAI
    key: str = ""
    system_role: bool = True
    schemas: bool = True  # does it take response_format with a JSON schema?
    llama: bool = False  # our own llama.cpp: a grammar that knows all of JSON schema, without idle spaces
    free: bool = False
    most_connections: int | None = None
    patience: Patience = Patience()


class OpenAICompatible:
    """A model behind an OpenAI-shaped endpoint."""

    def __init__(self, name: str, remote_name: str, endpoint: Endpoint):
        self.name = name
        self.endpoint = endpoint.base_url
        self.most_connections = endpoint.most_connections
        self._remote_name = remote_name
        self._at = endpoint
        self._takes_schemas = endpoint.schemas
        self._length_key = "max_completion_tokens" if endpoint.base_url == OPENAI else "max_tokens"
        self._session: aiohttp.ClientSession | None = None

    async def check(self) -> None:
        place = _place(self._at.base_url)
        if place is None:
            raise Mistake(
                f"{self.name}: {self._at.base_url!r} is no base URL; one is http://127.0.0.1:8000/v1"
            )
        if "@" in urlsplit(self._at.base_url).netloc:
            raise Mistake(
                f"{self.name}: its base URL holds a user or password; put the key into a variable instead"
            )
        if self._at.base_url == OPENAI and not self._at.key:
            raise Mistake(
                f"{self.name} needs a key: set OPENAI_API_KEY, or name another place with --base-url"
            )
        if not self._at.key.isprintable() or self._at.key != self._at.key.strip():
            raise Mistake(f"{self.name}: its key holds a space, a line break or another character no key has")
        host, port = place
        try:
            async with asyncio.timeout(self._at.patience.connect):
                _, writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError) as error:
            where = f"{host}:{port}"
            raise Mistake(
                f"{self.name}: nothing answers at {where} ({_short(error)}); is it running?"
            ) from error
        writer.close()

    async def reply(self, request: Request) -> Reply:
        with_schema = request.schema is not None and self._takes_schemas
        body = json.dumps(self._body(request, with_schema)).encode()
        started = time.monotonic()
        status, headers, raw = await self._post(body)
        raw = self._without_key(raw)
        if status != 200:
            failure = _failure_of(status, headers, raw, with_schema)
            if failure.cause == "unsupported":
                self._takes_schemas = False
            raise failure
        return self._read(raw, request, time.monotonic() - started)

    def _body(self, request: Request, with_schema: bool) -> dict[str, Any]:
        messages = request.thread.messages()
        if not self._at.system_role:
            messages = merge_system(messages)
        body: dict[str, Any] = {
            "model": self._remote_name,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
        }
        for key, value in request.sampling.settings().items():
            body[self._length_key if key == "max_tokens" else key] = value
        if with_schema and request.schema is not None:
            body |= _llama_grammar(request.schema) if self._at.llama else _response_format(request.schema)
        return body

    async def _post(self, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        session, url = self._open(), self._at.base_url + "/chat/completions"
        try:
            async with session.post(url, data=body, allow_redirects=False) as response:
                raw = await self._read_body(response)
                return response.status, response.headers, raw
        except TimeoutError as error:
            raise CallFailed("timeout", "no answer within the limit") from error
        except aiohttp.ClientPayloadError as error:
            raise CallFailed("connection", "the answer broke off") from error
        except (aiohttp.ClientError, OSError) as error:
            raise CallFailed("connection", _short(error)) from error

    async def _read_body(self, response: aiohttp.ClientResponse) -> bytes:
        """The body, as long as bytes keep coming and up to a limit."""
        pieces: list[bytes] = []
        size = 0
        while True:
            async with asyncio.timeout(self._at.patience.idle):
                piece = await response.content.readany()
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)
            size += len(piece)
            if size > LARGEST_REPLY:
                raw = self._without_key(b"".join(pieces))
                found = hashlib.sha256(raw).hexdigest()
                raise CallFailed(
                    "malformed",
                    f"the answer is larger than {LARGEST_REPLY:,} bytes (its first bytes hash to {found})",
                    raw=raw[:KEPT_OF_A_HUGE_REPLY],
                )

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            patience = self._at.patience
            headers = {"Content-Type": "application/json"}
            if self._at.key:
                headers["Authorization"] = f"Bearer {self._at.key}"
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60),
                timeout=aiohttp.ClientTimeout(
                    total=patience.total, sock_connect=patience.connect, sock_read=patience.first_byte
                ),
                headers=headers,
                skip_auto_headers=["User-Agent"],
            )
        return self._session

    def _read(self, raw: bytes, request: Request, latency: float) -> Reply:
        answer = _parse(raw)
        choice, message = _choice_of(answer, raw)
        text = message.get("content")
        refused = message.get("refusal")
        if text is None and isinstance(refused, str):
            text = refused
        if not isinstance(text, str):
            raise CallFailed("malformed", "the answer's message has no content", raw=raw)
        said, thought = split_reasoning(clean(text))
        reasoning = message.get("reasoning_content") or message.get("reasoning") or thought
        tokens_in, tokens_out, estimated = _usage_of(answer, request, text)
        return Reply(
            text=said,
            reasoning=clean(reasoning) if isinstance(reasoning, str) else "",
            stop="refusal" if refused else clean(str(choice.get("finish_reason") or ""))[:100],
            version=_version_of(answer),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            tokens_estimated=estimated,
            cost=0.0 if self._at.free else None,
            latency=latency,
            raw=raw if len(raw) <= KEPT_OF_A_HUGE_REPLY else raw[:KEPT_OF_A_HUGE_REPLY],
        )

    def _without_key(self, raw: bytes) -> bytes:
        """An endpoint may echo our key; it must reach no record."""
        return raw.replace(self._at.key.encode(), b"[key]") if self._at.key else raw

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


def _response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    wanted = {"name": "reply", "schema": strict_subset(schema), "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": wanted}}


def _llama_grammar(schema: Mapping[str, Any]) -> dict[str, Any]:
    spacing = {"item_separator": ", ", "key_separator": ": ", "whitespace_flexible": False}
    return {"grammar": "%llguidance {}\nstart: %json " + json.dumps({**schema, "x-guidance": spacing})}


def _place(base_url: str) -> tuple[str, int] | None:
    """Host and port of a base URL, or None where it is none."""
    try:
        parts = urlsplit(base_url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return None
    return (parts.hostname, port) if parts.scheme in ("http", "https") and parts.hostname else None


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


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise CallFailed("malformed", "the answer is not JSON", raw=raw[:KEPT_OF_A_HUGE_REPLY]) from error
    if not isinstance(answer, dict):
        raise CallFailed("malformed", "the answer is no JSON object", raw=raw)
    return answer


def _choice_of(answer: dict[str, Any], raw: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise CallFailed("malformed", "the answer holds no choice", raw=raw)
    return choice, message


def _version_of(answer: dict[str, Any]) -> str:
    """What the endpoint says it answered with: the model's name and the fingerprint of the system behind it."""
    parts = (answer.get("model"), answer.get("system_fingerprint"))
    return clean(" ".join(str(part) for part in parts if part))[:300]


def _usage_of(answer: dict[str, Any], request: Request, text: str) -> tuple[int, int, bool]:
    usage = answer.get("usage")
    if isinstance(usage, dict):
        counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if all(type(count) is int and 0 <= count <= MOST_TOKENS for count in counts):
            return int(counts[0] or 0), int(counts[1] or 0), False
    read = sum(len(message.text) for message in request.thread.messages())
    return read // CHARACTERS_PER_TOKEN + 1, len(text) // CHARACTERS_PER_TOKEN + 1, True


def _failure_of(status: int, headers: Mapping[str, str], raw: bytes, with_schema: bool) -> CallFailed:
    said = _error_text(raw)
    cause: Cause
    if status == 429 and "insufficient_quota" not in said:
        cause = "rate limit"
    elif status in (401, 402, 403) or "insufficient_quota" in said:
        cause = "key"
    elif status == 404:
        cause = "not found"
    elif status in (400, 422) and with_schema and ("response_format" in said or "schema" in said):
        cause = "unsupported"
    elif status >= 500 or status in (408, 409, 425):
        cause = "server"
    elif 200 < status < 400:
        cause = "malformed"
    else:
        cause = "rejected"
    detail = f"HTTP {status}" + (f", {said}" if said else "")
    after = seconds_to_wait(headers.get("Retry-After"))
    return CallFailed(cause, detail, raw=raw[:KEPT_OF_A_HUGE_REPLY], after=after)


def _error_text(raw: bytes) -> str:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return ""
    error = body.get("error") or body.get("detail") or body.get("message") if isinstance(body, dict) else None
    if isinstance(error, dict):
        error = " ".join(str(error[key]) for key in ("code", "message") if error.get(key))
    return clean(error)[:300] if isinstance(error, str) else ""


def _short(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    reason = getattr(error, "os_error", error)
    number = getattr(reason, "errno", None)
    return os.strerror(number) if isinstance(number, int) and number > 0 else type(error).__name__
