"""Raters: how far those who labelled the same conversations agree among themselves."""

from collections.abc import Mapping, Sequence

from interplay.core.board import Board, Cell, Column
from interplay.core.measures import Scale
from interplay.judging.labels import SETTLED
from interplay.statistics.agreement import Drawing, krippendorff
from interplay.statistics.intervals import rate
from interplay.store.labels import Given

COLUMNS = (
    Column("criterion", "criterion", "what was labelled", "text"),
    Column("n", "n", "conversations that two raters or more have labelled", "count"),
    Column("same", "same", "share of them of which all raters say the same; Wilson's interval", "share"),
    Column(
        "alpha",
        "alpha",
        "Krippendorff's alpha: 1 is full agreement, 0 is what chance alone would give",
        "score",
        (-1.0, 1.0),
    ),
)


def raters_board(labels: Sequence[Given], criteria: Mapping[str, Scale]) -> Board:
    """A row for each criterion; the labels are each rater's newest."""
    rows: list[Mapping[str, Cell]] = []
    for name, scale in criteria.items():
        by_item: dict[int, list[float]] = {}
        for label in labels:
            if label.criterion == name and label.rater != SETTLED:
                by_item.setdefault(label.conversation, []).append(label.value)
        several = [values for _, values in sorted(by_item.items()) if len(values) > 1]
        alpha = krippendorff(
            several,
            Drawing(seed=0),
            measure="nominal" if scale.is_yes_or_no else "ordinal" if scale.whole else "interval",
            levels=scale.levels,
        )
        same = rate(sum(len(set(values)) == 1 for values in several), len(several))
        rows.append({"criterion": name.replace("_", " "), "n": len(several), "same": same, "alpha": alpha})
    notes = ("95% intervals. Alpha is undefined where all say the same of everything.",)
    return Board("Raters among themselves", COLUMNS, tuple(rows), notes)
