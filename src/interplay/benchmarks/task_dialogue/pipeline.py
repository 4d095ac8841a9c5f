"""The built-in system: the domain of a turn, the state of that domain, the database, and an answer from its rows.

Each step asks the model one question with all that it needs; what is known so far is kept by the program.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from interplay.benchmarks.task_dialogue.city import ARRIVE, LEAVE, domain_of, plain
from interplay.benchmarks.task_dialogue.examples import Example, own_examples
from interplay.benchmarks.task_dialogue.filling import filled
from interplay.benchmarks.task_dialogue.lenient import Lenient, as_object, as_text, pressed
from interplay.benchmarks.task_dialogue.office import Office
from interplay.benchmarks.task_dialogue.prompt_files import PROMPTS
from interplay.benchmarks.task_dialogue.prompted import LONGEST_ANSWER, SYSTEM
from interplay.benchmarks.task_dialogue.serving import ACTIONS, BOOK, Served, Service, Turn
from interplay.core.benchmark import Options, Span
from interplay.core.conversation import Conversation, Seat
from interplay.core.forms import JsonForm, Text, object_schema
from interplay.judging.fence import fenced, mark_of

GENERAL, UNCLEAR = "general", "unclear"
STEPS = ("domain", "state", "reply")
LONGEST_SAID = 1_500  # characters of a user's words that a model is shown
LONGEST_VALUE = 100
SHOWN_EXCHANGES = 4  # that came before; what the user wants is kept by itself, however long ago it was said
SHOWN_OF_AN_EXCHANGE = 400  # characters of each side
WORDS = frozenset(("domain", "action"))  # of the forms: JSON of a user's cannot pass for one without them
HINTS = {
    LEAVE: "earliest time of leaving, as 18:30",
    ARRIVE: "latest time of arriving, as 18:30",
    "time": "time of the booking, as 18:30",
    "day": "day of the week",
    "people": "number of people",
    "stay": "number of nights",
}


def calls(options: Options) -> Span:
    """The least and the most calls per exchange: without a domain, there is no state to ask for."""
    return 2, 3


class Pipeline:
    """A system of steps, after Hudecek and Dusek."""

    # Their pipeline draws a domain at random where the model names none that there is; ours asks the user.

    def __init__(self, talk: Conversation, office: Office, options: Options):
        self._talk = talk
        self._prompts = PROMPTS.chosen(options["prompts"])
        self._service = Service(office)
        self._domains = office.city.domains
        self._seats = {step: self._seat(step) for step in STEPS}
        self._history: list[tuple[str, str]] = []
        self._last = ""  # the domain that the talk was about before

    def _seat(self, step: str) -> Seat:
        about = {"domains": ", ".join(self._domains)} if step == "domain" else {}
        brief = self._prompts.fill(f"system_{step}", **about)
        return self._talk.seat(f"{SYSTEM} {step}", role=SYSTEM, brief=brief, forgets=True)

    async def answer(self, said: str) -> str:
        # A mark of its own for every turn: one that slipped into an answer is of no use to who reads it there.
        mark = mark_of(self._talk.secret, self._talk.stage, SYSTEM, str(len(self._history)))
        heard = {
            "said": fenced(said[:LONGEST_SAID], mark, WORDS),
            "history": self._told_before(mark),
            "mark": mark,
        }
        domain = await self._domain_of(said, heard)
        served = None
        if domain in self._domains:
            self._last = domain
            served = self._service.serve(domain, await self._turn(domain, said, heard))
        text = await self._reply(served, heard, unclear=domain == UNCLEAR)
        text = filled(text, self._service.matters(text, served))
        self._service.heard(text)
        self._history.append((said, text))
        return text

    async def _domain_of(self, said: str, heard: Mapping[str, str]) -> str:
        question = self._prompts.fill("system_domain_turn", last=self._last, **heard)
        seat = self._told("domain", said, question)
        return await self._talk.ask(seat, domain_form((*self._domains, GENERAL, UNCLEAR)))

    async def _turn(self, domain: str, said: str, heard: Mapping[str, str]) -> Turn:
        counter, mark = self._service.counter, heard["mark"]
        slots = counter.slots(domain)
        hints = {slot: list(counter.values(domain, slot)) or HINTS.get(slot, "text") for slot in slots}
        likest = own_examples().like(domain, said, self._history[-1][1] if self._history else "")
        elsewhere = {"wanted": self._elsewhere(domain), "booked": self._service.bookings}
        wants = self._service.wants.get(domain, {})
        question = self._prompts.fill(
            "system_state_turn",
            domain=domain,
            slots=fenced(_json(hints), mark) if slots else "",
            bare="" if slots else "yes",
            not_bookable="" if counter.details(domain) else "yes",
            wants=fenced(_json(wants), mark) if wants else "",
            elsewhere=fenced(_json(elsewhere), mark) if any(elsewhere.values()) else "",
            examples="\n\n".join(_shown_example(one, slots) for one in likest),
            **heard,
        )
        return await self._talk.ask(
            self._told("state", f"The domain is {domain}.", question), turn_form(slots)
        )

    def _elsewhere(self, domain: str) -> dict[str, dict[str, str]]:
        return {name: wants for name, wants in self._service.wants.items() if name != domain and wants}

    async def _reply(self, served: Served | None, heard: Mapping[str, str], *, unclear: bool) -> str:
        facts = served.facts() if served else {"bookings": self._service.bookings}
        situation = self._situation(served) | {"unclear": unclear, "general": not served and not unclear}
        question = self._prompts.fill(
            "system_reply_turn",
            facts=fenced(_json(facts), heard["mark"]),
            domains=", ".join(self._domains),
            **{name: "yes" if holds else "" for name, holds in situation.items()},
            **heard,
        )
        return await self._talk.ask(self._told("reply", _json(facts), question), Text(longest=LONGEST_ANSWER))

    def _situation(self, served: Served | None) -> dict[str, bool]:
        """Which of the remarks on how to answer are called for."""
        found = dict.fromkeys(("made", "again", "refused", "lacking", "unread"), False)
        found |= dict.fromkeys(("nothing", "several", "not_bookable"), False)
        if served is None:
            return found
        if served.result:
            found[served.result] = True
        found["unread"] = bool(served.unread)
        found["nothing"] = domain_of(served.domain).rows and not served.rows
        found["several"] = len(served.rows) > 1 and served.current is None
        found["not_bookable"] = served.action == BOOK and not self._service.counter.details(served.domain)
        return found

    def _told(self, step: str, text: str, question: str) -> Seat:
        seat = self._seats[step]
        self._talk.tell([seat], text, heard_as=question)
        return seat

    def _told_before(self, mark: str) -> str:
        """The last exchanges, each a line of JSON, so that none can pass for two."""
        lines = [
            _json({"user": said[:SHOWN_OF_AN_EXCHANGE], "you": answer[:SHOWN_OF_AN_EXCHANGE]})
            for said, answer in self._history[-SHOWN_EXCHANGES:]
        ]
        return fenced("\n".join(lines), mark, WORDS) if lines else ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shown_example(example: Example, slots: tuple[str, ...]) -> str:
    reply: dict[str, Any] = {"action": example.action}
    if slots:
        reply["slots"] = {slot: example.slots.get(slot, "") for slot in slots}
    before = f"You: {example.before}\n" if example.before else ""
    return f"{before}User: {example.said}\nReply: {_json(reply)}"


@cache
def domain_form(names: tuple[str, ...]) -> Lenient[str]:
    """The form of a domain; what is none of these is unclear."""
    schema = object_schema({"domain": {"type": "string", "enum": list(names)}})

    def mend(data: dict[str, Any]) -> dict[str, Any]:
        return {"domain": _nearest_name(str(as_text(data["domain"])), names)} if "domain" in data else {}

    return Lenient(JsonForm(schema, lambda data: str(data["domain"])), mend)


def _nearest_name(said: str, names: tuple[str, ...]) -> str:
    words = set(plain(said[:LONGEST_VALUE]).split())
    found = [name for name in names if name == said or words & {plain(name), f"{plain(name)}s"}]
    return found[0] if len(found) == 1 else UNCLEAR


@cache
def turn_form(slots: tuple[str, ...]) -> Lenient[Turn]:
    """The form of a turn in a domain with these slots; those left out are empty."""
    properties: dict[str, Any] = {"action": {"type": "string", "enum": list(ACTIONS)}}
    if slots:
        value = {"type": "string", "maxLength": LONGEST_VALUE}
        properties["slots"] = object_schema(dict.fromkeys(slots, value))

    def mend(data: dict[str, Any]) -> dict[str, Any]:
        given = as_object(data.get("slots") or data)
        found: dict[str, Any] = {"slots": given}
        if isinstance(given, dict):
            by_name = {pressed(name): value for name, value in given.items()}
            found = {"slots": {slot: as_text(by_name.get(pressed(slot))) for slot in slots}}
        if "action" in data:
            found["action"] = str(as_text(data["action"])).strip().casefold()
        return found

    return Lenient(
        JsonForm(object_schema(properties), lambda data: Turn(data["action"], data.get("slots", {}))), mend
    )
