"""The pairwise judge: two answers to one script as A and B; nothing but its field is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from interplay.benchmarks.simulation.evaluation import Answer
from interplay.benchmarks.simulation.judges import (
    EMPTY,
    JUDGE,
    PROMPTS,
    WORDS,
    dialogue_shown,
    keeps_shown,
    verdict_form,
)
from interplay.core.benchmark import Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.forms import JsonForm
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of
from interplay.judging.fence import fenced, mark_of

FIRST, SECOND, TIE = "A", "B", "tie"


def preferred(verdict: Mapping[str, Any]) -> int:
    """What a verdict says for the answer that was shown first."""
    return {FIRST: 1, TIE: 0, SECOND: -1}[verdict["better"]]


@dataclass(frozen=True)
class Better:
    """The judging step of two answers, in the order in which they are shown."""

    options: Options

    name = "better"

    @cached_property
    def digest(self) -> str:
        texts = self._prompts.texts
        return digest_of([self.name, [texts[name] for name in ("pair", "pair_material")], self._limit])

    def calls(self, scenario: Scenario, judge: str) -> Span:
        return 1, 1

    def preferred(self, verdict: Mapping[str, Any]) -> int:
        return preferred(verdict)

    async def __call__(self, talk: Conversation, first: Answer, second: Answer) -> Mapping[str, Any]:
        mark = mark_of(talk.secret, talk.stage, talk.item)
        brief = self._prompts.fill("pair", limit=str(self._limit))
        judge = talk.seat(talk.cast[JUDGE].model, role=JUDGE, brief=brief)
        talk.tell([judge], self._material(talk.scenario, first, second, mark))
        return await talk.ask(judge, self._form)

    @property
    def _prompts(self) -> Prompts:
        return PROMPTS.chosen(self.options["prompts"])

    @property
    def _limit(self) -> int:
        return int(self.options["explanation"])

    @cached_property
    def _form(self) -> JsonForm[dict[str, Any]]:
        return verdict_form(self._limit, "better", Literal["A", "B", "tie"])

    def _material(self, content: Mapping[str, Any], first: Answer, second: Answer, mark: str) -> str:
        return self._prompts.fill(
            "pair_material",
            mark=mark,
            dialogue=dialogue_shown(content, mark),
            keeps=keeps_shown(content, mark),
            first=fenced(first.text or EMPTY, mark, WORDS),
            first_empty="" if first.text else "yes",
            second=fenced(second.text or EMPTY, mark, WORDS),
            second_empty="" if second.text else "yes",
        )
