"""PingPong: an emulated user talks to a model that plays a character; a panel of judges scores every turn."""

from interplay.benchmarks.role_play.protocol import ROLES, Dialogue, TurnJudging, digest, play, rubric
from interplay.benchmarks.role_play.scenarios import LANGUAGES, scenarios
from interplay.benchmarks.role_play.scoring import score, summarize
from interplay.core.benchmark import Benchmark, Option, Tryout

benchmark = Benchmark(
    name="role_play",
    paper="PingPong",
    meaning="emulated users v role-playing models, scored turn by turn by a panel of judges",
    roles=ROLES,
    options=(
        Option("language", "en", "the language of characters and situations", choices=LANGUAGES),
        Option(
            "turns",
            "",
            "at most so many turns in a conversation, else as its situation says",
            number=(1, 100),
        ),
        Option(
            "explanation", "600", "the most characters of each explanation a judge writes", number=(20, 5000)
        ),
        Option(
            "length_median",
            "",
            "fix M of the length normalisation, in characters, else the board's median",
            number=(1, 1_000_000),
            of_table=True,
        ),
    ),
    outcome=Dialogue,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    judging=lambda options: TurnJudging(rubric(options)),
    score=score,
    summarize=summarize,
    tryout=Tryout(
        limit=8,
        options={"explanation": "30", "turns": "2"},
        sampling={"player": {"max_tokens": 48}, "judge": {"temperature": 1.0}},
    ),
)

__all__ = ["benchmark"]
