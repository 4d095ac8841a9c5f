"""Goals: what a user wants in each domain, in data and in words, and what to do where the first wish fails."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interplay.benchmarks.task_dialogue.city import LARGEST_FILE
from interplay.core.failures import Mistake, nearest
from interplay.core.files import text_of

PLACE = "@"  # before a domain's name: the place that was found there
PARTS = ("info", "fail_info", "book", "fail_book", "reqt")
MOST_DOMAINS = 8
LONGEST_MESSAGE = 6000
_FLAGS = ("invalid", "pre_invalid")  # of MultiWOZ's bookings: marks for the people who wrote its dialogues
_NO_DOMAINS = ("message", "topic", "eod", "messageLen")  # of its goals: words, and marks for the same people
_EMPHASIS = re.compile(r"<span class=['\"]emphasis['\"]>(.*?)</span>", re.DOTALL)
_MARKED = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_SPOKEN_OF = {  # in MultiWOZ's messages
    "restaurant": "restaurant|place to dine",
    "hotel": "hotel|place to stay|guesthouse",
    "attraction": "attraction|places to go",
}
_LEAVES = re.compile(r"leave the \W*(\w+)")
_ARRIVES = re.compile(r"arrives? (?:at )?the \W*(\w+)")


@dataclass(frozen=True)
class Wish:
    """What is wanted in one domain; a first wish or a first booking is one that fails before the other is made."""

    domain: str
    info: Mapping[str, str]
    first_info: Mapping[str, str]  # empty where the first wish is the last
    book: Mapping[str, str]
    first_book: Mapping[str, str]  # the whole first booking; empty where the first is the last
    requests: tuple[str, ...]


@dataclass(frozen=True)
class Goal:
    """A user's goal: its wishes, and the same in words with its key phrases between ** and **."""

    id: str
    wishes: tuple[Wish, ...]
    message: tuple[str, ...]

    @property
    def phrases(self) -> tuple[str, ...]:
        """The key phrases of the message, each once."""
        found = (" ".join(one.split()) for sentence in self.message for one in _MARKED.findall(sentence))
        return tuple(dict.fromkeys(phrase for phrase in found if phrase))

    @property
    def text(self) -> str:
        """The message as a user is told it, without marks."""
        return " ".join(_ended(_MARKED.sub(r"\1", sentence)) for sentence in self.message)

    def wish(self, domain: str) -> Wish | None:
        return next((wish for wish in self.wishes if wish.domain == domain), None)

    def content(self) -> dict[str, Any]:
        """The goal as a file and a record have it."""
        return {
            "id": self.id,
            "goal": {wish.domain: _parts_of(wish) for wish in self.wishes},
            "message": list(self.message),
        }


def _ended(sentence: str) -> str:
    sentence = " ".join(sentence.split())
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def _parts_of(wish: Wish) -> dict[str, Any]:
    changed = {slot: value for slot, value in wish.first_book.items() if wish.book.get(slot) != value}
    return {
        "info": dict(wish.info),
        "fail_info": dict(wish.first_info),
        "book": dict(wish.book),
        "fail_book": changed,
        "reqt": list(wish.requests),
    }


def goal_of(content: Mapping[str, Any], where: str = "the goal") -> Goal:
    """A goal out of its content: {id, goal: {domain: {info, fail_info, book, fail_book, reqt}}, message}."""
    goal = told_goal(content, where)
    if not goal.wishes:
        raise Mistake(f"{where} needs goal: an object with 1 to {MOST_DOMAINS} domains")
    if not goal.phrases:
        raise Mistake(f"{where}: its message marks no key phrase, as in **cheap**")
    return goal


def told_goal(content: Mapping[str, Any], where: str = "the goal") -> Goal:
    """The goal of a dialogue that was held, perhaps elsewhere: it may be there in words alone, without a domain."""
    name, domains, message = content.get("id"), content.get("goal"), content.get("message")
    if not isinstance(name, str) or not name.strip() or len(name) > 200:
        raise Mistake(f"{where} needs an id, a text of its own")
    if not isinstance(domains, Mapping) or len(domains) > MOST_DOMAINS:
        raise Mistake(f"{where} needs goal: an object with 1 to {MOST_DOMAINS} domains")
    if isinstance(message, str):
        message = [message]
    if not isinstance(message, list) or not message or not all(isinstance(one, str) for one in message):
        raise Mistake(f"{where} needs message: a list of sentences with **key phrases** marked")
    if sum(map(len, message)) > LONGEST_MESSAGE:
        raise Mistake(f"{where}: its message is longer than {LONGEST_MESSAGE:,} characters")
    wishes = [_wish(domain, parts, f"{where}, {domain}") for domain, parts in domains.items()]
    return Goal(name, tuple(sorted(wishes, key=lambda wish: wish.domain == "taxi")), tuple(message))


def _wish(domain: str, parts: Any, where: str) -> Wish:
    if not isinstance(parts, Mapping):
        raise Mistake(f"{where} must be an object with {', '.join(PARTS)}")
    for name in parts:
        if name not in PARTS:
            raise Mistake(f"{where} has {name!r}; {nearest(str(name), PARTS)}")
    info, first, book, changed = (_slots(parts.get(name), f"{where}, {name}") for name in PARTS[:4])
    requests = parts.get("reqt") or []
    if not isinstance(requests, list) or not all(isinstance(one, str) and one.strip() for one in requests):
        raise Mistake(f"{where}, reqt must be a list of slots")
    if changed and not book:
        raise Mistake(f"{where} has fail_book and no book")
    return Wish(
        domain, info, first, book, {**book, **changed} if changed else {}, tuple(dict.fromkeys(requests))
    )


def _slots(content: Any, where: str) -> dict[str, str]:
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        raise Mistake(f"{where} must be an object of slots and values")
    found = {}
    for slot, value in content.items():
        if slot in _FLAGS:
            continue
        if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
            raise Mistake(f"{where}: {slot} must be a text, not {value!r}")
        found[str(slot)] = str(value).strip()
    return found


def read_goals(path: Path) -> list[Goal]:
    """The goals of a .jsonl file of ours, or of a .json file as MultiWOZ has them."""
    text = text_of(path, LARGEST_FILE)
    goals = list(_of_multiwoz(path, text) if path.suffix == ".json" else _of_lines(path, text))
    if not goals:
        raise Mistake(f"{path} holds no goal")
    seen: set[str] = set()
    for goal in goals:
        if goal.id in seen:
            raise Mistake(f"{path}: two goals have the id {goal.id!r}")
        seen.add(goal.id)
    return goals


def _of_lines(path: Path, text: str) -> Iterator[Goal]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield goal_of(_object(line, f"{path}, line {number}"), f"{path}, line {number}")


def _object(text: str, where: str) -> Mapping[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Mistake(f"{where} is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise Mistake(f"{where} is not an object")
    return content


def _of_multiwoz(path: Path, text: str) -> Iterator[Goal]:
    """An object of goals by their ids, each with its domains and a message that marks key phrases as emphasis."""
    for name, one in _object(text, str(path)).items():
        where = f"{path}, {name}"
        yield goal_of(content_of_multiwoz(name, one, where), where)


def content_of_multiwoz(name: str, one: Any, where: str) -> dict[str, Any]:
    """The content of a goal as MultiWOZ has it: its domains, and a message that marks key phrases as emphasis."""
    if not isinstance(one, dict) or not isinstance(one.get("message"), list):
        raise Mistake(f"{where} needs a message and domains, as MultiWOZ has them")
    message = [marked(str(sentence)) for sentence in one["message"]]
    said = " ".join(message)
    domains = {
        domain: _as_said(domain, parts, said)
        for domain, parts in one.items()
        if domain not in _NO_DOMAINS and parts
    }
    for domain, parts in domains.items():
        _wish(
            domain, parts, f"{where}, {domain}"
        )  # what is no wish is named before anything in it is looked at
    if "taxi" in domains:
        domains["taxi"] = _between_places(domains, message)
    domains = dict(sorted(domains.items(), key=lambda item: _first_said(item[0], said)))
    return {"id": name, "goal": domains, "message": message}


def marked(sentence: str) -> str:
    """A sentence of MultiWOZ with its key phrases marked as ours are."""
    return _EMPHASIS.sub(r"**\1**", sentence)


def _first_said(domain: str, said: str) -> int:
    """Where a message first speaks of a domain; at its end where it never does by name."""
    found = re.search(rf"\b(?:{_SPOKEN_OF.get(domain, re.escape(domain))})\b", said, re.IGNORECASE)
    return found.start() if found else len(said)


def _as_said(domain: str, parts: Any, said: str) -> Any:
    """The parts that the message speaks of: MultiWOZ also keeps first wishes that its users never hear of."""
    unsaid = {"fail_info": f"no such {domain}" not in said, "fail_book": "booking fails" not in said}
    if not isinstance(parts, dict):
        return parts
    return {name: content for name, content in parts.items() if not unsaid.get(name)}


def _between_places(domains: Mapping[str, Any], message: Sequence[str]) -> dict[str, Any]:
    """A taxi that MultiWOZ only describes, with its places: the message says which one is left or reached."""
    taxi = dict(domains["taxi"])
    info = dict(taxi.get("info") or {})
    places = [domain for domain in domains if domain in ("restaurant", "hotel", "attraction")]
    if len(places) == 2 and not {"departure", "destination"} & info.keys():
        words = " ".join(message).replace("**", "")
        left, reached = _LEAVES.search(words), _ARRIVES.search(words)
        if reached and reached[1] in places:
            destination = reached[1]
        elif left and left[1] in places:
            destination = next(place for place in places if place != left[1])
        else:
            destination = places[1]
        departure = next(place for place in places if place != destination)
        info |= {"departure": f"{PLACE}{departure}", "destination": f"{PLACE}{destination}"}
        if not info.keys() & {"leaveAt", "arriveBy"}:
            time = (domains[destination].get("book") or {}).get("time")
            info |= {"arriveBy": time} if time else {}
    return {**taxi, "info": info}
