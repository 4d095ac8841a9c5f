"""Labels of people for tests: files of them, and conversations with what judges say."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from interplay.core.benchmark import Played, Scenario, Verdict
from interplay.core.board import Board, Cell, Estimate
from interplay.core.measures import YES_OR_NO, Scale
from interplay.judging.agreeing import agreement_board
from interplay.judging.labels import (
    Label,
    Matched,
    labels_in,
    matched,
    read_labels,
)

CRITERIA = {"complete": YES_OR_NO, "natural": Scale(1, 5), "coverage": Scale(0, 1, whole=False)}
HEAD = "scenario,model,rater,criterion,value"
Written = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes a file of labels: lines of a .csv, or objects of a .jsonl."""

    def write(*rows: str | Mapping[str, Any], head: str = HEAD) -> Path:
        if all(isinstance(row, str) for row in rows):
            path, lines = tmp_path / "people.csv", [head, *map(str, rows)]
        else:
            path, lines = tmp_path / "people.jsonl", [json.dumps(row) for row in rows]
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    return write


def labels_of(path: Path) -> list[Label]:
    return labels_in(read_labels(str(path), CRITERIA))


def played(
    name: str, model: str = "m", repeat: int = 0, *, content: str = "", **judges: Mapping[str, float] | None
) -> Played:
    """A conversation on the scenario of this name, with what its judges say; None where a judge failed."""
    verdicts = tuple(Verdict(judge, "rubric", data) for judge, data in judges.items())
    return Played(Scenario({"goal": content or name}, name), model, repeat, outcome="talk", verdicts=verdicts)


def opinions(one: Played) -> dict[str, Mapping[str, float]]:
    return {verdict.judge: verdict.data or {} for verdict in one.verdicts}


def board_of(path: Path, conversations: Sequence[Played], **titles: str) -> Board:
    return agreement_board("People", matched(labels_of(path), conversations), CRITERIA, opinions, titles)


def row(board: Board, judge: str = "j", criterion: str = "complete") -> dict[str, Cell]:
    (found,) = [one for one in board.rows if (one["judge"], one["criterion"]) == (judge, criterion)]
    return dict(found)


def estimate(cell: Cell) -> Estimate:
    assert isinstance(cell, Estimate)
    return cell


def known_of(found: Matched) -> list[tuple[str, str, int]]:
    return [(one.scenario.label, one.subject, one.repeat) for _, one in found.pairs]
