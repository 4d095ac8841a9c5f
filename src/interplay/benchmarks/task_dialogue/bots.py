"""Bots for trials: a system that calls tools as the rules would, and a judge of known mind.

They are stateless, as models are: what was said and found before is read out of the messages each time.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from interplay.benchmarks.task_dialogue.agent import BOOK, LOOK_UP, REPLY
from interplay.benchmarks.task_dialogue.city import ARRIVE, LEAVE, City, Row
from interplay.benchmarks.task_dialogue.office import Booking, Office, Refusal
from interplay.benchmarks.task_dialogue.rules import Rules
from interplay.benchmarks.task_dialogue.understanding import Heard
from interplay.core.wire import digest_of
from interplay.models.loopback import Asked

Mishears = Callable[[str, str, str], bool]  # by the first words of a dialogue, a domain and a slot
NOBODY = "qwxyz"
UNHEARD = {"people": "97", "stay": "96", "day": "someday", "time": "03:00", LEAVE: "23:59", ARRIVE: "00:01"}
_FENCED = re.compile(r"<<([0-9a-f]{12})\n(.*?)\n\1>>", re.DOTALL)
RESULT = "The result:"


class _Wanted(Exception):
    """A tool must be used before anything can be said."""

    def __init__(self, step: Mapping[str, Any]):
        super().__init__(step["tool"])
        self.step = step


@dataclass
class _Remembered(Office):
    """An office that knows the results in the messages, and asks for the next one by a step."""

    results: list[Mapping[str, Any]] = field(default_factory=list)

    def look_up(self, domain: str, wanted: Mapping[str, str]) -> list[Row]:
        return list(self._next(LOOK_UP, domain, wanted, "").get("rows", ()))

    def book(self, domain: str, title: str, details: Mapping[str, str]) -> Booking | Refusal:
        result = self._next(BOOK, domain, details, title)
        if "booked" in result:
            made = result["booked"]
            return Booking(domain, made["title"], {**details, **made["details"]}, made["reference"])
        why = result.get("refused", {}).get("why") or result.get("error", "it is refused")
        return Refusal(domain, title, dict(details), why, tuple(result.get("free_instead", ())))

    def _next(self, tool: str, domain: str, slots: Mapping[str, str], title: str) -> Mapping[str, Any]:
        if not self.results:
            pairs = [{"slot": slot, "value": value} for slot, value in slots.items()]
            raise _Wanted(_step(tool, domain=domain, slots=pairs, title=title))
        return self.results.pop(0)


def _step(tool: str, **parts: Any) -> dict[str, Any]:
    return {"thought": "", "tool": tool, "domain": "", "slots": [], "title": "", "text": "", **parts}


def tool_caller(city: City, mishears: Mishears = lambda first, domain, slot: False) -> Callable[[Asked], str]:
    """A system behind an endpoint that does what the rules do, by the tools of the agent; it may mishear slots.

    What is misheard is a value that nobody has: the wish is refused, or the booking is not the one that was wanted.
    """

    def answer(asked: Asked) -> str:
        said, results = _heard(asked)

        def hear(heard: Heard) -> Heard:
            for slots in (heard.wanted, heard.booking):
                for slot in slots:
                    if mishears(said[0], heard.domain, slot):
                        slots[slot] = UNHEARD.get(slot, NOBODY)
            return heard

        rules = Rules(_Remembered(city, "", results=results), hear)
        try:
            text = [rules.reply(one) for one in said][-1]
        except _Wanted as wanted:
            return json.dumps(wanted.step)
        return json.dumps(_step(REPLY, text=text))

    return answer


def _heard(asked: Asked) -> tuple[list[str], list[Mapping[str, Any]]]:
    """All that the user said, and all results of tools, out of the messages."""
    said, results = [], []
    for message in asked.messages:
        if message["role"] == "user":
            text = str(message["content"])
            inner = _FENCED.search(text)
            if inner and text.startswith(RESULT):
                results.append(json.loads(inner[2]))
            elif inner:
                said.append(inner[2])
    return said, results


def judge(completed: float, seed: int) -> Callable[[Asked], str]:
    """A judge that calls dialogues complete at a rate of its own, by chance; all its ratings are the lowest."""

    def answer(asked: Asked) -> str:
        properties = (asked.schema or {}).get("properties", {})
        values: dict[str, Any] = {}
        for name, schema in properties.items():
            values[name] = "As I see it." if schema.get("type") == "string" else _lowest(schema)
        if "completed" in properties:
            shown = [str(message["content"]) for message in asked.messages]
            dialogue = [inner for text in shown for _, inner in _FENCED.findall(text)]
            drawn = Random(digest_of([seed, dialogue])).random()  # noqa: S311 - plays, guards nothing
            values["completed"] = int(drawn < completed)
        return json.dumps(values)

    return answer


def _lowest(schema: Mapping[str, Any]) -> int:
    return int(schema["enum"][0]) if "enum" in schema else int(schema.get("minimum", 0))
