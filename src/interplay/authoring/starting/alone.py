"""Twenty questions: a model finds out what another has in mind, by questions that are answered with yes or no."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from interplay.authoring import (
    YES_OR_NO,
    Conversation,
    FormJudge,
    Longest,
    Measure,
    Options,
    Range,
    Role,
    Sampling,
    Scale,
    Scenario,
    Score,
    Verdict,
    compose,
    judged,
)

SECRETS = ("an umbrella", "a lighthouse", "a violin", "a snail", "a bicycle", "a volcano")
MOST_QUESTIONS = 20
GUESSER_BRIEF = f"""Somebody has a thing in mind. Find out what it is by questions that can be answered with yes or
no; you have {MOST_QUESTIONS}. Ask one at a time, in one sentence. To name the thing is a question too: "Is it a cup?"
"""
KEEPER_BRIEF = """You have {secret} in mind. Somebody asks questions to find out what it is. Reply with one JSON object:
"answer" is "yes", "no" or "unclear", by what is true of it; "found" is true only if the question names the very thing.
"""
JUDGE_BRIEF = """Somebody tried to find out by questions what another had in mind. Rate how well they searched: did each
question follow from what was known, and rule out much? 1 is at random, 5 is as well as can be. Finding it late or by
luck is neither better nor worse.
"""


@dataclass(frozen=True)
class Reply:
    """The form in which the keeper answers."""

    answer: Literal["yes", "no", "unclear"]
    found: bool


@dataclass(frozen=True)
class Question:
    """What was asked, and what the keeper said."""

    text: str
    answer: str


@dataclass(frozen=True)
class Search:
    """A game that was played to its end."""

    questions: tuple[Question, ...]
    found: bool


@dataclass(frozen=True)
class Opinion:
    """The form of a verdict."""

    explanation: Annotated[str, Longest(400)]
    strategy: Annotated[int, Range(1, 5)]


async def play(talk: Conversation, options: Options) -> Search:
    """The secret is in the keeper's brief alone, so that no guesser can see it."""
    guesser = talk.seat("guesser", brief=GUESSER_BRIEF)
    keeper = talk.seat("keeper", brief=KEEPER_BRIEF.format(secret=talk.scenario["secret"]))
    talk.tell([guesser], "I have something in mind. Ask your first question.")
    asked: list[Question] = []
    while len(asked) < MOST_QUESTIONS:
        question = await talk.ask(guesser)
        talk.tell([keeper], question, source=guesser)
        reply = await talk.ask(keeper, Reply)
        asked.append(Question(question, reply.answer))
        if reply.found:
            return Search(tuple(asked), found=True)
        talk.tell([guesser], f"{reply.answer.capitalize()}.", source=keeper)
    return Search(tuple(asked), found=False)


def shown(scenario: Mapping[str, Any], search: Search) -> list[tuple[str, str]]:
    """What the judge sees."""
    asked = "\n".join(
        f"{number}. {one.text} -- {one.answer}" for number, one in enumerate(search.questions, 1)
    )
    return [("What was to be found", scenario["secret"]), ("The questions, with their answers", asked)]


def score(search: Search, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """Found or not, and how soon, by rule; how well it was searched, by judges."""
    found = [Score("found", float(search.found), "rule: the keeper said so")]
    if search.found:  # never is no number of questions
        found.append(Score("questions", float(len(search.questions)), "rule: questions until then"))
    return [*found, *judged(verdicts, "strategy")]


benchmark = compose(
    name="my_benchmark",
    meaning="whether a model finds out by twenty questions what another has in mind",
    roles=(
        Role("guesser", "subject", Sampling(0.7, 0.95, 128), "asks; the model that is measured"),
        Role("keeper", "simulator", Sampling(0.0, None, 64), "has something in mind, and answers"),
        Role("judge", "judge", Sampling(0.0, None, 512), "rates the search; there may be several"),
    ),
    scenarios=[Scenario({"secret": secret}, secret) for secret in SECRETS],
    outcome=Search,
    play=play,
    calls={"guesser": (1, MOST_QUESTIONS), "keeper": (1, MOST_QUESTIONS)},
    judge=FormJudge(Opinion, JUDGE_BRIEF, shown),
    score=score,
    measures=(
        Measure("found", "was it found out?", YES_OR_NO, "rule"),
        Measure("questions", "questions until it was", Scale(1, MOST_QUESTIONS), "rule", less_is_better=True),
        Measure("strategy", "how well each question followed from what was known, 1 to 5", Scale(1, 5)),
    ),
)
