"""A run with hostile texts in a store, for the tests of its exports."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from interplay.benchmarks import find
from interplay.core.benchmark import Scenario, Score, Verdict
from interplay.core.board import Board, Column, Estimate
from interplay.core.conversation import Line
from interplay.core.failures import SimulatorFailure
from interplay.core.wire import Message, Reply, Request, Sampling, Step, Thread
from interplay.reporting.export import export
from interplay.store.journal import Journal, Place
from interplay.store.records import Records, Run
from interplay.store.writer import Writer

HOSTILE = (
    '=HYPERLINK("http://evil.example") | `x` <script>alert(1)</script> \x1b[31m \x9b \u202e\u2066 \u2028\u2029'
    ' \x85 "quoted", привет 🙂\r\n- [a](http://evil.example)\t;=1+1 \\u0000 {{ run.secret }}'
)
KEY = "sk-canary-0123456789abcdef"
RUBRIC = "rubric-2"


@dataclass(frozen=True)
class Game:
    points: float
    said: str = ""


def score(outcome: Game, verdicts: Sequence[Verdict], *_: Any) -> list[Score]:
    rule = Score("points", outcome.points, "rule: =points")
    return [rule, *(Score("quality", one.data["quality"], one.judge) for one in verdicts if one.data)]


BENCHMARK = replace(find("role_play"), outcome=Game, score=score)
BOARD = Board(
    HOSTILE,
    (Column("model", "model", "who", "text"), Column("score", "score", "how good", "score", (1.0, 5.0))),
    ({"model": HOSTILE, "score": Estimate(4.0, 3.0, 5.0, 2, (1, 2), "t")},),
    (HOSTILE,),
)
Played = tuple[Records, Run]


def begin(records: Records, rubric: str = RUBRIC) -> Run:
    extent = {"limit": 3, "epochs": 2, "judges": ["openai/j"], "rubric": rubric}
    return records.begin("role_play-1", "role_play", {"options": {}, "models": [HOSTILE]}, extent)


def place(number: int, subject: str = HOSTILE, repeat: int = 0) -> Place:
    cast = {"player": subject, "interrogator": "openai/u"}
    return Place(Scenario({"n": number, "text": HOSTILE}, f"{HOSTILE} {number}"), subject, cast, repeat)


async def fill(journal: Journal) -> None:
    """A conversation that was played anew and judged by two rubrics, one that is void and one that is open."""
    lines = [Line("", ("player",), HOSTILE), Line("player", ("player", "user"), f"I say: {HOSTILE}")]
    old = await journal.open_conversation(place(1), "p1", anew=False)
    await journal.finish(old, Game(1.0, "the older take"), lines, "p1")
    await journal.judged(old, "", Verdict("openai/j", RUBRIC, {"quality": 1.0}))
    await journal.scored(old, [Score("points", 1.0, "stale")])
    new = await journal.open_conversation(place(1), "p2", anew=True)
    await journal.finish(new, Game(-2.5, HOSTILE), lines, "p2")
    await journal.judged(new, "", Verdict("openai/j", "rubric-1", {"quality": 3.0, "why": HOSTILE}))
    await journal.judged(new, "", Verdict("openai/j", RUBRIC, {"why": HOSTILE, "quality": 4.0}))
    await journal.judged(new, "", Verdict(f"={HOSTILE}", RUBRIC, None, "judge error", HOSTILE))
    await journal.judged(new, "a pair", Verdict("openai/j", RUBRIC, {"quality": 9.0}))
    await journal.scored(new, [Score("quality", 3.0, "openai/j")])
    void = await journal.open_conversation(place(2), "p2", anew=False)
    await journal.void(void, SimulatorFailure(HOSTILE), lines)
    await journal.open_conversation(place(2, "@other", repeat=1), "p2", anew=False)


async def spend(journal: Journal, cost: float | None) -> None:
    """Calls of the first conversation: one answered, one failed, one never answered."""
    request = Request("openai/a", Thread.start(Message("user", "hello")), Sampling())
    calls = [await journal.intend(1, Step("play", "", "player", turn), 0, request) for turn in range(3)]
    await journal.settle(calls[0], Reply("x", version="a-1", tokens_in=10, tokens_out=5, cost=cost))
    await journal.settle_failure(calls[1], "server", "", b"")


def write(records: Records, run: Run, *writings: Any) -> None:
    async def do() -> None:
        writer = Writer(records.path)
        try:
            for writing in writings:
                await writing(Journal(writer, run.number))
        finally:
            await writer.close()

    asyncio.run(do())


def text_of(played: Played, format: str, board: Board = BOARD) -> str:
    return "".join(export(*played, BENCHMARK, board, format))


def conversations(played: Played) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text_of(played, "json"))["conversations"]
    return found


def finished(played: Played) -> dict[str, Any]:
    """The one conversation that was played to its end."""
    [found] = [one for one in conversations(played) if one["state"] == "done"]
    return found
