"""The single things that a goal wants said, and when they came up in a dialogue."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from interplay.benchmarks.task_dialogue.city import known, no_matter, plain, same
from interplay.benchmarks.task_dialogue.dialogue import Dialogue
from interplay.benchmarks.task_dialogue.goals import PLACE, Goal, Wish, told_goal
from interplay.benchmarks.task_dialogue.mentions import asks, family_of, says, says_words, speaks_of
from interplay.benchmarks.task_dialogue.wording import LONGEST_TEXT, PERSONS, normal

INFO, BOOK, REQUEST = "info", "book", "request"
FIRST, LAST = "first", "last"
REFERENCE = "reference"
# How values look by which a system has answered, though nobody named the slot.
_SHAPES = {
    "phone": r"(?:\d[ -]?){7,}",
    "postcode": r"\b[a-z]{1,2}\d[\da-z]? ?\d[a-z]{2}\b",
    "price": r"£|\bpounds?\b|\bgbp\b",
    "entrance fee": r"£|\bpounds?\b|\bgbp\b|\bfree\b",
    "duration": r"\d+ ?(?:min|hour)",
    "trainID": r"\btr ?\d{3,}",
    "car type": r"\b(?:black|white|red|yellow|blue|gr[ae]y|green|silver|orange|brown|purple) \w+",
    REFERENCE: r"\b(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{5,12}\b",
}
# Key phrases that point to a value of another wish.
_SAME = {
    "area": r"same (?:area|part|side|quarter)",
    "pricerange": r"same pric",
    "people": r"same (?:group|people|party|number)",
    "day": r"same day",
}
_COUNTED = {"people": PERSONS, "nights": "nights"}
LONGEST_BARE = 4  # words of an answer that is a bare number, with a day or a please
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True)
class Item:
    """Something that a goal wants said: a value, or of a request the slot alone.

    Where a first wish or booking is to fail, what sets it apart is of the first, and what comes instead of the last.
    """

    domain: str
    kind: str
    slot: str
    value: str = ""
    of: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What is the same for a listener: a day is a day, whatever it is wanted for."""
        return family_of(self.slot), self.value

    def is_said(self, text: str) -> bool:
        return says(self.slot, self.value, text) if self.value else asks(self.slot, text)


@dataclass(frozen=True)
class Course:
    """A dialogue beside its goal: which items came up, and when; exchanges are counted from 1."""

    dialogue: Dialogue
    goal: Goal
    items: tuple[Item, ...]
    by_user: Mapping[Item, int]
    by_either: Mapping[Item, int]

    def new_in(self, exchange: int) -> list[Item]:
        """What the user said in an exchange that nobody had said before."""
        return [
            item
            for item in self.items
            if self.by_user.get(item) == exchange and self.by_either.get(item, exchange) >= exchange
        ]

    @property
    def missing(self) -> list[Item]:
        """What should have come up before the user is satisfied, and never did.

        Of a wish that comes first and one that comes instead of it, one is enough.
        """
        absent = [
            item
            for item in self.items
            if item not in self.by_either and not _is_on_record(item, self.dialogue)
        ]
        spared = {
            (item.domain, item.kind, of)
            for item in self.items
            for of in (FIRST, LAST)
            if item.of and item.of != of and item not in absent
        }
        return [item for item in absent if (item.domain, item.kind, item.of) not in spared]


def _is_on_record(item: Item, dialogue: Dialogue) -> bool:
    """Did the system look a value up or book with it? Then it was said, in whatever words."""
    record = [(one.domain, one.details) for one in dialogue.bookings]
    record += [(one.domain, one.details) for one in dialogue.refusals]
    record += [(one.domain, one.wanted) for one in dialogue.lookups]
    own = [slots.get(item.slot, "") for domain, slots in record if domain == item.domain]
    return bool(item.value) and any(same(value, item.value) for value in own)


def items_of(goal: Goal) -> list[Item]:
    return [item for wish in goal.wishes for item in _items_of(wish)]


def _items_of(wish: Wish) -> Iterator[Item]:
    yield from _values(wish.domain, INFO, wish.first_info, wish.info)
    yield from _values(wish.domain, BOOK, wish.first_book, wish.book)
    if wish.book:
        yield Item(wish.domain, BOOK, REFERENCE)
    for slot in wish.requests:
        yield Item(wish.domain, REQUEST, slot)


def _values(domain: str, kind: str, first: Mapping[str, str], last: Mapping[str, str]) -> Iterator[Item]:
    for slot in dict.fromkeys([*first, *last]):
        if not first or first.get(slot) == last.get(slot):
            of = {last[slot]: ""}
        else:
            of = {slots[slot]: which for slots, which in ((first, FIRST), (last, LAST)) if slot in slots}
        for value, which in of.items():
            if not no_matter(value) and not value.startswith(PLACE):
                yield Item(domain, kind, slot, value, which)


def course_of(dialogue: Dialogue) -> Course:
    """The course that a dialogue took."""
    goal = told_goal(dialogue.goal)
    items = tuple(items_of(goal))
    by_user: dict[Item, int] = {}
    by_either: dict[Item, int] = {}
    answer = ""
    for number, exchange in enumerate(dialogue.exchanges, 1):
        said = _in_full(exchange.user, answer)
        answer = exchange.system[:LONGEST_TEXT]
        for item in items:
            if item not in by_user and item.is_said(said):
                by_user[item] = number
                by_either.setdefault(item, number)
            if item not in by_either and _is_told(item, answer, dialogue):
                by_either[item] = number
    return Course(dialogue, goal, items, by_user, by_either)


def _in_full(said: str, asked: str) -> str:
    """A bare number with what the question before it asked for: 6, to "for how many people?", is 6 people."""
    numbers = re.findall(r"\b\d+\b", normal(said)) if len(said.split()) <= LONGEST_BARE else []
    units = [unit for unit, words in _COUNTED.items() if re.search(rf"how many {words}", normal(asked))]
    return f"{said} . {numbers[0]} {units[0]}" if len(numbers) == len(units) == 1 else said


def _is_told(item: Item, text: str, dialogue: Dialogue) -> bool:
    """Does a system say the value, or answer what a request asks for? A question of its own is no answer."""
    if item.value:
        return says(item.slot, item.value, text)
    told = " ".join(part for part in _SENTENCE.split(text) if not part.rstrip().endswith("?"))
    if asks(item.slot, told) or re.search(_SHAPES.get(item.slot, r"(?!)"), told.casefold()):
        return True
    values = {known(offer.row, item.slot) for offer in dialogue.offers if offer.domain == item.domain}
    values |= {str(one.details.get(item.slot, "")) for one in dialogue.bookings if one.domain == item.domain}
    said = f" {plain(told)} "
    return any(f" {plain(value)} " in said for value in values if plain(value) not in ("", "yes", "no"))


def phrase_turns(course: Course) -> list[tuple[str, int | None]]:
    """Each key phrase of the goal, and the first exchange in which either side said it."""
    sides = [
        (number, text)
        for number, one in enumerate(course.dialogue.exchanges, 1)
        for text in (one.user[:LONGEST_TEXT], one.system[:LONGEST_TEXT])
    ]
    found: list[tuple[str, int | None]] = []
    for phrase in course.goal.phrases:
        said = [number for number, text in sides if says_phrase(phrase, text, course)]
        found.append((phrase, min([*said, *_said_again(phrase, sides, course)], default=None)))
    return found


def _said_again(phrase: str, sides: list[tuple[int, str]], course: Course) -> list[int]:
    """Of a phrase such as "the same day": when the value that two wishes share is said once more."""
    slots = [slot for slot, words in _SAME.items() if re.search(words, normal(phrase))]
    items = [item for item in course.items if item.slot in slots and item.value]
    shared = {
        item for item in items for other in items if item.key == other.key and item.domain != other.domain
    }
    return [
        number
        for item in shared
        for number, text in sides
        if number > course.by_either.get(item, number) and item.is_said(text)
    ]


def says_phrase(phrase: str, text: str, course: Course) -> bool:
    """Does a text say a key phrase: the values that it names, else the slot, else the domain, else its words?"""
    if not text.strip():
        return False
    values = {item.key: item for item in course.items if item.value and item.is_said(phrase)}
    if values:
        return all(item.is_said(text) for item in values.values())
    requests = {item.slot for item in course.items if not item.value and item.is_said(phrase)}
    if requests:
        return any(_names(slot, text) for slot in requests)
    domains = [wish.domain for wish in course.goal.wishes if speaks_of(wish.domain, phrase)]
    if domains:
        return any(speaks_of(domain, text) for domain in domains)
    return says_words(phrase, text)


def _names(slot: str, text: str) -> bool:
    return asks(slot, text) or bool(re.search(_SHAPES.get(slot, r"(?!)"), text.casefold()))
