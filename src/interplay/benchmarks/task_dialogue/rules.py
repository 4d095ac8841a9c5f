"""A task system by rules, without a model: a baseline, and the system of known ability in trials."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from interplay.benchmarks.task_dialogue.city import ARRIVE, LEAVE, Row, domain_of, known, no_matter
from interplay.benchmarks.task_dialogue.office import Booking, Office, Refusal
from interplay.benchmarks.task_dialogue.understanding import Heard, missing_of, understand

BASELINE = "rule/baseline"
TOLD = {
    "restaurant": ("food", "pricerange", "area"),
    "hotel": ("type", "stars", "pricerange", "area"),
    "attraction": ("type", "area"),
    "train": ("departure", "destination", "day", LEAVE, ARRIVE),
    "hospital": ("phone",),
    "police": ("address", "phone"),
}
NAMES = {
    "pricerange": "price range",
    LEAVE: "departure time",
    ARRIVE: "arrival time",
    "trainID": "train id",
    "phone": "phone number",
    "openhours": "opening hours",
    "internet": "internet",
    "stay": "number of nights",
    "people": "number of people",
}
Hearing = Callable[[Heard], Heard]


@dataclass
class Topic:
    """What has been said in one domain."""

    wanted: dict[str, str] = field(default_factory=dict)
    booking: dict[str, str] = field(default_factory=dict)
    found: list[Row] = field(default_factory=list)
    chosen: int = 0
    booked: Booking | None = None
    books: bool = False

    @property
    def row(self) -> Row | None:
        return self.found[self.chosen] if self.chosen < len(self.found) else None


class Rules:
    """The system. It hears by rules, may mishear where that is planted, asks the office, and answers in set phrases."""

    def __init__(self, office: Office, mishear: Hearing = lambda heard: heard):
        self._office = office
        self._mishear = mishear
        self._topics: dict[str, Topic] = {}
        self._domain = ""
        self._asked = ""

    async def answer(self, said: str) -> str:
        return self.reply(said)

    def reply(self, said: str) -> str:
        """What it says to what the user said."""
        heard = self._mishear(understand(said, self._office.city, self._domain, self._asked))
        self._asked = ""
        if not heard.domain or (heard.nothing and heard.domain == self._domain):
            if any(word in said.casefold() for word in ("thank", "bye", "that is all", "that's all")):
                return "You are welcome. Goodbye."
            about = " or a ".join(self._office.city.domains)
            return f"I am not sure that I understand. Is this about a {about}?"
        self._domain = heard.domain
        topic = self._topics.setdefault(heard.domain, Topic())
        parts = [*self._search(topic, heard), *self._book(topic, heard), *self._tell(topic, heard)]
        return " ".join(parts) or "What else should I know?"

    def _search(self, topic: Topic, heard: Heard) -> list[str]:
        """Look for what is wanted, where that has changed or nothing was looked for yet."""
        domain = heard.domain
        if domain == "taxi":
            topic.wanted |= heard.wanted
            topic.books = topic.books or bool(heard.wanted)
            return []
        if heard.other and topic.found:
            topic.chosen = (topic.chosen + 1) % len(topic.found)
            return [self._offer(domain, topic)]
        changed = {slot: value for slot, value in heard.wanted.items() if topic.wanted.get(slot) != value}
        if topic.found and not changed:
            return []
        topic.wanted |= heard.wanted
        if missing := missing_of(topic.wanted, _needed(domain)):
            self._asked = missing[0]
            return [f"What {NAMES.get(missing[0], missing[0])} should it be?"]
        topic.found, topic.chosen, topic.booked = self._office.look_up(domain, topic.wanted), 0, None
        if not topic.found:
            return [
                f"I am sorry, there is no {domain} like that{_described(topic.wanted)}. Shall I look for another?"
            ]
        return [self._offer(domain, topic)]

    def _offer(self, domain: str, topic: Topic) -> str:
        row = topic.row
        assert row is not None  # noqa: S101 - only what was found is offered
        title = known(row, domain_of(domain).title)
        facts = [
            f"{NAMES.get(slot, slot)} {value}" for slot in TOLD.get(domain, ()) if (value := known(row, slot))
        ]
        many = f"I have found {len(topic.found)}" if len(topic.found) > 1 else "I have found one"
        return f"{many}. I recommend {title}{': ' + ', '.join(facts) if facts else ''}."

    def _book(self, topic: Topic, heard: Heard) -> list[str]:
        domain = heard.domain
        topic.booking |= heard.booking
        topic.books = topic.books or heard.books or bool(heard.booking and domain_of(domain).book)
        if domain == "taxi":
            return self._order_taxi(topic)
        if not topic.books or topic.row is None or not domain_of(domain).book:
            return []
        if missing := missing_of(topic.booking, domain_of(domain).book):
            self._asked = missing[0]
            return [f"What {NAMES.get(missing[0], missing[0])} should I book it for?"]
        details = {slot: topic.booking[slot] for slot in domain_of(domain).book}
        title = known(topic.row, domain_of(domain).title)
        if topic.booked and topic.booked.title == title and topic.booked.details == details:
            return []
        topic.books = False
        result = self._office.book(domain, title, details)
        if isinstance(result, Refusal):
            also = f" Free instead: {'; '.join(result.others)}." if result.others else ""
            return [f"I am sorry, the booking failed: {result.why}.{also}"]
        topic.booked = result
        return [f"The booking is made. The reference number is {result.reference}."]

    def _order_taxi(self, topic: Topic) -> list[str]:
        missing = missing_of(topic.wanted, ("departure", "destination"))
        if not missing and not topic.wanted.keys() & {LEAVE, ARRIVE}:
            missing = [LEAVE]
        if missing:
            self._asked = missing[0]
            return [f"What {NAMES.get(missing[0], missing[0])} should the taxi have?"]
        details = {slot: value for slot, value in topic.wanted.items() if not no_matter(value)}
        if topic.booked and details.items() <= topic.booked.details.items():
            return []
        result = self._office.book("taxi", "", details)
        if isinstance(result, Refusal):
            return [f"I am sorry, there is no taxi: {result.why}."]
        topic.booked = result
        car, phone = result.details["car type"], result.details["phone"]
        return [f"Your taxi is booked. Its car type is a {car} and its phone number is {phone}."]

    def _tell(self, topic: Topic, heard: Heard) -> list[str]:
        """The values that were asked for, of the row that was offered or the taxi that was ordered."""
        another = self._choose_known(topic, heard)
        facts: Mapping[str, object] = topic.row or {}
        title = known(facts, domain_of(heard.domain).title)
        if heard.domain == "taxi":
            facts, title = (topic.booked.details, "the taxi") if topic.booked else ({}, "")
        if not facts:
            return []
        told = []
        for slot in heard.requests:
            if value := known(facts, slot):
                told.append(f"its {NAMES.get(slot, slot)} is {value}")
            elif slot != "name":
                told.append(f"its {NAMES.get(slot, slot)} is not known to me")
        return [*another, *([f"About {title}: {', '.join(told)}."] if told else [])]

    def _choose_known(self, topic: Topic, heard: Heard) -> list[str]:
        """Go over to another that was found where only of that one all is known that the user asks for."""
        if topic.booked or not heard.requests or not topic.found:
            return []
        order = [topic.chosen, *range(len(topic.found))]
        full = (
            number for number in order if all(known(topic.found[number], slot) for slot in heard.requests)
        )
        before, topic.chosen = topic.chosen, next(full, topic.chosen)
        return [self._offer(heard.domain, topic)] if topic.chosen != before else []


def _needed(domain: str) -> tuple[str, ...]:
    """What must be known before it makes sense to look."""
    return ("departure", "destination", "day") if domain == "train" else ()


def _described(wanted: Mapping[str, str]) -> str:
    told = [f"{NAMES.get(slot, slot)} {value}" for slot, value in wanted.items() if not no_matter(value)]
    return f" ({', '.join(told)})" if told else ""
