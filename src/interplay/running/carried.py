"""How works, requests, replies and what the record holds of a conversation travel between processes of a run."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from operator import attrgetter
from typing import Any

from interplay.core.benchmark import Benchmark, Scenario, Verdict
from interplay.core.conversation import Line
from interplay.core.forms import build
from interplay.core.wire import Message, Reply, Step, Thread
from interplay.running.plan import Work
from interplay.store.journal import Place, Question, Recall, Recorded

_reply = attrgetter(*(part.name for part in fields(Reply)))
as_text = json.dumps  # of JSON values, whose numbers may be larger than a message takes
Packed = Any  # what a channel takes: texts, bytes, numbers, lists and maps of them


def pack_reply(reply: Reply) -> Packed:
    return _reply(reply)


def unpack_reply(packed: Packed) -> Reply:
    return Reply(*packed)


def pack_step(step: Step) -> Packed:
    return step.stage, step.item, step.participant, step.number


def unpack_step(packed: Packed) -> Step:
    return Step(*packed)


def pack_lines(lines: Iterable[Line]) -> Packed:
    return [(line.source, line.heard_by, line.text) for line in lines]


def unpack_lines(packed: Packed) -> list[Line]:
    return [Line(source, tuple(heard_by), text) for source, heard_by, text in packed]


def pack_verdict(verdict: Verdict) -> Packed:
    data = None if verdict.data is None else as_text(verdict.data)
    return verdict.judge, verdict.rubric, data, verdict.failure, verdict.detail


def unpack_verdict(packed: Packed) -> Verdict:
    judge, rubric, data, failure, detail = packed
    return Verdict(judge, rubric, None if data is None else json.loads(data), failure, detail)


def _outcome(outcome: Any) -> str | None:
    return None if outcome is None else as_text(asdict(outcome))


def pack_work(work: Work, *, with_scenario: bool) -> dict[str, Packed]:
    """A work; a scenario that the other end has seen goes by its id."""
    scenario = work.place.scenario
    shown = work.outcome
    return {
        "scenario": scenario.id,
        "content": (as_text(scenario.content), scenario.label) if with_scenario else None,
        "subject": work.place.subject,
        "cast": dict(work.place.cast),
        "repeat": work.place.repeat,
        "play": work.play,
        "judges": work.judges,
        "conversation": work.conversation,
        "outcome": [_outcome(one) for one in shown] if isinstance(shown, tuple) else _outcome(shown),
        "verdicts": [pack_verdict(one) for one in work.verdicts],
        "anew": work.anew,
        "item": work.item,
    }


def unpack_work(packed: Mapping[str, Packed], benchmark: Benchmark, scenario: Scenario) -> Work:
    place = Place(scenario, packed["subject"], packed["cast"], packed["repeat"])
    shown = packed["outcome"]
    if isinstance(shown, list):
        outcome: Any = tuple(build(benchmark.outcome, json.loads(one)) for one in shown)
    else:
        outcome = None if shown is None else build(benchmark.outcome, json.loads(shown))
    return Work(
        place=place,
        play=packed["play"],
        judges=tuple(packed["judges"]),
        conversation=packed["conversation"],
        outcome=outcome,
        verdicts=tuple(unpack_verdict(one) for one in packed["verdicts"]),
        anew=packed["anew"],
        item=packed["item"],
    )


def pack_recall(recall: Recall) -> Packed:
    """What the record holds of a stage; what was answered goes without its raw bytes, which nobody reads there."""
    return (
        recall.conversation,
        [
            (pack_step(step), (one.digest, one.settings, one.thread), pack_reply(one.reply))
            for step, one in recall.finished.items()
        ],
        [(pack_step(step), (one.digest, one.settings, one.thread)) for step, one in recall.waiting.items()],
        [(pack_step(step), count) for step, count in recall.attempts.items()],
        [(pack_step(step), as_text(value)) for step, value in recall.facts.items()],
    )


def _recorded(asked: Packed, reply: Packed) -> Recorded:
    digest, settings, thread = asked
    return Recorded(digest, settings, thread, unpack_reply(reply))


def unpack_recall(packed: Packed) -> Recall:
    conversation, finished, waiting, attempts, facts = packed
    return Recall(
        conversation,
        {unpack_step(step): _recorded(asked, reply) for step, asked, reply in finished},
        {unpack_step(step): Question(*asked) for step, asked in waiting},
        {unpack_step(step): count for step, count in attempts},
        {unpack_step(step): json.loads(value) for step, value in facts},
    )


def tail_of(thread: Thread, known: set[bytes]) -> tuple[bytes, list[tuple[str, str]]]:
    """What the other end lacks of a thread: the digest of the last part that it knows, and the messages after it."""
    lacking: list[tuple[str, str]] = []
    here: Thread | None = thread
    while here is not None and here.digest not in known:
        lacking.append((here.message.role, here.message.text))
        here = here.parent
    return here.digest if here else b"", lacking[::-1]


def grown(thread: Thread | None, lacking: Iterable[tuple[Any, str]]) -> Thread:
    """A thread with these messages after it."""
    for role, text in lacking:
        thread = thread.then(role, text) if thread else Thread.start(Message(role, text))
    if thread is None:
        raise RuntimeError("a request has at least one message")
    return thread
