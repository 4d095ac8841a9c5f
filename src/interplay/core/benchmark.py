"""A benchmark: scenarios + play + judge + score + summarize, and the roles it needs."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from interplay.core.board import Board
from interplay.core.conversation import Conversation, RoleKind
from interplay.core.failures import Mistake, nearest
from interplay.core.measures import Measure
from interplay.core.prompts import Prompts
from interplay.core.trials import Trial
from interplay.core.wire import Sampling, digest_of

if TYPE_CHECKING:
    from interplay.core.importing import Importer
    from interplay.core.making import Collector, Generator, Sequel

Options = Mapping[str, str]
RULE = "rule/"  # before the name of a part that a benchmark plays by rule, without a model


@dataclass(frozen=True)
class Role:
    """A name in the protocol; the subject is the one whose model is measured."""

    name: str
    kind: RoleKind
    sampling: Sampling
    meaning: str
    stands_in: str = (
        ""  # the role, measured or not, whose model takes this one too where nobody is named for it
    )
    sampled_as: str = ""  # the name that --sampling knows it by, where several roles must be sampled alike
    later: bool = False  # of a judge: named when what was played is judged, not before
    optional: bool = False  # of a judge: there is something to see without one
    seats: int = 1  # in one conversation: NAME, NAME 2, NAME 3


@dataclass(frozen=True)
class Option:
    """A setting of one benchmark. It is part of what a run is, unless it only concerns the table."""

    name: str
    default: str
    meaning: str
    choices: tuple[str, ...] = ()
    number: tuple[int, int] | None = None  # the bounds of a number, where it is one
    read: Callable[[str], str] | None = None  # from what is typed, as a path, to what the record keeps
    shape: str = ""  # how a value looks, where help should say
    path: bool = False  # what is typed is, or may be, a file or folder
    open: bool = False  # other values than its choices may be typed: see Benchmark.called
    of_judging: bool = False  # a finished run can be judged with another value
    of_table: bool = False
    of_sequel: bool = False  # concerns what is made of all conversations together: see Sequel

    def check(self, value: str) -> None:
        """Raise a Mistake if the option cannot have this value; the default always can."""
        if value == self.default:
            return
        if self.choices and value not in self.choices:
            raise Mistake(f"there is no {self.name} {value!r}; {nearest(value, self.choices)}")
        if self.number is not None and not _within(value, *self.number):
            raise Mistake(
                f"{self.name} is a whole number from {self.number[0]} to {self.number[1]:,}, not {value!r}"
            )


def prompts_option(prompts: Prompts) -> Option:
    """The option by which a user puts prompts of their own in the place of a benchmark's."""
    meaning = "a folder whose .md files replace prompts of the same name"
    return Option("prompts", "", meaning, read=prompts.kept, path=True)


def _within(value: str, low: int, high: int) -> bool:
    return value.isascii() and value.isdecimal() and len(value) < 20 and low <= int(value) <= high


@dataclass(frozen=True)
class Scenario:
    """Frozen data; its id is a hash of its content, its label is for people."""

    content: Mapping[str, Any]
    label: str

    @cached_property
    def id(self) -> str:
        return digest_of(self.content)


@dataclass(frozen=True)
class Material:
    """The scenarios there are, and what a user should know of the file they came from."""

    scenarios: tuple[Scenario, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What one judge said of one transcript, schema-checked; or why there is no verdict."""

    judge: str
    rubric: str
    data: Mapping[str, Any] | None
    failure: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Score:
    """A number, its name, and which verdict or rule made it."""

    name: str
    value: float
    source: str
    model: str = ""  # whose score it is, where a conversation has scores of several


@dataclass(frozen=True)
class Duel:
    """What judges said of a conversation and another model's of the same scenario, shown side by side."""

    other: str  # the other model
    first: tuple[Verdict, ...] = ()  # where this conversation was shown first
    second: tuple[Verdict, ...] = ()  # where the other was


@dataclass(frozen=True)
class Played:
    """One conversation of a run as its record has it: what the pure functions of a benchmark work on."""

    scenario: Scenario
    subject: str
    repeat: int
    outcome: Any = None
    failure: str = ""
    detail: str = ""  # of the failure
    verdicts: tuple[Verdict, ...] = ()
    cast: Mapping[str, str] = field(default_factory=dict)  # which model sits in which role
    against: tuple[Duel, ...] = ()  # with models whose names come after its own: each duel is in one place


Span = tuple[int, int]  # the least and the most


class Judging(Protocol):
    """A judging step: a rubric and its prompts, named by their digest."""

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str: ...

    def calls(self, scenario: Scenario, cast: Mapping[str, str], judge: str) -> Span:
        """How many calls this judge needs for a conversation of this cast, second tries apart."""

    async def __call__(self, talk: Conversation, outcome: Any) -> Mapping[str, Any]: ...


class Pairing(Protocol):
    """A step in which a judge sees two models' outcomes of one scenario, side by side."""

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str: ...

    def calls(self, scenario: Scenario, judge: str) -> Span:
        """How many calls this judge needs for two outcomes in one order, second tries apart."""

    def preferred(self, verdict: Mapping[str, Any]) -> int:
        """1 where a verdict is for what was shown first, -1 for the other, 0 for a tie."""

    async def __call__(self, talk: Conversation, first: Any, second: Any) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Unjudged:
    """The judging step of what no judge looks at."""

    name: str = "none"
    digest: str = "none"

    def calls(self, scenario: Scenario, cast: Mapping[str, str], judge: str) -> Span:
        return 0, 0

    async def __call__(self, talk: Conversation, outcome: Any) -> Mapping[str, Any]:
        raise RuntimeError("what has no judge is scored by rule")


@dataclass(frozen=True)
class Preset:
    """A cast with a name, such as a paper's own; what a user types goes before it."""

    meaning: str
    roles: Callable[[Options], Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Tryout:
    """What is played when no model is named: small enough for the embedded model on two cores."""

    limit: int
    options: Mapping[str, str]
    sampling: Mapping[str, Mapping[str, float | int | None]]


@dataclass(frozen=True)
class Called:
    """What a user asks for: options as they were read, the models to measure, and who plays the other roles."""

    options: dict[str, str]
    models: tuple[str, ...]
    roles: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Benchmark:
    """All that the engine needs to know of a benchmark.

    Where several of its roles are subjects, so many of the models sit down together, every choice of them.
    """

    name: str
    paper: str  # the name that its paper gives it; empty where it has none
    meaning: str
    roles: Callable[[Options], tuple[Role, ...]]
    options: tuple[Option, ...]
    outcome: type
    scenarios: Callable[[Options, Path | None], Material]  # its own, or those of a user's file
    protocol: Callable[[Options], str]  # the digest of what shapes play: prompts and the protocol's version
    play: Callable[[Conversation, Options], Awaitable[Any]]
    calls: Callable[[Scenario, Options], Mapping[str, Span]]  # of play, for each role, second tries apart
    score: Callable[[Any, Sequence[Verdict], Options], Sequence[Score]]
    summarize: Callable[[Sequence[Played], Options], Board]
    # how far two models' scores of one scenario differ, as a standard deviation
    spread: Callable[[Options], float]
    tryout: Tryout
    judging: Callable[[Options], Judging] = lambda options: Unjudged()
    pairing: Callable[[Options], Pairing] | None = None  # where judges can compare two models' outcomes
    epochs: int = 1  # how often a scenario is played unless the user says
    second_tries: str = ""  # what its rules ask for again, for who reads a plan of calls
    # the options of a run in the one way to say what they mean: two ways would be two runs
    plainly: Callable[[dict[str, str]], dict[str, str]] = lambda options: options
    # the same with the cast, where an option may name who is measured or who plays a role
    called: Callable[[Called], Called] = lambda called: called
    by_rule: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # of a role: parts that need no model
    data_flag: str = ""  # another name for --data
    presets: Mapping[str, Preset] = field(default_factory=dict)
    generator: "Generator | None" = None  # where a model can write new data for it
    collector: "Collector | None" = None  # where its data is made out of what models say to each other
    trials: tuple[Trial, ...] = ()  # bots with a planted ability, by which its scores are proven
    sequel: "Sequel | None" = None  # where something is made of all conversations of a run together
    importers: "tuple[Importer, ...]" = ()  # how conversations that were made elsewhere become runs of it

    # what each conversation is measured by, the first being what models are compared by
    measures: Callable[[Options], tuple[Measure, ...]] = lambda options: ()
    # the same as summarize, where it goes over the conversations once, in any order, and keeps little of each: they are
    # then read one by one, and a large run is never in memory as a whole
    in_one_pass: Callable[[Iterable[Played], Options], Board] | None = None
    # the clusters of a scenario, in one way or two: what is played with one of them in common may depend on each other
    ways: Callable[[Scenario], tuple[str, ...]] = lambda scenario: (scenario.id,)

    @property
    def title(self) -> str:
        """Its name, with its paper's where it has one."""
        return f"{self.name} ({self.paper})" if self.paper else self.name

    def subjects(self, options: Options) -> tuple[Role, ...]:
        return tuple(role for role in self.roles(options) if role.kind == "subject")

    def role(self, name: str, options: Options) -> Role:
        known = {role.name: role for role in self.roles(options)}
        if name not in known:
            raise Mistake(f"{self.name} has no role {name!r}; {nearest(name, known)}")
        return known[name]

    def read(self, typed: Mapping[str, str]) -> dict[str, str]:
        """Options as they were typed, brought to what the record keeps: files are read, once."""
        readers = {option.name: option.read for option in self.options}
        found = {}
        for name, value in typed.items():
            reader = readers.get(name)
            found[name] = reader(value) if reader and value else value
        return found

    def settle(self, given: Mapping[str, str]) -> dict[str, str]:
        """The options of a run: what was given, checked, over the defaults."""
        known = {option.name: option for option in self.options}
        for name, value in given.items():
            if name not in known:
                raise Mistake(f"{self.name} has no option {name!r}; {nearest(name, known)}")
            known[name].check(value)
        settled = {name: given.get(name, option.default) for name, option in known.items()}
        for name, option in known.items():
            if option.number is not None and settled[name]:
                settled[name] = str(int(settled[name]))
        return self.plainly(settled)
