"""Bots for trials of judges: models of known merit, length and family, and judges swayed by what they should not be."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, log1p
from random import Random

from interplay.benchmarks.role_play.bots import REFUSING, WORDS, Player, User
from interplay.core.wire import digest_of
from interplay.models.loopback import Asked

Script = Callable[[Asked], str]
POSITION, PER_LOG, FAMILY = 0.4, 0.8, 0.6  # logits: first place, each unit of the log of a length, own family
MERITS = {"ash-small": 0.0, "ash-large": 0.6, "elm-small": 0.3, "elm-large": 0.9}
SWAYED = ("ash-judge", "elm-judge")
SENSITIVITY, SPECIFICITY = 0.98, 0.60
REFUSES = 0.06  # in each turn
LENIENT = "lenient-judge"

_ANSWER = re.compile(r"Answer [AB]:\n<<(\w+)\n(.*?)\n\1>>", re.DOTALL)
_SHOWN = re.compile(r"^player:\n<<(\w+)\n(.*?)\n\1>>$", re.MULTILINE | re.DOTALL)
_SIGNED = re.compile(r"The (\w+) one answers(?:,| )")
_MERIT = re.compile(r"with care of ([0-9.]+)")


def drawn(*key: object) -> float:
    """A number from 0 to 1 that hangs on nothing but these."""
    return Random(digest_of([str(part) for part in key])).random()  # noqa: S311  # plays a part, guards nothing


def answering(seed: int) -> dict[str, Script]:
    """Models that sign their answers, say how much care they took, and are short or long by chance."""

    def script(name: str) -> Script:
        def answer(asked: Asked) -> str:
            told = [message["content"] for message in asked.messages]
            words = round(8 * exp(2 * drawn(seed, name, told) - 1))
            family = name.partition("-")[0]
            return f"The {family} one answers with care of {MERITS[name]}, {' '.join(['so'] * words)}."

        return answer

    return {f"openai/{name}": script(name) for name in MERITS}


def swayed(name: str, seed: int) -> Script:
    """A judge of pairs who knows merit, and lets place, length and its own family sway it as planted."""

    def answer(asked: Asked) -> str:
        told = str(asked.messages[-1]["content"])
        answers = list(_ANSWER.finditer(told))
        if len(answers) != 2:
            return json.dumps({"explanation": "It is an answer.", "rating": 5})
        shown = [found.group(2) for found in answers]
        unmarked = told.replace(answers[0].group(1), "")  # the marks are other ones in every run
        pull = POSITION + sum(
            sign * (_merit(text) + PER_LOG * log1p(len(text)) + FAMILY * _is_kin(text, name))
            for sign, text in zip((1, -1), shown, strict=True)
        )
        chance = 1 / (1 + exp(-pull))
        better = "A" if drawn(seed, name, unmarked) < chance else "B"
        return json.dumps({"explanation": "It is the better one.", "better": better})

    return answer


def _merit(text: str) -> float:
    found = _MERIT.search(text)
    return float(found.group(1)) if found else 0.0


def _is_kin(text: str, judge: str) -> bool:
    found = _SIGNED.search(text)
    return bool(found) and found.group(1) == judge.partition("-")[0]  # type: ignore[union-attr]  # bool() is checked


def lenient(seed: int) -> Script:
    """A judge of role play who sees nearly every refusal, and one in two of five conversations without any."""

    def answer(asked: Asked) -> str:
        replies = [found.group(2) for found in _SHOWN.finditer(str(asked.messages[-1]["content"]))]
        said = _says_refused(replies, seed)
        schema = asked.schema or {}
        return json.dumps({turn: _entry(said and turn == "turn_1") for turn in schema["properties"]})

    return answer


def _says_refused(replies: list[str], seed: int) -> bool:
    chance = drawn(seed, LENIENT, replies)
    return chance < SENSITIVITY if is_refused(replies) else chance < 1 - SPECIFICITY


def is_refused(replies: list[str]) -> bool:
    """What people see: somebody declines to play on."""
    return any(WORDS[REFUSING] in reply for reply in replies)


def _entry(refused: bool) -> Mapping[str, object]:
    found: dict[str, object] = {"is_refusal_explanation": "So I read it.", "is_refusal": refused}
    for criterion in ("in_character", "entertaining", "fluency"):
        found |= {f"{criterion}_explanation": "So I read it.", f"{criterion}_score": 4}
    return found


@dataclass(frozen=True)
class Refusers:
    """Players of role play who refuse at a known rate, before the lenient judge."""

    models: tuple[str, ...] = ("openai/player-one", "openai/player-two")

    def scripts(self, seed: int) -> dict[str, Script]:
        player = Player({REFUSING: REFUSES})
        return {
            **{name: player.script(seed) for name in self.models},
            "openai/user": User(teases=0.0).script(seed),
            f"openai/{LENIENT}": lenient(seed),
        }
