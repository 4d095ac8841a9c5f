"""The tables that a run is handed out in: the same columns for every benchmark, and what each of them means."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from interplay.core.failures import Mistake, nearest

Kind = Literal["text", "texts", "JSON", "whole number", "number", "yes or no", "time"]


@dataclass(frozen=True)
class Column:
    """One column: its name, what is in its cells, and what that means."""

    name: str
    kind: Kind
    meaning: str
    may_be_missing: bool = False


@dataclass(frozen=True)
class Table:
    """One table: a row is what its meaning says."""

    name: str
    meaning: str
    columns: tuple[Column, ...]


# In files every table has it first, so that the tables of several runs can be put together.
RUN = Column("run", "text", "the id of the run")
_CONVERSATION = Column("conversation", "whole number", "the number of the conversation in its store")
_SCENARIO = Column("scenario", "text", "the scenario's label, for people")
_SCENARIO_ID = Column("scenario_id", "text", "the scenario's id, a hash of its content")
_STAGE = Column("stage", "text", "play, or a step that follows it, such as judge and the rubric's digest")
_ITEM = Column(
    "item", "text", "what of the conversation it is about, as 3 v 7 of two; empty: the whole of it"
)

RUNS = Table(
    "runs",
    "the run itself",
    (
        Column("name", "text", "the name that somebody gave the run; empty where nobody did"),
        Column("benchmark", "text", "the benchmark"),
        Column("created", "time", "when the run was begun"),
        Column("identity", "JSON", "what the run is: models, roles, options, scenarios, sampling, seed"),
        Column(
            "extent", "JSON", "how far it reaches so far: limit, repeats, judges, and the rubric that counts"
        ),
        Column("conversations", "whole number", "conversations in these tables: the newest take of each"),
        Column(
            "older_takes", "whole number", "conversations that were played anew since, and are in no table"
        ),
        Column("calls_answered", "whole number", "calls that were answered, those of older takes too"),
        Column("calls_failed", "whole number", "calls that failed"),
        Column("calls_unanswered", "whole number", "calls that were sent and whose answer is unknown"),
        Column("calls_estimated", "whole number", "calls whose tokens the endpoint did not report"),
        Column("tokens_in", "whole number", "tokens that models read, in all calls of the run"),
        Column("tokens_out", "whole number", "tokens that models wrote, in all calls of the run"),
        Column("cost", "number", "dollars that all calls cost; missing where a price is unknown", True),
        Column("versions", "JSON", "each model and the versions of itself that it reported"),
        Column("interplay", "text", "the version of Interplay that wrote these tables"),
    ),
)
SCORES = Table(
    "scores",
    "a score of a conversation, by the rubric that counts; what is void or open has none",
    (
        _CONVERSATION,
        _SCENARIO,
        Column("model", "text", "the model that is measured"),
        Column("repeat", "whole number", "which playing of this scenario by this cast it is, counted from 1"),
        Column("score", "text", "the name of the score"),
        Column("source", "text", "the judge or the rule that it is from"),
        Column("value", "number", "the score"),
    ),
)
CONVERSATIONS = Table(
    "conversations",
    "a conversation, the newest take of it",
    (
        _CONVERSATION,
        _SCENARIO_ID,
        _SCENARIO,
        Column("model", "text", "the model that is measured; of several that sit together, all of them"),
        Column("cast", "JSON", "which model sits in which role"),
        Column("repeat", "whole number", "which playing of this scenario by this cast it is, counted from 1"),
        Column("take", "whole number", "how often it was played anew"),
        Column("state", "text", "done, void (it came to nothing) or open (it is not finished)"),
        Column("failure", "text", "why it is void, by name; empty where it is not"),
        Column("detail", "text", "the same in words"),
        Column("protocol", "text", "the digest of the prompts and rules that it was played by"),
        Column("outcome", "JSON", "what it came to, in the benchmark's own form", True),
    ),
)
SCENARIOS = Table(
    "scenarios",
    "a scenario that the run has conversations of",
    (
        _SCENARIO_ID,
        _SCENARIO,
        Column("content", "JSON", "all that the scenario gives, in the benchmark's own form"),
    ),
)
LINES = Table(
    "lines",
    "something that was said in play; what a seat replied is heard by itself first, then by whom it is told",
    (
        _CONVERSATION,
        Column("line", "whole number", "its place in the conversation, counted from 1"),
        Column("source", "text", "the seat that said it; empty where it was the protocol"),
        Column("heard_by", "texts", "the seats that heard it"),
        Column("text", "text", "what was said"),
    ),
)
CALLS = Table(
    "calls",
    "a call of a model, in play and after it, each attempt by itself; a person's answer is one too",
    (
        _CONVERSATION,
        Column("call", "whole number", "the number of the call in its store, in the order of sending"),
        _STAGE,
        _ITEM,
        Column("participant", "text", "the seat or the judge that was asked"),
        Column("step", "whole number", "which reply of this participant in this stage it is, counted from 0"),
        Column("attempt", "whole number", "which attempt at this reply it is, counted from 0"),
        Column("model", "text", "the model that was called"),
        Column("state", "text", "done, failed, or sent (the answer is unknown)"),
        Column("cause", "text", "why it failed, by name; empty where it did not"),
        Column("detail", "text", "the same in words"),
        Column("sent", "time", "when it was sent"),
        Column("text", "text", "the answer", True),
        Column("reasoning", "text", "what the model thought before, where it was told"),
        Column("stop", "text", "why the model stopped, in the endpoint's words"),
        Column("version", "text", "the version of itself that the model reported"),
        Column("tokens_in", "whole number", "tokens that it read", True),
        Column("tokens_out", "whole number", "tokens that it wrote", True),
        Column("estimated", "yes or no", "were the tokens estimated, because the endpoint did not say?"),
        Column("cost", "number", "dollars; missing where the price is unknown", True),
        Column("latency", "number", "seconds until the answer was there", True),
        Column("most_tokens", "whole number", "tokens that a budget held back for it", True),
        Column("most_cost", "number", "dollars that a budget held back for it", True),
        Column("sampling", "JSON", "how the model was asked to draw its words"),
        Column("schema", "JSON", "the JSON schema that the answer was to have", True),
        Column("request", "text", "a digest of all that was asked: model, messages, sampling, schema"),
        Column(
            "message", "text", "the last message that was sent; those before it are its parents in messages"
        ),
    ),
)
MESSAGES = Table(
    "messages",
    "a message that was sent to models in a conversation, once however many calls carried it",
    (
        _CONVERSATION,
        Column("message", "text", "a digest of this message and of all before it"),
        Column("parent", "text", "the message before it; missing where it is the first", True),
        Column("role", "text", "system, user or assistant"),
        Column("text", "text", "the message"),
    ),
)
FACTS = Table(
    "facts",
    "a value that was made once in a conversation and is the same ever after, such as a booking's reference",
    (
        _CONVERSATION,
        _STAGE,
        _ITEM,
        Column("name", "text", "what it is called"),
        Column("value", "JSON", "the value"),
    ),
)
VERDICTS = Table(
    "verdicts",
    "what a judge said of a conversation, or of two side by side, by every rubric that was used",
    (
        _CONVERSATION,
        _ITEM,
        Column("judge", "text", "the judge"),
        Column("rubric", "text", "the digest of the rubric"),
        Column("counts", "yes or no", "is it of the whole conversation and of the rubric that counts?"),
        Column("failure", "text", "why there is no verdict, by name; empty where there is one"),
        Column("detail", "text", "the same in words"),
        Column("data", "JSON", "the verdict, in the rubric's own form", True),
    ),
)
LABELS = Table(
    "labels",
    "what a person said of a conversation, the newest by each criterion",
    (
        _CONVERSATION,
        Column("rater", "text", "who said so: a number, or the name where names were asked for"),
        Column("criterion", "text", "what was asked"),
        Column("value", "number", "the answer"),
        Column("made", "text", "when it was said, as the rater wrote it; else when it came in"),
        Column("drawn", "text", "how the conversation was chosen: the id of a draw, or somebody's words"),
        Column("came_from", "text", "file and line; empty where names were not asked for"),
    ),
)
TABLES = (RUNS, SCORES, CONVERSATIONS, SCENARIOS, LINES, CALLS, MESSAGES, FACTS, VERDICTS, LABELS)


def table_called(name: str) -> Table:
    """The table of this name."""
    for table in TABLES:
        if table.name == name:
            return table
    raise Mistake(f"there is no table {name!r}; {nearest(name, [table.name for table in TABLES])}")


def described(tables: Iterable[Table], rows: dict[str, int]) -> str:
    """What is in these tables, as Markdown, with how many rows each has."""
    return "\n\n".join(_described(table, rows[table.name]) for table in tables)


def _described(table: Table, count: int) -> str:
    told = f"### {table.name}\n\nA row is {table.meaning}. {count:,} row{'' if count == 1 else 's'}.\n\n"
    lines = ["| column | what is in it | what it means |", "| --- | --- | --- |"]
    for column in (RUN, *table.columns):
        kind = f"{column.kind}, or nothing" if column.may_be_missing else column.kind
        lines.append(f"| `{column.name}` | {kind} | {column.meaning} |")
    return told + "\n".join(lines)
