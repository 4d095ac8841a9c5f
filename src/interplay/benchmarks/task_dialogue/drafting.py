"""Writing messages for new goals: what a goal asks for is drawn from our city, a model puts it into words."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from interplay.benchmarks.generating import WRITER, drawn, refuse_data
from interplay.benchmarks.task_dialogue.city import own_city
from interplay.benchmarks.task_dialogue.drawing import draw_goals
from interplay.benchmarks.task_dialogue.goals import Goal, Wish, goal_of
from interplay.benchmarks.task_dialogue.message_checks import (
    LONGEST_SENTENCE,
    REFERENCE,
    SENTENCES,
    Fact,
    about_message,
    hub_of,
    said_plainly,
)
from interplay.benchmarks.task_dialogue.phrase_book import phrases
from interplay.benchmarks.task_dialogue.prompt_files import WRITER_PROMPTS as PROMPTS
from interplay.benchmarks.task_dialogue.scenarios import own_goals
from interplay.core.benchmark import Material, Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.forms import JsonForm, object_schema
from interplay.core.wire import digest_of

PROTOCOL_VERSION = 1
MOST_ROUNDS = 3  # answers of one try: what fails its checks is asked for again with the complaints
SHOWN_COMPLAINTS = 8
LABELS = {"pricerange": "price range", "arriveBy": "arriving by", "stay": "length of the stay"}
LEAVING = {"train": "leaving at or after", "taxi": "leaving at"}


@dataclass(frozen=True)
class Draft:
    """A message as it was written, with what the checks said of it."""

    message: tuple[str, ...]
    complaints: tuple[str, ...] = ()  # that were left when it was written


def scenarios(options: Options, data: Path | None = None) -> Material:
    """One for each message that is wanted, with what its goal asks for."""
    refuse_data(data)
    return Material(_scenarios(int(options["n"]), options["seed"]))


@lru_cache(maxsize=8)
def _scenarios(count: int, seed: str) -> tuple[Scenario, ...]:
    goals = draw_goals(own_city(), phrases()["absent"], count, f"new {seed}", own_goals())
    return tuple(_scenario(number, seed, wishes) for number, wishes in enumerate(goals, 1))


def _scenario(number: int, seed: str, wishes: tuple[Wish, ...]) -> Scenario:
    example = drawn(_examples(len(wishes)), number, f"{seed}/examples/{len(wishes)}")
    words = phrases()["writer"]
    content = {
        "number": number,
        "city": own_city().digest,
        "goal": Goal(f"new-{seed}-{number:03}", wishes, ()).content(),
        "example": example.content(),
        "tone": drawn(words["tones"], number, f"{seed}/tones"),
        "reason": drawn(words["reasons"], number, f"{seed}/reasons"),
    }
    return Scenario(content, f"goal {number}")


@cache
def _examples(size: int) -> tuple[Goal, ...]:
    """Our own goals of a size."""
    return tuple(goal for goal in own_goals() if len(goal.wishes) == size)


def goal_in(content: Mapping[str, Any], message: tuple[str, ...]) -> Goal:
    """The goal of a scenario with a message of its own; one without a key phrase cannot be read as a goal."""
    marked = goal_of({**content["goal"], "message": ["**-**"]})
    return Goal(marked.id, marked.wishes, message)


_SENTENCE = {"type": "string", "minLength": 1, "maxLength": 2 * LONGEST_SENTENCE}
# The schema's bounds are wider than those of the checks, so that what is cut or too long fails there.
SCHEMA = object_schema(
    {"message": {"type": "array", "items": _SENTENCE, "minItems": 1, "maxItems": 2 * SENTENCES[1]}}
)
_FORM: JsonForm[tuple[str, ...]] = JsonForm(
    SCHEMA, lambda data: tuple(" ".join(one.split()) for one in data["message"])
)


def digest(options: Options) -> str:
    """What shapes the writing: the prompts, the form, and this file where it changes what is asked."""
    return digest_of([PROTOCOL_VERSION, PROMPTS.digest, _brief(), SCHEMA])


async def play(talk: Conversation, options: Options) -> Draft:
    """Ask the writer for a message, and again as long as the checks complain of it."""
    wanted = talk.scenario
    writer = talk.seat(WRITER, brief=_brief())
    talk.tell([writer], _task(wanted))
    for rounds in range(1, MOST_ROUNDS + 1):
        message = await talk.ask(writer, _FORM)
        complaints = about_message(goal_in(wanted, message), own_city())
        if not complaints or rounds == MOST_ROUNDS:
            break
        told = "\n".join(f"- {complaint}" for complaint in complaints[:SHOWN_COMPLAINTS])
        talk.tell([writer], PROMPTS.fill("writer_again", complaints=told))
    talk.tell([], "\n".join(message), source=writer)  # nobody else is there, but the record shows it
    return Draft(message, tuple(complaints))


def _brief() -> str:
    return PROMPTS.fill(
        "writer_brief",
        city=hub_of(own_city()).title(),
        least=str(SENTENCES[0]),
        most=str(SENTENCES[1]),
        longest=str(LONGEST_SENTENCE),
    )


def _task(wanted: Mapping[str, Any]) -> str:
    example = goal_of(wanted["example"])
    return PROMPTS.fill(
        "writer_task",
        example_facts=laid_out(example),
        example_message=json.dumps({"message": list(example.message)}, ensure_ascii=False),
        facts=laid_out(goal_in(wanted, ())),
        tone=wanted["tone"],
        reason=wanted["reason"],
    )


def laid_out(goal: Goal) -> str:
    """What a goal asks for, as a list with its key phrases marked."""
    return "\n".join(line for number, wish in enumerate(goal.wishes, 1) for line in _lines(number, wish))


def _lines(number: int, wish: Wish) -> Iterator[str]:
    yield f"{number}. {wish.domain}"
    for what, first, last in (
        ("wanted", wish.first_info, wish.info),
        ("to book", wish.first_book, wish.book),
    ):
        if first:
            changed = {slot: value for slot, value in last.items() if first.get(slot) != value}
            refused = "there is no such place" if what == "wanted" else "that will be refused"
            yield f"- {what} at first: {_told(wish, first)}"
            yield f"- {refused}; {what} instead: {_told(wish, changed)}"
        elif last:
            yield f"- {what}: {_told(wish, last)}"
    asked = [*wish.requests, *([REFERENCE] if wish.book else ())]
    if asked:
        yield "- to ask for: " + ", ".join(f"**{said_plainly(Fact(wish.domain, slot))}**" for slot in asked)


def _told(wish: Wish, slots: Mapping[str, str]) -> str:
    labels = {**LABELS, "leaveAt": LEAVING.get(wish.domain, "leaving")}
    return ", ".join(
        f"{labels.get(slot, slot)} **{said_plainly(Fact(wish.domain, slot, value))}**"
        for slot, value in slots.items()
    )


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    return {WRITER: (1, MOST_ROUNDS)}
