"""What a run would take: its calls counted, its tokens measured by playing a few scenarios without any model."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from interplay.core.benchmark import RULE, Span
from interplay.core.conversation import Casting, Conversation
from interplay.core.failures import Failure
from interplay.core.people import is_person
from interplay.core.wire import Reply, Request, Step
from interplay.models.prices import Price
from interplay.running.counting import Done, calls_left
from interplay.running.engine import Engine
from interplay.running.import_note import is_imported
from interplay.running.pairing import SPREAD
from interplay.running.plan import Work
from interplay.running.table import stage_of
from interplay.statistics.power import detectable_difference
from interplay.store.records import Records

SAMPLE = 12  # scenarios that are rehearsed
BYTES_PER_TOKEN = 4
TOKENS_AROUND_A_MESSAGE = 8
LIKELY_REPLY = 240  # characters
LIKELY_TEXT = 120  # characters of a text in a form
LONGEST_REHEARSED = 40_000
WORDS = "The train was late, so we walked along the river and talked about the garden. "


@dataclass(frozen=True)
class Share:
    """What one model would do in one role."""

    role: str
    model: str
    calls: Span
    tokens: Span  # likely, and at most: every reply as long as it may be
    cost: tuple[float, float] | None  # likely and at most, in dollars; None where the price is unknown


@dataclass(frozen=True)
class Forecast:
    """What is left to do of a run, and what the whole of it can show."""

    conversations: int
    verdicts: int
    shares: tuple[Share, ...]
    scenarios: int  # of the whole run, repeats counted
    difference: float

    @property
    def calls(self) -> Span:
        return sum(one.calls[0] for one in self.shares), sum(one.calls[1] for one in self.shares)

    @property
    def tokens(self) -> Span:
        return sum(one.tokens[0] for one in self.shares), sum(one.tokens[1] for one in self.shares)

    @property
    def cost(self) -> tuple[float, float] | None:
        """Likely and at most; None where a price is unknown."""
        known = [one.cost for one in self.shares if one.cost is not None]
        if len(known) < len(self.shares):
            return None
        return sum(cost[0] for cost in known), sum(cost[1] for cost in known)


async def forecast(engine: Engine) -> Forecast:
    """What this start would take; sends and writes nothing."""
    scenarios = await asyncio.to_thread(engine.scenarios)
    plan = await asyncio.to_thread(engine.look_ahead, scenarios)
    for name in sorted(plan.models):
        engine.how.directory.check(name)
    calls = _calls_of(engine, plan.works, await _remembering(engine, plan.works))
    likely, most = await _measure(engine, plan.works)
    shares = [
        _share(engine, role, model, span, likely, most) for (role, model), span in sorted(calls.items())
    ]
    limit = min(engine.spec.limit or len(scenarios), len(scenarios))
    n = limit * engine.spec.epochs
    if engine.again and is_imported(engine.again.run):  # some scenarios may be there more often
        n = len({(work.place.scenario.id, work.place.repeat) for work in plan.works}) or limit
    spread = SPREAD if engine.between else engine.benchmark.spread(engine.judging_options)
    difference = detectable_difference(spread, n)
    return Forecast(plan.to_play, plan.to_judge, tuple(shares), n, difference)


async def _remembering(engine: Engine, works: Sequence[Work]) -> set[str]:
    """The models of half-finished conversations that cannot be rejoined in the middle."""
    found = set()
    half = [work for work in works if work.play and work.conversation and not work.anew]
    cast = {name for work in half for name in work.place.cast.values() if not name.startswith(RULE)}
    for name in sorted(cast):
        model = engine.how.directory.connect(name)
        if model.remembers:
            found.add(name)
        await model.close()
    return found


def _calls_of(engine: Engine, works: Sequence[Work], remembering: set[str]) -> dict[tuple[str, str], Span]:
    """The least and most calls by role and model; what the record has of a conversation is taken off."""
    done = _done_before(engine) if any(work.conversation for work in works) else {}
    found: dict[tuple[str, str], Span] = {}
    for work in works:
        left = calls_left(engine.benchmark, engine.options, engine.judging, work, done, remembering)
        for role, model, (least, most) in left:
            before = found.get((role, model), (0, 0))
            found[role, model] = (before[0] + least, before[1] + most)
    return found


def _done_before(engine: Engine) -> Done:
    with Records(engine.how.store) as records:
        run = engine.recorded_in(records)
        return records.finished_calls(run, stage_of(engine.judging)) if run else {}


@dataclass
class _Use:
    """Calls and tokens of one role in the rehearsal."""

    calls: int = 0
    read: int = 0
    written: int = 0

    def tokens(self, calls: int) -> tuple[int, int]:
        """What so many calls would read and write."""
        if not self.calls:
            return 0, 0
        return round(calls * self.read / self.calls), round(calls * self.written / self.calls)


Uses = Mapping[str, _Use]


def _share(engine: Engine, role: str, model: str, calls: Span, likely: Uses, most: Uses) -> Share:
    if is_person(model):
        return Share(role, model, calls, (0, 0), (0.0, 0.0))
    price: Price | None = engine.how.directory.price_of(model)
    probable = likely.get(role, _Use()).tokens(calls[1])
    longest = most.get(role, _Use()).tokens(calls[1])
    cost = (price.of(*probable), price.of(*longest)) if price else None
    return Share(role, model, calls, (sum(probable), sum(longest)), cost)


async def _measure(engine: Engine, works: Sequence[Work]) -> tuple[Uses, Uses]:
    """Rehearse some of the works, once with replies of a likely length and once with the longest."""
    chosen = works[:: max(1, len(works) // SAMPLE)][:SAMPLE]
    likely, most = _Rehearsal(longest=False), _Rehearsal(longest=True)
    for rehearsal in (likely, most):
        for work in chosen:
            await _rehearse(engine, work, rehearsal)
    return likely.uses, most.uses


async def _rehearse(engine: Engine, work: Work, rehearsal: "_Rehearsal") -> None:
    """Play and judge one work by rote; every role is cast under its own name."""
    cast = {
        role: Casting(
            casting.model if casting.model.startswith(RULE) else role, casting.sampling, casting.kind
        )
        for role, casting in engine.spec.castings(engine.benchmark, work.place.cast).items()
    }
    content = work.place.scenario.content
    try:
        outcome = work.outcome
        if work.play:
            talk = Conversation(cast, rehearsal, scenario=content, secret=b"rehearsal")
            outcome = await engine.benchmark.play(talk, engine.options)
        for judge in work.judges[:1]:
            casting = engine.spec.judge_casting(engine.benchmark, judge, engine.judging_options)
            seats = {"judge": Casting("judge", casting.sampling, "judge")}
            talk = Conversation(seats, rehearsal, scenario=content, stage="judge", secret=b"rehearsal")
            await engine.judging(talk, outcome)
    except Failure:
        return  # what was said until then was measured


@dataclass
class _Rehearsal:
    """A desk that answers everything by rote and measures it."""

    longest: bool
    uses: dict[str, _Use] = field(default_factory=dict)

    async def reply(self, step: Step, request: Request) -> Reply:
        allowed = request.sampling.max_tokens or LONGEST_REHEARSED // BYTES_PER_TOKEN
        # nobody says the same twice, nor what another said, which would be a loop
        start = f"{step.participant} {step.number + 1}. "
        text = _text(
            min(allowed * BYTES_PER_TOKEN, LONGEST_REHEARSED) if self.longest else LIKELY_REPLY, start
        )
        if request.schema is not None:
            text = json.dumps(_filled(request.schema, self.longest, start))
        use = self.uses.setdefault(request.model, _Use())
        use.calls += 1
        schema = len(request.settings) if request.schema else 0
        use.read += (request.thread.size + schema) // BYTES_PER_TOKEN
        use.read += TOKENS_AROUND_A_MESSAGE * request.thread.length
        use.written += allowed if self.longest else len(text) // BYTES_PER_TOKEN + 1
        return Reply(text, stop="stop")

    async def once(self, step: Step, make: Callable[[], Any]) -> Any:
        return make()


def _filled(schema: Mapping[str, Any], longest: bool, start: str) -> Any:
    """A value that fits: nothing is refused, nothing is true, numbers are at their lowest."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {name: _filled(inner, longest, start) for name, inner in schema["properties"].items()}
        case "array":
            count = schema.get("maxItems", 4) if longest else max(1, schema.get("minItems", 1))
            return [_filled(schema["items"], longest, start) for _ in range(count)]
        case "boolean":
            return False
        case "integer" | "number":
            return schema.get("minimum", 0)
        case _:
            most = schema.get("maxLength", LIKELY_TEXT * 4)
            return _text(most if longest else min(most, max(LIKELY_TEXT, schema.get("minLength", 0))), start)


def _text(characters: int, start: str) -> str:
    return (start + WORDS * (characters // len(WORDS) + 1))[:characters].strip() or "x"
