"""The three providers that speak HTTP, behind one loopback server, and what must hold of all they give back."""

import json
import re
import socket
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus, unquote

import pytest

from interplay.core.wire import Message, Reply, Request, Sampling, Thread
from interplay.models.anthropic import Anthropic
from interplay.models.calling import CallFailed, Model
from interplay.models.http import BotMapping, HttpBot
from interplay.models.loopback import Asked, Fault, Loopback, Said, Script
from interplay.models.loopback.shapes import SHAPES
from interplay.models.openai_compatible import OpenAICompatible
from interplay.models.posting import Endpoint, Patience

KEY = "sk-canary/8f3a+Qz~T9"  # with characters that JSON, URLs and base64 spell in ways of their own
BRIEF = Thread.start(Message("system", "Be brief."))
REQUEST = Request(
    "mine", BRIEF.then("user", "Hello"), Sampling(temperature=0.5, max_tokens=20), session="s-1"
)
IMPATIENT = Patience(connect=2, first_byte=0.3, idle=0.3, total=1.0)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 9},
        "all": {"type": "array", "items": {"minLength": 1}},
    },
    "required": ["text"],
}
PROVIDERS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages", "bot": "/bot"}


def spelled(key: str = KEY) -> dict[str, str]:
    """The key in the ways in which an endpoint may repeat it inside a JSON string."""
    codes = [f"{ord(character):04x}" for character in key]
    return {
        "plain": key,
        "base64": b64encode(key.encode()).decode(),
        "base64 for URLs": urlsafe_b64encode(key.encode()).decode().rstrip("="),
        "base64 of a header": b64encode(f"Bearer {key}".encode()).decode(),
        "base64 of a pair": b64encode(f"user:{key}:".encode()).decode(),
        "URL": quote(key, safe=""),
        "URL, in lower case": re.sub("%..", lambda found: found.group().lower(), quote_plus(key)),
        "URL, every character": "".join(f"%{ord(character):02X}" for character in key),
        "URL, twice": quote(quote(key, safe=""), safe=""),
        "JSON": "".join(f"\\u{code}" for code in codes),
        "JSON, in upper case": "".join(f"\\u{code.upper()}" for code in codes),
        "JSON, some": "".join(f"\\u{code}" if at % 2 else key[at] for at, code in enumerate(codes)),
        "JSON, slashes": key.replace("/", "\\/"),
        "JSON inside JSON": "".join(f"\\\\u{code}" for code in codes),
    }


def assert_hidden(found: bytes | str, key: str = KEY) -> None:
    """The key is not in it, in no spelling, nor after it is read as JSON or as a URL spells it."""
    text = found.decode("utf-8", "replace") if isinstance(found, bytes) else found
    read = re.sub(r"\\+u00([0-9a-fA-F]{2})", lambda code: chr(int(code.group(1), 16)), text).replace("\\", "")
    for one in (text, read, unquote(read), unquote(unquote(read))):
        assert key not in one
    for way, spelling in spelled(key).items():
        # Of base64, two characters at each end are shared with what stands around the key.
        core = spelling.rstrip("=")[12:-3] if way.startswith("base64 of") else spelling.rstrip("=")
        assert core not in text, way


@dataclass(frozen=True)
class Provider:
    """One of the three, to be connected to a loopback server."""

    name: str

    @property
    def path(self) -> str:
        return PROVIDERS[self.name]

    def connect(self, url: str, key: str = KEY, **settings: Any) -> Model:
        if self.name == "bot":
            return HttpBot("mine", BotMapping(url.removesuffix("/v1") + "/bot", key=key, **settings))
        kind = {"openai": OpenAICompatible, "anthropic": Anthropic}[self.name]
        return kind("mine", "remote", Endpoint(url, key, **settings))

    def body(self, text: str) -> bytes:
        """The bytes of an answer with this text in it, as it stands inside a JSON string."""
        asked = Asked("m", (), {}, 1, None)
        return json.dumps(SHAPES[self.path].write(asked, Said("@@"))).replace("@@", text).encode()

    def error(self, status: int, message: str, **headers: str) -> Fault:
        body = SHAPES[self.path].error(status, message, None, None)
        return Fault("status", status, headers, json.dumps(body).encode())

    async def ask(
        self,
        script: Script,
        asked: Request = REQUEST,
        /,
        *,
        server: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Reply:
        """One reply of a model behind a loopback server with this script."""
        async with Loopback(script, **(server or {})) as url:
            model = self.connect(url, **settings)
            try:
                reply = await model.reply(asked)
            finally:
                await model.close()
        assert_hidden(reply.raw)
        assert_hidden("\n".join((reply.text, reply.reasoning, reply.stop, reply.version)))
        return reply

    async def fail(self, script: Script, asked: Request = REQUEST, /, **more: Any) -> CallFailed:
        with pytest.raises(CallFailed) as raised:
            await self.ask(script, asked, **more)
        assert_tight(raised.value)
        return raised.value


def assert_tight(failure: CallFailed) -> None:
    """A failure and all errors behind it say what happened, and nothing of the key."""
    assert str(failure) == f"{failure.cause}: {failure.detail}"
    here: BaseException | None = failure
    while here is not None:
        assert_hidden(f"{here!r} {here} {vars(here)}")
        here = here.__cause__ or here.__context__
    assert_hidden(failure.raw)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
