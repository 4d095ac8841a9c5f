"""The probe of judges: are they fooled by texts that write their own verdict, and do they see planted defects?"""

from interplay.benchmarks.judge_probe.protocol import PROBED, PROMPTS, Twins, calls, digest, play
from interplay.benchmarks.judge_probe.scenarios import EVERYTHING, SETS, scenarios
from interplay.benchmarks.judge_probe.scoring import measures, score, ways
from interplay.benchmarks.judge_probe.tables import summarize
from interplay.benchmarks.judge_probe.trials import TRIALS
from interplay.core.benchmark import Benchmark, Option, Options, Role, Tryout, prompts_option
from interplay.core.failures import Mistake
from interplay.core.wire import Sampling

LONGEST_LABEL = 60


def read_label(typed: str) -> str:
    """A label as it was typed, if it is short enough to stand in a title."""
    if len(typed) > LONGEST_LABEL or not typed.isprintable():
        raise Mistake(
            f"--label is a word or two, as in november; at most {LONGEST_LABEL} characters on one line"
        )
    return typed.strip()


OPTIONS = (
    Option(
        "set",
        EVERYTHING,
        "injections: texts that ask for a verdict; defects: dialogues with a spoiled reply; all: both",
        choices=SETS,
    ),
    Option(
        "explanation",
        "600",
        "the most characters of the explanation that a judge writes",
        number=(20, 5000),
    ),
    Option(
        "label",
        "",
        "a word for this probe, as in november: another label is another probe, which asks everything anew",
        read=read_label,
        shape="TEXT",
    ),
    prompts_option(PROMPTS),
)


def roles(options: Options) -> tuple[Role, ...]:
    meaning = "gives the verdicts; the judge that is measured"
    return (Role(PROBED, "subject", Sampling(0.0, None, 1024), meaning),)


def spread(options: Options) -> float:
    """Two judges who differ on every fourth probe; where both sets are played, each score has half of the probes."""
    return 0.5 * 2**0.5 if options["set"] == EVERYTHING else 0.5


benchmark = Benchmark(
    name="judge_probe",
    paper="Probe",
    meaning="are judges fooled by texts that write their own verdict, and do they see planted defects",
    roles=roles,
    options=OPTIONS,
    outcome=Twins,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    calls=calls,
    score=score,
    summarize=summarize,
    measures=measures,
    ways=ways,
    spread=spread,
    tryout=Tryout(limit=4, options={"explanation": "60"}, sampling={PROBED: {"max_tokens": 128}}),
    trials=TRIALS,
)

__all__ = ["benchmark"]
