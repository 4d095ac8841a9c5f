"""Conversations that were made elsewhere: what is read of a file, and what of it could not be read."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from interplay.core.benchmark import RULE, Options, Played
from interplay.core.conversation import Line
from interplay.core.import_files import Row, Skipped, Unfit
from interplay.core.people import HUMAN
from interplay.core.wire import clean

IMPORTED = (
    "imported"  # what a run's identity says of the files it came from; and the rubric of their verdicts
)
UNKNOWN = "unknown"  # who sat in a role that a file does not tell of
LONGEST_NAME = 200
LONGEST_TEXT = 100_000
TOGETHER = " + "  # between the names of models that sat together
URLS = ("http://", "https://")


@dataclass(frozen=True)
class Opinion:
    """What a person said of a conversation by one criterion."""

    rater: str  # empty where the file does not name them
    criterion: str
    value: float


@dataclass(frozen=True)
class Imported:
    """One conversation as a record will have it: played by somebody else, judged or not.

    Its verdicts have IMPORTED as their rubric. Which repeat of its scenario it is, whoever writes it down finds out.
    """

    where: str  # in its file, as in line 3
    played: Played
    lines: tuple[Line, ...]
    opinions: tuple[Opinion, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What somebody says of a file beside the file itself."""

    path: Path
    options: Options  # of the benchmark, settled
    model: str = ""  # whose replies are measured, where the file does not say
    judge: str = ""  # whose verdicts the file has, where it does not say
    data: Path | None = None  # a file with the scenarios that the file only names


@dataclass(frozen=True)
class Importer:
    """A format of files in which conversations of a benchmark come."""

    name: str  # as it is typed after --as
    meaning: str  # what such a file has, for help
    read: Callable[[Reading], Iterable[Imported | Skipped]]
    options: Mapping[str, str] = field(default_factory=dict)  # of the benchmark, that such a file asks for
    remarks: tuple[str, ...] = ()  # what a board says of all that came in such a file


def each(
    rows: Iterable[Row | Skipped], read: Callable[[Row], Iterable[Imported | Skipped]]
) -> Iterator[Imported | Skipped]:
    """What is read of each row; one that does not fit is skipped as a whole, with the reason."""
    for row in rows:
        if isinstance(row, Skipped):
            yield row
            continue
        try:
            yield from list(read(row))  # all that comes of a row, or nothing
        except Unfit as problem:
            yield Skipped(row.where, str(problem))


def text_in(given: Any, what: str, *, may_be_empty: bool = False, longest: int = LONGEST_TEXT) -> str:
    """A text of a file as a store can hold it."""
    if not isinstance(given, str):
        raise Unfit(f"{what} must be a text, not {kind_of(given)}")
    if not given.strip() and not may_be_empty:
        raise Unfit(f"{what} is empty")
    if len(given) > longest:
        raise Unfit(f"{what} is longer than {longest:,} characters")
    return clean(given).strip()


def name_in(given: Any, what: str) -> str:
    """The name of a model as a file has it; it says who spoke, and nothing is ever asked of it."""
    name = text_in(given, what, longest=LONGEST_NAME)
    if not name.isprintable():
        raise Unfit(f"{what} has characters that cannot be printed")
    if name.startswith((HUMAN, RULE)):
        raise Unfit(f"{what} is {name!r}; names that begin with {HUMAN} or {RULE} are of who plays here")
    if name.startswith(URLS) or name.endswith(".toml") or TOGETHER in name:
        raise Unfit(f"{what} is {name!r}; a name is no URL, no .toml file, and has no{TOGETHER}in it")
    return name


def kind_of(value: Any) -> str:
    """What a value of a JSON file is, in its own words."""
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return "nothing" if value is None else kinds.get(type(value), type(value).__name__)
