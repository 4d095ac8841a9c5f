"""Users with a planted fault: each is found by its own fault, and users without one are not flagged."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from interplay.benchmarks.task_dialogue.city import own_city
from interplay.benchmarks.task_dialogue.dialogue import COMPLETED, SATISFIED, Dialogue
from interplay.benchmarks.task_dialogue.faulty_users import BOTS, CLEAN, can_err, script
from interplay.benchmarks.task_dialogue.goals import Goal, goal_of
from interplay.benchmarks.task_dialogue.protocol import play
from interplay.benchmarks.task_dialogue.quality import (
    DRIFTED,
    ENDED_EARLY,
    FAULTS,
    OVER_INFORMED,
    SPOOFED,
    faults,
)
from interplay.benchmarks.task_dialogue.rules import BASELINE
from interplay.benchmarks.task_dialogue.scenarios import own_goals
from interplay.benchmarks.task_dialogue.simulators import SIMULATORS, TRACKING, VANILLA
from interplay.cli import main
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Reply, Request, Sampling, Step
from interplay.models.loopback import Asked, Loopback, serving

DIALOGUES = 50
OPTIONS = {
    "system": "pipeline",
    "exchanges": "15",
    "utterance": "600",
    "prompts": "",
    "slot_error": "0",
    "user_error": "0",
    "patience": "3",
}


@cache
def goals() -> tuple[Goal, ...]:
    return tuple(own_goals())


class Desk:
    """Answers by a bot, and counts how often it was asked."""

    def __init__(self, bot: Callable[[Asked], str]):
        self.bot = bot
        self.asked: list[Asked] = []

    async def reply(self, step: Step, request: Request) -> Reply:
        messages = tuple({"role": one.role, "content": one.text} for one in request.thread.messages())
        self.asked.append(Asked(request.model, messages, {}, len(self.asked), request.schema))
        return Reply(self.bot(self.asked[-1]), stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()


async def held(goal: Goal, desk: Desk, simulator: str = TRACKING) -> Dialogue:
    """A dialogue of a bot with the system by rules."""
    cast = {
        "user": Casting("openai/bot", Sampling(), "simulator"),
        "system": Casting(BASELINE, Sampling(), "subject"),
    }
    scenario = {**goal.content(), "city": own_city().digest}
    talk = Conversation(cast, desk, scenario=scenario, seed=goal.id, secret=b"s")
    return await play(talk, {**OPTIONS, "simulator": simulator})


async def flagged(fault: str, seed: int) -> list[list[str]]:
    """What is found in the first dialogues whose goals leave room for the fault, the simulators by turns."""
    bot = script(goals(), own_city(), fault, seed)
    chosen = [goal for goal in goals() if can_err(goal, fault)][seed::2][:DIALOGUES]
    kinds = [SIMULATORS[number % len(SIMULATORS)] for number in range(len(chosen))]
    return [faults(await held(goal, Desk(bot), kind)) for goal, kind in zip(chosen, kinds, strict=True)]


# The proof


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("fault", FAULTS)
async def test_each_fault_is_found_in_19_of_20_dialogues(fault: str, seed: int) -> None:
    found = await flagged(fault, seed)
    assert len(found) == DIALOGUES
    assert sum(fault in one for one in found) >= 0.95 * DIALOGUES


@pytest.mark.parametrize("seed", [0, 1])
async def test_users_without_a_fault_are_flagged_in_one_of_50_dialogues_at_most(seed: int) -> None:
    found = await flagged(CLEAN, seed)
    assert len(found) == DIALOGUES
    assert sum(map(bool, found)) <= 0.02 * DIALOGUES


# The bots


@pytest.mark.parametrize("simulator", SIMULATORS)
async def test_a_user_without_a_fault_reaches_its_goal_in_every_form(simulator: str) -> None:
    for goal in goals()[:12]:
        desk = Desk(script(goals(), own_city()))
        dialogue = await held(goal, desk, simulator)
        assert dialogue.ended == COMPLETED
        # no reply had to be asked for again, and none of the sub-goals was left open
        assert len(desk.asked) == len(dialogue.exchanges) + 1
        assert bool(dialogue.state) == (simulator == TRACKING)


async def test_sub_goals_that_stand_in_are_reported_as_it_goes() -> None:
    goal = next(one for one in goals() if one.wishes[0].first_info and one.wishes[0].book)
    dialogue = await held(goal, Desk(script(goals(), own_city())))
    states = list(dialogue.state.values())
    assert states[:3] == ["failed", "done", "done"]
    assert list(dialogue.exchanges[0].state.values())[:2] == ["open", "open"]
    assert list(dialogue.exchanges[1].state.values())[:2] == ["failed", "open"]


@pytest.mark.parametrize("fault", BOTS)
async def test_a_bot_is_told_all_it_knows_by_the_request(fault: str) -> None:
    goal = next(one for one in goals() if len(one.wishes) == 3)
    desk = Desk(script(goals(), own_city(), fault, 3))
    await held(goal, desk)
    anew = script(goals(), own_city(), fault, 3)
    backwards = [anew(asked) for asked in reversed(desk.asked)][::-1]
    assert backwards == [desk.bot(asked) for asked in desk.asked]


def test_a_bot_without_a_goal_or_a_form_says_so() -> None:
    bot = script(goals(), own_city())
    schema = {"properties": {"utterance": {}, "status": {}}}
    with pytest.raises(ValueError, match="finds its goal in its brief"):
        bot(Asked("m", ({"role": "system", "content": "You are nobody."},), {}, 0, schema))
    with pytest.raises(ValueError, match="answers by the schema"):
        bot(Asked("m", ({"role": "system", "content": goals()[0].text},), {}, 0, None))


def test_some_goals_leave_no_room_for_a_fault() -> None:
    def goal(**domains: Any) -> Goal:
        return goal_of({"id": "x", "goal": domains, "message": ["**x**"]})

    ride = goal(taxi={"info": {"departure": "a", "destination": "b", "leaveAt": "10:00"}, "reqt": ["phone"]})
    table = goal(
        restaurant={"info": {"name": "a"}, "book": {"people": "2", "day": "monday", "time": "12:00"}}
    )
    assert [can_err(ride, fault) for fault in (ENDED_EARLY, OVER_INFORMED, DRIFTED, SPOOFED)] == [
        *(False, False, True, True)
    ]
    assert [can_err(table, fault) for fault in (ENDED_EARLY, OVER_INFORMED)] == [True, False]
    for fault, least in {ENDED_EARLY: 0.8, OVER_INFORMED: 0.7}.items():
        assert sum(can_err(one, fault) for one in goals()) > least * len(goals())


async def test_a_user_that_ends_early_is_asked_once_more_when_it_tracks_its_goal() -> None:
    goal = next(one for one in goals() if len(one.wishes) == 2)
    for simulator, more in ((TRACKING, 1), (VANILLA, 0)):
        desk = Desk(script(goals(), own_city(), ENDED_EARLY))
        dialogue = await held(goal, desk, simulator)
        assert dialogue.ended == COMPLETED
        assert len(desk.asked) == len(dialogue.exchanges) + 1 + more
        assert json.loads(desk.bot(desk.asked[-1]))["status"] == SATISFIED


# Over HTTP


def test_bots_behind_an_endpoint_through_the_whole_product(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bots = {"good": script(goals(), own_city()), "spoofing": script(goals(), own_city(), SPOOFED)}
    shares = {}
    with serving(Loopback(bots)) as url:
        for name in bots:
            line = f"run task_dialogue --system rules --model-role user=openai/{name} --limit 4 --json"
            code = main([*line.split(), "--base-url", url, "--store", str(tmp_path / f"{name}.db")])
            out = capsys.readouterr()
            assert code == 0, out.err
            shares[name] = shown_of(json.loads(out.out), SPOOFED)
    assert shares == {"good": 0.0, "spoofing": 1.0}


def shown_of(board: Any, fault: str) -> float:
    """The share of users that a board says had a fault."""
    for part in board["parts"]:
        for row in part["rows"]:
            for key, cell in row.items():
                if fault in key:
                    return float(cell["value"] if isinstance(cell, dict) else cell)
    raise AssertionError(f"no part of the board has {fault}")
