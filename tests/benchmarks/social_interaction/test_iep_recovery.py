"""Players who learned a known share, before judges with known errors: the whole way from answers to the board."""

import json
import re
from collections.abc import Sequence
from random import Random
from statistics import fmean

import pytest

from interplay.benchmarks.social_interaction.knowledge import Knowledge, Point, shipped
from interplay.benchmarks.social_interaction.matching import Matching
from interplay.benchmarks.social_interaction.protocol import Learned, Move, Session
from interplay.benchmarks.social_interaction.scenarios import scenarios
from interplay.benchmarks.social_interaction.sharing_bots import REMARKS, Matcher
from interplay.benchmarks.social_interaction.tables import summarize
from interplay.core.benchmark import Played, Scenario, Verdict
from interplay.core.board import Estimate
from interplay.core.conversation import Casting, Conversation
from interplay.core.wire import Message, Sampling
from tests.benchmarks.social_interaction.exchanged import (
    OPTIONS,
    SEATS,
    Desk,
    Script,
    fenced_in,
    listed,
    question_in,
)

SESSIONS = 64
LEARNED = 0.6
ABOUT = {  # what a statement is about, and whether it tells it
    text: (point.point, text == point.said)
    for piece in shipped()
    for point in piece.points
    for text in (point.said, point.wrong)
}


def erring(found: float, false: float, seed: int = 0) -> Script:
    """A judge that pairs what was said, and what was not, as often as that."""
    judge = Matcher(found, false)

    def script(messages: Sequence[Message]) -> str:
        if question_in(messages) == "judge_first":
            texts = fenced_in(messages)
            return json.dumps({f"point_{number}": _told(texts, number) for number in range(1, 6)})
        form = {"points": {"maxItems": 5}} if question_in(messages) == "judge_points" else {"pairs": {}}
        # one judge after another: who sees the same list twice must not err the same way
        return judge.answer(messages[1].text, {"properties": form}, [seed, found, false, messages[1].text])

    return script


def _told(texts: Sequence[str], number: int) -> int:
    """The first move in whose words a point is."""
    point = listed(texts[-1])[number - 1]
    return next((place for place, move in enumerate(texts[:-1], 1) if point in move), 0)


def played_out(scenario: Scenario, piece: Knowledge, otherwise: str, seed: int) -> Session:
    """The NPC tells its first three points; every player writes of each point what is right, or what it has else."""
    lots = Random(f"recovery/{seed}/{scenario.id}")
    answers = []
    for seat in ("player", "player 2", "player 3"):
        texts = [
            point.said if lots.random() < LEARNED else _else(point, otherwise, lots) for point in piece.points
        ]
        answers.append(Learned(seat, "\n".join(dict.fromkeys(text for text in texts if text))))
    told = [Move("npc", "speak", "", point.point) for point in piece.points[:3]]
    return Session("exchange", SEATS, (Move("player", "pass", "", ""), *told), tuple(answers))


def _else(point: Point, otherwise: str, lots: Random) -> str:
    """What stands in an answer for a point that was not learned: what is wrong, a remark, nothing, or as in lists."""
    kind = lots.choice(("wrong", "nothing")) if otherwise == "as planted" else otherwise
    return {"wrong": point.wrong, "remark": lots.choice(REMARKS), "nothing": ""}[kind]


async def verdict_of(scenario: Scenario, outcome: Session, judge: str, script: Script) -> Verdict:
    cast = {"judge": Casting(judge, Sampling(0.0), "judge")}
    talk = Conversation(
        cast, Desk(script), scenario=scenario.content, stage="judge", secret=scenario.id.encode()
    )
    return Verdict(judge, "r", json.loads(json.dumps(await Matching(OPTIONS)(talk, outcome))))


async def board_of(
    otherwise: str = "as planted", seed: int = 0, **judges: tuple[float, float]
) -> tuple[dict[str, Estimate], float]:
    """The numbers of the board, and the share that players truly learned, in percent."""
    pieces = {piece.title: piece for piece in shipped()}
    played, right = [], []
    for scenario in scenarios({"scene": "exchange", "sessions": str(SESSIONS)}).scenarios:
        outcome = played_out(scenario, pieces[scenario.content["knowledge"]["title"]], otherwise, seed)
        for one in outcome.answers:
            told = sum(text in ABOUT and ABOUT[text][1] for text in one.answer.split("\n"))
            right += [True] * told + [False] * (5 - told)
        verdicts = [
            await verdict_of(scenario, outcome, name, erring(*rates, seed)) for name, rates in judges.items()
        ]
        played.append(Played(scenario, "m", 0, outcome, verdicts=tuple(verdicts)))
    (row,) = summarize(played, OPTIONS).rows
    return {key: cell for key, cell in row.items() if isinstance(cell, Estimate)}, 100 * sum(right) / len(
        right
    )


def ends(estimate: Estimate) -> tuple[float, float, float]:
    assert None not in (estimate.value, estimate.low, estimate.high)
    return estimate.value, estimate.low, estimate.high  # type: ignore[return-value]


async def test_a_judge_without_error_finds_exactly_what_was_learned_and_told() -> None:
    row, truth = await board_of(exact=(1.0, 0.0))
    assert row["iep"].value == pytest.approx(truth)
    assert row["corrected"].value == pytest.approx(truth)
    assert (row["told"].value, row["told_npc"].value, row["told_player"].value) == (0.6, 0.6, 0.0)


async def test_what_an_erring_judge_finds_is_brought_back_to_the_truth() -> None:
    row, truth = await board_of(mild=(0.7, 0.05))
    plain, (value, low, high) = ends(row["iep"]), ends(row["corrected"])
    assert plain[2] < truth, "as it is, IEP is too low, and its interval does not hold the truth"
    assert low <= truth <= high
    assert abs(value - truth) < 4 * (high - low) / (2 * 1.96)


async def test_two_judges_with_other_errors_are_each_corrected_by_their_own() -> None:
    row, truth = await board_of(strict=(0.7, 0.02), lenient=(0.9, 0.15))
    value, low, high = ends(row["corrected"])
    assert low <= truth <= high
    assert abs(value - truth) < 8


async def test_a_judge_that_pairs_by_chance_is_not_believed() -> None:
    row, _ = await board_of(careless=(0.5, 0.5))
    assert row["corrected"].value is None


@pytest.mark.parametrize(
    ("otherwise", "most"), [("as planted", 2.0), ("remark", 3.0), ("wrong", 3.0), ("nothing", 3.5)]
)
async def test_answers_that_merely_omit_are_brought_back_as_those_that_err_are(
    otherwise: str, most: float
) -> None:
    """Over eight worlds; as it is, IEP is some 10 points too low, whatever stands for what was not learned."""
    plain, off = [], []
    for seed in range(8):
        row, truth = await board_of(otherwise, seed, judge=(0.75, 0.08))
        plain.append(ends(row["iep"])[0] - truth)
        off.append(ends(row["corrected"])[0] - truth)
    assert fmean(plain) < -8
    assert abs(fmean(off)) < most


def test_every_statement_that_ships_is_about_one_point() -> None:
    count = sum(2 * len(piece.points) for piece in shipped())
    assert len(ABOUT) == count
    assert not [text for text in ABOUT if re.search(r"\n", text)]
