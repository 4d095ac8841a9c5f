"""A user by rules, without a model: it works through its goal wish by wish, and knows words of refusal and success."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from interplay.benchmarks.task_dialogue.city import ARRIVE, DONTCARE, LEAVE, domain_of, minutes, no_matter
from interplay.benchmarks.task_dialogue.dialogue import DONE, FAILED, GIVING_UP, OPEN, SATISFIED, Said
from interplay.benchmarks.task_dialogue.goals import PLACE, Goal, Wish
from interplay.benchmarks.task_dialogue.understanding import REQUESTS

AGENDA = "rule/agenda"
FEW = 2  # things that are said in a row, without an "and"
FIND, BOOK, ASK = "find", "book", "ask"
SLOT_PHRASES = {
    "area": "in the {}",
    "pricerange": "in the {} price range",
    "food": "serving {} food",
    "name": "called {}",
    "type": "of the type {}",
    "stars": "with {} stars",
    "department": "for the {} department",
    "departure": "from {}",
    "destination": "to {}",
    LEAVE: "leaving after {}",
    ARRIVE: "arriving by {}",
    "people": "for {} people",
    "stay": "for {} nights",
    "day": "on {}",
    "time": "at {}",
}
_SHAPES = {
    "price": r"[0-9]+(?:\.[0-9]+)? ?(?:pounds|gbp)|£ ?[0-9]|\bfree\b",
    "duration": r"[0-9]+ ?(?:min|hour)",
    "trainID": r"\btr ?[0-9]{3,5}\b",
}
REQUEST_NAMES = {
    "phone": "phone number",
    "pricerange": "price range",
    LEAVE: "departure time",
    ARRIVE: "arrival time",
    "trainID": "train id",
    "duration": "travel time",
    "openhours": "opening hours",
    "internet": "internet",
    "stars": "star rating",
    "food": "food type",
}
ONE = {"restaurant": "a restaurant", "hotel": "a place to stay", "attraction": "an attraction", "train": "a train",
       "taxi": "a taxi", "hospital": "the hospital", "police": "the police station"}  # fmt: skip
_REFUSED = re.compile(
    r"\b(?:no such|there (?:is|are) no|there (?:is|are)n't|not available|unavailable|fully booked|booked out|"
    r"booking (?:has )?failed|unable|could ?n[o']t|can ?n[o']t|cannot|do(?:es)? not have|don't have|"
    r"did not find|didn't find|no (?:\w+ ){0,3}(?:match\w*|found|available|meets?))\b"
)
_REGRETS = re.compile(r"\b(?:sorry|unfortunately|afraid)\b")  # a refusal where nothing else is said
_REFERENCE = re.compile(
    r"\b(?!tr ?[0-9]+\b)(?![a-z]{1,2}[0-9][0-9a-z]?[0-9][a-z]{2}\b)(?=[a-z]*[0-9])(?=[0-9]*[a-z])[a-z0-9]{6,12}\b"
    r"|\bref(?:erence)?\b[^.?!\n]{0,25}?[:#\s](?!tr ?[0-9]+\b)(?=[a-z-]*[0-9])[a-z0-9][a-z0-9-]{3,}",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"[0-9]|\b(?:the|is|are|i|you|your|it|an?|in|have|we|of|here|found|ok(?:ay)?|yes|no|booked)\b"
)
_NOT_KNOWN = re.compile(
    r"\b(?:not know|not known|unknown|don't know|no information|not sure|(?:don't|do not) have)\b"
)
_POSTCODE = re.compile(r"\b[a-z]{1,2}[0-9][0-9a-z]?\s?[0-9][a-z]{2}\b", re.IGNORECASE)
Slip = Callable[[str, str, str], str]  # from a domain, a slot and its value to what is said


@dataclass
class Errand:
    """One wish, and how far the user has got with it."""

    wish: Wish
    second: bool = False  # has it gone over to the second wish?
    rebooked: bool = False
    found: bool = False
    booked: bool = False
    told: set[str] = field(default_factory=set)  # what was asked for and heard
    tries: int = 0  # in vain, at the present step
    states: dict[str, str] = field(default_factory=dict)

    @property
    def info(self) -> Mapping[str, str]:
        return self.wish.info if self.second or not self.wish.first_info else self.wish.first_info

    @property
    def book(self) -> Mapping[str, str]:
        return self.wish.book if self.rebooked or not self.wish.first_book else self.wish.first_book

    @property
    def missing(self) -> list[str]:
        return [slot for slot in self.wish.requests if slot not in self.told]


class Agenda:
    """The user. What it heard decides what it says: the same again gives the same again."""

    def __init__(
        self,
        goal: Goal,
        *,
        patience: int = 3,
        slip: Slip = lambda domain, slot, value: value,
        place_in: Callable[[str, str], str] = lambda domain, heard: "",
    ):
        self._patience = patience
        self._slip = slip
        self._place_in = place_in  # the place of a domain that an answer names
        self._errands = [Errand(wish) for wish in goal.wishes]
        self._at = 0
        self._step = ""  # what the last thing said was about
        self._places: dict[str, str] = {}  # the place found in each domain
        self.state = {name: OPEN for errand in self._errands for name in _steps(errand.wish)}

    async def speak(self, heard: str | None) -> Said:
        return self.say(heard)

    def say(self, heard: str | None) -> Said:
        """What it says to what it heard."""
        while self._at < len(self._errands):
            errand = self._errands[self._at]
            text = self._next(errand, heard)
            if text:
                return Said(text, state=dict(self.state))
            self._at, self._step, heard = self._at + 1, "", None
        if any(state != DONE for state in self.state.values()):
            return Said("Then I will leave it at that. Goodbye.", GIVING_UP, state=dict(self.state))
        return Said("Thank you, that is all. Goodbye.", SATISFIED, state=dict(self.state))

    def _next(self, errand: Errand, heard: str | None) -> str:
        """What is said next about an errand; nothing if it is over."""
        if heard is None or not self._step:
            self._step = FIND
            return self._wish(errand, errand.info)
        if asked := self._asked_for(errand, heard):
            return asked
        if not self._says_something(errand, heard):
            heard = ""
        if self._step == FIND:
            return self._after_search(errand, heard)
        if self._step == BOOK:
            return self._after_booking(errand, heard)
        return self._after_request(errand, heard)

    def _after_search(self, errand: Errand, heard: str) -> str:
        wish = errand.wish
        if not heard or self._is_refused(errand, heard):
            if heard and wish.first_info and not errand.second:
                errand.second = True
                changed = {
                    slot: value for slot, value in wish.info.items() if wish.first_info.get(slot) != value
                }
                return f"Then I would take one {self._phrases(wish.domain, changed)}."
            return self._try_again(errand, self._wish(errand, errand.info), _find(wish))
        self.state[_find(wish)] = DONE
        if place := self._place_in(wish.domain, heard):
            self._places[wish.domain] = place
        errand.tries = 0
        if wish.book:
            self._step = BOOK
            return self._booking(errand, errand.book)
        return self._after_request(errand, heard)

    def _after_booking(self, errand: Errand, heard: str) -> str:
        wish = errand.wish
        if _REFERENCE.search(heard) and not re.search(r"\bfailed\b", heard.casefold()):
            self.state[_book(wish)] = DONE
            errand.tries = 0
            return self._after_request(errand, heard)
        refused = _REFUSED.search(heard.casefold()) or _REGRETS.search(heard.casefold())
        if refused and wish.first_book and not errand.rebooked:
            errand.rebooked = True
            changed = {slot: value for slot, value in wish.book.items() if wish.first_book.get(slot) != value}
            return f"Then please book it {self._phrases(wish.domain, changed)} instead. {REFERENCE_WANTED}"
        again = self._booking(errand, errand.book)
        return self._try_again(errand, again, _book(wish)) or self._after_request(errand, heard)

    def _after_request(self, errand: Errand, heard: str) -> str:
        """Note what was told of what was asked for, and ask for the rest."""
        wish = errand.wish
        for slot in errand.missing:
            if sounds_like(slot, heard, asked=self._step == ASK):
                errand.told.add(slot)
                self.state[_ask(wish, slot)] = DONE
        if not errand.missing:
            return ""
        if self._step == ASK:
            errand.tries += 1
        else:
            errand.tries = 0
        self._step = ASK
        if errand.tries >= self._patience:
            for slot in errand.missing:
                self.state[_ask(wish, slot)] = FAILED
            return ""
        names = _joined(f"the {REQUEST_NAMES.get(slot, slot)}" for slot in errand.missing)
        return f"Please tell me {names}." if errand.tries % 2 else f"Could you tell me {names}?"

    def _try_again(self, errand: Errand, text: str, step: str) -> str:
        """Say it once more while there is patience; then the errand, or this part of it, has failed."""
        errand.tries += 1
        if errand.tries < self._patience:
            return f"{text} Please try again." if errand.tries % 2 else text
        self.state[step] = FAILED
        errand.tries = 0
        return ""

    def _is_refused(self, errand: Errand, heard: str) -> bool:
        """Is nothing found? A regret with a place or a phone number is none, unless the first wish is to fail."""
        if _REFUSED.search(heard.casefold()) or not _REGRETS.search(heard.casefold()):
            return bool(_REFUSED.search(heard.casefold()))
        to_fail = bool(errand.wish.first_info) and not errand.second
        given = self._place_in(errand.wish.domain, heard) or sounds_like("phone", heard, asked=False)
        return to_fail or not given

    def _says_something(self, errand: Errand, heard: str) -> bool:
        """Does an answer name a place, refuse, or state something in English?"""
        stated = " ".join(part for part in _sentences(heard.casefold()) if not part.endswith("?"))
        refuses = _REFUSED.search(heard.casefold())
        return bool(_STATES.search(stated) or refuses or self._place_in(errand.wish.domain, heard))

    def _asked_for(self, errand: Errand, heard: str) -> str:
        """The answer to a question after values: those of the goal, or that it does not matter."""
        questions = [part for part in _sentences(heard.casefold()) if part.endswith("?")]
        if not questions or errand.tries >= self._patience:
            return ""
        asked = {}
        any_will_do = {slot: DONTCARE for slot in domain_of(errand.wish.domain).search if slot != "name"}
        known_values = {**errand.info, **(errand.book if self._step == BOOK else {})}
        for slot, value in {**any_will_do, **known_values}.items():
            words = REQUESTS.get(slot, re.escape(slot))
            if slot == "people":
                words = r"how many (?:people|guests|seats|tickets)|number of people|people"
            if slot == "stay":
                words = r"how many nights|number of nights|nights"
            if slot in ("day", "time"):
                words = rf"(?:which|what) {slot}|{slot}"
            asks = rf"\b(?:what|which|how many|when|where)\b[^?]*\b(?:{words})\b"
            if any(re.search(asks, question) for question in questions):
                asked[slot] = value
        if not asked:
            return ""
        errand.tries += 1
        phrases = self._phrases(errand.wish.domain, asked)
        answer = f"{phrases}." if all(map(no_matter, asked.values())) else f"I want it {phrases}."
        return answer if errand.tries % 2 else f"As I said: {answer}"

    def _wish(self, errand: Errand, info: Mapping[str, str]) -> str:
        domain = errand.wish.domain
        one = ONE.get(domain, f"a {domain}")
        told = self._phrases(domain, info)
        if domain == "taxi":
            return f"I need a taxi {told}."
        return f"I am looking for {one} {told}." if told else f"I am looking for {one}."

    def _booking(self, errand: Errand, book: Mapping[str, str]) -> str:
        return f"Please book it {self._phrases(errand.wish.domain, book)}. {REFERENCE_WANTED}"

    def _phrases(self, domain: str, slots: Mapping[str, str]) -> str:
        indifferent = [REQUEST_NAMES.get(slot, slot) for slot, value in slots.items() if no_matter(value)]
        told = [
            self._phrase(domain, slot, self._slip(domain, slot, self._place(value)))
            for slot, value in _in_order(slots)
            if not no_matter(value)
        ]
        also = [f"the {name} does not matter" for name in indifferent]
        in_a_row = (
            domain in ("taxi", "train") or slots.keys() & {"people", "time", "stay"} or len(told) <= FEW
        )
        text = " ".join(told) if in_a_row else _joined(told)
        return ". ".join(filter(None, [text, *(f"{one[0].upper()}{one[1:]}" for one in also)]))

    def _phrase(self, domain: str, slot: str, value: str) -> str:
        if slot in ("internet", "parking"):
            what = "wifi" if slot == "internet" else "parking"
            return f"with free {what}" if value == "yes" else f"with no {what}"
        if slot == "stay" and value == "1":
            return "for 1 night"
        if slot == "people" and value == "1":
            return "for 1 person"
        return SLOT_PHRASES.get(slot, f"with {slot} {{}}").format(value)

    def _place(self, value: str) -> str:
        domain = value.removeprefix(PLACE)
        return self._places.get(domain, f"the {domain}") if value.startswith(PLACE) else value


REFERENCE_WANTED = "Please give me the reference number."


def _sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.!?])\s+", text.strip()) if part]


def _steps(wish: Wish) -> list[str]:
    return [_find(wish), *([_book(wish)] if wish.book else []), *(_ask(wish, slot) for slot in wish.requests)]


def _find(wish: Wish) -> str:
    return f"{wish.domain}: {FIND}"


def _book(wish: Wish) -> str:
    return f"{wish.domain}: {BOOK}"


def _ask(wish: Wish, slot: str) -> str:
    return f"{wish.domain}: {slot}"


def _joined(parts: Iterable[str]) -> str:
    found = list(parts)
    return f"{', '.join(found[:-1])} and {found[-1]}" if len(found) > 1 else "".join(found)


def _in_order(slots: Mapping[str, str]) -> list[tuple[str, str]]:
    """Slots as one says them: a way from, to, for so many, on a day, at a time."""
    order = ["departure", "destination", "people", "stay", "day", "time", LEAVE, ARRIVE]
    return sorted(slots.items(), key=lambda one: order.index(one[0]) if one[0] in order else -1)


def sounds_like(slot: str, heard: str, *, asked: bool) -> bool:
    """Does an answer seem to hold a value of this slot? One without a shape of its own must be named, or asked for."""
    has_or_not = slot in ("internet", "parking")
    said = " ".join(
        part for part in _sentences(heard.casefold()) if has_or_not or not _NOT_KNOWN.search(part)
    )
    if not said:
        return False
    if slot == "phone":
        return bool(re.search(r"(?:\+?[0-9][\s\-()]?){7,}", said))
    if slot == "postcode":
        return bool(_POSTCODE.search(said)) or ("post" in said and asked)
    if slot in (LEAVE, ARRIVE):
        times = [time for time in re.findall(r"[0-9]{1,2}:[0-9]{2}", said) if minutes(time) is not None]
        return len(times) > 1 or (asked and bool(times))
    shape = _SHAPES.get(slot)
    if shape:
        return bool(re.search(shape, said)) or (asked and bool(re.search(r"[0-9]", said)))
    words = REQUESTS.get(slot, re.escape(slot))
    return bool(re.search(rf"\b(?:{words})\b", said)) or (asked and not _REFUSED.search(said))
