"""Scripted simulators, user agents and judges of dialogues: the same in every store, whatever the marks of fences."""

import json
import re
from collections.abc import Mapping
from itertools import count
from random import Random

from interplay.benchmarks.simulation.dialogues import OTHER, STRATEGIES
from interplay.models.loopback import Asked, Script

MIX = {"improvement": 0.2, "next_step": 0.45, "new_request": 0.25, "other": 0.1}
_MARK = re.compile(r"<<([0-9a-f]{12})")
_TURN = re.compile(r"^Turn (\d+), user:$", re.MULTILINE)


def plain(asked: Asked) -> str:
    """All that a request says, without the mark of its fences, which is secret and differs from store to store."""
    text = "\n".join(f"{one['role']}: {one['content']}" for one in asked.messages)
    found = _MARK.search(text)
    return text.replace(found.group(1), "") if found else text


def draw(asked: Asked, who: str) -> Random:
    return Random(f"{who}\n{plain(asked)}")


def simulator(asked: Asked) -> str:
    """An interface that shows a number, and once in five answers nothing."""
    rng = draw(asked, "simulator")
    return "" if rng.random() < 0.2 else f"{rng.randrange(10**6):06}"


def user_agent(mix: Mapping[str, float] = MIX) -> Script:
    """A user agent whose strategies come in these shares."""

    def script(asked: Asked) -> str:
        rng = draw(asked, "user")
        strategy = rng.choices(STRATEGIES, [mix[name] for name in STRATEGIES])[0]
        other = rng.choice(("a riddle", "small talk")) if strategy == OTHER else ""
        return json.dumps({"strategy": strategy, "other": other, "request": f"ask {rng.randrange(10**9)}"})

    return script


def restless_user_agent() -> Script:
    """A user agent that asks for something else in every repeat; only a record can give the same dialogue again."""
    numbers = count(2)

    def script(asked: Asked) -> str:
        return json.dumps({"strategy": "new_request", "other": "", "request": f"ask {next(numbers)}"})

    return script


def judge(asked: Asked) -> str:
    """A judge that finds a challenging turn in half of the dialogues."""
    rng = draw(asked, asked.model)
    turns = max(int(number) for number in _TURN.findall(plain(asked)))
    turn = rng.randint(1, turns) if rng.random() < 0.5 else 0
    return json.dumps({"explanation": "so it is", "challenging_turn": turn})


def rater(asked: Asked) -> str:
    return json.dumps({"explanation": "so it is", "rating": draw(asked, "rater").randint(1, 10)})


SCRIPTS: dict[str, Script] = {
    "sim": simulator,
    "sim-2": lambda asked: "2" + simulator(asked),
    "user": user_agent(),
    "judge": judge,
    "judge-2": judge,
    "judge-3": judge,
    "tested": simulator,
    "rater": rater,
}
