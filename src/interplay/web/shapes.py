"""The shapes of what the API answers, as the API describes itself."""

from typing import Any

Shape = dict[str, Any]
TEXT: Shape = {"type": "string"}
WHOLE: Shape = {"type": "integer"}
NUMBER: Shape = {"type": "number"}
YES_OR_NO: Shape = {"type": "boolean"}
ANYTHING: Shape = {}
ERROR: Shape = {"type": "object", "required": ["error"], "properties": {"error": TEXT}}


def or_null(shape: Shape) -> Shape:
    return {**shape, "nullable": True}


def several(shape: Shape) -> Shape:
    return {"type": "array", "items": shape}


def by_name(shape: Shape) -> Shape:
    """An object whose keys are names of the user's or a benchmark's own."""
    return {"type": "object", "additionalProperties": shape}


def having(**parts: Shape) -> Shape:
    """An object that has all of these, and nothing else."""
    return {"type": "object", "required": list(parts), "properties": parts, "additionalProperties": False}


def also(shape: Shape, **parts: Shape) -> Shape:
    return having(**shape["properties"], **parts)


SUMMARY = having(
    run=TEXT,
    name=TEXT,
    of=TEXT,
    benchmark=TEXT,
    started=TEXT,
    models=several(TEXT),
    judges=several(TEXT),
    played=or_null(WHOLE),
    void=or_null(WHOLE),
    open=or_null(WHOLE),
)
RUNS = having(runs=several(SUMMARY))
RUN = also(
    SUMMARY,
    roles=by_name(several(TEXT)),
    options=by_name(TEXT),
    sampling=by_name(by_name(or_null(NUMBER))),
    seed=WHOLE,
    scenarios=WHOLE,
    epochs=WHOLE,
    rubric=TEXT,
    measures=several(having(name=TEXT, meaning=TEXT, low=NUMBER, high=NUMBER)),
)
_TABLE: Shape = {
    "title": TEXT,
    "rows": several(by_name(ANYTHING)),  # a number, a text, null, or an estimate with its interval
    "columns": by_name(TEXT),
    "notes": several(TEXT),
}
BOARD = having(
    run=TEXT, as_of=TEXT, stale=YES_OR_NO, **_TABLE, parts=several(having(**_TABLE, parts=several(ANYTHING)))
)
LATER = having(run=TEXT, state=TEXT)
PROGRESS = having(
    run=TEXT,
    state={"type": "string", "enum": ["written", "waiting", "finished", "decided", "stopped"]},
    written_by=TEXT,
    last_written=or_null(TEXT),
    planned=WHOLE,
    played=WHOLE,
    void=WHOLE,
    open=WHOLE,
    verdicts=WHOLE,
    verdicts_wanted=WHOLE,
    calls=WHOLE,
    failed_calls=WHOLE,
    calls_in_last_minute=WHOLE,
    answer_unknown=WHOLE,
    tokens_in=WHOLE,
    tokens_out=WHOLE,
    cost=or_null(NUMBER),
    seconds_left=or_null(NUMBER),
    failures=by_name(WHOLE),
    judge_failures=by_name(WHOLE),
    causes=by_name(WHOLE),
    waiting=by_name(WHOLE),
    as_of=or_null(TEXT),
)
CONVERSATIONS = having(
    run=TEXT,
    conversations=several(
        having(
            number=WHOLE,
            scenario=TEXT,
            scenario_id=TEXT,
            model=TEXT,
            repeat=WHOLE,
            take=WHOLE,
            state=TEXT,
            failure=TEXT,
            scores=by_name(by_name(NUMBER)),
        )
    ),
    before=or_null(WHOLE),
    after=or_null(WHOLE),
)
CONVERSATION = having(
    number=WHOLE,
    run=TEXT,
    scenario=by_name(ANYTHING),
    model=TEXT,
    cast=by_name(TEXT),
    repeat=WHOLE,
    state=TEXT,
    failure=TEXT,
    detail=TEXT,
    outcome=or_null(by_name(ANYTHING)),
    lines=several(having(source=TEXT, heard_by=several(TEXT), text=TEXT)),
    verdicts=several(
        having(judge=TEXT, rubric=TEXT, data=or_null(by_name(ANYTHING)), failure=TEXT, detail=TEXT)
    ),
    calls=several(WHOLE),
)
CALL = having(
    number=WHOLE,
    run=TEXT,
    conversation=WHOLE,
    stage=TEXT,
    item=TEXT,
    participant=TEXT,
    step=WHOLE,
    attempt=WHOLE,
    model=TEXT,
    version=TEXT,
    state={"type": "string", "enum": ["sent", "done", "failed"]},
    cause=TEXT,
    detail=TEXT,
    sent=TEXT,
    latency=or_null(NUMBER),
    tokens_in=or_null(WHOLE),
    tokens_out=or_null(WHOLE),
    tokens_estimated=YES_OR_NO,
    cost=or_null(NUMBER),
    stop=TEXT,
    messages=several(having(role=TEXT, text=TEXT)),
    settings=by_name(ANYTHING),
    text=or_null(TEXT),
    reasoning=TEXT,
    raw=TEXT,
    raw_size=WHOLE,
)
