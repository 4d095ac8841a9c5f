"""The dialogue: a user with a goal and a system under test take turns until the user's own flag, a loop or the cap."""

from collections.abc import Mapping
from random import Random
from typing import Any

from interplay.benchmarks.task_dialogue import agent, pipeline, prompted, simulators
from interplay.benchmarks.task_dialogue.agenda import AGENDA, Agenda
from interplay.benchmarks.task_dialogue.city import City, domain_of, known
from interplay.benchmarks.task_dialogue.dialogue import (
    CAP,
    COMPLETED,
    GAVE_UP,
    GOING_ON,
    LOOP,
    SATISFIED,
    Dialogue,
    Exchange,
    Said,
    System,
    User,
)
from interplay.benchmarks.task_dialogue.examples import own_examples
from interplay.benchmarks.task_dialogue.goals import Goal, goal_of
from interplay.benchmarks.task_dialogue.objective import offers_in
from interplay.benchmarks.task_dialogue.office import Office
from interplay.benchmarks.task_dialogue.prompt_files import PROMPTS
from interplay.benchmarks.task_dialogue.rules import BASELINE, Rules
from interplay.benchmarks.task_dialogue.scenarios import city_of
from interplay.benchmarks.task_dialogue.slips import Slips
from interplay.core.benchmark import Options, Scenario, Span
from interplay.core.conversation import Conversation, Seat
from interplay.core.failures import LoopFailure, SimulatorFailure
from interplay.core.loops import LoopWatch
from interplay.core.wire import digest_of

PROTOCOL_VERSION = 1  # of what is said by rule, heard, booked and taken for a loop
USER, SYSTEM = "user", "system"
PIPELINE, AGENT, PROMPT, BOT = SYSTEMS = ("pipeline", "agent", "prompt", "bot")
PERCENT = 100
SHORTEST_REPEAT = 4  # words
_CALLS = {PIPELINE: pipeline.calls, AGENT: agent.calls, PROMPT: prompted.calls, BOT: prompted.calls}


def digest(options: Options) -> str:
    """What shapes play: the prompts of the user and of the system, and this folder where it changes what is said."""
    texts = PROMPTS.chosen(options["prompts"]).texts
    used = {name: text for name, text in texts.items() if name.startswith(("user_", "system_"))}
    examples = own_examples().digest if options["system"] == PIPELINE else ""
    return digest_of([PROTOCOL_VERSION, used, examples])


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    """At least one exchange and the user's last words, at most the cap, after which nobody speaks."""
    most = int(options["exchanges"])
    user, system = simulators.calls(options), _CALLS[options["system"]](options)
    return {USER: (min(2, most) * user[0], most * user[1]), SYSTEM: (system[0], most * system[1])}


async def play(talk: Conversation, options: Options) -> Dialogue:
    """Hold the dialogue; only the user's own flag ends it, whatever the system writes."""
    goal, city = goal_of(talk.scenario), city_of(talk.scenario)
    office = Office(city, f"{talk.rng.getrandbits(64):x}", _refused(goal, city))
    slips = Random(talk.rng.getrandbits(64))  # noqa: S311 - plants errors, guards nothing
    user, system = _user(talk, goal, city, options, slips), _system(talk, goal, office, options, slips)
    exchanges, last, ended = await _hold(talk, user, system, int(options["exchanges"]))
    if not exchanges:
        raise SimulatorFailure("the user ended the dialogue before it said anything")
    return Dialogue(
        goal={key: talk.scenario[key] for key in ("id", "goal", "message")},
        exchanges=tuple(exchanges),
        ended=ended,
        closing=last.text if last.flag != GOING_ON else "",
        state=last.state,
        offers=offers_in(city, exchanges, office.made),
        bookings=tuple(office.made),
        refusals=tuple(office.turned_down),
        lookups=tuple(office.looked_up),
        has_office=_has_office(talk, options),
        has_rows=all(wish.domain in city.rows for wish in goal.wishes),
    )


async def _hold(
    talk: Conversation, user: User, system: System, most: int
) -> tuple[list[Exchange], Said, str]:
    exchanges: list[Exchange] = []
    circles = Circles()
    mouths = {name: Seat(name, name, "", hears_names=False) for name in (USER, SYSTEM)}
    heard: str | None = None
    said = Said("")
    while len(exchanges) < most:
        said = await user.speak(heard)
        if said.flag != GOING_ON:
            talk.tell([], f"The user ends the dialogue ({said.flag.replace('_', ' ')}): {said.text}")
            return exchanges, said, COMPLETED if said.flag == SATISFIED else GAVE_UP
        talk.tell([mouths[SYSTEM]], said.text, source=mouths[USER])
        if said.thought:
            talk.tell([], f"The user thought: {said.thought}")
        answer = await system.answer(said.text)
        talk.tell([mouths[USER]], answer, source=mouths[SYSTEM])
        exchanges.append(Exchange(said.text, answer, said.thought, said.state))
        try:
            circles.went_on(said.text, heard or "", answer)
        except LoopFailure as loop:
            talk.tell([], f"The dialogue goes in circles: {loop}.")
            return exchanges, said, LOOP
        heard = answer
    return exchanges, said, CAP


class Circles:
    """Watches both sides of a dialogue for who goes in circles."""

    def __init__(self) -> None:
        self._user, self._system = LoopWatch("the user"), LoopWatch("the system")

    def went_on(self, said: str, heard: str, answer: str) -> None:
        """Note what the user said, to what, and what was answered; raise a LoopFailure where that is a circle."""
        answers = "?" in heard and "?" not in said
        self._user.said(_in_context(said, heard) if answers else said, heard)
        self._system.said(_in_context(answer, said) if answer.strip() else "(nothing)")


def _in_context(text: str, heard: str) -> str:
    """What is the same again: a short answer only where it is to the same, "yes" to three questions is no loop."""
    words = text.casefold().split()
    is_echo = words == heard.casefold().split()
    return text if is_echo or len(words) >= SHORTEST_REPEAT else f"{heard}\n{text}"


def _refused(goal: Goal, city: City) -> dict[str, dict[str, str]]:
    """What the office refuses because the goal says so, where the city has nothing that is booked out."""
    if city.full:
        return {}
    return {
        wish.domain: {slot: value for slot, value in wish.first_book.items() if wish.book.get(slot) != value}
        for wish in goal.wishes
        if wish.first_book
    }


def _user(talk: Conversation, goal: Goal, city: City, options: Options, rng: Random) -> User:
    if talk.cast[USER].model != AGENDA:
        return simulators.Simulated(talk, goal, options)

    def place_in(domain: str, heard: str) -> str:
        titles = (known(row, domain_of(of).title) for of, row in city.named_in(heard) if of == domain)
        return next(titles, "")

    slips = Slips(city, goal, int(options["user_error"]) / PERCENT, rng)
    return Agenda(goal, patience=int(options["patience"]), slip=slips.said, place_in=place_in)


def _system(talk: Conversation, goal: Goal, office: Office, options: Options, rng: Random) -> System:
    if talk.cast[SYSTEM].model == BASELINE:
        return Rules(office, Slips(office.city, goal, int(options["slot_error"]) / PERCENT, rng).hear)
    kinds: dict[str, Any] = {
        PIPELINE: lambda: pipeline.Pipeline(talk, office, options),
        AGENT: lambda: agent.Agent(talk, office, options),
        PROMPT: lambda: prompted.Prompted(talk, office, options),
        BOT: lambda: prompted.Bot(talk),
    }
    system: System = kinds[options["system"]]()
    return system


def _has_office(talk: Conversation, options: Options) -> bool:
    """Does the system book in the office, where what it booked can be looked up?"""
    return talk.cast[SYSTEM].model == BASELINE or options["system"] in (PIPELINE, AGENT)
