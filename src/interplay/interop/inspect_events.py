"""A conversation as Inspect's events, in spans: its play, then each judge's calls, verdict and scores."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from itertools import groupby
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.event import (
    ErrorEvent,
    Event,
    InfoEvent,
    SampleInitEvent,
    ScoreEvent,
    SpanBeginEvent,
    SpanEndEvent,
)
from inspect_ai.log import EvalError
from inspect_ai.scorer import Score

from interplay.core.benchmark import Verdict
from interplay.interop.inspect_calls import PLAY, Call, Calls
from interplay.interop.inspect_values import id_of, moment, plain
from interplay.running.results import Judged

INIT, SOLVERS, SCORERS = "init", "solvers", "scorers"  # the parts of a sample, as Inspect names them


def events_of(
    one: Judged, calls: Calls, sample: Sample, scores: Mapping[str, Score], error: EvalError | None
) -> list[Event]:
    """Everything that happened, in order; what has no time of its own has that of what came before it."""
    return _Telling(one, calls, sample, scores, error).events


class _Telling:
    """The events so far, and the moment up to which they tell."""

    def __init__(
        self, one: Judged, calls: Calls, sample: Sample, scores: Mapping[str, Score], error: EvalError | None
    ):
        self.one, self.calls = one, calls
        self.events: list[Event] = []
        self._scores = dict(scores)
        self._start = self._now = start_of(calls)
        self._spans: list[str] = []
        with self._span(INIT, INIT):
            self.events.append(SampleInitEvent(sample=sample, **self._place("sample")))
        self._play(error)
        self._judging()

    def _play(self, error: EvalError | None) -> None:
        with self._span(SOLVERS, SOLVERS), self._span(PLAY, "solver"):
            self._tell([call for call in self.calls.all if call.stage == PLAY])
            if self.one.row.lines:
                said = [plain(asdict(line)) for line in self.one.row.lines]
                self.events.append(InfoEvent(source="transcript", data=said, **self._place("transcript")))
            if error is not None:
                self.events.append(ErrorEvent(error=error, **self._place("error")))

    def _judging(self) -> None:
        verdicts = list(self.one.verdicts)
        judged = sorted((call for call in self.calls.all if call.stage != PLAY), key=_judgement)
        if not verdicts and not judged and not self._scores:
            return
        with self._span(SCORERS, SCORERS):
            for (stage, item, judge), calls in groupby(judged, key=_judgement):
                given = [one for one in verdicts if _is_of(one, stage, item, judge)]
                verdicts = [one for one in verdicts if one not in given]
                self._judge(stage, item, judge, list(calls), given)
            for item, verdict in verdicts:  # without a call: the budget was spent, or nothing was to be asked
                self._judge("", item, verdict.judge, [], [(item, verdict)])
            for source, score in self._scores.items():
                with self._span(source, "scorer"):
                    self._score(source, score)

    def _judge(
        self, stage: str, item: str, judge: str, calls: list[Call], given: Sequence[tuple[str, Verdict]]
    ) -> None:
        name = " ".join(word for word in (judge, stage, item) if word)
        with self._span(name, "scorer"):
            self._tell(calls)
            for about, verdict in given:
                data = plain({"item": about, **asdict(verdict)})
                place = self._place("verdict", judge, verdict.rubric, about)
                self.events.append(InfoEvent(source=f"verdict of {judge}", data=data, **place))
            if given and not item and judge in self._scores and _counts(self._scores[judge], given):
                self._score(judge, self._scores.pop(judge))

    def _score(self, source: str, score: Score) -> None:
        self.events.append(ScoreEvent(score=score, scorer=source, **self._place("score", source)))

    def _tell(self, calls: Sequence[Call]) -> None:
        for call in calls:
            self.events.append(self.calls.event(call, self._spans[-1], self._start))
            self._now = max(self._now, call.ended)

    @contextmanager
    def _span(self, name: str, kind: str) -> Iterator[None]:
        name = plain(name)
        id, parent = self._id("span", *self._spans, name), self._spans[-1] if self._spans else None
        self._spans.append(id)
        self.events.append(
            SpanBeginEvent(id=id, parent_id=parent, type=kind, name=name, **self._place("begin", id))
        )
        yield
        self.events.append(SpanEndEvent(id=id, **self._place("end", id)))
        self._spans.pop()

    def _place(self, *address: str) -> dict[str, Any]:
        """Where an event stands: its id, its span, its time."""
        return {
            "uuid": self._id(*address),
            "span_id": self._spans[-1] if self._spans else None,
            "timestamp": self._now,
            "working_start": (self._now - self._start).total_seconds(),
        }

    def _id(self, *address: str) -> str:
        run = self.calls.run
        return id_of(run.id, run.created, self.calls.conversation, *address)


def start_of(calls: Calls) -> datetime:
    """When the first call was sent; before any, when the run was begun."""
    return min((call.began for call in calls.all), default=moment(calls.run.created))


def _judgement(call: Call) -> tuple[str, str, str]:
    """A judge's calls about one thing belong together, though several judges are asked at once."""
    return call.stage, call.item, call.seat


def _is_of(given: tuple[str, Verdict], stage: str, item: str, judge: str) -> bool:
    """Did these calls come to this verdict? The stage ends in the first digits of the rubric's digest."""
    about, verdict = given
    return about == item and verdict.judge == judge and verdict.rubric[:12] == stage.rpartition(" ")[2]


def _counts(score: Score, given: Sequence[tuple[str, Verdict]]) -> bool:
    """Is the score made of this verdict, and not of the same judge's by another rubric?"""
    rubric = (score.metadata or {}).get("rubric")
    return any(verdict.rubric == rubric for _, verdict in given)
