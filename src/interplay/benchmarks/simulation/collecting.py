"""The second and third stage as a benchmark of their own: dialogues are collected, and judged to cut scripts from."""

from interplay.benchmarks.simulation.dialogue_tables import score, summarize
from interplay.benchmarks.simulation.dialogues import (
    USER,
    USER_PROMPTS,
    Dialogue,
    calls,
    digest,
    play,
    scenarios,
)
from interplay.benchmarks.simulation.evaluation import SIMULATOR
from interplay.benchmarks.simulation.extraction import JUDGE_PROMPTS, RULE, Extraction, extract
from interplay.benchmarks.simulation.judges import JUDGE
from interplay.core.benchmark import Benchmark, Option, Options, Role, Tryout
from interplay.core.making import Collector
from interplay.core.wire import Sampling

OPTIONS = (
    Option("turns", "4", "how many turns a dialogue has", number=(1, 20)),
    Option(
        "prompts",
        "",
        "a folder whose .md files replace prompts of the user agent",
        read=USER_PROMPTS.kept,
        path=True,
    ),
    Option(
        "explanation",
        "600",
        "the most characters of the explanation that a judge writes",
        number=(20, 5000),
        of_judging=True,
    ),
    Option(
        "judge_prompts",
        "",
        "a folder whose .md files replace prompts of the judge of dialogues",
        read=JUDGE_PROMPTS.kept,
        path=True,
        of_judging=True,
    ),
)


def roles(options: Options) -> tuple[Role, ...]:
    return (
        Role(SIMULATOR, "subject", Sampling(0.0, None, 1024), "answers as the interface"),
        Role(USER, "simulator", Sampling(1.2, None, 300), "the user agent, who tries the interface out"),
        Role(
            JUDGE,
            "judge",
            Sampling(0.0, None, 1024),
            "names the first challenging turn of a dialogue; comes in with interplay extract",
            later=True,
        ),
    )


collecting = Benchmark(
    name="simulation_dialogues",
    paper="SimulBench's dialogues",
    meaning="a user agent tries out a model that simulates an interface, to collect dialogues that are hard for it",
    roles=roles,
    options=OPTIONS,
    outcome=Dialogue,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    calls=calls,
    judging=Extraction,
    score=score,
    summarize=summarize,
    spread=lambda options: 0.0,  # nobody is compared by what is collected
    epochs=3,
    tryout=Tryout(
        limit=4,
        options={"turns": "2", "explanation": "60"},
        sampling={SIMULATOR: {"max_tokens": 64}},
    ),
)
collector = Collector(collecting, extract, RULE)
