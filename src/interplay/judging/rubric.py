"""A rubric: criteria on a scale, flags, and the form in which a judge answers, explanation before score."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import fsum
from typing import Any

from interplay.core.forms import JsonForm, object_schema
from interplay.core.wire import digest_of

MOST_TURNS = 100  # that a verdict can be on
AGREEMENT = {
    1: "strongly disagree",
    2: "disagree",
    3: "neither agree nor disagree",
    4: "agree",
    5: "strongly agree",
}


@dataclass(frozen=True)
class Criterion:
    """Something a judge agrees or disagrees with."""

    name: str
    statement: str


@dataclass(frozen=True)
class Flag:
    """Something that is so or is not."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Rubric:
    """What judges are asked about every turn."""

    name: str
    criteria: tuple[Criterion, ...]
    flags: tuple[Flag, ...]
    scale: tuple[int, int]
    labels: Mapping[int, str]  # the words for steps of the scale, for all of them or some
    explanation: int  # the most characters of an explanation

    @cached_property
    def digest(self) -> str:
        return digest_of(self.as_json())

    def as_json(self) -> dict[str, Any]:
        """The rubric as the record keeps it."""
        return asdict(self) | {"labels": {str(step): words for step, words in sorted(self.labels.items())}}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(criterion.name for criterion in self.criteria)

    def has_flag(self, name: str) -> bool:
        return any(flag.name == name for flag in self.flags)

    def criteria_in_words(self) -> str:
        return "\n".join(f"- {one.name}: {one.statement}" for one in self.criteria)

    def flags_in_words(self) -> str:
        return "\n".join(f"- {flag.name}: {flag.meaning}" for flag in self.flags)

    def scale_in_words(self) -> str:
        """The scale as a judge is shown it: the steps that have words, lowest first."""
        low, high = self.scale
        steps = "\n".join(f"{step}: {words}" for step, words in sorted(self.labels.items()))
        if len(self.labels) == high - low + 1:
            return steps
        return f"a whole number from {low} to {high}" + (f", where\n{steps}" if steps else "")

    def turn_schema(self) -> dict[str, Any]:
        """What is said of one turn: every explanation stands before what it explains."""
        explanation = {"type": "string", "maxLength": self.explanation}
        low, high = self.scale
        parts: dict[str, Any] = {}
        for flag in self.flags:
            parts[f"{flag.name}_explanation"] = explanation
            parts[flag.name] = {"type": "boolean"}
        for criterion in self.criteria:
            parts[f"{criterion.name}_explanation"] = explanation
            parts[f"{criterion.name}_score"] = {"type": "integer", "minimum": low, "maximum": high}
        return object_schema(parts)

    def shown(self) -> list[str]:
        """The fields of what is said of one turn, with no score in it that a judge might lean on."""
        parts = []
        for flag in self.flags:
            parts += [f'"{flag.name}_explanation": "..."', f'"{flag.name}": false']
        for one in self.criteria:
            parts += [f'"{one.name}_explanation": "..."', f'"{one.name}_score": <score>']
        return parts

    def form(self, turns: int) -> JsonForm[dict[str, Any]]:
        """The form of a verdict on so many turns: turn_1, turn_2 ..., so that none can be left out or added."""
        if turns not in self._forms:
            names = [f"turn_{number}" for number in range(1, turns + 1)]
            schema = object_schema({name: self.turn_schema() for name in names})
            self._forms[turns] = JsonForm(
                schema, lambda data: {"turns": [data[name] for name in names]}, exact=True
            )
        return self._forms[turns]

    @cached_property
    def _forms(self) -> dict[int, JsonForm[dict[str, Any]]]:
        return {}

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(self.turn_schema()["properties"]) | {f"turn_{n}" for n in range(1, MOST_TURNS + 1)}

    def words(self) -> frozenset[str]:
        """The names of a verdict's fields, which no candidate's text may pass for."""
        return self._words


def turn_scores(verdict: Mapping[str, Any], criterion: str) -> list[int]:
    """The scores of one criterion, turn by turn."""
    return [entry[f"{criterion}_score"] for entry in verdict["turns"]]


def flagged(verdict: Mapping[str, Any], flag: str) -> bool:
    """Was the flag raised at any turn?"""
    return any(entry[flag] for entry in verdict["turns"])


def panel_mean(by_judge: Sequence[float]) -> float | None:
    """The mean of the judges who gave a score; a judge who is missing does not count as zero."""
    return fsum(by_judge) / len(by_judge) if by_judge else None
