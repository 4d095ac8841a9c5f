"""What a benchmark does as a task of Inspect's: a solver that plays its conversations, a scorer that judges them."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict
from secrets import token_bytes
from typing import Any

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect, span

from interplay.benchmarks import find_playable
from interplay.core.benchmark import Judging, Scenario, Verdict
from interplay.core.conversation import Casting, Conversation
from interplay.core.failures import Cancelled, Failure
from interplay.core.forms import build
from interplay.core.wire import canonical
from interplay.interop.inspect_seats import FollowedTalk, InspectDesk, as_chat
from interplay.interop.inspect_task_board import KEPT_AS, scenario_of, score_of
from interplay.interop.inspect_task_cast import Cast, InspectMistake, cast_of, in_inspects_words, judges_of
from interplay.judging.fence import mark_of
from interplay.running.table import stage_of

CUT_SHORT = "Inspect ended the sample before it was played to its end"


@solver
def play(
    benchmark: str,
    options: Mapping[str, str],
    parts: Mapping[str, str],
    seed: int = 0,
    schemas: bool = True,
) -> Solver:
    """Play one conversation of a benchmark with Inspect's models in its seats."""
    found, secret = find_playable(benchmark), token_bytes(32)
    settled = found.settle(options)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        _check_loop()
        with in_inspects_words(found):
            cast = cast_of(found, settled, parts)
            judges_of(found, settled)  # whoever is to judge is missed before anything is sent
        scenario, repeat = scenario_of(state.metadata), state.epoch - 1
        kept = {"benchmark": found.name, "options": dict(options), "repeat": repeat, **_seated(cast)}
        state.store.set(KEPT_AS, {**kept, "failure": Cancelled.name, "detail": CUT_SHORT})
        desk = InspectDesk(lambda seat: cast.models[talk.roles[seat]], schemas=schemas)
        talk = FollowedTalk(
            cast.castings,
            desk,
            scenario=scenario.content,
            seed=f"{seed}/{scenario.id}/{repeat}",
            secret=mark_of(secret, scenario.id, str(repeat), "play").encode(),
        )
        try:
            outcome = await found.play(talk, settled)
        except Failure as failure:
            if failure.again:  # as of a call that failed: Inspect can try the sample again
                raise
            state.store.set(KEPT_AS, {**kept, "failure": failure.name, "detail": str(failure)})
        else:
            state.store.set(KEPT_AS, {**kept, "outcome": json.loads(canonical(asdict(outcome)))})
        _show(state, talk, desk, cast)
        return state

    return solve


def _seated(cast: Cast) -> dict[str, Any]:
    return {"model": cast.measured, "subject": cast.subject, "cast": dict(cast.names)}


def _check_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError as error:
        raise InspectMistake("conversations run on asyncio: unset INSPECT_ASYNC_BACKEND") from error


def _show(state: TaskState, talk: FollowedTalk, desk: InspectDesk, cast: Cast) -> None:
    """Leave the measured model's own view as the sample's messages: of several seats, the one that saw most."""
    own = [seat for seat in desk.views if cast.castings[talk.roles[seat]].kind == "subject"]
    mine = [seat for seat in own if cast.names[talk.roles[seat]] == cast.measured]
    if mine:
        seat = max(mine, key=lambda seat: len(desk.views[seat]))
        state.messages = as_chat(desk.views[seat])
        state.output = desk.outputs[seat]


@scorer(metrics=[])
def verdicts(schemas: bool = True) -> Scorer:
    """Let every judge judge a conversation, and score it; what is void is unscored, never a zero.

    What was played is in the sample, so that others can judge it later:
    inspect score LOG --scorer interplay/verdicts --model-role judge=NAME --action overwrite
    """
    secret = token_bytes(32)

    async def score(state: TaskState, target: Target) -> Score:
        kept = state.store.get(KEPT_AS)
        if kept is None:
            raise InspectMistake(
                f"{state.sample_id} was not played by a task of interplay: there is nothing to judge"
            )
        found = find_playable(kept["benchmark"])
        options, scenario = found.settle(kept["options"]), scenario_of(state.metadata)
        with in_inspects_words(found):
            judges, judging = judges_of(found, options), found.judging(options)
        outcome = build(found.outcome, kept["outcome"]) if "outcome" in kept else None
        talks = [talk_of(casting, model, judging, scenario, kept["repeat"]) for casting, model in judges]
        given = (
            [] if outcome is None else await collect(*(_verdict(judging, talk, outcome) for talk in talks))
        )
        return score_of(found, options, kept, outcome, given)

    def talk_of(
        casting: Casting, model: Model, judging: Judging, scenario: Scenario, repeat: int
    ) -> Conversation:
        return Conversation(
            {"judge": casting},
            InspectDesk(lambda seat: model, schemas=schemas),
            scenario=scenario.content,
            stage=stage_of(judging),
            secret=mark_of(secret, scenario.id, str(repeat), casting.model).encode(),
        )

    return score


async def _verdict(judging: Judging, talk: Conversation, outcome: Any) -> Verdict:
    name = talk.cast["judge"].model
    try:
        async with span(name, type="judge"):
            return Verdict(name, judging.digest, await judging(talk, outcome))
    except Failure as failure:
        if failure.again:
            raise
        return Verdict(name, judging.digest, None, failure.name, str(failure))
