"""Measures: what a benchmark's scores are called and on which scale they are, for judges, rules and people alike."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal, Protocol

from interplay.core.failures import Mistake, nearest

_DECIMAL = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,20})?")
_YES_OR_NO = {"yes": 1.0, "true": 1.0, "1": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}


@dataclass(frozen=True)
class Scale:
    """The values that a criterion may have; 0 and 1 alone, in whole steps, are no and yes."""

    low: float
    high: float
    whole: bool = True

    @property
    def is_yes_or_no(self) -> bool:
        return self.whole and (self.low, self.high) == (0, 1)

    @property
    def levels(self) -> tuple[float, ...]:
        return tuple(map(float, range(int(self.low), int(self.high) + 1))) if self.whole else ()

    def __str__(self) -> str:
        if self.is_yes_or_no:
            return "yes or no"
        return f"a {'whole ' if self.whole else ''}number from {self.low:g} to {self.high:g}"

    def read(self, text: str) -> float | None:
        """The value that somebody wrote, or None where the scale has no such value."""
        if self.is_yes_or_no:
            return _YES_OR_NO.get(text.lower())
        found = float(text) if _DECIMAL.fullmatch(text) else float("nan")
        return found if self.low <= found <= self.high and (found.is_integer() or not self.whole) else None


YES_OR_NO = Scale(0, 1)
BY_RULE = "rule"  # the source of what no judge said


@dataclass(frozen=True)
class Measure:
    """Something that every conversation is measured by: scores of one name, or the mean of several.

    What judges measure is there once for each of them, under the judge's name, and people can say it too; the panel's
    value is the mean of the judges'. A conversation in which a model has several seats counts with their mean.
    """

    name: str
    meaning: str
    scale: Scale
    by: Literal["judges", "rule"] = "judges"
    of: tuple[str, ...] = ()  # the names of the scores that it is the mean of, where its own is not one
    less_is_better: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return self.of or (self.name,)

    def value(self, scores: Sequence["Named"]) -> float | None:
        """What these scores, all of one source and one model, come to; None where one of the names lacks."""
        means = []
        for name in self.names:
            values = [score.value for score in scores if score.name == name]
            if not values:
                return None
            means.append(fsum(values) / len(values))
        return fsum(means) / len(means)

    def by_source(self, scores: Sequence["Named"]) -> dict[str, float]:
        """What one model's scores come to judge by judge, in the order of names; by rule, under one name."""
        if self.by == "rule":
            found = self.value(scores)
            return {} if found is None else {BY_RULE: found}
        judges = sorted({score.source for score in scores if score.name in self.names})
        values = {judge: self.value([one for one in scores if one.source == judge]) for judge in judges}
        return {judge: value for judge, value in values.items() if value is not None}


class Named(Protocol):
    """A number with a name and a source, as a score is."""

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> str: ...

    @property
    def value(self) -> float: ...


def measure_called(name: str, measures: Sequence[Measure], benchmark: str) -> Measure:
    """The measure of this name; the benchmark's first, which models are compared by, where nobody says."""
    if not measures:
        raise Mistake(f"{benchmark} has no score of single conversations that could be analysed")
    if not name:
        return measures[0]
    known = {measure.name: measure for measure in measures}
    if name not in known:
        raise Mistake(f"{benchmark} has no measure {name!r}; {nearest(name, known)}")
    return known[name]


def criteria_of(measures: Sequence[Measure]) -> dict[str, Scale]:
    """What people can say of a conversation, and on which scale: the single criteria that judges go by."""
    return {one.name: one.scale for one in measures if one.by == "judges" and not one.of}
