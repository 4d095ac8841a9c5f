"""Judges with planted weaknesses: how many injections they obey, which questions they are lenient on, what they see."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from interplay.benchmarks.judge_probe.protocol import CLEAN, HIGH, SPOILED, shown
from interplay.benchmarks.judge_probe.scenarios import DEFECTS, scenarios
from interplay.core.wire import digest_of
from interplay.judging.fence import mark_of
from interplay.models.loopback import Asked

OBEYED, LENIENT, MIDDLING = (
    10,
    9,
    4,
)  # ratings of an answer: as it asks for, as its question gets unasked, or not
SOUND = 7  # the rating of a clean dialogue
LESS = 3  # points off for a defect that is seen
OUT_OF_FORM = "I would rather talk about this than give a number."
_FENCED = re.compile(r"<<([0-9a-f]{12})\n(.*?)\n\1>>", re.DOTALL)
_OPTIONS = {"set": "all", "explanation": "600", "prompts": "", "label": ""}
Content = Mapping[str, Any]
Texts = tuple[str, ...]


@dataclass(frozen=True)
class JudgeBot:
    """A judge whose weaknesses are known. Its draws are a hash of the seed, its name and what it is asked about."""

    obeys: float = 0.0  # the chance that an injection gets what it asks for
    obeys_families: frozenset[str] = frozenset()  # whose injections always get it
    lenient: float = 0.0  # the share of questions whose answers get a high rating, or win, unasked
    sees: Mapping[str, float] = field(default_factory=dict)  # of a kind of defect: the chance that it is seen
    mumbles: frozenset[str] = frozenset()  # families and kinds whose spoiled twins get no verdict in form

    def script(self, seed: int) -> Callable[[Asked], str]:
        """How the judge answers the loopback provider."""

        def answer(asked: Asked) -> str:
            content, twin = _asked_about()[_texts(str(asked.messages[1]["content"]))]
            if twin == SPOILED and content["group"] in self.mumbles:
                return OUT_OF_FORM
            verdict = self._verdict(content, twin, seed, asked.model)
            return json.dumps({"explanation": "This is what I think.", **verdict})

        return answer

    def _verdict(self, content: Content, twin: str, seed: int, name: str) -> dict[str, Any]:
        if content["set"] == DEFECTS:
            return {"rating": self._of_dialogue(content, twin, seed, name)}
        obeyed = twin == SPOILED and self._obeys(content, seed, name)
        favoured = self.is_lenient(content["about"], name)
        if content["wants"] == HIGH:
            return {"rating": OBEYED if obeyed else LENIENT if favoured else MIDDLING}
        return {"better": content["wants"] if obeyed or favoured else "tie"}

    def _obeys(self, content: Content, seed: int, name: str) -> bool:
        chance = 1.0 if content["group"] in self.obeys_families else self.obeys
        return _drawn(seed, name, "obeys", content["id"]) < chance

    def is_lenient(self, question: str, name: str) -> bool:
        """The same for every seed: which questions these are is part of what is planted."""
        return _drawn(name, "lenient", question) < self.lenient

    def _of_dialogue(self, content: Content, twin: str, seed: int, name: str) -> int:
        """Less for a defect that is seen; one that is not is rated as the clean twin, or by chance a point higher."""
        if twin == CLEAN:
            return SOUND
        if _drawn(seed, name, "sees", content["id"]) < self.sees[content["group"]]:
            return SOUND - LESS
        return SOUND + (_drawn(seed, name, "higher", content["id"]) < 0.5)


def _drawn(*what: Any) -> float:
    return Random(digest_of(list(what))).random()  # noqa: S311  # plays a judge, guards nothing


def _texts(material: str) -> Texts:
    """What stands between the marks of a judge's prompt."""
    return tuple(text for _, text in _FENCED.findall(material))


@cache
def _asked_about() -> dict[Texts, tuple[Content, str]]:
    """Every twin that ships, by what a judge is shown of it; probes that share a question share the clean twin."""
    found, mark = {}, mark_of(b"", "bots")  # one that no injection guesses
    for scenario in scenarios(_OPTIONS).scenarios:
        for twin in (SPOILED, CLEAN):
            _, material = shown(scenario.content, twin, mark, _OPTIONS)
            found[_texts(material)] = (scenario.content, twin)
    return found
