"""Trials: bots with a planted ability, and what the product must recover of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import fsum, isfinite, sqrt
from pathlib import Path
from typing import Any, Protocol

from interplay.core.board import Board, Estimate

FURTHEST = 4  # standard errors between what was planted and what was recovered


@dataclass(frozen=True)
class Finding:
    """A number that was planted, and what the product made of it.

    The error is the standard error under the planted distribution, by theory; 0 where the two must be equal, or where
    what was planted is the most that may come out.
    """

    what: str
    planted: float
    recovered: float | None  # None where the product has no such number
    error: float = 0.0
    at_most: bool = False

    @property
    def distance(self) -> float | None:
        """How many errors lie between the two; None where there is no error, or nothing to compare."""
        if self.recovered is None or not self.error:
            return None
        return abs(self.recovered - self.planted) / self.error

    @property
    def passed(self) -> bool:
        """Was the planted number recovered? A number that is no number never was."""
        if self.recovered is None or not all(map(isfinite, (self.planted, self.recovered, self.error))):
            return False
        if self.at_most:
            return self.recovered <= self.planted
        return abs(self.recovered - self.planted) <= FURTHEST * self.error


def averaged(findings: Sequence[Finding]) -> Finding:
    """What several seeds found of the same number; where they must be equal, the seed that is furthest off."""
    first = findings[0]
    if any(one.recovered is None for one in findings):
        return replace(first, recovered=None)
    if not any(one.error or one.at_most for one in findings):
        return max(findings, key=_how_far)
    count = len(findings)
    return Finding(
        first.what,
        fsum(one.planted for one in findings) / count,
        fsum(one.recovered for one in findings if one.recovered is not None) / count,
        sqrt(fsum(one.error**2 for one in findings)) / count,
        first.at_most,
    )


def _how_far(finding: Finding) -> float:
    return abs((finding.recovered or 0.0) - finding.planted)


def _no_files(seed: int, folder: Path) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Trial:
    """Bots who play a benchmark, and how what they have planted in them is read off its board.

    What the layers above have is typed loosely here: a script is a function of what a provider was asked, and
    findings are made of a board and of the conversations (Played) that the record has of the run.
    """

    name: str
    meaning: str
    scripts: Callable[[int], Mapping[str, Callable[[Any], Any]]]  # of a seed: every model's, by its name
    models: tuple[str, ...]  # those that are measured
    findings: Callable[[Board, Sequence[Any]], Sequence[Finding]]
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None
    files: Callable[[int, Path], Mapping[str, str]] = (
        _no_files  # of a seed: writes into a folder; options that name it
    )
    epochs: int = 1
    order: tuple[str, ...] = ()  # the models as they must come out, the largest number first
    ordered_by: str = ""  # the board's column that orders them
    fails: tuple[str, ...] = ()  # the failures that are planted too, by name: nothing to remark on
    ordered_on: str = ""  # the part of the board that has the column; else the board itself has it

    def came_in_order(self, board: Board) -> bool:
        """Did every model come out strictly above the next?"""
        where = part_of(board, self.ordered_on) if self.ordered_on else board
        values = [number_on(where, model, self.ordered_by) for model in self.order]
        known = [value for value in values if value is not None]
        return len(known) == len(values) and all(above > below for above, below in pairwise(known))


class Tried(Protocol):
    """What is said of a trial that was held, whatever it is a trial of."""

    @property
    def name(self) -> str: ...

    @property
    def meaning(self) -> str: ...

    @property
    def order(self) -> tuple[str, ...]: ...

    @property
    def ordered_by(self) -> str: ...


def part_of(board: Board, title: str) -> Board:
    """The part of a board, or of one of its parts, that has this title; an empty one where there is none."""
    every = [one for part in board.parts for one in (part, *part.parts)]
    return next((one for one in every if one.title == title), Board(title, (), ()))


def number_on(board: Board, model: str, key: str, **also: str) -> float | None:
    """The number in a model's row of a board; None where there is no such row, or no number in it.

    Where a model has several rows, others of the row's cells say which.
    """
    for row in board.rows:
        if row.get("model") == model and all(row.get(name) == text for name, text in also.items()):
            cell = row.get(key)
            number = cell.value if isinstance(cell, Estimate) else cell
            return float(number) if isinstance(number, int | float) else None
    return None
