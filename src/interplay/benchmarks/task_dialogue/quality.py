"""How good a simulated user was: numbers on one finished dialogue, and the faults that can be told from it."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from math import exp, lgamma

from interplay.benchmarks.task_dialogue.dialogue import COMPLETED, LOOP, UNTOLD, Dialogue
from interplay.benchmarks.task_dialogue.drift import strays
from interplay.benchmarks.task_dialogue.goal_items import (
    FIRST,
    INFO,
    LAST,
    Course,
    Item,
    course_of,
    phrase_turns,
)
from interplay.benchmarks.task_dialogue.mentions import is_slip, says
from interplay.benchmarks.task_dialogue.spoofing import is_spoofed
from interplay.benchmarks.task_dialogue.wording import normal

ENDED_EARLY, LOOPED, OVER_INFORMED, DRIFTED, SPOOFED = FAULTS = (
    "ended early",
    "looped",
    "over-informed",
    "drifted",
    "spoofed",
)
QUALITIES = {
    "match": ("by match", "share of the goal's key phrases that either side said, by matching strings"),
    "pace": ("pace", "values of the goal that are new in a turn of the user, on average"),
    "most_at_once": ("most at once", "values of the goal that are new in one turn, at most"),
    "repeats": (
        "repeats",
        "share of the user's turns that say again what it had said, or what it had just heard",
    ),
    "ended_early": ("early end", "share of users that were satisfied though part of the goal never came up"),
    "words": ("words", "words in a turn of the user"),
    "diversity": (
        "diversity",
        "different words among 50 that are drawn from all that the user said, as a share",
    ),
}
SAMPLE, RUN_SAMPLE = 50, 500  # words by which the diversity of a dialogue and of a run is told
SHORTEST_REPEAT = 4  # words: "yes please" may be said as often as one likes
MOST_REPEATS = IN_A_ROW = 3
MOST_AT_ONCE = 6  # items in one turn, where some of them should have come later
_SMALL = (
    "a about again already also am an and any are as asked at back be been but by can could did do does earlier for "
    "from get give had has have hello help hey hi how i id im in is it its ive just know let like looking me mentioned "
    "my need no of ok okay on one or our please really repeat said should so sorry still tell thank thanks that the "
    "them then there they this to told us want was we well what which will with would yeah yes you your"
)
_SMALL_WORDS = frozenset(_SMALL.split())
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def quality_of(dialogue: Dialogue) -> dict[str, float]:
    """The numbers on the simulated user of a dialogue.

    One is not there where the dialogue is too short for it, or too little is known of its goal or its end.
    """
    course = course_of(dialogue)
    texts = [exchange.user for exchange in dialogue.exchanges]
    count = max(1, len(texts))
    found = _beside_goal(course)
    found |= {
        "repeats": len(repeats(dialogue)) / count,
        "words": sum(len(words_of(text)) for text in texts) / count,
    }
    if ENDED_EARLY in tellable(course):
        found["ended_early"] = float(ended_early(course))
    different = diversity(texts)
    if different is not None:
        found["diversity"] = different
    return {name: found[name] for name in QUALITIES if name in found}


def _beside_goal(course: Course) -> dict[str, float]:
    """How much of its goal a user said, and how fast."""
    found = {}
    if said := phrase_turns(course):
        found["match"] = sum(turn is not None for _, turn in said) / len(said)
    if course.goal.wishes:
        turns = _turns(course.dialogue)
        paces = [len({item.key for item in course.new_in(turn) if item.value}) for turn in turns]
        found |= {"pace": sum(paces) / max(1, len(paces)), "most_at_once": float(max(paces, default=0))}
    return found


def phrases_said(dialogue: Dialogue) -> list[tuple[str, int | None]]:
    """Each key phrase of the goal, and the first exchange in which either side said it; None if nobody did."""
    return phrase_turns(course_of(dialogue))


def faults(dialogue: Dialogue) -> list[str]:
    """What was wrong with the simulated user, of FAULTS."""
    return [name for name, is_there in faults_told(dialogue).items() if is_there]


def faults_told(dialogue: Dialogue) -> dict[str, bool]:
    """Each fault that can be told of a dialogue, and whether it is there."""
    course = course_of(dialogue)
    finders = {
        ENDED_EARLY: lambda: ended_early(course),
        LOOPED: lambda: looped(dialogue),
        OVER_INFORMED: lambda: over_informed(course),
        DRIFTED: lambda: bool(strays(dialogue, course.goal)),
        SPOOFED: lambda: is_spoofed(dialogue),
    }
    return {name: finders[name]() for name in tellable(course)}


def tellable(course: Course) -> tuple[str, ...]:
    """The faults that can be told: of a goal in words alone, and of an end that is not known, some cannot."""
    if not course.goal.wishes:
        return (LOOPED, SPOOFED)
    return tuple(name for name in FAULTS if name != ENDED_EARLY or course.dialogue.ended != UNTOLD)


def ended_early(course: Course) -> bool:
    """Was the user satisfied though something of its goal had never come up?"""
    return course.dialogue.ended == COMPLETED and bool(course.missing)


def over_informed(course: Course) -> bool:
    """Did the user say too much at once: two domains, both a first and a second wish, or what should come later?"""
    return any(_is_too_much(course, turn) for turn in _turns(course.dialogue))


def _is_too_much(course: Course, turn: int) -> bool:
    new = course.new_in(turn)
    for item in new:
        if item.of == FIRST and any(_stands_in(other, item) for other in new):
            return True
    domains = {item.domain for item in new}
    several = sum(len(_own_values(new, domain)) > 1 for domain in domains) > 1
    opened = sum(_is_opened(course, new, domain) for domain in domains) > 1
    if several or opened:
        return True
    return any(_is_ahead([item for item in new if item.domain == domain]) for domain in domains)


def _stands_in(last: Item, first: Item) -> bool:
    """Is one what comes instead of the other? Not where it is a part of it, as european of northern european."""
    same = (last.domain, last.kind, last.of) == (first.domain, first.kind, LAST)
    return same and not says(last.slot, last.value, first.value)


def _is_ahead(new: Sequence[Item]) -> bool:
    """Is there much at once, and some of it for when something has been found?"""
    searched = sum(item.kind == INFO for item in new)
    return len(new) >= MOST_AT_ONCE and searched > 0 and len(new) - searched > 1


def _is_opened(course: Course, new: Sequence[Item], domain: str) -> bool:
    """Does a turn begin with a domain, and say more of it than one thing?"""
    searched = {
        item.key for item in course.items if item.domain == domain and item.kind == INFO and item.value
    }
    mine = [item for item in new if item.domain == domain]
    begins = not searched or bool(searched & _own_values(new, domain))
    return begins and len({item.key for item in mine}) > 1


def _own_values(new: Sequence[Item], domain: str) -> set[tuple[str, str]]:
    """The values that only this domain has."""
    others = {item.key for item in new if item.domain != domain}
    return {item.key for item in new if item.domain == domain and item.value} - others


def _turns(dialogue: Dialogue) -> range:
    return range(1, len(dialogue.exchanges) + 1)


def looped(dialogue: Dialogue) -> bool:
    """Did the user go in circles: the same three times in a row, or again and again? A system may do so by itself."""
    said = [exchange.user for exchange in dialogue.exchanges]
    runs = [said[start : start + IN_A_ROW] for start in range(len(said) - IN_A_ROW + 1)]
    in_a_row = any(all(is_repeat(one, run[0], telling=1) for one in run[1:]) for run in runs)
    stuck = dialogue.ended == LOOP and bool(runs) and len({" ".join(words_of(one)) for one in runs[-1]}) == 1
    return stuck or in_a_row or len(repeats(dialogue)) >= MOST_REPEATS


def repeats(dialogue: Dialogue) -> list[int]:
    """The turns in which the user (nearly) says what it said before, or what the system has just said."""
    found = []
    for turn, exchange in enumerate(dialogue.exchanges):
        own = [earlier.user for earlier in dialogue.exchanges[:turn]]
        heard = [dialogue.exchanges[turn - 1].system] if turn else []
        if any(is_repeat(exchange.user, earlier) for earlier in (*own, *heard)):
            found.append(turn + 1)
    return found


def is_repeat(text: str, earlier: str, telling: int = 2) -> bool:
    """Do two texts say the same in nearly the same words? Of short ones and those that tell little nobody can say."""
    words, others = (normal(one).replace(".", " ").split() for one in (text, earlier))
    if min(len(words), len(others)) < SHORTEST_REPEAT:
        return False
    mine, theirs = (set(one) - _SMALL_WORDS for one in (words, others))
    if len(mine) < telling or len(mine) != len(theirs):
        return False
    return all(any(is_slip(word, other) for other in theirs - mine) for word in mine - theirs)


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def diversity(texts: Iterable[str], sample: int = SAMPLE) -> float | None:
    """The share of different words that a draw of so many of the words would have on average; None if there are fewer.

    It does not shrink with length, as the plain share of different words does, and sees what is said again in
    another dialogue, as windows that move over a text do not. (Known as HD-D, and in ecology as rarefaction.)
    """
    counts = Counter(word for text in texts for word in words_of(text))
    total = sum(counts.values())
    if total < sample:
        return None
    return sum(1 - _is_left_out(count, total, sample) for count in counts.values()) / sample


def _is_left_out(count: int, total: int, sample: int) -> float:
    """The chance that a word that stands there so often is in no place of the draw."""
    if total - count < sample:
        return 0.0
    rest = total - count
    return exp(lgamma(rest + 1) - lgamma(rest - sample + 1) - lgamma(total + 1) + lgamma(total - sample + 1))
