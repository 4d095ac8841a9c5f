"""The hub of a run that is played in several processes: it gives works out, lets calls be sent, and alone writes."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import Context, copy_context
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from typing import Any

from interplay.core.benchmark import Score
from interplay.core.failures import FAILURES, Mistake
from interplay.core.forms import build
from interplay.core.people import is_person
from interplay.core.wire import Reply, Request, Sampling, Thread
from interplay.models.calling import Model
from interplay.models.connecting import Directory
from interplay.models.prices import Price
from interplay.running.carried import (
    Packed,
    grown,
    pack_recall,
    pack_reply,
    pack_work,
    unpack_lines,
    unpack_reply,
    unpack_step,
    unpack_verdict,
)
from interplay.running.channel import Channel, ChannelClosed
from interplay.running.divergence import what_changed
from interplay.running.launching import Launched, Launcher, NoRoom
from interplay.running.plan import Work
from interplay.running.sending import Call
from interplay.running.setup import Setup
from interplay.running.tally import Tally
from interplay.running.wiring import Lines
from interplay.store.journal import Journal, Question
from interplay.store.records import Records

MOST_LOSSES = 5  # processes that end in a row without a work done: then it is no accident
_LOST = "the worker processes keep ending ({how}); fewer of them, with --workers, need less memory"


async def _nobody() -> Reply:
    raise RuntimeError("this request is only looked at")


@dataclass(frozen=True)
class CarriedRequest(Request):
    """A request of another process, which makes the call itself when it is let go."""

    perform: Callable[[], Awaitable[Reply]] = _nobody


class Elsewhere:
    """A model that is called by whichever process asks; here, it is only known what holds for its calls."""

    def __init__(self, model: Model):
        self.name = model.name
        self.endpoint = model.endpoint
        self.most_connections: int | None = model.most_connections
        self.price: Price | None = model.price
        self.remembers = model.remembers
        self.ignores = model.ignores

    async def check(self) -> None:
        pass

    async def reply(self, request: Request) -> Reply:
        if not isinstance(request, CarriedRequest):
            raise RuntimeError(f"{self.name} is called by other processes, and was called here")
        return await request.perform()

    async def close(self) -> None:
        pass


def elsewhere(models: Sequence[Model], directory: Directory, launcher: Launcher) -> list[Model]:
    """The models with those that other processes call by themselves; weights are loaded once, and functions of this
    process stay in it."""

    def stays(model: Model) -> bool:
        kind = directory.entry(model.name).model.partition("/")[0]
        is_file = kind == "python" and not launcher.same_folder
        return model.name in directory.made or kind == "local" or is_file or is_person(model.name)

    return [model if stays(model) else Elsewhere(model) for model in models]


@dataclass(frozen=True)
class Office:
    """What the hub has that no other process of the run has."""

    journal: Journal
    records: Records
    lines: Lines
    tally: Tally
    park: Callable[[int, Work], None]


@dataclass(eq=False)
class Errand:
    """A work that was given out, with the threads that its requests have shown so far."""

    work: Work
    context: Context  # whoever waits for the work counts what its calls use
    threads: dict[bytes, Thread] = field(default_factory=dict)
    conversations: set[int] = field(default_factory=set)  # that were opened for it
    opening: "asyncio.Future[int] | None" = None  # one that is being opened

    def opened(self, conversation: int) -> int:
        """If the process that plays is lost, the next one goes on with what was opened."""
        self.work = replace(self.work, anew=False)
        self.conversations.add(conversation)
        return conversation

    async def left(self, journal: Journal) -> Work:
        """The work as another process is to take it up, after the one that had it was lost."""
        if self.opening is not None:
            self.opened(await self.opening)  # it is written even though nobody waited for it any more
        for conversation in self.conversations:
            journal.left(conversation)
        return self.work


@dataclass(eq=False)
class Branch:
    """A process that plays, as the hub sees it."""

    launched: Launched
    errands: dict[int, Errand] = field(default_factory=dict)
    scenarios: set[str] = field(default_factory=set)  # those that it has seen

    @property
    def channel(self) -> Channel:
        return self.launched.channel


class Hub:
    """Gives works to processes, and stays in charge of all that they share."""

    def __init__(self, office: Office, setup: Setup, launcher: Launcher):
        self._office = office
        self._setup = asdict(setup)
        self._outcome = setup.setting().benchmark.outcome
        self._launcher = launcher
        self._branches: list[Branch] = []
        self._numbers = count()
        self._settings: dict[bytes, tuple[str, Sampling, Mapping[str, Any] | None]] = {}
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._losses = 0  # in a row
        self._coming = 0  # processes that are being replaced
        self._how_lost = ""
        self._trouble: Mistake | None = None  # with starting another one
        self._closing = False

    async def __aenter__(self) -> "Hub":
        starting = [self._start() for _ in range(self._launcher.count)]
        came_to = await asyncio.gather(*starting, return_exceptions=True)
        problems = [one for one in came_to if isinstance(one, BaseException)]
        room = all(isinstance(one, NoRoom) for one in problems) and len(problems) < len(came_to)
        if problems and not room:
            await self.__aexit__()
            raise problems[0]
        self._office.tally.workers_without_room = len(problems)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(one.launched.end() for one in self._branches), return_exceptions=True)

    async def attend(self, work: Work) -> bool:
        """Have a work done by some process; if that is lost, by another, from where the record is."""
        while True:
            branch = await self._least_busy()
            if branch is None:
                return True  # the run was stopped
            number = next(self._numbers)
            errand = branch.errands[number] = Errand(work, copy_context())
            with_scenario = work.place.scenario.id not in branch.scenarios
            branch.scenarios.add(work.place.scenario.id)
            try:
                packed = pack_work(work, with_scenario=with_scenario)
                is_over, parked, news = await branch.channel.call("attend", number, packed)
            except ChannelClosed:
                work = await errand.left(self._office.journal)
                continue
            finally:
                del branch.errands[number]
            self._losses = 0
            self._count(news)
            if parked is not None:
                self._office.park(parked, work)
            return bool(is_over)

    def stop(self) -> None:
        """Tell everybody that nothing more is sent."""
        for branch in self._branches:
            branch.channel.tell("stop")

    def _count(self, news: Mapping[str, int]) -> None:
        tally = self._office.tally
        for name, found in news.items():
            if name.startswith("failures "):
                tally.failures[name.removeprefix("failures ")] += found
            else:
                setattr(tally, name, getattr(tally, name) + found)

    async def _start(self) -> None:
        """Start a process and tell it what it needs to know."""
        branch: Branch

        def make() -> Channel:
            return Channel(
                lambda verb, body: self._serve(branch, verb, body), lambda body: _context(branch, body)
            )

        branch = Branch(await self._launcher.launch(make))
        has_begun = False
        try:
            await branch.channel.call("begin", self._setup)
            has_begun = True
        except ChannelClosed:
            await self._replace(branch)
            return
        finally:
            if not has_begun:
                await branch.launched.end()
        self._branches.append(branch)
        self._do(self._watch(branch))
        async with self._changed:
            self._changed.notify_all()
        if self._office.tally.stopping:
            self.stop()

    def _do(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watch(self, branch: Branch) -> None:
        """Put another process in the place of one that is lost."""
        await branch.channel.closed.wait()
        if not self._closing:
            self._branches.remove(branch)
            await self._replace(branch)

    async def _replace(self, branch: Branch) -> None:
        """Start another one, unless they end again and again; where none can be started, those that are there go on."""
        self._coming += 1
        self._losses += 1
        self._office.tally.lost_workers += 1
        try:
            await branch.launched.end()
            self._how_lost = branch.launched.how_it_ended()
            # all of them may be lost at one time, by one accident
            if self._losses < MOST_LOSSES + self._launcher.count - 1 and not self._office.tally.stopping:
                await self._start()
        except Mistake as problem:
            self._trouble = problem
        finally:
            self._coming -= 1
            async with self._changed:
                self._changed.notify_all()

    async def _least_busy(self) -> Branch | None:
        """The process with the fewest works; None where there is none any more because the run was stopped."""

        def there() -> list[Branch]:  # one that is gone may not have been taken off yet
            return [one for one in self._branches if not one.channel.closed.is_set()]

        async with self._changed:
            await self._changed.wait_for(lambda: there() or not (self._branches or self._coming))
        found = there()
        if not found and self._office.tally.stopping:
            return None
        if not found:
            raise self._trouble or Mistake(_LOST.format(how=self._how_lost))
        return min(found, key=lambda one: len(one.errands))

    async def _serve(self, branch: Branch, verb: str, body: list[Any]) -> Packed:
        """What a process asks for, of the work with this number."""
        number, *rest = body
        errand = branch.errands[number]
        if verb == "ask":
            return await self._ask(branch, errand, *rest)
        if verb == "explain":
            asked, packed = rest
            return what_changed(self._office.records, Question(*asked), self._request(errand, packed))
        return await self._write(errand, verb, rest)

    async def _ask(
        self, branch: Branch, errand: Errand, number: int, conversation: int, step: Packed, *rest: Any
    ) -> Packed:
        """Send a call as any call is sent, but for the call itself; nothing goes back of what the process has."""
        attempt, packed = rest
        made_there = False

        async def perform() -> Reply:
            nonlocal made_there
            made_there = True
            return unpack_reply(await branch.channel.call("say", number))

        request = self._request(errand, packed, perform)
        send = self._office.lines.sends[request.model]
        reply = await send(Call(conversation, unpack_step(step), attempt, request))
        return None if made_there else pack_reply(reply)

    def _request(
        self, errand: Errand, packed: Packed, perform: Callable[[], Awaitable[Reply]] = _nobody
    ) -> CarriedRequest:
        digest, settings, base, lacking, session = packed
        if settings is not None and digest not in self._settings:
            known = json.loads(settings)
            self._settings[digest] = known["model"], Sampling(**known["sampling"]), known["schema"]
        model, sampling, schema = self._settings[digest]
        thread = grown(errand.threads[base] if base else None, lacking)
        errand.threads[thread.digest] = thread
        return CarriedRequest(model, thread, sampling, schema, session, perform=perform)

    async def _write(self, errand: Errand, verb: str, body: list[Any]) -> Packed:
        journal = self._office.journal
        if verb == "open":
            protocol, anew = body
            errand.opening = asyncio.ensure_future(
                journal.open_conversation(errand.work.place, protocol, anew=anew)
            )
            return errand.opened(await asyncio.shield(errand.opening))
        conversation, *rest = body
        if verb == "recall":
            return pack_recall(await journal.recall(conversation, *rest))
        if verb == "fact":
            await journal.keep_fact(conversation, unpack_step(rest[0]), json.loads(rest[1]))
        elif verb == "finish":
            outcome, lines, protocol = rest
            await journal.finish(
                conversation, build(self._outcome, json.loads(outcome)), unpack_lines(lines), protocol
            )
        elif verb == "park":
            await journal.park(conversation, unpack_lines(rest[0]))
        elif verb == "void":
            (name, detail), lines = rest
            await journal.void(conversation, FAILURES[name](detail), unpack_lines(lines))
        elif verb == "judged":
            await journal.judged(conversation, rest[0], unpack_verdict(rest[1]))
        elif verb == "scored":
            await journal.scored(conversation, [Score(*one) for one in rest[0]])
        else:
            raise RuntimeError(f"nobody asks the hub to {verb!r}")
        return None


def _context(branch: Branch, body: list[Any]) -> Context | None:
    errand = branch.errands.get(body[0])
    return errand.context.copy() if errand else None
