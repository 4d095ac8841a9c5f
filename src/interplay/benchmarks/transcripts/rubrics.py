"""What judges of transcripts are asked: our own rubric, or a user's."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

from interplay.core.benchmark import Options
from interplay.core.failures import Mistake
from interplay.core.wire import canonical
from interplay.judging.rubric import AGREEMENT, Criterion, Rubric
from interplay.judging.rubric_files import read_rubric, rubric_of

NAME = "plain"
CRITERIA = (
    Criterion(
        "coherent",
        "What the assistant says follows from what was said before, and contradicts neither that nor itself.",
    ),
    Criterion(
        "natural",
        "The assistant talks as a person in its place well might: nothing stilted, nothing said twice.",
    ),
    Criterion("helpful", "The conversation brings the others nearer to what they came for."),
)
# The other columns of a board, and the names of other scores.
TAKEN = {"model", "rank", "overall", "length", "n", "void", "unscored", "open", "sampling", "tokens", "cost"}


def read_rubric_option(typed: str) -> str:
    """Our own rubric by its name, or a user's file as the record keeps it."""
    if typed == NAME:
        return ""
    if not typed.endswith(".toml") and not Path(typed).exists():
        raise Mistake(f"there is no rubric {typed!r}; there is {NAME}, or a file as in my_rubric.toml")
    rubric = read_rubric(Path(typed))
    if rubric.name == NAME:
        raise Mistake(f"the rubric {typed}: {NAME} is the rubric that ships; give it another name")
    for name in [*rubric.names, *(flag.name for flag in rubric.flags)]:
        if name in TAKEN:
            raise Mistake(f"the rubric {typed}: {name!r} stands on every board already; choose another name")
    return canonical(rubric.as_json())


def rubric_for(options: Options) -> Rubric:
    """The rubric that a run is judged with."""
    if not options["rubric"]:
        return Rubric(NAME, CRITERIA, (), (1, 5), AGREEMENT, int(options["explanation"]))
    rubric = _kept(options["rubric"])
    return rubric if rubric.explanation else replace(rubric, explanation=int(options["explanation"]))


@cache
def _kept(rubric: str) -> Rubric:
    return rubric_of(json.loads(rubric))
