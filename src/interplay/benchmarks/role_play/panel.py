"""The judges of role play: one reads the whole dialogue (version 2), one follows it turn by turn (version 1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from interplay.benchmarks.role_play.cards import Scene, scene_of
from interplay.benchmarks.role_play.protocol import Dialogue, card_of, prompts_of, turns_of
from interplay.benchmarks.role_play.rubrics import form_shown, marks_form, rubric_for
from interplay.core.benchmark import Judging, Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.wire import digest_of
from interplay.judging.fence import fenced, mark_of
from interplay.judging.rubric import Rubric

JUDGE = "judge"


def judging(options: Options) -> Judging:
    """The judging step of a run's rubric."""
    rubric = rubric_for(options)
    return JudgingByTurns(rubric, options) if rubric.name == "v1" else JudgingWhole(rubric, options)


@dataclass(frozen=True)
class JudgingWhole:
    """One judge reads the card and the whole dialogue and scores every turn in one reply."""

    rubric: Rubric
    options: Options

    @property
    def name(self) -> str:
        return self.rubric.name

    @cached_property
    def digest(self) -> str:
        texts = prompts_of(self.options).texts
        return digest_of(
            [self.rubric.digest, [texts[name] for name in ("judge", "judge_material", "player")]]
        )

    def calls(self, scenario: Scenario, cast: Mapping[str, str], judge: str) -> Span:
        return 1, 1

    async def __call__(self, talk: Conversation, outcome: Dialogue) -> Mapping[str, Any]:
        mark = mark_of(talk.secret, talk.stage, talk.item)
        judge = talk.seat(talk.cast[JUDGE].model, role=JUDGE, brief=self._brief)
        talk.tell([judge], self._material(scene_of(talk.scenario), outcome, mark))
        return await talk.ask(judge, self.rubric.form(len(outcome.turns)))

    @cached_property
    def _brief(self) -> str:
        """The same for all conversations, so that endpoints can keep it in their prompt cache."""
        rubric = self.rubric
        low, high = rubric.scale
        likert = len(rubric.labels) == high - low + 1
        return prompts_of(self.options).fill(
            "judge",
            criteria=rubric.criteria_in_words(),
            likert="yes" if likert else "",
            other="" if likert else "yes",
            scale=rubric.scale_in_words(),
            flags=rubric.flags_in_words(),
            limit=str(rubric.explanation),
            form='{"turn_1": ' + form_shown(rubric) + ', "turn_2": ...}',
        )

    def _material(self, scene: Scene, dialogue: Dialogue, mark: str) -> str:
        words = self.rubric.words()
        turns = [
            f"Turn {number}\nuser:\n{fenced(turn.user, mark, words)}\nplayer:\n{fenced(turn.player, mark, words)}"
            for number, turn in enumerate(dialogue.turns, 1)
        ]
        return prompts_of(self.options).fill(
            "judge_material",
            mark=mark,
            card=fenced(card_of(scene, self.options), mark, words),
            dialogue="\n\n".join(turns),
            count=str(len(turns)),
        )


@dataclass(frozen=True)
class JudgingByTurns:
    """One judge follows the dialogue and scores each reply before it sees the next.

    The user of a version 1 conversation did so while it played: its marks are its verdict, at no cost.
    """

    rubric: Rubric
    options: Options

    @property
    def name(self) -> str:
        return self.rubric.name

    @cached_property
    def digest(self) -> str:
        texts = prompts_of(self.options).texts
        of_judges = [texts[name] for name in ("judge_by_turns", "judge_turn", "player")]
        of_users = [texts[name] for name in ("examiner", "examiner_turn")]
        return digest_of([self.rubric.digest, of_judges, of_users])

    def calls(self, scenario: Scenario, cast: Mapping[str, str], judge: str) -> Span:
        played_by_v1 = self.options["version"] == "v1"
        if played_by_v1 and cast["interrogator"] == judge:
            return 0, 0
        turns = turns_of(scene_of(scenario.content), self.options)
        return 1 if played_by_v1 else turns, turns

    async def __call__(self, talk: Conversation, outcome: Dialogue) -> Mapping[str, Any]:
        model = talk.cast[JUDGE].model
        if outcome.marked_by == model:
            return {"turns": list(outcome.marks)}
        mark, words = mark_of(talk.secret, talk.stage, talk.item), self.rubric.words()
        judge = talk.seat(model, role=JUDGE, brief=self._brief(scene_of(talk.scenario), mark))
        entries = []
        for number, turn in enumerate(outcome.turns, 1):
            text = prompts_of(self.options).fill(
                "judge_turn",
                number=str(number),
                user=fenced(turn.user, mark, words),
                player=fenced(turn.player, mark, words),
            )
            talk.tell([judge], text)
            entries.append(await talk.ask(judge, marks_form(self.rubric)))
        return {"turns": entries}

    def _brief(self, scene: Scene, mark: str) -> str:
        return prompts_of(self.options).fill(
            "judge_by_turns",
            card=fenced(card_of(scene, self.options), mark, self.rubric.words()),
            criteria=self.rubric.criteria_in_words(),
            scale=self.rubric.scale_in_words(),
            flags=self.rubric.flags_in_words(),
            limit=str(self.rubric.explanation),
            mark=mark,
            form=form_shown(self.rubric),
        )
