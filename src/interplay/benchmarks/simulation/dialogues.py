"""Collecting dialogues: a user agent tries out a simulator, turn by turn, to find out how good it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from interplay.benchmarks.simulation.evaluation import SIMULATOR
from interplay.benchmarks.simulation.judges import PROMPTS
from interplay.benchmarks.simulation.scenarios import shipped_tasks
from interplay.benchmarks.simulation.tasks import Task, read_tasks
from interplay.core.benchmark import Material, Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.failures import Unreadable
from interplay.core.forms import JsonForm, Longest, Text, schema_of
from interplay.core.loops import LoopWatch
from interplay.core.prompts import Prompts
from interplay.core.wire import digest_of
from interplay.judging.fence import fenced, mark_of

USER = "user"
PROTOCOL_VERSION = 1
LONGEST_REQUEST = 2_000  # characters; what is longer is cut
LONGEST_NAME = 80  # characters, of a strategy that a user agent names itself
SHOWN_OF_AN_ANSWER = 8_000  # characters, to the user agent; the simulator and judges see all of it
# A reply that lacks one name is no request: a simulator's JSON need not be spoiled any further.
WORDS = frozenset(("strategy",))
USER_PROMPTS = Prompts({name: PROMPTS.texts[name] for name in ("user_agent", "user_agent_turn")})
Strategy = Literal["improvement", "next_step", "new_request", "other"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)
OTHER = STRATEGIES[-1]


@dataclass(frozen=True)
class NextRequest:
    """What the user agent asks of the simulator next, and by which strategy."""

    strategy: Strategy
    other: Annotated[str, Longest(LONGEST_NAME)]  # which, where the strategy is none of ours
    request: Annotated[str, Longest(LONGEST_REQUEST, least=1)]


@dataclass(frozen=True)
class DialogueTurn:
    """A request, its answer, and the strategy of the request; the first request, the task itself, has none."""

    request: str
    answer: str
    strategy: str = ""
    other: str = ""


@dataclass(frozen=True)
class Dialogue:
    """A dialogue that was collected."""

    turns: tuple[DialogueTurn, ...]

    @property
    def asked(self) -> tuple[DialogueTurn, ...]:
        """The turns whose request is the user agent's."""
        return self.turns[1:]


def scenarios(options: Options, data: Path | None = None) -> Material:
    """The tasks, those that ship or a user's own, in an order that mixes them."""
    tasks = read_tasks(data) if data else shipped_tasks()
    return Material(tuple(sorted(map(_scenario, tasks), key=lambda one: one.id)))


def _scenario(task: Task) -> Scenario:
    content = {
        "task": task.id,
        "name": task.name,
        "kind": task.kind,
        "request": task.request,
        "description": task.description,
        "keeps": list(task.keeps),
    }
    return Scenario(content, f"{task.name} ({task.kind})")


def task_of(content: Mapping[str, Any]) -> Task:
    """The task of a scenario."""
    return Task(
        id=content["task"],
        name=content["name"],
        kind=content["kind"],
        request=content["request"],
        description=content["description"],
        keeps=tuple(content["keeps"]),
    )


def digest(options: Options) -> str:
    """What shapes play: the user agent's prompts, and this file where it changes what is said."""
    return digest_of([PROTOCOL_VERSION, USER_PROMPTS.chosen(options["prompts"]).digest])


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    """The first request is the task itself: the user agent speaks once less than the simulator."""
    turns = int(options["turns"])
    return {SIMULATOR: (turns, turns), USER: (turns - 1, turns - 1)}


async def play(talk: Conversation, options: Options) -> Dialogue:
    """The simulator hears the task and requests, nothing of ours; the user agent hears every answer."""
    task, turns = task_of(talk.scenario), int(options["turns"])
    prompts, mark = USER_PROMPTS.chosen(options["prompts"]), mark_of(talk.secret, "play")
    simulator = talk.seat(SIMULATOR, brief="")
    user = talk.seat(USER, brief=_brief(prompts, task, mark))
    watch = LoopWatch("the user agent")
    talk.tell([simulator], task.description)
    answer = await talk.ask(simulator, Text(may_be_empty=True))
    found = [DialogueTurn(task.description, answer)]
    while len(found) < turns:
        heard = _handed_over(prompts, answer, mark, number=len(found) + 1, turns=turns)
        talk.tell([user], answer, source=simulator, heard_as=heard)
        said = await talk.ask(user, FORM)
        watch.said(said.request, answer)
        talk.tell([simulator], said.request, source=user)
        talk.tell([], f"strategy: {said.strategy}{f' ({said.other})' if said.other else ''}")
        answer = await talk.ask(simulator, Text(may_be_empty=True))
        found.append(DialogueTurn(said.request, answer, said.strategy, said.other))
    return Dialogue(tuple(found))


def _brief(prompts: Prompts, task: Task, mark: str) -> str:
    return prompts.fill(
        "user_agent",
        description=fenced(task.description, mark),
        request=task.request,
        limit=str(LONGEST_REQUEST),
        mark=mark,
    )


def _handed_over(prompts: Prompts, answer: str, mark: str, *, number: int, turns: int) -> str:
    """An answer as the user agent gets it, with what to do next."""
    shown, cut = answer[:SHOWN_OF_AN_ANSWER], len(answer) - SHOWN_OF_AN_ANSWER
    return prompts.fill(
        "user_agent_turn",
        answer=fenced(shown, mark, WORDS) if answer else "",
        cut=f"{cut:,}" if cut > 0 else "",
        empty="" if answer else "yes",
        number=str(number),
        turns=str(turns),
    )


def _next_request(data: dict[str, Any]) -> NextRequest:
    """The request that a reply holds; a name is only asked for, and only kept, with a strategy of its own."""
    strategy, other = data["strategy"], " ".join(data["other"].split())
    if strategy == OTHER and not other:
        raise Unreadable("Your reply does not fit the form: other must name the strategy, in a few words.")
    # spaces at the beginning may be part of what is typed
    return NextRequest(strategy, other if strategy == OTHER else "", data["request"].strip("\r\n"))


FORM = JsonForm(schema_of(NextRequest), _next_request)
