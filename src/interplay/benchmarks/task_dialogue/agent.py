"""A system that calls tools: the model looks up and books, step by step, until it has something to say."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from interplay.benchmarks.task_dialogue.city import ARRIVE, LEAVE, TIMES, domain_of
from interplay.benchmarks.task_dialogue.counter import TAXI, Counter, shown, told, unreadable
from interplay.benchmarks.task_dialogue.lenient import Lenient, as_object, as_text, pressed
from interplay.benchmarks.task_dialogue.office import Office
from interplay.benchmarks.task_dialogue.prompt_files import PROMPTS
from interplay.benchmarks.task_dialogue.prompted import LONGEST_ANSWER, SYSTEM
from interplay.benchmarks.task_dialogue.values import brought_into_form
from interplay.core.benchmark import Options, Span
from interplay.core.conversation import Conversation
from interplay.core.failures import Unreadable, nearest
from interplay.core.forms import JsonForm, object_schema
from interplay.judging.fence import fenced, mark_of

LOOK_UP, BOOK, REPLY = TOOLS = ("look_up", "book", "reply")
MOST_USES = 6  # of tools in one exchange, before a reply is demanded
MOST_SLOTS = 20
LONGEST_THOUGHT = 600
LONGEST_NAME = 60
LONGEST_VALUE = 100
LONGEST_SAID = 1_500
WORDS = frozenset(("tool",))  # of the form: JSON of a user's cannot pass for a step without it


@dataclass(frozen=True)
class Use:
    """One step of the agent: a tool and what it is used with, or a reply."""

    tool: str
    domain: str
    slots: Mapping[str, str]
    title: str
    text: str


READABLE = {
    "leaveAt": "a time is as in 18:30",
    "arriveBy": "a time is as in 18:30",
    "time": "a time is as in 18:30",
    "day": "a day is as in monday",
    "people": "a number of people is from 1 to 99",
    "stay": "a number of nights is from 1 to 99",
}


class ToolError(ValueError):
    """A tool was used wrongly; the text is told to the agent."""


def calls(options: Options) -> Span:
    """The least and the most calls per exchange."""
    return 1, MOST_USES + 1


class Agent:
    """A tool-calling agent. Tools are a form of ours, not a provider's: every model that writes JSON can take part."""

    def __init__(self, talk: Conversation, office: Office, options: Options):
        self._talk = talk
        self._counter = Counter(office)
        self._city = office.city
        self._prompts = PROMPTS.chosen(options["prompts"])
        self._mark = mark_of(talk.secret, talk.stage, SYSTEM)
        brief = self._prompts.fill(
            "system_agent",
            domains=fenced(_json(self._offers()), self._mark),
            most=str(MOST_USES),
            mark=self._mark,
        )
        self._seat = talk.seat(SYSTEM, brief=brief)

    def _offers(self) -> dict[str, Any]:
        """What each domain is looked up by, with the values where they are few, and what its bookings need."""
        counter = self._counter
        return {
            domain: {
                LOOK_UP: {slot: list(counter.values(domain, slot)) for slot in counter.search_slots(domain)}
                if domain_of(domain).rows
                else None,
                BOOK: self._details(domain) or None,
            }
            for domain in self._city.domains
        }

    async def answer(self, said: str) -> str:
        heard = self._prompts.fill(
            "system_agent_turn", said=fenced(said[:LONGEST_SAID], self._mark, WORDS), most=str(MOST_USES)
        )
        self._talk.tell([self._seat], said, heard_as=heard)
        for left in range(MOST_USES - 1, -1, -1):
            use = await self._talk.ask(self._seat, STEP)
            if use.tool == REPLY:
                return use.text
            result = _json(self._result(use))
            heard = self._prompts.fill(
                "system_agent_result",
                result=fenced(result, self._mark, WORDS),
                left=str(left) if left else "",
                last="" if left else "yes",
            )
            self._talk.tell([self._seat], result, heard_as=heard)
        return (await self._talk.ask(self._seat, LAST_STEP)).text

    def _result(self, use: Use) -> dict[str, Any]:
        try:
            domain = _known(use.domain, self._city.domains, "domain")
            return self._look_up(domain, use) if use.tool == LOOK_UP else self._book(domain, use)
        except ToolError as error:
            return {"error": str(error)}

    def _look_up(self, domain: str, use: Use) -> dict[str, Any]:
        if not domain_of(domain).rows:
            raise ToolError(f"a {domain} is not looked up but booked; {self._needs(domain)}")
        wanted, unused = self._values(domain, use.slots, self._counter.search_slots(domain))
        if use.title.strip():
            wanted.setdefault(domain_of(domain).title, self._title(domain, use.title))
        rows = self._counter.look_up(domain, wanted)
        instead = {} if rows else self._counter.instead(domain, wanted)
        found = {"rows_found": len(rows), "rows": shown(rows), "would_be_found_with": instead}
        return _without_empty(found | {"not_used": unused})

    def _book(self, domain: str, use: Use) -> dict[str, Any]:
        slots = self._counter.details(domain)
        if not slots:
            raise ToolError(f"nothing is booked in the domain {domain}")
        details, unused = self._values(domain, use.slots, slots)
        if lacking := self._counter.lacking(domain, details):
            raise ToolError(f"the booking lacks {', '.join(lacking)}; {self._needs(domain)}")
        named = use.title.strip() or self._named(domain, use.slots)
        title = "" if domain == TAXI else self._title(domain, named)
        unused = [slot for slot in unused if slot != domain_of(domain).title]
        return _without_empty(told(self._counter.book(domain, title, details)) | {"not_used": unused})

    def _title(self, domain: str, said: str) -> str:
        """The title of a row, as the database has it."""
        slot = domain_of(domain).title
        if not said.strip():
            raise ToolError(f"title must say which {domain} is meant, by its {slot}")
        title = brought_into_form(slot, said, self._city.values(domain, slot), of_names=True)
        if not self._city.titled(domain, title):
            close = get_close_matches(title.casefold(), self._city.values(domain, slot), n=1)
            remedy = f"did you mean {close[0]!r}?" if close else "look up which there are"
            raise ToolError(f"there is no {domain} called {said!r}; {remedy}")
        return title

    def _named(self, domain: str, slots: Mapping[str, str]) -> str:
        """The title that stands among the slots, where it has no place of its own."""
        wanted = pressed(domain_of(domain).title)
        return next((value for slot, value in slots.items() if pressed(slot) == wanted), "")

    def _needs(self, domain: str) -> str:
        return f"a booking of a {domain} needs {', '.join(self._details(domain))}"

    def _details(self, domain: str) -> list[str]:
        """What a booking needs, in words: of the two times of a taxi one."""
        slots = [slot for slot in self._counter.details(domain) if domain != TAXI or slot not in TIMES]
        return [*slots, f"{LEAVE} or {ARRIVE}"] if domain == TAXI else slots

    def _values(
        self, domain: str, slots: Mapping[str, str], used: tuple[str, ...]
    ) -> tuple[dict[str, str], list[str]]:
        """The values of the slots that are used here, and the other slots of the domain that were given."""
        found, unused = {}, []
        for slot, said in slots.items():
            name = _known(slot, self._counter.slots(domain), f"slot in the domain {domain}")
            if name not in used:
                unused.append(name)
            elif value := self._counter.value(domain, name, said):
                found[name] = value
        for slot in unreadable(found):
            raise ToolError(
                f"{slot} cannot be {found[slot]!r}; {READABLE.get(slot, 'say it in another way')}"
            )
        return found, unused


def _known(name: str, valid: Sequence[str], what: str) -> str:
    """A name as it is spelt here."""
    spelt = {pressed(one): one for one in valid}
    if pressed(name) not in spelt:
        raise ToolError(f"there is no {what} called {name!r}; {nearest(name, valid)}")
    return spelt[pressed(name)]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _without_empty(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if value or name in ("rows_found", "rows")}


def _text(longest: int, least: int = 0) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest} | ({"minLength": least} if least else {})


def _step_form(tools: Sequence[str]) -> Lenient[Use]:
    """The form of a step; strict endpoints know no free names in an object, so a slot and its value are a pair."""
    pair = object_schema({"slot": _text(LONGEST_NAME), "value": _text(LONGEST_VALUE)})
    schema = object_schema(
        {
            "thought": _text(LONGEST_THOUGHT),
            "tool": {"type": "string", "enum": list(tools)},
            "domain": _text(LONGEST_NAME),
            "slots": {"type": "array", "items": pair, "maxItems": MOST_SLOTS},
            "title": _text(LONGEST_VALUE),
            "text": _text(LONGEST_ANSWER),
        }
    )
    return Lenient(JsonForm(schema, _use), _mended)


def _use(data: dict[str, Any]) -> Use:
    if data["tool"] == REPLY and not data["text"].strip():
        raise Unreadable("Your reply does not fit the form: with the tool reply, text must not be empty.")
    slots = {pair["slot"]: pair["value"] for pair in data["slots"]}
    return Use(data["tool"], data["domain"], slots, data["title"], data["text"].strip())


def _mended(data: dict[str, Any]) -> dict[str, Any]:
    """A step in which what is not needed may be left out, and slots may be an object."""
    found: dict[str, Any] = {name: as_text(data.get(name)) for name in ("thought", "domain", "title", "text")}
    slots = as_object(data.get("slots") or [])
    if isinstance(slots, dict):
        slots = [{"slot": name, "value": as_text(value)} for name, value in slots.items()]
    found["slots"] = slots
    if "tool" in data:
        tool = str(as_text(data["tool"])).strip().casefold().replace(" ", "_").replace("-", "_")
        found["tool"] = LOOK_UP if tool == "lookup" else tool
    return found


STEP = _step_form(TOOLS)
LAST_STEP = _step_form((REPLY,))
