"""A conversation as a sample of Inspect: what its subject saw, what it scored, and everything that happened."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalError, EvalSample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ModelOutput,
)
from inspect_ai.scorer import Score

from interplay.core.benchmark import Scenario, Verdict
from interplay.core.failures import Cancelled, Waiting
from interplay.core.wire import clean
from interplay.interop.inspect_calls import PLAY, Call, Calls
from interplay.interop.inspect_events import events_of, start_of
from interplay.interop.inspect_heard import heard_by, past_of
from interplay.interop.inspect_usage import Usage
from interplay.interop.inspect_values import id_of, plain
from interplay.reporting.writing import readable
from interplay.running.results import Judged
from interplay.store.closeup import CloseUp
from interplay.store.records import ConversationRow

LONGEST_ID = 200  # characters; Inspect names a file after it
_NO_PATH = str.maketrans("/\\", "--")


def sample_of(
    one: Judged, calls: Calls, *, id: str, measured: Sequence[str], rubric: str, waiting: Container[int]
) -> EvalSample:
    """The sample of a conversation; measured are the roles whose models are."""
    row, run = one.row, calls.run
    seen = _view(row, calls, measured)
    scores = _scores(one, rubric)
    error = _error(row, waiting)
    began, ended = start_of(calls), max((call.ended for call in calls.all), default=None)
    usage = Usage()
    usage.add(calls.all)
    first: str | list[ChatMessage] = seen.opening or plain(row.scenario.label)
    return EvalSample(
        id=id,
        epoch=row.repeat + 1,
        input=first,
        target="",
        messages=seen.messages,
        output=seen.output,
        scores=scores or None,
        metadata=_metadata(row),
        store=plain({"outcome": row.outcome, "facts": dict(CloseUp(calls.records, run, row.number).facts())}),
        events=events_of(one, calls, Sample(input=first, target="", id=id), scores, error),
        model_usage=usage.by_model,
        role_usage=usage.by_role,
        started_at=began.isoformat() if calls.all else None,
        completed_at=ended.isoformat() if ended else None,
        total_time=(ended - began).total_seconds() if ended else None,
        uuid=id_of(run.id, run.created, row.number),
        error=error,
    )


def _metadata(row: ConversationRow) -> dict[str, Any]:
    found: dict[str, Any] = plain(
        {
            "conversation": row.number,
            "scenario": row.scenario.id,
            "label": row.scenario.label,
            "content": row.scenario.content,
            "model": row.subject,
            "cast": row.cast,
            "repeat": row.repeat + 1,
            "take": row.take,
            "state": row.state,
            "failure": row.failure,
            "detail": row.detail,
            "protocol": row.protocol,
        }
    )
    return found


@dataclass(frozen=True)
class _View:
    """A seat's own view of a conversation, what it was given before it first spoke, and the last it said."""

    opening: list[ChatMessage]  # its brief, its past, what it was told
    messages: list[ChatMessage]
    output: ModelOutput


def _view(row: ConversationRow, calls: Calls, measured: Sequence[str]) -> _View:
    """What the first measured seat saw; where it thinks in several steps, what was said to it and by it."""
    mine = [call for call in calls.all if call.stage == PLAY and call.role in measured]
    seated = {call.seat for call in mine}
    seat = next((role for role in measured if role in seated), "")
    own = [call for call in mine if call.seat == seat] if seat else mine
    output = next((calls.output(call) for call in reversed(own) if call.text is not None), None)
    if seat:
        first, last = min(own, key=_turn), max(own, key=_turn)
        said = [choice.message for choice in calls.output(last).choices]
        return _View(calls.asked(first), [*calls.asked(last), *said], output or ModelOutput())
    role = next((call.role for call in mine), measured[0])  # what was played elsewhere has lines and no calls
    past, heard = past_of(row, calls.run), list(heard_by(role, row, calls.run))
    told = list(takewhile(lambda one: one.role != "assistant", heard))
    return _View([*past, *told], [*past, *heard], output or _last(heard, row.subject))


def _turn(call: Call) -> tuple[int, int]:
    return call.step, call.attempt


def _last(messages: Sequence[ChatMessage], model: str) -> ModelOutput:
    """The last that was said, as an output."""
    said = [one for one in messages if isinstance(one, ChatMessageAssistant)]
    return ModelOutput(model=plain(model), choices=[ChatCompletionChoice(message=one) for one in said[-1:]])


def _scores(one: Judged, rubric: str) -> dict[str, Score]:
    """The scores by what made them, a judge or a rule; each has a number for every name, as Inspect's scorers may."""
    verdicts = {
        verdict.judge: verdict for item, verdict in one.verdicts if not item and verdict.rubric == rubric
    }
    made: dict[str, dict[str, Any]] = {}
    models: dict[str, dict[str, str]] = {}
    for score in one.scores:
        value = plain(score.value)
        if value is not None:
            source, name = plain(score.source), plain(score.name)
            made.setdefault(source, {})[name] = value
            models.setdefault(source, {})[name] = plain(score.model or one.row.subject)
    return {
        source: Score(
            value=values,
            explanation=_explanation(verdicts.get(source)),
            metadata={"models": models[source], **({"rubric": rubric} if source in verdicts else {})},
        )
        for source, values in made.items()
    }


def _explanation(verdict: Verdict | None) -> str | None:
    """All that a verdict gives as an explanation, each under what it is of."""
    return "\n".join(_explained(plain(verdict.data))) or None if verdict and verdict.data else None


def _explained(data: Any, *above: str) -> Iterator[str]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            if isinstance(value, str) and key.endswith("explanation"):
                where = " ".join(
                    word for word in (*above, key.removesuffix("explanation").strip("_")) if word
                )
                yield f"{where}: {value}" if where else value
            else:
                yield from _explained(value, *above, key)
    elif isinstance(data, list):
        for place, value in enumerate(data, 1):
            yield from _explained(value, *above, str(place))


def _error(row: ConversationRow, waiting: Container[int]) -> EvalError | None:
    """Why a conversation came to nothing, so that it is shown as an error and never as a zero."""
    if row.state == "done":
        return None
    unfinished = Waiting.name if row.number in waiting else Cancelled.name
    told = clean(": ".join(part for part in (row.failure or unfinished, row.detail) if part))
    return EvalError(message=told, traceback=told, traceback_ansi=readable(told))


def ids_of(rows: Sequence[tuple[int, str, int, Scenario]]) -> dict[int, str]:
    """The id of each conversation's sample: its scenario's label, with what is needed to tell it from others.

    Rows are number, subject, repeat and scenario; a scenario has the same id for every model.
    """
    labels = {scenario.id: _short(scenario.label) for _, _, _, scenario in rows}
    shared = Counter(labels.values())
    named = {
        id: label if label and shared[label] == 1 else f"{label} {id[:16]}" for id, label in labels.items()
    }
    places = Counter((subject, repeat, scenario.id) for _, subject, repeat, scenario in rows)
    return {
        number: named[scenario.id] + (f" #{number}" if places[subject, repeat, scenario.id] > 1 else "")
        for number, subject, repeat, scenario in rows
    }


def _short(label: str) -> str:
    """A label that can name a file in the log: one line without what divides the parts of a path."""
    return " ".join(readable(clean(label)).translate(_NO_PATH).split())[:LONGEST_ID]
