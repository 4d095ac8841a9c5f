"""Posting JSON to an endpoint: limits of time and size, the cause of each failure, no key in what comes back."""

import asyncio
import hashlib
import io
import json
import os
import socket
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import orjson
from yarl import URL

from interplay.core.failures import Mistake
from interplay.core.wire import Request, clean
from interplay.models.calling import CallFailed, Cause, Unreachable
from interplay.models.hiding import Secrets
from interplay.models.patience import seconds_to_wait
from interplay.models.prices import Price

LARGEST_REPLY = 8_000_000  # what is parsed
LARGEST_READ = 64_000_000  # what is read on, to know its size and hash
KEPT_OF_A_HUGE_REPLY = 1_000_000
SHOWN_OF_AN_ERROR = 300
CHARACTERS_PER_TOKEN = 4
MOST_TOKENS = 10**9  # a larger count is a mistake of the endpoint
_MARGIN = 10_000  # more than a key takes, however it is spelled
_OUT_OF_FUNDS = ("insufficient_quota", "credit balance is too low")
_BAD_KEY = (
    "api key not valid",
    "api_key_invalid",
    "valid api key",
    "api key expired",
)  # as Gemini says with 400
_MODERATED = ("moderation", "flagged", "content policy", "content_policy")  # as OpenRouter says with 403
_TOO_LONG = ("context_length", "context length", "context window", "too long", "too many tokens")


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

    base_url: str
    key: str = field(default="", repr=False)
    needs: str = ""  # the variable that must hold a key there
    system_role: bool = True
    schemas: bool = True  # does it hold replies to a JSON schema?
    length: str = ""  # what it calls the most tokens of a reply; by its place where nobody says
    ignores: frozenset[str] = frozenset()  # settings of sampling that it refuses
    llama: bool = False  # our own llama.cpp: a grammar that knows all of JSON schema, without idle spaces
    price: Price | None = None
    most_connections: int | None = None
    patience: Patience = Patience()


@dataclass(slots=True)
class Answer:
    """What came back, without the key."""

    status: int
    after: float | None  # how long the endpoint asks us to wait
    body: bytes
    kept: bytes  # what the record keeps of it: the body, or its beginning with the size and hash of all
    too_large: bool
    latency: float

    def json(self) -> Any:
        """The body, parsed."""
        if self.too_large:
            raise self.malformed(f"the answer is larger than {LARGEST_REPLY:,} bytes")
        try:
            return _parse(self.body)
        except (ValueError, RecursionError):
            failure = self.malformed("the answer is not JSON")
        raise failure  # out here, because the parser's error carries the whole body

    def malformed(self, what: str) -> CallFailed:
        return CallFailed("malformed", what, raw=self.kept)


@dataclass(slots=True)
class Usage:
    """How many tokens a call read and wrote, and how many of those it read came from the endpoint's cache."""

    tokens_in: int
    tokens_out: int
    cached: int = 0
    estimated: bool = False

    def cost(self, price: Price | None) -> float | None:
        return None if price is None else price.of(self.tokens_in, self.tokens_out, self.cached)


def usage_of(tokens_in: Any, tokens_out: Any, cached: Any, request: Request, said: str) -> Usage:
    """What the endpoint counted where that has sense, else an estimate, which says that it is one."""
    if is_count(tokens_in) and is_count(tokens_out):
        return Usage(tokens_in, tokens_out, cached if is_count(cached) and cached <= tokens_in else 0)
    return estimate(request, said)


def estimate(request: Request, said: str) -> Usage:
    read = request.thread.characters
    return Usage(read // CHARACTERS_PER_TOKEN + 1, len(said) // CHARACTERS_PER_TOKEN + 1, estimated=True)


def is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_TOKENS


class Post:
    """Posts JSON to one URL, over connections that it keeps; gets and uploads what stands beside it."""

    def __init__(
        self,
        name: str,
        address: str,
        path: str = "",
        *,
        headers: Mapping[str, str],
        secrets: Iterable[str],
        patience: Patience,
    ):
        self._name = name
        self._address = address
        self._url = address + path
        self._at: URL | None = None  # the same, taken apart once
        named = {header.title(): value for header, value in headers.items()}  # so that each is there once
        self._headers = {"Content-Type": "application/json", "User-Agent": "interplay"} | named
        self._keys = tuple(secret for secret in secrets if secret)
        self._secrets = Secrets(self._keys)
        self._patience = patience
        self._session: aiohttp.ClientSession | None = None

    async def check(self) -> None:
        """Raise a Mistake if no call can succeed: a bad URL, a key that no header can hold, nobody listening."""
        host, port = self._place()
        for key in self._keys:
            if not (key.isascii() and key.isprintable()) or " " in key or "\\" in key:
                raise Mistake(
                    f"{self._name}: its key holds a space, a line break or another character no key has"
                )
        try:
            async with asyncio.timeout(self._patience.connect):
                _, writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError, UnicodeError) as error:  # the last where a name can be no host's
            raise Unreachable(
                f"{self._name}: nothing answers at {host}:{port} ({_short(error)}); is it running?"
            ) from error
        writer.close()

    def _place(self) -> tuple[str, int]:
        """Host and port of the URL."""
        kind = "base URL" if self._url != self._address else "URL"
        before_path = self._address.partition("//")[2].partition("/")[0] or self._address
        if "@" in before_path:
            raise Mistake(
                f"{self._name}: its {kind} holds a user or password; put the key into a variable instead"
            )
        if kind == "base URL" and ("?" in self._address or "#" in self._address):
            raise Mistake(f"{self._name}: a base URL has no ? and no #; put a key into a variable instead")
        try:
            parts = urlsplit(self._address)
            port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            example = "http://127.0.0.1:8000/v1" if kind == "base URL" else "http://127.0.0.1:8000/chat"
            shown = self._address.partition("?")[0].rpartition("@")[2]  # without what may be a secret
            raise Mistake(f"{self._name}: {shown!r} is no {kind}; one is {example}")
        return parts.hostname, port

    async def send(self, value: Any) -> Answer:
        """Post a JSON value and read the answer, or raise CallFailed."""
        self._at = self._at or URL(self._url)
        return await self._exchange("POST", self._at, self._patience.first_byte, data=_written(value))

    async def get(self, path: str) -> Answer:
        """What stands at another path of the same address, or CallFailed."""
        return await self._exchange("GET", self._address + path, self._patience.first_byte)

    async def upload(self, path: str, fields: Mapping[str, str], filename: str, content: bytes) -> Answer:
        """Post a form with a file to another path of the same address."""
        form = aiohttp.FormData(dict(fields))
        form.add_field("file", io.BytesIO(content), filename=filename, content_type="application/jsonl")
        body = form()
        headers = {"Content-Type": body.headers["Content-Type"]}
        # An answer begins when all has been sent, which may take as long as anything may.
        return await self._exchange(
            "POST", self._address + path, self._patience.total, data=body, headers=headers
        )

    async def _exchange(self, method: str, url: str | URL, first_byte: float, **sent: Any) -> Answer:
        started = time.monotonic()
        arriving = _Arriving()
        now = asyncio.get_running_loop().time()
        end = now + self._patience.total
        try:
            # One timer for all limits, moved on as bytes come: a timer of its own for each would cost more.
            async with asyncio.timeout_at(min(now + first_byte, end)) as limit:
                async with await self._open().request(method, url, allow_redirects=False, **sent) as response:
                    await self._read(response, arriving, limit, end)
            return self._answer(response, arriving, time.monotonic() - started)
        except TimeoutError:
            failure = self._broken("timeout", "no answer within the limit", arriving)
        except aiohttp.ClientPayloadError:
            failure = self._broken("connection", "the answer broke off", arriving)
        except aiohttp.ClientResponseError:
            failure = self._broken("malformed", "the answer is not HTTP", arriving)
        except (aiohttp.ClientError, OSError, ValueError) as error:  # the last where no header can hold a key
            failure = self._broken("connection", _short(error), arriving)
        raise failure  # out here, because an error of the client may carry our headers, and so the key

    async def ask(self, value: Any, optional: tuple[str, ...] = ()) -> Answer:
        """The answer to a JSON value; where the endpoint says no, CallFailed, with the words for what is optional."""
        answer = await self.send(value)
        if answer.status != 200:
            raise failure_of(answer, optional)
        return answer

    async def _read(
        self, response: aiohttp.ClientResponse, arriving: "_Arriving", limit: asyncio.Timeout, end: float
    ) -> None:
        """Read the body as long as bytes keep coming, up to a limit of size and to the end of all patience."""
        time_now = asyncio.get_running_loop().time
        while arriving.size <= LARGEST_READ:
            if response.content.is_eof():  # all of it has come, and there is nothing to wait for
                piece = response.content.read_nowait()
            else:
                limit.reschedule(min(time_now() + self._patience.idle, end))
                piece = await response.content.readany()
            if not piece:
                return
            arriving.add(piece)

    def _answer(self, response: aiohttp.ClientResponse, arriving: "_Arriving", latency: float) -> Answer:
        too_large = arriving.size > LARGEST_REPLY
        body = b"" if too_large else self._secrets.out_of(arriving.first(LARGEST_REPLY))
        kept = body if arriving.size <= KEPT_OF_A_HUGE_REPLY else self._beginning(arriving)
        after = seconds_to_wait(response.headers.get("Retry-After"))
        return Answer(response.status, after, body, kept, too_large, latency)

    def _broken(self, cause: Cause, detail: str, arriving: "_Arriving") -> CallFailed:
        return CallFailed(cause, detail, raw=self._beginning(arriving))

    def _beginning(self, arriving: "_Arriving") -> bytes:
        """What the record keeps of a body that is not there, or not kept, as a whole."""
        kept = self._secrets.out_of_part(arriving.first(KEPT_OF_A_HUGE_REPLY + _MARGIN))
        if arriving.size <= KEPT_OF_A_HUGE_REPLY:
            return kept
        return kept[:KEPT_OF_A_HUGE_REPLY] + arriving.measure()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            patience = self._patience
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=patience.connect),
                headers=self._headers,
                cookie_jar=aiohttp.DummyCookieJar(),  # one conversation must not be recognised in another
            )
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


class _Arriving:
    """A body as it comes: the bytes that may be needed, and the size and hash of all."""

    def __init__(self) -> None:
        self.size = 0
        self._pieces: list[bytes] = []
        self._hashed: Any = None  # only of what is too large to be kept whole

    def add(self, piece: bytes) -> None:
        if self.size <= LARGEST_REPLY:
            self._pieces.append(piece)
        if self._hashed is None and self.size + len(piece) > KEPT_OF_A_HUGE_REPLY:
            self._hashed = hashlib.sha256(b"".join(self._pieces[:-1]))
        if self._hashed is not None:
            self._hashed.update(piece[: LARGEST_READ - self.size])
        self.size += len(piece)

    def first(self, most: int) -> bytes:
        return b"".join(self._pieces)[:most]

    def measure(self) -> bytes:
        """The line that stands in a record for what was cut off."""
        seen = f"{self.size} bytes in all" if self.size <= LARGEST_READ else f"more than {LARGEST_READ} bytes"
        return f"\n[cut: {seen}, sha256 {self._hashed.hexdigest()}]".encode()


def failure_of(answer: Answer, optional: tuple[str, ...] = ()) -> CallFailed:
    """Why the endpoint said no. The optional words name what was asked for and can be done without."""
    said = error_text(answer.body)
    detail = f"HTTP {answer.status}" + (f", {said}" if said else "")
    cause = _cause_of(answer.status, said.lower(), optional)
    return CallFailed(cause, detail, raw=answer.kept, after=answer.after)


def _cause_of(status: int, said: str, optional: tuple[str, ...]) -> Cause:
    if status < 500 and any(words in said for words in _OUT_OF_FUNDS):
        return "key"
    if status == 403 and any(words in said for words in _MODERATED) and "account" not in said:
        return "rejected"  # what was said in one conversation, which says nothing of the others
    if status in (401, 402, 403) or (status == 400 and any(words in said for words in _BAD_KEY)):
        return "key"
    if status == 429:
        return "rate limit"
    if status == 404:
        return "not found"
    if status in (400, 422) and not any(words in said for words in _TOO_LONG):
        return "unsupported" if any(word in said for word in optional) else "rejected"
    if status >= 500 or status in (408, 409, 425):
        return "server"
    return "malformed" if status < 400 else "rejected"


def _written(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # a lone surrogate, or a number beyond 64 bits
        return json.dumps(value).encode()


def _parse(raw: bytes) -> Any:
    try:
        return orjson.loads(raw)
    except ValueError:  # it is strict: a mark at the beginning, NaN or a lone surrogate is not the end
        pass
    return json.loads(raw.decode("utf-8-sig"))  # given bytes, json would also read UTF-16 and UTF-32


def error_text(raw: bytes) -> str:
    """What an error says, by the names that endpoints give to it, in one line."""
    try:
        body = _parse(raw)
    except (ValueError, RecursionError):
        return ""
    body = body[0] if isinstance(body, list) and body else body  # as Gemini has it
    error = body.get("error") or body.get("detail") or body.get("message") if isinstance(body, dict) else None
    if isinstance(error, dict):
        kind = "type" if body.get("type") == "error" else "code"
        error = " ".join(str(error[key]) for key in (kind, "message") if error.get(key))
    return " ".join(clean(error).split())[:SHOWN_OF_AN_ERROR] if isinstance(error, str) else ""


def _short(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    reason = getattr(error, "os_error", error)
    if isinstance(reason, socket.gaierror | UnicodeError):
        return "no such host"
    number = getattr(reason, "errno", None)
    return os.strerror(number) if isinstance(number, int) and number > 0 else type(error).__name__
