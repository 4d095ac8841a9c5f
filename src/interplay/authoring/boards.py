"""A board out of measures: a row for each model, every mean with its interval, and what is missing beside it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum

from interplay.core.benchmark import Options, Played, Scenario, Score, Verdict
from interplay.core.board import Board, Cell, Column, Estimate, place_by
from interplay.core.measures import Measure
from interplay.statistics.clustered_rates import mean_or_rate
from interplay.statistics.intervals import rate

LEFT_OUT = "Void and unscored conversations are left out of the means and never counted as zero."


@dataclass(frozen=True)
class BoardOfMeasures:
    """Summarizes a benchmark whose conversations are measured one by one; the first measure ranks."""

    title: str
    measures: Sequence[Measure]
    score: Callable[[object, Sequence[Verdict], Options], Sequence[Score]]
    ways: Callable[[Scenario], tuple[str, ...]]

    def __call__(self, played: Sequence[Played], options: Options) -> Board:
        first = self.measures[0]
        models = sorted({one.subject for one in played})
        rows = [
            self._row(model, [one for one in played if one.subject == model], options) for model in models
        ]
        place_by(rows, first.name, less_is_better=first.less_is_better)
        return Board(self.title, self._columns(), tuple(rows), (LEFT_OUT,))

    def _columns(self) -> tuple[Column, ...]:
        first = self.measures[0]
        order = "lowest" if first.less_is_better else "highest"
        judged = [measure for measure in self.measures if measure.by == "judges"]
        unscored = Column(
            "unscored", "unscored", "share of verdicts that were asked for and not given", "share"
        )
        return (
            Column("model", "model", "the model that is measured", "text"),
            Column(
                "rank", "rank", f"its place by {first.name}, {order} first; equal means share one", "count"
            ),
            *map(_column, self.measures),
            Column("n", "n", f"conversations with a value of {first.name}", "count"),
            Column("void", "void", "share of conversations that came to nothing", "share"),
            *([unscored] if judged else []),
        )

    def _row(self, model: str, mine: Sequence[Played], options: Options) -> dict[str, Cell]:
        finished = [one for one in mine if one.outcome is not None]
        scored = [(one, self.score(one.outcome, one.verdicts, options)) for one in finished]
        verdicts = [verdict for one in finished for verdict in one.verdicts]
        means = {measure.name: self._mean(measure, scored) for measure in self.measures}
        row: dict[str, Cell] = {
            "model": model,
            "rank": None,
            **means,
            "n": means[self.measures[0].name].n,
            "void": rate(len(mine) - len(finished), len(mine)).value,
        }
        if any(measure.by == "judges" for measure in self.measures):
            missing = sum(verdict.data is None for verdict in verdicts)
            row["unscored"] = rate(missing, len(verdicts)).value
        return row

    def _mean(self, measure: Measure, scored: Sequence[tuple[Played, Sequence[Score]]]) -> Estimate:
        """The mean over conversations of the panel's mean, clustered as the benchmark's design is."""
        values, clusters = [], []
        for one, scores in scored:
            by_judge = measure.by_source(scores)
            if by_judge:
                values.append(fsum(by_judge.values()) / len(by_judge))
                clusters.append(self.ways(one.scenario))
        return mean_or_rate(values, clusters, is_rate=measure.scale.is_yes_or_no)


def _column(measure: Measure) -> Column:
    scale = measure.scale
    meaning = f"{measure.meaning}; 95% interval clustered by scenario"
    if (scale.low, scale.high) == (0, 1):
        return Column(measure.name, measure.name.replace("_", " "), meaning, "share")
    return Column(measure.name, measure.name.replace("_", " "), meaning, "score", (scale.low, scale.high))
