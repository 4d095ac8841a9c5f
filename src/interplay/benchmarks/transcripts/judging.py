"""The judge of a transcript: it reads what is known of the setting and the whole dialogue, and scores it once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from interplay.benchmarks.transcripts.dialogue import Dialogue, Setting, setting_of
from interplay.benchmarks.transcripts.rubrics import rubric_for
from interplay.core.benchmark import Judging, Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.forms import JsonForm
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of
from interplay.judging.fence import fenced, mark_of
from interplay.judging.rubric import Rubric

JUDGE = "judge"
PROMPTS = Prompts.read(Path(str(files(__package__) / "prompts")))


def judging(options: Options) -> Judging:
    """The judging step of a run's rubric."""
    return JudgingDialogue(rubric_for(options))


@dataclass(frozen=True)
class JudgingDialogue:
    """One judge reads the whole dialogue and scores it in one reply."""

    rubric: Rubric

    @property
    def name(self) -> str:
        return self.rubric.name

    @cached_property
    def digest(self) -> str:
        return digest_of([self.rubric.digest, PROMPTS.digest])

    def calls(self, scenario: Scenario, cast: Mapping[str, str], judge: str) -> Span:
        return 1, 1

    async def __call__(self, talk: Conversation, outcome: Dialogue) -> Mapping[str, Any]:
        mark = mark_of(talk.secret, talk.stage, talk.item)
        judge = talk.seat(talk.cast[JUDGE].model, role=JUDGE, brief=self._brief)
        talk.tell([judge], self._material(setting_of(talk.scenario), outcome, mark))
        return await talk.ask(judge, self._form)

    @cached_property
    def _form(self) -> JsonForm[dict[str, Any]]:
        return JsonForm(self.rubric.turn_schema(), dict, exact=True)

    @cached_property
    def _brief(self) -> str:
        """The same for all conversations, so that endpoints can keep it in their prompt cache."""
        rubric = self.rubric
        low, high = rubric.scale
        likert = len(rubric.labels) == high - low + 1
        return PROMPTS.fill(
            "judge",
            criteria=rubric.criteria_in_words(),
            likert="yes" if likert else "",
            other="" if likert else "yes",
            scale=rubric.scale_in_words(),
            flags=rubric.flags_in_words(),
            limit=str(rubric.explanation),
            form="{" + ", ".join(rubric.shown()) + "}",
        )

    def _material(self, setting: Setting, dialogue: Dialogue, mark: str) -> str:
        words = self.rubric.words()

        def shown(text: str) -> str:
            return fenced(text, mark, words) if text else ""

        said = [
            f"{number}. {one.seat}:\n{fenced(one.text, mark, words)}"
            for number, one in enumerate(dialogue.said, 1)
        ]
        return PROMPTS.fill(
            "judge_material",
            mark=mark,
            scenario=shown(setting.scenario),
            goal=shown(setting.goal),
            system=shown(setting.system),
            dialogue="\n\n".join(said),
        )
