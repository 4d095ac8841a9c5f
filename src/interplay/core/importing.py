"""Conversations that were made elsewhere: what is read of a file, and what of it could not be read."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from interplay.core.benchmark import Options, Played
from interplay.core.conversation import Line


@dataclass(frozen=True)
class Opinion:
    """What a person said of a conversation by one criterion."""

    rater: str
    criterion: str
    value: float


@dataclass(frozen=True)
class Imported:
    """One conversation as a record will have it: played by somebody else, judged or not."""

    where: str  # in its file, as in line 3
    played: Played
    lines: tuple[Line, ...]
    opinions: tuple[Opinion, ...] = ()


@dataclass(frozen=True)
class Skipped:
    """A part of a file that is not taken in, and why; nothing is guessed."""

    where: str
    why: str


@dataclass(frozen=True)
class Reading:
    """What somebody says of a file beside the file itself."""

    path: Path
    options: Options  # of the benchmark, settled
    model: str = ""  # whose replies are measured, where the file does not say
    judge: str = ""  # whose verdicts the file has, where it does not say


@dataclass(frozen=True)
class Importer:
    """A format of files in which conversations of a benchmark come."""

    name: str  # as it is typed after --as
    meaning: str  # what such a file has, for help
    read: Callable[[Reading], Iterable[Imported | Skipped]]
    options: Mapping[str, str] = field(default_factory=dict)  # of the benchmark, that such a file asks for
