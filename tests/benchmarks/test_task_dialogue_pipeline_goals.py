"""Goals through the pipeline: a user by rule, and a model that understands by rule, meet every goal that ships."""

import json
from collections.abc import Callable
from typing import Any

from interplay.benchmarks.task_dialogue.agenda import Agenda
from interplay.benchmarks.task_dialogue.city import City, domain_of, known, own_city
from interplay.benchmarks.task_dialogue.dialogue import GOING_ON, Dialogue, Exchange
from interplay.benchmarks.task_dialogue.goals import Goal
from interplay.benchmarks.task_dialogue.objective import offers_in, succeeded
from interplay.benchmarks.task_dialogue.office import Office
from interplay.benchmarks.task_dialogue.pipeline import Pipeline
from interplay.benchmarks.task_dialogue.scenarios import own_goals
from interplay.benchmarks.task_dialogue.understanding import Heard, understand
from interplay.core.conversation import Conversation
from interplay.core.wire import Reply, Request, Step
from tests.benchmarks.system_stage import CAST, FENCE, OPTIONS

MOST_EXCHANGES = 25
EVERY = 4  # of the goals that ship


class Understanding:
    """A model behind the pipeline that reads what stands between marks and understands by rule."""

    def __init__(self, city: City):
        self._city = city
        self._heard = Heard()

    async def reply(self, step: Step, request: Request) -> Reply:
        fenced = [found[2] for found in FENCE.finditer(request.thread.message.text)]
        if step.participant == "system reply":
            return Reply(self._answer(json.loads(fenced[-2])), stop="stop")
        said: dict[str, Any]
        if step.participant == "system domain":
            self._heard = understand(fenced[-1], self._city, self._heard.domain)
            said = {"domain": self._heard.domain or "unclear"}
        else:
            said = self._state(fenced[-1])
        return Reply(json.dumps(said), stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()

    def _state(self, text: str) -> dict[str, Any]:
        heard = self._heard
        slots = {**heard.wanted, **heard.booking}
        for domain, row in self._city.named_in(text):
            if domain == heard.domain == "hospital":
                slots["department"] = row["department"]
        action = "request" if heard.requests else "search"
        return {"action": "book" if heard.books else action, "slots": slots}

    def _answer(self, facts: dict[str, Any]) -> str:
        title, rows = domain_of(facts["domain"]).title, facts.get("rows", [])
        if facts.get("rows_found") == 0:
            return "I am sorry, there is no such place."
        if "refused" in facts:
            return f"I am sorry, the booking failed: {facts['refused']['why']}."
        known_of: dict[str, str] = rows[0] if rows else {}
        parts = [f"I can offer {known_of[title]}."] if rows else []
        if "booked" in facts:
            details = facts["booked"]["details"]
            parts.append(f"It is booked. The reference number is {facts['booked']['reference']}.")
            parts += [
                f"The {slot} is {value}." for slot, value in details.items() if slot in ("car type", "phone")
            ]
        return " ".join([*parts, *(f"Its {slot} is {known_of.get(slot)}." for slot in self._heard.requests)])


async def held(goal: Goal, city: City) -> Dialogue:
    def place_in(domain: str, heard: str) -> str:
        return next(
            (known(row, domain_of(name).title) for name, row in city.named_in(heard) if name == domain), ""
        )

    office = Office(city, goal.id)
    system = Pipeline(Conversation(CAST, Understanding(city), secret=b"s"), office, OPTIONS)
    user = Agenda(goal, place_in=place_in)
    exchanges: list[Exchange] = []
    said = user.say(None)
    while said.flag == GOING_ON and len(exchanges) < MOST_EXCHANGES:
        exchanges.append(Exchange(said.text, await system.answer(said.text)))
        said = user.say(exchanges[-1].system)
    return Dialogue(
        goal=goal.content(),
        exchanges=tuple(exchanges),
        ended="completed",
        offers=offers_in(city, exchanges, office.made),
        bookings=tuple(office.made),
        refusals=tuple(office.turned_down),
    )


async def test_goals_that_ship_are_met() -> None:
    city, goals = own_city(), own_goals()[::EVERY]
    dialogues = [await held(goal, city) for goal in goals]
    failed = [dialogue.goal["id"] for dialogue in dialogues if not succeeded(dialogue)]
    assert failed == []
    assert any(dialogue.refusals for dialogue in dialogues)  # and second bookings were made
    made = [booking for dialogue in dialogues for booking in dialogue.bookings]
    assert {booking.domain for booking in made} == {"restaurant", "hotel", "train", "taxi"}
