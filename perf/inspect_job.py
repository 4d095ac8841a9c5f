"""The reference job written for Inspect AI, in a process of its own: a solver that talks, a scorer that judges.

Briefs, sampling and forms are those of the reference job, taken from its recorded requests, and the provider answers
with the same texts. Settings are those that make it fast and leave its work whole: no display, no live log, no trace,
no control server, no scores on the way, connections kept open, only the header of the log handed back. The log itself
is written as it is by default.
"""

import json
import sys
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ResponseSchema,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema

from perf.meter import Meter
from perf.sizes import CALLS_PER_CONVERSATION, TURNS

Body = dict[str, Any]  # a request of the reference job


def inspect_job(task: dict[str, Any]) -> dict[str, Any]:
    """Play and judge every scenario so many times; a few before, so that all it imports is imported."""
    bodies = [json.loads(line) for line in Path(task["bodies"]).read_bytes().splitlines()]
    opening = {
        name: [body for body in bodies if body["model"] == name] for name in ("user", "subject", "judge")
    }
    models = {name: _model(task, found[0]) for name, found in opening.items()}
    samples = _samples(*(opening[name] for name in ("user", "subject", "judge")))
    warmed = _carry_out(task, models, samples[:1], 1)
    meter = Meter()
    conversations = _carry_out(task, models, samples, task["epochs"])
    return {
        **meter.taken(),
        "calls": conversations * CALLS_PER_CONVERSATION,
        "before": warmed * CALLS_PER_CONVERSATION,
        "conversations": conversations,
    }


def _carry_out(task: dict[str, Any], models: dict[str, Model], samples: list[Sample], epochs: int) -> int:
    """One evaluation, whose calls must all come back; how many conversations it had."""
    (log,) = eval(
        Task(dataset=MemoryDataset(samples), solver=talk(), scorer=verdict(), epochs=epochs),
        model=models["subject"],
        model_roles={"user": models["user"], "judge": models["judge"]},
        max_connections=task["connections"],
        max_samples=task["connections"],
        max_retries=0,
        display="none",
        log_dir=task["folder"],
        log_realtime=False,
        log_header_only=True,
        score_display=False,
        ctl_server=False,
    )
    wanted = len(samples) * epochs
    done = log.results.completed_samples if log.results else 0
    if log.status != "success" or done != wanted:
        raise SystemExit(f"Inspect AI finished {done} of {wanted} conversations: {log.status}")
    return wanted


@solver
def talk() -> Solver:
    """Simulator and subject in turn, each with its own view."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        user, subject = get_model(role="user"), get_model()
        of_user: list[ChatMessage] = [
            ChatMessageSystem(content=state.metadata["brief"]),
            ChatMessageUser(content=state.input_text),
        ]
        state.messages = [ChatMessageSystem(content=state.metadata["card"])]
        for _ in range(TURNS):
            said = (await user.generate(of_user)).completion
            of_user.append(ChatMessageAssistant(content=said))
            state.messages.append(ChatMessageUser(content=json.loads(said)["next_utterance"].strip()))
            state.output = await subject.generate(state.messages)
            state.messages.append(state.output.message)
            of_user.append(ChatMessageUser(content=state.output.completion))
        return state

    return solve


@scorer(metrics=[mean(), stderr()])
def verdict() -> Scorer:
    """One judge reads the card and the dialogue and scores every turn in one reply."""

    async def score(state: TaskState, target: Target) -> Score:
        card, *lines = (message.text for message in state.messages)
        turns = [
            f"Turn {number}\nuser:\n{_fenced(said)}\nplayer:\n{_fenced(answer)}"
            for number, (said, answer) in enumerate(zip(lines[::2], lines[1::2], strict=True), 1)
        ]
        material = f"The card:\n{_fenced(card)}\n\nThe dialogue:\n\n" + "\n\n".join(turns)
        asked = f"{material}\n\nGive your verdict on all {TURNS} turns of the player as one JSON object."
        judge = get_model(role="judge")
        reply = await judge.generate(
            [ChatMessageSystem(content=state.metadata["rubric"]), ChatMessageUser(content=asked)]
        )
        marks = [
            value
            for turn in json.loads(reply.completion).values()
            for name, value in turn.items()
            if name.endswith("_score")
        ]
        return Score(value=sum(marks) / len(marks), explanation=reply.completion)

    return score


def _model(task: dict[str, Any], body: Body) -> Model:
    """A model at the provider, sampled and held to a form as the reference job does it; retries are off."""
    form = body.get("response_format", {}).get("json_schema")
    return get_model(
        f"openai-api/perf/{body['model']}",
        base_url=task["url"],
        api_key="none",
        max_retries=0,  # of OpenAI's client
        config=GenerateConfig(
            temperature=body["temperature"],
            top_p=body["top_p"],
            max_tokens=body["max_tokens"],
            response_schema=form
            and ResponseSchema(name=form["name"], json_schema=JSONSchema(**form["schema"]), strict=True),
        ),
    )


def _samples(of_user: list[Body], of_subject: list[Body], of_judge: list[Body]) -> list[Sample]:
    """As many scenarios as were recorded: what each side is told before the first word."""
    firsts = [[body for body in bodies if len(body["messages"]) == 2] for bodies in (of_user, of_subject)]
    rubric = of_judge[0]["messages"][0]["content"]
    return [
        Sample(
            id=number,
            input=user["messages"][1]["content"],
            metadata={
                "brief": user["messages"][0]["content"],
                "card": subject["messages"][0]["content"],
                "rubric": rubric,
            },
        )
        for number, (user, subject) in enumerate(zip(*firsts, strict=True), 1)
    ]


def _fenced(text: str) -> str:
    return f"<<0123456789ab\n{text}\n0123456789ab>>"


if __name__ == "__main__":
    print(json.dumps(inspect_job(json.loads(sys.argv[1]))))
