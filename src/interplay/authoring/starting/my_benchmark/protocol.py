"""The lesson: a question, an explanation, and so on; each hears what the other says, and neither the other's brief."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from interplay.authoring import Conversation, Options, Prompts, Scenario

PROMPTS = Prompts.read(Path(__file__).parent / "prompts")
EXPLAINER, LEARNER = "explainer", "learner"


@dataclass(frozen=True)
class Exchange:
    """A question, and the explanation that it got."""

    question: str
    answer: str


@dataclass(frozen=True)
class Lesson:
    """A lesson that was held to its end."""

    exchanges: tuple[Exchange, ...]


def calls(scenario: Scenario, options: Options) -> Mapping[str, tuple[int, int]]:
    """The least and the most calls of each role in one conversation: here both are the same."""
    questions = int(options["questions"])
    return {EXPLAINER: (questions + 1, questions + 1), LEARNER: (questions, questions)}


async def play(talk: Conversation, options: Options) -> Lesson:
    """The first question is the scenario's; the learner asks the others, out of what it heard."""
    prompts, concept = PROMPTS.chosen(options["prompts"]), talk.scenario["concept"]
    jargon = ", ".join(talk.scenario["jargon"])
    explainer = talk.seat(EXPLAINER, brief=prompts.fill("explainer", jargon=jargon))
    learner = talk.seat(LEARNER, brief=prompts.fill("learner", concept=concept))
    question = f"What is {concept}? Please explain it to me."
    talk.tell([explainer], question)
    exchanges = [Exchange(question, await talk.ask(explainer))]
    for _ in range(int(options["questions"])):
        talk.tell([learner], exchanges[-1].answer, source=explainer)
        question = await talk.ask(learner)
        talk.tell([explainer], question, source=learner)
        exchanges.append(Exchange(question, await talk.ask(explainer)))
    return Lesson(tuple(exchanges))
