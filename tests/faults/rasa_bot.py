"""A small bot in the shape of Rasa's REST channel, which remembers each sender and goes wrong where it is told to."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from aiohttp import web

from interplay.models.loopback import Asked, Fault
from interplay.models.loopback.faults import NOT_UTF8, PAGE, commit
from interplay.models.loopback.shapes import BotShape
from interplay.models.loopback.site import Site, in_a_thread

PATH = "/webhooks/rest/webhook"
TOO_LARGE = 8_100_000  # bytes: more than is parsed of any answer


@dataclass
class Sender:
    """What the bot knows of one sender."""

    name: str
    heard: list[str] = field(default_factory=list)  # the last is the one to be answered
    said: list[list[dict[str, Any]]] = field(
        default_factory=list
    )  # for each that was heard, a list of messages
    notes: dict[str, Any] = field(default_factory=dict)  # whatever the one who answers wants to remember

    @property
    def count(self) -> int:
        return len(self.heard)


@dataclass(frozen=True)
class Received:
    """A line of the ledger: a message as it came in, and the trouble that met it."""

    number: int  # over all senders, from 1
    sender: str
    text: str
    body: Any
    headers: Mapping[str, str]
    trouble: str = ""


@dataclass(frozen=True)
class Trouble:
    """How the bot goes wrong; without a fault it only takes its time."""

    name: str
    fault: Fault | None = None
    wait: float = 0.0  # seconds before anything is sent
    heard: bool = True  # was the message taken in before it went wrong?


Answer = Callable[[Sender, str], str | list[Any]]
Plan = Callable[[Received], Trouble | None]


def counting(sender: Sender, text: str) -> str:
    """An answer that shows whose session it is."""
    return f"You have said {sender.count} things, the last one: {text}"


# What can go wrong


def slow(seconds: float) -> Trouble:
    """The right answer, late."""
    return Trouble("slow", wait=seconds)


def silent() -> Trouble:
    """Nothing to say, which is no fault."""
    return garbage("silent", b"[]")


def broken(status: int = 500, body: bytes = b'{"message": "It broke."}') -> Trouble:
    return Trouble(str(status), Fault("raw", status, body=body))


def busy(retry_after: str = "1", status: int = 503) -> Trouble:
    """A refusal at the door, which says when to come back."""
    fault = Fault("raw", status, {"Retry-After": retry_after}, b'{"message": "Too many of you."}')
    return Trouble(f"{status} with Retry-After", fault, heard=False)


def garbage(name: str, body: bytes) -> Trouble:
    """These bytes in place of the answer."""
    return Trouble(name, Fault("raw", 200, body=body))


def cut(body: bytes = b'[{"recipient_id": "s", "text": "Half a sen') -> Trouble:
    """The beginning of an answer, and then the connection ends."""
    return Trouble("cut", Fault("wrong_length", body=body))


def reset() -> Trouble:
    """The connection ends before the answer begins."""
    return Trouble("reset", Fault("reset"))


GARBAGE = {
    trouble.name: trouble
    for trouble in (
        garbage("not JSON", b"Hello, I am a bot."),
        garbage("a page", PAGE),
        garbage("empty", b""),
        garbage("half", b'[{"recipient_id": "s", "text": "Hel'),
        garbage("an object", b'{"recipient_id": "s", "text": "Hello"}'),
        garbage("null", b"null"),
        garbage("texts", b'["Hello"]'),
        garbage("another shape", b'[{"recipient_id": "s", "response": "Hello"}]'),
        garbage("text of a wrong type", b'[{"recipient_id": "s", "text": 42}]'),
        garbage("buttons of a wrong type", b'[{"recipient_id": "s", "text": "Hello", "buttons": "Yes"}]'),
        garbage("not UTF-8", b'[{"recipient_id": "s", "text": "caf' + NOT_UTF8 + b'"}]'),
        garbage("8 MB", b'[{"recipient_id": "s", "text": "' + b"a" * TOO_LARGE + b'"}]'),
    )
}


# When it goes wrong


def never(_received: Received) -> None:
    return None


def at(places: Mapping[int, Trouble]) -> Plan:
    """Trouble at the k-th message, counted over all senders."""
    return lambda received: places.get(received.number)


def share(part: float, *troubles: Trouble, seed: int = 0) -> Plan:
    """Trouble for a part of all messages, drawn by their number."""

    def plan(received: Received) -> Trouble | None:
        rng = Random(f"{seed}/{received.number}")
        return rng.choice(troubles) if rng.random() < part else None

    return plan


@dataclass
class Bot:
    """Answers a message by what it remembers of its sender.

    The answer is a text, or a list of messages, each a text or an object such as {"text": ..., "buttons": [...]}.
    """

    answer: Answer = counting
    plan: Plan = never
    ledger: list[Received] = field(default_factory=list)
    senders: dict[str, Sender] = field(default_factory=dict)

    @property
    def troubles(self) -> list[str]:
        """The names of the troubles that were met, in their order."""
        return [received.trouble for received in self.ledger if received.trouble]

    def heard_from(self) -> dict[str, int]:
        """How many messages came from each sender, in the order of their first, whether they were taken in or not."""
        names = [received.sender for received in self.ledger]
        return {name: names.count(name) for name in dict.fromkeys(names)}

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = _parsed(await request.read())
        if not _is_message(body):
            return web.json_response(
                {"message": "A message is an object with sender and message."}, status=400
            )
        received = Received(
            len(self.ledger) + 1, body["sender"], body["message"], body, dict(request.headers)
        )
        trouble = self.plan(received)
        self.ledger.append(replace(received, trouble=trouble.name if trouble else ""))
        # Taken in before any wait, so that messages are heard in order of arrival.
        said = self._take_in(received) if trouble is None or trouble.heard else []
        if trouble is not None:
            await asyncio.sleep(trouble.wait)
            if trouble.fault is not None:
                return await _spoil(trouble.fault, request)
        return web.json_response(said)

    def _take_in(self, received: Received) -> list[dict[str, Any]]:
        sender = self.senders.setdefault(received.sender, Sender(received.sender))
        sender.heard.append(received.text)
        answered = self.answer(sender, received.text)
        messages = [answered] if isinstance(answered, str) else answered
        said = [
            {"recipient_id": sender.name, **({"text": one} if isinstance(one, str) else one)}
            for one in messages
        ]
        sender.said.append(said)
        return said


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return None


def _is_message(body: Any) -> bool:
    return isinstance(body, dict) and all(isinstance(body.get(name), str) for name in ("sender", "message"))


async def _spoil(fault: Fault, request: web.Request) -> web.StreamResponse:
    try:
        return await commit(fault, request, BotShape(), Asked("bot", (), {}, 0, None))
    except ConnectionError:
        if request.transport is not None:
            request.transport.abort()
        return web.Response()  # goes nowhere: the connection is closed


@contextmanager
def serving_rasa(bot: Bot, port: int = 0) -> Iterator[str]:
    """The URL of the bot's webhook, behind a server in a thread of its own."""
    app = web.Application()
    app.router.add_post(PATH, bot.handle)
    with in_a_thread("rasa") as do:
        site = do(Site.start(app, port))
        try:
            yield f"http://127.0.0.1:{site.port}{PATH}"
        finally:
            do(site.stop())
