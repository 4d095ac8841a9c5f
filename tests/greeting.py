"""A small and sound benchmark, for tests to plant faults in: a greeter, two guests, a judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from interplay.authoring import (
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
    Seat,
    Text,
    Verdict,
    compose,
    judged,
)

README = "A greeter greets each guest. A judge says how warm it was: warmth, 1 to 5. By rule: words."


@dataclass(frozen=True)
class Greeting:
    """What was said."""

    text: str
    thanks: tuple[str, ...]


@dataclass(frozen=True)
class Opinion:
    """The form of a verdict."""

    explanation: Annotated[str, Longest(100)]
    warmth: Annotated[int, Range(1, 5)]


def come_in(talk: Conversation) -> tuple[Seat, list[Seat]]:
    greeter = talk.seat("greeter", brief="Greet your guests.")
    guests = [talk.seat(name, role="guest", brief=f"Say thanks, {name}.") for name in ("guest", "guest 2")]
    talk.tell([greeter], f"Here come {' and '.join(talk.scenario['guests'])}.")
    return greeter, guests


async def greet(talk: Conversation, options: Options) -> Greeting:
    greeter, guests = come_in(talk)
    text = await talk.ask(greeter)
    talk.tell(guests, text, source=greeter)
    return Greeting(text, tuple(await talk.ask_all(guests, Text())))


def score(outcome: Greeting, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    return [Score("words", float(len(outcome.text.split())), "rule: words"), *judged(verdicts, "warmth")]


def shown(scenario: Mapping[str, Any], outcome: Greeting) -> list[tuple[str, str]]:
    return [("The greeting", outcome.text)]


ROLES = (
    Role("greeter", "subject", Sampling(), "greets; the model that is measured"),
    Role("guest", "simulator", Sampling(), "is greeted", seats=2),
    Role("judge", "judge", Sampling(), "says how warm it was"),
)
MEASURES = (
    Measure("warmth", "how warm it was, 1 to 5", Scale(1, 5)),
    Measure("words", "how long it was", Scale(0, 1_000), "rule"),
)
JUDGE = FormJudge(Opinion, "Say how warm the greeting is.", shown)


def scenarios() -> list[Scenario]:
    return [Scenario({"guests": ["Ann", name]}, name) for name in ("Bo", "Cleo", "Dan")]


benchmark = compose(
    name="greeting",
    meaning="how warmly a model greets",
    roles=ROLES,
    scenarios=scenarios(),
    outcome=Greeting,
    play=greet,
    calls={"greeter": 1, "guest": 2},
    judge=JUDGE,
    score=score,
    measures=MEASURES,
)
