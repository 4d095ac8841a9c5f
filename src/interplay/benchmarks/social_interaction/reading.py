"""Virtual game masters read held-out play, window by window: a benchmark of its own, whose subjects are the readers."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, cast

from interplay.benchmarks.social_interaction.characters import SKILLS
from interplay.benchmarks.social_interaction.gap import Reading
from interplay.benchmarks.social_interaction.gap_notes import Told
from interplay.benchmarks.social_interaction.gap_tables import board
from interplay.benchmarks.social_interaction.light import LightReader
from interplay.benchmarks.social_interaction.scenes import skills
from interplay.benchmarks.social_interaction.windows import Intention, Window, as_json, from_json
from interplay.core.benchmark import (
    Benchmark,
    Material,
    Option,
    Options,
    Played,
    Role,
    Scenario,
    Score,
    Span,
    Tryout,
    Verdict,
)
from interplay.core.board import Board
from interplay.core.conversation import Conversation
from interplay.core.forms import JsonForm, Longest, object_schema, schema_of
from interplay.core.prompts import Prompts
from interplay.core.wire import Message, Sampling, digest_of
from interplay.judging.fence import fenced, mark_of
from interplay.models.teaching import Example

PROMPTS = Prompts.read(Path(str(files(__package__) / "reader_prompts")))
PROTOCOL_VERSION = 1
READER = "reader"
MOST_INTENTIONS = 6  # that a reader may name in one window
LONGEST_NAME = 100
_NAMED = object_schema(
    {
        "character": schema_of(Annotated[str, Longest(LONGEST_NAME)]),
        "skill": {"type": "string", "enum": list(SKILLS)},
    }
)
SCHEMA = object_schema({"intentions": {"type": "array", "items": _NAMED, "maxItems": MOST_INTENTIONS}})
_FORM: JsonForm[tuple[Intention, ...]] = JsonForm(
    SCHEMA,
    lambda data: tuple(
        sorted({Intention(one["character"].strip(), one["skill"]) for one in data["intentions"]})
    ),
    exact=True,
)
WORDS = frozenset(("intentions", "character", "skill"))  # of answers, which no turn may spell


@dataclass(frozen=True)
class Read:
    """What a reader made of one window."""

    intentions: tuple[Intention, ...]


@dataclass
class Trained:
    """A light reader that learns the first time it is asked."""

    make: Callable[[], LightReader]
    _reader: LightReader | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def read(self, window: Window) -> tuple[Intention, ...]:
        async with self._lock:
            if self._reader is None:
                self._reader = await asyncio.to_thread(self.make)
            return tuple(sorted(await asyncio.to_thread(self._reader.read, window)))


@dataclass(frozen=True)
class Reader:
    """How one reader reads: by a model, with examples before its eyes or without, or by what it was trained to."""

    name: str
    examples: tuple[Example, ...] = ()
    trained: Trained | None = None


def brief() -> str:
    lines = [f"- {skill.name}: {skill.meaning}" for skill in skills().values()]
    return PROMPTS.fill("reader", skills="\n".join(lines))


def shown(window: Window, mark: str) -> str:
    """A window as models read it."""
    lines = "\n".join(f"{' and '.join(turn.speakers)}: {turn.text}" for turn in window.turns)
    return PROMPTS.fill("window", players=", ".join(window.players), turns=fenced(lines, mark, WORDS))


def answer_of(window: Window) -> str:
    """The right answer, as a reader should give it."""
    named = [{"character": one.character, "skill": one.skill} for one in window.intentions]
    return json.dumps({"intentions": named}, ensure_ascii=False)


def example_of(window: Window) -> Example:
    """What a reader learns from: the window as it will be asked, and the right answer."""
    mark = mark_of(b"example", window.id)  # every example has another, so that none is learned
    asked = [Message("system", brief()), Message("user", shown(window, mark))]
    return Example((*asked, Message("assistant", answer_of(window))))


def reading_by(readers: Mapping[str, Reader], windows: Sequence[Window]) -> Benchmark:
    """The benchmark with readers who can read, and what they are to read."""
    material = Material(tuple(scenario_of(window) for window in windows))

    async def play(talk: Conversation, options: Options) -> Read:
        return await _read(talk, readers[talk.cast[READER].model])

    return replace(
        reading,
        play=play,
        scenarios=lambda options, data: material,
        by_rule={READER: tuple(name for name, reader in readers.items() if reader.trained)},
    )


def scenario_of(window: Window) -> Scenario:
    return Scenario(as_json(window), f"window {window.id}")


async def _read(talk: Conversation, reader: Reader) -> Read:
    window = from_json(talk.scenario)
    if reader.trained is not None:
        found = await reader.trained.read(window)
        kept = await talk.once("read", lambda: [[one.character, one.skill] for one in found])
        return Read(tuple(Intention(*one) for one in kept))
    past = [message for example in reader.examples for message in example.messages[1:]]
    seat = talk.seat(READER, brief=brief(), past=past)
    talk.tell([seat], shown(window, mark_of(talk.secret, talk.stage, window.id)))
    return Read(await talk.ask(seat, _FORM))


def digest(options: Options) -> str:
    return digest_of([PROTOCOL_VERSION, PROMPTS.digest, SCHEMA, brief()])


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    return {READER: (1, 1)}


def score(outcome: Read, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    """How many intentions were named; whether they are right, the board says over all windows."""
    return [Score("named", float(len(outcome.intentions)), "rule: intentions that the reader named")]


def summarize(played: Sequence[Played], options: Options) -> Board:
    """The gap of every model whose play was learned from."""
    windows = {one.scenario.id: from_json(one.scenario.content) for one in played}
    known: dict[str, dict[str, Any]] = json.loads(options["readers"] or "{}")
    read: dict[str, dict[str, frozenset[Intention] | None]] = {name: {} for name in known}
    for one in played:
        found = None if one.outcome is None else frozenset(one.outcome.intentions)
        read.setdefault(one.subject, {})[windows[one.scenario.id].id] = found
    readings = [
        Reading(
            name=name,
            dm=known.get(name, {}).get("dm", name),
            source=known.get(name, {}).get("source", ""),
            size=known.get(name, {}).get("size", 0),
            read=found,
        )
        for name, found in read.items()
    ]
    return board(readings, list(windows.values()), cast(Told, json.loads(options["told"])))


async def _cannot_read(talk: Conversation, options: Options) -> Read:
    raise RuntimeError("readers are made by the run whose play they learned from")


OPTIONS = (
    Option("of", "", "the run whose play was learned from"),
    Option("readers", "", "who reads: the game master's kind, whose play it learned, and how much of it"),
    Option("told", "", "what the board says of the real play"),
    Option("learned", "", "the digest of all play that readers may have learned from"),
)


def _no_windows(options: Options, data: Path | None) -> Material:
    return Material(())


reading = Benchmark(
    name="social_interaction_reading",
    paper="AntEval's virtual game masters",
    meaning="readers who learned from play say who is about to be asked for which check",
    roles=lambda options: (Role(READER, "subject", Sampling(0.0, None, 300), "reads windows of play"),),
    options=OPTIONS,
    outcome=Read,
    scenarios=_no_windows,
    protocol=digest,
    play=_cannot_read,
    calls=calls,
    score=score,
    summarize=summarize,
    spread=lambda options: 0.5,
    tryout=Tryout(limit=1, options={}, sampling={}),
)
