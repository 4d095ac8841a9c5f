"""Trials of judges: what was planted comes out, the same every time, and would not if it were something else."""

from dataclasses import replace

import pytest

from interplay.analysis import judge_trials
from interplay.analysis.judge_bots import POSITION, SENSITIVITY
from interplay.analysis.judge_trials import JUDGE_TRIALS, JudgeTrial, hold_lenient, hold_swayed
from interplay.core.board import Board
from interplay.core.trials import Finding
from interplay.running.tally import Tally


@pytest.mark.parametrize("trial", JUDGE_TRIALS, ids=lambda trial: trial.name)
def test_what_was_planted_in_judges_is_recovered_and_the_same_every_time(trial: JudgeTrial) -> None:
    found = trial.hold(0, Tally())
    assert [finding for finding in found if not finding.passed] == []
    assert trial.hold(0, Tally()) == found
    assert trial.hold(1, Tally()) != found


def found_with(monkeypatch: pytest.MonkeyPatch, hold: str, change: object) -> dict[str, Finding]:
    """What a trial finds where its board is another."""
    board_of = getattr(judge_trials, hold)

    def changed(*arguments: object) -> Board:
        return change(board_of(*arguments))  # type: ignore[operator]

    monkeypatch.setattr(judge_trials, hold, changed)
    held = hold_swayed if hold == "bias_board" else hold_lenient
    return {finding.what: finding for finding in held(0, Tally())}


def test_one_order_only_is_not_the_place_that_was_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    def turned(board: Board) -> Board:
        (pairs,) = board.parts
        rows = tuple({**row, "position": row["position"].times(-1.0)} for row in pairs.rows)  # type: ignore[union-attr]
        return replace(board, parts=(replace(pairs, rows=rows),))

    found = found_with(monkeypatch, "bias_board", turned)
    assert found["all judges: position"].planted == POSITION
    assert not found["all judges: position"].passed
    assert found["all judges: length"].passed


def test_a_judge_that_is_not_flagged_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def unflagged(board: Board) -> Board:
        rows = tuple({**row, "flag": "", "together": row["judge"], "sees_yes": None} for row in board.rows)
        return replace(board, rows=rows)

    found = found_with(monkeypatch, "correction_board", unflagged)
    missed = {what for what, finding in found.items() if not finding.passed}
    assert missed == {
        "judge alone: flagged",
        "sees refusals (sensitivity)",
        "corrected: rate of refusals",
    }
    assert found["sees refusals (sensitivity)"].planted == SENSITIVITY
