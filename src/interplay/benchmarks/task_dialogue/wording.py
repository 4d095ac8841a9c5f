"""Wording: a text in one spelling, however a person writes it; by rules, for English."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from interplay.benchmarks.task_dialogue.values import in_digits

PERSONS = (
    r"(?:people|persons?|guests?|adults?|travell?ers?|passengers?|diners?|tickets?|seats?|friends|heads?|folks?|"
    r"of (?:us|them))"
)
LONGEST_TEXT = 4_000  # characters that are looked at, as many as a simulated user is shown
_SPELLINGS = [
    (r"\b(?:wi fi|internet|online|broadband)\b", "wifi"),
    (r"\bpost ?codes?\b|\bzip(?: ?codes?)?\b|\bpostal codes?\b", "postcode"),
    (r"\bguest ?houses?\b|\bb ?(?:and|n) ?bs?\b|\bbed and breakfasts?\b", "guesthouse"),
    (r"\bcent(?:er|re|ral)\b|\bdowntown\b|\bmiddle of (?:the )?(?:town|city)\b", "centre"),
    (r"\b(north|south|east|west)ern\b", r"\1"),
    (r"\bprice ?(?:range|bracket|class|level|categor\w+)s?\b", "pricerange"),
    (r"\btrain ?ids?\b|\btrain (?:number|no)s?\b|\bnumber of the train\b", "trainid"),
    (r"\bcar ?park\w*\b|\bpark (?:the|my|our|a) car\b", "parking"),
    (r"\btheat(?:er|re)s?\b", "theatre"),
    (r"\bppl\b|\bpax\b", "people"),
]
_AT = r"(at|by|before|after|around|about|from|past|until|till|for|than)"
_HALF_DAYS = {"morning": "am", "afternoon": "pm", "evening": "pm", "night": "pm", "tonight": "pm"}
_PAST = (
    (r"half(?: past)?", 30),
    (r"(?:a )?quarter past", 15),
    (r"(?:a )?quarter to", -15),
    *((rf"{minutes}(?: minutes)? past", minutes) for minutes in (5, 10, 20, 25)),
    *((rf"(?<!from )(?<!between ){minutes}(?: minutes)? to", -minutes) for minutes in (5, 10, 20, 25)),
)
_NO_TIME = rf"(?:{PERSONS}|nights?|stars?|pounds|minutes|hours|days)"
_MARKS = re.compile(r"[.,;:!?()\n\"]+(?=\s|$)|[\n;!?()\"]+")


@lru_cache(maxsize=1024)
def normal(text: str) -> str:
    """A text in one spelling: lower case, figures, times as @MINUTES, full stops where a clause ends.

    A time is followed by x where it may be before or after noon, and by w where it may be no time at all.
    """
    said = unicodedata.normalize("NFKC", text[:LONGEST_TEXT]).casefold()
    said = re.sub(r"['’`]", "", said).replace("&", " and ")
    said = _clocks(re.sub(r"\b([ap])\.\s?m\b\.?", r"\1m", said))
    said = re.sub(r"(?<=\w)[.,](?=\w)|[-–—/_]", " ", _MARKS.sub(" . ", said))
    said = " ".join(re.sub(r"[^\w\s.@]", " ", said).split())
    said = _spoken_times(in_digits(said.replace("a couple of", "2")))
    for pattern, spelling in _SPELLINGS:
        said = re.sub(pattern, spelling, said)
    return said


def _clocks(said: str) -> str:
    """Times that are written with figures: 18:30, 6.30 pm, 7pm."""

    def clock(found: re.Match[str]) -> str:
        hour, minute, half = found[1], found[2] or "0", found[3] or ""
        if int(hour) > 24 or (found[2] is None and not half):
            return found[0]
        return f" {_time(hour, minute, half)} "

    said = re.sub(r"(?<![\d.:£$€])(\d{1,2}):([0-5]\d)(?::\d\d)?\s?([ap]m)?\b", clock, said)
    said = re.sub(r"(?<![\d.:£$€])(\d{1,2})\.([0-5]\d)\s?([ap]m)\b", clock, said)
    said = re.sub(rf"\b{_AT} (\d{{1,2}})\.([0-5]\d)(?!\s?(?:pounds|gbp|euro)|\d|\.\d)",
                  lambda found: f"{found[1]} {_time(found[2], found[3], '')} ", said)  # fmt: skip
    return re.sub(r"(?<![\d.:£$€@])(\d{1,2})()\s?([ap]m)\b", clock, said)


def _time(hour: str, minute: str, half: str) -> str:
    hours = int(hour) % 24
    if half:
        hours = hours % 12 + (12 if half == "pm" else 0)
    unsure = not half and hours < 13 and not hour.startswith("0")
    return f"@{hours * 60 + int(minute)}{'x' if unsure else ''}"


def _spoken_times(said: str) -> str:
    """Times in words: half past 6, quarter to 7, 7 oclock, at 7, noon, 7 in the evening."""
    said = re.sub(r"\b(?:noon|midday)\b", "@720", said)
    said = re.sub(r"\bmidnight\b", "@0", said)
    for words, shift in _PAST:
        said = re.sub(
            rf"\b{words} (\d{{1,2}})\b(?! {PERSONS})",
            lambda found, shift=shift: f"@{(int(found[1]) * 60 + shift) % 1440}x",  # type: ignore[misc]
            said,
        )
    said = re.sub(r"(?<!@)\b(\d{1,2}) ?o ?clock\b", lambda found: f"@{int(found[1]) % 24 * 60}x", said)
    said = re.sub(
        rf"\b{_AT} (\d{{1,2}}) (15|30|45)\b",
        lambda found: f"{found[1]} {_time(found[2], found[3], '')}",
        said,
    )
    said = re.sub(rf"\b{_AT} ([01]\d|2[0-3])([0-5]\d)\b(?! \w*pounds)",
                  lambda found: f"{found[1]} @{int(found[2]) * 60 + int(found[3])}x", said)  # fmt: skip
    said = re.sub(
        rf"\b(at|by|before|after|around|about) (\d{{1,2}})\b(?! {_NO_TIME})",
        lambda found: f"{found[1]} @{int(found[2]) % 24 * 60}w" if int(found[2]) < 25 else found[0],
        said,
    )
    return re.sub(
        r"@(\d+)[xw] (?:in the |on \w+ |\w+day )?(morning|afternoon|evening|night|tonight)\b",
        lambda found: f"@{int(found[1]) % 720 + (720 if _HALF_DAYS[found[2]] == 'pm' else 0)} {found[2]}",
        said,
    )


def times_in(said: str) -> Iterator[tuple[int, str]]:
    """The times of a normal text in minutes, each with how sure it is: nothing, x or w."""
    for found in re.finditer(r"@(\d+)([xw]?)", said):
        yield int(found[1]), found[2]


def is_time(wanted: int, found: int, sure: str) -> bool:
    """Can a time that was said be the one that is wanted?"""
    return found == wanted or (bool(sure) and (found - wanted) % 720 == 0)
