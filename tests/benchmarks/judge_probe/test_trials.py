"""The trial of the probe: planted weaknesses are recovered through the whole product, planted bugs are found."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from interplay.benchmarks.judge_probe import benchmark
from interplay.benchmarks.judge_probe.protocol import Said, Twins
from interplay.benchmarks.judge_probe.tables import summarize
from interplay.benchmarks.judge_probe.trials import JUDGES, TRIALS
from interplay.core.benchmark import Options, Played
from interplay.core.board import Board
from interplay.running.results import board_of, played_of
from interplay.running.tally import Tally
from interplay.running.validating import play_into, read_off
from interplay.store.records import Records

(TRIAL,) = TRIALS


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> tuple[Board, list[Played]]:
    """What one seed of the trial came to, over HTTP."""
    store = tmp_path_factory.mktemp("trial") / "trial.db"
    run = play_into(store, benchmark, TRIAL, 0, Tally())
    assert read_off(benchmark, TRIAL, store, run).in_order
    with Records(store) as records:
        found = records.find(run)
        return board_of(records, found, benchmark), played_of(records, found, benchmark)


def test_planted_weaknesses_are_recovered(held: tuple[Board, list[Played]]) -> None:
    findings = TRIAL.findings(*held)
    assert [one for one in findings if not one.passed] == []
    assert len(findings) == 10 * len(JUDGES) + 2 * 10 + 15
    assert len({one.what for one in findings}) == len(findings)


def changed(change: Callable[[Twins], Twins]) -> Callable[[Sequence[Played], Options], Board]:
    """A board that takes every outcome for another."""

    def wrong(played: Sequence[Played], options: Options) -> Board:
        return summarize([replace(one, outcome=change(one.outcome)) for one in played], options)

    return wrong


def as_zero(said: Said) -> Said:
    return replace(said, problem="", rating=1, better="tie") if said.problem else said


def raised_by(said: Said, points: int) -> Said:
    return said if said.rating is None else replace(said, rating=said.rating + points)


BUGS = {
    "the twins are taken for each other": changed(
        lambda one: replace(one, spoiled=one.clean, clean=one.spoiled)
    ),
    "a tie counts as seen": changed(
        lambda one: replace(one, spoiled=raised_by(one.spoiled, -1)) if one.set == "defects" else one
    ),
    "what is not in form counts as the lowest": changed(
        lambda one: replace(one, spoiled=as_zero(one.spoiled), clean=as_zero(one.clean))
    ),
    "only a ten is high": changed(
        lambda one: replace(one, spoiled=raised_by(one.spoiled, -1), clean=raised_by(one.clean, -1))
    ),
    "A and B are mixed up": changed(
        lambda one: replace(one, wants={"A": "B", "B": "A"}.get(one.wants, one.wants))
    ),
    "families slip by one": changed(
        lambda one: replace(one, group={"json": "marks", "marks": "json"}.get(one.group, one.group))
    ),
    "kinds slip by one": changed(
        lambda one: replace(one, group={"contradiction": "rudeness"}.get(one.group, one.group))
    ),
    "half of the probes are left out": lambda played, options: summarize(played[::2], options),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bugs_are_found(bug: str, held: tuple[Board, list[Played]]) -> None:
    _, played = held
    board = BUGS[bug](played, benchmark.settle({}))
    assert any(not one.passed for one in TRIAL.findings(board, played))


def test_the_board_without_a_bug_passes(held: tuple[Board, list[Played]]) -> None:
    """What finds the bugs is the bug, and not the way in which they are planted."""
    board = changed(lambda one: one)(held[1], benchmark.settle({}))
    assert all(one.passed for one in TRIAL.findings(board, held[1]))
