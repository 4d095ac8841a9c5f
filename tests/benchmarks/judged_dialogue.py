"""A dialogue, a judge that says what it should, and the desk between them, for tests of judges."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from interplay.benchmarks.task_dialogue.dialogue import Dialogue, Exchange, Offer
from interplay.benchmarks.task_dialogue.goals import goal_of
from interplay.benchmarks.task_dialogue.judges import (
    PROMPTS,
    QUESTIONS,
    Judged,
)
from interplay.benchmarks.task_dialogue.office import Booking, LookUp, Refusal
from interplay.core.conversation import MOST_TRIES, Casting, Conversation
from interplay.core.failures import JudgeFailure
from interplay.core.wire import Message, Reply, Request, Sampling, Step
from interplay.judging.fence import mark_of
from interplay.models.scripted import Scripted

MODEL = "openai/judge"
STAGE = "judge dialogue 0123456789ab"
OPTIONS = {"prompts": "", "goal_shown": "no", "explanation": "400"}
BOOK = {"people": "5", "day": "saturday", "time": "19:00"}
WISH = {"info": {"food": "thai", "pricerange": "cheap"}, "book": BOOK, "reqt": ["phone"]}
MESSAGE = [
    "You crave **thai** food at a **cheap** price",
    "Book a table for **5 people** on **saturday** at **19:00** and get the **phone number**.",
]
GOAL = {"id": "G001", "goal": {"restaurant": WISH}, "message": MESSAGE}
PHRASES = goal_of(GOAL).phrases
DIALOGUE = Dialogue(
    goal=GOAL,
    exchanges=(
        Exchange(
            "Cheap thai food, please.", "Try The Lemongrass Barge.", "secret thought", {"find it": "open"}
        ),
        Exchange("A table for five, saturday at 7 pm.", "Booked: reference K7Q2M4P8.", "hidden idea"),
    ),
    ended="completed",
    closing="Lovely, goodbye.",
    state={"sub-goal state": "done"},
    offers=(Offer("restaurant", {"name": "offered row"}, 1),),
    bookings=(Booking("restaurant", "booked title", {"people": "5"}, "REFERENCE-OF-RECORD"),),
    refusals=(Refusal("restaurant", "refused title", {}, "refused reason"),),
    lookups=(LookUp("restaurant", {"food": "looked-up food"}, 3),),
)
TURNS = (1, 1, 2, 2, 2, 0)  # of the phrases


def rated(**ratings: int) -> dict[str, Any]:
    """Ratings, each after an explanation of its own."""
    found: dict[str, Any] = {}
    for name, rating in ratings.items():
        found |= {f"{name}_explanation": f"So be the {name.replace('_', ' of the ')}.", name: rating}
    return found


ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "completion": {"feedback": "Found and booked, no phone number was asked for.", "completed": 0},
    "phrases": {f"phrase_{number}": turn for number, turn in enumerate(TURNS, 1)},
    "manner": rated(naturalness_user=2, naturalness_system=2, diversity_user=1),
    "coherence": rated(coherence_user=2, coherence_system=1),
}
CAME_UP = {"phrases": [{"phrase": number, "turn": turn} for number, turn in enumerate(TURNS, 1)]}
VERDICT = {**ANSWERS["completion"], **CAME_UP, **ANSWERS["manner"], **ANSWERS["coherence"]}
Script = Callable[[Sequence[Message]], str]


class Desk:
    """Has every step answered by a scripted model, and remembers what was asked."""

    def __init__(self, script: Script):
        self.model = Scripted(MODEL, script)
        self.asked: list[tuple[Step, Request]] = []

    async def reply(self, step: Step, request: Request) -> Reply:
        self.asked.append((step, request))
        return await self.model.reply(request)

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()

    @property
    def materials(self) -> dict[str, str]:
        """What the judge was shown with each question, where it was asked first."""
        found: dict[str, str] = {}
        for _, request in self.asked:
            messages = request.thread.messages()
            found.setdefault(question_in(messages), messages[1].text)
        return found


def question_in(messages: Sequence[Message]) -> str:
    """Which of the four questions a judge is asked, by the words after all material."""
    asked = re.findall(r"^The question: (.*)$", messages[1].text, re.MULTILINE)[-1]
    return next(name for name in QUESTIONS if f"The question: {asked}" in PROMPTS.texts[f"judge_{name}"])


def sound(messages: Sequence[Message]) -> str:
    """Answers every question in form."""
    return json.dumps(ANSWERS[question_in(messages)])


def answering(name: str, reply: str) -> Script:
    """A judge that answers one question with this, whatever it is told, and the others in form."""
    return lambda messages: reply if question_in(messages) == name else sound(messages)


def talk_at(desk: Desk, secret: bytes = b"secret") -> Conversation:
    cast = {"judge": Casting(MODEL, Sampling(0.0), "judge")}
    return Conversation(cast, desk, stage=STAGE, secret=secret)


async def judged(script: Script = sound, dialogue: Dialogue = DIALOGUE, **options: str) -> tuple[Any, Desk]:
    desk = Desk(script)
    return await Judged(OPTIONS | options)(talk_at(desk), dialogue), desk


async def read_of(name: str, reply: str) -> Mapping[str, Any] | None:
    """The verdict where one question is answered so; None where that is a judge error after all tries."""
    desk = Desk(answering(name, reply))
    try:
        return await Judged(OPTIONS)(talk_at(desk), DIALOGUE)
    except JudgeFailure:
        tries = [request for _, request in desk.asked if question_in(request.thread.messages()) == name]
        assert len(tries) == MOST_TRIES
        return None


def mark_for(name: str) -> str:
    return mark_of(b"secret", STAGE, "", name)
