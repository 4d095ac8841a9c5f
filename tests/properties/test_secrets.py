"""A secret cannot leak: whatever is told to whom, a request holds only what its seat was told or said itself."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from interplay.core.conversation import Casting, Conversation, Seat
from interplay.core.forms import Text
from interplay.core.wire import Reply, Request, Sampling, Step

SEATS = ("ann", "bob", "cyd", "dee")
MARKER = re.compile(r"marker-\d+-")


@dataclass(frozen=True)
class Note:
    text: str


@dataclass(frozen=True)
class Tell:
    to: tuple[str, ...]
    source: str  # "" is the narrator
    repeat: bool  # pass the last thing the source said on, instead of something new


@dataclass(frozen=True)
class Ask:
    seats: tuple[str, ...]  # several are asked at once
    form: bool
    bad_replies: int


SOME_SEATS = st.lists(st.sampled_from(SEATS), min_size=1, unique=True).map(tuple)
ACTIONS = st.lists(
    st.builds(Tell, SOME_SEATS, st.sampled_from(("", *SEATS)), st.booleans())
    | st.builds(Ask, SOME_SEATS, st.booleans(), st.integers(0, 2)),
    min_size=1,
    max_size=25,
)


class Party:
    """Plays a list of actions, is the desk of it, and keeps account of what each seat may know."""

    def __init__(self, hears_names: dict[str, bool]):
        cast = {name: Casting(f"model of {name}", Sampling(), "subject") for name in SEATS}
        self.talk = Conversation(cast, self)
        self.requests: list[tuple[str, set[str], set[str]]] = []  # seat, found in the request, known by then
        self.may_know: defaultdict[str, set[str]] = defaultdict(set)
        self.bad: set[str] = set()
        self.waiting: set[str] = set()
        self.last_said: dict[str, str] = {}
        self.made = 0
        self.bad_left: dict[str, int] = {}
        self.form = False
        self.briefs = {name: self.marker() for name in SEATS}
        self.seats: dict[str, Seat] = {}
        for name, brief in self.briefs.items():
            self.seats[name] = self.talk.seat(name, brief=f"You are {brief}", hears_names=hears_names[name])
            self.may_know[name].add(brief)

    def marker(self) -> str:
        self.made += 1
        return f"marker-{self.made}-"

    async def reply(self, step: Step, request: Request) -> Reply:
        name = step.participant
        found = set(MARKER.findall("\n".join(message.text for message in request.thread.messages())))
        self.requests.append((name, found, set(self.may_know[name])))
        said = self.marker()
        await asyncio.sleep(0)
        if self.form and self.bad_left[name]:
            self.bad_left[name] -= 1
            self.bad.add(said)
            self.may_know[name].add(said)
            return Reply(f"{said}, and no JSON", stop="stop")
        self.may_know[name].add(said)
        self.last_said[name] = said
        return Reply(f'{{"text": "{said}"}}' if self.form else said, stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()

    def tell(self, action: Tell) -> None:
        text = self.last_said.get(action.source, "") if action.repeat else ""
        text = text or self.marker()
        source = self.seats[action.source] if action.source else None
        self.talk.tell([self.seats[name] for name in action.to], f"Hear: {text}", source=source)
        for name in action.to:
            self.may_know[name].add(text)
            self.waiting.add(name)

    async def ask(self, action: Ask) -> None:
        asked = [name for name in action.seats if name in self.waiting]
        self.form = action.form
        self.bad_left = dict.fromkeys(asked, action.bad_replies)
        form: Any = Note if action.form else Text()
        if len(asked) == 1:
            await self.talk.ask(self.seats[asked[0]], form)
        elif asked:
            await self.talk.ask_all([self.seats[name] for name in asked], form)
        self.waiting -= set(asked)

    async def play(self, actions: list[Tell | Ask]) -> None:
        for action in actions:
            if isinstance(action, Tell):
                self.tell(action)
            else:
                await self.ask(action)
        for name in SEATS:  # every seat is asked in the end, so that every view is seen whole
            self.tell(Tell((name,), "", False))
            await self.ask(Ask((name,), False, 0))


def played(actions: list[Tell | Ask], hears_names: list[bool]) -> Party:
    party = Party(dict(zip(SEATS, hears_names, strict=True)))
    asyncio.run(party.play(actions))
    return party


EARS = st.lists(st.booleans(), min_size=len(SEATS), max_size=len(SEATS))


@settings(max_examples=150, deadline=None)
@given(ACTIONS, EARS)
def test_a_request_holds_only_what_its_seat_was_told_or_said_itself(
    actions: list[Tell | Ask], hears_names: list[bool]
) -> None:
    for seat, found, known in played(actions, hears_names).requests:
        assert found <= known, f"{seat} was shown {sorted(found - known)}"


@settings(max_examples=75, deadline=None)
@given(ACTIONS, EARS)
def test_a_request_holds_all_that_its_seat_was_told_and_said_but_the_replies_it_took_back(
    actions: list[Tell | Ask], hears_names: list[bool]
) -> None:
    party = played(actions, hears_names)
    last = {seat: (found, known) for seat, found, known in party.requests}

    for found, known in last.values():
        assert found == known - party.bad


@settings(max_examples=75, deadline=None)
@given(ACTIONS, EARS)
def test_no_brief_is_in_another_ones_view_as_long_as_nobody_tells_it(
    actions: list[Tell | Ask], hears_names: list[bool]
) -> None:
    party = played(actions, hears_names)

    for seat, found, _ in party.requests:
        assert found & set(party.briefs.values()) == {party.briefs[seat]}


def test_a_brief_that_is_told_is_in_the_views_of_those_it_was_told_to_alone() -> None:
    party = Party(dict.fromkeys(SEATS, False))
    secret = party.briefs["ann"]
    party.talk.tell([party.seats["bob"]], f"ann is {secret}")
    party.may_know["bob"].add(secret)
    asyncio.run(party.play([]))

    assert {seat for seat, found, _ in party.requests if secret in found} == {"ann", "bob"}


@settings(max_examples=50, deadline=None)
@given(ACTIONS, EARS)
def test_listening_as_a_seat_gives_no_more_than_it_may_know(
    actions: list[Tell | Ask], hears_names: list[bool]
) -> None:
    party = played(actions, hears_names)

    for name, seat in party.seats.items():
        heard = set(MARKER.findall("\n".join(line.text for line in party.talk.listen(seat))))
        assert heard == party.may_know[name] - party.bad - {party.briefs[name]}
