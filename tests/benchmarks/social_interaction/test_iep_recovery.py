"""Players who learned a known share, before judges with known errors: the whole way from answers to the board."""

import json
import re
from collections.abc import Sequence
from random import Random

import pytest

from interplay.benchmarks.social_interaction.knowledge import Knowledge, shipped
from interplay.benchmarks.social_interaction.matching import Matching
from interplay.benchmarks.social_interaction.protocol import Learned, Move, Session
from interplay.benchmarks.social_interaction.scenarios import scenarios
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


def erring(found: float, false: float) -> Script:
    """A judge that pairs what tells a point, and what gets it wrong, as often as that."""

    def script(messages: Sequence[Message]) -> str:
        texts = fenced_in(messages)
        if question_in(messages) == "judge_points":
            return json.dumps({"points": texts[0].split("\n")})
        if question_in(messages) == "judge_first":
            return json.dumps({f"point_{number}": _told(texts, number) for number in range(1, 6)})
        known, learned = map(listed, texts)
        pairs = []
        for number, text in enumerate(learned, 1):
            point, is_right = ABOUT[text]
            if Random(f"{found}/{false}/{messages[1].text}/{text}").random() < (found if is_right else false):
                pairs.append({"learned": number, "known": known.index(point) + 1})
        return json.dumps({"pairs": pairs})

    return script


def _told(texts: Sequence[str], number: int) -> int:
    """The first move in whose words a point is."""
    point = listed(texts[-1])[number - 1]
    return next((place for place, move in enumerate(texts[:-1], 1) if point in move), 0)


def played_out(scenario: Scenario, piece: Knowledge) -> Session:
    """The NPC tells its first three points; every player writes of each point what is right or what is wrong."""
    lots = Random(f"recovery/{scenario.id}")
    answers = []
    for seat in ("player", "player 2", "player 3"):
        texts = [point.said if lots.random() < LEARNED else point.wrong for point in piece.points]
        answers.append(Learned(seat, "\n".join(texts)))
    told = [Move("npc", "speak", "", point.point) for point in piece.points[:3]]
    return Session("exchange", SEATS, (Move("player", "pass", "", ""), *told), tuple(answers))


async def verdict_of(scenario: Scenario, outcome: Session, judge: str, script: Script) -> Verdict:
    cast = {"judge": Casting(judge, Sampling(0.0), "judge")}
    talk = Conversation(
        cast, Desk(script), scenario=scenario.content, stage="judge", secret=scenario.id.encode()
    )
    return Verdict(judge, "r", json.loads(json.dumps(await Matching(OPTIONS)(talk, outcome))))


async def board_of(**judges: tuple[float, float]) -> tuple[dict[str, Estimate], float]:
    """The numbers of the board, and the share that players truly learned, in percent."""
    pieces = {piece.title: piece for piece in shipped()}
    played, right = [], []
    for scenario in scenarios({"scene": "exchange", "sessions": str(SESSIONS)}).scenarios:
        outcome = played_out(scenario, pieces[scenario.content["knowledge"]["title"]])
        right += [ABOUT[text][1] for one in outcome.answers for text in one.answer.split("\n")]
        verdicts = [
            await verdict_of(scenario, outcome, name, erring(*rates)) for name, rates in judges.items()
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
    row, truth = await board_of(strict=(0.7, 0.02), lenient=(0.95, 0.3))
    value, low, high = ends(row["corrected"])
    assert low <= truth <= high
    assert abs(value - truth) < 8


async def test_a_judge_that_pairs_by_chance_is_not_believed() -> None:
    row, _ = await board_of(careless=(0.5, 0.5))
    assert row["corrected"].value is None


def test_every_statement_that_ships_is_about_one_point() -> None:
    count = sum(2 * len(piece.points) for piece in shipped())
    assert len(ABOUT) == count
    assert not [text for text in ABOUT if re.search(r"\n", text)]
