"""Scores of transcripts: what judges say of each conversation, by the criteria of the rubric."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from interplay.benchmarks.transcripts.dialogue import ASSISTANT, Dialogue
from interplay.benchmarks.transcripts.rubrics import NAME, rubric_for
from interplay.core.benchmark import Options, Played, Score, Verdict
from interplay.core.board import Board, Cell, Column, place_by
from interplay.core.measures import YES_OR_NO, Measure, Scale
from interplay.judging.rubric import Rubric, panel_mean
from interplay.statistics.clustered_rates import clustered_rate
from interplay.statistics.intervals import clustered_mean, mean, rate

NOTE = "Conversations without a verdict are left out of the means and never counted as zero."


def columns(rubric: Rubric) -> tuple[Column, ...]:
    """The columns of a board: the rubric's criteria between the total and the counts."""
    low, high = scale = (float(rubric.scale[0]), float(rubric.scale[1]))
    return (
        Column("model", "model", "the model that is the assistant", "text"),
        Column("rank", "rank", "its place by overall; equal scores share a place", "count"),
        Column(
            "overall",
            "overall",
            "mean of the criteria over conversations; 95% interval clustered by scenario",
            "score",
            scale,
        ),
        *(
            Column(one.name, one.name, f"{one.statement} {low:g} to {high:g}", "score", scale, True)
            for one in rubric.criteria
        ),
        *(
            Column(
                one.name, one.name, f"share of conversations that most judges flag ({one.meaning})", "share"
            )
            for one in rubric.flags
        ),
        Column("length", "length", "mean characters of an assistant's message", "amount"),
        Column("n", "n", "conversations that were scored", "count"),
        Column("unscored", "unscored", "share of verdicts that were asked for and not given", "share"),
    )


def measures(options: Options) -> tuple[Measure, ...]:
    """What a conversation is measured by: the mean of the criteria, each of them, and the flags."""
    rubric = rubric_for(options)
    scale = Scale(*rubric.scale)
    return (
        Measure("overall", "mean of the criteria", Scale(*rubric.scale, whole=False), of=rubric.names),
        *(Measure(one.name, one.statement, scale) for one in rubric.criteria),
        *(Measure(flag.name, flag.meaning, YES_OR_NO, less_is_better=True) for flag in rubric.flags),
    )


def score(outcome: Dialogue, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """The scores of one conversation, judge by judge."""
    rubric = rubric_for(options)
    scores = [Score("length", length_of(outcome), "rule: characters per message of the assistant")]
    for verdict in verdicts:
        if verdict.data is not None:
            scores += [
                Score(name, float(verdict.data[f"{name}_score"]), verdict.judge) for name in rubric.names
            ]
            scores += [
                Score(flag.name, float(verdict.data[flag.name]), verdict.judge) for flag in rubric.flags
            ]
    return scores


def length_of(outcome: Dialogue) -> float:
    """Mean characters of an assistant's message."""
    return mean([len(one.text) for one in outcome.said if one.seat == ASSISTANT]).value or 0.0


def summarize(played: Iterable[Played], options: Options) -> Board:
    """The board: a row for each model, best first. The conversations are gone over once."""
    rubric = rubric_for(options)
    by_subject: dict[str, _Numbers] = {}
    for one in played:
        by_subject.setdefault(one.subject, _Numbers(rubric)).add(one)
    rows = [_row(subject, mine) for subject, mine in sorted(by_subject.items())]
    place_by(rows, "overall")
    title = "transcripts" if rubric.name == NAME else f"transcripts (rubric {rubric.name})"
    return Board(title, columns(rubric), tuple(rows), (NOTE,))


@dataclass
class _Numbers:
    """What the board needs of a model's conversations: numbers, and no texts."""

    rubric: Rubric
    counts: Counter[str] = field(default_factory=Counter)  # of verdicts asked for and missing
    lengths: list[int] = field(default_factory=list)
    panel: list[dict[str, float]] = field(default_factory=list)  # of each conversation with a verdict
    scenarios: list[str] = field(default_factory=list)  # of the same conversations

    def add(self, one: Played) -> None:
        if one.outcome is None:
            return
        self.lengths += [len(said.text) for said in one.outcome.said if said.seat == ASSISTANT]
        given = [verdict.data for verdict in one.verdicts if verdict.data is not None]
        self.counts["asked"] += len(one.verdicts)
        self.counts["missing"] += len(one.verdicts) - len(given)
        if given:
            self.panel.append(_panel(given, self.rubric))
            self.scenarios.append(one.scenario.id)


def _panel(given: Sequence[Mapping[str, Any]], rubric: Rubric) -> dict[str, float]:
    """What the judges say together: the mean of each criterion, the share of those who raise a flag."""
    names = {name: f"{name}_score" for name in rubric.names} | {one.name: one.name for one in rubric.flags}
    return {name: panel_mean([float(data[key]) for data in given]) or 0.0 for name, key in names.items()}


def _row(subject: str, mine: _Numbers) -> dict[str, Cell]:
    names, panel = mine.rubric.names, mine.panel
    row: dict[str, Cell] = {"model": subject, "rank": None}
    overall = [fsum(one[name] for name in names) / len(names) for one in panel]
    row["overall"] = clustered_mean(overall, mine.scenarios)
    row |= {name: clustered_mean([one[name] for one in panel], mine.scenarios) for name in names}
    for flag in mine.rubric.flags:
        row[flag.name] = clustered_rate([one[flag.name] > 0.5 for one in panel], mine.scenarios)
    return row | {
        "length": mean(mine.lengths).value,
        "n": len(panel),
        "unscored": rate(mine.counts["missing"], mine.counts["asked"]).value,
    }
