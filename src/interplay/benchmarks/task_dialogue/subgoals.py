"""Sub-goals: what a goal comes to, one thing at a time, as data whose states the program keeps and checks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from interplay.benchmarks.task_dialogue.city import no_matter
from interplay.benchmarks.task_dialogue.dialogue import DONE, FAILED, OPEN
from interplay.benchmarks.task_dialogue.goals import PLACE, Goal, Wish
from interplay.core.failures import Unreadable

FIND, BOOK, REFERENCE = "find", "book", "reference"
ANY = "any"
TAXI = "taxi"
NAMES = {"police": "police station"}  # of domains
SLOTS = {
    "pricerange": "price range",
    "leaveAt": "leave at or after",
    "arriveBy": "arrive by",
    "stay": "nights",
}
WANTED = {
    "phone": "phone number",
    "trainID": "number",
    "leaveAt": "departure time",
    "arriveBy": "arrival time",
    "duration": "travel time",
    "price": "ticket price",
    "openhours": "opening hours",
    "pricerange": "price range",
    "stars": "star rating",
    "food": "kind of food",
}
FACILITIES = ("internet", "parking")


@dataclass(frozen=True)
class SubGoal:
    """One thing to do; one that stands in for another is only taken up when that has failed.

    Its key is the domain and the step: of finding and booking, a first and the one that stands in share it.
    """

    number: int
    text: str
    key: str = ""
    instead_of: int = 0


def sub_goals(goal: Goal) -> tuple[SubGoal, ...]:
    """What there is to do, numbered from 1, in the order in which a person would do it."""
    found: list[SubGoal] = []
    for wish in goal.wishes:
        before = ""
        for step, text in _steps(wish):
            number, stands_in = len(found) + 1, step == before
            found.append(SubGoal(number, text, f"{wish.domain}: {step}", number - 1 if stands_in else 0))
            before = step
    return tuple(found)


def _steps(wish: Wish) -> Iterator[tuple[str, str]]:
    """The steps in one domain, each in words; one that comes twice stands in for itself the second time."""
    name = _name(wish.domain)
    seek = f"order {_one(name)}" if wish.domain == TAXI else f"find {_one(name)}"
    if wish.first_info:
        yield FIND, f"{seek}{_with(wish, wish.first_info)}"
        yield FIND, f"if there is none: {seek}{_with(wish, wish.info)} instead"
    else:
        yield FIND, f"{seek}{_with(wish, wish.info)}"
    if wish.first_book:
        yield BOOK, f"book the {name}{_with(wish, wish.first_book)}"
        yield BOOK, f"if that is refused: book the {name}{_with(wish, wish.book)} instead"
    elif wish.book:
        yield BOOK, f"book the {name}{_with(wish, wish.book)}"
    if wish.book:
        yield REFERENCE, f"get the reference number of the {name} booking"
    for slot in wish.requests:
        if slot in FACILITIES:
            yield slot, f"ask whether the {name} has {slot}"
        else:
            yield slot, f"ask for the {WANTED.get(slot) or _words(slot)} of the {name}"


def _name(domain: str) -> str:
    return NAMES.get(domain) or _words(domain)


def _one(name: str) -> str:
    if name == "hospital":  # a city has one
        return f"the {name}"
    return f"an {name}" if name[:1].casefold() in tuple("aeiou") else f"a {name}"


def _with(wish: Wish, slots: Mapping[str, str]) -> str:
    names = {**SLOTS, "leaveAt": "leave at"} if wish.domain == TAXI else SLOTS
    shown = "; ".join(f"{names.get(slot) or _words(slot)}: {_value(value)}" for slot, value in slots.items())
    return f" ({shown})" if shown else ""


def _words(text: str) -> str:
    """A text on one line: a sub-goal is a line of a list."""
    return " ".join(text.replace("_", " ").split())


def _value(value: str) -> str:
    if value.startswith(PLACE):
        return f"the {_name(value.removeprefix(PLACE))} that you found"
    return ANY if no_matter(value) else " ".join(value.split())


@dataclass
class Progress:
    """How far a user has come: the state of every sub-goal, changed by what it reports and nothing else."""

    sub_goals: Sequence[SubGoal]
    states: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.states = {one.number: OPEN for one in self.sub_goals} | self.states

    def updated(self, updates: Sequence[Mapping[str, Any]]) -> "Progress":
        """The progress after these updates; Unreadable where one of them cannot be."""
        changed: dict[int, str] = {}
        for update in updates:
            number, state = int(update["sub_goal"]), str(update["state"])
            if number not in self.states:
                raise _wrong(f"there is no sub-goal {number}, only 1 to {len(self.states)}")
            changed[number] = state  # the last word counts
        states = self.states | changed
        for one in self.sub_goals:
            taken_up = changed.get(one.number, OPEN) != OPEN
            if one.instead_of and taken_up and states[one.instead_of] != FAILED:
                raise _wrong(
                    f"sub-goal {one.number} is only taken up when sub-goal {one.instead_of} has failed"
                )
        return Progress(self.sub_goals, states)

    @property
    def open(self) -> list[SubGoal]:
        """What is left to do; what stands in for something that is done is not."""
        return [one for one in self.sub_goals if self.states[one.number] == OPEN and not self._is_spared(one)]

    def _is_spared(self, one: SubGoal) -> bool:
        return bool(one.instead_of) and self.states[one.instead_of] == DONE

    @property
    def kept(self) -> dict[str, str]:
        """The states as a record has them: by the words of each sub-goal."""
        return {f"{one.number}. {one.text}": self.states[one.number] for one in self.sub_goals}

    @property
    def shown(self) -> str:
        return "\n".join(f"{text} [{state}]" for text, state in self.kept.items())


def _wrong(what: str) -> Unreadable:
    return Unreadable(f"Your reply does not fit the form: {what}.")
