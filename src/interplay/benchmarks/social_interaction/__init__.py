"""AntEval: what agents tell each other, and what they let on, in scenes of a tabletop role-playing game."""

from interplay.benchmarks.social_interaction.following import sequel
from interplay.benchmarks.social_interaction.masters import KINDS as MASTERS
from interplay.benchmarks.social_interaction.masters import LIGHT, read_dm
from interplay.benchmarks.social_interaction.matching import Matching
from interplay.benchmarks.social_interaction.protocol import (
    NPC,
    PLAYER,
    PROMPTS,
    Session,
    calls,
    digest,
    play,
)
from interplay.benchmarks.social_interaction.scenarios import (
    AS_USUAL,
    EXCHANGE,
    KINDS,
    PLAYERS,
    SPREADS,
    scenarios,
)
from interplay.benchmarks.social_interaction.scoring import measures, score, ways
from interplay.benchmarks.social_interaction.study import CURVES
from interplay.benchmarks.social_interaction.tables import summarize
from interplay.benchmarks.social_interaction.trials import TRIALS
from interplay.benchmarks.social_interaction.words import read_words
from interplay.benchmarks.social_interaction.writing import generator
from interplay.core.benchmark import (
    Benchmark,
    Judging,
    Option,
    Options,
    Role,
    Tryout,
    Unjudged,
    prompts_option,
)
from interplay.core.wire import Sampling

SAMPLING = Sampling(0.8, 0.95, 512)
OPTIONS = (
    Option(
        "scene",
        EXCHANGE,
        "exchange: a non-player character alone knows something, and players find it out (IEP); intentions: players "
        "show what they privately want, and virtual game masters learn from it (IEG)",
        choices=KINDS,
    ),
    Option("moves", "30", "how many moves a session has, of all four together", number=(4, 200)),
    Option(
        "sessions",
        "",
        "how many sessions there are; else one for each piece of knowledge, or 600 with intentions",
        number=(1, 5000),
    ),
    Option("wants", "1", "how many of the players want something, one after another", number=(1, PLAYERS)),
    Option(
        "skills",
        AS_USUAL,
        "which skills are wanted: usual, as often as in recorded play; even, all alike",
        choices=SPREADS,
    ),
    Option("points", "5", "k, the key points of an answer and of the knowledge", number=(2, 12), of_judging=True),
    prompts_option(PROMPTS),
    Option(
        "words",
        "",
        "a .csv file of the words that raters found for weak sessions: session, model, rater, word",
        read=read_words,
        path=True,
        of_table=True,
    ),
    Option(
        "dm",
        LIGHT,
        f"virtual game masters, with commas between: {'; '.join(f'{k}, {v}' for k, v in MASTERS.items())}",
        read=read_dm,
        shape="KIND,...",
        of_sequel=True,
    ),
    Option(
        "real",
        "",
        "recorded play, a .jsonl file of windows; else a small set that was written for this benchmark",
        path=True,
        shape="FILE.jsonl",
        of_sequel=True,
    ),
    Option(
        "held_out",
        "25",
        "percent of the real play, in whole sessions, that game masters are tried on",
        number=(1, 99),
        of_sequel=True,
    ),
    Option(
        "curve",
        CURVES[0],
        "which game masters also learn from an eighth, a quarter and half of the play: light, all, no",
        choices=CURVES,
        of_sequel=True,
    ),
    Option("shots", "8", "windows that examples:MODEL sees before each question", number=(1, 100), of_sequel=True),
    Option(
        "dm_epochs",
        "3",
        "how often a game master that is fine-tuned sees all windows",
        number=(1, 50),
        of_sequel=True,
    ),
    Option(
        "dm_method", "full", "how local:WEIGHTS is fine-tuned", choices=("full", "lora"), of_sequel=True
    ),
)  # fmt: skip


def roles(options: Options) -> tuple[Role, ...]:
    """Whoever is measured plays the non-player character too, as in the paper, unless somebody is named for it."""
    found = [
        Role(
            PLAYER, "subject", SAMPLING, "plays the three players; the model that is measured", seats=PLAYERS
        ),
        Role(
            NPC,
            "simulator",
            SAMPLING,
            "plays the non-player character; the measured model itself where nobody is named",
            stands_in=PLAYER,
        ),
    ]
    if options["scene"] == EXCHANGE:
        meaning = "makes key points of what players learned and pairs them with what there was to learn"
        found.append(Role("judge", "judge", Sampling(0.0, None, 1024), meaning))
    return tuple(found)


def judging(options: Options) -> Judging:
    return Matching(options) if options["scene"] == EXCHANGE else Unjudged()


benchmark = Benchmark(
    name="social_interaction",
    paper="AntEval",
    meaning="agents in a tabletop role-playing game: how much they tell each other, and what they let on",
    roles=roles,
    options=OPTIONS,
    outcome=Session,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    calls=calls,
    judging=judging,
    score=score,
    summarize=summarize,
    measures=measures,
    ways=ways,
    # with intentions it is no session that is scored, so that no difference can be foretold
    spread=lambda options: 0.3 if options["scene"] == EXCHANGE else 0.0,
    generator=generator,
    sequel=sequel,
    trials=TRIALS,
    tryout=Tryout(
        limit=2,
        options={"moves": "8"},
        sampling={"judge": {"max_tokens": 400}},
    ),
)

__all__ = ["benchmark"]
