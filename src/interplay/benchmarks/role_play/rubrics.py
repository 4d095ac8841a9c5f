"""What the judges of role play are asked: the rubrics of both versions, or a user's own."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from interplay.core.benchmark import Options
from interplay.core.failures import Mistake
from interplay.core.forms import JsonForm, object_schema
from interplay.core.wire import canonical
from interplay.judging.rubric import AGREEMENT, Criterion, Flag, Rubric
from interplay.judging.rubric_files import read_rubric, rubric_of

VERSIONS = ("v1", "v2")
CRITERIA = (
    Criterion("in_character", "The reply fits the character: nothing in it contradicts the card."),
    Criterion(
        "entertaining", "The reply is engaging and fun to read, and does not repeat what was said before."
    ),
    Criterion(
        "fluency",
        "The language is flawless: no awkward phrase, no wrong form or spelling, no word of another language.",
    ),
)
REFUSAL = Flag("is_refusal", "The player declines to play on, or says that it cannot.")
QUALITY = {1: "hopeless", 5: "what one may expect", 8: "exceptional", 10: "perfect"}

# The other columns of a board, and the names of other scores.
TAKEN = {"model", "rank", "ln_score", "aggregate", "refusal_ratio", "refused", "length", "n", "void", "unscored",
         "open", "sampling", "tokens", "cost"}  # fmt: skip


def read_rubric_option(typed: str) -> str:
    """v1, v2, or a user's file as the record keeps it."""
    if typed in VERSIONS:
        return typed
    if not typed.endswith(".toml") and not Path(typed).exists():
        raise Mistake(
            f"there is no rubric {typed!r}; there is {', '.join(VERSIONS)}, or a file as in my_rubric.toml"
        )
    rubric = read_rubric(Path(typed))
    if rubric.name in VERSIONS:
        raise Mistake(f"the rubric {typed}: {rubric.name} is a rubric of PingPong's; give it another name")
    for name in [*rubric.names, *(flag.name for flag in rubric.flags)]:
        if name in TAKEN:
            raise Mistake(f"the rubric {typed}: {name!r} stands on every board already; choose another name")
    return canonical(rubric.as_json())


def name_of_rubric(options: Options) -> str:
    """v1, v2, or the name of a user's own."""
    chosen = options["rubric"] or options["version"]
    return chosen if chosen in VERSIONS else str(json.loads(chosen)["name"])


def rubric_for(options: Options) -> Rubric:
    """The rubric that a run is judged with: its version's, unless another was chosen."""
    chosen = options["rubric"] or options["version"]
    if chosen == "v1":
        return v1_rubric(options)
    if chosen == "v2":
        return Rubric("v2", CRITERIA, (REFUSAL,), (1, 5), AGREEMENT, int(options["explanation"]))
    rubric = _kept(chosen)
    return rubric if rubric.explanation else replace(rubric, explanation=int(options["explanation"]))


@cache
def _kept(rubric: str) -> Rubric:
    return rubric_of(json.loads(rubric))


def v1_rubric(options: Options) -> Rubric:
    """Version 1: the same criteria from 1 to 10."""
    return Rubric("v1", CRITERIA, (REFUSAL,), (1, 10), QUALITY, int(options["explanation"]))


def marks_form(rubric: Rubric, longest_utterance: int = 0) -> JsonForm[dict[str, Any]]:
    """The form of what is said of one reply, and of the message that follows where one does."""
    parts = rubric.turn_schema()["properties"]
    if longest_utterance:
        parts["next_utterance"] = {"type": "string", "maxLength": longest_utterance, "minLength": 1}
    return JsonForm(object_schema(parts), dict, exact=True)


def form_shown(rubric: Rubric, *, utterance: bool = False) -> str:
    """The form of one turn, with no score in it that a judge might lean on."""
    return "{" + ", ".join([*rubric.shown(), *(['"next_utterance": "..."'] if utterance else [])]) + "}"
