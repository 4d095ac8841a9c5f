"""The page of one call: what was asked of a model, and what it answered, to the byte."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from interplay.core.people import is_person
from interplay.reporting.pages.texts import Words
from interplay.store.browsing import ListedCall, WholeCall
from interplay.store.records import Run

ROLES = {"system": "brief", "user": "asked", "assistant": "said before"}
MOST_OF_A_TEXT = 400_000  # characters of one text; programs get all of it
STATES = {"done": "answered", "failed": "failed", "sent": "sent, answer unknown"}


def call(run: Run, label: str, found: WholeCall, others: Sequence[ListedCall]) -> dict[str, Any]:
    """What the page of a call shows; others are all calls of its conversation in order."""
    listed = found.listed
    numbers = [one.number for one in others]
    place = numbers.index(listed.number)
    words = Words()
    words.most = MOST_OF_A_TEXT
    return {
        "title": f"Call {listed.number}",
        "here": "home",
        "run": run,
        "label": label,
        "call": found,
        "one": listed,
        "stage": stage_in_words(listed.stage),
        "state": "not answered yet" if _waits(listed) else STATES[listed.state],
        "sent": listed.sent[:19].replace("T", " "),
        "messages": [(ROLES[one.role], one.role, one.text) for one in found.messages],
        "sampling": sorted(dict(found.settings.get("sampling") or {}).items()),
        "schema": pretty(found.settings.get("schema")),
        "words": words,
        "raw": found.raw,
        "raw_left_out": max(0, found.raw_size - len(found.raw.encode("utf-8", "replace"))),
        "place": place + 1,
        "of": len(numbers),
        "previous": numbers[place - 1] if place else None,
        "next": numbers[place + 1] if place + 1 < len(numbers) else None,
    }


def _waits(listed: ListedCall) -> bool:
    return listed.state == "sent" and is_person(listed.model)


def stage_in_words(stage: str) -> str:
    """What a call was for."""
    verb, _, rest = stage.partition(" ")
    rubric = rest.rpartition(" ")[0]
    if verb == "judge":
        return f"judging by the rubric {rubric}"
    return f"comparing two models by {rubric}" if verb == "pair" else "playing" if verb == "play" else stage


def pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) if value is not None else ""


def record(run: Run, found: WholeCall) -> dict[str, Any]:
    """The same for programs."""
    listed = found.listed
    settings: Mapping[str, Any] = found.settings
    return {
        "number": listed.number,
        "run": run.id,
        "conversation": listed.conversation,
        "stage": listed.stage,
        "item": listed.item,
        "participant": listed.participant,
        "step": listed.step,
        "attempt": listed.attempt,
        "model": listed.model,
        "version": found.version,
        "state": listed.state,
        "cause": listed.cause,
        "detail": listed.detail,
        "sent": listed.sent,
        "latency": listed.latency,
        "tokens_in": listed.tokens_in,
        "tokens_out": listed.tokens_out,
        "tokens_estimated": found.tokens_estimated,
        "cost": listed.cost,
        "stop": found.stop,
        "messages": [{"role": one.role, "text": one.text} for one in found.messages],
        "settings": dict(settings),
        "text": found.text,
        "reasoning": found.reasoning,
        "raw": found.raw,
        "raw_size": found.raw_size,
    }
