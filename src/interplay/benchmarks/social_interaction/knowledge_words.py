"""Names, numbers and other words of a text, for checks of what it says."""

import re
from functools import lru_cache

from interplay.benchmarks.social_interaction.character_checks import words_of


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SMALL = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred")
_COUNTS = {
    **{word: number for number, word in enumerate(_SMALL, 1)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
    "thousand": 1_000,
}
_NUMBERS = {
    **_COUNTS,
    **{re.sub("y$", "ie", word) + "th": number for word, number in _COUNTS.items()},
    **{"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12},
    **{"once": 1, "twice": 2, "thrice": 3},
}
_LONGEST_NUMBER = 9  # figures
_EVERYWHERE = frozenset(("one", "first", "once"))  # say a number too seldom to be looked for

# Words that carry no fact of their own.
_FILLERS = _listed(
    "a about above across after against all along although am among an and another any anybody anyone "
    "anything are as at be because been before behind being below beneath beside between beyond both "
    "but by can cannot could despite did do does during each either every everybody everyone "
    "everything except for from had has have he her here him his how i if in into is it its itself "
    "may me must my near neither no nobody none nor not nothing of off on one only onto or our out "
    "over she since so some somebody someone something than that the their them themselves then there "
    "these they this those though through to toward under unless until up upon us was we were what "
    "whatever when where whereas whether which whichever while who whoever whom whose why will with "
    "within without would yet you your"
)
# Words that are written with a capital as part of many a name.
_COMMON = _listed(
    "abbey aunt baron bay black board bridge captain castle city coast count countess court cross "
    "crossing dame day deep duchess duke east end farm father fen ferry field ford forest fort free "
    "gap gate general grand great green grey guild hall harbour head high hill hills house inn island "
    "isle judge keep king lady lake lane library little lock long lord low lower magistrate market "
    "marquis marsh master mill miss mother mount new north old pass pool port prince princess provost "
    "queen red rise river road rock row royal saint school sea sergeant sir sister south station "
    "street tarn temple theatre tower town uncle under upper vale valley water wells west white widow "
    "wood"
)
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:…]['\"”’)]*\s+)['\"“‘(]*\Z|['\"“‘]\Z")
_LOOK_BACK = 8  # characters before a word that tell whether it begins a sentence


def own_words(text: str) -> set[str]:
    """What a text says in words of its own: neither names nor numbers nor fillers."""
    named = names_of(text)
    return {
        word
        for word in words_of(text)
        if word not in _FILLERS and word not in named and number_in(word) is None
    }


def names_of(text: str) -> set[str]:
    """The words of proper names, in small letters; those that are part of many a name, such as lake, are left out.

    A name is what has a capital within a sentence. The first word of a sentence has one anyway: it is a name if no
    lexicon knows it, and no plural, for a thing that is no name would have an article there.
    """
    found = set()
    for match in _WORD.finditer(text):
        if not match.group()[0].isupper():
            continue
        word = "".join(words_of(match.group()))
        if word == "i" or word in _COMMON or number_in(word) is not None:
            continue
        starts = _SENTENCE_START.search(text, max(0, match.start() - _LOOK_BACK), match.start())
        if not starts or not (word in _FILLERS or word.endswith("s") or _is_known(word)):
            found.add(word)
    return found


def _is_known(word: str) -> bool:
    return any(map(_lemmas, re.split("[-']", word)))


def number_in(word: str) -> int | None:
    """The number that a word says, be it written in figures or letters, as a count or a place in an order."""
    if word.isdecimal() and len(word) <= _LONGEST_NUMBER:
        return int(word)
    tens, _, ones = word.rpartition("-")
    value = _NUMBERS.get(ones)
    if value is None or not tens:
        return value
    return _NUMBERS[tens] + value if tens in _TENS else None


def numbers_of(text: str) -> set[int]:
    """The numbers that a text has."""
    found = (number_in(word) for word in words_of(text) if word not in _EVERYWHERE)
    return {number for number in found if number is not None}


@lru_cache(maxsize=100_000)
def forms_of(word: str) -> frozenset[str]:
    """The word and what it may be a form of."""
    return frozenset((word, *(base for found in _lemmas(word).values() for base in found)))


@lru_cache(maxsize=100_000)
def _lemmas(word: str) -> dict[str, tuple[str, ...]]:
    import lemminflect  # here, because it takes a while and only checks of texts need it

    found: dict[str, tuple[str, ...]] = lemminflect.getAllLemmas(word)
    return found
