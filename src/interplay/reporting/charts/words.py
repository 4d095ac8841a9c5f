"""Words in charts: texts of others made fit to be drawn, and cut in the middle where they are long."""

import re
import unicodedata
from collections.abc import Iterable

from interplay.reporting.cells import NOTHING

MOST_CHARACTERS = 40  # of a name that is drawn
MOST_TOLD = 300  # characters of a name in the text that stands for a chart
MOST_READ = 2000  # characters of a text that are looked at at all, from its two ends
MOST_MARKS = 3  # on one character
_CUT = "…"
# What is no character of XML, other controls, and what turns the direction of text. The renderer ends the whole program
# where it meets one of the first, so that nothing may ever reach it that did not pass here.
_UNFIT = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_NARROW, _BROAD = frozenset("iljtfI.,:;'|!()[]/- "), frozenset("mwMW@%…")


def drawable(text: str) -> str:
    """The text without anything that the renderer cannot draw."""
    return _UNFIT.sub("", text)


def plain(text: str) -> str:
    """The text on one line, fit to be drawn."""
    if len(text) > MOST_READ:
        text = f"{text[: MOST_READ // 2]}{_CUT}{text[-MOST_READ // 2 :]}"
    return " ".join(_untowered(drawable(text)).split()) or NOTHING


def _untowered(text: str) -> str:
    """The text with few marks on any character: towers of them would cover what stands above and below."""
    kept: list[str] = []
    for character in text:
        if not (unicodedata.combining(character) and all(map(unicodedata.combining, kept[-MOST_MARKS:]))):
            kept.append(character)
    return "".join(kept)


def in_full(text: str) -> str:
    """A name for those who do not see the chart: in full, unless it is no name any more."""
    found = plain(text)
    return found if len(found) <= MOST_TOLD else f"{found[: MOST_TOLD // 2]}{_CUT}{found[-MOST_TOLD // 2 :]}"


def short(text: str, room: float = 300.0, size: float = 13.0, most: int = MOST_CHARACTERS) -> str:
    """The text as it is drawn in so many pixels; what is too long loses its middle, as both ends tell names apart."""
    found = plain(text)
    if len(found) <= most and breadth(found, size) <= room:
        return found
    kept = min(len(found) - 1, most - 1)
    while kept > 1 and breadth(_halved(found, kept), size) > room:
        kept -= 1
    return _halved(found, kept)


def _halved(text: str, kept: int) -> str:
    head = (kept + 1) // 2
    return f"{text[:head].rstrip()}{_CUT}{text[len(text) - (kept - head) :].lstrip()}"


def breadth(text: str, size: float = 13.0) -> float:
    """About how many pixels a text takes; a reader's font may need a little more or less."""
    return size * sum(map(_share, text))


def _share(character: str) -> float:
    """The width of a character, as a share of the size of its font."""
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in _NARROW:
        return 0.36
    return 1.0 if character in _BROAD else 0.7 if character.isupper() else 0.6


def distinct(labels: Iterable[str]) -> list[str]:
    """The labels, with a number behind those that would be alike."""
    seen: set[str] = set()
    found = []
    for label in labels:
        other, count = label, 1
        while other in seen:
            count += 1
            other = f"{label} ({count})"
        seen.add(other)
        found.append(other)
    return found


def listed(words: Iterable[str]) -> str:
    """Words in a row, with an and before the last."""
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last
