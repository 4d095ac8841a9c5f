"""The scoring judge: a short explanation and a rating from 1 to 10; nothing but its field is read."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from interplay.benchmarks.simulation.evaluation import Answer, history_of
from interplay.core.benchmark import Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.forms import JsonForm, Longest, Range, object_schema, schema_of
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of
from interplay.judging.fence import fenced, mark_of

PROMPTS = Prompts.read(Path(str(files(__package__) / "prompts")))
JUDGE = "judge"
SCALE = (1, 10)
BANDS = {
    (1, 2): "terrible: nothing of what the interface should have shown",
    (3, 4): "bad: grave errors, or rules of the interface broken",
    (5, 6): "fair: parts are right, with errors that a user would notice",
    (7, 8): "good: right but for small flaws",
    (9, 10): "perfect, or as good as: just what the interface should have shown",
}
WORDS = frozenset(("explanation", "rating", "better"))  # of verdicts, which no candidate's text may spell


def verdict_form(limit: int, field: str, kind: Any) -> JsonForm[dict[str, Any]]:
    """The form of a verdict: an explanation of so many characters, then the one field that is read."""
    parts = {"explanation": schema_of(Annotated[str, Longest(limit)]), field: schema_of(kind)}
    return JsonForm(object_schema(parts), dict, exact=True)


@dataclass(frozen=True)
class Rating:
    """The judging step of one answer."""

    options: Options

    name = "rating"

    @cached_property
    def digest(self) -> str:
        texts = self._prompts.texts
        return digest_of(
            [self.name, [texts[name] for name in ("judge", "material")], self._limit, str(BANDS)]
        )

    def calls(self, scenario: Scenario, cast: Mapping[str, str], judge: str) -> Span:
        return 1, 1

    async def __call__(self, talk: Conversation, outcome: Answer) -> Mapping[str, Any]:
        mark = mark_of(talk.secret, talk.stage, talk.item)
        judge = talk.seat(talk.cast[JUDGE].model, role=JUDGE, brief=self._brief)
        talk.tell([judge], self._material(talk.scenario, outcome, mark))
        return await talk.ask(judge, self._form)

    @property
    def _prompts(self) -> Prompts:
        return PROMPTS.chosen(self.options["prompts"])

    @property
    def _limit(self) -> int:
        return int(self.options["explanation"])

    @cached_property
    def _form(self) -> JsonForm[dict[str, Any]]:
        return verdict_form(self._limit, "rating", Annotated[int, Range(*SCALE)])

    @cached_property
    def _brief(self) -> str:
        bands = [f"{low} or {high}: {meaning}" for (low, high), meaning in BANDS.items()]
        return self._prompts.fill("judge", bands="\n".join(bands), limit=str(self._limit))

    def _material(self, content: Mapping[str, Any], answer: Answer, mark: str) -> str:
        return self._prompts.fill(
            "material",
            mark=mark,
            dialogue=dialogue_shown(content, mark),
            keeps=keeps_shown(content, mark),
            answer=fenced(answer.text or EMPTY, mark, WORDS),
            empty="" if answer.text else "yes",
        )


EMPTY = "(nothing)"


def keeps_shown(content: Mapping[str, Any], mark: str) -> str:
    """What a right answer keeps to, between marks; empty where nothing is said."""
    lines = "\n".join(f"- {one}" for one in content["keeps"])
    return fenced(lines, mark, WORDS) if lines else ""


def dialogue_shown(content: Mapping[str, Any], mark: str) -> str:
    """The script as judges see it: every turn before, then the request, each between marks."""
    shown = []
    for number, turn in enumerate(history_of(content), 1):
        shown.append(f"Turn {number}, user:\n{fenced(turn.request, mark, WORDS)}")
        shown.append(f"Turn {number}, simulator:\n{fenced(turn.answer or EMPTY, mark, WORDS)}")
    shown.append(f"Turn {len(content['history']) + 1}, user:\n{fenced(content['request'], mark, WORDS)}")
    return "\n\n".join(shown)
