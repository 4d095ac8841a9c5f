"""Dialogues that were written by hand, and the same spoiled in known ways."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from interplay.benchmarks.task_dialogue.city import DAYS
from interplay.benchmarks.task_dialogue.dialogue import COMPLETED, Dialogue, Exchange

FILE = Path(__file__).with_name("clean_users.toml")
OTHERS: dict[str, tuple[str, ...]] = {
    "area": ("north", "south", "east", "west", "centre"),
    "day": DAYS,
    "people": ("2", "3", "4", "5", "6", "7", "8"),
    "stay": ("2", "3", "4", "5"),
    "stars": ("2", "3", "4", "5"),
    "food": ("thai", "greek", "spanish"),
    "pricerange": ("cheap", "moderate", "expensive"),
    "time": ("11:00", "22:15"),
    "leaveAt": ("05:10",),
    "arriveBy": ("23:05",),
}


RESTAURANT = {
    "restaurant": {
        "info": {"food": "thai", "area": "north"},
        "fail_info": {"food": "greek", "area": "north"},
        "book": {"people": "4", "day": "friday", "time": "19:30"},
        "reqt": ["phone"],
    }
}
MESSAGE = [
    "You want **greek** food in the **north**, or **thai** food.",
    "Book for **4 people** on **friday** at **19:30** and get the **reference number** and the **phone number**.",
]
GOOD = [
    "Is there a Greek restaurant in the north?",
    "I am sorry, there is none.",
    "What about Thai food?",
    "There is Bamboo Gate.",
    "A table for four on Friday at half past seven, please.",
    "Booked, the reference is K2M4P6R8.",
    "Can I have their number?",
    "It is 01632960001.",
]


def dialogue_of(
    goal: Mapping[str, Any], turns: list[str], *, ended: str = COMPLETED, closing: str = "", message: Any = ()
) -> Dialogue:
    """A dialogue of these turns, the user's and the system's one after the other."""
    exchanges = [Exchange(user, system) for user, system in zip(turns[::2], turns[1::2], strict=True)]
    content = {"id": "hand", "goal": goal, "message": list(message) or ["You want **something**."]}
    return Dialogue(content, tuple(exchanges), ended, closing)


def hand_written() -> dict[str, Dialogue]:
    """The dialogues by their manner."""
    found = {}
    for entry in tomllib.loads(FILE.read_text(encoding="utf-8"))["dialogue"]:
        talk = entry["talk"]
        found[entry["manner"]] = dialogue_of(
            entry["goal"],
            talk["turns"],
            ended=talk.get("ended", COMPLETED),
            closing=talk["closing"],
            message=entry["message"],
        )
    return found


def cut_short(dialogue: Dialogue) -> Iterator[Dialogue]:
    """The dialogue ended after each of its exchanges but the last."""
    for count in range(1, len(dialogue.exchanges)):
        yield replace(dialogue, exchanges=dialogue.exchanges[:count])


def all_at_once(dialogue: Dialogue) -> Dialogue:
    """All that the user said, said in the first turn."""
    said = " ".join(exchange.user for exchange in dialogue.exchanges)
    return replace(dialogue, exchanges=(Exchange(said, dialogue.exchanges[-1].system),))


def with_other_goals(dialogue: Dialogue) -> Iterator[tuple[str, Dialogue]]:
    """The dialogue with a goal that has another value in one slot, so that the user asks for the wrong one."""
    goal = dialogue.goal["goal"]
    slots = {
        (slot, value)
        for parts in goal.values()
        for name in ("info", "book")
        for slot, value in parts.get(name, {}).items()
        if slot in OTHERS and value != "dontcare"
    }
    used = {value for parts in goal.values() for one in parts.values() for value in _values(one)}
    for slot, value in sorted(slots):
        others = [other for other in OTHERS[slot] if other not in used]
        if others:
            changed = {domain: _changed(parts, value, others[0]) for domain, parts in goal.items()}
            yield slot, replace(dialogue, goal={"id": "x", "goal": changed, "message": ["You want **it**."]})


def _values(part: Any) -> list[str]:
    return list(part.values()) if isinstance(part, Mapping) else []


def _changed(parts: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    return {
        name: {slot: new if value == old else value for slot, value in one.items()}
        if isinstance(one, Mapping)
        else one
        for name, one in parts.items()
    }


def good(*turns: str, ended: str = "completed", closing: str = "Thanks!") -> Dialogue:
    return dialogue_of(RESTAURANT, list(turns) or GOOD, ended=ended, closing=closing, message=MESSAGE)


def instead(place: int, text: str) -> Dialogue:
    """The good dialogue with another turn in this place."""
    return good(*(text if number == place else turn for number, turn in enumerate(GOOD)))
