"""Planted errors: a slot that is misheard or misspoken, every time it comes up, so that the goal must fail."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from interplay.benchmarks.task_dialogue.city import (
    ARRIVE,
    DAYS,
    LEAVE,
    TIMES,
    City,
    domain_of,
    known,
    no_matter,
    plain,
)
from interplay.benchmarks.task_dialogue.goals import PLACE, Goal, Wish
from interplay.benchmarks.task_dialogue.understanding import Heard

MOST_PEOPLE = 8
TABLE_TIMES = ("12:00", "13:30", "17:00", "18:45", "20:15")


def wrong_value(city: City, wish: Wish, slot: str, rng: Random) -> str:
    """A value in place of the right one with which the wish cannot be met; empty if there is none."""
    right = wish.book.get(slot) or wish.info.get(slot, "")
    if slot in wish.book:
        return _other_detail(slot, right, rng)
    if no_matter(right):
        return ""
    if slot in TIMES and wish.domain == "train":
        return _missed_train(city, wish, slot)
    if wish.domain == "taxi":
        return _other_ride(city, slot, right, rng)
    first = wish.first_info.get(slot, "")
    values = [
        value for value in city.values(wish.domain, slot) if plain(value) not in (plain(right), plain(first))
    ]
    return rng.choice(values) if values else ""


def _other_detail(slot: str, right: str, rng: Random) -> str:
    values = {"day": DAYS, "time": TABLE_TIMES}.get(slot, tuple(map(str, range(1, MOST_PEOPLE + 1))))
    return rng.choice([value for value in values if value != right])


def _missed_train(city: City, wish: Wish, slot: str) -> str:
    """A time whose first train is too early, or too late."""
    others = {name: value for name, value in wish.info.items() if name != slot}
    times = sorted(known(row, slot) for row in city.query("train", others))
    if slot == LEAVE:
        return times[0] if times and times[0] < wish.info[slot] else ""
    return times[-1] if times and slot == ARRIVE and times[-1] > wish.info[slot] else ""


def _other_ride(city: City, slot: str, right: str, rng: Random) -> str:
    if slot in TIMES:
        return rng.choice([time for time in TABLE_TIMES if time != right])
    domains = [domain for domain in ("hotel", "attraction") if right != f"{PLACE}{domain}"]
    places = [title for domain in domains for title in city.values(domain, domain_of(domain).title)]
    others = [place for place in places if plain(place) != plain(right)]
    return rng.choice(others) if others else ""


def slots_at_risk(city: City, goal: Goal) -> Iterator[tuple[str, str]]:
    """The slots of a goal whose slip makes it fail."""
    for wish in goal.wishes:
        for slot in dict.fromkeys([*wish.info, *wish.book]):
            if wrong_value(city, wish, slot, Random(0)):  # noqa: S311 - is there any
                yield wish.domain, slot


def chance(city: City, goal: Goal, rate: float) -> float:
    """How likely no slot of the goal slips."""
    return (1 - rate) ** len(list(slots_at_risk(city, goal)))


@dataclass
class Slips:
    """Which slots slip in one dialogue, and to what; a slot that slipped slips again the same way."""

    city: City
    goal: Goal
    rate: float
    rng: Random
    _drawn: dict[tuple[str, str], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for wish in self.goal.wishes:
            for slot in dict.fromkeys([*wish.info, *wish.book]):
                wrong = wrong_value(self.city, wish, slot, self.rng)
                if self.rng.random() < self.rate and wrong:
                    self._drawn[wish.domain, slot] = wrong

    def said(self, domain: str, slot: str, value: str) -> str:
        """What is said, or heard, in place of a value."""
        return self._drawn.get((domain, slot), value)

    def hear(self, heard: Heard) -> Heard:
        """What a system makes of what it heard."""
        for slots in (heard.wanted, heard.booking):
            for slot in slots:
                slots[slot] = self.said(heard.domain, slot, slots[slot])
        return heard
