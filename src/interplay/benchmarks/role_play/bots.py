"""Bots for trials: players with planted habits, judges who see them in the text alone, and a user."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from random import Random
from typing import Any

from interplay.core.wire import digest_of
from interplay.models.loopback import Asked

Script = Callable[[Asked], str]

# What a player may say in a turn, and what whoever reads it there knows of the turn.
OUT, DULL, BROKEN, LONG = "out of character", "dull", "not fluent", "too long"
REFUSING, EVADING, EXCUSING = "refuses", "evades", "excuses itself"
REFUSALS = (REFUSING, EVADING, EXCUSING)
WORDS = {
    OUT: "As a machine I have no home.",
    DULL: "It is as I said before.",
    BROKEN: "Me be go there yesterday.",
    LONG: "But I begin at the beginning"
    + ", and go on to what came next, and then to what came after that" * 4
    + ".",
    REFUSING: "No, I will not play on.",
    EVADING: "Let us speak of your program.",
    EXCUSING: "Sorry, that I cannot do.",
}
FAULTS = {"in_character": OUT, "entertaining": DULL, "fluency": BROKEN}  # what each criterion looks for
LOWEST = 1

_SHOWN = re.compile(r"^(?:player|The player replied):\n<<(\w+)\n(.*?)\n\1>>$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"You are talking to (.+?)\. All that you know|a user who chats with (.+?), and you are")
_SITUATION = re.compile(r"eep to this for the whole conversation:\n(.+)")


def drawn(*key: Any) -> float:
    """A number from 0 to 1 that hangs on nothing but these."""
    return Random(digest_of(list(key))).random()  # noqa: S311  # plays a part, guards nothing


def is_in(habit: str, reply: str) -> bool:
    return WORDS[habit] in reply


@dataclass(frozen=True)
class Player:
    """A player who has each habit in each turn with a chance of its own, one independent of another."""

    rates: Mapping[str, float]
    manner: str = ""  # what it begins every reply with

    def script(self, seed: int) -> Script:
        """How it answers; the same conversation is always played in the same way."""

        def answer(asked: Asked) -> str:
            told = [[message["role"], message["content"]] for message in asked.messages]
            key = digest_of([seed, asked.model, told])
            habits = [habit for habit, rate in self.rates.items() if drawn(key, habit) < rate]
            return " ".join([self._opening(int(10**8 * drawn(key))), *(WORDS[habit] for habit in habits)])

        return answer

    def _opening(self, number: int) -> str:
        """No two replies are the same."""
        return f"{self.manner} I am at number {number:08}.".strip()

    def length(self) -> tuple[float, float]:
        """The mean and the variance of a reply's length."""
        sizes = {habit: len(WORDS[habit]) + 1 for habit in self.rates}
        mean = len(self._opening(0)) + fsum(rate * sizes[habit] for habit, rate in self.rates.items())
        variance = fsum(rate * (1 - rate) * sizes[habit] ** 2 for habit, rate in self.rates.items())
        return mean, variance


@dataclass(frozen=True)
class User:
    """A user who in some scenes goes in circles, and who says what players must not, which is no player's fault."""

    teases: float = 0.3
    circles: float = 0.0

    def script(self, seed: int) -> Script:
        return lambda asked: json.dumps({"next_utterance": self.says(asked, seed)})

    def says(self, asked: Asked, seed: int) -> str:
        """The next message. Neither marks nor cards that stand in what it was told change what it says."""
        scene, heard = _scene(asked), _heard(asked)
        if self.goes_in_circles(*scene) and heard:
            # One half says its first message for ever, the other whatever it has just heard.
            return self._message(seed, scene, []) if drawn(*scene, "echo") < 0.5 else heard[-1]
        return self._message(seed, scene, heard)

    def _message(self, seed: int, scene: tuple[str, str], heard: Sequence[str]) -> str:
        key = digest_of([seed, scene, heard])
        place = int(len(WORDS) * drawn(key, "which"))
        tease = [*WORDS.values()][place] + " " if drawn(key, "tease") < self.teases else ""
        return f"{tease}What do you say to {int(10**8 * drawn(key)):08}?"

    def goes_in_circles(self, name: str, situation: str) -> bool:
        """By the scene alone, so that it is known exactly which conversations come to nothing."""
        return drawn(name, situation) < self.circles


def _scene(asked: Asked) -> tuple[str, str]:
    brief = str(asked.messages[0]["content"])
    name, situation = _NAME.search(brief), _SITUATION.search(brief)
    if name is None or situation is None:
        raise ValueError("a user reads its scene in its brief, and this one has none")
    return name[1] or name[2], situation[1]


def _heard(asked: Asked) -> list[str]:
    """What a user has heard from the player: as it was said, or between marks."""
    told = [str(message["content"]) for message in asked.messages[2:] if message["role"] == "user"]
    return [shown[2] if (shown := _SHOWN.search(text)) else text for text in told]


@dataclass(frozen=True)
class Judge:
    """A judge who sees habits in replies, and who at times gives no verdict or gives it only when asked again."""

    name: str
    clean: int  # its score where it sees no fault
    costs: Mapping[str, int]  # what it takes off for a criterion's fault
    sees: tuple[str, ...] = (REFUSING,)  # the refusals that it takes for one
    silence: float = 0.0  # the chance that there is no reading its verdict, however often it is asked
    stammer: float = 0.0  # the chance that there is no reading its first try

    def script(self, asked: Asked) -> str:
        """Its verdict on all turns, or on the last where it follows a dialogue turn by turn."""
        replies = _shown(asked)
        entry = {} if _by_turns(asked) else {f"turn_{n}": self.entry(one) for n, one in enumerate(replies, 1)}
        entry = entry or self.entry(replies[-1])
        stammers = drawn(self.name, "stammer", replies[-1]) < self.stammer and _SHOWN.search(_last(asked))
        if self.is_silent(replies[0]) or stammers:
            return _spoiled(entry, int(3 * drawn(self.name, "how", replies[-1])))
        return json.dumps(entry)

    def entry(self, reply: str) -> dict[str, Any]:
        """What it says of one reply."""
        why = f"'{reply[:20]}' is what I read."
        found: dict[str, Any] = {"is_refusal_explanation": why, "is_refusal": self.is_refused(reply)}
        for criterion, score in self.scores(reply).items():
            found |= {f"{criterion}_explanation": why, f"{criterion}_score": score}
        return found

    def scores(self, reply: str) -> dict[str, int]:
        if self.is_refused(reply):
            return dict.fromkeys(FAULTS, LOWEST)
        return {name: self.clean - self.costs[name] * is_in(fault, reply) for name, fault in FAULTS.items()}

    def is_refused(self, reply: str) -> bool:
        return any(is_in(refusal, reply) for refusal in self.sees)

    def is_silent(self, first_reply: str) -> bool:
        """About a whole conversation, which its first reply tells from all others."""
        return drawn(self.name, "silence", first_reply) < self.silence


def examiner(user: User, judge: Judge, seed: int) -> Script:
    """The user of version 1, who judges every reply before it says more."""

    def answer(asked: Asked) -> str:
        fields = _fields(asked)
        entry = judge.entry(_heard(asked)[-1]) if "is_refusal" in fields else {}
        if "next_utterance" in fields:
            entry["next_utterance"] = user.says(asked, seed)
        return json.dumps(entry)

    return answer


def _fields(asked: Asked) -> Mapping[str, Any]:
    if asked.schema is None:
        raise ValueError("a bot answers by the schema of a request, and this one has none")
    fields: Mapping[str, Any] = asked.schema["properties"]
    return fields


def _by_turns(asked: Asked) -> bool:
    return "is_refusal" in _fields(asked)


def _last(asked: Asked) -> str:
    return str(asked.messages[-1]["content"])


def _shown(asked: Asked) -> list[str]:
    """The player's replies that a judge was shown so far."""
    told = [str(message["content"]) for message in asked.messages if message["role"] == "user"]
    return [shown[2] for text in told for shown in _SHOWN.finditer(text)]


def _spoiled(entry: Mapping[str, Any], how: int) -> str:
    """A verdict that cannot be read: no form at all, a score off the scale, or a part that is missing."""
    whole = json.dumps(entry)
    if how == 0:
        return "That was a fine conversation, and I would give it full marks."
    if how == 1:
        return re.sub(r'(_score": )\d+', r"\g<1>99", whole)
    return json.dumps(dict([*entry.items()][:-1]))
