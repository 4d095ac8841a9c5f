"""Trials of task dialogue: systems that mishear at a planted rate, and users with a planted fault."""

from collections.abc import Callable, Sequence
from functools import partial
from math import sqrt
from random import Random

from interplay.benchmarks.task_dialogue.bots import judge, tool_caller
from interplay.benchmarks.task_dialogue.city import no_matter, own_city
from interplay.benchmarks.task_dialogue.faulty_users import BOTS, CLEAN, can_err, script
from interplay.benchmarks.task_dialogue.goals import Goal, goal_of
from interplay.benchmarks.task_dialogue.judges import JUDGE
from interplay.benchmarks.task_dialogue.protocol import AGENT, USER
from interplay.benchmarks.task_dialogue.quality import faults
from interplay.benchmarks.task_dialogue.rules import BASELINE
from interplay.benchmarks.task_dialogue.scenarios import own_goals
from interplay.core.benchmark import Played
from interplay.core.board import Board
from interplay.core.trials import FURTHEST, Finding, Trial, number_on
from interplay.core.wire import digest_of
from interplay.models.loopback import Asked

Scripts = dict[str, Callable[[Asked], str]]
SYSTEMS: dict[str, float] = {"openai/sharp": 0.0, "openai/fair": 0.03, "openai/dull": 0.12}
COMPLETED = 0.7  # how often the judge says so
USER_BOT, JUDGE_BOT = "openai/planted-user", "openai/chance-judge"
DIALOGUES = 50
FOUND, FALSE_ALARM = 0.05, 0.02  # how many faults may go unseen, how many good users may be flagged


def systems(seed: int) -> Scripts:
    """Systems that mishear each slot of a dialogue at a rate of their own, a good user, and a judge by chance."""
    heard = {
        name: tool_caller(own_city(), partial(_mishears, seed, name, rate)) for name, rate in SYSTEMS.items()
    }
    return {
        **heard,
        USER_BOT: script(own_goals(), own_city(), CLEAN, seed),
        JUDGE_BOT: judge(COMPLETED, seed),
    }


def _mishears(seed: int, model: str, rate: float, first: str, domain: str, slot: str) -> bool:
    drawn = Random(digest_of([seed, model, first, domain, slot])).random()  # noqa: S311 - plays, guards nothing
    return drawn < rate


def slots_said(goal: Goal) -> int:
    """How many slots a user speaks of whose mishearing makes the goal fail."""
    slots = [{**wish.info, **wish.book} for wish in goal.wishes]
    return sum(not no_matter(value) for one in slots for value in one.values())


def of_systems(board: Board, played: Sequence[Played]) -> list[Finding]:
    """Success is that no slot is misheard; what the judge says is a coin of its own."""
    found = []
    for model, rate in SYSTEMS.items():
        goals = [goal_of(one.scenario.content) for one in played if one.subject == model]
        chances = [(1 - rate) ** slots_said(goal) for goal in goals]
        planted = sum(chances) / len(chances)
        error = sqrt(sum(chance * (1 - chance) for chance in chances)) / len(chances)
        name = model.partition("/")[2]
        found.append(Finding(f"{name}: success", planted, number_on(board, model, "success"), error))
        of_judge = sqrt(COMPLETED * (1 - COMPLETED) / len(goals))
        found.append(Finding(f"{name}: completed", COMPLETED, number_on(board, model, "completed"), of_judge))
    return found


def users(fault: str, seed: int) -> Scripts:
    return {USER_BOT: script(own_goals(), own_city(), fault, seed)}


def of_users(fault: str, board: Board, played: Sequence[Played]) -> list[Finding]:
    """How many users are flagged, of those whose goal leaves room for the fault."""
    dialogues = [one.outcome for one in played if one.outcome is not None]
    chosen = [one for one in dialogues if fault == CLEAN or can_err(goal_of(one.goal), fault)]
    flagged = [bool(found) if fault == CLEAN else fault in found for found in map(faults, chosen)]
    share = sum(flagged) / len(flagged) if flagged else None
    if fault == CLEAN:
        return [Finding("good users: flagged", 0.0, share, FALSE_ALARM / FURTHEST)]
    return [Finding(f"users that {fault}: found", 1.0, share, FOUND / FURTHEST)]


def _trial_of_users(fault: str) -> Trial:
    what = "good users" if fault == CLEAN else f"users that {fault}"
    return Trial(
        name=what,
        meaning=f"{what}, behind an endpoint, before the system by rules",
        scripts=partial(users, fault),
        models=(BASELINE,),
        findings=partial(of_users, fault),
        roles={USER: (USER_BOT,)},
        limit=DIALOGUES,
    )


TRIALS = (
    Trial(
        name="systems that mishear",
        meaning="systems that call tools and mishear slots at a planted rate, before a good user and a judge by chance",
        scripts=systems,
        models=tuple(SYSTEMS),
        findings=of_systems,
        roles={USER: (USER_BOT,), JUDGE: (JUDGE_BOT,)},
        options={"system": AGENT},
        limit=80,
        order=tuple(SYSTEMS),
        ordered_by="success",
    ),
    *map(_trial_of_users, BOTS),
)
