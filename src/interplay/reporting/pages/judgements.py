"""All that judges said of one conversation: of turns, of the whole, by other rubrics, and beside another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interplay.core.benchmark import Benchmark, Verdict
from interplay.core.importing import IMPORTED
from interplay.reporting.pages.outcomes import OTHER_SHAPE, Grid, seen_by_judges
from interplay.reporting.pages.speech import Turn
from interplay.reporting.pages.verdicts import (
    TURNS,
    Column,
    Known,
    Panel,
    by_turn,
    failure_of,
    panel_of,
    score_table,
)
from interplay.running.results import options_of
from interplay.store.closeup import CloseUp, Other, Voice
from interplay.store.records import ConversationRow, Run


@dataclass(frozen=True)
class Rubric:
    """The verdicts by one rubric on the whole conversation."""

    name: str
    is_current: bool
    panel: Panel
    by_turn: tuple[
        tuple[int, Panel], ...
    ] = ()  # what does not stand beside its turn; 0 is a turn that is not there


@dataclass(frozen=True)
class Duelled:
    """What a judge said of this conversation and another side by side."""

    other: int
    model: str
    shown_first: bool
    judge: str
    better: str  # this, the other, tie; or why there is no verdict
    explanation: str
    failure: str = ""


@dataclass(frozen=True)
class Judgement:
    """All that judges said."""

    panels: Mapping[int, Panel]  # by turn
    notes: Mapping[int, list[tuple[str, str]]]  # by turn
    rubrics: tuple[Rubric, ...]
    grids: tuple[Grid, ...]
    duels: tuple[Duelled, ...]
    scores: Panel
    rule_scores: tuple[tuple[str, float, str], ...]


def judged_of(
    close: CloseUp,
    benchmark: Benchmark | None,
    row: ConversationRow,
    calls: Sequence[Voice],
    turns: Sequence[Turn],
    others: Sequence[Other],
) -> Judgement:
    """All that judges said; by the rubric that the run was last judged with first, turn by turn where it is so."""
    current, known = close.run.extent.get("rubric", ""), _known(close.run, benchmark)
    by_rubric: dict[str, list[Verdict]] = {current: []}
    for item, one in close.records.verdicts_of(close.number):
        if not item:
            by_rubric.setdefault(one.rubric, []).append(one)
    data = [(one.judge, one.data) for one in by_rubric[current] if one.data is not None]
    grids, notes, elsewhere = seen_by_judges(
        close.run.benchmark, row.scenario.content, row.outcome, data, turns
    )
    judged_turns = [turn.number for turn in turns if turn.is_public and turn.is_subject]
    rubrics, panels = [], {}
    for rubric, verdicts in by_rubric.items():
        given = [(_column(one, calls), one.data) for one in verdicts]
        is_current = rubric == current
        told = _numbered(judged_turns, by_turn(given, known if is_current else Known()))
        if is_current:
            panels = {number: panel for number, panel in told if number}
            told = [one for one in told if not one[0]]
        whole = panel_of(given, known if is_current else Known(), (*(elsewhere if is_current else ()), TURNS))
        rubrics.append(Rubric(_rubric_name(rubric, calls), is_current, whole, tuple(told)))
    scores, by_rule = score_table(close.scores(), sorted({one.judge for one in by_rubric[current]}), known)
    there = tuple(one for one in rubrics if one.panel.columns)
    return Judgement(
        panels, notes, there, tuple(grids), _duels(close, benchmark, others), scores, tuple(by_rule)
    )


def _numbered(turns: Sequence[int], panels: Sequence[Panel]) -> list[tuple[int, Panel]]:
    """What judges said of each judged turn, with the turn's number; 0 where the transcript has no such turn."""
    return [(turns[place] if place < len(turns) else 0, panel) for place, panel in enumerate(panels)]


def _known(run: Run, benchmark: Benchmark | None) -> Known:
    measures = benchmark.measures(options_of(run, benchmark)) if benchmark else ()
    return Known({one.name: one.scale for one in measures}, {one.name: one.meaning for one in measures})


def _column(verdict: Verdict, calls: Sequence[Voice]) -> Column:
    mine = (
        call.number
        for call in calls
        if call.stage.startswith("judge ")
        and call.stage.endswith(f" {verdict.rubric[:12]}")
        and call.participant == verdict.judge
        and not call.item
    )
    return Column(verdict.judge, failure_of(verdict), tuple(mine))


def _rubric_name(rubric: str, calls: Sequence[Voice]) -> str:
    """What a rubric is called, and the beginning of its digest, which tells two of one name apart."""
    if rubric == IMPORTED:
        return "which came with the run"
    stages = (
        call.stage
        for call in calls
        if call.stage.startswith("judge ") and call.stage.endswith(f" {rubric[:12]}")
    )
    stage = next(stages, "")
    return f"{stage.removeprefix('judge ').rpartition(' ')[0] or 'rubric'} ({rubric[:8]})"


def _duels(close: CloseUp, benchmark: Benchmark | None, others: Sequence[Other]) -> tuple[Duelled, ...]:
    """Where judges saw it beside another; what they preferred, seen from here."""
    found = []
    pairing = benchmark.pairing(options_of(close.run, benchmark)) if benchmark and benchmark.pairing else None
    for other, first, verdict in close.against(others):
        better = ""
        if pairing and verdict.data is not None:
            try:
                better = {1: "this", 0: "tie", -1: "other"}[
                    pairing.preferred(verdict.data) * (1 if first else -1)
                ]
            except OTHER_SHAPE:
                better = ""
        explanation = str((verdict.data or {}).get("explanation", ""))
        found.append(
            Duelled(
                other.number, other.subject, first, verdict.judge, better, explanation, failure_of(verdict)
            )
        )
    return tuple(found)
