"""Verdicts side by side: what every judge said of a turn or of the whole, and where judges are far apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from interplay.core.benchmark import Verdict
from interplay.core.measures import YES_OR_NO, Scale
from interplay.reporting.pages.laid_out import in_words, plain
from interplay.reporting.pages.tables import SHADES

EXPLANATION, SCORE = "_explanation", "_score"
EXPLANATIONS = ("explanation", "feedback")  # of the one answer of a verdict that has one
FAR_APART = 0.4  # of the scale between the highest and the lowest judge
TURNS = "turns"


@dataclass(frozen=True)
class Said:
    """What one judge said of one thing."""

    text: str
    explanation: str = ""
    shade: int | None = None  # how high on its scale, from 0 to SHADES


@dataclass(frozen=True)
class Asked:
    """One thing that judges were asked, with what each of them said; None where one said nothing of it."""

    name: str
    meaning: str
    said: tuple[Said | None, ...]
    apart: str = ""  # how far judges are apart, where that is far


@dataclass(frozen=True)
class Column:
    """One judge: its name, why it gave no verdict, and its calls."""

    judge: str
    failure: str = ""
    calls: tuple[int, ...] = ()
    short: str = ""  # its name where there is little room, unlike those beside it


@dataclass(frozen=True)
class Panel:
    """What judges said, a column for each."""

    columns: tuple[Column, ...]
    rows: tuple[Asked, ...]
    rest: tuple[tuple[str, Mapping[str, Any]], ...] = ()  # what is no single answer, by judge

    @property
    def is_apart(self) -> bool:
        return any(row.apart for row in self.rows)

    @property
    def explained(self) -> bool:
        return any(one and one.explanation for row in self.rows for one in row.said)


@dataclass(frozen=True)
class Known:
    """What is known of the things that judges are asked: their scales and meanings, by name."""

    scales: Mapping[str, Scale] = field(default_factory=dict)
    meanings: Mapping[str, str] = field(default_factory=dict)


def answers_in(data: Mapping[str, Any]) -> tuple[dict[str, tuple[Any, str]], dict[str, Any]]:
    """The single answers of a verdict, each with its explanation; and what else it holds."""
    answers: dict[str, tuple[Any, str]] = {}
    rest: dict[str, Any] = {}
    spare = next((str(data[name]) for name in EXPLANATIONS if isinstance(data.get(name), str)), "")
    for name, value in data.items():
        if name in EXPLANATIONS and isinstance(value, str):
            continue
        if name.endswith(EXPLANATION) and _of(name, EXPLANATION, data):
            continue
        if isinstance(value, Mapping | list | tuple):
            rest[name] = value
            continue
        plain_name = name.removesuffix(SCORE)
        explanation = data.get(plain_name + EXPLANATION, "")
        if not explanation and spare:
            explanation, spare = spare, ""
        answers[plain_name] = (value, str(explanation))
    if spare and not answers:
        answers["explanation"] = ("", spare)
    return answers, rest


def _of(name: str, ending: str, data: Mapping[str, Any]) -> bool:
    """Is there an answer that this explains?"""
    about = name.removesuffix(ending)
    return about in data or about + SCORE in data


def panel_of(
    given: Sequence[tuple[Column, Mapping[str, Any] | None]],
    known: Known,
    shown_elsewhere: Sequence[str] = (),
) -> Panel:
    """What these judges said, side by side."""
    read = [answers_in(data or {}) for _, data in given]
    names = list(dict.fromkeys(name for answers, _ in read for name in answers))
    rows = tuple(_asked(name, [answers.get(name) for answers, _ in read], known) for name in names)
    rest = tuple(
        (column.judge, left)
        for (column, _), (_, others) in zip(given, read, strict=True)
        if (left := {name: value for name, value in others.items() if name not in shown_elsewhere})
    )
    return Panel(_shortened([column for column, _ in given]), rows, rest)


def _shortened(columns: Sequence[Column]) -> tuple[Column, ...]:
    """The columns with names without the provider's, where these still tell them apart."""
    short = [column.judge.rpartition("/")[2] or column.judge for column in columns]
    if len(set(short)) < len(short):
        short = [column.judge for column in columns]
    return tuple(replace(column, short=name) for column, name in zip(columns, short, strict=True))


def _asked(name: str, answers: Sequence[tuple[Any, str] | None], known: Known) -> Asked:
    values = [answer[0] for answer in answers if answer is not None]
    are_yes_or_no = bool(values) and all(isinstance(value, bool) for value in values)
    scale = YES_OR_NO if are_yes_or_no else known.scales.get(name)
    said = tuple(
        None if one is None else Said(_written(one[0], scale), one[1], shade(one[0], scale))
        for one in answers
    )
    return Asked(in_words(name), known.meanings.get(name, ""), said, apart(values, scale))


def _written(value: Any, scale: Scale | None) -> str:
    if scale is not None and scale.is_yes_or_no and value in (0, 1):
        return "yes" if value else "no"
    return plain(value)


def shade(value: Any, scale: Scale | None) -> int | None:
    """How high a value stands on its scale; None where it has none, or is only yes or no."""
    if scale is None or scale.is_yes_or_no or not isinstance(value, int | float) or isinstance(value, bool):
        return None
    share = (value - scale.low) / ((scale.high - scale.low) or 1.0)
    return round(SHADES * min(1.0, max(0.0, share)))


def apart(values: Sequence[Any], scale: Scale | None) -> str:
    """How far these are apart, in words; empty where they are near each other, or nobody can say."""
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(numbers) < 2 or scale is None:
        return ""
    distance = max(numbers) - min(numbers)
    if scale.is_yes_or_no:
        return "split" if distance else ""
    return f"{distance:.3g} apart" if distance >= FAR_APART * (scale.high - scale.low) else ""


def turn_entries(data: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """What a verdict says of turn after turn; nothing where it is on the whole."""
    found = (data or {}).get(TURNS)
    return list(found) if isinstance(found, list) and all(isinstance(one, Mapping) for one in found) else []


def by_turn(given: Sequence[tuple[Column, Mapping[str, Any] | None]], known: Known) -> list[Panel]:
    """What judges said of the first judged turn, the second, and so on."""
    entries = [turn_entries(data) for _, data in given]
    return [
        panel_of(
            [
                (column, mine[place] if place < len(mine) else None)
                for (column, _), mine in zip(given, entries, strict=True)
            ],
            known,
        )
        for place in range(max(map(len, entries), default=0))
    ]


def score_table(
    scores: Sequence[tuple[str, str, float]], judges: Sequence[str], known: Known
) -> tuple[Panel, list[tuple[str, float, str]]]:
    """Scores of judges side by side; and those made by rule or by others, each with its source."""
    names = list(dict.fromkeys(name for name, source, _ in scores if source in judges))
    values = {(name, source): value for name, source, value in scores}
    rows = tuple(
        _asked(
            name, [None if (name, one) not in values else (values[name, one], "") for one in judges], known
        )
        for name in names
    )
    others = [(in_words(name), value, source) for name, source, value in scores if source not in judges]
    return Panel(_shortened([Column(judge) for judge in judges]), rows), others


def failure_of(verdict: Verdict) -> str:
    """Why there is no verdict."""
    return f"{verdict.failure}: {verdict.detail}" if verdict.detail else verdict.failure
