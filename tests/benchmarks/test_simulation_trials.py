"""The trial of simulation: planted rates of errors are recovered through the whole product, planted bugs are found."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from interplay.benchmarks import find
from interplay.benchmarks.simulation.tables import summarize
from interplay.benchmarks.simulation.trials import TRIALS
from interplay.core.benchmark import Options, Played
from interplay.core.board import Board
from interplay.running.tally import Tally
from interplay.running.validating import hold

BENCHMARK = find("simulation")


def test_planted_rates_of_errors_are_recovered() -> None:
    found = hold(BENCHMARK, TRIALS[0], 0, Tally())
    assert [one for one in found.findings if not one.passed] == []
    assert len(found.findings) == 14
    assert found.in_order


def _relabelled(played: Sequence[Played], change: dict[str, Any]) -> list[Played]:
    return [
        replace(one, scenario=replace(one.scenario, content={**one.scenario.content, **change}))
        for one in played
    ]


def _drops_low(played: Sequence[Played], options: Options) -> Board:
    """Leaves out what was rated low."""
    return summarize([one for one in played if one.verdicts[0].data["rating"] > 5], options)  # type: ignore[index]


def _all_hard(played: Sequence[Played], options: Options) -> Board:
    """Takes every script for a later challenging turn."""
    return summarize(_relabelled(played, {"type": "SubseqChan"}), options)


@pytest.mark.parametrize("bug", [_drops_low, _all_hard])
def test_planted_bugs_are_found(bug: Any) -> None:
    found = hold(replace(BENCHMARK, summarize=bug), TRIALS[0], 0, Tally())
    assert any(not one.passed for one in found.findings)
