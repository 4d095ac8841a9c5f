"""A bot behind a URL: its shape, or a small mapping, says what it is sent and what its answer says."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any
from urllib.parse import unquote

from interplay.core.failures import Mistake, nearest
from interplay.core.wire import Reply, Request, clean, split_reasoning
from interplay.models.bot_shapes import SHAPES, Shape, Unexpected, read_path, shape_at
from interplay.models.calling import CallFailed
from interplay.models.posting import Answer, Patience, Post, estimate, failure_of
from interplay.models.prices import Price

PLACES = ("text", "session", "system", "model", "messages")
_PLACE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_NAME_OF_A_SECRET = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)


@dataclass(frozen=True)
class BotMapping:
    """What a bot is sent, and where its answer holds what it says.

    What is not given is as in the shape: the one that is named, else the one that the URL tells. In the request,
    {{text}} is the last message to the bot, {{session}} the same for all of one conversation, {{system}} the brief,
    {{model}} the bot's name; a string that is {{messages}} alone becomes the list of {"role", "content"}. The reply
    is a path such as choices.0.message.content; * takes all items of a list.
    """

    url: str
    shape: str = ""
    request: Any = None
    reply: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    key: str = field(default="", repr=False)
    patience: Patience = field(default_factory=Patience)
    price: Price | None = None
    most_connections: int | None = None

    @property
    def known_shape(self) -> Shape:
        return SHAPES[self.shape or shape_at(self.url)]

    @property
    def sent(self) -> Any:
        """What is sent, with places that are not filled in yet."""
        return self.known_shape.request if self.request is None else self.request

    def read(self, answer: Any) -> str:
        """What the bot says in its answer, or Unexpected."""
        return self.known_shape.read(answer) if self.reply is None else read_path(answer, self.reply)


class HttpBot:
    """A bot that is spoken to by its mapping. It takes no sampling settings and is never sent a schema."""

    ignores = frozenset({"temperature", "top_p", "max_tokens", "frequency_penalty"})

    def __init__(self, name: str, mapping: BotMapping):
        check_mapping(name, mapping)
        self.name = name
        self.endpoint = re.split("[?#]", mapping.url, maxsplit=1)[0]  # a query may hold a secret
        self.most_connections = mapping.most_connections
        self.price = mapping.price
        self.remembers = "messages" not in _places_in(mapping.sent)
        self._mapping = mapping
        key = {"Authorization": f"Bearer {mapping.key}"} if mapping.key else {}
        self._post = Post(
            name,
            mapping.url,
            headers={**key, **mapping.headers},
            secrets=[mapping.key, *_secrets_in(mapping)],
            patience=mapping.patience,
        )

    async def check(self) -> None:
        await self._post.check()

    async def reply(self, request: Request) -> Reply:
        answer = await self._post.send(_fill(self._mapping.sent, self._values(request)))
        if answer.status not in (200, 201):
            raise _refusal(answer)
        text = clean(self._text_of(answer))
        usage = estimate(request, text)
        said, thought = split_reasoning(text)
        return Reply(
            text=said,
            reasoning=thought,
            stop="stop",
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            tokens_estimated=True,
            cost=usage.cost(self.price),
            latency=answer.latency,
            raw=answer.kept,
        )

    def _values(self, request: Request) -> dict[str, Any]:
        """What stands in each place of the mapping's request."""
        messages = request.thread.messages()
        return {
            "text": next((message.text for message in reversed(messages) if message.role == "user"), ""),
            "session": request.session,
            "system": messages[0].text if messages[0].role == "system" else "",
            "model": self.name,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
        }

    def _text_of(self, answer: Answer) -> str:
        try:
            return self._mapping.read(answer.json())
        except Unexpected as problem:
            raise answer.malformed(str(problem)) from None

    async def close(self) -> None:
        await self._post.close()


def _refusal(answer: Answer) -> CallFailed:
    """Why the bot gave no answer. One that says when to come back has not taken the message in."""
    failure = failure_of(answer)
    if answer.status == 503 and answer.after is not None:
        return CallFailed("rate limit", failure.detail, raw=failure.raw, after=failure.after)
    return failure


def check_mapping(name: str, mapping: BotMapping) -> None:
    """Raise a Mistake if the bot could never be spoken to by this mapping."""
    if mapping.shape and mapping.shape not in SHAPES:
        raise Mistake(f"{name}: there is no shape {mapping.shape!r}; {nearest(mapping.shape, SHAPES)}")
    for string in _strings_in(name, mapping.sent):
        for place in sorted(_places_in(string)):
            if place not in PLACES:
                raise Mistake(f"{name}: its request has {{{{{place}}}}}; {nearest(place, PLACES)}")
            if place == "messages" and not _is_messages(string):
                raise Mistake(
                    f"{name}: {{{{messages}}}} is a list and must be a string of its own in its request,"
                    f" not part of {string!r}"
                )
    if not _places_in(mapping.sent) & {"text", "messages"}:
        raise Mistake(f"{name}: its request must hold {{{{text}}}} or {{{{messages}}}}, or nobody is heard")
    if mapping.reply is not None and not all(step.strip() for step in mapping.reply.split(".")):
        raise Mistake(
            f"{name}: its reply {mapping.reply!r} has an empty step; a path to the text is text,"
            " choices.0.message.content or *.text"
        )
    _check_headers(name, mapping)


def _strings_in(name: str, value: Any) -> list[str]:
    """All strings of a request, which must be a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [string for item in value for string in _strings_in(name, item)]
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or _places_in(key):
                raise Mistake(f"{name}: its request has a field named {key!r}; only values are filled in")
        return [string for item in value.values() for string in _strings_in(name, item)]
    if not (value is None or isinstance(value, bool | int) or (isinstance(value, float) and isfinite(value))):
        raise Mistake(f"{name}: its request holds {value}, which JSON has no form for; write it as a string")
    return []


def _check_headers(name: str, mapping: BotMapping) -> None:
    for header, value in mapping.headers.items():
        if not _HEADER_NAME.fullmatch(header):
            raise Mistake(f"{name}: {header!r} is no name of a header; one is X-Channel")
        if not isinstance(value, str) or not value.isascii() or not value.isprintable():
            raise Mistake(f"{name}: its header {header} must be a string of plain characters on one line")
        if mapping.key and header.lower() == "authorization":
            raise Mistake(f"{name} has both a key and a header {header}; one of them is enough")


def _secrets_in(mapping: BotMapping) -> list[str]:
    """What stands in headers and in the URL's query under names that keys have."""
    query = mapping.url.partition("?")[2].partition("#")[0]
    pairs = [pair.partition("=") for pair in query.split("&")]
    named = [*mapping.headers.items(), *((name, unquote(value)) for name, _, value in pairs)]
    return [word for name, value in named if _NAME_OF_A_SECRET.search(name) for word in value.split()]


def _places_in(value: Any) -> set[str]:
    if isinstance(value, str):
        return {found.strip() for found in _PLACE.findall(value)}
    if isinstance(value, Mapping):
        value = list(value.values())
    return set().union(*map(_places_in, value)) if isinstance(value, list) else set()


def _is_messages(string: str) -> bool:
    alone = _PLACE.fullmatch(string)
    return alone is not None and alone.group(1).strip() == "messages"


def _fill(value: Any, values: Mapping[str, Any]) -> Any:
    """The request with its places filled, each once: a place inside a filled-in text is only text."""
    if isinstance(value, str):
        if _is_messages(value):
            return values["messages"]
        return _PLACE.sub(lambda found: str(values[found.group(1).strip()]), value)
    if isinstance(value, Mapping):
        return {key: _fill(item, values) for key, item in value.items()}
    return [_fill(item, values) for item in value] if isinstance(value, list) else value
