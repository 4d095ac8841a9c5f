"""Fine-tuning a virtual game master, at an endpoint or on this machine, as a recorded step that can be gone on with."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from interplay.benchmarks.generating import refuse_data
from interplay.core.benchmark import (
    RULE,
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
from interplay.core.board import Board, Column
from interplay.core.conversation import Conversation
from interplay.core.wire import Sampling, digest_of
from interplay.models.teaching import Example, digest_of_examples

PROTOCOL_VERSION = 1
MASTER = "dm"


@dataclass(frozen=True)
class Tuned:
    """Where the trained game master is: a model's name at its endpoint, or a folder; and how it got there."""

    place: str
    told: str


@dataclass(frozen=True)
class Lesson:
    """What one game master is taught: examples of somebody's play."""

    dm: str
    source: str
    examples: tuple[Example, ...]

    @property
    def digest(self) -> str:
        return digest_of([self.dm, digest_of_examples(self.examples)])

    @property
    def scenario(self) -> Scenario:
        content = {"dm": self.dm, "source": self.source, "examples": self.digest, "size": len(self.examples)}
        return Scenario(content, f"{self.source}, {len(self.examples)} windows")


# trains by a lesson; what must not be done twice goes through the conversation
Teach = Callable[[Conversation, Lesson], Awaitable[Tuned]]


def rule_name(dm: str) -> str:
    """The name of who is trained, in a run that connects to no model itself."""
    return RULE + dm


def training_by(dm: str, teach: Teach, lessons: Sequence[Lesson]) -> Benchmark:
    """The benchmark with a teacher and what is to be taught."""
    by_digest = {lesson.digest: lesson for lesson in lessons}
    material = Material(tuple(lesson.scenario for lesson in lessons))

    async def play(talk: Conversation, options: Options) -> Tuned:
        return await teach(talk, by_digest[talk.scenario["examples"]])

    return replace(
        training, play=play, scenarios=lambda options, data: material, by_rule={MASTER: (rule_name(dm),)}
    )


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    return {MASTER: (0, 0)}


def score(outcome: Tuned, verdicts: Sequence[Verdict], options: Options) -> list[Score]:
    return []


def summarize(played: Sequence[Played], options: Options) -> Board:
    """A row for each lesson: what came of it."""
    columns = (
        Column("model", "game master", "who was trained", "text"),
        Column("source", "learned from", "whose play it learned from", "text"),
        Column("size", "windows", "how many windows it learned from", "count"),
        Column("place", "place", "the model's name at its endpoint, or the folder of its weights", "text"),
        Column("told", "how", "what is known of the training", "text"),
    )
    rows = [
        {
            "model": one.subject.removeprefix(RULE),
            "subject": one.subject,
            "source": one.scenario.content["source"],
            "size": one.scenario.content["size"],
            "place": one.outcome.place if one.outcome else "",
            "told": one.outcome.told if one.outcome else f"{one.failure}: {one.detail}",
        }
        for one in played
    ]
    return Board("social_interaction: training of virtual game masters", columns, tuple(rows))


async def _cannot_teach(talk: Conversation, options: Options) -> Tuned:
    raise RuntimeError("game masters are trained by the run whose play they learn from")


def _no_lessons(options: Options, data: Path | None) -> Material:
    refuse_data(data)
    return Material(())


training = Benchmark(
    name="social_interaction_training",
    paper="AntEval's virtual game masters",
    meaning="a model is fine-tuned on windows of play",
    roles=lambda options: (Role(MASTER, "subject", Sampling(), "is trained to read play"),),
    options=(
        Option("of", "", "the run whose play is learned from"),
        Option("settings", "", "how it is trained"),
    ),
    outcome=Tuned,
    scenarios=_no_lessons,
    protocol=lambda options: digest_of([PROTOCOL_VERSION]),
    play=_cannot_teach,
    calls=calls,
    score=score,
    summarize=summarize,
    spread=lambda options: 1.0,
    tryout=Tryout(limit=1, options={}, sampling={}),
)
