"""SimulBench: models as terminals, games and machines, judged on hard moments of a dialogue."""

from interplay.benchmarks.simulation.collecting import collector
from interplay.benchmarks.simulation.evaluation import SIMULATOR, Answer, calls, digest, play
from interplay.benchmarks.simulation.human import read_human
from interplay.benchmarks.simulation.imported import IMPORTERS
from interplay.benchmarks.simulation.judges import JUDGE, PROMPTS, Rating
from interplay.benchmarks.simulation.pairs import Better
from interplay.benchmarks.simulation.scenarios import scenarios
from interplay.benchmarks.simulation.scoring import measures, score, ways
from interplay.benchmarks.simulation.tables import summarize
from interplay.benchmarks.simulation.trials import TRIALS
from interplay.benchmarks.simulation.writing import generator
from interplay.core.benchmark import Benchmark, Option, Options, Role, Tryout, prompts_option
from interplay.core.wire import Sampling

OPTIONS = (
    Option(
        "set",
        "all",
        "hard leaves out last turns of dialogues without a challenging turn",
        choices=("all", "hard"),
    ),
    Option(
        "explanation",
        "600",
        "the most characters of the explanation that a judge writes",
        number=(20, 5000),
        of_judging=True,
    ),
    prompts_option(PROMPTS),
    Option(
        "drop_perfect",
        "no",
        "leave scripts out on which every model got full marks, as the paper did; it selects on the outcome",
        choices=("no", "yes"),
        of_table=True,
    ),
    Option(
        "human",
        "",
        "a .csv file of what people say of answers, to hold judges against: scenario, model, rater, rating and/or "
        "reasonable; judge and repeat where there are several",
        read=read_human,
        path=True,
        of_table=True,
    ),
)


def roles(options: Options) -> tuple[Role, ...]:
    return (
        Role(
            SIMULATOR,
            "subject",
            Sampling(0.0, None, 1024),
            "answers as the interface; the model that is measured",
        ),
        Role(JUDGE, "judge", Sampling(0.0, None, 1024), "rates every answer; there may be several"),
    )


benchmark = Benchmark(
    name="simulation",
    paper="SimulBench",
    meaning="models as terminals, games, ciphers and machines, judged on hard moments of a dialogue",
    roles=roles,
    options=OPTIONS,
    outcome=Answer,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    calls=calls,
    judging=Rating,
    pairing=Better,
    score=score,
    summarize=summarize,
    measures=measures,
    ways=ways,
    generator=generator,
    spread=lambda options: 2.0,
    collector=collector,
    trials=TRIALS,
    importers=IMPORTERS,
    tryout=Tryout(
        limit=6,
        options={"explanation": "60"},
        sampling={"simulator": {"max_tokens": 64}, "judge": {"temperature": 1.0}},
    ),
)

__all__ = ["benchmark"]
