"""AGE: players with one of two similar secret words give clues and guess; who understands, who confuses?"""

from interplay.benchmarks.word_guessing.other_scores import read_other_scores
from interplay.benchmarks.word_guessing.protocol import (
    OPPONENT,
    OURS,
    PLAYER,
    PROMPTS,
    RULES,
    Game,
    calls,
    digest,
    play,
    seats_of,
)
from interplay.benchmarks.word_guessing.scenarios import (
    EXPERIMENTS,
    VERSUS,
    plainly,
    read_split,
    read_topics,
    scenarios,
    sizes_of,
)
from interplay.benchmarks.word_guessing.scoring import measures, score, ways
from interplay.benchmarks.word_guessing.tables import summarize
from interplay.benchmarks.word_guessing.trials import TRIALS
from interplay.benchmarks.word_guessing.writing import generator
from interplay.core.benchmark import Benchmark, Option, Options, Role, Tryout, prompts_option
from interplay.core.wire import Sampling

SAMPLING = Sampling(0.7, 0.95, 1024)
OPTIONS = (
    Option(
        "experiment",
        VERSUS,
        "versus: each model against one opponent, over ten topics; four: four models in each game, all splits, the "
        "general list; table: any --split, every choice of models",
        choices=EXPERIMENTS,
    ),
    Option(
        "split",
        "",
        "the sizes of the two groups as in 1-3; in versus the model's own group first",
        read=read_split,
        shape="A-B",
    ),
    Option("rounds", "5", "at most so many rounds", number=(1, 20)),
    Option(
        "rules",
        OURS,
        "paper: l = the rounds played, only games of more than two rounds with every word found count, guesses are "
        "matched by Jaro and the list of other names",
        choices=RULES,
    ),
    Option(
        "topics",
        "",
        "which word lists, as in food,sports or general; else as the experiment has it",
        read=read_topics,
        shape="LIST,...",
    ),
    prompts_option(PROMPTS),
    Option(
        "other_scores",
        "",
        "a .csv file with a column model and others' scores, for correlations",
        read=read_other_scores,
        path=True,
        shape="FILE.csv",
        of_table=True,
    ),
)


def roles(options: Options) -> tuple[Role, ...]:
    """In versus a player and its opponent; else everybody at the table is measured."""
    if options["experiment"] == VERSUS:
        mine, theirs = sizes_of(options)
        measured = "gives clues and guesses; the model that is measured"
        return (
            Role(PLAYER, "subject", SAMPLING, measured, seats=mine),
            Role(OPPONENT, "simulator", SAMPLING, "plays against each model that is measured", seats=theirs),
        )
    return tuple(
        Role(role, "subject", SAMPLING, "sits at the table and is measured", sampled_as=PLAYER)
        for _, role in seats_of(options)
    )


def spread(options: Options) -> float:
    """What bots of hazards .2 to .6 showed between two models' AGE in one game each with the same words."""
    return 0.5


benchmark = Benchmark(
    name="word_guessing",
    paper="AGE",
    meaning="an adversarial word game: who finds out the other's secret word, and who keeps its own",
    roles=roles,
    options=OPTIONS,
    outcome=Game,
    scenarios=scenarios,
    protocol=digest,
    play=play,
    calls=calls,
    score=score,
    summarize=summarize,
    measures=measures,
    ways=ways,
    spread=spread,
    epochs=3,
    second_tries="A clue that says the word or repeats another is asked for once more.",
    plainly=plainly,
    generator=generator,
    tryout=Tryout(
        limit=8,
        options={"rounds": "3"},
        sampling={"player": {"max_tokens": 96}, "opponent": {"max_tokens": 96}},
    ),
    trials=TRIALS,
)

__all__ = ["benchmark"]
