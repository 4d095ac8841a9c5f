"""What the message of a goal must be like: every fact has a key phrase of its own, and nothing else is named."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from interplay.benchmarks.task_dialogue.city import (
    ARRIVE,
    DAYS,
    LEAVE,
    City,
    domain_of,
    known,
    no_matter,
    plain,
)
from interplay.benchmarks.task_dialogue.goals import PLACE, Goal, Wish
from interplay.benchmarks.unwelcome import is_unwelcome_word

REFERENCE = "reference number"
SENTENCES = (2, 20)
LONGEST_SENTENCE, LONGEST_PHRASE = 300, 60  # characters
# What a requested slot may be called in a message.
ASKED: Mapping[str, str] = {
    "address": r"address",
    "phone": r"(?:phone|telephone|contact) number",
    "postcode": r"post ?code",
    "area": r"area|part of (?:the )?(?:town|city)",
    "food": r"food|cuisine",
    "pricerange": r"price range",
    "type": r"type|kind",
    "stars": r"stars?|star rating",
    "internet": r"wifi|wi fi|internet",
    "parking": r"parking",
    "entrance fee": r"entrance fee|entry fee|admission",
    "openhours": r"opening hours|opening times",
    "price": r"price|fare",
    "duration": r"travel time|journey time|duration",
    LEAVE: r"departure time|leaving time",
    ARRIVE: r"arrival time",
    "trainID": r"train id|train number",
    "car type": r"car type|type of car|kind of car|make of car|make of the car",
    "name": r"name",
    "department": r"department",
    REFERENCE: r"reference(?: number)?",
}
# What a slot is called where any value will do, as in any area.
NOUNS: Mapping[str, str] = {
    **ASKED,
    "area": r"area|part|side|neighbourhood",
    "pricerange": r"price|prices|price range",
}
_PLAINLY = {
    "phone": "phone number",
    "area": "part of town",
    "food": "kind of food",
    "pricerange": "price range",
    "stars": "star rating",
    "internet": "wifi",
    "openhours": "opening hours",
    "duration": "travel time",
    LEAVE: "departure time",
    ARRIVE: "arrival time",
    "trainID": "train id",
}
_ANY_OF = {"pricerange": "price range", "food": "kind of food", "stars": "star rating"}
_ANY = r"any|either|every|whatever|whichever|all|no preference|with or without|not matter|no matter"
_SAME: Mapping[str, str] = {
    "area": r"same (?:area|part)",
    "pricerange": r"same price range",
    "people": r"same (?:group|people|party|number)",
    "day": r"same day",
}
_BOOKED_TIME = r"(?:booked|reserved) time|time of (?:the|your) (?:booking|reservation)"
_CLOCK = re.compile(r"\b\d{1,2}:\d{2}\b")
_MARKED = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
# Places that were not filled in, and names that only programs use.
_RAW = re.compile(r"[\[\]{}<>|]|\b\w+_\w+\b|@\w+|\b(?:pricerange|dontcare|openhours|leaveAt|arriveBy|reqt)\b")
_MARKED_WELL = re.compile(r"\*\*[^*\s](?:[^*]*[^*\s])?\*\*")
_COUNTED = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten) (?:people|persons|guests|nights|seats|stars)\b"
)


@dataclass(frozen=True)
class Fact:
    """One thing that a message has to say: the value of a slot, or that a slot is asked for."""

    domain: str
    slot: str
    value: str = ""  # empty where the slot is asked for
    first: bool = False  # of the first wish or booking, which will fail

    def __str__(self) -> str:
        return f"{self.domain} {self.slot} {self.value}".strip()


def facts_of(wish: Wish) -> list[Fact]:
    """All that a message has to say of one wish; the reference of a booking is always asked for."""
    found = []
    for last, first in ((wish.info, wish.first_info), (wish.book, wish.first_book)):
        for slot in dict.fromkeys((*first, *last)):
            if first and slot in first and first[slot] != last.get(slot):
                found.append(Fact(wish.domain, slot, first[slot], first=True))
            if slot in last:
                found.append(Fact(wish.domain, slot, last[slot]))
    found += [Fact(wish.domain, slot) for slot in wish.requests]
    return [*found, Fact(wish.domain, REFERENCE)] if wish.book else found


def about_message(goal: Goal, city: City) -> list[str]:
    """What is wrong with the words of a goal: a fact without a mark, a mark without a fact, a stranger, the form."""
    facts = [fact for wish in goal.wishes for fact in facts_of(wish)]
    marked = [one for sentence in goal.message for one in _MARKED.findall(sentence)]
    told = [[place for place, phrase in enumerate(marked) if states(phrase, fact, goal)] for fact in facts]
    paired = _paired(told)
    found = [
        f"nothing that is marked says {fact} for itself"
        for number, fact in enumerate(facts)
        if number not in paired
    ]
    known_places = {place for places in told for place in places}
    found += [
        f"{phrase!r} is marked and no part of the goal"
        for place, phrase in enumerate(marked)
        if place not in known_places
    ]
    return [
        *found,
        *_about_order(facts, told),
        *_about_strangers(goal, city, facts),
        *_about_form(goal.message),
    ]


def _paired(told: Sequence[Sequence[int]]) -> dict[int, int]:
    """For as many facts as possible a phrase of its own (a largest matching, by augmenting paths)."""
    taken: dict[int, int] = {}  # from a phrase to its fact

    def place(fact: int, tried: set[int]) -> bool:
        for phrase in told[fact]:
            if phrase not in tried:
                tried.add(phrase)
                if phrase not in taken or place(taken[phrase], tried):
                    taken[phrase] = fact
                    return True
        return False

    for fact in range(len(told)):
        place(fact, set())
    return {fact: phrase for phrase, fact in taken.items()}


def _about_order(facts: Sequence[Fact], told: Sequence[Sequence[int]]) -> Iterator[str]:
    """The first wish comes first, and what to do instead after it."""
    places = {(fact.domain, fact.slot, fact.first): place for fact, place in zip(facts, told, strict=True)}
    for (domain, slot, first), earlier in places.items():
        later = places.get((domain, slot, False), ())
        if first and earlier and later and min(earlier) > max(later):
            yield f"the first wish for the {domain}'s {slot} is told after the second"


def states(phrase: str, fact: Fact, goal: Goal) -> bool:
    """Does a key phrase say this fact?"""
    said = plain(phrase)
    if len(phrase) > LONGEST_PHRASE:
        return False
    if not fact.value:
        return _has(said, ASKED.get(fact.slot, re.escape(plain(fact.slot))))
    if no_matter(fact.value):
        return _has(said, _ANY) and _has(said, NOUNS.get(fact.slot, re.escape(plain(fact.slot))))
    if fact.value.startswith(PLACE):
        return _has(said, "|".join(map(re.escape, _called(fact.value.removeprefix(PLACE), goal))))
    if _says_same(said, fact, goal):
        return True
    return _has(said, _said_as(fact.slot, fact.value))


def said_plainly(fact: Fact) -> str:
    """A key phrase that says a fact, in the plainest words."""
    if not fact.value:
        return _PLAINLY.get(fact.slot, fact.slot)
    if no_matter(fact.value):
        return f"any {_ANY_OF.get(fact.slot, fact.slot)}"
    if fact.value.startswith(PLACE):
        return fact.value.removeprefix(PLACE)
    if fact.slot in ("internet", "parking"):
        return f"{'no' if fact.value == 'no' else 'free'} {'wifi' if fact.slot == 'internet' else fact.slot}"
    units = {"stars": ("star", "stars"), "people": ("person", "people"), "stay": ("night", "nights")}
    if fact.slot in units:
        return f"{fact.value} {units[fact.slot][fact.value != '1']}"
    return fact.value


def _said_as(slot: str, value: str) -> str:
    """How the value of a slot is said, as a pattern of plain text."""
    said = re.escape(plain(value))
    if slot in ("internet", "parking"):
        noun = NOUNS[slot]
        lacking = rf"(?:no|without)(?: free| any)? (?:{noun})"
        return (
            lacking if value == "no" else rf"(?<!no )(?<!without )(?<!any )(?:free )?(?<!no free )(?:{noun})"
        )
    if slot == "stars":
        return rf"{said} stars?"
    if slot == "people":
        return rf"{said} (?:people|person|guests?|seats?|tickets?|travellers?|passengers?|adults?)|party of {said}"
    if slot == "stay":
        return rf"{said} nights?"
    if slot == "pricerange":
        return rf"{said}(?:ly)?"
    return rf"{said}s?" if slot == "type" else said


def _says_same(said: str, fact: Fact, goal: Goal) -> bool:
    """Does it say that the value is that of another wish, and is it?"""
    others = [wish for wish in goal.wishes if wish.domain != fact.domain]
    if fact.slot == ARRIVE and _has(said, _BOOKED_TIME):
        return any(wish.book.get("time") == fact.value for wish in others)
    if fact.slot not in _SAME or not _has(said, _SAME[fact.slot]):
        return False
    return any(fact.value in (wish.info.get(fact.slot), wish.book.get(fact.slot)) for wish in others)


def _called(domain: str, goal: Goal) -> list[str]:
    """What the place that was found may be called: by its domain, its type or its name."""
    wish = goal.wish(domain)
    values = [wish.info.get(slot, "") for slot in ("type", "name")] if wish else []
    return [domain, *(plain(value) for value in values if value and not no_matter(value))]


def _has(said: str, pattern: str) -> bool:
    return bool(re.search(rf"\b(?:{pattern})\b", said))


def _about_strangers(goal: Goal, city: City, facts: Sequence[Fact]) -> Iterator[str]:
    """What a message names of the city although it is no part of the goal."""
    text = goal.text
    own = {plain(fact.value) for fact in facts}
    allowed = f" {' | '.join(own)} "
    for domain, row in city.named_in(text):
        title = known(row, domain_of(domain).title)
        if f" {plain(title)} " not in allowed:
            yield f"{title!r} is named and no part of the goal"
    said = f" {plain(text)} "
    for value in sorted(values_of(city)):
        if f" {value} " in said and f" {value} " not in allowed:
            yield f"{value!r} is said and no part of the goal"
    clocks = set(_CLOCK.findall(text))
    numbers = set(re.findall(r"\d+", _CLOCK.sub(" ", text)))
    mine = " ".join(fact.value for fact in facts)
    for one in sorted(clocks - set(_CLOCK.findall(mine))) + sorted(numbers - set(re.findall(r"\d+", mine))):
        yield f"{one} is said and no part of the goal"
    for counted in _COUNTED.findall(text.casefold()):
        yield f"{counted!r} must be written with a digit"


def values_of(city: City) -> set[str]:
    """The values of slots that nobody says by chance: foods, towns, areas, price ranges, days."""
    values = [*DAYS, *city.values("train", "departure"), *city.values("train", "destination")]
    for slot in ("food", "area", "pricerange"):
        values += city.values("restaurant", slot)
    return {plain(value) for value in values} - {plain(hub_of(city))}


def hub_of(city: City) -> str:
    """The town that most trains leave from: the city itself, which may always be named."""
    departures = [known(row, "departure") for row in city.rows.get("train", ())]
    return max(sorted(set(departures)), key=departures.count, default="")


def _about_form(message: Sequence[str]) -> Iterator[str]:
    if not SENTENCES[0] <= len(message) <= SENTENCES[1]:
        yield f"the message has {len(message)} sentences, not {SENTENCES[0]} to {SENTENCES[1]}"
    for sentence in message:
        start = repr(sentence[:30])
        if len(sentence) > LONGEST_SENTENCE:
            yield f"the sentence {start} has {len(sentence)} characters, not at most {LONGEST_SENTENCE}"
        if "*" in _MARKED_WELL.sub("", sentence):
            yield f"the marks of the sentence {start} are not in pairs"
        if not sentence.isprintable():
            yield f"the sentence {start} holds characters that cannot be printed"
        elif sentence != " ".join(sentence.split()) or not sentence.endswith((".", "!", "?")):
            yield f"the sentence {start} does not end in a full stop, or has stray spaces"
    text = " ".join(message)
    if not re.search(r"\byou(?:r|rs|rself)?\b", text, re.IGNORECASE):
        yield "the message does not speak to the user as you"
    for raw in dict.fromkeys(_RAW.findall(text)):
        yield f"{raw!r} is no word for people"
    for word in dict.fromkeys(re.findall(r"[^\W\d_]+", text.casefold())):
        if any(map(is_unwelcome_word, _forms_of(word))):
            yield f"{word!r} may offend"


@cache
def _forms_of(word: str) -> frozenset[str]:
    """The word itself and what it may be a form of."""
    import lemminflect  # here, because it takes a while and only checks of texts need it

    return frozenset((word, *(base for found in lemminflect.getAllLemmas(word).values() for base in found)))
