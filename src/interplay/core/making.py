"""What can be made for a benchmark or of its runs: new data by a model, data cut from dialogues, runs made of runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from interplay.core.benchmark import Benchmark, Options, Played


@dataclass(frozen=True)
class Piece:
    """One piece of new data, as the best of a model's tries has it; it passes if there is no complaint."""

    scenario: str  # the id of the scenario that asked for it
    label: str
    text: str  # for a person to read; empty where there is nothing that a person could keep
    entry: Mapping[str, Any]  # as the file will have it
    complaints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Origin:
    """Where new data comes from: what its file says of itself."""

    run: str
    model: str
    started: str
    canary: str  # a UUID of this run alone
    options: Options
    reviewed: bool  # a person has seen every piece


@dataclass(frozen=True)
class Generator:
    """How a model writes new data for a benchmark: a benchmark of its own, whose scenarios are the pieces."""

    writing: Benchmark
    gather: Callable[[Sequence[Played], Options], Sequence[Piece]]  # one for each scenario, in order
    lacking: Callable[[Sequence[Piece]], str]  # what a file of these pieces would lack; empty if nothing
    write: Callable[[Sequence[Piece], Origin], str]  # the text of the file
    ending: str = ".toml"
    tries: int = 3  # how often a piece is written before it is left out
    verb: str = "run"  # of the command that plays the file


@dataclass(frozen=True)
class Collected:
    """A conversation that was collected, with its number in the record."""

    number: int
    played: Played


@dataclass(frozen=True)
class Extract:
    """What was made out of judged conversations."""

    text: str  # of the file; empty where there is nothing to write
    told: tuple[str, ...]  # for people: what was made of how many conversations, and what was left out
    counts: Mapping[str, Any]  # the same for programs


@dataclass(frozen=True)
class Collector:
    """How data is collected: a benchmark of its own, whose judged conversations become the file of another's data."""

    collecting: Benchmark
    # from all conversations of a run, its id and its judges to the file's text
    extract: Callable[[Sequence[Collected], str, Sequence[str]], Extract]
    rule: str  # by which several judges come to one answer, in a sentence
    what: str = "scripts"
    ending: str = ".jsonl"


@dataclass(frozen=True)
class Errand:
    """A run that another asks for: what is played, by whom, with models that were made for it alone."""

    benchmark: Benchmark
    models: tuple[str, ...]
    options: Options
    made: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Finished:
    """A run that was played, as its sequel needs it; what the layers above have is typed loosely here."""

    run: str
    models: tuple[str, ...]
    played: Sequence[Played]
    options: Options  # all of the run's, and those of the sequel
    seed: int
    directory: Any  # where names of models are looked up
    tell: Callable[[str], None]  # a line for people while it goes on


RunErrand = Callable[[Errand], "Sequence[Played] | None"]  # None where it was stopped


@dataclass(frozen=True)
class Sequel:
    """What is made of all conversations of a run together, by runs of its own, whose option `of` names the first."""

    benchmarks: tuple[Benchmark, ...]  # of its runs; the boards of the last stand beside the first run's
    wanted: Callable[[Options], bool]
    # raises a Mistake where it is plain that it cannot be carried out: with this directory, on a budget or not
    check: Callable[[Options, Any, bool], None]
    follow: Callable[[Finished, RunErrand], bool]  # was it done to its end?
    # what it will take, in a line, for who reads a plan: with these options, of these models' play, by this seed
    foretell: Callable[[Options, Sequence[str], int], str] = lambda options, models, seed: ""
