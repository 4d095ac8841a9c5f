"""Values as people say them, brought to how a database writes them: clocks, numbers, days, misspelt names."""

import re
from collections.abc import Sequence
from functools import cache

from rapidfuzz.distance import OSA

from interplay.benchmarks.task_dialogue.city import DAYS, DONTCARE, TIMES, minutes, no_matter, plain

TIME = "time"
CLOCKS = (*TIMES, TIME)
NUMBERS = ("people", "stay", "stars")
SHORTEST_PART = 3  # letters of a name
SHORTEST_MISSPELT = 4  # letters; a shorter word is one slip away from too many others
_NOTHING = frozenset(
    (
        *("", "?", "-", "none", "null", "n/a", "na", "unknown", "empty", "undefined", "unspecified"),
        *("not mentioned", "not given", "not specified", "not stated", "not known"),
    )
)
_NO_MATTER = re.compile(
    r"(?:it |that |this |i |we )?(?:really |just )?(?:am |'m |are |'re )?(?:"
    r"(?:do|does)(?: not|n'?t) (?:really |much )?(?:care|matter|mind)\b.*"
    r"|(?:have )?no (?:real |particular |strong )?preferences?\b.*"
    r"|not (?:important|needed|picky|fussy)|whatever|whichever|wherever|whenever|flexible"
    r"|any(?:thing|where|time| time| day| one| of them| kind| type| area| price| price range)?"
    r"(?: is| will be| would be)?(?: fine| ok| okay| do| will do)?"
    r"|(?:all|both|either)(?: of them| one)?(?: is| are)?(?: fine| ok| okay)?"
    r")"
)
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
_NUMBER_WORDS = {word: number for number, word in enumerate(_COUNTED.split())} | _TENS
_WORD = re.compile(r"\b(" + "|".join(_NUMBER_WORDS) + r")\b")
_TENS_AND_ONES = re.compile(r"\b([2-5])0[ -]([1-9])\b")
_ALONE = re.compile(r"(?:just |only )?(?:me|myself|for me)|alone|solo|by myself|on my own")
_A_FEW = {"a couple": "2", "couple": "2", "a pair": "2", "a dozen": "12", "single": "1", "double": "2"}
_ONE_OF = re.compile(r"\ban? (?=night|person|guest|seat|ticket|star)")
_NOON = (("midnight", "00:00"), ("noon", "12:00"), ("midday", "12:00"))
_HALF = re.compile(r"\bhalf (?:past )?(\d{1,2})\b")
_PAST = re.compile(r"(?<![:.\d])(\d{1,2}|quarter)(?: minutes?)? (past|after|to|before) (\d{1,2})\b(?![:.]\d)")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}) ?[:.h] ?([0-5]\d)(?!\d)")
_WRITTEN_OUT = re.compile(r"(?:[01]\d|2[0-4]):[0-5]\d")  # with 24:30, as timetables and MultiWOZ have it
_FOUR_DIGITS = re.compile(r"(?<![\d:.])([01]\d|2[0-4])([0-5]\d)(?![\d:.])")
_APART = re.compile(r"(?<![\d:.])(\d{1,2}) (?:0|oh )?([0-5]?\d)(?![\d:.])")
_HOUR = re.compile(
    r"(?<![\d:.])(\d{1,2})(?![\d:.]| ?(?:hours?|hrs?|minutes?|mins?)\b)"
)  # in 20 minutes is no time
_MERIDIAN = re.compile(r"(?<=[\d ])(a|p) ?\.? ?m\b\.?")
_LATE = re.compile(r"\b(?:evening|afternoon|tonight|night)\b")
_EARLY = re.compile(r"\bmorning\b")
_AROUND = (
    "a an the in at of for food foods cuisine restaurant restaurants style area part side end town city price priced "
    "prices range star stars type kind place places station train department attraction hotel"
)
_FILLERS = frozenset(_AROUND.split())
_YES = frozenset(("yes", "true", "free", "included", "needed", "required", "wanted", "available", "with"))
_NO = frozenset(("no", "false", "without", "not"))
_SAME = {
    "downtown": "centre",
    "central": "centre",
    "middle": "centre",
    "inexpensive": "cheap",
    "budget": "cheap",
    "low": "cheap",
    "affordable": "cheap",
    "moderately": "moderate",
    "mid": "moderate",
    "midrange": "moderate",
    "mid range": "moderate",
    "medium": "moderate",
    "reasonable": "moderate",
    "high": "expensive",
    "upscale": "expensive",
    "fancy": "expensive",
    "luxury": "expensive",
    "pricey": "expensive",
    "bed and breakfast": "guesthouse",
    "bnb": "guesthouse",
}


def is_nothing(said: str) -> bool:
    """Does a form's field say that nothing was said?"""
    return said.strip().casefold() in _NOTHING


def brought_into_form(
    slot: str, said: str, known: Sequence[str] = (), *, of_names: bool = False, evening: bool = False
) -> str:
    """The value in the database's spelling, dontcare, or empty for nothing; one that cannot be read stays.

    Names may be said in part. Where it is about the evening, half past six is 18:30.
    """
    text = " ".join(said.split())
    if is_nothing(text):
        return ""
    if no_matter(text) or _NO_MATTER.fullmatch(text.casefold().replace("’", "'").strip(" .!")):
        return DONTCARE
    if slot in CLOCKS:
        return clock(text, evening=evening) or text
    if slot in NUMBERS:
        return number(text) or text
    if slot == "day":
        return day(text) or text
    return nearest_known(text, known, of_names=of_names) or text


def is_readable(slot: str, value: str) -> bool:
    """Can a value of this slot be looked up or booked?"""
    if slot in CLOCKS:
        return minutes(value) is not None
    if slot in ("people", "stay"):
        return value.isascii() and value.isdecimal() and 0 < int(value) < 100
    return value in DAYS if slot == "day" else bool(value)


def clock(text: str, *, evening: bool = False) -> str:
    """A time of day as HH:MM; empty if the text says none."""
    if _WRITTEN_OUT.fullmatch(text.strip()):
        return text.strip()
    said = _MERIDIAN.sub(r" \1m", text.casefold().replace("’", "'").replace("o'clock", " "))
    for word, time in _NOON:
        if re.search(rf"\b{word}\b", said):
            return time
    said = " ".join(in_digits(said).split())
    found = _hour_and_minute(said)
    if found is None:
        return ""
    hour, minute, written_in_full = found
    late = re.search(r"\bpm\b", said) or _LATE.search(said)
    early = re.search(r"\bam\b", said) or _EARLY.search(said)
    if (late and not early and hour < 12) or (
        evening and not early and not written_in_full and 1 <= hour <= 9
    ):
        hour += 12
    elif early and not late and hour == 12:
        hour = 0
    hour = 0 if hour == 24 else hour
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


def _hour_and_minute(said: str) -> tuple[int, int, bool] | None:
    """What a clock shows by these words, and whether its hour is written with two digits."""
    if found := _HALF.search(said):
        return int(found[1]), 30, False
    if found := _PAST.search(said):
        away = 15 if found[1] == "quarter" else int(found[1])
        hour = int(found[3])
        if away < 60:
            return (
                (hour, away, False) if found[2] in ("past", "after") else ((hour - 1) % 24, 60 - away, False)
            )
    for pattern in (_CLOCK, _FOUR_DIGITS, _APART):
        if found := pattern.search(said):
            return int(found[1]), int(found[2]), len(found[1]) == 2
    found = _HOUR.search(said)
    return (int(found[1]), 0, False) if found else None


def in_digits(text: str) -> str:
    """The text with its numbers in digits: twenty-five is 25."""
    digits = _WORD.sub(lambda found: str(_NUMBER_WORDS[found[1]]), text)
    return _TENS_AND_ONES.sub(lambda found: found[1] + found[2], digits)


def number(text: str) -> str:
    """The one number that a text says, in digits; empty if it says none, or several."""
    said = plain(text)
    if _ALONE.fullmatch(said):
        return "1"
    for words, digits in _A_FEW.items():
        if re.match(rf"{words}\b", said):
            return digits
    found = set(re.findall(r"\d+", _ONE_OF.sub("1 ", in_digits(said))))
    return str(int(found.pop())) if len(found) == 1 else ""


def day(text: str) -> str:
    """The one day of the week that a text names, in full or in short; empty if there is no one day."""
    words = plain(text).split()
    found = {day for day in DAYS for word in words if word.removesuffix("s") == day or word in _short(day)}
    if not found:
        found = {day for day in DAYS for word in words if len(word) > 5 and OSA.distance(word, day) == 1}
    return found.pop() if len(found) == 1 else ""


@cache
def _short(day: str) -> frozenset[str]:
    return frozenset((f"{day[:3]}s", *(day[:length] for length in (3, 4, 5) if length < len(day) - 2)))


def nearest_known(said: str, known: Sequence[str], *, of_names: bool = False) -> str:
    """The known value that is meant; empty where it is none of them, or cannot be told."""
    values = {plain(value): value for value in known}
    wanted = plain(said)
    in_one_piece = {text.replace(" ", ""): value for text, value in values.items()}
    for text in (wanted, _bare(wanted)):
        for spelling in (text, _SAME.get(text, ""), text.removesuffix("s"), text.removesuffix("ern")):
            found = values.get(spelling) or in_one_piece.get(spelling.replace(" ", ""))
            if spelling and found:
                return found
    if "yes" in values:
        return _yes_or_no(wanted)
    if of_names:
        holding = [value for text, value in values.items() if f" {wanted} " in f" {text} "]
        if len(holding) == 1 and len(wanted) >= SHORTEST_PART:
            return holding[0]
    # A real word is no slip of another one: who asks for javanese food does not mean japanese.
    meant = wanted if of_names else _bare(wanted)
    return without_slips(meant, known) if of_names or _is_misspelt(meant) else ""


def without_slips(said: str, known: Sequence[str]) -> str:
    """The one known value that a text is a slip of, or is itself; empty where there is none, or more than one."""
    wanted, most = plain(said), most_slips(plain(said))
    if len(wanted) < SHORTEST_MISSPELT:
        return ""
    slips = {value: OSA.distance(wanted, plain(value), score_cutoff=most) for value in known}
    least = min(slips.values(), default=0)
    near = [value for value, distance in slips.items() if distance == least <= most]
    return near[0] if len(near) == 1 else ""


def most_slips(word: str) -> int:
    """How many letters may be wrong, missing, too many or swapped."""
    return 1 if len(word) < 8 else 2 if len(word) < 16 else 3


def _bare(text: str) -> str:
    """A value without the words that people say around it: the north part of town is north."""
    return " ".join(word for word in text.split() if word not in _FILLERS)


def _yes_or_no(said: str) -> str:
    words = set(said.split())
    if words & _NO:
        return "no"
    return "yes" if words & _YES else ""


def _is_misspelt(text: str) -> bool:
    """Does a text have a word that English does not?"""
    return any(word.isalpha() and word not in _dictionary() for word in text.split())


@cache
def _dictionary() -> frozenset[str]:
    # loaded when it is first needed: its word list takes a while
    from spellchecker import SpellChecker

    return frozenset(SpellChecker().word_frequency.words())
