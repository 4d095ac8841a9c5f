"""Writing new pairs on a topic: where to look is drawn, a model is asked for a few pairs in a form."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from interplay.benchmarks.generating import WRITER, drawn, refuse_data
from interplay.benchmarks.word_guessing import checks
from interplay.benchmarks.word_guessing.words import (
    FOLDER,
    GENERAL,
    LONGEST_TEXT,
    TOPICS,
    Pair,
    Word,
    shipped,
)
from interplay.core.benchmark import Material, Options, Scenario, Span
from interplay.core.conversation import Conversation
from interplay.core.failures import Mistake
from interplay.core.forms import JsonForm, object_schema
from interplay.core.prompts import Prompts
from interplay.core.wire import clean, digest_of

PROMPTS = Prompts.read(FOLDER / "writing_prompts")
PROTOCOL_VERSION = 1
MOST_CANDIDATES = 5
MOST_ALIASES = 5  # of a word that a model writes
EXAMPLES = 3
NO_TOPIC = "name the topic of the pairs with --topic, as in --topic gardening"


@dataclass(frozen=True)
class Drafts:
    """The pairs of one answer, best first, read but not yet checked: one of them is to be used."""

    pairs: tuple[Pair, ...]


def read_topic(typed: str) -> str:
    """A topic in one line, as it will be shown to the writer and on boards."""
    text = _in_one_line(clean(typed))
    if not text:
        raise Mistake(NO_TOPIC)
    if len(text) > LONGEST_TEXT:
        raise Mistake(
            f"--topic has at most {LONGEST_TEXT} characters, not {len(text)}: name it, as in gardening"
        )
    if not text.isprintable() or not any(character.isalnum() for character in text):
        raise Mistake(f"--topic is a few words of plain text, as in gardening, not {typed!r}")
    return text


@cache
def draws() -> Mapping[str, Sequence[str]]:
    """The lists that say where a writer should look."""
    return tomllib.loads((FOLDER / "data" / "angles.toml").read_text(encoding="utf-8"))


@cache
def all_shipped() -> tuple[Pair, ...]:
    """The pairs of all our lists."""
    return tuple(pair for topic in (GENERAL, *TOPICS) for pair in shipped(topic))


def scenarios(options: Options, data: Path | None = None) -> Material:
    """One for each pair that is wanted, sent to look in another place."""
    refuse_data(data)
    topic = options["topic"]
    if not topic:
        raise Mistake(NO_TOPIC)
    numbers = range(1, int(options["n"]) + 1)
    return Material(tuple(_scenario(topic, number, options["seed"]) for number in numbers))


def _scenario(topic: str, number: int, seed: str) -> Scenario:
    rng = Random(f"{seed}/examples/{number}")  # noqa: S311  # draws examples, guards nothing
    others = [pair for pair in all_shipped() if pair.topic != topic.lower()]
    content = {
        "topic": topic,
        "number": number,
        "angle": drawn(draws()["angles"], number, f"{seed}/angles"),
        "examples": [entry_of(pair) for pair in rng.sample(others, EXAMPLES)],
    }
    return Scenario(content, f"pair {number}")


def entry_of(pair: Pair) -> dict[str, Any]:
    """A pair as a writer answers and as a file has it, but for the topic."""
    return {"a": pair.a.text, "b": pair.b.text, "a_also": list(pair.a.also), "b_also": list(pair.b.also)}


def pair_of(entry: Mapping[str, Any], topic: str) -> Pair:
    return Pair(topic, *(Word(entry[key], tuple(entry[f"{key}_also"])) for key in ("a", "b")))


# The schema cuts a text that is too long: its bound is wider than that of the checks, so that a cut one fails.
_TEXT = {"type": "string", "maxLength": LONGEST_TEXT}
_ALIASES = {"type": "array", "items": _TEXT, "maxItems": MOST_ALIASES}
_PAIR = object_schema({"a": _TEXT, "b": _TEXT, "a_also": _ALIASES, "b_also": _ALIASES})
SCHEMA = object_schema(
    {"pairs": {"type": "array", "items": _PAIR, "minItems": 1, "maxItems": MOST_CANDIDATES}}
)
_FORM: JsonForm[list[dict[str, Any]]] = JsonForm(SCHEMA, lambda data: data["pairs"])


def digest(options: Options) -> str:
    """What shapes the writing: the prompts, the form, and this file where it changes what is asked."""
    return digest_of([PROTOCOL_VERSION, PROMPTS.digest, _brief(), SCHEMA, draws()["likenesses"]])


async def play(talk: Conversation, options: Options) -> Drafts:
    """Ask the writer for a few pairs, of which one is wanted; what is drawn here is drawn anew for each try."""
    wanted = talk.scenario
    writer = talk.seat(WRITER, brief=_brief())
    talk.tell([writer], _task(wanted, talk.rng))
    found = Drafts(tuple(_tidy(entry, wanted["topic"]) for entry in await talk.ask(writer, _FORM)))
    told = "\n".join(laid_out(pair) for pair in found.pairs)
    talk.tell([], told, source=writer)  # nobody else is there, but the record shows it
    return found


def _brief() -> str:
    return PROMPTS.fill(
        "pairs",
        shortest=str(checks.SHORTEST),
        longest=str(checks.LONGEST),
        tokens=str(checks.MOST_TOKENS),
        aliases=str(MOST_ALIASES),
        most=str(MOST_CANDIDATES),
    )


def _task(wanted: Mapping[str, Any], rng: Random) -> str:
    return PROMPTS.fill(
        "pair",
        most=str(MOST_CANDIDATES),
        topic=wanted["topic"],
        angle=wanted["angle"],
        likeness=rng.choice(draws()["likenesses"]),
        examples="\n".join(json.dumps(example) for example in wanted["examples"]),
    )


def _tidy(entry: Mapping[str, Any], topic: str) -> Pair:
    """The pair with every text in one line."""
    found = []
    for key in ("a", "b"):
        also = (_in_one_line(alias) for alias in entry[f"{key}_also"])
        found.append(Word(_in_one_line(entry[key]), tuple(alias for alias in also if alias)))
    return Pair(topic, *found)


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def laid_out(pair: Pair) -> str:
    """For a person to read, in one line."""
    return " / ".join(
        f"{word.text} (also {', '.join(word.also)})" if word.also else word.text for word in pair.words
    )


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    return {WRITER: (1, 1)}
