"""Transcripts: conversations that were held elsewhere, judged as a whole by a rubric."""

from collections.abc import Mapping
from pathlib import Path

from interplay.benchmarks.transcripts.dialogue import ASSISTANT, USER, Dialogue
from interplay.benchmarks.transcripts.imported import OPENAI, TRANSCRIPT
from interplay.benchmarks.transcripts.judging import JUDGE, judging
from interplay.benchmarks.transcripts.rubrics import read_rubric_option, rubric_for
from interplay.benchmarks.transcripts.scoring import measures, score, summarize
from interplay.core.benchmark import Benchmark, Material, Option, Options, Role, Scenario, Span, Tryout
from interplay.core.conversation import Conversation
from interplay.core.failures import Mistake
from interplay.core.wire import Sampling

NOT_PLAYED = "transcripts are not played but imported, as in: interplay import FILE --as transcript"
OPTIONS = (
    Option(
        "rubric",
        "",
        "what judges are asked: plain, or a file with criteria and a scale of your own",
        read=read_rubric_option,
        path=True,
        of_judging=True,
    ),
    Option(
        "explanation",
        "600",
        "the most characters of each explanation a judge writes, unless the rubric's file says",
        number=(20, 5000),
        of_judging=True,
    ),
)


def roles(options: Options) -> tuple[Role, ...]:
    return (
        Role(ASSISTANT, "subject", Sampling(), "spoke elsewhere; the model that is measured"),
        Role(USER, "simulator", Sampling(), "spoke to it; there may be several"),
        Role(JUDGE, "judge", Sampling(0.1, 0.95, 4096), "scores the whole conversation", later=True),
    )


def scenarios(options: Options, data: Path | None = None) -> Material:
    raise Mistake(NOT_PLAYED)


async def play(talk: Conversation, options: Options) -> Dialogue:
    raise Mistake(NOT_PLAYED)


def calls(scenario: Scenario, options: Options) -> Mapping[str, Span]:
    return {}


def spread(options: Options) -> float:
    """An eighth of the scale, as role play has shown between models on one scenario."""
    low, high = rubric_for(options).scale
    return (high - low) / 8


benchmark = Benchmark(
    name="transcripts",
    paper="",
    meaning="conversations that were held elsewhere, judged as a whole by a rubric",
    roles=roles,
    options=OPTIONS,
    outcome=Dialogue,
    scenarios=scenarios,
    protocol=lambda options: "none",
    play=play,
    calls=calls,
    judging=judging,
    score=score,
    summarize=summarize,
    in_one_pass=summarize,
    measures=measures,
    spread=spread,
    tryout=Tryout(limit=1, options={}, sampling={}),
    importers=(TRANSCRIPT, OPENAI),
)

__all__ = ["benchmark"]
