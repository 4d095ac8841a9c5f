"""Mentions: does a text say a value of a slot, or speak of the slot? Values are known in many wordings."""

import re
from functools import lru_cache

from rapidfuzz import fuzz

from interplay.benchmarks.task_dialogue.city import minutes
from interplay.benchmarks.task_dialogue.wording import PERSONS, is_time, normal, times_in

ALIKE = 85  # of 100: a long word that is this near to another is a slip of it
SHORTEST_SLIP = 6  # letters
FAMILIES = {"leaveAt": "time", "arriveBy": "time", "departure": "place", "destination": "place"}
DOMAIN_WORDS = {
    "restaurant": r"restaurants?|(?:eat|dine|dining|dinner|lunch|food|meal|bistro|table)",
    "hotel": r"hotels?|guesthouse|(?:place|somewhere) to (?:stay|sleep)|accommodation|lodgings?|rooms?|stay",
    "attraction": r"attractions?|(?:places?|somewhere|something|things?) to (?:go|visit|see|do)|sights?|sightseeing",
    "train": r"trains?|railway",
    "taxi": r"taxis?|cabs?",
    "hospital": r"hospital|clinic|ward|department",
    "police": r"police(?: stations?)?|officers?",
}
ASKED = {
    "phone": r"(?:tele)?phones?|(?:contact|their|its|the) numbers?(?! of)|number for|call (?:them|it)|ring them|tel|"
    r"contact details",
    "postcode": r"postcode",
    "address": r"address(?:es)?|street|where(?: (?:is|exactly|(?:can|will|would|do) (?:i|we))|s)|located|location|"
    r"whereabouts|how (?:do|can|will|would) (?:i|we|you|one) (?:find|get (?:there|to)|reach)",
    "entrance fee": r"fees?|admission|entrance|entry|how much|charge|cost\w*|get in",
    "openhours": r"open\w*|hours|clos(?:ing|es?)",
    "price": r"prices?|fares?|how much|costs?|pay|charge",
    "duration": r"how long|duration|(?:travel|journey) time|take",
    "leaveAt": r"departure|depart(?:s|ing)? (?:at|time)|what time|when (?:does|do|will|is)|leaving time|leaves?",
    "arriveBy": r"arrival|arrives|what time|when (?:does|do|will|would|is)|gets? (?:in|there)|reach\w*",
    "trainID": r"trainid|which train|ids?",
    "car type": r"cars?|vehicle|looks? like|look (?:out )?for",
    "pricerange": r"pricerange|how (?:much|expensive|cheap|pricey|dear)|expensive|pric\w+|costs?",
    "area": r"areas?|part of|which side|neighbou?rhood|district|where\w*|locat\w+|quarter",
    "food": r"food|cuisine|serves?|dishes|menu|cook\w*",
    "stars": r"stars?|rating|rated",
    "internet": r"wifi",
    "parking": r"park(?:ing)?",
    "type": r"types?|kinds?|sort|what is it",
    "department": r"departments?",
    "name": r"names?|called|which",
    "reference": r"refs?|references?|(?:booking|confirmation) (?:number|code|no)|confirmation|codes?",
}
_KIN = r"(?:wife|husband|partner|friend|girlfriend|boyfriend|mum|dad|son|daughter|sister|brother|colleague)"
_WORDS_OF = {
    ("pricerange", "cheap"): r"inexpensive|cheap\w*|budget|affordable|low(?:er)?(?: cost| price\w*)?|bargain",
    ("pricerange", "moderate"): r"moderate\w*|mid(?:dle)?|medium|reasonabl\w+|average",
    (
        "pricerange",
        "expensive",
    ): r"expensive|high end|up(?:scale|market)|fancy|posh|luxur\w+|pric[ey]+|dear|splash\w*",
    ("type", "guesthouse"): r"guesthouse",
    ("type", "hotel"): r"hotels?",
    (
        "people",
        "1",
    ): r"(?:just|only|for|with) me|myself|alone|on my own|solo|single (?:ticket|person|seat|room)|a (?:seat|ticket)",
    (
        "people",
        "2",
    ): rf"(?:both|2) of us|{_KIN} and (?:me|i|myself)|me and my \w+|with my {_KIN}|for a couple",
    ("stay", "1"): r"(?:a|the|single|1) night|overnight",
    ("stars", "0"): r"un ?rated|no stars?|without (?:any )?stars?",
}
_AMOUNTS = {
    "people": (
        rf"\b(\d+) (?:[a-z]+ )?{PERSONS}\b",
        r"\b(?:party|group|table|booking|reservation|family|tickets?|seats?|places?|room) (?:of|for) (\d+)\b(?! night)",
        r"\b(\d+) (?:will|are|is) (?:be )?(?:coming|eating|travelling|dining)\b",
    ),
    "stay": (r"\b(\d+) (?:[a-z]+ )?nights?\b",),
    "stars": (
        r"\b(\d) (?:[a-z]+ )?stars?\b",
        r"\bstars? (?:rating )?(?:of|is) (\d)\b",
        r"\brat(?:ing|ed)(?: of| at)? (\d)\b",
    ),
}
_FOR_SO_MANY = re.compile(r"\bfor (\d+)\b(?! (?:nights?|stars?|days|minutes|hours|pounds|\d))")
_GENERIC = re.compile(r"\b(?:the|restaurant|hotel|guesthouse|bar|cafe|and|of|station)\b")
_FACILITIES = {"internet": r"wifi", "parking": r"park(?:ing)?"}
_DENIED = r"no|not|without|never|dont|doesnt|isnt|unnecessary|neither|nor"
_SMALL = (".", "and", "the", "of", "a", "an")


def family_of(slot: str) -> str:
    """Slots whose values cannot be told apart in what is said are one family."""
    return FAMILIES.get(slot, slot)


@lru_cache(maxsize=20_000)  # the same turns are looked at for coverage, pace and every fault
def says(slot: str, value: str, text: str) -> bool:
    """Does the text say this value of the slot, in whatever wording?"""
    said, family, value = normal(text), family_of(slot), value.strip().casefold()
    if family == "time":
        wanted = minutes(value)
        return wanted is not None and any(is_time(wanted % 1440, *one) for one in times_in(said))
    if family == "day" and _has(re.escape(value[:3]), said):
        return True
    if family in _FACILITIES:
        return value in _facility(family, said)
    words = _WORDS_OF.get((family, value))
    if words and _has(words, said):
        return True
    if family in _AMOUNTS:
        known = amounts_in(family, said) | (set(_FOR_SO_MANY.findall(said)) if family == "people" else set())
        return value in known
    if words:
        return False
    return _says_name(value, said) if family in ("name", "place") else _says_words(value, said)


def _facility(family: str, said: str) -> set[str]:
    """Is a facility wanted (yes), waved aside (no), or not spoken of? A part that denies anything denies this."""
    clauses = [
        clause for clause in re.split(r" (?:\.|and|but|with) ", said) if _has(_FACILITIES[family], clause)
    ]
    return {"no" if _has(_DENIED, clause) else "yes" for clause in clauses}


def amounts_in(family: str, said: str) -> set[str]:
    """The numbers of people, nights or stars that a normal text says outright."""
    return {number for pattern in _AMOUNTS[family] for number in re.findall(pattern, said)}


def asks(slot: str, text: str) -> bool:
    """Does the text speak of the slot, whatever its value?"""
    return _has(ASKED.get(slot, _forms(normal(slot))), normal(text))


def speaks_of(domain: str, text: str) -> bool:
    return _has(DOMAIN_WORDS.get(domain, _forms(normal(domain))), normal(text))


def says_words(words: str, text: str) -> bool:
    """Are these words in the text, in their order and one or many of each?"""
    return _has(_forms(normal(words)), normal(text))


def _has(words: str, said: str) -> bool:
    return bool(re.search(rf"\b(?:{words})\b", said))


def _forms(value: str) -> str:
    return " ".join(_form(word) for word in value.replace(".", " ").split())


@lru_cache(maxsize=5_000)
def _form(word: str) -> str:
    """What finds a word, one or many."""
    if word.endswith("ies") and len(word) > 4:
        word = f"{word[:-3]}y"
    elif word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    if word.endswith("y") and len(word) > 3:
        return rf"{re.escape(word[:-1])}(?:y|ies)"
    return rf"{re.escape(word)}(?:e?s)?"


def _says_words(value: str, said: str) -> bool:
    """Are the words of the value there, of a long one most, with a slip in a long word allowed?"""
    wanted = [word for word in normal(value).split() if word not in _SMALL]
    if not wanted or _has(_forms(" ".join(wanted)), said):
        return True
    heard = said.split()
    found = sum(any(_is_form(word, other) for other in heard) for word in wanted)
    return found == len(wanted) or (len(wanted) > 2 and found >= len(wanted) - 1)


def _is_form(word: str, other: str) -> bool:
    return bool(re.fullmatch(_form(word), other)) or is_slip(word, other)


def is_slip(word: str, other: str) -> bool:
    """Is one a long word and the other the same with a slip of the pen?"""
    return min(len(word), len(other)) >= SHORTEST_SLIP and fuzz.ratio(word, other) >= ALIKE


def _says_name(value: str, said: str) -> bool:
    """Is the name there, perhaps misspelt or without a word such as "hotel"?"""
    name = " ".join(_GENERIC.sub(" ", normal(value)).split()) or normal(value)
    heard = " ".join(_GENERIC.sub(" ", said.replace(".", " ")).split())
    if len(name) < SHORTEST_SLIP:
        return _has(re.escape(name), heard)
    return name in heard or fuzz.partial_ratio(name, heard) >= ALIKE + 3
