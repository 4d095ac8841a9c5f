"""People: what those who labelled a run's conversations settled on."""

from collections.abc import Mapping, Sequence
from math import fsum

from interplay.core.measures import Measure
from interplay.judging.labels import Label, settled
from interplay.store.labels import Labels
from interplay.store.records import Run

People = Mapping[tuple[int, str], float]  # what people settled on, by conversation and measure


def people_of(labels: Labels, run: Run, measures: Sequence[Measure]) -> People:
    """What people settled on, by conversation and measure; of a mean, where they said all that it is made of."""
    given = labels.of(run)
    found: dict[tuple[int, str], float] = {}
    for measure in measures:
        said = [
            Label("", 0, one.rater, one.criterion, one.value, conversation=one.conversation)
            for one in given
            if one.criterion in measure.names
        ]
        graded = () if measure.scale.is_yes_or_no else measure.names
        parts: dict[int, list[float]] = {}
        for (item, _), value in settled(said, graded).values.items():
            parts.setdefault(item[0], []).append(value)
        for number, values in parts.items():
            if len(values) == len(measure.names):
                found[number, measure.name] = fsum(values) / len(values)
    return found
