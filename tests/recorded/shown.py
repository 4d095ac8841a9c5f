"""What every seat of a short role play is shown, written down; run as a module, it writes the files anew."""

import asyncio
import json
from pathlib import Path

from interplay.benchmarks.role_play.panel import judging
from interplay.benchmarks.role_play.protocol import play
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Sampling, Step
from tests.benchmarks.stage import BENCHMARK, Desk, cast_of, entry, judging_user, player, user

HERE = Path(__file__).parent
TURNS = 2
SCENE = {
    "language": "en",
    "character": {
        "id": "odo",
        "name": "Odo",
        "summary": "Odo keeps a lighthouse.",
        "persona": "You keep a light that nobody needs.\nYou know it.",
        "example": "guest: Is it far?\nOdo: It was.",
        "greeting": "Mind the step.",
    },
    "situation": {"id": "way", "text": "Ask for the way, and do not believe the answer.", "turns": TURNS},
}
CASES = {
    "v1": {"version": "v1"},
    "v2": {},
    "v2_symmetric": {"setup": "symmetric"},
}


def judge(step: Step) -> str:
    """Answers either rubric: one turn at a time, or all at once."""
    return json.dumps(entry())


def judge_of_all(step: Step) -> str:
    return json.dumps({f"turn_{number}": entry() for number in range(1, TURNS + 1)})


async def shown(case: str) -> str:
    """The last view of every seat, each message under who said it."""
    options = BENCHMARK.settle(CASES[case])
    v1 = options["version"] == "v1"
    desk = Desk(
        interrogator=judging_user(TURNS) if v1 else user, player=player, judge=judge if v1 else judge_of_all
    )
    talk = Conversation(cast_of(options), desk, scenario=SCENE, secret=b"secret")
    outcome = await play(talk, options)
    cast = {"judge": Casting("judge", Sampling(), "judge")}
    bench = Conversation(cast, desk, scenario=SCENE, stage="judge", secret=b"secret")
    await judging(options)(bench, outcome)
    parts = []
    for seat in ("interrogator", "player", "judge"):
        for role, text in desk.views(seat)[-1]:
            parts.append(f"======== {seat}: {role}\n{text}\n")
    return "\n".join(parts)


def file_of(case: str) -> Path:
    return HERE / f"role_play_{case}.txt"


if __name__ == "__main__":
    for name in CASES:
        file_of(name).write_text(asyncio.run(shown(name)), encoding="utf-8")
