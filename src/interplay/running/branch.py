"""A process that plays conversations for a run; another one, the hub, writes the record and lets calls be sent."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import asdict
from itertools import count
from typing import Any

import msgspec

from interplay.benchmarks import OTHERS
from interplay.core.benchmark import Scenario, Score, Verdict
from interplay.core.conversation import Line
from interplay.core.failures import Failure, InterplayError, Mistake
from interplay.core.wire import Reply, Request, Step
from interplay.models.calling import Model
from interplay.running.carried import (
    Packed,
    as_text,
    pack_lines,
    pack_reply,
    pack_step,
    pack_verdict,
    tail_of,
    unpack_recall,
    unpack_reply,
    unpack_work,
)
from interplay.running.channel import Channel
from interplay.running.collecting import rare_collections
from interplay.running.looping import carried_out
from interplay.running.open_files import allow_connections
from interplay.running.plan import Work
from interplay.running.sending import Call
from interplay.running.setup import Setup
from interplay.running.table import Table
from interplay.running.tally import Tally
from interplay.store.journal import Place, Question, Recall

MOST_CONNECTIONS = 8_000  # of one process; how many there are is for the hub to say


class Errand:
    """A work that this process was given: its number, and what the hub knows of its threads."""

    def __init__(self, number: int):
        self.number = number
        self.known: set[bytes] = set()
        self.parked: int | None = None


_ERRAND: ContextVar[Errand] = ContextVar("errand")


class RemoteBook:
    """The journal, which the hub keeps."""

    def __init__(self, hub: Channel):
        self._hub = hub

    async def open_conversation(self, place: Place, protocol: str, *, anew: bool) -> int:
        return int(await self._ask("open", protocol, anew))

    async def recall(self, conversation: int, stage: str, item: str) -> Recall:
        return unpack_recall(await self._ask("recall", conversation, stage, item))

    async def keep_fact(self, conversation: int, step: Step, value: Any) -> None:
        await self._ask("fact", conversation, pack_step(step), as_text(value))

    async def finish(self, conversation: int, outcome: Any, lines: Sequence[Line], protocol: str) -> None:
        await self._ask("finish", conversation, as_text(asdict(outcome)), pack_lines(lines), protocol)

    async def park(self, conversation: int, lines: Sequence[Line]) -> None:
        await self._ask("park", conversation, pack_lines(lines))

    async def void(self, conversation: int, failure: Failure, lines: Sequence[Line]) -> None:
        await self._ask("void", conversation, (failure.name, str(failure)), pack_lines(lines))

    async def judged(self, conversation: int, item: str, verdict: Verdict) -> None:
        await self._ask("judged", conversation, item, pack_verdict(verdict))

    async def scored(self, conversation: int, scores: Sequence[Score]) -> None:
        await self._ask(
            "scored", conversation, [(one.name, one.value, one.source, one.model) for one in scores]
        )

    def _ask(self, verb: str, *body: Any) -> Awaitable[Any]:
        return self._hub.call(verb, _ERRAND.get().number, *body)


class Branch:
    """One table in a process of its own."""

    def __init__(self) -> None:
        self.hub: Channel  # set when the channel is there
        self._setup: Setup
        self._table: Table
        self._tally = Tally()
        self._told: Counter[str] = Counter()  # of the tally, what the hub knows
        self._scenarios: dict[str, Scenario] = {}
        self._models: dict[str, Model] = {}
        self._asked: dict[int, Request] = {}
        self._said: dict[int, Reply] = {}
        self._numbers = count()
        self._known_settings: set[bytes] = set()

    async def serve(self, verb: str, body: list[Any]) -> Packed:
        """Do what the hub asks for."""
        verbs: dict[str, Callable[..., Awaitable[Packed]]] = {
            "begin": self._begin,
            "attend": self._attend,
            "say": self._say,
            "stop": self._stop,
        }
        try:
            return await verbs[verb](*body)
        except InterplayError:
            raise
        except Exception as error:  # what comes up in somebody else's benchmark is told with its place
            if told := OTHERS.told(error):
                raise Mistake(told) from error
            raise

    async def _begin(self, packed: Packed) -> None:
        self._setup = msgspec.convert(packed, Setup)
        self._table = Table(
            self._setup.setting(),
            RemoteBook(self.hub),
            self._tally,
            lambda model: self._send,
            explain=self._explain,
            park=_park,
        )

    async def _stop(self) -> None:
        self._tally.stopping = True

    async def _attend(self, number: int, packed: Packed) -> Packed:
        errand = Errand(number)
        _ERRAND.set(errand)
        if packed["content"] is not None:
            content, label = packed["content"]
            self._scenarios[packed["scenario"]] = Scenario(json.loads(content), label)
        benchmark = self._table.setting.benchmark
        work = unpack_work(packed, benchmark, self._scenarios[packed["scenario"]])
        is_over = await self._table.attend(work)
        return is_over, errand.parked, self._news()

    def _news(self) -> dict[str, int]:
        """What happened here since the hub was told last."""
        tally = self._tally
        now = Counter({f"failures {name}": found for name, found in tally.failures.items()})
        for name in ("conversations_done", "verdicts_done", "restarted"):
            now[name] = getattr(tally, name)
        news = now - self._told
        self._told = now
        return dict(news)

    async def _send(self, call: Call) -> Reply:
        """Send through the hub: it writes the call down, says when to go, and writes down what was answered."""
        errand, number = _ERRAND.get(), next(self._numbers)
        self._asked[number] = call.request
        try:
            there = await self.hub.call(
                "ask",
                *(errand.number, number, call.conversation, pack_step(call.step), call.attempt),
                self._pack(call.request, errand),
            )
            return self._said[number] if there is None else unpack_reply(there)
        finally:
            del self._asked[number]
            self._said.pop(number, None)

    def _pack(self, request: Request, errand: Errand) -> Packed:
        """A request as the hub can write it down: of what it knows already, only the digests."""
        digest = request.settings_digest
        settings = None if digest in self._known_settings else request.settings
        self._known_settings.add(digest)
        base, lacking = tail_of(request.thread, errand.known)
        errand.known.add(request.thread.digest)
        return digest, settings, base, lacking, request.session

    async def _say(self, number: int) -> Packed:
        """Make a call that the hub lets go."""
        request = self._asked[number]
        reply = self._said[number] = await self._model(request.model).reply(request)
        return pack_reply(reply)

    def _model(self, name: str) -> Model:
        if name not in self._models:
            self._models[name] = self._setup.models().connect(name)
        return self._models[name]

    async def _explain(self, recorded: Question, request: Request) -> str:
        errand = _ERRAND.get()
        asked = (recorded.digest, recorded.settings, recorded.thread)
        return str(await self.hub.call("explain", errand.number, asked, self._pack(request, errand)))

    async def close(self) -> None:
        for model in self._models.values():
            await model.close()


def _park(number: int, work: Work) -> None:
    _ERRAND.get().parked = number


async def serve_hub(connect: Callable[[Callable[[], Channel]], Awaitable[Channel]]) -> None:
    """Play for the hub at the other end, until it lets go."""
    allow_connections(MOST_CONNECTIONS)
    branch = Branch()
    branch.hub = await connect(lambda: Channel(branch.serve))
    with rare_collections():
        await branch.hub.closed.wait()
    await branch.close()


def main() -> None:
    """A process that was started with one end of a pair of sockets."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end = socket.socket(fileno=int(sys.argv[1]))

    async def connect(make: Callable[[], Channel]) -> Channel:
        _, channel = await asyncio.get_running_loop().create_connection(make, sock=end)
        return channel

    carried_out(serve_hub(connect))
    os._exit(0)  # nothing is left to say, and a thread of a user's function may hang


if __name__ == "__main__":
    main()
