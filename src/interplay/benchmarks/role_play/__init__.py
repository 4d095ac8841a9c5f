"""PingPong: an emulated user talks to a model that plays a character; a panel of judges scores every turn."""

from collections.abc import Mapping

from interplay.benchmarks.role_play.cards import LANGUAGES
from interplay.benchmarks.role_play.imported import PINGPONG
from interplay.benchmarks.role_play.panel import JUDGE, judging
from interplay.benchmarks.role_play.protocol import PROMPTS, Dialogue, calls, digest, play
from interplay.benchmarks.role_play.rubrics import VERSIONS, name_of_rubric, read_rubric_option, rubric_for
from interplay.benchmarks.role_play.scenarios import scenarios
from interplay.benchmarks.role_play.scoring import measures, score, summarize, ways
from interplay.benchmarks.role_play.trials import TRIALS
from interplay.benchmarks.role_play.writing import generator
from interplay.core.benchmark import Benchmark, Option, Options, Preset, Role, Tryout, prompts_option
from interplay.core.wire import Sampling

OPTIONS = (
    Option(
        "version",
        "v2",
        "the protocol: in v1 the emulated user knows the card and judges as it talks",
        choices=VERSIONS,
    ),
    Option("language", "en", "the language of characters and situations", choices=LANGUAGES),
    Option(
        "setup",
        "asymmetric",
        "symmetric shows the card to the emulated user and the situation to the player",
        choices=("asymmetric", "symmetric"),
    ),
    Option(
        "turns", "", "at most so many turns in a conversation, else as its situation says", number=(1, 100)
    ),
    Option(
        "rubric",
        "",
        "what judges are asked: v1, v2, or a file with criteria and a scale of your own, else as the version has it",
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
    prompts_option(PROMPTS),
    Option(
        "length_median",
        "",
        "fix M of the length normalisation, in characters, else the board's median",
        number=(1, 1_000_000),
        of_table=True,
    ),
)


def roles(options: Options) -> tuple[Role, ...]:
    """Who takes part; under version 1 the emulated user judges too, unless a judge is named."""
    player = Role(
        "player", "subject", Sampling(0.6, 0.9, 1536), "plays the character; the model that is measured"
    )
    alone = name_of_rubric(options) == "v1"
    judge = Role(
        JUDGE,
        "judge",
        Sampling(0.1, 0.9 if alone else 0.95, 4096),
        "scores every turn of the player; there may be several",
        stands_in="interrogator" if alone and options["version"] == "v1" else "",
    )
    if options["version"] == "v1":
        merged = Role(
            "interrogator", "simulator", Sampling(0.1, 0.9, 4096), "the emulated user, who also judges"
        )
        return player, merged, judge
    return player, Role("interrogator", "simulator", Sampling(0.8, 0.95, 1024), "the emulated user"), judge


def paper_cast(options: Options) -> Mapping[str, tuple[str, ...]]:
    """Whom the paper cast (sections 3.3 and 3.4)."""
    sonnet = "anthropic/claude-3-5-sonnet-20240620"
    if options["version"] == "v1":
        return {"interrogator": (sonnet,)}
    return {"interrogator": ("openai/gpt-4o-mini",), JUDGE: (sonnet, "openai/gpt-4o")}


def spread(options: Options) -> float:
    """An eighth of the scale: what role play has shown between models on one scenario."""
    low, high = rubric_for(options).scale
    return (high - low) / 8


benchmark = Benchmark(
    name="role_play",
    paper="PingPong",
    meaning="emulated users v role-playing models, scored turn by turn by a panel of judges",
    roles=roles,
    options=OPTIONS,
    outcome=Dialogue,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    calls=calls,
    judging=judging,
    score=score,
    summarize=summarize,
    in_one_pass=summarize,
    measures=measures,
    ways=ways,
    spread=spread,
    tryout=Tryout(
        limit=8,
        options={"explanation": "30", "turns": "2"},
        sampling={"player": {"max_tokens": 48}, "judge": {"temperature": 1.0}},
    ),
    presets={
        "paper": Preset(
            "GPT-4o Mini as user, Claude 3.5 Sonnet and GPT-4o as judges; v1: Claude alone", paper_cast
        )
    },
    generator=generator,
    importers=(PINGPONG,),
    trials=TRIALS,
)

__all__ = ["benchmark"]
