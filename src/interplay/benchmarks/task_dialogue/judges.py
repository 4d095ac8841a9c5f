"""The judge of task dialogues: four questions, each by itself; nothing but the fields of its answers is read."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Annotated, Any

from interplay.benchmarks.task_dialogue.dialogue import Dialogue
from interplay.benchmarks.task_dialogue.goals import Goal, told_goal
from interplay.benchmarks.task_dialogue.prompt_files import PROMPTS
from interplay.core.benchmark import Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.failures import JudgeFailure
from interplay.core.forms import JsonForm, Longest, Range, object_schema, schema_of
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of
from interplay.judging.fence import fenced, mark_of

JUDGE = "judge"
QUESTIONS = ("completion", "phrases", "manner", "coherence")
LONGEST_SHOWN = 4_000  # characters of what one side said in one turn

# Paper §3.3.4 and §3.3.5 print guidelines for these two; for diversity (§3.3.3) it prints the idea alone, so the
# bands are ours. All are in our own words.
NATURALNESS = {
    1: "says the same things over and over as a machine does, or can hardly be understood",
    2: "says some things again without need; few words and set phrases, like a machine",
    3: "says nothing twice but to make sure, is easy to understand and has the words it needs, yet people"
    " hardly ever talk like this",
    4: "is probably a person: next to nothing is out of place, though a detail here and there sounds made",
    5: "cannot be told from a person: somebody could well have said just this",
}
DIVERSITY = {
    1: "keeps to the beaten path: says its wishes, takes what is offered, gives what it is asked for, ends",
    2: "leaves it once or twice, such as to ask back, to compare offers or to put something right",
    3: "leaves it time and again and in several ways, as people do: changes its mind, bargains, digresses,"
    " comes back to something, reacts to what it hears",
}
COHERENCE = {
    1: "neither condition is met",
    2: "one of the two conditions is met",
    3: "both conditions are met",
}
MANNER_OF = {
    "naturalness_user": NATURALNESS,
    "naturalness_system": NATURALNESS,
    "diversity_user": DIVERSITY,
}
COHERENCE_OF = {"coherence_user": COHERENCE, "coherence_system": COHERENCE}
RATINGS = {**MANNER_OF, **COHERENCE_OF}
Bands = Mapping[int, str]
Answer = Mapping[str, Any]


def judgeable(dialogue: Dialogue) -> bool:
    """Is there anything to judge? Without a word of the user there is no dialogue, whatever the system said."""
    return any(_has_words(exchange.user) for exchange in dialogue.exchanges)


def scores_of(verdict: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a verdict by their names; user_agent is the share of key phrases that came up.

    One is not there where the question was not asked: a goal has no key phrase, a judge elsewhere was asked for less.
    """
    turns = [entry["turn"] for entry in verdict.get("phrases", ())]
    came_up = {"user_agent": sum(turn > 0 for turn in turns) / len(turns)} if turns else {}
    given = {name: float(verdict[name]) for name in ("completed", *RATINGS) if name in verdict}
    return {**given, **came_up}


@dataclass(frozen=True)
class _Question:
    """One question: the values of its prompt, the form of its answer, and what is shown beside the dialogue."""

    name: str
    values: Mapping[str, str]
    form: JsonForm[Answer]
    goal: str = ""
    phrases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judged:
    """The judging step of one dialogue."""

    options: Options

    name = "dialogue"

    @cached_property
    def digest(self) -> str:
        texts = self._prompts.texts
        used = [texts[f"judge_{name}"] for name in ("brief", "material", *QUESTIONS)]
        shown = [self._goal_shown, LONGEST_SHOWN]
        return digest_of([self.name, used, self._limit, shown, str(RATINGS)])

    def calls(self, scenario: Scenario, cast: Mapping[str, str], judge: str) -> Span:
        nameless = "message" in scenario.content and not told_goal(scenario.content).phrases
        return (len(QUESTIONS) - nameless,) * 2

    async def __call__(self, talk: Conversation, outcome: Dialogue) -> Mapping[str, Any]:
        if not judgeable(outcome):
            raise JudgeFailure("there is nothing to judge")
        goal = told_goal(outcome.goal)
        judge = talk.seat(
            talk.cast[JUDGE].model, role=JUDGE, brief=self._prompts.fill("judge_brief"), forgets=True
        )
        found: dict[str, Any] = {}
        for question in self._questions(goal, len(outcome.exchanges)):
            mark = mark_of(talk.secret, talk.stage, talk.item, question.name)
            talk.tell([judge], self._material(question, outcome, words_of(len(goal.phrases)), mark))
            found |= await talk.ask(judge, question.form)
        return found

    @cached_property
    def _prompts(self) -> Prompts:
        return PROMPTS.chosen(self.options["prompts"])

    @property
    def _limit(self) -> int:
        return int(self.options["explanation"])

    @property
    def _goal_shown(self) -> bool:
        return self.options["goal_shown"] == "yes"

    def _questions(self, goal: Goal, turns: int) -> Iterator[_Question]:
        limit = {"limit": str(self._limit)}
        yield _Question(
            "completion",
            {**limit, "goal_shown": "yes" if self._goal_shown else ""},
            completion_form(self._limit),
            goal=goal.text if self._goal_shown else "",
        )
        if goal.phrases:
            fields = ", ".join(f'"{name}"' for name in phrase_fields(len(goal.phrases)))
            yield _Question(
                "phrases",
                {"fields": fields, "turns": str(turns)},
                phrases_form(len(goal.phrases), turns),
                phrases=goal.phrases,
            )
        bands = {"naturalness": _in_words(NATURALNESS), "diversity": _in_words(DIVERSITY)}
        yield _Question(
            "manner",
            {**limit, **bands, "form": _form_shown(MANNER_OF)},
            ratings_form(tuple(MANNER_OF), self._limit),
        )
        yield _Question(
            "coherence",
            {**limit, "coherence": _in_words(COHERENCE), "form": _form_shown(COHERENCE_OF)},
            ratings_form(tuple(COHERENCE_OF), self._limit),
            goal=goal.text,
        )

    def _material(self, question: _Question, dialogue: Dialogue, words: frozenset[str], mark: str) -> str:
        phrases = "\n".join(f"{number}. {phrase}" for number, phrase in enumerate(question.phrases, 1))
        return self._prompts.fill(
            "judge_material",
            mark=mark,
            goal=fenced(question.goal, mark, words) if question.goal else "",
            dialogue=dialogue_shown(dialogue, mark, words),
            phrases=fenced(phrases, mark, words) if phrases else "",
            question=self._prompts.fill(f"judge_{question.name}", **question.values),
        )


def dialogue_shown(dialogue: Dialogue, mark: str, words: frozenset[str]) -> str:
    """What both sides said, turn by turn, each text between marks; nothing else that the record knows."""
    shown = []
    for number, exchange in enumerate(dialogue.exchanges, 1):
        shown.append(_said(f"Turn {number}, user", exchange.user, mark, words))
        shown.append(_said(f"Turn {number}, system", exchange.system, mark, words))
    if _has_words(dialogue.closing):
        shown.append(_said("Closing words of the user", dialogue.closing, mark, words))
    return "\n\n".join(shown)


def _said(who: str, text: str, mark: str, words: frozenset[str]) -> str:
    """A text under its heading; that there was none is told outside the marks, where no text can claim it."""
    if not _has_words(text):
        return f"{who}: said nothing."
    text = text.strip()
    cut = f" (the first {LONGEST_SHOWN:,} of {len(text):,} characters)" if len(text) > LONGEST_SHOWN else ""
    return f"{who}{cut}:\n{fenced(text[:LONGEST_SHOWN], mark, words)}"


def _has_words(text: str) -> bool:
    """Is there anything in a text that can be seen? Blanks and control characters cannot."""
    return any(unicodedata.category(character)[0] not in "CZ" for character in text)


def _in_words(bands: Bands) -> str:
    return "\n".join(f"{step}: {meaning}" for step, meaning in bands.items())


def _form_shown(ratings: Mapping[str, Bands]) -> str:
    """The form of several ratings, with no number in it that a judge might lean on."""
    parts = [
        f'"{name}_explanation": "...", "{name}": <{min(bands)} to {max(bands)}>'
        for name, bands in ratings.items()
    ]
    return "{" + ", ".join(parts) + "}"


@cache
def completion_form(limit: int) -> JsonForm[Answer]:
    """The form of the answer to whether the task was completed."""
    feedback = schema_of(Annotated[str, Longest(limit, least=1)])
    completed = schema_of(Annotated[int, Range(0, 1)])
    return JsonForm(object_schema({"feedback": feedback, "completed": completed}), dict, exact=True)


@cache
def ratings_form(names: tuple[str, ...], limit: int) -> JsonForm[Answer]:
    """The form of several ratings, each after its explanation."""
    parts: dict[str, Any] = {}
    for name in names:
        low, high = min(RATINGS[name]), max(RATINGS[name])
        parts[f"{name}_explanation"] = schema_of(Annotated[str, Longest(limit)])
        parts[name] = schema_of(Annotated[int, Range(low, high)])
    return JsonForm(object_schema(parts), dict, exact=True)


@cache
def phrases_form(phrases: int, turns: int) -> JsonForm[Answer]:
    """The form of where phrases came up: a field for each, so that none can be left out, added or given twice."""
    names = phrase_fields(phrases)
    turn = schema_of(Annotated[int, Range(0, turns)])
    return JsonForm(object_schema(dict.fromkeys(names, turn)), _by_phrase, exact=True)


def _by_phrase(data: Mapping[str, int]) -> Answer:
    return {"phrases": [{"phrase": number, "turn": turn} for number, turn in enumerate(data.values(), 1)]}


def phrase_fields(phrases: int) -> tuple[str, ...]:
    return tuple(f"phrase_{number}" for number in range(1, phrases + 1))


@cache
def words_of(phrases: int) -> frozenset[str]:
    """The names of all fields of a verdict on so many phrases, which no text that is judged may spell."""
    ratings = (part for name in RATINGS for part in (name, f"{name}_explanation"))
    return frozenset(("feedback", "completed", *ratings, *phrase_fields(phrases)))
