"""A conversation: seats with views of their own, and the few verbs a protocol is written in.

Nothing here knows where replies come from. A desk answers each step, from the record or from a model, so that
running the same coroutine again against the record is resume, recorded test and replay at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Literal, Protocol, TypeVar, overload

from interplay.core.failures import (
    Failure,
    JudgeFailure,
    Parked,
    SimulatorFailure,
    Unreadable,
    UnreadableFailure,
)
from interplay.core.forms import Form, Text, form_of
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread

T = TypeVar("T")
RoleKind = Literal["subject", "simulator", "judge"]
MOST_TRIES = 3
SHOWN_OF_A_BAD_REPLY = 4_000

_FAILURE_OF: dict[RoleKind, type[Failure]] = {
    "subject": UnreadableFailure,
    "simulator": SimulatorFailure,
    "judge": JudgeFailure,
}


@dataclass(frozen=True)
class Casting:
    """Who sits in a role: the model, how it is sampled, and what kind of role it is."""

    model: str
    sampling: Sampling
    kind: RoleKind


@dataclass(frozen=True)
class Line:
    """Something that was said, by whom ("" is the narrator), and who heard it."""

    source: str
    heard_by: tuple[str, ...]
    text: str


def alone(seat: str, role: str) -> str:
    """The key by which a cast has one seat of a role alone; ROLE 1 is the seat that is called ROLE."""
    return f"{role} 1" if seat == role else seat


class Desk(Protocol):
    """Where a conversation's replies come from."""

    async def reply(self, step: Step, request: Request) -> Reply: ...

    async def once(self, step: Step, make: Callable[[], Any]) -> Any: ...


class Seat:
    """A participant: its name, its role, and its own view of what was said."""

    def __init__(
        self,
        name: str,
        role: str,
        brief: str,
        hears_names: bool,
        past: Sequence[Message] = (),
        forgets: bool = False,
    ):
        self.name = name
        self.role = role
        self.hears_names = hears_names
        self._forgets = forgets
        self._thread: Thread | None = None
        for message in [Message("system", brief), *past] if brief else past:
            self._thread = (
                self._thread.then(message.role, message.text) if self._thread else Thread.start(message)
            )
        self._unanswered: list[str] = []
        self._asked = 0

    def __repr__(self) -> str:
        return f"Seat({self.name!r})"

    def hear(self, text: str, source: str) -> None:
        named = self.hears_names and source
        self._unanswered.append(f"{source}: {text}" if named else text)

    def turn_to_speak(self) -> Thread:
        """Its view as a thread that ends in what it has not yet answered."""
        if not self._unanswered:
            raise RuntimeError(f"{self.name} is asked, but was told nothing since it last spoke")
        heard = "\n\n".join(self._unanswered)
        return self._thread.then("user", heard) if self._thread else Thread.start(Message("user", heard))

    def next_number(self) -> int:
        self._asked += 1
        return self._asked - 1

    def has_spoken(self, thread: Thread, spoken: str) -> None:
        self._unanswered.clear()
        if not self._forgets:
            self._thread = thread.then("assistant", spoken)


class Conversation:
    """What a protocol is handed: seat, tell, ask, ask_all, listen, once."""

    def __init__(
        self,
        cast: Mapping[str, Casting],
        desk: Desk,
        *,
        scenario: Mapping[str, Any] | None = None,
        seed: int | str = 0,
        stage: str = "play",
        item: str = "",
        secret: bytes = b"",
        session: str = "",
    ):
        self.cast = cast
        self.scenario: Mapping[str, Any] = scenario or {}
        self._seed = seed
        self.stage = stage
        self.item = item
        self.secret = secret
        self.session = session
        self.lines: list[Line] = []
        self._desk = desk
        self._seats: dict[str, Seat] = {}
        self._kept: set[str] = set()

    def seat(
        self,
        name: str,
        *,
        brief: str,
        role: str = "",
        hears_names: bool = False,
        past: Sequence[Message] = (),
        forgets: bool = False,
    ) -> Seat:
        """Seat a participant; several seats of a role are ROLE, ROLE 2, ROLE 3.

        Its brief is in its own view alone, and so is what it is to take for its past in this conversation. One that
        forgets is asked each question by itself, such as a step of a system that is given all it needs.
        """
        role = role or name
        if role not in self.cast:
            raise RuntimeError(f"nobody is cast as {role!r}; the cast has {sorted(self.cast)}")
        if name in self._seats:
            raise RuntimeError(f"the seat {name!r} is taken")
        self._seats[name] = Seat(name, role, brief, hears_names, past, forgets)
        return self._seats[name]

    @cached_property
    def rng(self) -> Random:
        """Drawn from by few protocols, and costly to set up."""
        return Random(self._seed)  # noqa: S311  # draws scenarios, guards nothing

    def casting(self, seat: Seat) -> Casting:
        """Who sits in a seat: whoever is cast for it alone, else for its role."""
        return self.cast.get(alone(seat.name, seat.role)) or self.cast[seat.role]

    def tell(
        self, seats: Sequence[Seat], text: str, *, source: Seat | None = None, heard_as: str = ""
    ) -> None:
        """Let these seats, and no others, hear something; without a source the narrator says it.

        What was said stays the text itself where it is heard as something else, such as fenced in.
        """
        name = source.name if source else ""
        self.lines.append(Line(name, tuple(seat.name for seat in seats), text))
        for seat in seats:
            seat.hear(heard_as or text, name)

    @overload
    async def ask(self, seat: Seat) -> str: ...
    @overload
    async def ask(self, seat: Seat, form: type[T] | Form[T]) -> T: ...
    async def ask(self, seat: Seat, form: Any = None) -> Any:
        """What the seat says next, read by the form; a reply that cannot be read is asked for again."""
        form = _as_form(form)
        casting = self.casting(seat)
        thread = wanted = seat.turn_to_speak()
        for attempt in range(1, MOST_TRIES + 1):
            step = Step(self.stage, self.item, seat.name, seat.next_number())
            session = f"{self.session}-{seat.name}" if self.session else ""
            request = Request(casting.model, wanted, casting.sampling, form.schema, session)
            reply = await self._desk.reply(step, request)
            try:
                understood = form.read(reply)
            except Unreadable as problem:
                if attempt == MOST_TRIES:
                    raise _FAILURE_OF[casting.kind](f"{seat.name}: {problem}") from problem
                said = reply.text.strip()[:SHOWN_OF_A_BAD_REPLY] or "(nothing)"
                wanted = thread.then("assistant", said).then("user", str(problem))
                continue
            seat.has_spoken(thread, understood.spoken)
            self.lines.append(Line(seat.name, (seat.name,), understood.spoken))
            return understood.value
        raise AssertionError("unreachable: the last try returns or raises")

    async def ask_all(self, seats: Sequence[Seat], form: type[T] | Form[T] | Sequence[Form[T]]) -> list[T]:
        """Ask several seats at once, by one form or each by its own.

        They are heard in seat order, whatever order the replies came in. Where a person is to speak, or a reply will be
        asked for again next time, those of the others come back first, and so are in the record.
        """
        before = len(self.lines)
        forms = form if isinstance(form, Sequence) else [form] * len(seats)
        asked = [asyncio.ensure_future(self._ask_or_hold(*one)) for one in zip(seats, forms, strict=True)]
        try:
            answers = await asyncio.gather(*asked)
        finally:
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
            order = {seat.name: place for place, seat in enumerate(seats)}
            self.lines[before:] = sorted(self.lines[before:], key=lambda line: order[line.source])
        for kind in (Failure, Parked):
            for answer in answers:
                if isinstance(answer, kind):
                    raise answer
        return answers

    async def _ask_or_hold(self, seat: Seat, form: Any) -> Any:
        """The seat's answer, or why there is none yet, which waits until all have come back."""
        try:
            return await self.ask(seat, form)
        except Parked as parked:
            return parked
        except Failure as failure:
            if failure.again:  # what the others are asked now would be paid for twice
                return failure
            raise

    def listen(self, seat: Seat | None = None) -> tuple[Line, ...]:
        """What was said so far: all of it, or as one seat heard and said it."""
        if seat is None:
            return tuple(self.lines)
        return tuple(line for line in self.lines if seat.name in line.heard_by)

    @overload
    async def once(self, name: str, make: Callable[[], Awaitable[T]]) -> T: ...
    @overload
    async def once(self, name: str, make: Callable[[], T]) -> T: ...
    async def once(self, name: str, make: Callable[[], Any]) -> Any:
        """A JSON value that is made the first time, at once or in a while, and read from the record ever after."""
        if name in self._kept:
            raise RuntimeError(f"once({name!r}) was asked twice in one conversation")
        self._kept.add(name)
        return await self._desk.once(Step(self.stage, self.item, name, 0), make)


def _as_form(form: Any) -> Form[Any]:
    if form is None:
        return Text()
    return form_of(form) if isinstance(form, type) else form
