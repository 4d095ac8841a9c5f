"""Drift: a user that asks for what its goal does not have, such as another area, day or number of people.

A value is only taken for drift where it can hardly be anything else: the goal has another one, it is not denied, it is
no part of a name, and it was not the system that brought it up.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from interplay.benchmarks.task_dialogue.city import DAYS, domain_of, known, minutes, nights, no_matter, plain
from interplay.benchmarks.task_dialogue.dialogue import Dialogue
from interplay.benchmarks.task_dialogue.goals import PLACE, Goal
from interplay.benchmarks.task_dialogue.mentions import family_of
from interplay.benchmarks.task_dialogue.wording import LONGEST_TEXT, is_time, normal

LISTED = 3  # so many values of a slot in one sentence are a list to choose from, and no offer
OPEN_FAMILIES = ("time", "people", "stay", "stars")  # whose values are never listed to choose from
DOMAIN = "domain"
_CUISINES = (
    "african american argentinian asian australian austrian barbecue basque brazilian british cantonese caribbean "
    "catalan chinese corsican creole cuban czech danish dutch ethiopian european filipino french fusion gastropub "
    "georgian german greek hungarian indian indonesian international iranian irish israeli italian jamaican japanese "
    "korean kosher lebanese malaysian mediterranean mexican moroccan nepalese nepali nigerian nordic norwegian "
    "pakistani persian peruvian polish polynesian portuguese russian scandinavian scottish seafood sicilian spanish "
    "steakhouse swedish swiss syrian taiwanese thai tibetan turkish ukrainian vegan vegetarian vietnamese welsh"
)
FOODS = tuple(_CUISINES.split())
_NAMED_WAYS = r"(?:street|road|lane|gate|station|bridge|avenue|quay|end|bound|bank|pier|row|hill)"
_HOUSES = (
    r"(?:shopping|sports?|leisure|health|arts?|medical|visitor|conference|community|garden|call|science)"
)
_PRICES = {"inexpensive": "cheap", "moderately": "moderate", "mid range": "moderate", "upscale": "expensive"}
_PEOPLE = r"(?:people|persons|guests|diners|travell?ers|passengers|tickets|of us)"
_PATTERNS = {
    "area": rf"\b(centre|north|south|east|west)\b(?! {_NAMED_WAYS}\b)",
    "pricerange": r"\b(cheap|inexpensive|moderate(?:ly)?|mid range|expensive|upscale)\b",
    "day": rf"\b({'|'.join(DAYS)})s?\b",
    "food": rf"\b({'|'.join(FOODS)})\b",
    "people": rf"\b(\d+) {_PEOPLE}\b|\b(?:party|group|table) (?:of|for) (\d+)\b(?! night)",
    "stay": r"\b(\d+) nights?\b",
    "stars": r"\b(\d) stars?\b",
    "time": r"(@\d+x?)(?![\dw])",
}
# What such a word may stand after without being wished for.
_NOT_WANTED = {
    "area": rf"(?:near|nearest|from|to|towards|far|close|off|outside|{_HOUSES})(?: to| from)?(?: the)?(?: city| town)?",
    "pricerange": r"(?:too|bit|less|least|so|that|very|how|quite|rather|more|as|pretty|really|is it|are they)(?: the)?",
    "time": r"(?:opens?|opening|closes?|closing|until|till|between|check in|check out|starts?)(?: at| from| around)?",
    "people": r"(?:plus|and|other|another|\d)",
    "stay": r"(?:per|each|a|how much (?:for|is))",
    "food": r"(?:had|ate|tried|love|speak|am|im)(?: some| an?)?",
}
_DENIAL = re.compile(
    r"\b(?:not|never|without|nothing|except|isnt|arent|wasnt|dont|doesnt|didnt|wont|cant|cannot|instead of|"
    r"(?:rather|other|more|less|\w+er) than|unlike|avoid|wrong|neither|nor|thought|nowhere)\b"
)
_EVENTS = r"(?:flight|plane|meeting|film|show|concert|match|wedding|conference|appointment|shift)"
# "no later than 9" is a wish; what else goes on at some time is none.
_NOT_THEN = re.compile(rf"\bnot(?: at)?$|\b(?:instead of|rather than|wrong|{_EVENTS})\b")
_BYGONE = re.compile(r"\b(?:last (?:time|week|month|year|night)|yesterday|used to)\b")
_KINDS = (
    "museum|gallery|park|theatre|cinema|swimming pool|pool|concert hall|nightclub|college|boat trip|zoo|church|castle|"
    "sports centre"
)
_NOUNS = {
    "restaurant": r"restaurant|table|bistro|(?:place|somewhere) to (?:eat|dine)",
    "hotel": r"hotel|guesthouse|room|(?:place|somewhere) to (?:stay|sleep)",
    "attraction": rf"attraction|(?:place|somewhere) to visit|{_KINDS}",
    "train": r"train(?: tickets?)?",
    "taxi": r"taxi|cab",
    "hospital": r"hospital|doctor",
    "police": r"police (?:station|officer)",
}
_WANTS = (
    r"\b(?:need|want|looking for|look for|find|book|order|get|recommend|id like|would like|call|reserve|search for|"
    r"arrange)(?: (?:me|us|also|to|find|book|get|order|see|visit|reserve))* (?:(?:a|an|some|any|another)(?: "
    r"(?!(?:near|close|to|at|from|by|in|for|with|of|on|and|or|that|which)\b)\w+){0,3}? )?"
)
_NO_NEED = re.compile(r"\b(?:dont (?:need|want)|no need for|without)(?: any| free| the)* (wifi|parking)\b")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
Values = Mapping[str, set[str]]


class Stray(NamedTuple):
    """A value that a user asked for and should not have, and in which exchange."""

    exchange: int
    family: str
    value: str


def strays(dialogue: Dialogue, goal: Goal) -> list[Stray]:
    """Where a user drifts from its goal."""
    names, found = _names(dialogue, goal), []
    fine, ends = _fine(goal), _ends_of_stays(goal)
    text = normal(_without(names, goal.text))
    heard: dict[str, set[str]] = defaultdict(set)
    for number, exchange in enumerate(dialogue.exchanges, 1):
        said, answer = normal(_without(names, exchange.user)), exchange.system[:LONGEST_TEXT]
        values = [*_values_in(said), *_others_in(said, goal, text)]
        for family, value in values:
            in_stay = family == "day" and value in ends and _is_an_end(value, values, said, fine)
            if _is_apart(family, value, fine) and value not in heard[family] and not in_stay:
                found.append(Stray(number, family, value))
        found += [Stray(number, *one) for one in _looked_up(dialogue, goal, said) if one[1] not in heard["*"]]
        for family, told in _brought_up(answer).items():
            heard[family] |= told
        heard["*"] |= {
            plain(value)
            for one in dialogue.lookups
            for value in one.wanted.values()
            if f" {plain(value)} " in f" {plain(answer)} "
        }
    return found


def _is_apart(family: str, value: str, fine: Values) -> bool:
    """Does the goal have other values for this, and not this one?"""
    if family not in fine:
        return family == DOMAIN
    if family == "time":
        said, sure = int(value.strip("@x")), "x" if value.endswith("x") else ""
        return not any(is_time(int(one), said, sure) for one in fine[family])
    return not any(value == one or value in one.split() for one in fine[family])


def _fine(goal: Goal) -> dict[str, set[str]]:
    """What a user may ask for, by family; a family is left out where some wish takes any value of it."""
    found: dict[str, set[str]] = defaultdict(set)
    free = set()
    for wish in goal.wishes:
        for slots in (wish.info, wish.first_info, wish.book, wish.first_book):
            for slot, value in slots.items():
                if no_matter(value):
                    free.add(family_of(slot))
                elif not value.startswith(PLACE):
                    found[family_of(slot)].add(_as_said(family_of(slot), value))
    for family, value in _values_in(normal(goal.text)):
        if family in found:
            found[family].add(value.strip("@x") if family == "time" else value)
    return {family: values for family, values in found.items() if family not in free}


def _ends_of_stays(goal: Goal) -> set[str]:
    """The days of a stay but the first, and the day it ends: one may speak of them."""
    found = set()
    for wish in goal.wishes:
        for book in (wish.book, wish.first_book):
            if book.get("day", "").casefold() in DAYS and book.get("stay", "").isdecimal():
                found |= set(nights(book["day"], str(int(book["stay"]) + 1))[1:])
    return found


def _is_an_end(day: str, values: list[tuple[str, str]], said: str, fine: Values) -> bool:
    """Is a day spoken of as one on which a stay goes on or ends, and not as the one that is wanted?"""
    beside = any(family == "day" and value in fine["day"] for family, value in values)
    return beside or bool(
        re.search(rf"\b(?:until|till|to|through|out|leav\w+|back|home)(?: on| the)? {day}", said)
    )


def _as_said(family: str, value: str) -> str:
    time = minutes(value) if family == "time" else None
    return str(time % 1440) if time is not None else normal(value)


def _values_in(said: str) -> Iterator[tuple[str, str]]:
    """The values of slots that a normal text asks for."""
    for family, pattern in _PATTERNS.items():
        for match in re.finditer(pattern, said):
            before = said[: match.start()].rpartition(" . ")[2]
            after = said[match.end() :].partition(" . ")[0]
            excused = _NOT_WANTED.get(family)
            if (excused and re.search(rf"\b{excused} $", before)) or _BYGONE.search(f"{before} {after}"):
                continue
            near = " ".join(before.split()[-5:])
            if not (_NOT_THEN if family == "time" else _DENIAL).search(near):
                value = next(filter(None, match.groups()))
                if not (
                    family in ("people", "stay") and value == "1"
                ):  # the price of one ticket, of one night
                    yield family, _PRICES.get(value, value)


def _others_in(said: str, goal: Goal, text: str) -> Iterator[tuple[str, str]]:
    """The kinds of things that are asked for and that the goal does not name; facilities that are waved aside."""
    for domain, nouns in _NOUNS.items():
        for match in re.finditer(rf"{_WANTS}({nouns})s?\b(?! (?:restaurant|hotel|room))", said):
            before = said[: match.start()].rpartition(" . ")[2]
            if _DENIAL.search(" ".join(before.split()[-4:])):
                continue
            wish = goal.wish(domain)
            if wish is None and not re.search(rf"\b(?:{nouns})s?\b", text):
                yield DOMAIN, domain
            elif wish is not None and re.fullmatch(_KINDS, match[1]) and "type" in wish.info:
                yield "type", match[1]
    hotel = goal.wish("hotel")
    if hotel and re.search(r"(?<!not a )(?<!no )(?<!not )(?<!than a )\bguesthouse\b", said):
        yield "type", "guesthouse"
    for match in _NO_NEED.finditer(said):
        yield ("internet" if match[1] == "wifi" else "parking"), "no"


def _brought_up(text: str) -> dict[str, set[str]]:
    """What a system said, by family; of a list to choose from nothing."""
    found: dict[str, set[str]] = defaultdict(set)
    for sentence in _SENTENCE.split(text):
        said = normal(sentence)
        values: dict[str, set[str]] = defaultdict(set)
        for family, pattern in _PATTERNS.items():
            groups = [next(filter(None, match.groups())) for match in re.finditer(pattern, said)]
            values[family] |= {_PRICES.get(value, value) for value in groups}
        values[DOMAIN] |= {name for name, nouns in _NOUNS.items() if re.search(rf"\b(?:{nouns})s?\b", said)}
        values["type"] |= set(re.findall(rf"\b(guesthouse|{_KINDS})s?\b", said))
        for family, some in values.items():
            if family in OPEN_FAMILIES or len(some) < LISTED:
                found[family] |= some
    return found


def _looked_up(dialogue: Dialogue, goal: Goal, said: str) -> Iterator[tuple[str, str]]:
    """What the system looked for in these very words, though the goal has another value for it."""
    words, text = f" {plain(said)} ", f" {plain(goal.text)} "
    for one in dialogue.lookups:
        for slot, value in one.wanted.items():
            own = _own(goal, one.domain, slot)
            sought = f" {plain(value)} "
            apart = (
                own and plain(value) not in own and not no_matter(value) and family_of(slot) not in _PATTERNS
            )
            if apart and sought in words and sought not in text:
                yield slot, plain(value)


def _own(goal: Goal, domain: str, slot: str) -> set[str]:
    """The values that the goal has for a slot; none where any will do, or a place that is yet to be found."""
    wish = goal.wish(domain)
    slots = (wish.info, wish.first_info, wish.book) if wish else ()
    values = {one[slot] for one in slots if slot in one}
    return (
        set() if any(no_matter(one) or one.startswith(PLACE) for one in values) else set(map(plain, values))
    )


def _names(dialogue: Dialogue, goal: Goal) -> list[str]:
    """The names of places that came up, the longest first: what is in a name is no wish."""
    found = {known(offer.row, domain_of(offer.domain).title) for offer in dialogue.offers}
    found |= {one.title for one in dialogue.bookings} | {one.title for one in dialogue.refusals}
    for wish in goal.wishes:
        for slots in (wish.info, wish.first_info):
            found |= {slots.get(slot, "") for slot in ("name", "departure", "destination", "department")}
    return sorted((name for name in found if len(name) > 3), key=lambda name: (-len(name), name))


def _without(names: list[str], text: str) -> str:
    for name in names:
        text = re.sub(rf"\b{re.escape(name)}\b", " it ", text, flags=re.IGNORECASE)
    return text
